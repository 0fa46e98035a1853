"""An ingest on AWS: the real state machine with the real handlers, S3's own events, a real Postgres."""

import asyncio
import json
import threading
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from functions.ingesting import process
from magpie.adapters.postgres import Database, PostgresHistory
from magpie.errors import (
    DatabaseUnavailable,
    ProviderUnavailable,
    RunUnknown,
    SettingsInvalid,
    StorageUnavailable,
)
from magpie.model import RunState, Selection, SourceKey, VersionId
from tests.cloud import Cloud, cloud
from tests.loopback.embedding_server import OPENAI_PACE, EmbeddingServer, Reply
from tests.loopback.serving import served
from tests.loopback.web_site import WebSite, on_loopback, page, sitemap

SITE = """
site: {key: harbour, name: Harbour, url: "https://harbour.example"}
persona: {name: Gull}
sources:
  - {path: drafts/**, ignore: true}
  - {path: "posts/**/*.md", type: article, scope: article, key: "{slug}", url: "/posts/{slug}/"}
  - {path: pages/**, type: page}
embeddings:
  primary: {provider: openai, model: text-embedding-3-small, dimension: 384}
  fallback: null
"""
PAGES = {
    "posts/tides.md": "---\ntitle: Tides\n---\n\nThe tide turns at noon.\n",
    "posts/ropes.md": "---\ntitle: Ropes\n---\n\nA sennit has seven strands.\n",
    "pages/about us, ñandú.md": "We mend boats.\n",
}


@pytest.fixture
def models() -> Iterator[tuple[EmbeddingServer, str]]:
    """A provider's embedding endpoint, and its address."""
    server = EmbeddingServer()
    with served(server.app) as address:
        yield server, address


@pytest.fixture
def aws(
    database_url: str, models: tuple[EmbeddingServer, str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Cloud]:
    """A deployment with a database that was migrated and a corpus that is empty."""
    settings = {"DATABASE_URL": database_url, "OPENAI_BASE_URL": f"{models[1]}/v1", "OPENAI_API_KEY": "key"}
    with cloud(monkeypatch, settings) as made:
        yield made


def fill(aws: Cloud, pages: dict[str, str] = PAGES) -> None:
    for path, text in {**pages, "site.yaml": SITE}.items():
        aws.put(path, text)


def rows(url: str, statement: str) -> list[Any]:
    with psycopg.connect(url) as conn:
        return conn.execute(statement.encode()).fetchall()


def held(url: str) -> dict[str, str]:
    """The active version's sources, by key, with their texts."""
    return dict(
        rows(
            url,
            "SELECT s.source_type || ':' || s.source_key, s.text FROM corpus_active a"
            " JOIN corpus_manifest m USING (version_id) JOIN rag_sources s ON s.id = m.source_id",
        )
    )


def write(url: str, statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute(statements.encode())


def versions(url: str) -> int:
    return int(rows(url, "SELECT count(*) FROM corpus_versions")[0][0])


def test_uploads_become_one_version(aws: Cloud, database_url: str) -> None:
    """What came in by S3's own events is one version, every file of it there, and the claim is free again."""
    fill(aws)

    run = aws.settle()

    assert run is not None
    assert aws.execution(run)["status"] == "SUCCEEDED"
    assert held(database_url) == {
        "article:tides": "The tide turns at noon.",
        "article:ropes": "A sennit has seven strands.",
        "page:about-us,-ñandú": "We mend boats.",
    }
    assert (versions(database_url), aws.dirty(), aws.dead()) == (1, set(), [])
    progress = aws.progress(run)
    assert (progress.state, len(progress.summary.added)) == (RunState.PUBLISHED, 3)
    assert aws.tick() is None


def test_the_hook_is_what_the_machine_calls(aws: Cloud) -> None:
    """Each state reaches its real handler: were moto's private function renamed, no call would be noted."""
    fill(aws)

    aws.settle()

    called = [name for name, _ in aws.calls]
    assert called[-7:] == ["migrate", "look", "read", "chunk", "embed", "publish", "collect"]


# --- Events ---------------------------------------------------------------------------------------


def test_a_deleted_key_is_a_removal(aws: Cloud, database_url: str) -> None:
    """The next version lacks what is gone from the bucket; the one before still has it."""
    fill(aws)
    aws.settle()
    aws.delete("posts/ropes.md")

    run = aws.settle()

    assert "article:ropes" not in held(database_url)
    assert (versions(database_url), aws.progress(run).summary.removed) == (
        2,
        (SourceKey(source_type="article", source_key="ropes"),),
    )


def test_events_twice_late_and_in_any_order_do_no_harm(aws: Cloud, database_url: str) -> None:
    """
    Only what stands in the bucket counts: an upload that is told after its deletion brings nothing
    back, and what is told again changes nothing.
    """
    fill(aws)
    first = aws.messages()
    aws.deliver(first)
    aws.finish(aws.tick())
    aws.put("posts/ropes.md", PAGES["posts/ropes.md"].replace("seven", "nine"))
    aws.delete("posts/tides.md")
    second = aws.messages()

    aws.deliver([*second[::-1], *second, *first])
    aws.finish(aws.tick())
    aws.deliver([*first, *second])
    again = aws.tick()

    assert held(database_url) == {
        "article:ropes": "A sennit has nine strands.",
        "page:about-us,-ñandú": "We mend boats.",
    }
    assert aws.finish(again)["status"] == "SUCCEEDED"
    assert (aws.progress(again).state, versions(database_url)) == (RunState.UNCHANGED, 2)


def test_old_versions_are_pruned_by_the_run(aws: Cloud, database_url: str) -> None:
    """Where nobody types commands, as many are kept as the site file says."""
    fill(aws)
    aws.put("site.yaml", SITE + "safety: {keep_versions: 2}\n")
    for number in range(4):
        aws.put("pages/new.md", f"Text number {number}.")
        aws.settle()
        write(database_url, "UPDATE corpus_versions SET left_at = left_at - interval '1 hour'")

    kept = [row[0] for row in rows(database_url, "SELECT id FROM corpus_versions ORDER BY id")]
    assert kept == [3, 4]
    assert held(database_url)["page:new"] == "Text number 3."


def test_what_is_no_document_is_no_business_of_a_run(aws: Cloud) -> None:
    """A folder's mark and another bucket's key make nothing dirty; a message that is no event goes back to its queue."""
    aws.put("posts/", "")
    event = json.loads(aws.messages()[0]["body"])
    event["detail"] = {"bucket": {"name": "another"}, "object": {"key": "corpus/a.md"}}
    messages = [{"messageId": "1", "body": json.dumps(event)}, {"messageId": "2", "body": "{"}]

    back = aws.deliver(messages)

    assert back == [{"itemIdentifier": "2"}]
    assert (aws.dirty(), aws.tick()) == (set(), None)


def test_a_damaged_upload_is_refused_and_the_rest_goes_on(aws: Cloud, database_url: str) -> None:
    """It is reported by name and reason; what was published of it stays until it is mended."""
    fill(aws)
    aws.settle()
    aws.put("posts/ropes.md", b"---\ntitle: [x\nurl: {\n---\ntext")
    aws.put("posts/new.md", "A new page.")

    run = aws.settle()

    summary = aws.progress(run).summary
    assert [(refusal.path, refusal.code) for refusal in summary.refused] == [
        ("posts/ropes.md", "bad_front_matter")
    ]
    assert {"article:ropes", "article:new"} <= set(held(database_url))


def test_five_hundred_uploads_end_as_one_version(aws: Cloud, database_url: str) -> None:
    """Every file is accounted for: read, refused or ignored; events come in while others are delivered."""
    aws.put("site.yaml", SITE)
    for number in range(500):
        kind = {0: "drafts", 1: "nowhere"}.get(number % 50, "pages")
        aws.put(f"{kind}/{number:03}.md", f"Page number {number} of many.")
        if number % 100 == 99:
            aws.deliver(aws.messages())

    run = aws.settle()

    summary = aws.progress(run).summary
    assert (len(summary.added), len(summary.refused), summary.ignored) == (480, 10, 11)
    assert {refusal.code for refusal in summary.refused} == {"no_rule"}
    assert (len(held(database_url)), versions(database_url), aws.dirty()) == (480, 1, set())
    assert aws.invoke("collect", {}) == {"begun": None}


# --- Faults ---------------------------------------------------------------------------------------


class Once:
    """Raises the first time a function is called."""

    def __init__(self, function: str, error: Exception) -> None:
        self._function = function
        self._error: Exception | None = error

    def __call__(self, function: str, event: dict[str, Any]) -> None:
        if function == self._function and self._error:
            error, self._error = self._error, None
            raise error


STEPS = ("migrate", "look", "read", "chunk", "embed", "publish")
PASSING = (
    ProviderUnavailable("openai", "503"),
    DatabaseUnavailable("paused"),
    StorageUnavailable("s3: SlowDown"),
    KeyError("a slip of ours"),
)


def test_what_passes_by_itself_is_waited_out(aws: Cloud, database_url: str) -> None:
    """Each step is tried again after a pause, whatever failed that may mend itself; nothing comes of it twice."""
    fill(aws)
    aws.faults += [Once(step, error) for step in STEPS for error in PASSING]

    run = aws.settle()

    assert aws.execution(run)["status"] == "SUCCEEDED"
    assert len(aws.waiting.waits) == len(STEPS) * len(PASSING)
    assert {step: aws.names(step) for step in STEPS} == dict.fromkeys(STEPS, 1 + len(PASSING))
    assert (len(held(database_url)), versions(database_url), aws.dead()) == (3, 1, [])


def test_a_step_that_is_done_twice_leaves_the_same(aws: Cloud, database_url: str) -> None:
    """A function whose answer was lost is called again, also the one that had published already."""
    fill(aws)
    aws.settle()
    for count, step in enumerate([*STEPS, "collect"], start=2):
        aws.put(f"pages/{step}.md", f"A page for {step}.")
        aws.deliver(aws.messages())
        run = aws.tick()
        aws.afterwards.append(Once(step, StorageUnavailable("the answer was lost")))

        aws.finish(run)

        progress = aws.progress(run)
        assert progress.state == RunState.PUBLISHED, step
        assert progress.summary.added == (SourceKey(source_type="page", source_key=step),)
        assert (len(held(database_url)), versions(database_url), aws.dirty()) == (count + 2, count, set())


def test_what_nobody_can_wait_out_is_told_and_lets_go(aws: Cloud, database_url: str) -> None:
    """
    The reason stands in the dead-letter queue and in the run's progress, the claim is free, the files
    are still dirty, and the active version is what it was. The next upload tries again at once.
    """
    fill(aws)
    for step in STEPS:
        aws.put(f"pages/{step}.md", f"A page for {step}.")
        fault = Once(step, SettingsInvalid(f"{step} is not set up"))
        aws.faults.append(fault)

        run = aws.settle()

        assert (aws.execution(run)["status"], versions(database_url)) == ("FAILED", 0)
        assert [(dead["run"], dead["error"]) for dead in aws.dead()] == [(run, "SettingsInvalid")]
        progress = aws.progress(run)
        assert (progress.state, progress.error) == (RunState.FAILED, f"{step} is not set up")
        assert {"posts/tides.md", f"pages/{step}.md"} < aws.dirty()
        assert aws.tick() is None, "waiting mends nothing"
    aws.put("pages/new.md", "A new page.")
    aws.settle()
    assert (len(held(database_url)), aws.dirty()) == (10, set())


def test_a_provider_that_is_too_busy_is_asked_again(
    aws: Cloud, models: tuple[EmbeddingServer, str], database_url: str
) -> None:
    """Through the real SDK: a 429 and a 500 cost time and nothing else."""
    models[0].script[:] = [Reply(429, OPENAI_PACE, {"Retry-After": "0"}), Reply(500), Reply()]
    fill(aws)

    aws.settle()

    assert len(held(database_url)) == 3


def test_a_database_that_drops_its_connections_is_asked_again(aws: Cloud, database_url: str) -> None:
    """It restarts between two steps: the pool's dead connections are replaced, and the run ends well."""
    fill(aws)
    restarts = {"look", "publish"}

    def restart(function: str, event: dict[str, Any]) -> None:
        if function in restarts:
            restarts.discard(function)
            with psycopg.connect(database_url, autocommit=True) as conn:
                conn.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )

    aws.faults.append(restart)
    run = aws.settle()

    assert aws.execution(run)["status"] == "SUCCEEDED"
    assert aws.waiting.waits, "a dead connection was met"
    assert len(held(database_url)) == 3


def test_a_site_file_with_a_mistake_is_told_by_line(aws: Cloud) -> None:
    """The owner reads where the mistake is; the next upload of the site file mends it."""
    fill(aws)
    aws.put("site.yaml", SITE.replace("persona:", "person:"))

    run = aws.settle()

    assert "line 3, person: is no key" in aws.progress(run).error
    aws.put("site.yaml", SITE)
    assert aws.progress(aws.settle()).state == RunState.PUBLISHED


def test_a_corpus_without_a_site_file_says_what_to_do(aws: Cloud) -> None:
    """Documents alone are not enough."""
    aws.put("posts/tides.md", "The tide turns at noon.")

    run = aws.settle()

    assert "upload it beside the documents" in aws.progress(run).error


# --- Runs beside each other -----------------------------------------------------------------------


class Held:
    """Holds the first call of a function until it is let go."""

    def __init__(self, function: str) -> None:
        self._function = function
        self.reached, self.let_go = threading.Event(), threading.Event()

    def __call__(self, function: str, event: dict[str, Any]) -> None:
        if function == self._function and not self.reached.is_set():
            self.reached.set()
            assert self.let_go.wait(30)


def test_one_run_at_a_time_and_the_next_takes_what_came_meanwhile(aws: Cloud, database_url: str) -> None:
    """While a run goes on nothing begins; what came in makes the next one, at once."""
    fill(aws)
    aws.deliver(aws.messages())
    held_run = Held("publish")
    aws.faults.append(held_run)
    first = aws.tick()
    assert held_run.reached.wait(30)

    aws.put("posts/new.md", "A new page.")
    aws.put("posts/ropes.md", PAGES["posts/ropes.md"].replace("seven", "nine"))
    aws.deliver(aws.messages())
    meanwhile = aws.tick()
    wished = aws.start(Selection())
    states = [aws.progress(run).state for run in (first, wished)]
    held_run.let_go.set()
    aws.finish(first)
    aws.finish(wished)

    assert (meanwhile, states) == (None, [RunState.RUNNING, RunState.WAITING])
    assert held(database_url)["article:ropes"] == "A sennit has nine strands."
    assert (versions(database_url), aws.dirty(), aws.tick()) == (2, set(), None)


def test_a_run_that_another_publisher_overtakes_looks_again(aws: Cloud, database_url: str) -> None:
    """Its version stands on top of the other one's, and it is one version."""
    fill(aws)
    aws.settle()
    aws.put("posts/new.md", "A new page.")
    aws.settle()
    aws.put("posts/ropes.md", PAGES["posts/ropes.md"].replace("seven", "nine"))

    def overtake(function: str, event: dict[str, Any]) -> None:
        if function == "publish" and event["round"] == 1:
            asyncio.run(back_to(database_url, 1))

    aws.faults.append(overtake)
    run = aws.settle()

    assert aws.names("look") == 4
    assert aws.progress(run).summary.version_id == 3
    parents = rows(database_url, "SELECT id, parent_id FROM corpus_versions ORDER BY id")
    assert parents == [(1, None), (2, 1), (3, 1)]
    assert set(held(database_url)) == {
        "article:new",
        "article:ropes",
        "article:tides",
        "page:about-us,-ñandú",
    }


async def back_to(url: str, version: int) -> None:
    async with Database(url) as database:
        await PostgresHistory(database).rollback(VersionId(version))


def test_a_run_that_was_stopped_holds_nothing_up(aws: Cloud, database_url: str) -> None:
    """Nobody catches a stopped execution: its progress says so, and a later minute begins anew with its files."""
    fill(aws)
    aws.deliver(aws.messages())
    held_run = Held("look")
    aws.faults.append(held_run)
    stopped = aws.tick()
    assert held_run.reached.wait(30)
    aws.stop(stopped)
    held_run.let_go.set()
    aws.finish(stopped)
    at_once = aws.tick()

    aws.age_claim()
    state = aws.progress(stopped).state
    begun = aws.tick()
    aws.finish(begun)

    assert (at_once, state) == (None, RunState.LOST)
    assert begun not in (None, stopped)
    assert (len(held(database_url)), aws.dirty()) == (3, set())


# --- Sizes ----------------------------------------------------------------------------------------


def test_many_batches_go_through_a_distributed_map(
    aws: Cloud, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each batch is an execution of its own, found in the work bucket."""
    monkeypatch.setenv("MAGPIE_INLINE_BATCHES", "1")
    fill(aws, {f"pages/{number:03}.md": f"Page {number}." for number in range(101)})

    run = aws.settle()

    assert aws.names("read") == 2
    assert aws.progress(run).state == RunState.PUBLISHED
    assert len(held(database_url)) == 101


def test_a_batch_that_fails_among_many_says_why(
    aws: Cloud, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dead-letter queue holds the batch's own reason beside the run's."""
    monkeypatch.setenv("MAGPIE_INLINE_BATCHES", "0")
    fill(aws)
    aws.faults.append(Once("chunk", SettingsInvalid("no tokenizer")))

    run = aws.settle()

    dead = aws.dead()
    assert [(one["run"], one.get("batch")) for one in dead] == [(run, 0), (run, None)]
    assert dead[0]["error"] == "SettingsInvalid"
    assert (aws.progress(run).state, versions(database_url)) == (RunState.FAILED, 0)


def test_a_long_text_is_embedded_in_as_many_calls_as_it_takes(
    aws: Cloud, models: tuple[EmbeddingServer, str], database_url: str
) -> None:
    """A call that is short of time ends one piece further, and no text is sent twice."""
    aws.left_ms = 1000
    lines = [f"Sentence number {number} of a long tale about ropes and tides. " * 18 for number in range(600)]
    fill(aws, {"pages/long.md": "\n\n".join(lines)})

    run = aws.settle()

    texts = [text for request in models[0].requests for text in request["input"]]
    chunks = aws.progress(run).summary.chunks
    assert aws.names("embed") == -(-chunks // 256)
    assert (len(texts), len(set(texts))) == (chunks, chunks)
    assert rows(database_url, "SELECT count(*) FROM rag_chunks WHERE embedding IS NOT NULL") == [(chunks,)]


# --- The owner's own start ------------------------------------------------------------------------


def test_the_owner_starts_a_run_over_one_file(
    aws: Cloud, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other changes wait for their own run; the file is no longer dirty."""
    monkeypatch.setenv("MAGPIE_QUIET_S", "3600")
    fill(aws)
    aws.deliver(aws.messages())
    aws.finish(aws.start(Selection()))
    aws.put("posts/ropes.md", PAGES["posts/ropes.md"].replace("seven", "nine"))
    aws.put("posts/tides.md", PAGES["posts/tides.md"].replace("noon", "dusk"))
    aws.deliver(aws.messages())

    run = aws.start(Selection(file="posts/ropes.md"))
    aws.finish(run)

    assert aws.progress(run).state == RunState.PUBLISHED
    now = held(database_url)
    assert (now["article:ropes"], now["article:tides"]) == (
        "A sennit has nine strands.",
        "The tide turns at noon.",
    )
    assert aws.dirty() == {"posts/tides.md"}


def test_a_slip_in_the_owners_start_is_told(aws: Cloud) -> None:
    """A file that never was fails its run with a sentence, and holds nobody up."""
    fill(aws)
    aws.settle()

    run = aws.start(Selection(file="posts/rope.md"))
    aws.finish(run)

    assert aws.progress(run).error.startswith("posts/rope.md is no file of the corpus")
    assert aws.tick() is None


def test_much_that_vanishes_waits_for_the_owners_word(aws: Cloud, database_url: str) -> None:
    """A bucket that was emptied by mistake takes nothing away; the owner may say that it is meant."""
    fill(aws)
    aws.settle()
    aws.delete("posts/ropes.md")
    aws.delete("posts/tides.md")

    stopped = aws.settle()
    meant = aws.start(Selection(), accept_vanishing=True)
    aws.finish(meant)

    assert "2 of 3 sources would vanish" in aws.progress(stopped).error
    assert len(aws.progress(meant).summary.removed) == 2
    assert (set(held(database_url)), aws.dirty()) == ({"page:about-us,-ñandú"}, set())


def test_a_run_that_nobody_knows_is_said_to_be_unknown(aws: Cloud) -> None:
    """A mistyped name is told from a run that waits."""
    with pytest.raises(RunUnknown, match="no run 2026"):
        aws.progress("2026")


# --- What a site file may ask for -------------------------------------------------------------------


QUESTIONS = "\n".join(
    json.dumps(
        {"id": key, "question": question, "expected_sources": [path], "key_facts": [{"any_of": [fact]}]}
    )
    for key, question, path, fact in (
        ("strands", "How many strands has a sennit?", "posts/ropes.md", "seven strands"),
        ("tide", "When does the tide turn?", "posts/tides.md", "noon"),
    )
)
ROWS = """  - path: boats
    type: boat
    scope: project
    key: "{id}"
    records: {key: id, title: name, label: Boat}
    rows: {connection: shop, query: "SELECT id, name FROM boats"}
"""
GATED = (
    SITE
    + """
gate: {questions: questions.jsonl, on_ingest: true}
"""
)


def test_a_version_that_answers_worse_is_not_published(aws: Cloud, database_url: str) -> None:
    """The gate asks the draft; what it says is the run's error, and visitors keep what they had."""
    fill(aws)
    aws.put("site.yaml", GATED)
    aws.put("questions.jsonl", QUESTIONS)
    first = aws.settle()
    aws.put("posts/ropes.md", "---\ntitle: Ropes\n---\n\nNothing is known of ropes.\n")

    second = aws.settle()

    assert aws.progress(first).summary.gate.asked == 2
    assert (aws.progress(second).state, aws.progress(second).code) == (RunState.FAILED, "GateClosed")
    assert "worse than version 1" in aws.progress(second).error
    assert held(database_url)["article:ropes"] == "A sennit has seven strands."
    meant = aws.start(Selection(), skip_gate=True)
    aws.finish(meant)
    assert held(database_url)["article:ropes"] == "Nothing is known of ropes."


def test_rows_of_a_database_come_in_and_are_looked_at_again_by_the_clock(
    aws: Cloud, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No event tells of a row, so the scheduled refresh makes the rows dirty; the next run reads them."""
    monkeypatch.setenv("MAGPIE_ROWS_SHOP", database_url)
    write(database_url, "CREATE TABLE boats (id text PRIMARY KEY, name text)")
    write(database_url, "INSERT INTO boats VALUES ('ann', 'Ann'), ('bo', 'Bo')")
    fill(aws)
    aws.put("site.yaml", SITE.replace("  - {path: drafts/**", f"{ROWS}  - {{path: drafts/**"))
    aws.settle()
    first = held(database_url)
    write(
        database_url, "UPDATE boats SET name = 'Annabel' WHERE id = 'ann'; DELETE FROM boats WHERE id = 'bo'"
    )

    unasked = aws.settle()
    told = aws.invoke("refresh", {})
    aws.settle()

    assert {"boat:ann", "boat:bo"} <= set(first)
    assert (unasked, told["waits"]) == (None, False)
    now = held(database_url)
    assert ("Annabel" in now["boat:ann"], "boat:bo" in now) == (True, False)


def test_pages_of_the_web_are_refreshed_into_the_bucket(
    aws: Cloud, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    A scheduled look writes what is new of the site's pages into the corpus, whose own events bring it
    into the next version; where too much changed it waits for the owner.
    """
    with on_loopback(WebSite()) as web:
        monkeypatch.setenv("MAGPIE_FETCH_HOSTS", f"127.0.0.1:{web.port}")
        monkeypatch.setenv("MAGPIE_FETCH_NETWORKS", "127.0.0.0/8")
        at = f"http://127.0.0.1:{web.port}"
        web.answers = {
            "/sitemap.xml": sitemap(f"{at}/rye", f"{at}/wheat"),
            "/rye": page("Rye bread is baked on Mondays, early in the morning."),
            "/wheat": page("Wheat bread is baked on Tuesdays, late in the evening."),
        }
        fill(aws)
        aws.put("site.yaml", SITE + f"web: {{addresses: ['{at}/sitemap.xml'], pause_s: 0}}\n")
        aws.settle()

        first = aws.invoke("refresh", {})
        aws.settle()
        brought = " ".join(held(database_url).values())
        web.answers["/rye"] = page("Rye bread is not baked any more.")
        second = aws.invoke("refresh", {})
        nothing = aws.settle()
        accepted = aws.invoke("refresh", {"accept": True})
        aws.settle()

    assert (first["changed"], first["waits"]) == (2, False)
    assert "baked on Mondays" in brought and "baked on Tuesdays" in brought
    assert (second["waits"], nothing, accepted["changed"]) == (True, None, 1)
    assert "not baked any more" in " ".join(held(database_url).values())


# --- Beside the runs ------------------------------------------------------------------------------


def test_a_fresh_deployment_needs_no_command(
    empty_database_url: str, models: tuple[EmbeddingServer, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The schema comes with the deployment, the dimensions with the first site file; both come once."""
    settings = {
        "DATABASE_URL": empty_database_url,
        "OPENAI_BASE_URL": f"{models[1]}/v1",
        "OPENAI_API_KEY": "key",
    }
    with cloud(monkeypatch, settings) as aws:
        deployed = aws.invoke("migrate", {"RequestType": "Create"})
        again = aws.invoke("migrate", {"RequestType": "Update"})
        fill(aws)
        run = aws.settle()

        assert deployed["applied"] and (deployed["dimensions"], again["applied"]) == ({}, [])
        assert aws.progress(run).state == RunState.PUBLISHED
    indexes = rows(empty_database_url, "SELECT indexname FROM pg_indexes WHERE indexname LIKE '%_hnsw'")
    assert indexes == [("rag_chunks_embedding_hnsw",)]


def test_missing_fallback_vectors_are_filled_in_slices(aws: Cloud, database_url: str) -> None:
    """A call that is short of time says that more is left; the next one goes on, and then none is."""
    fill(aws, {f"pages/{number:03}.md": f"Page {number}." for number in range(100)})
    aws.settle()
    fallback = "  fallback: {provider: openai, model: text-embedding-3-small, dimension: 512}"
    aws.put("site.yaml", SITE.replace("  fallback: null", fallback))
    aws.settle()
    missing = "SELECT count(*) FROM rag_chunks WHERE fallback_embedding IS NULL"
    before = rows(database_url, missing)
    aws.left_ms = 1000

    first = aws.invoke("rebuild", {})
    last = aws.invoke("rebuild", {})

    assert before == [(100,)]
    assert (first["filled"], first["more"], last["filled"], last["more"]) == (64, True, 36, False)
    assert rows(database_url, missing) == [(0,)]


def test_steps_that_need_no_database_are_given_none(aws: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading and cutting documents of whoever uploads happens where neither database nor key can be reached."""
    fill(aws)
    aws.deliver(aws.messages())
    waiting = Held("read")
    aws.faults.append(waiting)
    run = aws.tick()
    assert waiting.reached.wait(30)
    for name in ("DATABASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name)
    process().close()
    item = {"run": run, "round": 1, "batch": 0}

    read = aws.invoke("read", item)
    chunked = aws.invoke("chunk", item)
    with pytest.raises(SettingsInvalid, match="DATABASE_URL is not set"):
        aws.invoke("look", {"run": run})
    waiting.let_go.set()
    aws.finish(run)

    assert (read, chunked) == (item, item)
