"""
What is wrong in a site file, in sentences for its owner: what stands there, what may stand there, what to do.

The libraries' own words are for programmers; each kind of theirs is put in ours here.
"""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

SHOWN_CHARS = 40
GUIDE = "docs/site-file.md"

PATTERNS = {
    r"^#[0-9a-fA-F]{6}$": 'a colour of # and six digits, in quotes, as in "#1f5f8b"',
    r"^[a-z][a-z0-9-]{0,30}$": "small letters, digits and hyphens, a letter first, at most 31 characters",
    r"^[a-z][a-z0-9_-]{0,40}$": "small letters, digits, _ and -, a letter first, at most 41 characters",
    r"^[a-z][a-z0-9_]{0,40}$": "small letters, digits and _, a letter first, at most 41 characters",
}
"""The site file's patterns in words."""

KINDS = {
    "string_type": "one text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number of a usual size",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a number that has an end",
    "bool_type": "`true` or `false`",
    "bool_parsing": "`true` or `false`",
    "tuple_type": "a list: a line with `- ` for each entry, or `[one, two]`",
    "list_type": "a list: a line with `- ` for each entry, or `[one, two]`",
    "dict_type": "a map: `key: value` lines, indented",
    "mapping_type": "a map: `key: value` lines, indented",
    "model_type": "a section: `key: value` lines, indented",
    "model_attributes_type": "a section: `key: value` lines, indented",
}
BOUNDS = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}
CHOICES = frozenset({"literal_error", "enum"})


def told(error: Mapping[str, Any], known: Sequence[str], elsewhere: Sequence[str]) -> str:
    """
    One of the validator's errors. `known` are the keys that its section may have; `elsewhere`, sections that
    know an unknown key.
    """
    kind, stands, ctx = str(error["type"]), error["input"], error.get("ctx", {})
    if str(error["loc"][-1]) == "[key]" or kind == "invalid_key":
        return f"this key is read as {shown(stands)}; keys are texts, so put it in quotes"
    if kind == "extra_forbidden":
        return _unknown(str(error["loc"][-1]), known, elsewhere)
    if kind == "missing":
        return f"is missing and has no default; add it (see {GUIDE})"
    if stands is None and kind in KINDS:
        return f"is empty; it must be {KINDS[kind]}. Fill it in (quotes keep a text that begins with #) or take it out"
    if kind in CHOICES:
        return _not_offered(stands, str(ctx["expected"]))
    if kind in BOUNDS:
        name, words = BOUNDS[kind]
        return f"is {shown(stands)}; it must be {words} {ctx[name]:g}"
    if kind == "string_pattern_mismatch":
        return f"is {shown(stands)}; it must be {PATTERNS.get(ctx['pattern'], ctx['pattern'])}"
    if kind in ("too_long", "too_short"):
        bound = f"at most {ctx['max_length']}" if kind == "too_long" else f"at least {ctx['min_length']}"
        return f"has {ctx['actual_length']} entries; {bound} are taken"
    if kind in KINDS:
        return f"is {shown(stands)}; it must be {KINDS[kind]}{_quoted(kind, stands)}"
    return str(error["msg"]).removeprefix("Value error, ")


def shown(value: object) -> str:
    """What stands there, short enough for a line."""
    match value:
        case None:
            return "empty"
        case bool():
            return f"`{str(value).lower()}`"
        case Mapping():
            return "a map"
        case list() | tuple():
            return "a list"
        case str():
            text = value if len(value) <= SHOWN_CHARS else f"{value[:SHOWN_CHARS]}..."
            return f'"{text}"'
        case _:
            return str(value)[:SHOWN_CHARS]


def _quoted(kind: str, stands: object) -> str:
    is_bare = kind == "string_type" and not isinstance(stands, Mapping | list)
    return "; put it in quotes" if is_bare else ""


def _unknown(key: str, known: Sequence[str], elsewhere: Sequence[str]) -> str:
    near = get_close_matches(key.lower(), known, n=1, cutoff=0.6)
    if near:
        return f"is no key that Magpie knows here; did you mean `{near[0]}`?"
    if elsewhere:
        places = " or ".join(
            f"`{place}.{key}`" if place else f"`{key}` (not indented)" for place in elsewhere[:3]
        )
        return f"is no key that Magpie knows here; it is known as {places}"
    return f"is no key that Magpie knows; here it knows {', '.join(known)}. Take it out, or see {GUIDE}"


def _not_offered(stands: object, expected: str) -> str:
    choices = re.findall(r"'([^']*)'", expected)
    near = get_close_matches(str(stands).lower(), choices, n=1, cutoff=0.6)
    wish = f"; did you mean `{near[0]}`?" if near else ""
    return f"is {shown(stands)}; choose one of {', '.join(choices)}{wish}"


# --- YAML -------------------------------------------------------------------------------------

YAML = (
    (r"'\\t'", "a tab stands here; YAML is indented with spaces alone"),
    (r"found character '(.)' that cannot start", "a text can't begin with {0} here; put it in quotes"),
    (r"mapping values are not allowed", "a colon stands where no value begins; put the text in quotes, or indent it"),
    (r"expected ',' or '[}\]]', but got '([?:\-])'", "inside of brackets a text with {0} in it needs quotes"),
    (r"expected ',' or '([}\]])'", "a comma or the closing {0} is missing"),
    (r"expected <block end>", "this line's indentation fits nothing above it; align it with its neighbours"),
    (r"could not find expected ':'", "a line here is no `key: value`; check for a missing colon or quote"),
    (r"found unexpected end of stream", "a quotation mark that is opened here is never closed"),
    (r"expected the node content", "a bracket that is opened here is never closed, or a value is missing"),
    (r"but found another document", "a second document begins here (`---`); a site file is one"),
    (r"constructor for the tag '(?:tag:yaml.org,2002:)?(.+)'", "the tag !{0} can't be used; write a plain value"),
    (r"an unusable value", "this number can't be used; mend it, or put it in quotes"),
    (r"found unhashable key", "a key must be one text"),
    (r"expected alphabetic or numeric character", "* and & have a meaning in YAML; put the text in quotes"),
)  # fmt: skip


def told_of_yaml(problem: str) -> str:
    """The parser's complaint as something to do."""
    for pattern, words in YAML:
        if found := re.search(pattern, problem):
            return f"broken YAML: {words.format(*found.groups())}"
    return f"broken YAML: {problem}; check indentation, quotes and brackets"
