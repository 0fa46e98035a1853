"""
Citations by the site's policy, numbered by the server, only of evidence that was used.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from magpie.asking.links import may_link
from magpie.model import Citation, Evidence, Origin, Page, Scope
from magpie.text import markup

Policy = Literal["one_first_party", "list", "per_sentence"]
QUOTE_CHARS = 240
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t].*$", re.MULTILINE)
_ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_RULE = re.compile(r"[\s|:=*_-]*")
_ENDS = (".", "!", "?", ":", ";", ",", "…", "”", '"')


class Citer:
    """
    The citations of one answer. A page that is cited twice keeps its number.

    Suppressed always: the page the visitor is on, private and policy sources, those that their
    rule says are not citable. `one_first_party` cites nothing at all when trusted-external or
    policy evidence is in play.
    """

    def __init__(
        self, evidence: Sequence[Evidence], *, policy: Policy, page: Page | None, hosts: Sequence[str]
    ) -> None:
        self._by_number = {item.number: item for item in evidence}
        self._policy = policy
        self._page = page
        self._hosts = hosts
        self._silent = policy == "one_first_party" and any(map(_silences, evidence))
        self._given: dict[str, Citation] = {}
        self._marked: set[int] = set()
        self.used: list[Evidence] = []

    def candidates(self) -> tuple[Citation, ...]:
        """Policy `list`: what may be cited, before the text, in order of rank."""
        for item in self._by_number.values():
            self._cite(item)
        return tuple(self._given.values())

    def use(self, number: int) -> Citation | None:
        """The citation for evidence that a sentence rests on; None where policy suppresses it."""
        item = self._by_number.get(number)
        if item is None:
            return None
        if item not in self.used:
            self.used.append(item)
        return self._cite(item)

    def mark(self, number: int) -> Citation | None:
        """
        As `use`; None too where the policy sets no mark beside the sentence: `list` shows its
        sources before the text, `one_first_party` marks its one page once.
        """
        citation = self.use(number)
        is_new = citation is not None and citation.number not in self._marked
        if citation is None or self._policy == "list" or (self._policy == "one_first_party" and not is_new):
            return None
        self._marked.add(citation.number)
        return citation

    def final(self) -> tuple[Citation, ...]:
        """
        The citations of what was used. Under `list` no mark in the text names a number: there they
        count from 1, in the order in which the text rests on them.
        """
        cited = dict.fromkeys(map(_page_of, self.used))
        if self._policy != "list":
            return tuple(citation for page, citation in self._given.items() if page in cited)
        used = (self._given[page] for page in cited if page in self._given)
        return tuple(replace(citation, number=number) for number, citation in enumerate(used, start=1))

    def _cite(self, item: Evidence) -> Citation | None:
        page = _page_of(item)
        if page in self._given:
            return self._given[page]
        is_enough = self._policy == "one_first_party" and self._given
        if self._silent or is_enough or not self._is_citable(item):
            return None
        self._given[page] = self._citation(item)
        return self._given[page]

    def _is_citable(self, item: Evidence) -> bool:
        passage = item.passage
        if (
            passage.origin in {Origin.PRIVATE_PROFILE, Origin.POLICY}
            or passage.metadata.get("citable") is False
        ):
            return False
        if self._page is not None and _same_page(passage.url, self._page):
            return False
        if self._policy == "one_first_party":
            return passage.origin == Origin.FIRST_PARTY and self._url(item) is not None
        return True

    def _citation(self, item: Evidence) -> Citation:
        passage = item.passage
        return Citation(
            number=len(self._given) + 1,
            title=passage.title,
            url=self._url(item),
            path=passage.path,
            key=passage.key,
            quote=_quote(passage.content),
        )

    def _url(self, item: Evidence) -> str | None:
        url = item.passage.url
        return url if url and may_link(url, self._hosts) else None


def _silences(item: Evidence) -> bool:
    is_policy = item.passage.origin == Origin.POLICY or (
        item.passage.scope == Scope.ASSISTANT and item.passage.key.source_type == "policy"
    )
    return is_policy or item.passage.origin == Origin.TRUSTED_EXTERNAL


def _page_of(item: Evidence) -> str:
    return item.passage.url or str(item.passage.key)


def _same_page(url: str | None, page: Page) -> bool:
    return url is not None and _path(url) == _path(page.path)


def _path(url: str) -> str:
    bare = re.sub(r"^https?://[^/]*", "", url).split("#")[0].split("?")[0]
    return bare.removesuffix("index.html").strip("/").lower()


def _quote(content: str) -> str:
    """The passage's beginning as it reads on the page: no headings, no marks of Markdown."""
    lines = (_ITEM.sub("", line).strip() for line in _HEADING.sub("", content).split("\n"))
    pieces = [" ".join(markup.plain(line).split()) for line in lines if not _RULE.fullmatch(line)]
    text = " ".join(piece if piece.endswith(_ENDS) else f"{piece};" for piece in pieces if piece)
    text = text.removesuffix(";")
    return text if len(text) <= QUOTE_CHARS else text[: text.rfind(" ", 0, QUOTE_CHARS)] + "…"
