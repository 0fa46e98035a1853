"""`magpie classify`: what kind of message it is, as the site file's classifier sees it."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cli.batches import worked
from cli.opening import Chosen, choose, environment
from cli.running import opened_site, question_of
from cli.showing import emit, out
from infra.local.problems import LocalProblem
from magpie.asking.extractive import ExtractiveClassifier
from magpie.wiring import SiteRuntime


@dataclass(frozen=True, slots=True)
class Message:
    """`id` is given back with the result; None for the command line's own."""

    id: Any
    text: str


def run_classify(
    text: str | None, file: Path | None, site: Path | None, corpus: Path | None, json_output: bool
) -> int:
    """0; one line a message, in order."""
    env = environment()
    messages = _messages(text, file)
    asyncio.run(_classify_all(messages, choose(site, corpus, env), env, json_output))
    return 0


def _messages(text: str | None, file: Path | None) -> tuple[Message, ...]:
    if (text is None) == (file is None):
        raise LocalProblem("give one message in quotes, or many with --file ROWS.jsonl")
    if text is not None:
        return (Message(None, text),)
    assert file is not None
    try:
        lines = (Path("/dev/stdin") if str(file) == "-" else file).read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as exc:
        raise LocalProblem(f"{file} can't be read: {exc}") from exc
    return tuple(_row(file, number, line) for number, line in enumerate(lines, start=1) if line.strip())


def _row(file: Path, number: int, line: str) -> Message:
    try:
        value = json.loads(line)
        return Message(value["id"], str(value["text"] if "text" in value else value["question"]))
    except (json.JSONDecodeError, KeyError, TypeError) as exc:
        raise LocalProblem(f"{file}, line {number}: must be an object with `id` and `text`") from exc


async def _classify_all(
    messages: tuple[Message, ...], chosen: Chosen, env: Mapping[str, str], json_output: bool
) -> None:
    async with opened_site(chosen, env) as runtime:
        await prepare(runtime)
        is_by_examples = isinstance(runtime.family.classifier, ExtractiveClassifier)
        texts = [message.text if is_by_examples else "" for message in messages]

        async def classify(message: Message) -> tuple[Message, dict[str, str]]:
            return message, await _classified(runtime, message.text)

        async for message, found in worked(messages, texts, runtime.recalling, classify):
            _tell(message, found, json_output)


async def prepare(runtime: SiteRuntime) -> None:
    """A batch judges its first message as its last: the local classifier's examples are there."""
    classifier = runtime.local.classifier
    if isinstance(classifier, ExtractiveClassifier):
        await classifier.prepare()


async def _classified(runtime: SiteRuntime, text: str) -> dict[str, str]:
    found = await runtime.family.classifier.classify(question_of(text, runtime.site.deadlines.front_s))
    return {
        "intent": found.intent.value,
        "task": found.task,
        "language": found.language,
        "decided_by": found.decided_by,
    }


def _tell(message: Message, found: Mapping[str, str], json_output: bool) -> None:
    if json_output:
        emit({**({} if message.id is None else {"id": message.id}), **found})
        return
    task = f" ({found['task']})" if found["task"] else ""
    out.print(f"{found['intent']}{task}  {found['language']}  by {found['decided_by']}", markup=False)
