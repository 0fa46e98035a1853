"""Under which names a run's work is kept."""

from dataclasses import dataclass

from magpie.model import RunId


@dataclass(frozen=True, slots=True)
class RoundNames:
    """One round of a run: it begins a new one when another run published meanwhile."""

    base: str

    @property
    def items(self) -> str:
        """The batches as the state machine's map reads them."""
        return f"{self.base}/items"

    @property
    def summary(self) -> str:
        return f"{self.base}/summary"

    @property
    def reads(self) -> str:
        """What all names of `read` begin with, and so on."""
        return f"{self.base}/read/"

    @property
    def ends(self) -> str:
        return f"{self.base}/embedded/"

    def batch(self, number: int) -> str:
        return f"{self.base}/batch/{number}"

    def read(self, number: int) -> str:
        return f"{self.reads}{number}"

    def chunks(self, number: int) -> str:
        return f"{self.base}/chunks/{number}"

    def pieces(self, number: int) -> str:
        """What all names of a batch's vectors begin with."""
        return f"{self.base}/vectors/{number}/"

    def vectors(self, number: int, piece: int) -> str:
        return f"{self.pieces(number)}{piece}"

    def end(self, number: int) -> str:
        return f"{self.ends}{number}"


@dataclass(frozen=True, slots=True)
class RunNames:
    """All of a run."""

    run: RunId

    @property
    def order(self) -> str:
        return f"{self.run}/order"

    @property
    def plan(self) -> str:
        """The newest round's plan."""
        return f"{self.run}/plan"

    @property
    def end(self) -> str:
        return f"{self.run}/end"

    def round(self, number: int) -> RoundNames:
        return RoundNames(f"{self.run}/{number}")


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchItem:
    """One batch as the state machine hands it from step to step."""

    run: RunId
    round: int
    batch: int
