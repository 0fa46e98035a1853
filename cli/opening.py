"""From a command's options to the site that it works on."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from infra.local.problems import LocalProblem
from infra.local.state import ROOT
from magpie.site import MAX_SITE_BYTES, SITE_FILE, Site, read_site

DEMO_CORPORA = ROOT / "corpus"
DEFAULT_SITE = "agency"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A site file that was read, where it lies, and the folder of its documents."""

    site: Site
    file: Path
    corpus: Path


def choose(file: Path | None, corpus: Path | None, env: Mapping[str, str]) -> Chosen:
    """
    The site of `--site` and `--corpus`; without them the demo site that SITE names, else the agency.

    Raises: LocalProblem when a file or folder is not there; SiteInvalid.
    """
    site_file = (file or _demo_file(env.get("SITE") or DEFAULT_SITE)).expanduser()
    if site_file.is_dir():
        site_file = site_file / SITE_FILE
    raw = _read(site_file)
    folder = (corpus or site_file.parent).expanduser().resolve()
    if not folder.is_dir():
        raise LocalProblem(
            f"the corpus {folder} is not a folder; name the folder of the documents with --corpus"
        )
    return Chosen(site=read_site(raw, str(site_file)), file=site_file.resolve(), corpus=folder)


def _read(file: Path) -> bytes:
    """No more than tells that there is too much of it. Raises: LocalProblem."""
    try:
        with file.open("rb") as opened:
            return opened.read(MAX_SITE_BYTES + 1)
    except FileNotFoundError as exc:
        raise LocalProblem(f"there is no site file {file}; name one with --site{_known()}") from exc
    except OSError as exc:
        raise LocalProblem(
            f"the site file {file} can't be read ({exc.strerror}); make it readable, or name another with --site"
        ) from exc


def demo_sites() -> tuple[Path, ...]:
    """The site files under `corpus/`, the agency first."""
    files = sorted(DEMO_CORPORA.glob(f"*/{SITE_FILE}"))
    return tuple(sorted(files, key=lambda file: file.parent.name != DEFAULT_SITE))


def _demo_file(key: str) -> Path:
    return DEMO_CORPORA / key / SITE_FILE


def _known() -> str:
    names = [file.parent.name for file in demo_sites()]
    return f", or a demo site with SITE=: {', '.join(names)}" if names else ""


def environment() -> Mapping[str, str]:
    """This process' environment: commands are the only place that reads it."""
    return os.environ
