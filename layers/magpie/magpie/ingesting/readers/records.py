"""
JSON records to text: every record a reading of its own, its fields introduced by their names.

    Project: Tidewise
    Client: Whinnie Firth Harbours Trust
    Stack: TypeScript, Svelte, Python

Prose stands without its field's name, so that it can be quoted. With `together`, all records make
one reading, each an evidence line. A file that is not a list of records and has no `records` rule
is one record.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from magpie.errors import DocumentRefused
from magpie.ingesting.cleaning import DATA_URI, clean, decode, one_line, tidy
from magpie.ingesting.dates import parse_date
from magpie.ingesting.languages import language_code
from magpie.ingesting.readers.tags import Tags
from magpie.model import Document, Notice, Reading
from magpie.site import Records, SourceRule

PROSE_CHARS = 60
LONG_ITEM_CHARS = 40
LIVE = frozenset({"published", "live", "active", "public", "approved", "available", "ok", "true", "1"})
_TEXT_NAMES = frozenset(
    (
        "about",
        "answer",
        "bio",
        "body",
        "content",
        "description",
        "details",
        "excerpt",
        "intro",
        "note",
        "notes",
        "overview",
        "profile",
        "story",
        "summary",
        "teaser",
        "text",
    )
)
# Names that only say "here is the text": their values need no introduction in an evidence line.
_PLAIN_NAMES = frozenset(
    {"value", "note", "text", "description", "summary", "bio", "answer", "url", "link", "href", "content"}
)
_MARKUP = re.compile(r"</[a-z][a-z0-9]*\s*>|<(?:br|img|hr)\b[^<>]*>", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?…。！？।؟][\"'”’»)]*$")

Companions = Mapping[str, Document]


def read(document: Document, rule: SourceRule, companions: Companions | None = None) -> tuple[Reading, ...]:
    """
    A reading a record, in the file's order; records that the status file calls dead are left out.

    Raises: DocumentRefused `bad_encoding`, `bad_json`, `no_text`.
    """
    value, notices = parse(document)
    if rule.records is None:
        return (_whole(document.path, value, rule, notices),)
    records = _records_at(document.path, value, rule.records)
    live = _live_only(document.path, records, rule.records, companions or {})
    if rule.records.together:
        return (_together(document.path, live, rule, notices),)
    return tuple(_reading(document.path, record, rule.records, notices) for record in live)


def parse(document: Document) -> tuple[Any, tuple[Notice, ...]]:
    """The JSON value of a file. Raises: DocumentRefused `bad_encoding`, `bad_json`."""
    text, notices = decode(document.path, document.raw)
    try:
        return json.loads(text, parse_constant=_no_constant), notices
    except json.JSONDecodeError as exc:
        reason = f"is not JSON: line {exc.lineno}, column {exc.colno}: {exc.msg}"
        raise DocumentRefused(document.path, "bad_json", reason) from exc
    except (RecursionError, ValueError) as exc:
        raise DocumentRefused(document.path, "bad_json", f"is not usable JSON: {exc}") from exc


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _records_at(path: str, value: Any, rule: Records) -> list[Mapping[str, Any]]:
    for name in filter(None, rule.at.split(".")):
        if not isinstance(value, Mapping) or name not in value:
            raise DocumentRefused(
                path, "bad_json", f"has nothing at `{rule.at}`, where its rule expects records"
            )
        value = value[name]
    if isinstance(value, Mapping):
        value = _keyed(value, rule)
    if not isinstance(value, list):
        raise DocumentRefused(
            path, "bad_json", f"its rule expects a list of records at `{rule.at or 'the root'}`"
        )
    for position, record in enumerate(value, start=1):
        if not isinstance(record, Mapping):
            kind = type(record).__name__
            raise DocumentRefused(
                path, "bad_json", f"record {position} is a {kind}; its rule expects an object"
            )
    return value


def _keyed(value: Mapping[str, Any], rule: Records) -> Any:
    """`{"tidewise": {...}}` is as good as `[{"id": "tidewise", ...}]`, and a lone record is a list of one."""
    if value and all(isinstance(record, Mapping) for record in value.values()):
        return [{rule.key: key, **record} for key, record in value.items()]
    return [value] if rule.key in value else value


def _live_only(
    path: str, records: list[Mapping[str, Any]], rule: Records, companions: Companions
) -> list[Mapping[str, Any]]:
    if not rule.status:
        return records
    if rule.status not in companions:
        raise DocumentRefused(path, "no_status", f"its status file {rule.status} is not in the corpus")
    status_file = companions[rule.status]
    statuses, _ = parse(status_file)
    listed = _records_at(status_file.path, _only_list(statuses), Records(key=rule.key))
    alive = {str(status.get(rule.key)) for status in listed if is_live(status)}
    return [record for record in records if str(record.get(rule.key)) in alive]


def _only_list(value: Any) -> Any:
    """The list itself, or the one that an object wraps."""
    lists = [item for item in value.values() if isinstance(item, list)] if isinstance(value, Mapping) else []
    return lists[0] if len(lists) == 1 else value


def is_live(status: Mapping[str, Any]) -> bool:
    """Not deleted, and published where a status is told."""
    if status.get("deleted_at") or status.get("deleted") is True or status.get("published") is False:
        return False
    return str(status.get("status", "published")).strip().lower() in LIVE


def _reading(path: str, record: Mapping[str, Any], rule: Records, notices: tuple[Notice, ...]) -> Reading:
    key = record.get(rule.key)
    if isinstance(key, (dict, list)) or key is None or not str(key).strip():
        title = record.get(rule.title) or "?"
        raise DocumentRefused(
            path, "bad_json", f"the record {title!r} has no `{rule.key}`, which its rule takes for its key"
        )
    title = _text_of(record.get(rule.title))
    return Reading(
        text=_record_text(record, rule, title),
        title=title or None,
        published=parse_date(record.get(rule.date)),
        language=language_code(record.get(rule.language)),
        url=_text_of(record.get(rule.url)) or None,
        record_key=clean(str(key)).strip(),
        fields=record,
        notices=notices,
    )


def _record_text(record: Mapping[str, Any], rule: Records, title: str) -> str:
    left_out = {rule.key, rule.title, *rule.skip, *_technical(rule)}
    name = rule.label or _label(rule.title)
    first = f"{name}: {title}" if title else ""
    lines = [
        first,
        *(line for field, value in record.items() if field not in left_out for line in _lines(field, value)),
    ]
    return _joined(lines)


def _technical(rule: Records) -> set[str]:
    """Fields that steer Magpie and tell a visitor nothing."""
    return {"reference_rank", rule.visibility, "deleted_at", rule.language}


def _joined(lines: Sequence[str]) -> str:
    """Facts line by line, prose as paragraphs."""
    text = ""
    for line in filter(None, lines):
        is_block = _is_prose(line) or "\n" in line
        text += ("\n\n" if is_block or text.endswith("\v") else "\n") + line + ("\v" if is_block else "")
    return tidy(clean(text))


def _lines(field: str, value: Any) -> Iterator[str]:
    """One fact or paragraph of a field; nothing for an empty one."""
    if isinstance(value, Mapping):
        yield from _mapping(field, value)
    elif isinstance(value, list):
        yield from _list(field, value)
    elif text := _text_of(value):
        yield text if _is_prose(text) and _is_text_name(field) else f"{_label(field)}: {text}"


def _is_text_name(field: str) -> bool:
    return field.lower().rpartition("_")[2] in _TEXT_NAMES


def _mapping(field: str, value: Mapping[str, Any]) -> Iterator[str]:
    if labelled := _labelled(value):
        yield labelled
        return
    parts = [part for name, item in value.items() for part in _lines(name, item)]
    if parts:
        yield f"{_label(field)}: {'; '.join(parts)}"


def _list(field: str, items: list[Any]) -> Iterator[str]:
    if all(isinstance(item, Mapping) for item in items):
        for item in items:
            yield from _mapping(_singular(field), item)
        return
    texts = [
        text
        for item in items
        if (text := _text_of(item) if not isinstance(item, (Mapping, list)) else _flat(item))
    ]
    if any(len(text) > LONG_ITEM_CHARS for text in texts):
        yield "\n".join([f"{_label(field)}:", *(f"- {text}" for text in texts)])
    elif texts:
        yield f"{_label(field)}: {', '.join(texts)}"


def _flat(value: Any) -> str:
    return "; ".join(_mapping("", value) if isinstance(value, Mapping) else _list("", value)).removeprefix(
        ": "
    )


def _labelled(value: Mapping[str, Any]) -> str:
    """`{"label": "Harbours", "value": "11"}` is a fact with its own name."""
    for name in ("label", "name", "title"):
        if name in value and set(value) == {name, "value"}:
            return f"{_text_of(value[name])}: {_flat_value(value['value'])}"
    return ""


def _flat_value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(filter(None, (_text_of(item) for item in value)))
    return _text_of(value)


def _together(
    path: str, records: list[Mapping[str, Any]], rule: SourceRule, notices: tuple[Notice, ...]
) -> Reading:
    assert rule.records is not None
    lines = [_evidence_line(record, rule.records) for record in records]
    text = tidy(clean("\n".join(f"- {line}" for line in lines if line)))
    return Reading(text=text, notices=notices, fields={"count": len(records)})


def _evidence_line(record: Mapping[str, Any], rule: Records) -> str:
    """`Head count: 27 people. 21 in Porto.`, `[Book a call](https://...): 30 minutes by video.`"""
    title = _text_of(record.get(rule.title))
    address = _text_of(record.get(rule.url)) if rule.url not in rule.skip else ""
    left_out = {rule.key, rule.title, rule.url, *rule.skip, *_technical(rule)}
    parts = [
        _stopped(_flat_value(value) if field in _PLAIN_NAMES else "; ".join(_lines(field, value)))
        for field, value in record.items()
        if field not in left_out
    ]
    rest = " ".join(part for part in parts if part)
    title = f"[{title}]({address})" if title and address else title or address
    return one_line(f"{title}: {rest}" if title and rest else title or rest)


def _stopped(text: str) -> str:
    """With a full stop."""
    return text if not text or _SENTENCE.search(text) else f"{text}."


def _whole(path: str, value: Any, rule: SourceRule, notices: tuple[Notice, ...]) -> Reading:
    """A file without a `records` rule: its root is the one record, or a list of evidence lines."""
    if isinstance(value, list) and all(isinstance(item, Mapping) for item in value):
        title = next(
            (name for name in ("title", "name", "label", "text") if any(name in item for item in value)),
            "title",
        )
        together = rule.model_copy(update={"records": Records(title=title, together=True)})
        return _together(path, value, together, notices)
    if not isinstance(value, Mapping):
        raise DocumentRefused(
            path,
            "bad_json",
            "is neither an object nor a list of objects; say in its rule where the records are",
        )
    title = _text_of(value.get("title")) or _text_of(value.get("name"))
    lines = [line for field, item in value.items() for line in _lines(field, item)]
    return Reading(text=_joined(lines), title=title or None, fields=value, notices=notices)


def _text_of(value: Any) -> str:
    if value is None or isinstance(value, (Mapping, list)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _shown(clean(str(value))).strip()


def _shown(text: str) -> str:
    """What a reader would see of a value that a CMS wrote as HTML; comparisons and the like are none."""
    if "base64," in text:
        text = DATA_URI.sub("", text)
    return tidy(clean(Tags().seen(text))) if _MARKUP.search(text) else text


def _is_prose(text: str) -> bool:
    return len(text) >= PROSE_CHARS and " " in text and bool(_SENTENCE.search(text))


def _label(field: str) -> str:
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", field).replace("_", " ").replace("-", " ").split()
    label = " ".join(words)
    return label[:1].upper() + label[1:]


def _singular(field: str) -> str:
    return field[:-1] if field.endswith("s") and not field.endswith("ss") else field
