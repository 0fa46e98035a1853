"""
Does a receipt hold? The signature, the text that it was given with, and the evidence that it names.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from magpie.asking.receipts import Receipt, Receipts, text_hash
from magpie.model import VersionId


class Standing(Protocol):
    """Which passages a version holds."""

    async def standing(self, hashes: Sequence[str], version: VersionId) -> frozenset[str] | None:
        """Those of the (short) hashes that are passages of the version; None where it is not kept."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A receipt to be verified, with what came with it; None where nothing did. `masked`: the text was changed."""

    receipt: str
    text: str | None = None
    answer_id: str | None = None
    masked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """
    What holds; None was not looked at, and `notes` say why. `receipt` is what was signed, None
    where the signature does not hold.
    """

    signature: bool
    text: bool | None = None
    evidence: bool | None = None
    receipt: Receipt | None = None
    notes: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Nothing that was looked at failed."""
        return self.signature and self.text is not False and self.evidence is not False


async def verified(given: Given, receipts: Receipts, standing: Standing) -> Verdict:
    """Raises: DatabaseUnavailable where the evidence can't be looked up."""
    receipt = receipts.read(given.receipt)
    if receipt is None:
        return Verdict(
            signature=False, notes=("the receipt is none of this deployment's, or was changed on its way",)
        )
    text, about_text = _text_holds(given, receipt)
    evidence, about_evidence = await _evidence_holds(receipt, standing)
    return Verdict(
        signature=True,
        text=text,
        evidence=evidence,
        receipt=receipt,
        notes=tuple(filter(None, (about_text, about_evidence))),
    )


def _text_holds(given: Given, receipt: Receipt) -> tuple[bool | None, str]:
    if given.answer_id is not None and given.answer_id != receipt.answer_id:
        return False, f"the receipt is that of answer {receipt.answer_id}, not {given.answer_id}"
    if given.text is None:
        return None, "no text came with the receipt"
    if text_hash(given.text) == receipt.text_hash:
        return True, ""
    if given.masked:
        return (
            None,
            "personal data was taken out of the stored text, so that it is not the one that was signed",
        )
    return False, "the text is not the one that was signed"


async def _evidence_holds(receipt: Receipt, standing: Standing) -> tuple[bool | None, str]:
    if not receipt.evidence:
        return None, "the answer rests on no passage"
    found = await standing.standing(receipt.evidence, receipt.version_id)
    if found is None:
        return None, f"version {receipt.version_id} is not kept any more"
    missing = len(set(receipt.evidence) - found)
    if missing:
        return (
            False,
            f"{missing} of {len(receipt.evidence)} passages do not stand in version {receipt.version_id}",
        )
    return True, ""


# --- What came with a receipt -----------------------------------------------------------------


def given_in(values: Sequence[Mapping[str, Any]]) -> Iterator[Given]:
    """
    The receipts in JSON values: the events of one stream, answers with `receipt`, exported conversations.
    """
    if any("event" in value for value in values):
        yield from _of_stream(values)
        return
    for value in values:
        if isinstance(value.get("messages"), list):
            yield from given_in([message for message in value["messages"] if isinstance(message, dict)])
        elif value.get("receipt"):
            yield _of_answer(value)


def _of_stream(events: Sequence[Mapping[str, Any]]) -> Iterator[Given]:
    by_name = {event.get("event"): event for event in events}
    said = "".join(str(event.get("text", "")) for event in events if event.get("event") == "delta")
    receipt = by_name.get("done", {}).get("receipt")
    if receipt:
        answer_id = by_name.get("start", {}).get("answer_id")
        yield Given(receipt=str(receipt), text=said, answer_id=_text(answer_id))


def _of_answer(value: Mapping[str, Any]) -> Given:
    return Given(
        receipt=str(value["receipt"]),
        text=_text(value.get("text", value.get("answer"))),
        answer_id=_text(value.get("answer_id")),
        masked=value.get("masked") is True,
    )


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
