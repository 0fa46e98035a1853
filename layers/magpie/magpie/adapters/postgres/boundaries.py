"""
A name of a technology as a pattern that matches it and nothing around it.

`Go` is not in `going`, `C` is not in `C++`, `C#` or `Objective-C`, `.NET` is not in `ASP.NET`,
`Node` is not in `Node.js`. What can't be told from letters alone stays: `vitamin C` holds a `C`.
"""

import re
from dataclasses import dataclass

# Letters and digits of alphabetic scripts, spelled out: what `\\w` means depends on the database's
# locale. Scripts without spaces are left out, since there a name stands between letters.
LETTERS = r"0-9A-Za-z_\u00C0-\u024F\u0300-\u1FFF"
SIGNS = "+#"


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundaries:
    """A Postgres regular expression; `blind` when case does not matter."""

    pattern: str
    blind: bool


def boundaries(term: str) -> Boundaries | None:
    """
    The pattern for a term; None for a term without a letter or a digit.

    Up to two letters count as written (`Go` is no `go`, `IT` is no `it`), longer names in any case.
    """
    term = " ".join(term.split())
    if not any(character.isalnum() for character in term):
        return None
    short = len(term.strip(".+#&-/ ")) <= 2
    hyphen = "-" if len(term) == 1 else ""
    before = rf"(?<![{LETTERS}{SIGNS}.&@{hyphen}])" if term[0].isalnum() else rf"(?<![{LETTERS}{SIGNS}])"
    after = rf"(?![{LETTERS}{SIGNS}&@{hyphen}]|\.[{LETTERS}])"
    spelled = re.escape(term).replace(r"\ ", r"\s+")
    return Boundaries(pattern=f"{before}{spelled}{after}", blind=not short)
