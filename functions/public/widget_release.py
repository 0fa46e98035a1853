"""
The widget's files as they are served: the modules of `widget/source` joined into two files, the
languages as they are.

A release's version is the widget's own with a hash of its content, so that an address with a
version in it can never mean two things.
"""

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from .widget_squeeze import squeezed

IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class)\b)", re.MULTILINE)
TOP_NAME = re.compile(r"^(?:async )?(?:function\*?|const|let|class) (\w+)", re.MULTILINE)

LOADER = "magpie.js"
PANEL = "panel.js"


class WidgetBroken(Exception):
    """The widget's own files can't be made into a release: something for us, never for a visitor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """`files` by their name below the version's address: `magpie.js`, `panel.js`, `languages/en.json`."""

    version: str
    files: Mapping[str, bytes]

    def integrity(self, name: str) -> str:
        """The file's hash, as `integrity` attributes take it."""
        return integrity_of(self.files[name])


def integrity_of(content: bytes) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content).digest()).decode()


def build(widget: Path) -> Release:
    """
    The newest release, from the folder `widget`.

    Each file carries the hashes of those that it fetches, so the loader's covers everything.
    Raises: WidgetBroken.
    """
    languages = {path.stem: path.read_bytes() for path in sorted((widget / "languages").glob("*.json"))}
    hashes = {code: integrity_of(content) for code, content in languages.items()}
    panel = squeezed(_filled(joined(widget / "source", "panel"), "LANGUAGES", hashes))
    loader = (widget / "source" / "loader.js").read_text(encoding="utf-8")
    version = _version(widget, panel, loader)
    facts = {"version": version, "panel": integrity_of(panel.encode()), "labels": _labels(languages)}
    return Release(
        version=version,
        files=MappingProxyType(
            {
                LOADER: squeezed(_filled(loader, "RELEASE", facts)).encode(),
                PANEL: panel.encode(),
                **{f"languages/{code}.json": content for code, content in languages.items()},
            }
        ),
    )


def kept(widget: Path) -> Mapping[str, Release]:
    """Earlier releases, by version: pages that name one exactly go on working."""
    folders = sorted(path for path in (widget / "releases").glob("*") if path.is_dir())
    return {folder.name: _read(folder) for folder in folders}


def keep(release: Release, widget: Path) -> Path:
    """Write the release into `widget/releases`, where later builds find it. Returns its folder."""
    folder = widget / "releases" / release.version
    for name, content in release.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def _read(folder: Path) -> Release:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    named = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
    return Release(version=folder.name, files=MappingProxyType(named))


def _version(widget: Path, *contents: str) -> str:
    number = (widget / "VERSION").read_text(encoding="utf-8").strip()
    return f"{number}-{hashlib.sha256(chr(0).join(contents).encode()).hexdigest()[:8]}"


def _labels(languages: Mapping[str, bytes]) -> Mapping[str, str]:
    """The button's words in each language: it is there before any language is fetched."""
    return {code: json.loads(content)["launcher"] for code, content in languages.items()}


def _filled(source: str, place: str, value: object) -> str:
    mark = f"{{}} /* {place} */"
    if source.count(mark) != 1:
        raise WidgetBroken(f"the widget's source must say `{mark}` exactly once")
    return source.replace(mark, json.dumps(value, ensure_ascii=False, separators=(",", ":")))


# --- Modules to files -------------------------------------------------------------------------


def joined(source: Path, entry: str) -> str:
    """
    The entry module with all that it imports, as one module that exports what the entry exports.

    Modules keep to named imports on one line and to names that no other module uses at its top.
    """
    order = tuple(dict.fromkeys(_imported_first(source, entry, ())))
    modules = {name: _module(source, name) for name in order}
    bodies = [IMPORT.sub("", text) for text in modules.values()]
    inner = [EXPORT.sub("", body) for body in bodies[:-1]]
    _refuse_shared_names([*inner, EXPORT.sub("", bodies[-1])])
    return "".join([*inner, bodies[-1]])


def _imported_first(source: Path, name: str, above: tuple[str, ...]) -> Iterator[str]:
    if name in above:
        raise WidgetBroken(f"modules of the widget import in a circle: {' > '.join((*above, name))}")
    for imported in IMPORT.findall(_module(source, name)):
        yield from _imported_first(source, imported, (*above, name))
    yield name


def _module(source: Path, name: str) -> str:
    return (source / f"{name}.js").read_text(encoding="utf-8")


def _refuse_shared_names(bodies: list[str]) -> None:
    names = [name for body in bodies for name in TOP_NAME.findall(body)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise WidgetBroken(f"two modules of the widget use the same name: {', '.join(twice)}")
