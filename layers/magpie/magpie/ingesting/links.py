"""Addresses on a page as a visitor elsewhere can follow them."""

import posixpath
import re

_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_PARTS = re.compile(r"(?P<origin>https?://[^/?#]+)(?P<path>[^?#]*)")


def absolute(base: str, address: str) -> str:
    """
    The address as seen from the page `base`, which is absolute itself (RFC 3986, section 5.2).

    An address that has a scheme already stays as it is.
    """
    parts = _PARTS.match(base)
    if _ABSOLUTE.match(address) or not parts:
        return address
    if address.startswith("//"):
        return f"{base.partition(':')[0]}:{address}"
    if address.startswith(("?", "#")):
        return f"{parts['origin']}{parts['path'] or '/'}{address}"
    return parts["origin"] + _resolved(parts["path"], address)


def _resolved(folder: str, address: str) -> str:
    path, mark, rest = _split(address)
    whole = path if path.startswith("/") else f"{folder.rpartition('/')[0]}/{path}"
    clean = posixpath.normpath(f"/{whole.lstrip('/')}")
    is_folder = whole.endswith(("/", "/.", "/..")) and clean != "/"
    return clean + ("/" if is_folder else "") + mark + rest


def _split(address: str) -> tuple[str, str, str]:
    match = re.search(r"[?#]", address)
    if not match:
        return address, "", ""
    return address[: match.start()], match[0], address[match.end() :]
