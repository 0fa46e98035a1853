"""
Addresses of the web, taken apart strictly: what two parsers could read in two ways is refused.

An address in its normal form has a lower-case scheme and host, no default port, no fragment.
"""

import re
from dataclasses import dataclass
from urllib.parse import quote, urljoin

from magpie.errors import DocumentRefused

DEFAULT_PORTS = {"http": 80, "https": 443}
LONGEST = 2000
_ADDRESS = re.compile(
    r"(?P<scheme>https?)://(?P<host>[^/?#\\@:\[\]]+|\[[0-9a-f:.]+\])(?::(?P<port>\d{0,5}))?(?P<target>[/?][^#]*)?(?:#.*)?",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_HOST = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9_-]{1,63}(?<!-))*\.?|\[[0-9a-f:.]+\]")
_UNPRINTED = re.compile(r"[\x00-\x20\x7f\\]")
_KEPT = "/?:@!$&'()*+,;=-._~%"
_LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True, kw_only=True)
class WebAddress:
    """`target` is path and query as they go over the wire."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def place(self) -> str:
        """Host, and port where it is not the scheme's own: `bakery.example`, `localhost:1313`."""
        return self.host if self.port == DEFAULT_PORTS[self.scheme] else f"{self.host}:{self.port}"

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.place}"

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        return self.target.partition("?")[2]

    def __str__(self) -> str:
        return self.origin + self.target


def web_address(text: str) -> WebAddress:
    """
    The address in its normal form.

    Raises: DocumentRefused `bad_address` for another scheme than http and https, credentials, a host
    that is none, characters that don't belong into an address.
    """
    text = text.strip()
    match = _ADDRESS.fullmatch(text)
    if len(text) > LONGEST or _UNPRINTED.search(text) or not match:
        raise DocumentRefused(text[:200], "bad_address", _why(text))
    scheme, host, port = match["scheme"].lower(), _host(text, match["host"]), match["port"]
    number = int(port) if port else DEFAULT_PORTS[scheme]
    if not 0 < number < 65536:
        raise DocumentRefused(text, "bad_address", f"has the port {number}, which is none")
    target = match["target"] or "/"
    target = target if target.startswith("/") else f"/{target}"
    return WebAddress(scheme=scheme, host=host, port=number, target=_escaped(target))


def place_named(host: str) -> str:
    """A host as somebody wrote it (`Bäckerei.example`, `localhost:1313`) as addresses have it."""
    try:
        return web_address(f"https://{host}").place
    except DocumentRefused:
        return host.lower()


def joined(base: WebAddress, reference: str) -> WebAddress:
    """A link of a page as an address of its own. Raises: DocumentRefused `bad_address`."""
    try:
        return web_address(urljoin(str(base), reference.strip()))
    except ValueError as exc:
        raise DocumentRefused(reference[:200], "bad_address", f"is no address: {exc}") from exc


def _why(text: str) -> str:
    if len(text) > LONGEST:
        return f"is longer than {LONGEST} characters"
    if re.match(r"https?://[^/?#]*@", text, re.IGNORECASE):
        return "holds a user name or password; addresses may not"
    scheme = _SCHEME.match(text)
    if scheme and scheme[1].lower() not in DEFAULT_PORTS:
        return f"is a {scheme[1].lower()} address; only http and https are fetched"
    return "is no address; it must look like https://host/path"


def _host(text: str, host: str) -> str:
    plain = host.lower() if host.isascii() else _ascii(text, host)
    if not _HOST.fullmatch(plain) or len(plain) > 253:
        raise DocumentRefused(text, "bad_address", "has a host name that is none")
    return plain.rstrip(".")


def _ascii(text: str, host: str) -> str:
    import idna  # large tables, for few hosts

    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError as exc:
        raise DocumentRefused(text, "bad_address", "has a host name that is none") from exc


def _escaped(target: str) -> str:
    return quote(_LONE_PERCENT.sub("%25", target), safe=_KEPT)
