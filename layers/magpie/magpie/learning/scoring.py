"""
How well questions with known answers were answered. Pure: rows and answers in, rates out.

An answer is right when every key fact has one of its wordings in it, nothing forbidden, and an
expected source is cited. `confident_wrong` counts the outcome `answered` without all key facts,
or on a question that the pages do not answer.
"""

import math
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from magpie.errors import CorpusInvalid
from magpie.text.json_value import json_value

Z = 1.96  # two-sided 95 %
CUTS = (1, 5, 10)
A_LINE = "a line is an object with `id`, `question` and `expect`"
HANDED_OVER = frozenset({"handoff", "clarify", "unsupported"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """
    One question of a file. `expect` is `answer`, `refuse_or_handover`, `clarify`, `small_talk` or
    `decline_off_topic`; sources are `path` or `path#record`.
    """

    id: str
    question: str
    language: str
    kind: str
    expect: str
    sources: tuple[str, ...] = ()
    also_ok: tuple[str, ...] = ()
    needs_all: bool = False
    facts: tuple[tuple[str, ...], ...] = ()
    forbidden: tuple[str, ...] = ()
    page: str = ""
    same: str = ""
    """The question that this one asks in its language, where a file asks it in several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What came out. Found and cited sources are `path#record`; `silent` that the site's policy withheld citations."""

    outcome: str
    text: str
    found: tuple[str, ...] = ()
    cited: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    routes: tuple[str, ...] = ()
    is_silent: bool = False
    seconds: float = 0.0
    confidence: float | None = None
    of_evidence: float | None = None
    """The same before it was calibrated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One question judged. Fields are None where the question does not ask for them."""

    id: str
    kind: str
    language: str
    hit: Mapping[int, bool] | None = None
    reciprocal: float | None = None
    is_right: bool | None = None
    has_facts: bool | None = None
    is_refused: bool | None = None
    is_kept_out: bool | None = None
    is_confident_wrong: bool = False
    same: str = ""
    given: Given = field(default_factory=lambda: Given(outcome="", text=""))

    @property
    def ended_well(self) -> bool:
        """Right, refused or kept out, as was expected of it."""
        return bool(self.is_right or self.is_refused or self.is_kept_out)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """Hits of a count, with the Wilson interval at 95 %."""

    hits: int
    count: int

    @property
    def value(self) -> float:
        return self.hits / self.count if self.count else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.hits, self.count)

    def as_json(self) -> dict[str, Any]:
        low, high = self.interval
        return {
            "hits": self.hits,
            "count": self.count,
            "rate": round(self.value, 4),
            "wilson": [round(low, 4), round(high, 4)],
        }


def wilson(hits: int, count: int) -> tuple[float, float]:
    """The Wilson score interval (E. B. Wilson, JASA 1927) of `hits` of `count`."""
    if not count:
        return 0.0, 1.0
    share, base = hits / count, 1 + Z * Z / count
    middle = (share + Z * Z / (2 * count)) / base
    reach = Z * math.sqrt(share * (1 - share) / count + Z * Z / (4 * count * count)) / base
    return max(0.0, middle - reach), min(1.0, middle + reach)


def expected_of(row: Mapping[str, Any]) -> Expected:
    """A row of a question file. Raises: KeyError naming the field that is missing; TypeError."""
    if not isinstance(row["question"], str):
        raise TypeError("question")
    return Expected(
        id=str(row["id"]),
        question=row["question"],
        language=row.get("lang", "en"),
        kind=row.get("kind", ""),
        expect=row.get("expect", "answer"),
        sources=_texts(row.get("expected_sources", [])),
        also_ok=_texts(row.get("also_ok_sources", [])),
        needs_all=row.get("source_mode") == "all",
        facts=tuple(_texts(fact["any_of"]) for fact in row.get("key_facts", ())),
        forbidden=_texts(row.get("must_not_contain", [])),
        page=row.get("page", ""),
        same=row.get("same", ""),
    )


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
        raise TypeError("not a list of texts")
    return tuple(value)


def questions_of(raw: bytes, name: str) -> tuple[Expected, ...]:
    """The rows of a question file, a JSON object a line. Raises: CorpusInvalid that names file and line."""
    try:
        lines = raw.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as exc:
        raise CorpusInvalid(f"{name} is not UTF-8 text; save it as UTF-8") from exc
    rows = tuple(_question(name, number, line) for number, line in enumerate(lines, start=1) if line.strip())
    if not rows:
        raise CorpusInvalid(f"{name} holds no question; {A_LINE}")
    return rows


def _question(name: str, number: int, line: str) -> Expected:
    try:
        return expected_of(json_value(line))
    except KeyError as exc:
        raise CorpusInvalid(f"{name}, line {number}: lacks {exc}; {A_LINE}") from exc
    except (TypeError, AttributeError) as exc:
        raise CorpusInvalid(f"{name}, line {number}: holds a value of the wrong kind; {A_LINE}") from exc
    except ValueError as exc:
        raise CorpusInvalid(f"{name}, line {number}: {exc}; {A_LINE}") from exc


def judge(expected: Expected, given: Given) -> Judged:
    """One answer against what was expected of it."""
    text = plain(given.text)
    has_facts = all(any(plain(wording) in text for wording in fact) for fact in expected.facts)
    is_clean = not any(plain(wording) in text for wording in expected.forbidden)
    is_answered = given.outcome in {"answered", "transformed"}
    base = Judged(
        id=expected.id, kind=expected.kind, language=expected.language, same=expected.same, given=given
    )
    match expected.expect:
        case "answer":
            return _answerable(
                base, expected, given, has_facts=has_facts, is_clean=is_clean, is_answered=is_answered
            )
        case "small_talk" | "decline_off_topic":
            wanted = {"small_talk": {"small_talk"}, "decline_off_topic": HANDED_OVER}[expected.expect]
            return _with(base, is_kept_out=given.outcome in wanted, is_confident_wrong=is_answered)
        case "clarify":
            is_good = given.outcome == "clarify" and has_facts
            return _with(base, is_right=is_good, has_facts=has_facts, is_confident_wrong=is_answered)
        case _:
            is_refused = given.outcome in HANDED_OVER and is_clean
            return _with(base, is_refused=is_refused, is_confident_wrong=is_answered)


def _answerable(
    base: Judged, expected: Expected, given: Given, *, has_facts: bool, is_clean: bool, is_answered: bool
) -> Judged:
    rank = rank_of(expected, given.found)
    is_good = has_facts and is_clean
    return _with(
        base,
        hit={cut: rank is not None and rank <= cut for cut in CUTS},
        reciprocal=1 / rank if rank else 0.0,
        is_right=is_answered and is_good and is_cited(expected, given),
        has_facts=has_facts,
        is_confident_wrong=is_answered and not is_good,
    )


def _with(base: Judged, **fields: Any) -> Judged:
    return replace(base, **fields)


def rank_of(expected: Expected, found: Sequence[str]) -> int | None:
    """
    The rank by page of the first expected source; where all are needed, of the last of them.
    """
    pages = list(dict.fromkeys(found))
    ranks = {source: _first(source, pages) for source in (*expected.sources, *expected.also_ok)}
    if expected.needs_all and expected.sources:
        needed = [ranks[source] for source in expected.sources]
        return max(rank for rank in needed if rank) if all(needed) else None
    return min((rank for rank in ranks.values() if rank), default=None)


def _first(source: str, pages: Sequence[str]) -> int | None:
    return next((place for place, page in enumerate(pages, start=1) if is_same(source, page)), None)


def is_same(source: str, page: str) -> bool:
    """`path` stands for any record in it."""
    return page == source or ("#" not in source and page.partition("#")[0] == source)


def is_cited(expected: Expected, given: Given) -> bool:
    """At least one source that states it is cited; under a policy that cites nothing, it was used."""
    shown = given.cited or (given.used if given.is_silent else ())
    return any(is_same(source, page) for source in (*expected.sources, *expected.also_ok) for page in shown)


def plain(text: str) -> str:
    """Case, width, kinds of apostrophes and dashes, and white space evened out."""
    even = unicodedata.normalize("NFKC", text).casefold().translate(_EVEN)
    return " ".join(even.split())


_EVEN = {ord(char): "'" for char in "‘’ʼ"} | {ord(char): "-" for char in "‐‑–—"} | {0xAD: None, 0x200B: None}


# --- Sums -------------------------------------------------------------------------------------


def _hit_at(cut: int) -> Callable[[Judged], bool | None]:
    return lambda one: one.hit[cut] if one.hit is not None else None


MEASURES: Mapping[str, Callable[[Judged], bool | None]] = {
    **{f"hit@{cut}": _hit_at(cut) for cut in CUTS},
    "answered_right": lambda one: one.is_right,
    "key_facts": lambda one: one.has_facts,
    "refused": lambda one: one.is_refused,
    "kept_out": lambda one: one.is_kept_out,
    "confident_wrong": lambda one: one.is_confident_wrong,
}
LOWER_IS_BETTER = frozenset({"confident_wrong"})


def rates(judged: Iterable[Judged]) -> dict[str, Rate]:
    """Every measure that at least one question has."""
    rows = tuple(judged)
    values = {
        name: [value for one in rows if (value := measure(one)) is not None]
        for name, measure in MEASURES.items()
    }
    return {name: Rate(hits=sum(found), count=len(found)) for name, found in values.items() if found}


def mean_reciprocal_rank(judged: Iterable[Judged]) -> float:
    """MRR over the questions that have an expected source."""
    values = [one.reciprocal for one in judged if one.reciprocal is not None]
    return sum(values) / len(values) if values else 0.0


def parity(judged: Sequence[Judged], home: str) -> dict[str, Any]:
    """
    By language, how many of the questions that are asked in every language ended well: the answerable
    right, the others refused. `gap` is the distance to the corpus' own language in points.
    """
    asked = [one for one in judged if one.same]
    codes = _each(one.language for one in asked)
    every = {one.same for one in asked}
    shared = {
        name for name in every if len({one.language for one in asked if one.same == name}) == len(codes)
    }
    ended = {
        code: [one.ended_well for one in asked if one.language == code and one.same in shared]
        for code in codes
    }
    well = {code: Rate(hits=sum(found), count=len(found)) for code, found in ended.items() if found}
    at_home = well[home].value if home in well else None
    return {
        code: {**rate.as_json(), "gap": None if at_home is None else round((at_home - rate.value) * 100, 1)}
        for code, rate in well.items()
    }


def report(judged: Sequence[Judged], home: str = "en") -> dict[str, Any]:
    """Everything as plain JSON: overall, by kind, by language, the gap between languages, and each question."""
    return {
        "overall": _sums(judged),
        "by_kind": {
            kind: _sums([one for one in judged if one.kind == kind])
            for kind in _each(one.kind for one in judged)
        },
        "by_language": {
            code: _sums([one for one in judged if one.language == code])
            for code in _each(one.language for one in judged)
        },
        "parity": parity(judged, home),
        "questions": [_one(one) for one in judged],
    }


def _sums(judged: Sequence[Judged]) -> dict[str, Any]:
    sums: dict[str, Any] = {name: rate.as_json() for name, rate in rates(judged).items()}
    if any(one.reciprocal is not None for one in judged):
        sums["mrr"] = round(mean_reciprocal_rank(judged), 4)
    return {"questions": len(judged), **sums}


def _each(values: Iterable[str]) -> list[str]:
    return sorted(set(values))


def _one(one: Judged) -> dict[str, Any]:
    measures = {name: value for name, measure in MEASURES.items() if (value := measure(one)) is not None}
    return {"id": one.id, "kind": one.kind, "language": one.language, "outcome": one.given.outcome,
            "routes": list(one.given.routes), "text": one.given.text, **measures}  # fmt: skip


def drops(now: Mapping[str, Any], before: Mapping[str, Any], tolerance: float) -> tuple[str, ...]:
    """What is worse than in an earlier report by more than the tolerance (0.03 is three points), in words."""
    found = []
    for name in MEASURES:
        if name not in now["overall"] or name not in before["overall"]:
            continue
        was, is_now = before["overall"][name]["rate"], now["overall"][name]["rate"]
        worse = is_now - was if name in LOWER_IS_BETTER else was - is_now
        if worse > tolerance + 1e-9:
            found.append(f"{name}: {was:.1%} before, {is_now:.1%} now")
    return tuple(found)
