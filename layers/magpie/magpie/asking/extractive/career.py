"""
Where somebody works or worked: the posts of a career by their dates, from records that give an
employer and a beginning. Words choose none of them (`Where did she work before?`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from magpie.asking.extractive.choosing import Chosen, Pool, Scored
from magpie.asking.extractive.terms import held_by, share_of, terms_of
from magpie.asking.extractive.units import LABEL, Unit
from magpie.asking.extractive.wants import Want
from magpie.asking.routes.words import plain
from magpie.model import Evidence, SourceKey

LEAST_POSTS, MOST_TOLD = 2, 4
_EMPLOYER = re.compile(r"employer|company|firm|organi[sz]ation", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:19|20)\d\d(?:-\d\d)?\b")
_NOW = re.compile(
    r"\b(?:now|current\w*|today|these days|at present|agora|atual\w*|hoje|ahora|actual\w*|hoy|maintenant|actuel\w*|aujourd'hui|jetzt|derzeit"
    r"|zurzeit|aktuell|heute|adesso|ora|oggi|attual\w*|nu|momenteel|tegenwoordig|hien nay|bay gio|dang)\b"
)
_BEFORE = re.compile(
    r"\b(?:before|previous\w*|former\w*|earlier|prior|used to|past|antes|anterior\w*|avant|auparavant|precedent\w*|vorher|fruher\w*|zuvor|davor"
    r"|prima|precedent\w*|eerder|voorheen|vroeger|truoc)\b"
)
_FIRST = re.compile(
    r"\b(?:first|primeir\w|primer\w?|premier\w*|erste\w*|primo|prima volta|eerste|dau tien)\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """One post: its record, the line with the employer, and from when to when; `end` empty while it lasts."""

    evidence: Evidence
    unit: Unit
    at: int
    start: str
    end: str


def career(part: str, want: Want, pool: Pool, language: str) -> Chosen | None:
    """The post, or posts, that an employer is asked of; None where that is not what is asked."""
    if want.kind != "employer":
        return None
    posts = _posts(pool)
    if len(posts) < LEAST_POSTS:
        return None
    chosen = _asked(part, posts, pool, language)[:MOST_TOLD]
    return Chosen(units=tuple(map(_scored, chosen)), confidence=1.0) if chosen else None


def _asked(part: str, posts: Sequence[Post], pool: Pool, language: str) -> Sequence[Post]:
    said = plain(part)
    if _BEFORE.search(said):
        named = [post for post in posts if _is_named(post, part, pool, language)]
        until = min((post.start for post in named), default="")
        return [post for post in posts if post.end and (not until or post.start < until)]
    if _FIRST.search(said):
        return posts[-1:]
    return [post for post in posts if not post.end] if _NOW.search(said) else ()


def _is_named(post: Post, part: str, pool: Pool, language: str) -> bool:
    """Whether the part says a word of the post's employer or title that no other word of it asks with."""
    held = held_by(f"{post.evidence.passage.title} {post.unit.text}", post.unit.language)
    terms = [term for term in terms_of(part, language, pool.rarity, pool.usual) if not term.is_pale]
    return any(term.stem in held.stems or share_of(term, held, is_foreign=True) == 1 for term in terms)


def _posts(pool: Pool) -> list[Post]:
    """The newest first."""
    records: dict[SourceKey, dict[str, tuple[int, Evidence, Unit]]] = {}
    for at, (evidence, unit) in enumerate(pool.units):
        if label := LABEL.match(unit.text):
            name = "employer" if _EMPLOYER.fullmatch(label.group(1)) else label.group(1).casefold()
            records.setdefault(evidence.passage.key, {}).setdefault(name, (at, evidence, unit))
    found = [_post(record) for record in records.values() if "employer" in record and "start" in record]
    return sorted(found, key=lambda post: post.start, reverse=True)


def _post(record: dict[str, tuple[int, Evidence, Unit]]) -> Post:
    at, evidence, unit = record["employer"]
    start, end = (_YEAR.search(record[name][2].text) if name in record else None for name in ("start", "end"))
    return Post(
        evidence=evidence,
        unit=unit,
        at=at,
        start=start.group() if start else "",
        end=end.group() if end else "",
    )


def _scored(post: Post) -> Scored:
    return Scored(
        unit=post.unit, evidence=post.evidence, score=1.0, coverage=1.0, own=1.0, has_shape=True, at=post.at
    )
