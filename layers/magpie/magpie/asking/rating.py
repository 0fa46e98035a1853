"""
What visitors think of answers. Only an answer of ours can be rated: its receipt proves that it was given,
and whose it was.
"""

from dataclasses import dataclass

from magpie.asking.receipts import Receipt, Receipts
from magpie.asking.recording import masked_words
from magpie.asking.tickets import Tickets
from magpie.asking.trail import Clock
from magpie.errors import BadQuestion
from magpie.model import AnswerId, Rating
from magpie.ports import Records
from magpie.site import Site

MOST_REASON_CHARS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenRating:
    """
    A rating as it came in; `ticket` is that of the session, needed to think again. `questions` are what the
    visitor wrote before: who gave a name there may repeat it in the reason, and it is masked there too.
    """

    answer_id: AnswerId
    receipt: str
    usefulness: int
    used_question: bool | None
    reason: str = ""
    ticket: str = ""
    questions: tuple[str, ...] = ()


class Ratings:
    """Takes ratings: one an answer, which the session that asked may replace."""

    def __init__(
        self, site: Site, records: Records, receipts: Receipts, tickets: Tickets, clock: Clock
    ) -> None:
        self._site = site
        self._records = records
        self._receipts = receipts
        self._tickets = tickets
        self._clock = clock

    @property
    def are_taken(self) -> bool:
        """Whether the site keeps anything of its visitors."""
        return self._site.privacy.record != "none"

    async def give(self, given: GivenRating) -> None:
        """Raises: BadQuestion that says why it is not taken; DatabaseUnavailable."""
        if not self.are_taken:
            raise BadQuestion("this site keeps no ratings", status=404, code="feedback_off")
        receipt = self._proven(given)
        rating = Rating(
            answer_id=given.answer_id,
            session_id=receipt.session_id,
            usefulness=given.usefulness,
            used_question=given.used_question,
            reason=masked_words(self._site, (given.reason,), heard=given.questions)[0],
            given_at=self._clock.now(),
        )
        is_same = self._tickets.session_of(given.ticket) == receipt.session_id
        if not await self._records.rate(rating, may_replace=is_same):
            detail = "this answer is rated already; only the session that asked may change that"
            raise BadQuestion(detail, status=409, code="rated_already")

    def _proven(self, given: GivenRating) -> Receipt:
        receipt = self._receipts.read(given.receipt)
        if receipt is None or receipt.answer_id != given.answer_id or not receipt.session_id:
            raise BadQuestion(
                "the receipt does not prove that this answer was given; send the one that came with it",
                status=403,
                code="bad_receipt",
            )
        if receipt.at < self._site.privacy.kept_since(self._clock.now()):
            raise BadQuestion("this answer is too old to be rated", status=422, code="too_old")
        return receipt
