"""
A reading and the rule of its path make a source: identity, address, who vouches, who may be told.

Templates of a rule (`{slug}`) see the document's fields first, then what its path tells: `stem`,
`name`, `path`, `folder`, `slug` (the stem without a date), `title`, `year`, `month`, `day`.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from magpie.errors import DocumentRefused
from magpie.ingesting.cleaning import clean, one_line
from magpie.ingesting.languages import detect_language
from magpie.ingesting.links import absolute
from magpie.model import (
    Document,
    Heading,
    Language,
    Notice,
    Origin,
    Reading,
    Scope,
    Source,
    SourceKey,
    Visibility,
)
from magpie.site import Site, SourceRule
from magpie.text.instructions import commands_assistant

KEY_CHARS = 200
DETECT_CHARS = 200  # a shorter text is taken for the corpus' own language
NOTICED_CHARS = 100_000  # the notice is a courtesy; what is told is looked at again, each time
METADATA_FIELDS = [
    "subtitle",
    "description",
    "excerpt",
    "summary",
    "status",
    "topic",
    "topics",
    "tags",
    "category",
    "categories",
    "author",
    "authors",
    "aliases",
    "role",
    "kind",
    "updated",
    "name",
]
_PLACEHOLDER = re.compile(r"\{([\w.]+)\}")
_RELATIVE_LINK = re.compile(r"\]\((?!(?:[a-z][a-z0-9+.-]*:|//|#))([^()\s]+)\)", re.IGNORECASE)


def source_of(reading: Reading, document: Document, rule: SourceRule, site: Site) -> Source:
    """
    Raises: DocumentRefused `no_text`, `no_key`, `draft`.
    """
    if not any(char.isalnum() for char in reading.text):
        raise DocumentRefused(document.path, "no_text", "has no text that could be answered from")
    if is_draft(reading.fields):
        raise DocumentRefused(document.path, "draft", "says of itself that it is not published")
    names = names_of(reading, document.path)
    url = _url(reading, rule, site, names)
    text = with_absolute_links(reading.text, url or site.site.url + "/")
    language, notices = _language(reading, rule, site)
    return Source(
        key=SourceKey(source_type=rule.type, source_key=_key(reading, rule, names, document.path)),
        path=document.path,
        title=_title(reading, rule, names),
        text=text,
        origin=rule.origin,
        scope=rule.scope,
        visibility=_visibility(reading, rule),
        language=language,
        url=url,
        published=reading.published,
        person_key=fill(rule.person, names) or None,
        reference_rank=_whole_number(fill(rule.rank, names)),
        headings=placed(reading.headings, text),
        metadata=_metadata(reading, rule),
        raw_hash=document.raw_hash,
        notices=(*reading.notices, *notices, *_orders(text, rule)),
    )


def _orders(text: str, rule: SourceRule) -> tuple[Notice, ...]:
    """A page that speaks to assistants was perhaps written by somebody else than its owner."""
    may_order = rule.origin is Origin.POLICY or rule.scope is Scope.ASSISTANT
    if may_order or not commands_assistant(text[:NOTICED_CHARS]):
        return ()
    message = (
        "holds sentences that give an assistant orders; they are never told nor followed. Look who wrote them"
    )
    return (Notice(code="gives_orders", message=message),)


def is_draft(fields: Mapping[str, Any]) -> bool:
    """Whether front matter calls the page a draft."""
    return fields.get("draft") is True or fields.get("published") is False


def names_of(reading: Reading, path: str) -> Mapping[str, Any]:
    """What templates may name."""
    folder, _, name = path.rpartition("/")
    stem = name.rpartition(".")[0] or name
    day = reading.published
    return {
        "slug": _slug(folder, stem),
        "title": reading.title or "",
        "url": reading.url or "",
        "year": f"{day:%Y}" if day else "",
        "month": f"{day:%m}" if day else "",
        "day": f"{day:%d}" if day else "",
        **reading.fields,
        "stem": stem,
        "name": name,
        "path": path,
        "folder": folder,
    }


def _slug(folder: str, stem: str) -> str:
    """The name without a date in front; a folder's own page goes by the folder's name."""
    is_folder_page = stem.lower() in ("index", "_index", "readme") and folder
    name = folder.rpartition("/")[2] if is_folder_page else stem
    return re.sub(r"^\d{4}-\d{1,2}-\d{1,2}-", "", name)


def fill(template: str, names: Mapping[str, Any]) -> str:
    """The template with its names filled in; empty where one of them is missing or empty."""
    values = {name: _value(names, name) for name in _PLACEHOLDER.findall(template)}
    if not all(values.values()):
        return ""
    return _PLACEHOLDER.sub(lambda match: values[match[1]], template).strip()


def _value(names: Mapping[str, Any], dotted: str) -> str:
    value: Any = names
    for name in dotted.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return str(value).strip() if isinstance(value, (str, int, float)) and not isinstance(value, bool) else ""


def _key(reading: Reading, rule: SourceRule, names: Mapping[str, Any], path: str) -> str:
    is_default = rule.key == SourceRule.model_fields["key"].default
    key = reading.record_key if is_default and reading.record_key else fill(rule.key, names)
    if not key:
        raise DocumentRefused(path, "no_key", f"its rule makes the key of {rule.key}, which it doesn't have")
    return re.sub(r"\s+", "-", key)[:KEY_CHARS]


def _title(reading: Reading, rule: SourceRule, names: Mapping[str, Any]) -> str:
    first_heading = reading.headings[0].text if reading.headings else ""
    named = re.sub(r"[-_]+", " ", str(names["slug"] or names["stem"])).strip()
    return one_line(fill(rule.title, names) or reading.title or first_heading or named.capitalize())


def _url(reading: Reading, rule: SourceRule, site: Site, names: Mapping[str, Any]) -> str | None:
    """Absolute, or None where nothing tells it."""
    address = fill(rule.url, names) if rule.url else reading.url
    if not address:
        return None
    whole = absolute(site.site.url + "/", address)
    return whole if whole.startswith(("https://", "http://")) else None


def _language(reading: Reading, rule: SourceRule, site: Site) -> tuple[Language, tuple[Notice, ...]]:
    own = Language(site.site.corpus_language)
    if said := rule.language or reading.language:
        return Language(said), ()
    found = detect_language(reading.text) if len(reading.text) >= DETECT_CHARS else None
    if found is None or found == own:
        return own, ()
    return found, (
        Notice(
            code="language", message=f"is taken for {found} by its words; its front matter can say `lang`"
        ),
    )


def _metadata(reading: Reading, rule: SourceRule) -> dict[str, Any]:
    kept = {
        name: _cleaned(reading.fields[name])
        for name in METADATA_FIELDS
        if _is_short(reading.fields.get(name))
    }
    if reading.record_key:
        kept["record"] = reading.record_key
    if not rule.citable:
        kept["citable"] = False
    return {**kept, "priority": rule.priority}


def _cleaned(value: Any) -> Any:
    return [clean(item) for item in value] if isinstance(value, list) else clean(value)


def _is_short(value: Any) -> bool:
    if isinstance(value, list):
        return 0 < len(value) <= 50 and all(isinstance(item, str) and len(item) <= 200 for item in value)
    return isinstance(value, str) and 0 < len(value) <= 1000


def _visibility(reading: Reading, rule: SourceRule) -> Visibility:
    """A record may narrow what its rule says, never widen it; a word that we don't know narrows too."""
    field = rule.records.visibility if rule.records and reading.record_key else "visibility"
    said = reading.fields.get(field)
    return rule.visibility if said in (None, "", Visibility.PUBLIC.value) else Visibility.INTERNAL


def _whole_number(text: str) -> int | None:
    return int(text) if re.fullmatch(r"-?\d{1,9}", text) else None


def with_absolute_links(text: str, base: str) -> str:
    """Links of the page as a visitor elsewhere can follow them."""
    return _RELATIVE_LINK.sub(lambda match: f"]({absolute(base, match[1])})", text)


def placed(headings: tuple[Heading, ...], text: str) -> tuple[Heading, ...]:
    """The headings where they stand in a text that was changed since they were read."""
    found = []
    position = 0
    for heading in headings:
        match = re.compile(rf"^{'#' * heading.level} ", re.MULTILINE).search(text, position)
        start = match.start() if match else position
        found.append(replace(heading, start=start))
        position = match.end() if match else position
    return tuple(found)
