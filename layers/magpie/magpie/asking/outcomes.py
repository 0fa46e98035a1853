"""
How an answer ends, as types, and how that is decided. No words go out from here: `telling` speaks.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from magpie.asking.evidence import merged, numbered
from magpie.asking.front import Faced
from magpie.asking.history import last_answer
from magpie.asking.links import LinkTokens
from magpie.asking.sentences import Sentences
from magpie.model import Evidence, Intent, Passage, Plan, Question, RouteAnswer, Turn
from magpie.site import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallTalk:
    """A courtesy, or a word about the assistant itself. `preference` as in `Done`."""

    text: str
    preference: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsupported:
    """Not what this site is about."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Transformed:
    """Our last answer again, in another form; no search."""

    turn: Turn
    task: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Clarify:
    """A question back. `choices` are names to choose between, where there are any."""

    text: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Handoff:
    """
    The honest way out. `text` says why; who can help is added by the teller, unless `url` (of a
    fixed topic) says where to go.
    """

    text: str
    url: str = ""
    is_fixed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """Written from evidence. `found` is all that the search gave, for recommendations."""

    plan: Plan
    evidence: tuple[Evidence, ...]
    links: LinkTokens
    directs: tuple[str, ...] = ()
    found: tuple[Passage, ...] = ()


Outcome = SmallTalk | Unsupported | Transformed | Clarify | Handoff | Answered


def decide(question: Question, faced: Faced, site: Site, own: Sentences) -> Outcome:
    """The outcome of a question that was faced. Deterministic: no model is asked here."""
    classification = faced.classification
    match classification.intent:
        case Intent.SMALL_TALK:
            text = classification.response or own.say(
                "small_talk", name=site.persona.name, site=site.site.name
            )
            return SmallTalk(text=text)
        case Intent.UNSUPPORTED:
            return Unsupported(text=classification.response or own.say("unsupported", site=site.site.name))
        case Intent.TRANSFORM:
            return _transformed(question, classification.task, own)
        case Intent.RAG_QUESTION:
            return _from_evidence(faced, site, own)


def _transformed(question: Question, task: str, own: Sentences) -> Outcome:
    turn = last_answer(question)
    if turn is None:
        return Clarify(text=own.say("which_answer"))
    return Transformed(turn=turn, task=task or "shorten")


def _from_evidence(faced: Faced, site: Site, own: Sentences) -> Outcome:
    passages = merged(faced.answers)
    directs = tuple(answer.direct for answer in faced.answers if answer.direct)
    if passages or directs:
        links = LinkTokens(site.own_hosts)
        evidence = numbered(passages, site.speaking.context_chars, links)
        return Answered(plan=faced.plan, evidence=evidence, links=links, directs=directs, found=passages)
    if choices := _choices(faced.answers):
        return Clarify(text=own.say("which_one", choices=listed(choices, own.say("or"))), choices=choices)
    if unconfirmed := [answer for answer in faced.answers if answer.unconfirmed]:
        words = "not_mentioned" if unconfirmed[0].route == "semantic" else "unconfirmed"
        return Handoff(text=own.say(words, term=unconfirmed[0].unconfirmed))
    return Handoff(text=own.say("handoff"))


def _choices(answers: Sequence[RouteAnswer]) -> tuple[str, ...]:
    """The names between which the visitor must choose, each once."""
    return tuple(dict.fromkeys(choice for answer in answers for choice in answer.choices))


def listed(names: Sequence[str], conjunction: str) -> str:
    """`A, B or C`."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {conjunction} {names[-1]}"
