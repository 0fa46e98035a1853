"""`magpie versions`, `diff`, `rollback`, `prune`, `purge`: the corpus' history, and taking things out of it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from cli.opening import environment
from cli.running import key_of, on_site
from cli.showing import emit, out
from magpie.ingesting.differing import FactChange, Told, fact_change
from magpie.model import Purged, SourceChange, SourceKey, Version, VersionDiff, VersionId
from magpie.wiring import SiteRuntime

MOST_FACTS = 12  # a source that changed more was written anew


def run_versions(site: Path | None, corpus: Path | None, json: bool) -> int:
    """The kept versions, newest first."""
    versions = on_site(site, corpus, lambda runtime: runtime.history.versions())
    if json:
        emit({"versions": [_version_json(version) for version in versions]})
    else:
        _show_versions(versions)
    return 0


def run_diff(older: int, newer: int, site: Path | None, corpus: Path | None, json: bool) -> int:
    """Sources that came, went and changed between two versions, with their facts."""

    async def compare(runtime: SiteRuntime) -> tuple[VersionDiff, tuple[FactChange, ...]]:
        diff = await runtime.history.diff(VersionId(older), VersionId(newer))
        language = runtime.site.site.corpus_language
        return diff, tuple(fact_change(change, language) for change in diff.changed)

    diff, changes = on_site(site, corpus, compare)
    if json:
        emit(_diff_json(diff, changes))
    else:
        _show_diff(diff, changes)
    return 0


def run_rollback(version: int, site: Path | None, corpus: Path | None, json: bool) -> int:
    """Make a kept version the active one again."""
    active = on_site(site, corpus, lambda runtime: runtime.history.rollback(VersionId(version)))
    if json:
        emit({"active": active.id})
    else:
        out.print(
            f"Version {active.id} is active: {active.source_count} sources, {active.chunk_count} passages."
        )
    return 0


def run_prune(keep: int | None, site: Path | None, corpus: Path | None, json: bool) -> int:
    """Let old versions go; without a number the site file's."""

    async def prune(runtime: SiteRuntime) -> Any:
        return await runtime.history.prune(keep or runtime.site.safety.keep_versions)

    pruned = on_site(site, corpus, prune)
    if json:
        emit({"versions": pruned.versions, "revisions": pruned.revisions, "chunks": pruned.chunks})
    else:
        out.print(
            f"{len(pruned.versions)} versions gone, with {pruned.revisions} revisions that none needs now."
        )
    return 0


def run_purge(source: str, site: Path | None, corpus: Path | None, json: bool) -> int:
    """
    One source out of every version, vector and cache, and out of the answers that rest on it; with
    MAGPIE_CORPUS_BUCKET its files leave the bucket too, earlier versions included, with
    MAGPIE_WORK_BUCKET what runs noted of it on their way.
    """
    key = key_of(source)

    async def purge(runtime: SiteRuntime) -> tuple[Purged, int, Erased]:
        # The bucket first: what stays there comes back with the next run, so a purge can be repeated.
        erased = await _erase(key, await _files_of(runtime, key), environment())
        return await runtime.history.purge(key), await runtime.conversations.purge(key), erased

    purged, answers, erased = on_site(site, corpus, purge)
    if json:
        emit(
            {
                "source": str(key),
                "versions": purged.versions,
                "revisions": purged.revisions,
                "chunks": purged.chunks,
                "cached_vectors": purged.cached,
                "answers": answers,
                "bucket_objects": erased.objects,
                "run_objects": erased.of_runs,
                "files_left": list(erased.left),
            }
        )
    else:
        out.print(
            f"{key} is gone from {purged.versions} versions: {purged.revisions} revisions, {purged.chunks} passages, "
            f"{purged.cached} cached vectors, {answers} recorded answers, {erased.objects} objects of the bucket, "
            f"{erased.of_runs} objects of runs.",
            markup=False,
        )
        for path in erased.left:
            out.print(
                f"Take it out of {path} too, or the next ingest reads it again.", style="yellow", markup=False
            )
    return 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """
    How many objects left the corpus' bucket and that of the runs, and the files that only the owner can take the
    source out of.
    """

    objects: int
    of_runs: int
    left: tuple[str, ...]


async def _files_of(runtime: SiteRuntime, key: SourceKey) -> Mapping[str, bool]:
    """The files that held the source in any kept version, and whether each held it alone."""
    found: dict[str, bool] = {}
    for version in await runtime.history.versions():
        stored = await runtime.versions.stored(version.id)
        holders = Counter(one.path for one in stored)
        for one in stored:
            if one.key == key:
                found[one.path] = found.get(one.path, True) and holders[one.path] == 1
    return found


async def _erase(key: SourceKey, files: Mapping[str, bool], env: Mapping[str, str]) -> Erased:
    """Raises: StorageUnavailable. A file that holds other sources too stays: they would go with it."""
    corpus, work = env.get("MAGPIE_CORPUS_BUCKET"), env.get("MAGPIE_WORK_BUCKET")
    alone = [path for path, is_alone in files.items() if is_alone]
    return Erased(
        objects=await _erase_files(alone, corpus, env) if corpus else 0,
        of_runs=await _erase_work(key, work, env) if work else 0,
        left=tuple(path for path in files if not corpus or path not in alone),
    )


async def _erase_files(paths: Sequence[str], bucket: str, env: Mapping[str, str]) -> int:
    from magpie.adapters.s3 import S3Corpus

    store = S3Corpus(bucket, env.get("MAGPIE_CORPUS_PREFIX", "corpus/"), env.get("AWS_ENDPOINT_URL") or None)
    try:
        return sum([await store.erase(path) for path in paths])
    finally:
        store.close()


async def _erase_work(key: SourceKey, bucket: str, env: Mapping[str, str]) -> int:
    from magpie.adapters.s3 import S3Work
    from magpie.ingesting.erasing import erase_from_runs

    work = S3Work(bucket, env.get("AWS_ENDPOINT_URL") or None)
    try:
        return await erase_from_runs(work, key)
    finally:
        work.close()


# --- Showing ----------------------------------------------------------------------------------


def _show_versions(versions: Sequence[Version]) -> None:
    if not versions:
        out.print("No version yet; `magpie ingest --all` makes the first.")
        return
    table = Table("version", "made", "sources", "passages", "from", "note", box=None, header_style="dim")
    for version in versions:
        name = f"[bold]{version.id} active[/bold]" if version.active else str(version.id)
        made = f"{version.created_at:%Y-%m-%d %H:%M}"
        parent = "" if version.parent_id is None else str(version.parent_id)
        table.add_row(name, made, str(version.source_count), str(version.chunk_count), parent, version.note)
    out.print(table)


def _show_diff(diff: VersionDiff, changes: Sequence[FactChange]) -> None:
    if not (diff.added or diff.removed or diff.changed):
        out.print(f"Versions {diff.older} and {diff.newer} hold the same sources.")
    for sign, group in (("+", diff.added), ("-", diff.removed)):
        for change in group:
            out.print(f"{sign} {change.key}  {change.title}", markup=False)
    for changed in changes:
        out.print(f"~ {changed.change.key}  {changed.change.title}", markup=False)
        for sign, facts in (("-", changed.gone), ("+", changed.new)):
            for kind, text in facts[:MOST_FACTS]:
                out.print(f"    {sign} {kind}: {text}", markup=False, style="dim")


def _version_json(version: Version) -> dict[str, Any]:
    return {
        "id": version.id,
        "parent": version.parent_id,
        "made": version.created_at.isoformat(),
        "sources": version.source_count,
        "chunks": version.chunk_count,
        "active": version.active,
        "note": version.note,
    }


def _diff_json(diff: VersionDiff, changes: Sequence[FactChange]) -> dict[str, Any]:
    return {
        "older": diff.older,
        "newer": diff.newer,
        "added": [_change_json(change) for change in diff.added],
        "removed": [_change_json(change) for change in diff.removed],
        "changed": [
            {
                **_change_json(one.change),
                "facts_gone": _facts_json(one.gone),
                "facts_new": _facts_json(one.new),
            }
            for one in changes
        ],
    }


def _change_json(change: SourceChange) -> dict[str, Any]:
    return {"source": str(change.key), "title": change.title, "path": change.path}


def _facts_json(facts: Sequence[Told]) -> list[dict[str, str]]:
    return [{"kind": kind, "text": text} for kind, text in facts]
