"""
Storing and finding beside what others build on Postgres: LangChain, LlamaIndex, Haystack.

    python -m tests.bench peers
    python -m tests.bench.peers [--turns 4] [--batch 1500] [--questions 100]

One server, a database and a process for each; the same chunks with the same given vectors, the same
graph (m 16, ef_construction 64), the same filter (public, nine of ten chunks). Whose turn it is goes
round in one run. Processor time is of client and server together. The peers search as they come (ef_search 40, no iterative scan); ours as it
does for visitors. `bare` is our own SQL over a plain connection.

A first load is stored without an index of vectors where the store allows it, then indexed; what is
loaded afterwards meets the index, and ours publishes it as one version at the end, as a run does. Peers live in an
environment of their own, which the first run makes (requirements/peers.txt into .venv/peers).
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.database import Corpus, a_server, fresh, row
from tests.bench.stores.clock import ServerClock
from tests.bench.stores.serving import CHUNKS_A_SOURCE, write_rows

ROOT = Path(__file__).resolve().parents[2]
PEERS = {"LangChain": "langchain", "LlamaIndex": "llamaindex", "Haystack": "haystack"}
OURS = "Magpie"
BARE = "Magpie's SQL, bare"
ROUND = 10  # questions in one go, then it is the next one's turn
NEAR = 10
PINS = ROOT / "requirements/peers.txt"
PEERS_FOLDER = ROOT / ".venv/peers"


def peers_python(folder: Path) -> str:
    """The Python of the peers' own environment, made when it is not there or its pins are others."""
    python, stamp = folder / "bin/python", folder / "pins"
    pins = PINS.read_text()
    if not stamp.exists() or stamp.read_text() != pins:
        print(f"Installing {PINS.relative_to(ROOT)} into {folder} (once)", flush=True)
        uv = Path(sys.executable).with_name("uv")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        command = [uv, "pip", "install", "--quiet", "--python", python, "--require-hashes", "-r", PINS]
        subprocess.run(command, check=True)
        stamp.write_text(pins)
    return str(python)


@dataclass(slots=True)
class Worker:
    """A store's process."""

    name: str
    process: "subprocess.Popen[str]"
    clock: ServerClock
    loads: list[float] = field(default_factory=list)
    later: list[float] = field(default_factory=list)
    published_s: float = 0.0
    indexed_s: float = 0.0
    used: dict[str, float] = field(default_factory=dict)
    asked: dict[str, list[float]] = field(default_factory=dict)
    found: dict[str, dict[int, list[str]]] = field(default_factory=dict)

    def tell(self, **words: Any) -> dict[str, Any]:
        """One command and its answer. Raises: RuntimeError when the store's process ended."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(words), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name} ended while it was told to {words['do']}; see above")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def work(self, what: str, **words: Any) -> dict[str, Any]:
        """As `tell`, and the processor time of both sides is added to `what`: nobody else works meanwhile."""
        before = self.clock.seconds()
        answer = self.tell(**words)
        self.used[what] = self.used.get(what, 0.0) + answer["used"] + self.clock.seconds() - before
        return answer

    def ask(self, kind: str, numbers: Sequence[int]) -> None:
        answer = self.work(kind, do="ask", kind=kind, numbers=list(numbers))
        self.asked.setdefault(kind, []).extend(answer["seconds"])
        self.found.setdefault(kind, {}).update(zip(numbers, answer["found"], strict=True))


@contextmanager
def worker(name: str, module: str, python: str, folder: Path, clock: ServerClock) -> Iterator[Worker]:
    env = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'layers/magpie'}"}
    process = subprocess.Popen(
        [python, "-W", "ignore", "-m", f"tests.bench.stores.{module}", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=env,
    )
    try:
        yield Worker(name, process, clock)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


# --- Data -------------------------------------------------------------------------------------


def make_data(folder: Path, chunks: int, questions: int) -> list[set[str]]:
    """Chunks and questions in files; tells the ten public chunks that are nearest to each question."""
    corpus = Corpus()
    rows: list[dict[str, str]] = []
    vectors: list[Any] = []
    for number in range(-(-chunks // CHUNKS_A_SOURCE)):
        revision = corpus.revision(number)
        for one in revision.chunks:
            rows.append(
                {
                    "id": f"{revision.source.key.source_key}/{one.chunk.index}",
                    "source": revision.source.key.source_key,
                    "kind": revision.source.key.source_type,
                    "visibility": revision.source.visibility.value,
                    "text": one.chunk.content,
                }
            )
            vectors.append(one.primary)
    write_rows(folder, "rows", rows, vectors)
    asking = Corpus(seed=11)
    chosen = [len(rows) * number // questions for number in range(questions)]
    asked = [asking.near(vectors[place]) for place in chosen]
    words = [{"words": " ".join(rows[place]["text"].split()[10:70:10])} for place in chosen]
    write_rows(folder, "asked", words, asked)
    return nearest(rows, np.asarray(vectors, dtype=np.float32), np.asarray(asked, dtype=np.float32))


def nearest(rows: Sequence[dict[str, str]], vectors: Any, asked: Any) -> list[set[str]]:
    public = [place for place, one in enumerate(rows) if one["visibility"] == "public"]
    best = np.argsort(-(asked @ vectors[public].T), axis=1)[:, :NEAR]
    return [{rows[public[place]]["id"] for place in places} for places in best]


# --- The run ----------------------------------------------------------------------------------


def going_round(workers: Sequence[Worker], turns: int) -> Iterator[tuple[int, Worker]]:
    """Each turn everybody is on once, somebody else first."""
    for turn in range(turns):
        for place in range(len(workers)):
            yield turn, workers[(place + turn) % len(workers)]


def load(stores: Sequence[Worker], turns: int, batch: int) -> None:
    for turn, one in going_round(stores, turns):
        one.loads.append(one.work("load", do="add", first=turn * batch, last=(turn + 1) * batch)["seconds"])
    for one in stores:
        one.indexed_s = one.work("load", do="index")["seconds"]
    for turn, one in going_round(stores, turns):
        first = (turns + turn) * batch
        one.later.append(one.work("later", do="add", first=first, last=first + batch)["seconds"])
    for one in stores:
        if one.name == OURS:  # the others have shown each turn to visitors as it went
            one.published_s = one.work("later", do="index")["seconds"]


def ask(everybody: Sequence[Worker], questions: int) -> None:
    """A first round warms and is forgotten; then everybody answers the same questions by turns."""
    for kind in ("vector", "hybrid", "first text", "whole answer"):
        able = [one for one in everybody if _can(one.name, kind)]
        for one in able:
            one.tell(do="ask", kind=kind, numbers=list(range(ROUND)))
        for turn, one in going_round(able, questions // ROUND):
            one.ask(kind, range(turn * ROUND, (turn + 1) * ROUND))


def _can(name: str, kind: str) -> bool:
    match name:
        case "Magpie":
            return True
        case "Magpie's SQL, bare":
            return kind in ("hybrid", "first text")
        case _:
            return kind in ("vector", "hybrid")


def report(everybody: Sequence[Worker], batch: int, true: Sequence[set[str]]) -> None:
    stores = [one for one in everybody if one.name != BARE]
    total = batch * len(stores[0].loads)
    row(
        f"storing, {len(stores[0].loads)} turns of {batch} chunks, twice",
        "first load, chunks/s",
        "then indexing",
        f"{total} chunks to the first search",
        "chunks/s with the index",
        "then published",
        "processor s: first load and index, later",
    )
    row("---", "---", "---", "---", "---", "---", "---")
    for one in stores:
        row(
            one.name,
            _rate(batch, one.loads),
            f"{one.indexed_s:.1f} s",
            f"{sum(one.loads) + one.indexed_s:.1f} s",
            _rate(batch, one.later),
            f"{one.published_s:.1f} s" if one.published_s else "",
            f"{one.used['load']:.1f}, {one.used['later']:.1f}",
        )
    print()
    row(
        "finding, p50 / p95 (processor) ms", "nearest 24", "recall@10", "hybrid", "first text", "whole answer"
    )
    row("---", "---", "---", "---", "---", "---")
    for one in everybody:
        row(
            one.name,
            _spread(one, "vector"),
            _recall(one.found.get("vector"), true),
            _spread(one, "hybrid"),
            _spread(one, "first text"),
            _spread(one, "whole answer"),
        )
    row(f"load average {os.getloadavg()[0]:.1f}", f"{os.cpu_count()} cores", "", "", "", "")


def _rate(batch: int, seconds: Sequence[float]) -> str:
    rates = sorted(batch / one for one in seconds)
    return f"{statistics.median(rates):,.0f} ({rates[0]:,.0f} to {rates[-1]:,.0f})"


def _spread(one: Worker, kind: str) -> str:
    seconds = one.asked.get(kind)
    if not seconds:
        return ""
    parts = statistics.quantiles(seconds, n=20)
    used = one.used[kind] / len(seconds)
    return f"{statistics.median(seconds) * 1000:.2f} / {parts[18] * 1000:.2f} ({used * 1000:.1f})"


def _recall(found: dict[int, list[str]] | None, true: Sequence[set[str]]) -> str:
    if not found:
        return ""
    shares = [len(true[number] & set(ids[:NEAR])) / NEAR for number, ids in found.items()]
    return f"{statistics.fmean(shares):.3f}"


def bench(server: str, python: str, *, turns: int, batch: int, questions: int) -> None:
    batch -= batch % CHUNKS_A_SOURCE
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        true = make_data(folder, 2 * turns * batch, questions)
        clock = ServerClock(server)
        stores = [stack.enter_context(worker(OURS, "ours", sys.executable, folder, clock))]
        stores += [stack.enter_context(worker(key, PEERS[key], python, folder, clock)) for key in PEERS]
        for one in stores:
            one.tell(do="open", url=fresh(server, f"magpie_bench_{one.name.lower()}"))
        load(stores, turns, batch)
        bare = stack.enter_context(worker(BARE, "bare", sys.executable, folder, clock))
        bare.tell(do="open", url=url_beside(server, OURS))
        ask([bare, *stores], questions)
        report([bare, *stores], batch, true)
        for one in [bare, *stores]:
            one.tell(do="close")


def url_beside(server: str, name: str) -> str:
    return server.replace("/postgres?", f"/magpie_bench_{name.lower()}?")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=4)
    parser.add_argument(
        "--batch", type=int, default=1250, help="chunks a turn; twice as many turns are loaded"
    )
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--python", help="one that has requirements/peers.txt already")
    parser.add_argument("--url", help="a server's `postgres` database, as superuser")
    chosen = parser.parse_args()
    python = chosen.python or peers_python(PEERS_FOLDER)
    with a_server(chosen.url) as server:
        bench(server, python, turns=chosen.turns, batch=chosen.batch, questions=chosen.questions)
    return 0


if __name__ == "__main__":
    sys.exit(main())
