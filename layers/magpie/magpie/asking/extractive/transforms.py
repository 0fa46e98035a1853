"""What can be done to the last answer without a model: shorter, its first point, as a list, again, its sources."""

import re

from magpie.asking.sentences import SPOKEN, sentences
from magpie.ports import WritingTask
from magpie.text.sentences import split

SHORT_SENTENCES = 1


def transformed(task: WritingTask) -> str:
    """The draft in another form; what would need a model is declined in so many words."""
    own = sentences(task.language)
    lead, text = _without_own_words(task.draft.strip())
    parts = [sentence.strip() for sentence in split(text) if sentence.strip()]
    kind = task.task.split(":")[0]
    if kind == "translate":
        return own.say("cannot_translate")
    if kind in {"repeat", "continue"}:
        return task.draft.strip()
    if kind in {"bullets", "format"}:
        return "\n".join(filter(None, (lead, *(f"- {part.removeprefix('- ')}" for part in parts))))
    if kind == "expand":
        return own.say("cannot_expand")
    if kind == "sources":
        return _sources(task)
    short = " ".join(parts[:SHORT_SENTENCES])
    if kind in {"simplify", "tone"}:
        return f"{own.say('cannot_rephrase')} {short}"
    told = _values(text) if "number" in task.question.text.casefold() and _values(text) else short
    return "\n".join(filter(None, (lead, told)))


def _without_own_words(text: str) -> tuple[str, str]:
    """The lead-in of a quotation, and the quotation itself without the question that we put after it."""
    for code in SPOKEN:
        own = sentences(code)
        text = text.removesuffix(own.say("ask_back")).strip()
        if text.startswith(own.say("quoted")):
            return own.say("quoted"), text.removeprefix(own.say("quoted")).strip()
    return "", text


def _values(text: str) -> str:
    """The sentences that hold a number."""
    return " ".join(part.strip() for part in split(text) if re.search(r"\d", part))


def _sources(task: WritingTask) -> str:
    own = sentences(task.language)
    last = task.question.history[-1] if task.question.history else None
    cited = last.citations if last else ()
    if not cited:
        return own.say("no_sources")
    return "\n".join((own.say("sources"), *(f"- {citation.title}" for citation in cited)))
