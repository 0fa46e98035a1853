"""What a route gives back before the search fills it up."""

from dataclasses import dataclass

from magpie.model import RouteAnswer
from magpie.ports import SearchFilter


@dataclass(frozen=True, slots=True, kw_only=True)
class Routed:
    """
    `fills` lets the search add passages after the route's own, narrowed by `narrow` where it is
    given. `goes_on` tries the next rules too, and only adds (the page that is open).
    """

    answer: RouteAnswer
    fills: bool = False
    narrow: SearchFilter | None = None
    goes_on: bool = False
