"""`magpie evaluate`: a site's own questions asked of it, and how well they were answered."""

import asyncio
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cli.opening import Chosen, choose, environment
from cli.rows import read_text
from cli.running import opened_site
from cli.showing import emit, err, out
from infra.local.problems import LocalProblem
from magpie.learning.calibrating import calibration
from magpie.learning.gating import examined
from magpie.learning.scoring import Expected, Judged, drops, questions_of, report
from magpie.text.json_value import json_value

TOLERANCE = 0.03
WIDTH = 80


def run_evaluate(
    questions: Path,
    site: Path | None,
    corpus: Path | None,
    json_output: bool,
    against: Path | None = None,
    tolerance: float = TOLERANCE,
    verbose: bool = False,
) -> int:
    """0; 1 when a rate fell by more than the tolerance since the report in `against`."""
    env = environment()
    rows = read_questions(questions)
    before = earlier(against)
    if not 0 <= tolerance <= 1:  # with "nan" no fall would ever be too far
        raise LocalProblem(f"--tolerance is a share from 0 to 1, not {tolerance:g}")
    chosen = choose(site, corpus, env)
    judged = asyncio.run(_judge_all(rows, chosen, env))
    result = {**report(judged, chosen.site.site.corpus_language), "confidence": calibration(judged)}
    worse = drops(result, before, tolerance) if before else ()
    if json_output:
        emit({**result, "drops": list(worse)})
    else:
        told = [one for one in judged if verbose or one.is_confident_wrong]
        show(result, told, chosen.site.site.name)
    for line in worse:
        err.print(f"worse than before: {line}", markup=False)
    return 1 if worse else 0


def read_questions(file: Path) -> tuple[Expected, ...]:
    """Raises: LocalProblem; CorpusInvalid that names file and line."""
    try:
        return questions_of(file.read_bytes(), str(file))
    except OSError as exc:
        raise LocalProblem(f"{file} can't be read: {exc.strerror}") from exc


def earlier(file: Path | None) -> Mapping[str, Any]:
    if file is None:
        return {}
    try:
        return {"overall": json_value(read_text(file))["overall"]}
    except (ValueError, KeyError, TypeError) as exc:
        told = exc if isinstance(exc, ValueError) else "lacks `overall`"
        raise LocalProblem(f"{file} is no report of `magpie evaluate --json`: {told}") from exc


async def _judge_all(rows: Sequence[Expected], chosen: Chosen, env: Mapping[str, str]) -> list[Judged]:
    async with opened_site(chosen, env) as runtime:
        version = await runtime.catalogue.active_version()
        return list(await examined(runtime.examinee(version, runtime.site), rows))


# --- For people -------------------------------------------------------------------------------

RATES = ("answered_right", "key_facts", "refused", "kept_out", "confident_wrong")


def show(result: Mapping[str, Any], judged: Sequence[Judged], site: str) -> None:
    """In lines of at most 80 characters, whatever is at the other end of the pipe."""
    overall = result["overall"]
    out.print(f"{site}: {overall['questions']} questions", style="bold", markup=False)
    for name in RATES:
        if name in overall:
            out.print(f"  {name.replace('_', ' '):<16}{_cell(overall[name])}", markup=False)
    if "mrr" in overall:
        hits = ", ".join(f"{name} {_count(overall[name])}" for name in ("hit@1", "hit@5", "hit@10"))
        out.print(f"  {'retrieval':<16}{hits}, MRR {overall['mrr']:.2f}", markup=False)
    _show_groups("kind", result["by_kind"])
    _show_groups("language", result["by_language"])
    _show_parity(result["parity"])
    _show_confidence(result.get("confidence"))
    for one in judged:
        out.print(f"\n{one.id} {one.kind}: {_mark(one)}, {one.given.outcome}", markup=False)
        out.print(textwrap.indent(textwrap.fill(one.given.text, WIDTH - 2), "  "), markup=False)


def _show_confidence(found: Any) -> None:
    """How sure the answers said they were, against how many were right."""
    if not found or not found["table"]:
        return
    out.print(f"\n{'confidence':<18}{'answers':>8}{'said':>8}{'right':>8}  95 % interval", markup=False)
    for row in found["table"]:
        low, high = row["wilson"]
        scale = f"{row['from']:.1f} to {row['to']:.1f}"
        said, right = f"{row['said']:.2f}", f"{row['rate']:.2f}"
        out.print(f"{scale:<18}{row['count']:>8}{said:>8}{right:>8}  {low:.2f} to {high:.2f}", markup=False)
    out.print(f"Said and right are {found['error']:.2f} apart on average.")
    if found["points"]:
        out.print(
            f"To say what holds, write into the site file:\nconfidence: {{points: {found['points']}}}",
            markup=False,
        )


def _show_groups(title: str, groups: Mapping[str, Any]) -> None:
    out.print(f"\n{title:<18}{'asked':>6}{'right':>8}{'refused':>9}{'wrong':>8}  hit@5", markup=False)
    for group, sums in groups.items():
        cells = (_count(sums.get(name)) for name in ("answered_right", "refused", "confident_wrong", "hit@5"))
        right, refused, wrong, hit = cells
        line = f"{group[:17]:<18}{sums['questions']:>6}{right:>8}{refused:>9}{wrong:>8}  {hit}"
        out.print(line.rstrip(), markup=False)


def _show_parity(languages: Mapping[str, Any]) -> None:
    if not languages:
        return
    out.print("\nThe same questions in each language", markup=False)
    for code, rate in languages.items():
        gap = "" if not rate["gap"] else f", {rate['gap']:.0f} points behind"
        ahead = "" if (rate["gap"] or 0) >= 0 else f", {-rate['gap']:.0f} points ahead"
        out.print(f"  {code}  {_cell(rate)}{ahead or gap}", markup=False)


def _mark(one: Judged) -> str:
    if one.is_confident_wrong:
        return "wrong"
    return "as expected" if one.ended_well else "not answered"


def _count(rate: Any) -> str:
    return "" if rate is None else f"{rate['hits']}/{rate['count']}"


def _cell(rate: Any) -> str:
    low, high = rate["wilson"]
    return f"{_count(rate):<8}{rate['rate']:>5.0%}  ({low:.0%} to {high:.0%})"
