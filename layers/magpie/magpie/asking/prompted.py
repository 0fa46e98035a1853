"""
The prompted family: classifier, planner and writer over any chat model.

Whatever a model says wrongly is replaced by what the ledger says: an unusable classification is
a question, an unusable plan is the visitor's own words. Both are counted by who asked.
"""

import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from secrets import token_hex
from typing import Any

from magpie.asking.front import MOST_ITEMS, Family
from magpie.asking.history import last_answer, remembered
from magpie.asking.prompts import (
    CLASSIFIER,
    NO_ANSWER,
    PLANNER,
    REPAIR,
    TASKS,
    TRANSFORM,
    TRANSLATE,
    WRITER,
    data_message,
    marks_of,
    system_prompt,
    told_evidence,
    told_turns,
)
from magpie.asking.sentences import sentences
from magpie.asking.streams import flowing
from magpie.asking.trail import Clock, added
from magpie.errors import ProviderUnavailable
from magpie.model import (
    ChatMessage,
    ChatPiece,
    Classification,
    Intent,
    Language,
    Mode,
    Plan,
    PlanItem,
    Prompt,
    Question,
    Usage,
)
from magpie.ports import ChatModel, WritingTask
from magpie.site import Site
from magpie.text.markup import plain
from magpie.text.voice import claims_generic

JSON_TOKENS = 400
MAX_RESPONSE_CHARS = 400
MAX_QUERY_CHARS = 400
MAX_LABEL_CHARS = 100
LEAST_TIMEOUT_S = 0.5
ASSERTS = re.compile(r"\d|@|https?:|www\.", re.IGNORECASE)


def prompted_family(
    site: Site, *, classifier: ChatModel, planner: ChatModel, writer: ChatModel, clock: Clock
) -> Family:
    """The family over three chat models, which may be one."""
    canary = token_hex(12)
    return Family(
        classifier=PromptedClassifier(site, classifier, clock),
        planner=PromptedPlanner(site, planner, clock),
        writer=PromptedWriter(site, writer, clock, canary),
        marks=marks_of(site, canary),
    )


class PromptedClassifier:
    """One call, temperature 0, JSON."""

    def __init__(self, site: Site, model: ChatModel, clock: Clock) -> None:
        self._model = model
        self._clock = clock
        self._site = site
        tasks = ", ".join(f'"{task}"' for task in TASKS)
        self._system = system_prompt(CLASSIFIER, site, tasks=tasks)

    async def classify(self, question: Question) -> Classification:
        """Never raises for what a model does: an unusable answer is a question about the site."""
        told = last_answer(question)
        data = data_message(message=question.text, last_answer=told.text if told else "")
        reply = await _asked(self._model, (self._system, data), question, self._clock, self._site)
        fields = _object(reply.text)
        presumed = Classification(
            intent=Intent.RAG_QUESTION,
            language=Language(""),
            decided_by="fallback",
            malformed=not reply.failed,
            usage=reply.usage,
        )
        return _classification(fields, reply.usage) or presumed


class PromptedPlanner:
    """One call, temperature 0, JSON."""

    def __init__(self, site: Site, model: ChatModel, clock: Clock) -> None:
        self._site = site
        self._model = model
        self._clock = clock
        self._system = system_prompt(PLANNER, site, most=str(MOST_ITEMS))

    async def plan(self, question: Question) -> Plan:
        """Never raises for what a model does: an unusable plan is the visitor's own words."""
        history = remembered(question, self._site.speaking.history)
        data = data_message(history=told_turns(history), message=question.text)
        reply = await _asked(self._model, (self._system, data), question, self._clock, self._site)
        items = _items(_object(reply.text))
        if items:
            return Plan(items=items, decided_by="model", usage=reply.usage)
        own_words = (PlanItem(query=question.text),)
        return Plan(items=own_words, decided_by="fallback", malformed=not reply.failed, usage=reply.usage)


class PromptedWriter:
    """Streams an answer from evidence, or a transform of one, in the visitor's language."""

    def __init__(self, site: Site, model: ChatModel, clock: Clock, canary: str) -> None:
        self._site = site
        self._model = model
        self._clock = clock
        self._system = system_prompt(WRITER, site, canary=canary, no_answer=NO_ANSWER)

    @property
    def name(self) -> str:
        return self._model.name

    async def write(self, task: WritingTask) -> AsyncIterator[ChatPiece]:
        """Raises: ProviderUnavailable, also in the middle."""
        speaking = self._site.speaking
        prompt = Prompt(
            messages=(self._system, self._data(task)),
            temperature=speaking.temperature,
            max_tokens=speaking.max_tokens,
            timeout_s=max(LEAST_TIMEOUT_S, task.question.deadline - self._clock.monotonic()),
        )
        async with flowing(self._model.stream(prompt)) as pieces:
            async for piece in pieces:
                yield piece

    def _data(self, task: WritingTask) -> ChatMessage:
        language = sentences("en").languages.get(task.language, task.language)
        match task.purpose:
            case "transform":
                return self._transform_data(task, language)
            case "repair":
                return self._repair_data(task, language)
        history = remembered(task.question, self._site.speaking.history)
        return data_message(
            question=task.question.text,
            history=told_turns(history),
            evidence=told_evidence(task.evidence),
            facts=list(task.directs),
            language=language,
        )

    def _transform_data(self, task: WritingTask, language: str) -> ChatMessage:
        target = task.task.removeprefix("translate:")
        is_translation = target != task.task
        wanted = sentences("en").languages.get(target, target) if is_translation else language
        return data_message(
            request="Give `answer`, our own last one, in another form. " + _transform(task.task),
            question=task.question.text,
            answer=task.draft,
            evidence=[{"number": 1, "scope": "company", "title": "our last answer", "text": task.draft}],
            facts=[],
            language=wanted,
        )

    def _repair_data(self, task: WritingTask, language: str) -> ChatMessage:
        return data_message(
            request=REPAIR[task.task or "unproven"],
            draft=task.draft,
            evidence=told_evidence(task.evidence),
            facts=list(task.directs),
            language=language,
        )


def _transform(task: str) -> str:
    return TRANSLATE if task.startswith("translate:") else TRANSFORM.get(task, TRANSFORM["shorten"])


# --- Asking for JSON ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """All that a model said. `failed`: the provider, not the words."""

    text: str = ""
    usage: Usage | None = None
    failed: bool = False


async def _asked(
    model: ChatModel, messages: tuple[ChatMessage, ...], question: Question, clock: Clock, site: Site
) -> Reply:
    left_s = min(site.deadlines.front_s, question.deadline - clock.monotonic())
    prompt = Prompt(
        messages=messages,
        temperature=0.0,
        max_tokens=JSON_TOKENS,
        json_object=True,
        timeout_s=max(LEAST_TIMEOUT_S, left_s),
    )
    reply = Reply()
    try:
        async with flowing(model.stream(prompt)) as pieces:
            async for piece in pieces:
                reply = _grown(reply, piece)
    except ProviderUnavailable:
        return replace(reply, text="", failed=True)
    return reply


def _grown(reply: Reply, piece: ChatPiece) -> Reply:
    usage = added(reply.usage, piece.usage) if reply.usage and piece.usage else piece.usage or reply.usage
    return replace(reply, text=reply.text + piece.text, usage=usage)


def _object(text: str) -> Mapping[str, Any]:
    """The JSON object in a model's answer, whatever stands around it; empty where there is none."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return {}
    try:
        found = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _classification(fields: Mapping[str, Any], usage: Usage | None) -> Classification | None:
    """None for an intent that is not ours, or a transform that we do not know."""
    intent, task = fields.get("intent"), fields.get("task") or ""
    if intent not in list(Intent) or not isinstance(task, str):
        return None
    if intent == Intent.TRANSFORM and not _is_task(task):
        return None
    return Classification(
        intent=Intent(intent),
        language=_language(fields.get("language")),
        task=task if intent == Intent.TRANSFORM else "",
        response=_response(fields.get("response")),
        decided_by="model",
        usage=usage,
    )


def _is_task(task: str) -> bool:
    return task in TASKS or re.fullmatch(r"translate:[a-z]{2}", task) is not None


def _language(value: object) -> Language:
    """A two-letter code; empty where the model gave none."""
    code = value.lower()[:2] if isinstance(value, str) else ""
    return Language(code if re.fullmatch(r"[a-z]{2}", code) else "")


def _response(value: object) -> str:
    """A ready reply, unless it is long or asserts something: then our own sentence serves."""
    text = " ".join(value.split()) if isinstance(value, str) else ""
    is_unfit = len(text) > MAX_RESPONSE_CHARS or ASSERTS.search(text) or claims_generic(text)
    return "" if is_unfit else plain(text).strip()


def _items(fields: Mapping[str, Any]) -> tuple[PlanItem, ...]:
    """At most six usable items; none where the plan as a whole is unusable."""
    rows = fields.get("items")
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        return ()
    items = (_item(row) for row in rows if isinstance(row, dict))
    return tuple(dict.fromkeys(item for item in items if item is not None))[:MOST_ITEMS]


def _item(row: Mapping[str, Any]) -> PlanItem | None:
    query = _words(row.get("query"), MAX_QUERY_CHARS)
    if not query:
        return None
    mode = row.get("mode")
    return PlanItem(
        query=query,
        mode=Mode(mode) if mode in list(Mode) else Mode.DIRECT_EVIDENCE,
        entity=_words(row.get("entity"), MAX_LABEL_CHARS),
        subject=_words(row.get("subject"), MAX_LABEL_CHARS),
    )


def _words(value: object, limit: int) -> str:
    return " ".join(value.split())[:limit] if isinstance(value, str) else ""
