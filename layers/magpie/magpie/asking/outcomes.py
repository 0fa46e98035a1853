"""
How an answer ends, as types, and how that is decided. No words go out from here: `telling` speaks.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from magpie.asking.evidence import merged, numbered
from magpie.asking.extractive.referring import points_nowhere
from magpie.asking.front import Faced
from magpie.asking.history import last_answer
from magpie.asking.links import LinkTokens
from magpie.asking.routes.names import strict
from magpie.asking.routes.unknown import names_in
from magpie.asking.routes.words import hears
from magpie.asking.sentences import Sentences
from magpie.model import Classification, Evidence, Intent, Passage, Plan, Question, RouteAnswer, Turn
from magpie.site import Site
from magpie.text.instructions import orders
from magpie.text.stems import key_set

LEAST_SPOKEN_OF = 2  # words that carry meaning; one alone is of any topic
SHARE_SPOKEN_OF = 2 / 3


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
    fixed topic) says where to go, or nothing may stand beside it (`is_alone`).
    """

    text: str
    url: str = ""
    is_fixed: bool = False
    is_alone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """
    Written from evidence. `found` is all that the search gave, for recommendations; `otherwise` what
    is told where the writer finds no answer in it.
    """

    otherwise: "Outcome"
    plan: Plan
    evidence: tuple[Evidence, ...]
    links: LinkTokens
    directs: tuple[str, ...] = ()
    found: tuple[Passage, ...] = ()
    is_doubtful: bool = False


Outcome = SmallTalk | Unsupported | Transformed | Clarify | Handoff | Answered


def decide(question: Question, faced: Faced, site: Site, own: Sentences) -> Outcome:
    """The outcome of a question that was faced. Deterministic: no model is asked here."""
    classification = faced.classification
    match classification.intent:
        case Intent.SMALL_TALK | Intent.UNSUPPORTED:
            away = _sent_away(question, classification, site, own)
            return _from_evidence(question, faced, site, own, away) if faced.answers else away
        case Intent.TRANSFORM:
            return _transformed(question, classification.task, own)
        case Intent.RAG_QUESTION:
            return _from_evidence(question, faced, site, own, None)


def _sent_away(
    question: Question, classification: Classification, site: Site, own: Sentences
) -> SmallTalk | Unsupported:
    """A question that only resembles small talk, and does not ask about the assistant, gets no introduction."""
    is_guess = classification.decided_by == "examples" and "?" in question.text
    is_talk = not is_guess or hears("assistant", question.text)
    if classification.intent is Intent.SMALL_TALK and is_talk:
        text = classification.response or own.say("small_talk", name=site.persona.name, site=site.site.name)
        return SmallTalk(text=text)
    return Unsupported(text=classification.response or own.say("unsupported", site=site.site.name))


def _transformed(question: Question, task: str, own: Sentences) -> Outcome:
    turn = last_answer(question)
    if turn is None:
        return Clarify(text=own.say("which_answer"))
    return Transformed(turn=turn, task=task or "shorten")


def _from_evidence(
    question: Question, faced: Faced, site: Site, own: Sentences, away: Outcome | None
) -> Outcome:
    """
    `away` is what a question in doubt ends with where the pages do not answer it. One that a route
    knows by its words is in no doubt any more; and what a page speaks of is not sent away as none of ours.
    """
    passages = merged(faced.answers)
    directs = tuple(answer.direct for answer in faced.answers if answer.direct)
    is_in_doubt = away is not None and not _is_of_the_site(question, faced)
    is_away = is_in_doubt and not (isinstance(away, Unsupported) and _is_spoken_of(question.text, passages))
    otherwise = away if away and is_away else _unanswered(question, faced, site, own)
    if not passages and not directs:
        return otherwise
    links = LinkTokens(site.own_hosts)
    evidence = numbered(passages, site.speaking.context_chars, links)
    return Answered(
        otherwise=otherwise,
        plan=faced.plan,
        evidence=evidence,
        links=links,
        directs=directs,
        found=passages,
        is_doubtful=is_in_doubt,
    )


def _is_of_the_site(question: Question, faced: Faced) -> bool:
    """Whether a route knows the question by its words, a page is open, or a name of it stands in what was found."""
    if question.page is not None or any(answer.route != "semantic" for answer in faced.answers):
        return True
    names = names_in(question.text, faced.classification.language)
    found = " ".join(f"{one.title} {one.content}" for answer in faced.answers for one in answer.passages)
    return any(strict(name).search(found) for name in names)


def _is_spoken_of(text: str, passages: Sequence[Passage]) -> bool:
    """Whether one passage holds most of the words: what it does not answer, a person may."""
    return any(
        len(words) >= LEAST_SPOKEN_OF
        and len(words & key_set(f"{one.title} {one.content}", str(one.language)))
        >= SHARE_SPOKEN_OF * len(words)
        for one in passages
        for words in [key_set(text, str(one.language))]
    )


def _unanswered(question: Question, faced: Faced, site: Site, own: Sentences) -> Outcome:
    """The end of a question that the pages do not answer."""
    answers = faced.answers
    if choices := _choices(answers):
        return Clarify(text=own.say("which_one", choices=listed(choices, own.say("or"))), choices=choices)
    if unconfirmed := [answer for answer in answers if answer.unconfirmed]:
        return _unconfirmed(question, unconfirmed[0], own)
    if answers and all(answer.route == "assistant" for answer in answers):
        return SmallTalk(text=_itself(site, own))
    if hears("prospect", question.text):
        return Handoff(text=own.say("project_welcome"))
    if points_nowhere(question):
        return Clarify(text=own.say("which_thing"))
    return Handoff(text=own.say("handoff"))


def _itself(site: Site, own: Sentences) -> str:
    """What the assistant says of itself: the owner's words where they are in the visitor's language."""
    disclosure = site.persona.disclosure.only_in(own.language, site.site.corpus_language)
    return disclosure or own.say("small_talk", name=site.persona.name, site=site.site.name)


def _unconfirmed(question: Question, answer: RouteAnswer, own: Sentences) -> Handoff:
    """We say what it is that no page tells of, unless the word is a bare number, or we were told to say it."""
    term = answer.unconfirmed
    if orders(question.text) or not any(char.isalpha() for char in term):
        return Handoff(text=own.say("handoff"))
    return Handoff(text=own.say("not_mentioned" if answer.route == "semantic" else "unconfirmed", term=term))


def _choices(answers: Sequence[RouteAnswer]) -> tuple[str, ...]:
    """The names between which the visitor must choose, each once."""
    return tuple(dict.fromkeys(choice for answer in answers for choice in answer.choices))


def listed(names: Sequence[str], conjunction: str) -> str:
    """`A, B or C`."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {conjunction} {names[-1]}"
