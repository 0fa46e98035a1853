"""`magpie conversations`, `export`, `forget`: what is kept of visitors, and letting go of it."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cli.running import on_site
from cli.showing import emit, out
from infra.local.problems import LocalProblem
from magpie.model import Conversation, ConversationRow, EvidenceUse, Forgotten, Rating, Recorded
from magpie.site import Site
from magpie.wiring import SiteRuntime


def run_list(limit: int, site: Path | None, corpus: Path | None, as_json: bool) -> int:
    """The latest sessions."""

    async def latest(runtime: SiteRuntime) -> tuple[ConversationRow, ...]:
        return await runtime.conversations.latest(limit, since=kept_since(runtime.site))

    rows = on_site(site, corpus, latest)
    if as_json:
        emit({"conversations": [_row_fields(row) for row in rows]})
    else:
        _show_rows(rows)
    return 0


def run_show(name: str, site: Path | None, corpus: Path | None, as_json: bool) -> int:
    """One conversation with the evidence of each answer. Raises: LocalProblem where nothing is kept of it."""
    found = on_site(site, corpus, lambda runtime: _conversation(runtime, name))
    if as_json:
        emit(conversation_fields(found))
    else:
        _show(found)
    return 0


def run_export(name: str, site: Path | None, corpus: Path | None) -> int:
    """All that is kept of a session, as JSON for whoever it belongs to."""
    found = on_site(site, corpus, lambda runtime: _conversation(runtime, name))
    out.out(json.dumps(conversation_fields(found), ensure_ascii=False, indent=2), highlight=False)
    return 0


def run_forget(name: str | None, expired: bool, site: Path | None, corpus: Path | None, as_json: bool) -> int:
    """0 when it is gone, 1 when nothing was kept of it. Raises: LocalProblem when it is not clear what to forget."""
    if (name is None) != expired:
        raise LocalProblem("name a SESSION (or one of its answers, or its ticket), or say --expired")
    gone = on_site(site, corpus, lambda runtime: _expire(runtime) if name is None else _forget(runtime, name))
    counts = {
        "sessions": gone.sessions,
        "messages": gone.messages,
        "ratings": gone.ratings,
        "asks": gone.asks,
    }
    if as_json:
        emit({"forgotten": counts})
    else:
        told = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
        out.print(f"Gone: {told}." if told else "Nothing is kept of it." if name else "Nothing is too old.")
    return 0 if expired or any(counts.values()) else 1


# --- What they do -----------------------------------------------------------------------------


def kept_since(site: Site) -> datetime:
    """What is older is not shown."""
    return site.privacy.kept_since(datetime.now(UTC))


async def _session(runtime: SiteRuntime, name: str) -> str:
    """The session that is meant: by its id, its ticket, or one of its answers."""
    session_id = runtime.tickets.session_of(name) or name
    return await runtime.conversations.session_of(session_id) or session_id


async def _conversation(runtime: SiteRuntime, name: str) -> Conversation:
    session_id = await _session(runtime, name)
    found = await runtime.conversations.conversation(session_id, since=kept_since(runtime.site))
    if not found.messages and not found.ratings:
        raise LocalProblem(f"nothing is kept of {name}; `magpie conversations` lists what is")
    return found


async def _forget(runtime: SiteRuntime, name: str) -> Forgotten:
    return await runtime.forget(await _session(runtime, name))


async def _expire(runtime: SiteRuntime) -> Forgotten:
    return await runtime.conversations.expire(since=kept_since(runtime.site))


# --- For people -------------------------------------------------------------------------------


def _show_rows(rows: tuple[ConversationRow, ...]) -> None:
    if not rows:
        out.print("No conversation is kept. Visitors' are, unless the site file says `privacy.record: none`.")
        return
    left = max(20, out.width - len(HEAD))
    out.print(HEAD + "first question", style="dim", markup=False)
    for row in rows:
        rated = "" if row.usefulness is None else f"{row.usefulness:.1f}"
        asked = f"{row.questions}{'!' if set(row.outcomes) & TROUBLE else ''}"
        question = " ".join(row.question.split())
        question = question if len(question) <= left else f"{question[: left - 1]}…"
        line = f"{row.session_id:<22}  {row.last_at:%m-%d %H:%M}  {asked:<5}  {rated:<5}  {question}"
        out.print(line, markup=False)
    if any(set(row.outcomes) & TROUBLE for row in rows):
        out.print("! a question was handed over, failed or was left", style="dim")


HEAD = f"{'session':<22}  {'last (UTC)':<11}  {'asked':<5}  {'rated':<5}  "
TROUBLE = {"handoff", "failed", "unfinished", "begun"}


def _show(found: Conversation) -> None:
    seen = f", {found.began_at:%Y-%m-%d %H:%M} UTC" if found.began_at else ""
    out.print(f"session {found.session_id}{seen}", style="dim", markup=False)
    ratings = {rating.answer_id: rating for rating in found.ratings}
    for message in found.messages:
        out.print(f"\n{message.question}", style="bold", markup=False)
        out.print(message.answer or "(nothing was said)", markup=False)
        out.print(f"  {_line(message)}", style="dim", markup=False)
        for use in message.evidence:
            mark = "*" if use.used else " "
            out.print(f"  {mark}[{use.number}] {use.title}  {use.url or use.key}", style="dim", markup=False)
        if rating := ratings.pop(message.answer_id, None):
            out.print(f"  {_rated(rating)}", markup=False)
    for rating in ratings.values():
        out.print(f"\nanswer {rating.answer_id}, not recorded: {_rated(rating)}", markup=False)


def _line(message: Recorded) -> str:
    parts = [
        message.outcome + (f" ({message.error})" if message.error else ""),
        "/".join(message.routes),
        message.model,
        f"{message.timings_ms['total']:.0f} ms" if "total" in message.timings_ms else "",
        f"${message.usage.cost_usd:.4f}" if message.usage.cost_usd else "",
        message.page,
        f"answer {message.answer_id}",
    ]
    return ", ".join(filter(None, parts))


def _rated(rating: Rating) -> str:
    helped = {True: ", helped", False: ", did not help", None: ""}[rating.used_question]
    return f"rated {rating.usefulness} of 5{helped}" + (f": {rating.reason}" if rating.reason else "")


# --- For machines -----------------------------------------------------------------------------


def _row_fields(row: ConversationRow) -> dict[str, Any]:
    return {
        "session_id": row.session_id,
        "began_at": row.began_at.isoformat(),
        "last_at": row.last_at.isoformat(),
        "questions": row.questions,
        "outcomes": list(row.outcomes),
        "cost_usd": row.cost_usd,
        "usefulness": row.usefulness,
        "question": row.question,
    }


def conversation_fields(found: Conversation) -> dict[str, Any]:
    """All of a conversation."""
    return {
        "session_id": found.session_id,
        "began_at": found.began_at.isoformat() if found.began_at else None,
        "last_at": found.last_at.isoformat() if found.last_at else None,
        "messages": [_message_fields(message) for message in found.messages],
        "ratings": [_rating_fields(rating) for rating in found.ratings],
    }


def _message_fields(message: Recorded) -> dict[str, Any]:
    usage = message.usage
    return {
        "answer_id": message.answer_id,
        "asked_at": message.asked_at.isoformat(),
        "question": message.question,
        "answer": message.answer,
        "masked": message.masked,
        "language": message.language,
        "page": message.page,
        "role": message.role,
        "outcome": message.outcome,
        "error": message.error,
        "intent": message.intent,
        "routes": list(message.routes),
        "version": message.version_id,
        "model": message.model,
        "band": message.band,
        "usage": {
            "calls": usage.calls,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "embedding_tokens": usage.embedding_tokens,
            "cost_usd": usage.cost_usd,
        },
        "timings_ms": dict(message.timings_ms),
        "verdicts": dict(message.verdicts),
        "counts": dict(message.counts),
        "safety": message.safety,
        "confidence": message.confidence,
        "prompt_hash": message.prompt_hash,
        "policy_hash": message.policy_hash,
        "receipt": message.receipt,
        "evidence": [_use_fields(use) for use in message.evidence],
    }


def _use_fields(use: EvidenceUse) -> Mapping[str, Any]:
    return {
        "number": use.number,
        "source": str(use.key),
        "title": use.title,
        "url": use.url,
        "content_hash": use.content_hash,
        "route": use.route,
        "score": use.score,
        "used": use.used,
        "content": use.content,
    }


def _rating_fields(rating: Rating) -> Mapping[str, Any]:
    return {
        "answer_id": rating.answer_id,
        "usefulness": rating.usefulness,
        "used_question": rating.used_question,
        "reason": rating.reason,
        "given_at": rating.given_at.isoformat(),
    }
