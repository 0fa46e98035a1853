"""
How well the guard tells true from false, and what it costs: `python -m tests.bench.guard`.

Prints a table and puts it under its own heading in docs/benchmarks.md. `--show N` prints N pairs to read by eye,
`--wrong` those that it got wrong, `--corpora PATH` takes other corpora.
"""

import argparse
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from magpie.asking.guard import Guard, GuardRules, Held, Verdict
from magpie.asking.support import GuardEvidence
from magpie.learning.scoring import wilson
from tests.bench._command import folder, whole_number
from tests.bench._command import run as run_bench
from tests.generators.evidence import Corpus, corpora
from tests.generators.pairs import Pair, pairs
from tests.generators.written import Written, written

ROOT = Path(__file__).resolve().parents[2]
HEADING = "## Guard"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A pair, what became of it, and how long that took."""

    pair: Pair
    verdict: Verdict
    ms: float
    prepare_ms: float

    @property
    def wrong(self) -> bool:
        return isinstance(self.verdict, Held) == self.pair.true


def rules_for(corpus: Corpus) -> GuardRules:
    """What wiring knows of a site: its own names, its people."""
    site = corpus.site
    people = tuple(
        {
            (p.block.person_key, p.block.title): None
            for p in corpus.pieces
            if p.block.person_key and p.block.scope == "person"
        }
    )
    names = tuple({p.block.title: None for p in corpus.pieces if p.block.scope in ("project", "partner")})
    return GuardRules(
        names=names,
        own_names=(site.site.name, site.persona.name, *site.persona.team_names),
        people=tuple((k or "", n) for k, n in people),
        known=site.privacy.public_contacts,
        language="en",
    )


def run(made: Sequence[Pair], rules: dict[str, GuardRules]) -> list[Outcome]:
    """Each pair through a guard of its own."""
    return [_judged(pair, rules[pair.corpus]) for pair in made]


def _judged(pair: Pair, rules: GuardRules) -> Outcome:
    start = time.process_time()
    evidence = GuardEvidence(pair.blocks, pair.question, pair.language)
    guard = Guard(evidence, replace(rules, language=pair.language))
    ready = time.process_time()
    verdicts = (*guard.feed(pair.sentence), *guard.finish())
    done = time.process_time()
    held = [verdict for verdict in verdicts if isinstance(verdict, Held)]
    return Outcome(
        pair, held[0] if held else verdicts[-1], (done - ready) * 1000 / len(verdicts), (ready - start) * 1000
    )


NOT_QUOTED = frozenset(
    {"paraphrased", "translated", "record_translated", "rounded", "shortened", "number_form", "date_form"}
    | {"money_form", "duration_form"}
)
"""True sentences in other words, numbers or languages than the evidence."""
MOST = {"escapes": 0.01, "negations": 0.20, "false holds": 0.03, "in other words": 0.03}
MOST_MS = 5.0


def totals(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """What has a target, by its name."""
    lies = [o for o in outcomes if not o.pair.true]
    truths = [o for o in outcomes if o.pair.true]
    return {
        "escapes": [o for o in lies if o.pair.kind != "negation"],
        "negations": [o for o in lies if o.pair.kind == "negation"],
        "false holds": truths,
        "in other words": [o for o in truths if o.pair.kind in NOT_QUOTED],
    }


def missed(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """The targets that were missed, the processor time of a sentence among them."""
    found = [
        f"{name}: over {MOST[name]:.0%}"
        for name, some in totals(outcomes).items()
        if some and sum(one.wrong for one in some) / len(some) > MOST[name]
    ]
    slow = sorted(one.ms for one in outcomes)[int(len(outcomes) * 0.95)] > MOST_MS
    return (*found, *(("time: the 95th percentile is over 5 ms",) if slow else ()))


def table(outcomes: Sequence[Outcome]) -> str:
    """Markdown: one row a kind, then the totals that have targets."""
    lines = ["| kind | may pass | pairs | wrong | share | 95 % interval |", "|---|---|---:|---:|---:|---|"]
    for true in (False, True):
        for kind in sorted({o.pair.kind for o in outcomes if o.pair.true is true}):
            lines.append(
                _row(
                    kind,
                    "yes" if true else "no",
                    [o for o in outcomes if o.pair.kind == kind and o.pair.true is true],
                )
            )
    told = {
        "escapes": ("**escapes**, negations aside (at most 1 %)", "no"),
        "negations": ("**negations** that escape (at most 20 %)", "no"),
        "false holds": ("**false holds** (at most 3 %)", "yes"),
        "in other words": ("of these paraphrased, rounded, rewritten, translated (at most 3 %)", "yes"),
    }
    lines += [_row(*told[name], some) for name, some in totals(outcomes).items()]
    return "\n".join(lines)


def _row(name: str, passes: str, outcomes: Sequence[Outcome]) -> str:
    wrong = sum(outcome.wrong for outcome in outcomes)
    if not outcomes:
        return f"| {name} | {passes} | 0 | | | |"
    low, high = wilson(wrong, len(outcomes))
    return f"| {name} | {passes} | {len(outcomes)} | {wrong} | {wrong / len(outcomes):.2%} | {low:.2%} to {high:.2%} |"


def by_hand(some: Sequence[Written]) -> str:
    """The pairs that people wrote, over texts that are no demo site's."""
    groups = {
        "changed, other than denied (at most 1 %)": [one for one in some if one.kind not in ("", "negation")],
        "denied, or a denial dropped (at most 20 %)": [one for one in some if one.kind == "negation"],
        "true, in other words or another language (at most 3 %)": [one for one in some if not one.kind],
    }
    lines = ["| written by hand | pairs | wrong | share | 95 % interval |", "|---|---:|---:|---:|---|"]
    for name, group in groups.items():
        wrong = sum(one.wrong for one in group)
        low, high = wilson(wrong, len(group))
        share = wrong / len(group)
        lines.append(f"| {name} | {len(group)} | {wrong} | {share:.2%} | {low:.2%} to {high:.2%} |")
    return "\n".join(lines)


def timing(outcomes: Sequence[Outcome]) -> str:
    """Milliseconds a sentence, and to prepare an answer's evidence."""
    sentence = sorted(outcome.ms for outcome in outcomes)
    prepared = sorted(outcome.prepare_ms for outcome in outcomes)
    return (
        f"A sentence takes (processor time) {statistics.median(sentence):.2f} ms at the median, {sentence[int(len(sentence) * 0.95)]:.2f} ms at the 95th and "
        f"{sentence[int(len(sentence) * 0.99)]:.2f} ms at the 99th percentile (target: under 5 ms). Reading an answer's evidence, once, before the "
        f"first sentence, takes {statistics.median(prepared):.0f} ms at the median."
    )


def section(outcomes: Sequence[Outcome]) -> str:
    """What goes into docs/benchmarks.md."""
    return f"""{HEADING}

Sentences over the real evidence of every demo site, five blocks each, made by `tests/generators/pairs.py`: the false ones
change a digit, a number, a currency, a unit, a date or a name, deny something, echo a false question, or say one record's
or person's facts of another; the true ones quote, shorten, round, rewrite numbers, dates, money and durations, or say a
record's fields in eight languages. *Wrong* is a false sentence released or a true one held.

{table(outcomes)}

Pairs that people wrote, over texts of their own (`tests/cases/guard`), in eight languages:

{by_hand(written())}

{timing(outcomes)}

Repeat: `python -m tests.bench.guard`.
"""


def write(text: str, path: Path) -> None:
    """Our section, put in place of the one that is there, or at the end."""
    before, found, rest = (
        path.read_text(encoding="utf-8") if path.exists() else "# Benchmarks\n\n"
    ).partition(HEADING + "\n")
    following = rest[rest.index("\n## ") + 1 :] if found and "\n## " in rest else ""
    path.write_text(
        f"{before.rstrip()}\n\n{text}{chr(10) + following if following else ''}", encoding="utf-8"
    )


def of_kind(made: Sequence[Pair], kind: str) -> list[Pair]:
    """Those of a kind, or all. Raises: SystemExit that names the kinds where none is of it."""
    found = [pair for pair in made if kind in ("", pair.kind)]
    if not made:
        sys.exit("bench: no pair could be made; --corpora names a folder with sites in it (NAME/site.yaml)")
    if not found:
        kinds = ", ".join(sorted({pair.kind for pair in made}))
        sys.exit(f"bench: no pair is of the kind {kind!r}; there are {kinds}")
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--corpora", type=folder, default=ROOT / "corpus")
    options.add_argument("--show", type=int, default=0)
    options.add_argument("--wrong", action="store_true")
    options.add_argument("--kind", default="")
    options.add_argument("--seed", type=int, default=20261130)
    options.add_argument("--cap", type=whole_number, default=250)
    options.add_argument("--no-write", action="store_true")
    chosen = options.parse_args()
    sites = corpora(chosen.corpora)
    made = of_kind(pairs(sites, chosen.seed, chosen.cap), chosen.kind)
    outcomes = run(made, {corpus.name: rules_for(corpus) for corpus in sites})
    _show(outcomes, chosen.show, chosen.wrong)
    print(section(outcomes))
    print(Counter(outcome.verdict.reason.value for outcome in outcomes if isinstance(outcome.verdict, Held)))
    if not (chosen.no_write or chosen.kind):
        write(section(outcomes), ROOT / "docs" / "benchmarks.md")
    if problems := missed(outcomes):
        sys.exit("missed: " + "; ".join(problems))


def _show(outcomes: list[Outcome], count: int, wrong: bool) -> None:
    shown = (
        [outcome for outcome in outcomes if outcome.wrong]
        if wrong
        else random.Random(1).sample(outcomes, min(count, len(outcomes)))
    )
    for outcome in shown[: count or None]:
        verdict = outcome.verdict
        why = (
            f"{verdict.reason} {[fact.text for fact in verdict.unsupported]}"
            if isinstance(verdict, Held)
            else f"released {verdict.supports}"
        )
        print(
            f"{'WRONG ' if outcome.wrong else ''}[{outcome.pair.kind}] {outcome.pair.source} {outcome.pair.sentence!r} -> {why}"
        )


if __name__ == "__main__":
    run_bench(main)
