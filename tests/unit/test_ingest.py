"""What an ingest run promises, over plain ports."""

from dataclasses import dataclass, field, replace

import pytest

from magpie.errors import (
    CorpusInvalid,
    GateClosed,
    Overtaken,
    ProviderRefused,
    ProviderUnavailable,
    QuotaExhausted,
)
from magpie.ingesting.run import EVERYTHING, TRIES, Ingest, Parts
from magpie.model import GateReport, IngestProgress, IngestSummary, Selection, SourceKey, VersionId
from magpie.site import load_site
from tests.fakes_of_ingesting import (
    FALLBACK,
    FakeCache,
    FakeFiles,
    FakeGate,
    FakeHostile,
    FakePassageEmbedder,
    FakeVersions,
)

SITE = """
site: {key: harbour, name: Harbour, url: "https://harbour.example", languages: [en, es]}
persona: {name: Gull}
sources:
  - {path: drafts/**, ignore: true}
  - {path: "posts/**/*.md", type: article, scope: article, key: "{slug}", url: "/posts/{slug}/"}
  - path: data/boats.json
    type: boat
    scope: project
    key: "{id}"
    records: {at: boats, key: id, title: name, label: Boat}
  - {path: "cv/**", type: cv, scope: person, redaction: {policy: cv}}
  - {path: pages/**, type: page}
chunking: {size: 300, overlap: 40}
"""
POSTS = {
    "posts/2024-03-01-tides.md": b"---\ntitle: Tides\n---\n\nThe tide turns at noon.\n",
    "posts/ropes.md": b"---\ntitle: Ropes\nslug: rope\n---\n\nA sennit has seven strands.\n",
    "data/boats.json": b"""{"boats": [
        {"id": "ann", "name": "Ann", "berths": 4},
        {"id": "bo", "name": "Bo", "berths": 2}
    ]}""",
}


@dataclass
class Bench:
    """A site with its corpus and everything that a run touches."""

    files: dict[str, bytes] = field(default_factory=lambda: dict(POSTS))
    site_text: str = SITE
    versions: FakeVersions = field(default_factory=FakeVersions)
    cache: FakeCache = field(default_factory=FakeCache)
    primary: FakePassageEmbedder = field(default_factory=FakePassageEmbedder)
    fallback: FakePassageEmbedder | None = None
    sizes: dict[str, int] = field(default_factory=dict)
    read_paths: list[str] = field(default_factory=list)
    steps: list[IngestProgress] = field(default_factory=list)
    gate: FakeGate | None = None

    async def run(self, selection: Selection = EVERYTHING, **options: bool) -> IngestSummary:
        return await self._ingest().run(selection, **options)

    async def rehearse(self) -> IngestSummary:
        return await self._ingest().rehearse()

    def _ingest(self) -> Ingest:
        files = FakeFiles(self.files, self.sizes)
        parts = Parts(
            files=files,
            versions=self.versions,
            hostile=FakeHostile(),
            primary=self.primary,
            fallback=self.fallback,
            cache=self.cache,
            gate=self.gate,
            progress=self.steps.append,
        )
        self.read_paths = files.read_paths
        return Ingest(load_site(self.site_text), parts)

    def refusals(self, summary: IngestSummary) -> dict[str, str]:
        return {refusal.path: refusal.code for refusal in summary.refused}


def keys(*names: str) -> set[SourceKey]:
    return {SourceKey(source_type=name.split(":")[0], source_key=name.split(":")[1]) for name in names}


async def test_a_first_run_brings_in_every_document_and_record():
    """Each file and each record of a file becomes one source, identified as the site file says."""
    bench = Bench()

    summary = await bench.run()

    assert keys("article:tides", "article:rope", "boat:ann", "boat:bo") == set(summary.added)
    assert bench.versions.now()["article:tides"].source.url == "https://harbour.example/posts/tides/"
    assert bench.versions.now()["boat:ann"].source.text == "Boat: Ann\nBerths: 4"
    assert {"reading", "embedding", "publishing"} == {step.stage for step in bench.steps}


async def test_embedding_is_told_batch_by_batch():
    """
    The longest part of a run shows how far it is: told before the first batch, after each, up to the whole.
    """
    bench = Bench(files={f"pages/{number}.md": b"One page of %d." % number for number in range(100)})
    bench.fallback = FakePassageEmbedder(model=FALLBACK)

    await bench.run()

    told = [(step.done, step.total) for step in bench.steps if step.stage == "embedding"]
    assert told == [(0, 100), (32, 100), (50, 100), (50, 100), (82, 100), (100, 100)]


async def test_an_unchanged_corpus_costs_nothing():
    """A second run over the same files reads no document, embeds nothing and makes no version."""
    bench = Bench()
    await bench.run()
    embedded = len(bench.primary.texts)

    summary = await bench.run()

    assert (summary.version_id, summary.unchanged, summary.embedded) == (None, 4, 0)
    assert (embedded, 1) == (len(bench.primary.texts), len(bench.versions.history))


async def test_a_changed_paragraph_embeds_only_its_chunks():
    """Chunks whose text is the same come from the cache."""
    lines = [f"Paragraph {number} tells of rope. " * 8 for number in range(6)]
    bench = Bench(files={"pages/long.md": "\n\n".join(lines).encode()})
    await bench.run()
    bench.primary.batches.clear()
    lines[5] = "The last paragraph is another one now."
    bench.files["pages/long.md"] = "\n\n".join(lines).encode()

    summary = await bench.run()

    assert keys("page:long") == set(summary.changed)
    assert len(bench.primary.texts) == 1


async def test_a_renamed_file_with_the_same_identity_is_unchanged():
    """The manifest learns the new path; nothing is embedded."""
    bench = Bench()
    await bench.run()
    bench.primary.batches.clear()
    bench.files["posts/old/2024-03-01-tides.md"] = bench.files.pop("posts/2024-03-01-tides.md")

    summary = await bench.run()

    assert (summary.added, summary.changed, summary.unchanged) == ((), (), 4)
    assert bench.primary.texts == []
    paths = {stored.path for stored in bench.versions.history[-1].manifest.values()}
    assert "posts/old/2024-03-01-tides.md" in paths


async def test_white_space_that_normalises_away_is_no_change():
    """Trailing blanks, CRLF and a byte order mark make no new revision."""
    bench = Bench()
    await bench.run()
    raw = bench.files["posts/ropes.md"]
    bench.files["posts/ropes.md"] = (
        b"\xef\xbb\xbf" + raw.replace(b"\n", b"\r\n").replace(b"strands.", b"strands.   ") + b"\n\n"
    )

    summary = await bench.run()

    assert (summary.version_id, summary.unchanged) == (None, 4)


CHANGES = {
    "visibility": ("type: article,", "type: article, visibility: internal,"),
    "redaction of one rule": ("type: article,", "type: article, redaction: {literals: [sennit]},"),
    "redaction of the site": ("chunking:", "redaction: {literals: [nowhere]}\nchunking:"),
    "address": ('url: "/posts/{slug}/"', 'url: "/articles/{slug}/"'),
    "scope": ("scope: article", "scope: company"),
    "size of chunks": ("size: 300", "size: 280"),
    "questions with chunks": ("{size: 300,", "{size: 300, questions: extractive,"),
}


@pytest.mark.parametrize("what", CHANGES)
async def test_a_changed_rule_or_policy_is_a_change(what):
    """Whatever decides what is stored of the same bytes makes a new revision of them."""
    bench = Bench()
    await bench.run()
    bench.site_text = SITE.replace(*CHANGES[what])

    summary = await bench.run()

    assert bench.site_text != SITE
    assert keys("article:tides", "article:rope") <= set(summary.changed)


async def test_what_is_gone_from_the_corpus_leaves_the_version():
    """A file that was deleted, and a record that was, are removed and named."""
    bench = Bench()
    await bench.run()
    del bench.files["posts/ropes.md"]
    bench.files["data/boats.json"] = b'{"boats": [{"id": "ann", "name": "Ann", "berths": 4}]}'

    summary = await bench.run()

    assert keys("article:rope", "boat:bo") == set(summary.removed)
    assert {"article:tides", "boat:ann"} == set(bench.versions.now())


@pytest.mark.parametrize(
    ("path", "raw", "code"),
    [
        ("other/x.md", b"text", "no_rule"),
        ("pages/song.mp3", b"ID3", "unsupported"),
        ("pages/latin.md", "naïve".encode("latin-1"), "bad_encoding"),
        ("pages/program.txt", b"\x7fELF\0\0\0\0\0\0\0\0", "bad_encoding"),
        ("pages/open.md", b"---\ntitle: [x\nurl: {\n---\ntext", "bad_front_matter"),
        ("pages/hidden.md", b"---\ndraft: true\n---\ntext", "draft"),
        ("pages/none.md", b"<!-- nothing -->", "no_text"),
        ("cv/ann.pdf", b"%PDF", "not_approved"),
    ],
)
async def test_a_document_that_cannot_be_read_is_refused_alone(path, raw, code):
    """The refusal carries its code; every other document comes in."""
    bench = Bench(files={**POSTS, path: raw})

    summary = await bench.run()

    assert {path: code} == bench.refusals(summary)
    assert len(summary.added) == 4


async def test_a_file_over_the_limit_is_refused_unread():
    """The size is enough to refuse it: its bytes are never taken into memory."""
    bench = Bench(files={**POSTS, "pages/huge.md": b"x"}, sizes={"pages/huge.md": 50 * 1024 * 1024})

    summary = await bench.run()

    assert bench.refusals(summary) == {"pages/huge.md": "too_large"}
    assert "pages/huge.md" not in bench.read_paths


@pytest.mark.parametrize(
    "raw",
    [b"[1, 2]", b'{"ships": []}', b'{"boats": 3}', b'{"boats": [{"name": "Ann"}]}', b"{", b"[" * 100_000],
)
async def test_json_that_is_not_what_the_rule_expects_is_refused(raw):
    """A reason is given instead of sources that nobody meant."""
    bench = Bench(files={**POSTS, "data/boats.json": raw})

    summary = await bench.run()

    assert bench.refusals(summary) == {"data/boats.json": "bad_json"}


async def test_every_file_is_accounted_for():
    """Read, ignored or refused: no file of the corpus is passed over in silence."""
    extra = {"drafts/a.md": b"x", ".git/config": b"x", "site.yaml": b"x", "odd.bin": b"x"}
    bench = Bench(files={**POSTS, **extra})

    summary = await bench.run()

    assert (summary.ignored, [refusal.path for refusal in summary.refused]) == (3, ["odd.bin"])
    assert len(bench.files) == summary.ignored + len(summary.refused) + len(set(POSTS))


async def test_two_files_with_one_identity_are_told_apart():
    """The first keeps the identity, the second is refused by name."""
    bench = Bench(files={**POSTS, "posts/z.md": b"---\nslug: rope\n---\nAnother text."})

    summary = await bench.run()

    assert bench.refusals(summary) == {"posts/z.md": "duplicate_key"}


async def test_a_selected_file_leaves_the_rest_as_it_is():
    """Other changes in the corpus wait for their own run."""
    bench = Bench()
    await bench.run()
    bench.files["posts/ropes.md"] = POSTS["posts/ropes.md"].replace(b"seven", b"nine")
    bench.files["posts/2024-03-01-tides.md"] = POSTS["posts/2024-03-01-tides.md"].replace(b"noon", b"dusk")

    summary = await bench.run(Selection(file="posts/ropes.md"))

    now = bench.versions.now()
    assert (keys("article:rope"), 3) == (set(summary.changed), summary.unchanged)
    assert (
        now["article:rope"].source.text,
        now["article:tides"].source.text,
    ) == ("A sennit has nine strands.", "The tide turns at noon.")


async def test_a_selected_source_of_many_in_a_file_is_taken_alone():
    """`--source boat:bo` takes one record and leaves its neighbour."""
    bench = Bench()
    await bench.run()
    bench.files["data/boats.json"] = POSTS["data/boats.json"].replace(b"4", b"5").replace(b"2", b"3")

    summary = await bench.run(Selection(source=SourceKey(source_type="boat", source_key="bo")))

    now = bench.versions.now()
    assert keys("boat:bo") == set(summary.changed)
    assert (
        now["boat:ann"].source.text,
        now["boat:bo"].source.text,
    ) == ("Boat: Ann\nBerths: 4", "Boat: Bo\nBerths: 3")


async def test_a_selection_that_names_nothing_is_an_error():
    """A slip in a path or a type is told, not taken for a deletion."""
    bench = Bench()
    await bench.run()

    with pytest.raises(CorpusInvalid, match=r"posts/rope\.md is no file"):
        await bench.run(Selection(file="posts/rope.md"))
    with pytest.raises(CorpusInvalid, match=r"no rule .* type `ship`"):
        await bench.run(Selection(source=SourceKey(source_type="ship", source_key="x")))
    with pytest.raises(CorpusInvalid, match=r"no document of the corpus is boat:x"):
        await bench.run(Selection(source=SourceKey(source_type="boat", source_key="x")))
    assert len(bench.versions.history) == 1


async def test_an_empty_corpus_changes_nothing():
    """A clear error; the active version stays."""
    bench = Bench()
    await bench.run()
    bench.files.clear()

    with pytest.raises(CorpusInvalid, match="no document"):
        await bench.run()
    assert len(bench.versions.history) == 1


async def test_a_run_that_would_lose_half_of_the_corpus_stops():
    """Unless the owner says that this is meant."""
    bench = Bench()
    await bench.run()
    del bench.files["data/boats.json"], bench.files["posts/ropes.md"]

    with pytest.raises(CorpusInvalid, match="3 of 4 sources would vanish"):
        await bench.run()
    summary = await bench.run(accept_vanishing=True)

    assert len(summary.removed) == 3


async def test_a_damaged_file_keeps_what_was_published_of_it():
    """A slip in front matter doesn't take the page away from visitors; mended, it is read again."""
    bench = Bench()
    await bench.run()
    bench.files["posts/ropes.md"] = b"---\ntitle: [x\nurl: {\n---\ntext"

    damaged = await bench.run()
    bench.files["posts/ropes.md"] = POSTS["posts/ropes.md"].replace(b"seven", b"five")
    mended = await bench.run()

    assert (bench.refusals(damaged), damaged.removed) == ({"posts/ropes.md": "bad_front_matter"}, ())
    assert keys("article:rope") == set(mended.changed)


STRICTER = {
    "internal": SITE.replace("type: article,", "type: article, visibility: internal,"),
    "redacted": SITE.replace("type: article,", "type: article, redaction: {literals: [sennit]},"),
    "redacted everywhere": SITE + "redaction: {literals: [sennit]}\n",
}


@pytest.mark.parametrize("stricter", STRICTER)
async def test_a_damaged_file_does_not_outlive_a_stricter_rule(stricter):
    """What was public under the old rule is withdrawn, since the new rule can't be applied to it; mended, it comes back."""
    bench = Bench()
    await bench.run()
    bench.files["posts/ropes.md"] = b"---\ntitle: [x\nurl: {\n---\ntext"
    bench.site_text = STRICTER[stricter]

    damaged = await bench.run()
    bench.files["posts/ropes.md"] = POSTS["posts/ropes.md"]
    mended = await bench.run()

    assert keys("article:rope") == set(damaged.removed)
    assert "withdrawn" in [notice.code for _, notice in damaged.notices]
    assert keys("article:rope") == set(mended.added)


async def test_a_damaged_file_outlives_a_rule_that_tells_nobody_more():
    """A new chunk size says nothing of who may be told: the old revision stays until the file is mended."""
    bench = Bench()
    await bench.run()
    bench.files["posts/ropes.md"] = b"---\ntitle: [x\nurl: {\n---\ntext"
    bench.site_text = SITE.replace("size: 300", "size: 400")

    summary = await bench.run()

    assert summary.removed == ()
    assert "kept_previous" in [notice.code for _, notice in summary.notices]


async def test_an_overtaken_run_begins_again_on_what_the_other_published():
    """Neither of two runs is lost, and what was embedded already is not embedded again."""
    bench = Bench()
    await bench.run(Selection(file="posts/ropes.md"))
    overtakers = [Selection(file="posts/2024-03-01-tides.md"), Selection(file="data/boats.json")]
    bench.versions.overtaken_by = [lambda one=one: Bench.run(bench, one) for one in overtakers]
    bench.files["pages/new.md"] = b"A new page."

    summary = await bench.run(Selection(file="pages/new.md"))

    assert keys("page:new") == set(summary.added)
    assert {"article:rope", "article:tides", "boat:ann", "boat:bo", "page:new"} == set(bench.versions.now())
    assert len(bench.versions.history) == 4
    assert len(bench.primary.texts) == len(set(bench.primary.texts))


async def test_a_run_that_is_always_overtaken_gives_up():
    """After its tries it says so; what the others published stands."""
    bench = Bench()
    bench.versions.failure = Overtaken("version 2 was published while draft 3 was made; run again")

    with pytest.raises(Overtaken, match="run again"):
        await bench.run()
    assert bench.versions.drafts == TRIES


GATED = SITE + "gate: {questions: questions.jsonl, on_ingest: true}\n"
CLOSED = GateReport(asked=3, before=VersionId(1), drops=("key_facts: 100.0% before, 66.7% now",))


async def test_a_closed_gate_stops_the_switch():
    """The draft is asked before it is published; where it lost too much the active version stays."""
    bench = Bench(site_text=GATED, files={**POSTS, "questions.jsonl": b"{}"})
    bench.gate = FakeGate(GateReport(asked=3))
    first = await bench.run()
    bench.gate = FakeGate(CLOSED)
    bench.files["posts/ropes.md"] = POSTS["posts/ropes.md"].replace(b"seven", b"nine")

    with pytest.raises(GateClosed, match="key_facts"):
        await bench.run()

    assert (first.gate, first.refused) == (GateReport(asked=3), ())
    assert bench.gate.asked == [(2, 1)]
    assert len(bench.versions.history) == 1


async def test_the_gate_is_passed_by_where_the_owner_says_so():
    """For one run by `skip_gate`, for all where the site file does not ask for it on each ingest."""
    bench = Bench(site_text=GATED, gate=FakeGate(CLOSED))
    await bench.run(skip_gate=True)
    bench.site_text = GATED.replace("on_ingest: true", "on_ingest: false")

    summary = await bench.run()

    assert (len(bench.versions.history), summary.gate, bench.gate.asked) == (2, None, [])


async def test_a_rehearsal_asks_the_draft_and_publishes_nothing():
    """Also by a closed gate: the report is told, no error, and no version."""
    bench = Bench(site_text=GATED, gate=FakeGate(GateReport(asked=3)))
    await bench.run()
    bench.gate = FakeGate(CLOSED)
    bench.files["posts/ropes.md"] = POSTS["posts/ropes.md"].replace(b"seven", b"nine")

    changed = await bench.rehearse()
    bench.files["posts/ropes.md"] = POSTS["posts/ropes.md"]
    unchanged = await bench.rehearse()

    assert (changed.gate, changed.version_id, len(bench.versions.history)) == (CLOSED, None, 1)
    assert (unchanged.gate, unchanged.version_id) == (None, None)


async def test_a_draft_is_withdrawn():
    """A page that its owner calls a draft leaves the version."""
    bench = Bench()
    await bench.run()
    bench.files["posts/ropes.md"] = POSTS["posts/ropes.md"].replace(b"slug:", b"draft: true\nslug:")

    summary = await bench.run()

    assert keys("article:rope") == set(summary.removed)


async def test_a_dry_run_tells_and_changes_nothing():
    """The summary is that of a real run, without a version."""
    bench = Bench()

    summary = await bench.run(dry_run=True)

    assert (summary.version_id, len(summary.added)) == (None, 4)
    assert (bench.versions.history, bench.primary.texts) == ([], [])


async def test_a_primary_without_quota_leaves_the_fallback_alone():
    """Every chunk has the fallback's vector; the primary isn't asked again in this run."""
    bench = Bench(fallback=FakePassageEmbedder(model=FALLBACK))
    bench.primary.failure = QuotaExhausted("fake", "used up")

    summary = await bench.run()

    vectors = [
        (chunk.primary, chunk.fallback) for one in bench.versions.now().values() for chunk in one.chunks
    ]
    assert all(primary is None and fallback is not None for primary, fallback in vectors)
    assert [notice.code for _, notice in summary.notices] == ["primary_used_up"]


@pytest.mark.parametrize("failure", [QuotaExhausted("fake", "used up"), ProviderUnavailable("fake", "503")])
async def test_a_fallback_that_fails_leaves_holes_to_fill(failure):
    """The primary's vectors are stored, the fallback's are null, and the summary says so."""
    bench = Bench(fallback=FakePassageEmbedder(model=FALLBACK, failure=failure))

    summary = await bench.run()

    vectors = [
        (chunk.primary, chunk.fallback) for one in bench.versions.now().values() for chunk in one.chunks
    ]
    assert all(primary is not None and fallback is None for primary, fallback in vectors)
    assert [notice.code for _, notice in summary.notices] == ["fallback_missing"]


@pytest.mark.parametrize(
    ("primary", "fallback"),
    [
        (ProviderUnavailable("fake", "503"), None),
        (ProviderRefused("fake", "401"), None),
        (QuotaExhausted("fake", "used up"), QuotaExhausted("fake", "used up")),
        (None, ProviderRefused("fake", "401")),
    ],
)
async def test_a_provider_that_nothing_stands_in_for_stops_the_run(primary, fallback):
    """The error comes out, and the active version is what it was."""
    bench = Bench(fallback=FakePassageEmbedder(model=FALLBACK))
    await bench.run()
    bench.files["pages/new.md"] = b"A new page."
    bench.primary.failure = primary
    bench.fallback = replace(bench.fallback, failure=fallback)

    with pytest.raises(ProviderUnavailable):
        await bench.run()
    assert len(bench.versions.history) == 1


async def test_another_model_is_not_mixed_in():
    """A site file that names another model is told to reindex."""
    bench = Bench()
    await bench.run()
    bench.primary = FakePassageEmbedder(model=FALLBACK)

    with pytest.raises(CorpusInvalid, match="magpie reindex"):
        await bench.run()


async def test_revisions_are_staged_in_batches():
    """Memory does not grow with the corpus: no batch holds all of it."""
    files = {f"pages/{number:04}.md": f"Page number {number} of many.".encode() for number in range(1000)}
    bench = Bench(files=files)

    summary = await bench.run()

    assert (summary.chunks, bench.versions.largest_batch) == (1000, 256)
    assert {64} == {len(batch) for batch in bench.primary.batches[:4]}


LISTS = """  - path: data/profile.json
    type: about
    key: about
    records: {at: about, key: id, title: name}
  - path: data/profile.json
    type: work
    key: "{id}"
    records: {at: works, key: id, title: name, status: data/status.json}
  - {path: data/status.json, ignore: true}
"""
PROFILE = b"""{"about": {"id": "me", "name": "Mo", "bio": "Mo mends boats."}, "works": [
    {"id": "a", "name": "Ash", "length": "4 m"},
    {"id": "b", "name": "Bay", "length": "5 m", "visibility": "internal"},
    {"id": "c", "name": "Cay", "length": "6 m"},
    {"id": "d", "name": "Dee", "length": "7 m"}
]}"""
STATUS = b"""{"status": [{"id": "a", "published": true}, {"id": "b", "published": true, "deleted_at": null},
    {"id": "c", "published": false}, {"id": "d", "published": true, "deleted_at": "2026-01-02"}]}"""


async def test_one_file_may_hold_several_lists() -> None:
    """Each rule with the file's path reads its own list; dead records stay out, one may narrow who is told."""
    files = {"data/profile.json": PROFILE, "data/status.json": STATUS}
    bench = Bench(files=files, site_text=SITE.replace("chunking:", LISTS + "chunking:"))

    await bench.run()

    held = {key: revision.source.visibility for key, revision in bench.versions.now().items()}
    assert held == {"about:about": "public", "work:a": "public", "work:b": "internal"}
    again = await bench.run()
    assert again.version_id is None and again.unchanged == 3


# --- Files that events told of ------------------------------------------------------------------


def told(*paths: str) -> Selection:
    return Selection(files=frozenset(paths))


async def test_files_that_events_told_of_are_looked_at_and_no_others() -> None:
    """What changed without an event waits; a file that came and went meanwhile is no mistake."""
    bench = Bench()
    await bench.run()
    bench.files["posts/ropes.md"] = POSTS["posts/ropes.md"].replace(b"seven", b"nine")
    bench.files["posts/2024-03-01-tides.md"] = POSTS["posts/2024-03-01-tides.md"].replace(b"noon", b"dusk")

    summary = await bench.run(told("posts/ropes.md", "posts/came-and-went.md"))

    assert (keys("article:rope"), (), 3) == (set(summary.changed), summary.removed, summary.unchanged)
    assert bench.read_paths == ["posts/ropes.md"]


async def test_a_deletion_that_an_event_told_of_is_a_removal() -> None:
    """The file is gone from the corpus, so its sources are gone from the version."""
    bench = Bench()
    await bench.run()
    del bench.files["posts/ropes.md"]

    summary = await bench.run(told("posts/ropes.md"))

    assert (keys("article:rope"), 3) == (set(summary.removed), summary.unchanged)


async def test_a_move_whose_events_come_one_by_one_loses_nothing() -> None:
    """
    The copy is refused while the original holds their identity; when the original goes, the copy is
    looked at again, though no event told of it a second time.
    """
    bench = Bench()
    await bench.run()
    bench.files["posts/z/ropes.md"] = bench.files["posts/ropes.md"]

    both = await bench.run(told("posts/z/ropes.md"))
    del bench.files["posts/ropes.md"]
    moved = await bench.run(told("posts/ropes.md"))

    assert bench.refusals(both) == {"posts/z/ropes.md": "duplicate_key"}
    assert (moved.removed, moved.unchanged) == ((), 4)
    held = bench.versions.history[-1].manifest[SourceKey(source_type="article", source_key="rope")]
    assert held.path == "posts/z/ropes.md"


async def test_another_site_file_makes_events_speak_for_everything() -> None:
    """New rules may touch files that no event tells of."""
    bench = Bench()
    await bench.run()
    bench.site_text = SITE.replace("type: article,", "type: article, visibility: internal,")

    summary = await bench.run(told("site.yaml"))

    assert keys("article:tides", "article:rope") == set(summary.changed)


async def test_a_changed_companion_touches_the_files_that_are_read_with_it() -> None:
    """A list of what is live decides about the records of another file."""
    files = {"data/profile.json": PROFILE, "data/status.json": STATUS}
    bench = Bench(files=files, site_text=SITE.replace("chunking:", LISTS + "chunking:"))
    await bench.run()
    bench.files["data/status.json"] = STATUS.replace(b'"a", "published": true', b'"a", "published": false')

    summary = await bench.run(told("data/status.json"))

    assert keys("work:a") == set(summary.removed)


async def test_a_new_file_that_takes_an_identity_does_not_stop_the_run() -> None:
    """The unchanged file that held it is refused by name; everything else comes in."""
    bench = Bench()
    await bench.run()
    bench.files["posts/a.md"] = b"---\nslug: rope\n---\nAnother text."

    summary = await bench.run()

    assert bench.refusals(summary) == {"posts/ropes.md": "duplicate_key"}
    assert keys("article:rope") == set(summary.changed)
