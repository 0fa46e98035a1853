"""
Receipts: the signed record of an answer, given with `done` and sent back with the next turn.

History comes from the visitor's side and can be forged, so an assistant's turn counts only when
its receipt holds for its very text. A receipt names sources by key, never by path, and evidence by the
first 128 bits of its hash: nobody finds another text for those, and a visitor's page keeps 50 receipts.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from magpie.asking.signing import Sealer
from magpie.model import AnswerId, Citation, Evidence, Language, Outcome, SourceKey, Turn, VersionId

RECEIPT_VERSION = 2
SHORT_HASH = 32  # hex digits, 128 bits
MOST_OF_A_RECEIPT = 1500  # characters, with eight passages; a test holds it


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """
    What we vouch for. `evidence` are the content hashes of the chunks that the answer rests on,
    in the order of their numbers; `text_hash` is the SHA-256 of the text as it went out; `verdicts` is
    how often the guard decided what; `prompt_hash` is empty where no model was prompted, `policy_hash`
    that of the site file; `session_id` says whose answer it was.
    """

    answer_id: AnswerId
    text_hash: str
    language: Language
    outcome: Outcome
    citations: tuple[Citation, ...]
    version_id: VersionId
    evidence: tuple[str, ...]
    writer: str
    at: datetime
    session_id: str = ""
    prompt_hash: str = ""
    policy_hash: str = ""
    verdicts: tuple[tuple[str, int], ...] = ()


class Receipts:
    """Signs receipts and believes only its own."""

    def __init__(self, key: str, previous: str = "") -> None:
        self._sealer = Sealer(key, "receipt", RECEIPT_VERSION, previous=previous, packed=True)

    def sign(self, receipt: Receipt) -> str:
        return self._sealer.seal(_payload(receipt))

    def read(self, sealed: str) -> Receipt | None:
        """The receipt, or None where the signature does not hold."""
        payload = self._sealer.open(sealed)
        return None if payload is None else _receipt(payload)

    def verified(self, turn: Turn, sealed: str) -> Turn:
        """The turn with what its receipt says; unverified where either does not hold."""
        receipt = self.read(sealed)
        if (
            receipt is None
            or turn.answer_id != receipt.answer_id
            or receipt.text_hash != text_hash(turn.text)
        ):
            return replace(turn, verified=False)
        return replace(turn, verified=True, language=receipt.language, citations=receipt.citations)


def text_hash(text: str) -> str:
    """
    Space at either end does not count: a client may trim what it shows.
    """
    return hashlib.sha256(text.strip().encode()).hexdigest()


def evidence_hashes(evidence: Sequence[Evidence]) -> tuple[str, ...]:
    return tuple(item.passage.content_hash[:SHORT_HASH] for item in evidence)


def short_hash(text: str) -> str:
    """The hash of a prompt or a site file, as receipts name it; empty for no text."""
    return hashlib.sha256(text.encode()).hexdigest()[:SHORT_HASH] if text else ""


def _payload(receipt: Receipt) -> dict[str, Any]:
    return {
        "id": receipt.answer_id,
        "text": receipt.text_hash,
        "language": receipt.language,
        "outcome": receipt.outcome.value,
        "citations": [_told(citation) for citation in receipt.citations],
        "version": receipt.version_id,
        "evidence": list(receipt.evidence),
        "writer": receipt.writer,
        "at": receipt.at.isoformat(),
        "session": receipt.session_id,
        "prompt": receipt.prompt_hash,
        "policy": receipt.policy_hash,
        "verdicts": dict(receipt.verdicts),
    }


def _told(citation: Citation) -> dict[str, Any]:
    return {
        "number": citation.number,
        "title": citation.title,
        "url": citation.url,
        "type": citation.key.source_type,
        "key": citation.key.source_key,
    }


def _receipt(payload: Mapping[str, Any]) -> Receipt:
    return Receipt(
        answer_id=AnswerId(payload["id"]),
        text_hash=payload["text"],
        language=Language(payload["language"]),
        outcome=Outcome(payload["outcome"]),
        citations=tuple(_citation(told) for told in payload["citations"]),
        version_id=VersionId(payload["version"]),
        evidence=tuple(payload["evidence"]),
        writer=payload["writer"],
        at=datetime.fromisoformat(payload["at"]),
        session_id=payload["session"],
        prompt_hash=payload["prompt"],
        policy_hash=payload["policy"],
        verdicts=tuple(sorted(payload["verdicts"].items())),
    )


def _citation(told: Mapping[str, Any]) -> Citation:
    return Citation(
        number=told["number"],
        title=told["title"],
        url=told["url"],
        path="",
        key=SourceKey(source_type=told["type"], source_key=told["key"]),
    )
