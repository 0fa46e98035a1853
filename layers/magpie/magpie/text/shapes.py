"""Patterns that most processes never try."""

import re
from collections.abc import Iterator
from functools import cached_property


class Shape:
    """
    A pattern that is compiled when it is first tried. For those that stand behind a cheaper look, or belong to one
    kind of question of many: a cold start compiles none of them.
    """

    def __init__(self, pattern: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        self.pattern = pattern
        self._flags = flags

    def search(self, text: str) -> re.Match[str] | None:
        return self._compiled.search(text)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        return self._compiled.match(text, start)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return self._compiled.finditer(text)

    def sub(self, replacement: str, text: str) -> str:
        return self._compiled.sub(replacement, text)

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self._flags)
