"""
Conversations. One class writes what it can't read back; the other reads and removes.

No statement here may fail on a row's content: the server's log would quote the row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from magpie.adapters.postgres.pool import Connection, Database
from magpie.adapters.postgres.queries import query
from magpie.model import (
    AnswerId,
    ChunkId,
    Conversation,
    ConversationRow,
    EvidenceUse,
    Forgotten,
    Rating,
    Recorded,
    SourceKey,
    Usage,
    VersionId,
)

RECORDER, KEEPER = "magpie_recorder", "magpie_keeper"
WRITE_S = 5.0  # whoever waits for a record waits less; what nobody waits for any more ends too
TABLES = ("message_evidence", "chat_messages", "feedback", "chat_sessions")
SMALL_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAnswer:
    """An answer's text as it is kept, whether that was masked, and its receipt."""

    answer: str
    masked: bool
    receipt: str


class PostgresRecords:
    """`Records` on Postgres, as a role that may not read words."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def is_awake(self) -> bool:
        """Whether a connection stands."""
        return self._database.is_awake

    async def record(self, recorded: Recorded) -> None:
        """One transaction, one round trip."""
        fields = _fields(recorded)
        async with self._database.acting(RECORDER, timeout_s=WRITE_S, at_once=True) as conn:
            await conn.execute(query("record_session"), fields)
            await conn.execute(query("record_message"), fields)
            if recorded.evidence:
                await conn.execute(query("record_evidence"), _evidence(recorded))

    async def rate(self, rating: Rating, *, may_replace: bool) -> bool:
        """Whether it was taken."""
        fields = {
            "answer_id": rating.answer_id,
            "session_id": rating.session_id,
            "usefulness": rating.usefulness,
            "used_question": rating.used_question,
            "reason": rating.reason,
            "given_at": rating.given_at,
            "may_replace": may_replace,
        }
        async with self._database.acting(RECORDER, timeout_s=WRITE_S) as conn:
            return await (await conn.execute(query("record_feedback"), fields)).fetchone() is not None


class PostgresConversations:
    """`Conversations` and `Forgets` on Postgres."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def latest(self, limit: int, *, since: datetime) -> tuple[ConversationRow, ...]:
        """Sessions, the latest first."""
        rows = await self._rows("conversations", {"limit": limit, "since": since})
        return tuple(map(_row, rows))

    async def session_of(self, name: str) -> str | None:
        """The session that this is the id of, or of one of whose answers."""
        rows = await self._rows("session_of", {"name": name})
        return rows[0]["session_id"] if rows else None

    async def conversation(self, session_id: str, *, since: datetime) -> Conversation:
        """All that is kept of a session; empty where nothing is."""
        which = {"session_id": session_id, "since": since}
        async with self._database.acting(KEEPER) as conn:
            session = await _fetched(conn, "session", which)
            messages = await _fetched(conn, "session_messages", which)
            evidence = await _fetched(conn, "session_evidence", which)
            ratings = await _fetched(conn, "session_feedback", which)
        return Conversation(
            session_id=session_id,
            began_at=session[0]["began_at"] if session else None,
            last_at=session[0]["last_at"] if session else None,
            messages=tuple(_recorded(row, session_id, evidence) for row in messages),
            ratings=tuple(_rating(row, session_id) for row in ratings),
        )

    async def answer(self, answer_id: str, *, since: datetime) -> KeptAnswer | None:
        """One answer; None where it is not kept."""
        rows = await self._rows("answer", {"answer_id": answer_id, "since": since})
        return KeptAnswer(**rows[0]) if rows else None

    async def standing(self, hashes: Sequence[str], version: VersionId) -> frozenset[str] | None:
        """Which of these (short) hashes are those of passages of the version; None where it is not kept."""
        rows = await self._rows("standing", {"hashes": list(hashes), "version": version})
        return frozenset(rows[0]["standing"]) if rows else None

    async def forget(self, session_id: str) -> Forgotten:
        """
        Remove all that is kept of a session, its rows' places in the tables overwritten too.

        What the server's write-ahead log and backups hold goes when the server lets go of them.
        """
        which = {"session_id": session_id}
        async with self._database.acting(KEEPER) as conn:
            messages = (await conn.execute(query("forget_messages"), which)).rowcount
            ratings = (await conn.execute(query("forget_feedback"), which)).rowcount
            sessions = (await conn.execute(query("forget_session"), which)).rowcount
        if messages or ratings or sessions:
            await self._database.wipe(*TABLES, most_bytes=SMALL_BYTES)
        return Forgotten(sessions=sessions, messages=messages, ratings=ratings)

    async def purge(self, key: SourceKey) -> int:
        """Remove the answers that rest on a source, and its name from the others'; how many answers went."""
        which = {"source_type": key.source_type, "source_key": key.source_key}
        async with self._database.acting(KEEPER) as conn:
            messages = (await conn.execute(query("purge_messages"), which)).rowcount
            mentions = (await conn.execute(query("purge_evidence"), which)).rowcount
        if messages or mentions:
            await self._database.wipe(*TABLES, most_bytes=SMALL_BYTES)
        return messages

    async def expire(self, *, since: datetime) -> Forgotten:
        """Remove what is older."""
        which = {"since": since}
        async with self._database.acting(KEEPER) as conn:
            messages = (await conn.execute(query("expire_messages"), which)).rowcount
            ratings = (await conn.execute(query("expire_feedback"), which)).rowcount
            sessions = (await conn.execute(query("expire_sessions"), which)).rowcount
        if messages or ratings or sessions:
            await self._database.vacuum(*TABLES)
        return Forgotten(sessions=sessions, messages=messages, ratings=ratings)

    async def _rows(self, name: str, arguments: Mapping[str, Any]) -> list[DictRow]:
        async with self._database.acting(KEEPER) as conn:
            return await _fetched(conn, name, arguments)


async def _fetched(conn: Connection, name: str, arguments: Mapping[str, Any]) -> list[DictRow]:
    return await (await conn.execute(query(name), arguments)).fetchall()


# --- Values to rows ---------------------------------------------------------------------------


def _fields(recorded: Recorded) -> dict[str, Any]:
    usage = recorded.usage
    return {
        **{name: getattr(recorded, name) for name in _PLAIN},
        "routes": list(recorded.routes),
        "calls": usage.calls,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "embedding_tokens": usage.embedding_tokens,
        "cost_usd": usage.cost_usd,
        "timings_ms": Jsonb(dict(recorded.timings_ms)),
        "verdicts": Jsonb(dict(recorded.verdicts)),
        "counts": Jsonb(dict(recorded.counts)),
    }


_PLAIN = (
    "answer_id",
    "session_id",
    "asked_at",
    "question",
    "answer",
    "masked",
    "language",
    "page",
    "role",
    "outcome",
    "error",
    "intent",
    "version_id",
    "model",
    "band",
    "safety",
    "confidence",
    "prompt_hash",
    "policy_hash",
    "receipt",
)
"""Fields of `Recorded` that are columns as they are."""


def _evidence(recorded: Recorded) -> dict[str, Any]:
    uses = recorded.evidence
    return {
        "answer_id": recorded.answer_id,
        "numbers": [use.number for use in uses],
        "chunks": [use.chunk_id for use in uses],
        "types": [use.key.source_type for use in uses],
        "keys": [use.key.source_key for use in uses],
        "titles": [use.title for use in uses],
        "urls": [use.url for use in uses],
        "hashes": [use.content_hash for use in uses],
        "routes": [use.route for use in uses],
        "scores": [use.score for use in uses],
        "used": [use.used for use in uses],
    }


# --- Rows to values ---------------------------------------------------------------------------


def _row(row: DictRow) -> ConversationRow:
    return ConversationRow(
        session_id=row["id"],
        began_at=row["began_at"],
        last_at=row["last_at"],
        questions=row["questions"],
        outcomes=tuple(row["outcomes"]),
        cost_usd=row["cost_usd"],
        usefulness=row["usefulness"],
        question=row["question"],
    )


def _recorded(row: DictRow, session_id: str, evidence: Sequence[DictRow]) -> Recorded:
    return Recorded(
        **{name: row[name] for name in _PLAIN if name not in ("session_id",)},
        session_id=session_id,
        routes=tuple(row["routes"]),
        usage=Usage(
            calls=row["calls"],
            input_tokens=row["input_tokens"],
            output_tokens=row["output_tokens"],
            embedding_tokens=row["embedding_tokens"],
            cost_usd=row["cost_usd"],
        ),
        timings_ms=row["timings_ms"],
        verdicts=row["verdicts"],
        counts=row["counts"],
        evidence=tuple(_use(one) for one in evidence if one["answer_id"] == row["answer_id"]),
    )


def _use(row: DictRow) -> EvidenceUse:
    return EvidenceUse(
        number=row["number"],
        chunk_id=ChunkId(row["chunk_id"]),
        key=SourceKey(source_type=row["source_type"], source_key=row["source_key"]),
        title=row["title"],
        url=row["url"],
        content_hash=row["content_hash"],
        route=row["route"],
        score=row["score"],
        used=row["used"],
        content=row["content"] or "",
    )


def _rating(row: DictRow, session_id: str) -> Rating:
    return Rating(
        answer_id=AnswerId(row["answer_id"]),
        session_id=session_id,
        usefulness=row["usefulness"],
        used_question=row["used_question"],
        reason=row["reason"],
        given_at=row["given_at"],
    )
