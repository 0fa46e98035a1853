"""
Answer parts as events of the wire, protocol 1: one type, whatever the encoding.

A path never goes out: it is the owner's. `tests/cases/events.schema.json` says the same for clients.
"""

from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from magpie.model import (
    Actions,
    AnswerPart,
    Citation,
    Cited,
    Delta,
    Done,
    Failed,
    Recommendations,
    Sources,
    Started,
    Status,
    Usage,
    Viewer,
)

PROTOCOL = 1

Event = Mapping[str, Any]

PING: Event = {"event": "ping"}


def event(part: AnswerPart, answer_id: str = "") -> Event:
    """The part as plain JSON values; `answer_id` is the id that an error names."""
    match part:
        case Started():
            return _start(part)
        case Status(state=state):
            return {"event": "status", "state": state}
        case Sources(citations=citations):
            return {"event": "sources", "citations": _citations(citations)}
        case Delta(seq=seq, text=text):
            return {"event": "delta", "seq": seq, "text": text}
        case Cited(citation=citation, seq=seq):
            return {"event": "citation", "seq": seq, "citation": _citation(citation)}
        case Actions(actions=actions):
            told = [{"label": action.label, "url": action.url, "kind": action.kind} for action in actions]
            return {"event": "actions", "actions": told}
        case Recommendations():
            return _recommendations(part)
        case Done():
            return _done(part)
        case Failed():
            return _failed(part, answer_id)
        case _:
            assert_never(part)


def _start(part: Started) -> Event:
    return {
        "event": "start",
        "protocol": PROTOCOL,
        "answer_id": part.answer_id,
        "ticket": part.ticket,
        "viewer": _viewer(part.viewer),
        "version": part.version_id,
        "language": part.language,
        "writer": part.writer,
        "band": part.band,
    }


def _viewer(viewer: Viewer) -> Event:
    return {"role": viewer.role, "identified": viewer.identified, "note": viewer.note}


def _citations(citations: Sequence[Citation]) -> list[Event]:
    return [_citation(citation) for citation in citations]


def _citation(citation: Citation) -> Event:
    return {
        "number": citation.number,
        "title": citation.title,
        "url": citation.url,
        "quote": citation.quote,
    }


def _recommendations(part: Recommendations) -> Event:
    items = [
        {
            "title": item.title,
            "url": item.url,
            "published": item.published.isoformat() if item.published else None,
        }
        for item in part.items
    ]
    return {"event": "recommendations", "items": items}


def _done(part: Done) -> Event:
    told = {
        "event": "done",
        "outcome": part.outcome.value,
        "language": part.language,
        "citations": _citations(part.citations),
        "receipt": part.receipt,
        "usage": _usage(part.usage),
        "timings_ms": dict(part.timings_ms),
    }
    return told if part.preference is None else {**told, "preference": part.preference}


def _usage(usage: Usage) -> Event:
    return {
        "calls": usage.calls,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost_usd": usage.cost_usd,
    }


def _failed(part: Failed, answer_id: str) -> Event:
    told = {"event": "error", "code": part.code, "message": part.message, "id": answer_id}
    return told if part.retry_after_s is None else {**told, "retry_after_s": part.retry_after_s}
