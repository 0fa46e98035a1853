"""`magpie read PATH...`: what Magpie sees of a document, without storing anything."""

import asyncio
import hashlib
import json as jsonlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from magpie.adapters.sandbox import SandboxedReader
from magpie.errors import DocumentRefused
from magpie.ingesting.chunking import cut
from magpie.ingesting.languages import detect_language
from magpie.ingesting.reading import companions_of, read
from magpie.ingesting.redacting import as_stored, may_be_read, without_secrets
from magpie.model import Document, Reading
from magpie.site import Chunking, Safety, Site, SourceRule

ANY = SourceRule(path="**")


def run_read(paths: Sequence[Path], json: bool, site: Site | None = None, corpus: Path | None = None) -> int:
    """
    One JSON line a path (a record, where a file holds many), or the same for people.

    With a site it is what Magpie would store: its rule for the path says how it is read, redacted
    and cut. Without one, only secrets are taken out. 0 when all could be read.
    """
    codes = [_show(path, json, site, corpus) for path in paths]
    return max(codes, default=0)


def _show(path: Path, json: bool, site: Site | None, corpus: Path | None) -> int:
    seen = list(look(path, site, corpus))
    for one in seen:
        print(jsonlib.dumps(one, ensure_ascii=False) if json else _for_people(one))
    return int(any("error" in one for one in seen))


def look(path: Path, site: Site | None = None, corpus: Path | None = None) -> Iterator[dict[str, Any]]:
    """What a path holds, as plain JSON values; an error is told, not raised."""
    name = _name_of(path, corpus)
    rule = (site.rule_for(name) if site else None) or ANY
    chunking = rule.chunking or (site.chunking if site else Chunking())
    try:
        if site:
            may_be_read(name, rule, site)
        document = _document(path, name, site.safety if site else Safety())
        readings = asyncio.run(read(document, rule, _companions(rule, corpus), SandboxedReader()))
        for reading in readings:
            _check_text(str(path), reading)
            shown = as_stored(reading, document, rule, site) if site else without_secrets(reading)
            yield _told(str(path), shown, chunking)
    except DocumentRefused as exc:
        yield {"path": str(path), "error": {"code": exc.code, "message": exc.reason}}


def _name_of(path: Path, corpus: Path | None) -> str:
    """The path inside the corpus, else the file's name: folders of this machine tell nothing."""
    if corpus and path.resolve().is_relative_to(corpus.resolve()):
        return path.resolve().relative_to(corpus.resolve()).as_posix()
    return path.name


def _document(path: Path, name: str, safety: Safety) -> Document:
    if path.is_dir():
        raise DocumentRefused(name, "is_folder", "is a folder; name the files in it")
    try:
        size = path.stat().st_size
        if size > safety.max_file_mb * 1024 * 1024:
            reason = f"has {size / 1024 / 1024:.1f} MB, over the limit of {safety.max_file_mb:g} MB"
            raise DocumentRefused(name, "too_large", reason)
        raw = path.read_bytes()
    except FileNotFoundError as exc:
        raise DocumentRefused(name, "missing", "is not there") from exc
    except OSError as exc:
        raise DocumentRefused(name, "unreadable", f"can't be read: {exc.strerror}") from exc
    return Document(path=name, raw=raw, raw_hash=hashlib.sha256(raw).hexdigest())


def _companions(rule: SourceRule, corpus: Path | None) -> Mapping[str, Document]:
    names = [name for name in companions_of(rule) if corpus and (corpus / name).is_file()]
    return {name: _document(corpus / name, name, Safety()) for name in names if corpus}


def _check_text(path: str, reading: Reading) -> None:
    if not any(char.isalnum() for char in reading.text):
        raise DocumentRefused(path, "no_text", "has no text that could be answered from")


def _told(path: str, reading: Reading, chunking: Chunking) -> dict[str, Any]:
    told: dict[str, Any] = {"path": path}
    if reading.record_key is not None:
        told["record"] = reading.record_key
    spans = cut(reading.text, reading.headings, chunking)
    return told | {
        "title": reading.title,
        "date": reading.published.isoformat() if reading.published else None,
        "language": reading.language or detect_language(reading.text),
        "headings": [{"level": heading.level, "text": heading.text} for heading in reading.headings],
        "text": reading.text,
        "chunks": [
            {"text": reading.text[span.start : span.end], "start": span.start, "end": span.end}
            for span in spans
        ],
        "notices": [{"code": notice.code, "message": notice.message} for notice in reading.notices],
    }


def _for_people(one: Mapping[str, Any]) -> str:
    if "error" in one:
        return f"{one['path']}: refused ({one['error']['code']}): {one['error']['message']}\n"
    facts = [one["title"] or "no title", one["date"] or "no date", one["language"] or "language unknown"]
    head = f"{one['path']}: {', '.join(facts)}, {len(one['chunks'])} chunks"
    notes = [f"  note: {notice['message']}" for notice in one["notices"]]
    pieces = [f"--- chunk {number}\n{chunk['text']}" for number, chunk in enumerate(one["chunks"], start=1)]
    return "\n".join([head, *notes, *pieces, ""])
