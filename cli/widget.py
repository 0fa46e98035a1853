"""`magpie widget`: the tag for an owner's page, and keeping a release for pages that name it exactly."""

from urllib.parse import urlsplit

from cli.showing import emit, out, say
from functions.public.widget_release import LOADER, Release, WidgetBroken, build, keep
from infra.local.problems import LocalProblem
from infra.local.state import ROOT

WIDGET = ROOT / "widget"
NEWEST = '<script async src="{base}/widget/magpie.js"></script>'
EXACT = (
    '<script async src="{base}/widget/{version}/magpie.js" '
    'integrity="{integrity}" crossorigin="anonymous"></script>'
)


def tag(base: str, exact: bool, json: bool) -> int:
    """
    Print the tag for pages of an assistant at `base`. Exact: only this version, checked by its hash.

    Raises: LocalProblem when `base` is no address of a server.
    """
    release = _built()
    words = (EXACT if exact else NEWEST).format(
        base=_checked(base), version=release.version, integrity=release.integrity(LOADER)
    )
    if json:
        emit({"tag": words, "version": release.version, "integrity": release.integrity(LOADER)})
        return 0
    out.print(words, markup=False)
    if exact:
        say("`magpie widget keep` holds this version ready for after the next deployment.")
    return 0


def keep_release(json: bool) -> int:
    """Write the newest release into `widget/releases`, from where every later deployment serves it."""
    release = _built()
    folder = keep(release, WIDGET).relative_to(ROOT)
    if json:
        emit({"version": release.version, "folder": str(folder)})
    else:
        say(f"Kept as {folder}; commit it.")
    return 0


def _built() -> Release:
    try:
        return build(WIDGET)
    except WidgetBroken as exc:
        raise LocalProblem(str(exc)) from exc


def _checked(base: str) -> str:
    parts = urlsplit(base)
    if parts.scheme not in {"http", "https"} or not parts.netloc or parts.query or parts.fragment:
        raise LocalProblem(
            f"{base!r} is not where an assistant is served; for instance https://assistant.example"
        )
    return base.rstrip("/")
