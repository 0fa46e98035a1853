"""
A source to chunks: cut by its settings, introduced by a header, none wider than its models read.
"""

from collections.abc import Sequence
from typing import Any

from magpie.ingesting.chunking import cut
from magpie.ingesting.chunking.window import windows
from magpie.ingesting.fingerprint import text_hash
from magpie.ingesting.questions import by_rules
from magpie.model import Chunk, Heading, Notice, Source, Span
from magpie.ports import Window
from magpie.site import Chunking

SPARE_TOKENS = 12  # the model's own marks and its prefix
LEAST_CHARS = 40


def chunks_of(
    source: Source, settings: Chunking, limits: Sequence[Window] = ()
) -> tuple[tuple[Chunk, ...], tuple[Notice, ...]]:
    """All chunks of a source, and what an owner should know of the cutting."""
    spans = cut(source.text, source.headings, settings)
    narrow = tuple(
        part
        for position, span in enumerate(spans)
        for part in _fitting(source, span, position, settings, limits)
    )
    chunks = tuple(_chunk(source, index, span, settings) for index, span in enumerate(narrow))
    return chunks, _notices(len(narrow) - len(spans))


def _notices(split: int) -> tuple[Notice, ...]:
    if not split:
        return ()
    message = f"{split} more chunks were made, since the embedding model would have cut what is longer"
    return (Notice(code="split_for_model", message=message),)


def _fitting(
    source: Source, span: Span, position: int, settings: Chunking, limits: Sequence[Window]
) -> tuple[Span, ...]:
    """The span, or smaller ones that every model reads whole."""
    header = header_of(source, span, position, settings)
    size = span.end - span.start
    spans: tuple[Span, ...] = (span,)
    while size > LEAST_CHARS and any(_overflows(source, header, part, limits) for part in spans):
        size = size * 2 // 3
        spans = tuple(windows(source.text, span.start, span.end, size, min(settings.overlap, size // 4)))
    return spans


def _overflows(source: Source, header: str, span: Span, limits: Sequence[Window]) -> bool:
    text = f"{header}\n\n{source.text[span.start : span.end]}"
    return any(_is_wider(text, limit) for limit in limits)


def _is_wider(text: str, limit: Window) -> bool:
    room = (limit.window_tokens or 0) - SPARE_TOKENS
    if limit.window_tokens is None or len(text.encode()) <= room:
        return False  # a token is a byte at least: nothing to count
    return limit.count_tokens(text) > room


def _chunk(source: Source, index: int, span: Span, settings: Chunking) -> Chunk:
    content = source.text[span.start : span.end]
    header = header_of(source, span, index, settings)
    section = section_of(source.headings, span)
    return Chunk(
        index=index,
        content=content,
        span=span,
        header=header,
        content_hash=text_hash(f"{header}\0{content}"),
        metadata={"section": section} if section else {},
        questions=_questions(source, content, section, settings),
    )


def _questions(source: Source, content: str, section: str, settings: Chunking) -> tuple[str, ...]:
    if settings.questions == "none":
        return ()
    return by_rules(source, content, section, settings.most_questions)


def header_of(source: Source, span: Span, position: int, settings: Chunking) -> str:
    """What the models read before the content: the preamble first, then where a later chunk comes from."""
    if settings.header == "none":
        return ""
    if position == 0:
        return _preamble(source)
    if settings.header == "first":
        return ""
    section = section_of(source.headings, span)
    return "\n".join(filter(None, (f"Source: {source.title}", f"Section: {section}" if section else "")))


def _preamble(source: Source) -> str:
    topic = source.metadata.get("topic") or source.metadata.get("topics") or source.metadata.get("tags")
    lines = {
        "Title": source.title,
        "Subtitle": source.metadata.get("subtitle"),
        "Published": source.published.isoformat() if source.published else "",
        "Topic": _listed(topic),
    }
    return "\n".join(f"{name}: {value}" for name, value in lines.items() if value)


def _listed(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value or "")


def section_of(headings: Sequence[Heading], span: Span) -> str:
    """The headings over the chunk's first words, outermost first; the page's own title left out."""
    path: list[Heading] = []
    for heading in headings:
        if heading.start > span.start:
            break
        path = [upper for upper in path if upper.level < heading.level] + [heading]
    return " > ".join(heading.text for heading in path if heading.level > 1)
