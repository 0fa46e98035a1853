"""Ranking: candidates in, the passages that count out."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from magpie.asking.ranking import (
    Calibration,
    Ranking,
    blend,
    collapse,
    cosine_preset,
    diverse,
    hybrid_preset,
    is_weak_or_sparse,
    merge,
    rerank,
    scaled,
    word_sets,
)
from magpie.model import ChunkId, Language, Origin, Passage, RevisionId, Scope, SourceKey, Visibility
from magpie.site import Retrieval

RANKING = Ranking(
    retrieval=Retrieval(),
    calibration=Calibration(floor=0.7, weak=0.8),
    today=date(2026, 11, 30),
    languages=("en",),
)


def passage(number: int, content: str = "", **fields: Any) -> Passage:
    return replace(
        Passage(
            chunk_id=ChunkId(number),
            revision_id=RevisionId(number),
            key=SourceKey(source_type="page", source_key=str(number)),
            path=f"{number}.md",
            title="",
            url=None,
            content=content or f"passage number {number} about subject{number}",
            index=0,
            origin=Origin.FIRST_PARTY,
            scope=Scope.COMPANY,
            visibility=Visibility.PUBLIC,
            language=Language("en"),
        ),
        **fields,
    )


def numbers(passages: tuple[Passage, ...]) -> list[int]:
    return [int(p.chunk_id) for p in passages]


def test_each_leg_is_scaled_before_they_meet() -> None:
    """A narrow band of cosines weighs 0.82 all the same, and BM25 without an upper end weighs 0.18."""
    near, word = passage(1, semantic=0.82, keyword=0.0), passage(2, semantic=0.76, keyword=14.0)

    first, second = blend([near, word], "subject2", RANKING)

    assert first.score == pytest.approx(0.82)
    assert second.score == pytest.approx(0.82 * 0.5 + 0.18)


def test_words_count_by_the_share_of_the_question_that_they_are() -> None:
    """Across languages the best by words adds little where it holds one word of many: nearness decides."""
    near = passage(1, "we moor boats", semantic=0.80, keyword=0.0)
    by_name = passage(2, "Ludwig was a king", semantic=0.79, keyword=5.0)
    spanish = replace(RANKING, languages=("en", "es"))

    whole = blend([near, by_name], "Ludwig", spanish)
    part = blend([near, by_name], "¿Cuánto cobra el puerto de Ludwig por amarrar un velero?", spanish)

    assert whole[1].score - part[1].score > 0.05
    assert part[1].score > 0.82 * 0.9  # and yet more than nothing
    assert blend([near, by_name], "Whose boat is Ludwig?", RANKING)[1].score == whole[1].score


def test_a_word_is_known_by_its_stem_in_the_passages_language() -> None:
    """A Spanish question finds the Spanish words of a Spanish page, and the names of an English one."""
    spanish = replace(RANKING, languages=("en", "es"))
    pages = [
        passage(1, "Las oficinas de Porto", language=Language("es")),
        passage(2, "The Porto harbour"),
        passage(3, "A harbour"),
    ]

    assert numbers(rerank(pages, "¿Dónde está la oficina de Porto?", spanish)) == [1, 2, 3]


def test_keyword_alone_keeps_its_order() -> None:
    """Without vectors (no embedding to be had) the keyword score is the whole score."""
    found = blend([passage(1, keyword=2.0), passage(2, keyword=4.0)], "subject1", RANKING)

    assert [p.score for p in found] == [0.5, 1.0]


@given(st.lists(st.none() | st.floats(0, 100), max_size=30), st.floats(0, 1))
def test_scaled_values_lie_between_0_and_1(values: list[float | None], floor: float) -> None:
    """Whatever comes in, nothing outranks the best or falls below nothing."""
    assert all(0 <= value <= 1 for value in scaled(values, floor))


def test_the_cosine_preset_shows_nothing_below_its_threshold() -> None:
    """Threshold 0.30, top 6: the ledger's numbers, best first."""
    candidates = [passage(i, semantic=0.25 + i / 100) for i in range(20)]

    found = cosine_preset(candidates, 0.30, 6)

    assert numbers(found) == [19, 18, 17, 16, 15, 14]
    assert cosine_preset(candidates[:5], 0.30, 6) == ()


def test_24_candidates_become_8() -> None:
    """The hybrid preset returns eight, the best one first."""
    candidates = [passage(i, semantic=0.75 + i / 1000, keyword=0.0) for i in range(24)]

    found = hybrid_preset(candidates, "subject23", RANKING)

    assert len(found) == 8 and numbers(found)[0] == 23


def test_rescue_is_asked_for_when_weak_or_sparse() -> None:
    """Below the model's own threshold, or with fewer than four candidates."""
    strong = [passage(i, semantic=0.85) for i in range(4)]

    assert not is_weak_or_sparse(strong, RANKING)
    assert is_weak_or_sparse(strong[:3], RANKING)
    assert is_weak_or_sparse([replace(p, semantic=0.79) for p in strong], RANKING)


def test_a_chunk_found_twice_stands_once_with_its_best_score() -> None:
    """Results of sub-questions merge by chunk id."""
    weak, strong = passage(1, score=0.2), passage(1, score=0.9)

    assert merge([(weak, passage(2, score=0.5)), (strong,)]) == (strong, passage(2, score=0.5))


def test_near_duplicates_collapse_to_the_better_one() -> None:
    """The same words on two pages take one place, not two."""
    text = "Our office in Porto opens at nine and closes at six on every working day of the year"
    group = [passage(1, text), passage(2, text + "."), passage(3, "Something else")]

    found = collapse(group, word_sets(group))

    assert numbers(found) == [1, 3]


def test_a_passage_unlike_the_others_gets_its_place() -> None:
    """MMR: of two equals the one that says something new comes next."""
    same = "harbour berth booking tide window skipper"
    group = [
        passage(1, same, score=1.0),
        passage(2, same + " also", score=0.9),
        passage(3, "fridge alarm", score=0.8),
    ]

    assert numbers(diverse(group, word_sets(group), RANKING))[:2] == [1, 3]


def test_overlap_recency_and_priority_decide_between_equals() -> None:
    """Equal likeness: the one that holds the words, is newer, or is vouched for higher comes first."""
    words = [passage(1, "tide tables"), passage(2, "fridge alarms")]
    dates = [passage(1, "x", published=date(2014, 1, 1)), passage(2, "x", published=date(2026, 1, 1))]
    ranks = [passage(1, "x", metadata={"priority": 20}), passage(2, "x", metadata={"priority": 80})]

    assert numbers(rerank(words, "fridge alarm", RANKING)) == [2, 1]
    assert numbers(rerank(dates, "x", RANKING)) == [2, 1]
    assert numbers(rerank(ranks, "x", RANKING)) == [2, 1]
