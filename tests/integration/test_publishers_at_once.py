"""Runs that publish at the same time, as real processes."""

import os
import subprocess
import sys
from pathlib import Path

from magpie.adapters.postgres import Database, PostgresCatalogue, PostgresHistory, PostgresVersions
from tests.corpora import publish, revision

ROOT = Path(__file__).resolve().parents[2]
PUBLISHERS = 3

# Ingests one file of a folder, once everybody is ready.
PUBLISHER = """
import asyncio, sys
from pathlib import Path
from magpie.adapters.corpus_folder import CorpusFolder
from magpie.adapters.postgres import Database, PostgresEmbeddingCache, PostgresVersions
from magpie.adapters.sandbox import SandboxedReader
from magpie.ingesting.run import Ingest, Parts
from magpie.model import Selection
from magpie.site import load_site
from tests.corpora import FALLBACK, PRIMARY, WordsEmbedder

async def main(url, folder, file):
    text = (folder / "site.yaml").read_text()
    async with Database(url) as database:
        parts = Parts(
            files=CorpusFolder(folder), versions=PostgresVersions(database), hostile=SandboxedReader(),
            primary=WordsEmbedder(PRIMARY), fallback=WordsEmbedder(FALLBACK), cache=PostgresEmbeddingCache(database),
        )
        ingest = Ingest(load_site(text), parts)
        await parts.versions.active()
        print("ready", flush=True)
        sys.stdin.readline()
        summary = await ingest.run(Selection(file=file))
        print(summary.version_id, flush=True)

asyncio.run(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3]))
"""
SITE = """
site: {key: harbour, name: Harbour, url: "https://harbour.example"}
persona: {name: Gull}
sources: [{path: "pages/**", type: page}]
"""


def start(url: str, folder: Path, file: str) -> "subprocess.Popen[str]":
    env = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'layers' / 'magpie'}"}
    command = [sys.executable, "-c", PUBLISHER, url, str(folder), file]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=env
    )


async def test_publishers_at_once_all_end_in_the_history(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    """
    Processes that publish different files at the same moment: each one's version is kept, on top
    of another's, and the last one holds the work of all.
    """
    (tmp_path / "pages").mkdir()
    (tmp_path / "site.yaml").write_text(SITE)
    files = [f"pages/of-{number}.md" for number in range(PUBLISHERS)]
    for file in files:
        (tmp_path / file).write_text(f"What {file} says.")
    base = await publish(database, [revision("base", "was here before")])

    runs = [start(database_url, tmp_path, file) for file in files]
    for run in runs:
        assert run.stdout is not None
        assert run.stdout.readline().strip() == "ready"
    for run in runs:
        assert run.stdin is not None
        run.stdin.write("go\n")
        run.stdin.flush()
    told = [int(run.communicate(timeout=180)[0]) for run in runs]

    history = {version.id: version for version in await PostgresHistory(database).versions()}
    active = await PostgresCatalogue(database).active_version()
    line = [active.id]
    while parent := history[line[-1]].parent_id:
        line.append(parent)
    held = {source.key.source_key for source in await PostgresVersions(database).stored(active.id)}
    assert [run.returncode for run in runs] == [0] * PUBLISHERS
    assert sorted(line) == sorted([base.id, *told])
    assert held == {"base", *(f"of-{number}" for number in range(PUBLISHERS))}
