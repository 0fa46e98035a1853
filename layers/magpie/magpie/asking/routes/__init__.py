"""Search strategies, one file a route; the site file says which ones and in what order."""

from magpie.asking.routes.router import SiteRouter

__all__ = ["SiteRouter"]
