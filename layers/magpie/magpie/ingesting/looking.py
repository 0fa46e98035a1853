"""Which files there are, which of them a run looks at, and what is refused before it is read."""

from collections.abc import Collection
from dataclasses import dataclass

from magpie.errors import CorpusInvalid, DocumentRefused
from magpie.ingesting import reading
from magpie.ingesting.base import Base
from magpie.ingesting.redacting import may_be_read
from magpie.ingesting.selecting import is_hidden, selects
from magpie.model import Refusal, Selection
from magpie.ports import CorpusFiles
from magpie.site import SITE_FILE, Site, SourceRule

MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A file with the rules that read it: several where one file holds several lists of records."""

    path: str
    rules: tuple[SourceRule, ...]
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """
    What a look at the corpus showed. `paths` are all that it holds, selected or not; `selection`
    is what the run really looks at, which may be more than was asked for.
    """

    found: tuple[Found, ...]
    paths: frozenset[str]
    selection: Selection
    refused: tuple[Refusal, ...] = ()
    ignored: int = 0


async def look(files: CorpusFiles, site: Site, selection: Selection, base: Base) -> Look:
    """
    The selected files that a rule lets in; the others are ignored or refused.

    Raises: CorpusInvalid for a selection that names nothing.
    """
    sizes = {path: size async for path, size in files.paths()}
    _check_selection(selection, sizes, base, site)
    selection = widened(selection, sizes, base, site)
    companions = {path for rule in site.sources for path in reading.companions_of(rule)}
    found, refused, ignored = [], [], 0
    for path, size in sizes.items():
        if not _is_selected(path, selection, site):
            continue
        try:
            one = _admitted(path, size, companions, site)
        except DocumentRefused as exc:
            refused.append(Refusal(path=exc.path, code=exc.code, reason=exc.reason))
            continue
        if one is None:
            ignored += 1
        else:
            found.append(one)
    return Look(
        found=tuple(found),
        paths=frozenset(sizes),
        selection=selection,
        refused=tuple(refused),
        ignored=ignored,
    )


def widened(selection: Selection, paths: Collection[str], base: Base, site: Site) -> Selection:
    """
    Files that events told of, and what these do not tell: with another site file everything is
    looked at; a changed companion touches the files that are read with it; and a file that the
    active version has nothing of, or that was refused in part, is looked at each time, because what
    kept it out (another file with its identity) may be gone.
    """
    if selection.files is None:
        return selection
    if base.version is None or base.version.site_hash != site.text_hash:
        return Selection()
    held = {stored.path for stored in base.stored.values()}
    again = {stored.path for stored in base.stored.values() if not stored.raw_hash}
    dependent = _reading_with(selection.files, paths, site)
    return Selection(files=selection.files | again | dependent | (set(paths) - held))


def _reading_with(changed: frozenset[str], paths: Collection[str], site: Site) -> set[str]:
    """Files whose rules look into a changed one."""
    patterns = {rule.path for rule in site.sources if not changed.isdisjoint(reading.companions_of(rule))}
    if not patterns:
        return set()
    return {path for path in paths if any(rule.path in patterns for rule in site.rules_for(path))}


def _is_selected(path: str, selection: Selection, site: Site) -> bool:
    if selection.source is None:
        return selects(selection, path)
    return any(rule.type == selection.source.source_type for rule in site.rules_for(path))


def _admitted(path: str, size: int, companions: set[str], site: Site) -> Found | None:
    """The file with its rules; None where it is to be ignored. Raises: DocumentRefused."""
    rule = site.rule_for(path)
    if path in (SITE_FILE, site.gate.questions) or is_hidden(path) or (rule is not None and rule.ignore):
        return None
    if rule is None and path in companions:
        return None
    _check_readable(path, size, rule, site)
    return Found(path=path, rules=site.rules_for(path), size=size)


def _check_readable(path: str, size: int, rule: SourceRule | None, site: Site) -> None:
    """Raises: DocumentRefused for what needs no reading to be refused."""
    if rule is None:
        raise DocumentRefused(
            path, "no_rule", "no rule of the site file says what it is; add one, or an `ignore` rule"
        )
    reading.kind_of(path, rule)
    limit = site.safety.max_file_mb
    if size > limit * MEGABYTE:
        raise DocumentRefused(
            path,
            "too_large",
            f"has {size / MEGABYTE:.1f} MB, over the limit of {limit:g} MB (safety.max_file_mb)",
        )
    may_be_read(path, rule, site)


def _check_selection(selection: Selection, paths: Collection[str], base: Base, site: Site) -> None:
    """A file that neither is there nor was there is a slip of the pen."""
    file, source = selection.file, selection.source
    if file is not None and file not in paths and not any(one.path == file for one in base.stored.values()):
        raise CorpusInvalid(f"{file} is no file of the corpus; give its path relative to the corpus folder")
    types = {rule.type for rule in site.all_rules if not rule.ignore}
    if source is not None and source.source_type not in types:
        raise CorpusInvalid(
            f"{source}: no rule of the site file has the type `{source.source_type}`; "
            f"it knows {', '.join(sorted(types))}"
        )
