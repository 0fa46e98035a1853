"""Answers that stand in metadata: counts, dates, authors, titles. Sentences of our own, values of the sources."""

from datetime import date

from magpie.asking.extractive.terms import coverage, held_by, share_of, terms_of
from magpie.asking.extractive.units import units_of
from magpie.asking.routes.articles import display_name
from magpie.asking.sentences import Sentences, sentences
from magpie.model import Evidence, Scope
from magpie.ports import WritingTask
from magpie.site import Site
from magpie.text.language import detect

ROUTES = (
    "articles_latest",
    "articles_oldest",
    "articles_in_period",
    "articles_by_author",
    "articles_count",
    "articles_topic",
    "projects_top",
    "catalogue",
)
LONGEST_STATE_CHARS, LEAST_TOLD_WORDS = 40, 6
WORTH, MOST_ON_TOPIC, LEAST_ON_TOPIC = 0.8, 3, 0.5  # of the best score; articles that are named for a topic


def from_metadata(task: WritingTask, site: Site) -> str:
    """The answer where every piece of evidence came from such a route; empty elsewhere."""
    own = sentences(task.language)
    routes = {item.passage.route for item in task.evidence}
    if task.directs and (not routes or routes == {"articles_count"}):
        return _counted(task, own)
    if len(routes) != 1 or not routes <= set(ROUTES):
        return ""
    route = routes.pop()
    if route == "articles_latest":
        return _latest(task, own)
    if route == "articles_oldest":
        return (
            own.say("oldest_article", article=_article(task.evidence[0], own))
            + f" [{task.evidence[0].number}]"
        )
    if route == "articles_topic":
        return _on_topic(task, own)
    if route in {"projects_top", "catalogue"}:
        count = task.directs[0].rpartition(": ")[2] if task.directs else ""
        lead = own.say("catalogue_count", count=count) if count else ""
        return "\n".join(filter(None, (lead, *(_entry(item, task.language) for item in task.evidence))))
    return "\n".join(
        (own.say("these_articles"), *(f"- {_article(item, own)} [{item.number}]" for item in task.evidence))
    )


def _on_topic(task: WritingTask, own: Sentences) -> str:
    """The articles that speak of the topic by name, or nothing: likeness alone proves no topic."""
    language = detect(task.question.text) or task.language
    best = max(item.passage.score for item in task.evidence)
    told: dict[object, str] = {}
    for item in task.evidence:
        if item.passage.score >= WORTH * best and _speaks_of(task, item, language):
            told.setdefault(item.passage.key, f"- {_article(item, own)} [{item.number}]")
    lines = list(told.values())[:MOST_ON_TOPIC]
    return "\n".join((own.say("these_articles"), *lines)) if lines else ""


def _speaks_of(task: WritingTask, item: Evidence, language: str) -> bool:
    is_foreign = str(item.passage.language) != language
    terms = [term for term in terms_of(task.question.text, language, {}) if not term.is_pale]
    held = held_by(f"{item.passage.title} {item.text}", item.passage.language)
    return coverage(terms, [share_of(term, held, is_foreign=is_foreign) for term in terms]) >= LEAST_ON_TOPIC


def _latest(task: WritingTask, own: Sentences) -> str:
    first, *others = task.evidence
    lines = [own.say("latest_article", article=_article(first, own)) + f" [{first.number}]"]
    if excerpt := first.passage.metadata.get("excerpt") or first.passage.metadata.get("description"):
        lines.append(f"{str(excerpt).strip()} [{first.number}]")
    if _wants_several(task.question.text) and others:
        lines.append(own.say("before_it"))
        lines += [f"- {_article(item, own)} [{item.number}]" for item in others]
    return "\n".join(lines)


def _wants_several(text: str) -> bool:
    plurals = (
        "articles",
        "posts",
        "artigos",
        "artículos",
        "entradas",
        "beiträge",
        "articoli",
        "artikelen",
        "textos",
        "billets",
        "các bài",
    )
    return any(word in text.casefold() for word in plurals)


def _article(item: Evidence, own: Sentences) -> str:
    """`“Title” (10 December 2024, Ana Luz)`."""
    passage = item.passage
    known = (spoken_date(passage.published, own) if passage.published else "", ", ".join(authors(item)))
    details = ", ".join(filter(None, known))
    return f"“{passage.title}”" + (f" ({details})" if details else "")


def authors(item: Evidence) -> tuple[str, ...]:
    """Who wrote it, as names."""
    metadata = item.passage.metadata
    listed = metadata.get("authors") or metadata.get("author") or ()
    names = listed if isinstance(listed, (list, tuple)) else (listed,)
    return tuple(display_name(str(name)) for name in names)


def spoken_date(day: date, own: Sentences) -> str:
    """The day as the language writes it."""
    month = own.says["months"].split(",")[day.month - 1].strip()
    return own.say("date", day=str(day.day), month=month, year=str(day.year))


def _counted(task: WritingTask, own: Sentences) -> str:
    what, _, number = task.directs[0].rpartition(": ")
    period = what.partition("published in ")[2].partition(" by ")[0]
    cited = f" [{task.evidence[0].number}]" if task.evidence else ""
    if number == "0":
        return own.say("no_articles")
    if not period:
        return own.say("article_count", count=number) + cited
    return own.say("article_count_in", count=number, period=_period(period, own)) + cited


def _period(period: str, own: Sentences) -> str:
    year, _, month = period.partition("-")
    return f"{own.says['months'].split(',')[int(month) - 1].strip()} {year}" if month else year


def _entry(item: Evidence, language: str) -> str:
    """A thing of a list: its name, its state where it says one, and the sentence that sums it up."""
    passage = item.passage
    status = passage.metadata.get("status")
    state = f" ({status})" if isinstance(status, str) and len(status) <= LONGEST_STATE_CHARS else ""
    text = _summary(item, language)
    return f"- {passage.title}{state}{': ' if text else ''}{text} [{item.number}]"


def _summary(item: Evidence, language: str) -> str:
    """A person's role; else the first sentence in the visitor's language, or the first."""
    role = item.passage.metadata.get("role")
    if item.passage.scope is Scope.PERSON and isinstance(role, str):
        return role
    units = units_of(item)
    found = [unit for unit in units if unit.kind == "sentence" or len(unit.text.split()) >= LEAST_TOLD_WORDS]
    spoken = [unit for unit in found if unit.language == language] or found
    return spoken[0].text if spoken else ""
