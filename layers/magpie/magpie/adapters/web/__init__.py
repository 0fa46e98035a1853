"""
Pages of the web, fetched so that no address, name service or server can make us reach what we may not.

    networks   which numeric addresses may be connected to
    connecting a name resolved once, every address checked, the connection made to a checked one
    robots     what a host's robots.txt allows, and its pace
    fetching   one request with its redirects, each checked like the first; sizes and times limited
"""

from magpie.adapters.web.connecting import Resolver, system_resolver
from magpie.adapters.web.fetching import SafeWeb, WebRules

__all__ = ["Resolver", "SafeWeb", "WebRules", "system_resolver"]
