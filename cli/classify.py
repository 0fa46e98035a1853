"""`magpie classify`: what kind of message it is, as the site file's classifier sees it."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cli.batches import worked
from cli.opening import Chosen, choose, environment
from cli.rows import objects, whole
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
    if file is not None:
        rows = objects(file, "an object with `id` and `text`")
        return tuple(_message(value, where) for value, where in rows)
    return (Message(None, whole(text or "", "the message")),)


def _message(value: Mapping[str, Any], where: str) -> Message:
    text = value.get("text", value.get("question"))
    if not isinstance(text, str):
        raise LocalProblem(f"{where}: must be an object with `id` and `text`")
    return Message(value["id"], text)


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
