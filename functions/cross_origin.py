"""What pages of other origins may do: the same for every public route, whatever serves it."""

METHODS = ("GET", "POST")
HEADERS = ("Content-Type", "Authorization", "Accept")
EXPOSED = ("Retry-After",)
MAX_AGE_S = 600
