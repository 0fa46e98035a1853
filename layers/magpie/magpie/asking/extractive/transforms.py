"""What can be done to the last answer without a model: shorter, its first point, as a list, again, its sources."""

import re

from magpie.asking.sentences import sentences
from magpie.ports import WritingTask
from magpie.text.sentences import split

SHORT_SENTENCES = 1


def transformed(task: WritingTask) -> str:
    """The draft in another form; what would need a model is declined in so many words."""
    own = sentences(task.language)
    text = task.draft.strip()
    parts = [sentence.strip() for sentence in split(text) if sentence.strip()]
    kind = task.task.split(":")[0]
    if kind == "translate":
        return own.say("cannot_translate")
    if kind in {"repeat", "continue"}:
        return text
    if kind in {"bullets", "format"}:
        return "\n".join(f"- {part}" for part in parts)
    if kind == "expand":
        return own.say("cannot_expand")
    if kind == "sources":
        return _sources(task)
    short = " ".join(parts[:SHORT_SENTENCES])
    if kind in {"simplify", "tone"}:
        return f"{own.say('cannot_rephrase')} {short}"
    return _values(text) if "number" in task.question.text.casefold() and _values(text) else short


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
