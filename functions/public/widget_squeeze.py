"""
A script without its comments and needless white space. No name is changed, no code moved.

Enough of JavaScript's grammar to know words, strings, templates, patterns and comments apart;
what it can't tell for sure it leaves as it is.
"""

import re
from collections.abc import Iterator

TOKEN = re.compile(
    r"""
    (?P<waste> //[^\n]* | /\*.*?\*/ | \s+ )
  | (?P<text> "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' )
  | (?P<word> [\w$\#]+ )
  | (?P<sign> . )
    """,
    re.VERBOSE | re.DOTALL,
)
PATTERN = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
MAY_PRECEDE_PATTERN = frozenset("(,=:[!&|?{};")
NO_LINE_AFTER = frozenset("{([,;:?=&|+.>")
NO_LINE_BEFORE = frozenset(")]},;:?.&|")


def squeezed(source: str) -> str:
    """The same program, shorter."""
    pieces: list[str] = []
    last, gap = ";", ""
    for kind, token in _tokens(source):
        if kind == "waste":
            # A comment is a gap too; only a line's end can matter.
            gap = "\n" if "\n" in gap + token else " "
            continue
        pieces.append(_between(last, gap, token[0]) + token)
        last, gap = token[-1], ""
    return "".join(pieces) + "\n"


def _between(before: str, gap: str, after: str) -> str:
    """What must stay of a gap."""
    if not gap:
        return ""
    if gap == "\n":
        return "" if before in NO_LINE_AFTER or after in NO_LINE_BEFORE else "\n"
    both_words = _is_word(before) and _is_word(after)
    return " " if both_words or (before == after and before in "+-") else ""


def _is_word(char: str) -> bool:
    return char.isalnum() or char in "_$#"


def _tokens(source: str) -> Iterator[tuple[str, str]]:
    at = 0
    last = "("  # as if something were open: a script may begin with a pattern
    while at < len(source):
        kind, token = _token(source, at, last)
        yield kind, token
        at += len(token)
        last = last if kind == "waste" else token


def _token(source: str, at: int, last: str) -> tuple[str, str]:
    if source[at] == "`":
        return "text", source[at : _template_end(source, at + 1)]
    may_be_pattern = (
        source[at] == "/"
        and source[at + 1] not in "/*"
        and (last[-1] in MAY_PRECEDE_PATTERN or last == "return")
    )
    if may_be_pattern and (match := PATTERN.match(source, at)):
        return "text", match.group()
    match = TOKEN.match(source, at)
    assert match is not None and match.lastgroup is not None  # `sign` takes whatever is left
    return match.lastgroup, match.group()


def _template_end(source: str, at: int) -> int:
    """Where the template that was opened before `at` is closed; `${...}` may hold templates again."""
    while source[at] != "`":
        if source[at] == "\\":
            at += 2
        elif source.startswith("${", at):
            at = _braces_end(source, at + 2)
        else:
            at += 1
    return at + 1


def _braces_end(source: str, at: int) -> int:
    depth, last = 1, "{"
    while depth:
        kind, token = _token(source, at, last)
        depth += {"{": 1, "}": -1}.get(token, 0)
        at += len(token)
        last = last if kind == "waste" else token
    return at
