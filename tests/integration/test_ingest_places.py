"""Where runs on AWS find and leave things: buckets over S3's wire, the table over DynamoDB's."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime

import pytest
from moto import mock_aws

from infra.local.tables import INGEST, make_table
from magpie.adapters.dynamodb import DynamoClaims, DynamoDirtyFiles, DynamoTable, DynamoWishes
from magpie.adapters.s3 import S3Corpus, S3Work
from magpie.errors import DatabaseUnavailable, DocumentRefused, StorageUnavailable
from magpie.ingesting.erasing import erase_from_runs
from magpie.ingesting.files import FileRead, ReadSource
from magpie.ingesting.names import RunNames
from magpie.ingesting.work import BatchEnd, BatchRead, packed, unpacked
from magpie.model import (
    Claim,
    EmbeddingModel,
    Language,
    Origin,
    RunId,
    Scope,
    Selection,
    Setback,
    Source,
    SourceKey,
    Version,
    VersionId,
    Visibility,
    Wish,
)
from magpie.site import Chunking
from tests.cloud import ENV, REGION, client
from tests.loopback.dynalite_server import dynalite

BUCKET = "harbour"


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An empty bucket."""
    for name, value in ENV.items():
        monkeypatch.setenv(name, value)
    with mock_aws():
        client("s3").create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
        yield BUCKET


def put(key: str, raw: bytes = b"x") -> None:
    client("s3").put_object(Bucket=BUCKET, Key=key, Body=raw)


# --- The corpus -----------------------------------------------------------------------------------


async def test_an_erased_file_leaves_no_earlier_version(bucket: str) -> None:
    """Every version and mark of deletion of that very file goes; its neighbour of nearly the same name stays whole."""
    client("s3").put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    for text in (b"one", b"two"):
        put("corpus/people/ana.md", text)
        put("corpus/people/ana.md.bak", text)
    client("s3").delete_object(Bucket=bucket, Key="corpus/people/ana.md")
    put("corpus/people/ana.md", b"three")

    gone = await S3Corpus(bucket, "corpus/").erase("people/ana.md")

    left = client("s3").list_object_versions(Bucket=bucket)
    assert gone == 4
    assert [item["Key"] for item in left["Versions"]] == ["corpus/people/ana.md.bak"] * 2
    assert "DeleteMarkers" not in left
    assert await S3Corpus(bucket, "corpus/").erase("people/ana.md") == 0


async def test_a_corpus_of_more_than_one_page_is_listed_whole(bucket: str) -> None:
    """S3 lists a thousand keys a call; what is outside of the corpus and folders' marks are left out."""
    for number in range(1005):
        put(f"corpus/pages/{number:04}.md")
    for stray in ("runs/a", "corpus/", "corpus/pages/", "corpusculum/a.md"):
        put(stray)
    corpus = S3Corpus(bucket, "corpus/")

    found = [path async for path, _ in corpus.paths()]

    assert found == [f"pages/{number:04}.md" for number in range(1005)]


@pytest.mark.parametrize("path", ["a.md", "año/日本語 (1).md", "a+b&c=%20.md", "🦜.md", "a\u0301.md", "..md"])
async def test_any_name_that_s3_takes_can_be_read(bucket: str, path: str) -> None:
    """Keys are texts: nothing in them is decoded, resolved or normalised."""
    corpus = S3Corpus(bucket, "corpus/")
    await corpus.write(path, b"text")

    listed = [one async for one in corpus.paths()]

    assert (listed, (await corpus.read(path)).raw) == ([(path, 4)], b"text")


async def test_an_empty_file_is_a_file(bucket: str) -> None:
    """It has no first byte to ask for, and is read all the same."""
    put("corpus/empty.md", b"")

    assert (await S3Corpus(bucket, "corpus/").read("empty.md")).raw == b""


async def test_a_file_that_is_gone_is_refused_by_name(bucket: str) -> None:
    """Also after it was removed twice."""
    corpus = S3Corpus(bucket, "corpus/")
    await corpus.write("a.md", b"text")
    await corpus.remove("a.md")
    await corpus.remove("a.md")

    with pytest.raises(DocumentRefused, match=r"a\.md: is not in the corpus"):
        await corpus.read("a.md")


async def test_a_huge_object_is_not_taken_into_memory(bucket: str) -> None:
    """What is larger than any site may allow is refused after one byte too many."""
    put("corpus/huge.bin", bytes(1024 * 1024 + 1))
    put("corpus/large.bin", bytes(1024 * 1024))
    corpus = S3Corpus(bucket, "corpus/", most_mb=1)

    large = await corpus.read("large.bin")
    with pytest.raises(DocumentRefused, match="more than 1 MB"):
        await corpus.read("huge.bin")

    assert len(large.raw) == 1024 * 1024


async def test_a_bucket_that_is_not_there_is_said_so(bucket: str) -> None:
    """The service's own word for it is kept."""
    with pytest.raises(StorageUnavailable, match="NoSuchBucket"):
        await S3Corpus("another", "corpus/").read("a.md")


# --- The work store -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Everything:
    """One of each kind of value that passes between steps."""

    version: Version
    selection: Selection
    key: SourceKey
    day: date | None
    vectors: tuple[str | None, ...]
    metadata: dict[str, object]


def batch_of(name: str) -> BatchRead:
    """One file that holds one page."""
    source = Source(
        key=SourceKey(source_type="page", source_key=name),
        path=f"{name}.md",
        title=name,
        text=f"The words of {name}.",
        origin=Origin.FIRST_PARTY,
        scope=Scope.COMPANY,
        visibility=Visibility.PUBLIC,
        language=Language("en"),
    )
    return BatchRead(
        files=(FileRead(path=source.path, sources=(ReadSource(source=source, chunking=Chunking()),)),)
    )


async def test_a_purged_source_leaves_the_work_of_runs(bucket: str) -> None:
    """Its batches go from every run, with chunks, vectors and earlier versions; other batches and the run's end stay."""
    client("s3").put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    work = S3Work(bucket)
    for run in ("one", "two"):
        names = RunNames(RunId(run)).round(1)
        for number, name in enumerate(("ana", "rope")):
            await work.keep(names.read(number), batch_of(name))
            await work.keep(names.read(number), batch_of(name))
            for other in (names.batch(number), names.chunks(number), names.vectors(number, 0)):
                await work.keep(other, BatchEnd(pieces=1))
            await work.keep(names.end(number), BatchEnd(pieces=1))
        await work.keep(RunNames(RunId(run)).end, BatchEnd(pieces=1))

    gone = await erase_from_runs(work, SourceKey(source_type="page", source_key="ana"))

    left = {item["Key"] for item in client("s3").list_object_versions(Bucket=bucket)["Versions"]}
    assert gone == 2 * 6
    assert left == {f"runs/{run}/1/{kind}" for run in ("one", "two") for kind in RUN_OF_ROPE} | {
        "runs/one/end",
        "runs/two/end",
    }
    assert await erase_from_runs(work, SourceKey(source_type="page", source_key="ana")) == 0


RUN_OF_ROPE = ("read/1", "batch/1", "chunks/1", "vectors/1/0", "embedded/1")


async def test_values_come_back_as_they_were_kept(bucket: str) -> None:
    """Frozen sets, dates, enums and nested values; texts of every script, also half a surrogate pair."""
    model = EmbeddingModel(provider="openai", name="m", dimension=3)
    value = Everything(
        version=Version(
            id=VersionId(7),
            parent_id=None,
            created_at=datetime(2026, 11, 30, 12, 0, 0, 5, tzinfo=UTC),
            source_count=1,
            chunk_count=2,
            primary=model,
            fallback=None,
            site_hash="h",
        ),
        selection=Selection(files=frozenset({"a", "🦜", "\u202e"})),
        key=SourceKey(source_type="page", source_key="ñ"),
        day=date(2026, 2, 28),
        vectors=(packed((0.25, -1.5, 3.0)), None),
        metadata={"topics": ["a", 1, None, {"b": 2.5}]},
    )
    work = S3Work(bucket)

    await work.keep("run/1/x", value)
    await work.keep("run/1/x", value)

    assert await work.find("run/1/x", Everything) == value
    assert await work.find("run/1/y", Everything) is None
    assert await work.names("run/1/") == ("run/1/x",)
    assert unpacked(value.vectors[0]) == (0.25, -1.5, 3.0)


# --- The table ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table_address() -> Iterator[str]:
    with dynalite() as address:
        make_table(address, INGEST, cleans_up=False)
        yield address


@pytest.fixture
async def table(table_address: str) -> "DynamoTable":
    """The table, with nothing in it."""
    made = DynamoTable(INGEST.name, table_address)
    for item in await made.scan():
        await made.delete(str(item["pk"]))
    return made


async def test_only_one_of_many_takes_the_claim(table: DynamoTable) -> None:
    """Thirty collectors at the same moment: one has it, before and after the first is found dead."""
    claims = DynamoClaims(table)

    first = await asyncio.gather(*(claims.take(RunId(f"a{n}"), n, dead=None) for n in range(30)))
    held = await claims.now()
    second = await asyncio.gather(*(claims.take(RunId(f"b{n}"), n, dead=held.run) for n in range(30)))

    assert (sum(first), sum(second)) == (1, 1)
    assert str((await claims.now()).run).startswith("b")


async def test_a_claim_is_given_back_only_by_its_run(table: DynamoTable) -> None:
    """A setback outlives the claim, and is forgotten by the next run that ends well."""
    claims = DynamoClaims(table)
    back = Setback(failures=2, at_ms=5, retry_ms=2**53)
    await claims.take(RunId("a"), 1, dead=None)

    await claims.release(RunId("b"), None)
    still = await claims.now()
    await claims.release(RunId("a"), back)
    free = await claims.now()
    await claims.take(RunId("c"), 9, dead=None)
    await claims.release(RunId("c"), None)

    assert (still, free) == (Claim(run=RunId("a"), since_ms=1), Claim(setback=back))
    assert await claims.now() == Claim()


async def test_what_is_noted_while_a_run_settles_stays_dirty(table: DynamoTable) -> None:
    """
    Events and the end of a run at the same moment, a hundred of each: a file is clean only if
    nothing was noted after the run had seen it.
    """
    dirty = DynamoDirtyFiles(table)
    await asyncio.gather(*(dirty.note(f"{n % 50}.md", n) for n in range(100)))
    seen = await dirty.all()

    await asyncio.gather(
        dirty.settle(seen), *(dirty.note(f"{n}.md", 1000 + n) for n in range(25)), dirty.settle(seen)
    )
    left = await dirty.all()
    await dirty.settle(seen)

    assert {file.times for file in seen} == {2}
    assert {file.path for file in left} == {f"{n}.md" for n in range(25)}
    assert await dirty.all() == left


async def test_wishes_are_granted_in_their_order(table: DynamoTable) -> None:
    """Their names begin with the time."""
    wishes = DynamoWishes(table)
    some = [
        Wish(run=RunId("20261130T120001-a"), selection=Selection(file="ñ.md"), accept_vanishing=True),
        Wish(run=RunId("20261130T120000-b"), selection=Selection()),
    ]
    for wish in some:
        await wishes.ask(wish)

    found = await wishes.all()
    await wishes.forget(some[1].run)
    await wishes.forget(some[1].run)

    assert (found, await wishes.all()) == ((some[1], some[0]), (some[0],))


async def test_a_table_that_is_not_there_is_said_so(table_address: str) -> None:
    """Nothing is taken for done."""
    with pytest.raises(DatabaseUnavailable, match="ResourceNotFoundException"):
        await DynamoDirtyFiles(DynamoTable("another", table_address)).note("a.md", 1)
