"""
Links of the live version, asked whether they still lead somewhere.

Only hosts that answers may link to are asked; each address once, however many sources hold it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from magpie.errors import DocumentRefused
from magpie.model import Notice, Version, Viewer, Visibility, WebAnswer, WebFailed, WebGone, WebRequest
from magpie.ports import Catalogue, Passages, SourceRow, Web
from magpie.text.web_address import web_address

OWNER = Viewer(role="owner", visibilities=frozenset(Visibility))
BATCH = 200
# The page may be there, but not for us, or not this minute.
NO_VERDICT = frozenset({"not_allowed", "robots", "busy", "bad_address", "redirects"})
_SHUT = re.compile(r"answers (?:401|403|405|406|407|429|451|503)$")
_LINK = re.compile(r"https?://[^\s<>\"'`|\\^{}]+")
_TAIL = ".,;:!?*_"


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkCheck:
    """`asked` addresses gave `dead` ones, as notices by path; `left` were beyond the limit."""

    asked: int
    dead: tuple[tuple[str, Notice], ...]
    left: int = 0


async def check_links(
    catalogue: Catalogue,
    passages: Passages,
    web: Web,
    version: Version,
    *,
    hosts: Iterable[str],
    most: int,
    told: Callable[[str], None] = lambda address: None,
) -> LinkCheck:
    """Asks for at most `most` addresses of these hosts."""
    holders = await _holders(catalogue, passages, version, frozenset(hosts))
    dead: list[tuple[str, Notice]] = []
    asked = list(holders)[:most]
    for address in asked:
        told(address)
        answer = await web.ask(WebRequest(address=address, probe=True))
        if why := verdict(answer):
            dead += [(path, _notice(address, why)) for path in sorted(holders[address])]
    return LinkCheck(asked=len(asked), dead=tuple(dead), left=len(holders) - len(asked))


def verdict(answer: WebAnswer) -> str:
    """Why a link is dead; empty where it lives, or where nothing can be said."""
    match answer:
        case WebGone():
            return f"answers {answer.status}"
        case WebFailed() if answer.code in NO_VERDICT or _SHUT.match(answer.reason):
            return ""
        case WebFailed():
            return answer.reason
        case _:
            return ""


def links_in(text: str) -> Iterator[str]:
    """Addresses in Markdown and in running words."""
    for match in _LINK.finditer(text):
        address = match[0]
        for end, start in ((")", "("), ("]", "[")):
            while end in address and address.count(end) > address.count(start):
                address = address[: address.rindex(end)]
        yield address.rstrip(_TAIL)


async def _holders(
    catalogue: Catalogue, passages: Passages, version: Version, hosts: frozenset[str]
) -> Mapping[str, set[str]]:
    """Each address with the paths of the sources that hold it, sources' own addresses first."""
    found: dict[str, set[str]] = {}
    rows = await catalogue.sources(version=version.id, viewer=OWNER)
    for row in rows:
        _note(found, [row.url or ""], row.path, hosts)
    for batch in _batches(rows):
        keys = [row.key for row in batch]
        for passage in await passages.of_sources(keys, version=version.id, viewer=OWNER, first_only=False):
            _note(found, links_in(passage.content), passage.path, hosts)
    return found


def _note(found: dict[str, set[str]], addresses: Iterable[str], path: str, hosts: frozenset[str]) -> None:
    for text in addresses:
        try:
            address = web_address(text)
        except DocumentRefused:
            continue
        if address.place in hosts:
            found.setdefault(str(address), set()).add(path)


def _batches(rows: Sequence[SourceRow]) -> Iterator[Sequence[SourceRow]]:
    for start in range(0, len(rows), BATCH):
        yield rows[start : start + BATCH]


def _notice(address: str, why: str) -> Notice:
    return Notice(code="dead_link", message=f"{address} {why}")
