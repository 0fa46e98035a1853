"""
Pairs for the guard that people wrote, over texts of their own: `tests/cases/guard/*.txt`.

A file holds texts that a search may bring together. `@ language|scope|title|person` begins one, its lines follow,
then what is said of it: `+ language sentence` is true, `- language kind: sentence` is false.
"""

from dataclasses import dataclass
from pathlib import Path

from magpie.asking.guard import Guard, GuardRules, Held
from magpie.asking.support import Block, GuardEvidence
from magpie.model import Scope

FOLDER = Path(__file__).resolve().parents[1] / "cases" / "guard"


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """`kind` is empty for a true sentence."""

    sentence: str
    language: str
    kind: str
    blocks: tuple[Block, ...]

    @property
    def wrong(self) -> bool:
        """Held though true, or released though false."""
        people = tuple((block.person_key, block.title) for block in self.blocks if block.person_key)
        names = tuple(block.title for block in self.blocks if block.scope == Scope.PROJECT)
        rules = GuardRules(people=people, names=names, language=self.language)
        guard = Guard(GuardEvidence(self.blocks, "", self.language), rules)
        verdicts = (*guard.feed(self.sentence), *guard.finish())
        return any(isinstance(verdict, Held) for verdict in verdicts) is not bool(self.kind)


def written() -> tuple[Written, ...]:
    """All of them, each with the whole file as evidence, its own text first."""
    return tuple(pair for path in sorted(FOLDER.glob("*.txt")) for pair in _of_file(path))


def _of_file(path: Path) -> list[Written]:
    parts = path.read_text(encoding="utf-8").removeprefix("@ ").split("\n@ ")
    blocks = [_block(number, part) for number, part in enumerate(parts, start=1)]
    found = []
    for block, part in zip(blocks, parts, strict=True):
        others = tuple(other for other in blocks if other is not block)
        found += [
            _pair(line, (block, *others)) for line in part.splitlines() if line.startswith(("+ ", "- "))
        ]
    return found


def _block(number: int, part: str) -> Block:
    head, *lines = part.splitlines()
    language, scope, title, *person = head.split("|")
    text = "\n".join(line for line in lines if line and not line.startswith(("+ ", "- ")))
    return Block(
        number=number,
        title=title,
        text=text,
        scope=Scope(scope),
        language=language,
        person_key=person[0] if person else None,
    )


def _pair(line: str, blocks: tuple[Block, ...]) -> Written:
    sign, language, said = line.split(" ", 2)
    kind, _, sentence = said.partition(": ") if sign == "-" else ("", "", said)
    return Written(sentence=sentence, language=language, kind=kind, blocks=blocks)
