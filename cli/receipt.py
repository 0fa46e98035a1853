"""`magpie receipt verify`: does what a receipt says hold?"""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cli.opening import choose, environment
from cli.running import opened_site
from cli.showing import emit, out
from infra.local.problems import LocalProblem
from magpie.asking.verifying import Given, Verdict, given_in, verified
from magpie.text.json_value import json_value
from magpie.wiring import SiteRuntime


def run_verify(target: str | None, answer: str, site: Path | None, corpus: Path | None, as_json: bool) -> int:
    """
    0 when every receipt holds, 1 when one does not.

    Raises: LocalProblem when there is nothing to verify.
    """
    if (target is None) == (not answer):
        raise LocalProblem("give a FILE (`-`: standard input), or the id of a recorded answer with --answer")
    verdicts = asyncio.run(_verdicts(target, answer, site, corpus))
    for verdict in verdicts:
        emit(_fields(verdict)) if as_json else _show(verdict)
    return 0 if all(verdict.holds for verdict in verdicts) else 1


async def _verdicts(
    target: str | None, answer: str, site: Path | None, corpus: Path | None
) -> tuple[Verdict, ...]:
    env = environment()
    given = () if target is None else _read(target)
    async with opened_site(choose(site, corpus, env), env) as runtime:
        found = given or (await _recorded(runtime, answer),)
        return tuple([await verified(one, runtime.receipts, runtime.conversations) for one in found])


async def _recorded(runtime: SiteRuntime, answer: str) -> Given:
    since = runtime.site.privacy.kept_since(datetime.now(UTC))
    found = await runtime.conversations.answer(answer, since=since)
    if found is None or not found.receipt:
        raise LocalProblem(
            f"no answer {answer} with a receipt is recorded; `magpie conversations` lists what is"
        )
    return Given(receipt=found.receipt, text=found.answer, answer_id=answer, masked=found.masked)


# --- Reading ----------------------------------------------------------------------------------


def _read(target: str) -> tuple[Given, ...]:
    try:
        data = sys.stdin.buffer.read() if target == "-" else Path(target).read_bytes()
        text = data.decode("utf-8-sig").strip()
    except OSError as exc:
        raise LocalProblem(f"{target} can't be read: {exc.strerror or exc}") from exc
    except UnicodeDecodeError as exc:
        raise LocalProblem(f"{target} is not UTF-8 text, so no receipt of ours") from exc
    given = tuple(given_in(_values(text, target))) if text[:1] in "{d:e[" else (Given(receipt=text),)
    if not given or not text:
        raise LocalProblem(
            f"{target} holds no receipt; give one alone, an answer of `magpie ask --json`, "
            "a stream of POST /chat, or what `magpie export` prints"
        )
    return given


def _values(text: str, target: str) -> Sequence[Mapping[str, Any]]:
    """One JSON object, or one a line; in a stream of server-sent events what stands behind `data:`."""
    try:
        return _objects([json_value(text)])
    except ValueError:
        pass
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith(("event:", ":"))]
    try:
        return _objects([json_value(line.removeprefix("data:")) for line in lines])
    except ValueError as exc:
        raise LocalProblem(f"{target} is neither a receipt nor JSON; was it changed on its way?") from exc


def _objects(values: Sequence[Any]) -> Sequence[Mapping[str, Any]]:
    return [value for value in values if isinstance(value, dict)]


# --- Showing ----------------------------------------------------------------------------------

MARKS = {True: "[green]holds[/green]", False: "[red]does not hold[/red]", None: "[dim]not checked[/dim]"}


def _show(verdict: Verdict) -> None:
    receipt = verdict.receipt
    if receipt is not None:
        out.print(f"answer {receipt.answer_id}, {receipt.at:%Y-%m-%d %H:%M} UTC", markup=False)
        writer = receipt.writer or "own words"
        out.print(
            f"  {receipt.outcome.value}, version {receipt.version_id}, {writer}", style="dim", markup=False
        )
    for name in ("signature", "text", "evidence"):
        out.print(f"  {name:<10} {MARKS[getattr(verdict, name)]}")
    for note in verdict.notes:
        out.print(f"  {note}", style="dim", markup=False)


def _fields(verdict: Verdict) -> dict[str, Any]:
    checks = {"signature": verdict.signature, "text": verdict.text, "evidence": verdict.evidence}
    told = {"holds": verdict.holds, **checks, "notes": list(verdict.notes)}
    receipt = verdict.receipt
    if receipt is None:
        return told
    return {
        **told,
        "receipt": {
            "answer_id": receipt.answer_id,
            "session_id": receipt.session_id,
            "at": receipt.at.isoformat(),
            "outcome": receipt.outcome.value,
            "language": receipt.language,
            "version": receipt.version_id,
            "evidence": list(receipt.evidence),
            "writer": receipt.writer,
            "prompt_hash": receipt.prompt_hash,
            "policy_hash": receipt.policy_hash,
            "verdicts": dict(receipt.verdicts),
            "text_hash": receipt.text_hash,
        },
    }
