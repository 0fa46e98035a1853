"""Where in the corpus a page lies. The place is its identity: it stays when the page moves."""

import hashlib
import re
from collections.abc import Container

from magpie.ingesting.web.page_file import ENDING
from magpie.text.web_address import WebAddress

WEB_FOLDER = "web/"
WAITING_FOLDER = ".waiting/"
LONGEST_NAME = 100
LONGEST_PLACE = 400
_ODD = re.compile(r"[^A-Za-z0-9._~-]+|^\.+")
_PAGE_ENDING = re.compile(r"(?<=.)\.(?:html?|xhtml|php|aspx?|jsp)$", re.IGNORECASE)


def place_of(address: WebAddress, taken: Container[str] = ()) -> str:
    """
    `https://bakery.example/blog/rye` lies at `web/bakery.example/blog/rye.page`.

    An address with a query, odd characters or great length, and one whose place another page has,
    gets a piece of its hash.
    """
    parts = [part for part in address.path.split("/") if part]
    if address.path.endswith("/"):
        parts.append("index")
    parts[-1] = _PAGE_ENDING.sub("", parts[-1])
    wanted = [address.place.replace(":", "-").strip("[]"), *parts]
    if address.query:
        wanted[-1] += f"-{address.query}"
    made = [_ODD.sub("-", part)[:LONGEST_NAME] for part in wanted]
    plain = f"{WEB_FOLDER}{'/'.join(made)}{ENDING}"
    if made == wanted and not address.query and len(plain) <= LONGEST_PLACE and plain not in taken:
        return plain
    return f"{plain.removesuffix(ENDING)[:LONGEST_PLACE]}~{_hash(address)}{ENDING}"


def _hash(address: WebAddress) -> str:
    return hashlib.sha256(str(address).encode()).hexdigest()[:8]
