"""
Front matter: YAML between dashes, TOML between pluses or a JSON object at the top of a file.

Values stay as they are written: a date is text, `no` is a word, `1.10` is a version. People write
tabs and unquoted colons; such lines are mended and reported, what can't be mended is refused.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import yaml

from magpie.errors import DocumentRefused
from magpie.model import Notice

_YAML_BLOCK = re.compile(r"\s*^-{3,}[ \t]*\n(.*?)^(?:-{3,}|\.{3})[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML_BLOCK = re.compile(r"\s*^\+{3}[ \t]*\n(.*?)^\+{3}[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_JSON_START = re.compile(r"\s*\{\s*\"\w+\"\s*:")
_KEY_LINE = re.compile(r"^[ \t]*[A-Za-z_][\w .-]*:(\s|$)", re.MULTILINE)
_PLAIN_VALUE = re.compile(r"^([A-Za-z_][\w.-]*):[ \t]+([^'\"\[{|>#\s].*?)[ \t]*$", re.MULTILINE)
MAX_VALUES = 10_000  # far more than any page's front matter


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """`body_start` is where the text goes on after it; 0 where there is none."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    body_start: int = 0
    notices: tuple[Notice, ...] = ()


def split_front_matter(path: str, text: str) -> FrontMatter:
    """
    Raises: DocumentRefused `bad_front_matter` with the line that can't be read.
    """
    if match := _TOML_BLOCK.match(text):
        return FrontMatter(fields=_toml(path, match), body_start=match.end())
    if match := _YAML_BLOCK.match(text):
        return _from_yaml(path, match)
    return _from_json(text) if _JSON_START.match(text) else FrontMatter()


def _from_json(text: str) -> FrontMatter:
    """An object with a title at the top, as Hugo takes it; anything else is text."""
    start = text.index("{")
    try:
        fields, end = json.JSONDecoder().raw_decode(text, start)
        values = as_json(fields)
    except ValueError:
        return FrontMatter()
    ends_its_line = end == len(text) or text[end:].lstrip(" \t").startswith("\n")
    return (
        FrontMatter(fields=values, body_start=end) if "title" in fields and ends_its_line else FrontMatter()
    )


def _toml(path: str, match: re.Match[str]) -> Mapping[str, Any]:
    try:
        return {name: as_json(value) for name, value in tomllib.loads(match[1]).items()}
    except tomllib.TOMLDecodeError as exc:
        raise DocumentRefused(
            path, "bad_front_matter", f"its TOML front matter can't be read: {exc}"
        ) from exc


def _from_yaml(path: str, match: re.Match[str]) -> FrontMatter:
    try:
        fields = load_yaml(match[1])
    except yaml.YAMLError as exc:
        return _mended(path, match, exc)
    if fields is None and not match[1].strip():
        return FrontMatter(body_start=match.end())
    if not isinstance(fields, dict):
        return FrontMatter()  # a rule and a paragraph, not front matter
    return FrontMatter(fields=fields, body_start=match.end())


def _mended(path: str, match: re.Match[str], cause: yaml.YAMLError) -> FrontMatter:
    if not _KEY_LINE.search(match[1]):
        return FrontMatter()
    for mend in (_without_tabs, _quoted, lambda text: _quoted(_without_tabs(text))):
        try:
            fields = load_yaml(mend(match[1]))
        except yaml.YAMLError:
            continue
        if isinstance(fields, dict):
            return FrontMatter(fields=fields, body_start=match.end(), notices=(_sloppy(match, cause),))
    raise DocumentRefused(
        path, "bad_front_matter", f"its YAML front matter can't be read: {_where(match, cause)}"
    ) from cause


def _without_tabs(text: str) -> str:
    return text.replace("\t", "  ")


def _quoted(text: str) -> str:
    return _PLAIN_VALUE.sub(lambda line: f"{line[1]}: {json.dumps(line[2], ensure_ascii=False)}", text)


def _sloppy(match: re.Match[str], cause: yaml.YAMLError) -> Notice:
    return Notice(
        code="sloppy_front_matter", message=f"front matter was mended to be read: {_where(match, cause)}"
    )


def _where(match: re.Match[str], cause: yaml.YAMLError) -> str:
    mark = getattr(cause, "problem_mark", None)
    before = match.string.count("\n", 0, match.start(1))
    line = before + 1 + (mark.line if mark else 0)
    return f"line {line}: {getattr(cause, 'problem', None) or 'not YAML'}; check indentation, tabs and quotes"


_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # five times as fast where it is there


class _Loader(_SafeLoader):  # type: ignore[misc]
    """YAML without surprises: only `true` and `false` are booleans, dates stay text."""


def _number_or_text(loader: Any, node: yaml.ScalarNode) -> int | float | str:
    text = str(loader.construct_scalar(node))
    for kind in (int, float):
        try:
            value = kind(text)
        except ValueError:
            continue
        return value if str(value) == text else text
    return text


_Loader.yaml_implicit_resolvers = {
    first: [
        (tag, pattern) for tag, pattern in resolvers if tag.endswith((":null", ":int", ":float", ":merge"))
    ]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF")
)
_Loader.add_constructor("tag:yaml.org,2002:int", _number_or_text)
_Loader.add_constructor("tag:yaml.org,2002:float", _number_or_text)


def load_yaml(text: str) -> Any:
    """The value with only what JSON knows. Raises: yaml.YAMLError."""
    try:
        return as_json(yaml.load(text, _Loader))
    except (RecursionError, ValueError, TypeError) as exc:  # deep nesting, unhashable keys, too many values
        raise yaml.YAMLError(str(exc)) from exc


def as_json(value: Any) -> Any:
    """
    The value with only what JSON knows; dates become ISO text.

    Raises: ValueError for more than `MAX_VALUES`: aliases of aliases multiply without end.
    """
    return _as_json(value, count(1))


def _as_json(value: Any, counted: Iterator[int]) -> Any:
    if next(counted) > MAX_VALUES:
        raise ValueError(f"holds more than {MAX_VALUES} values")
    if isinstance(value, Mapping):
        return {str(key): _as_json(item, counted) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_as_json(item, counted) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
