"""The widget's files: what they weigh, which addresses they have, what they say in each language."""

import gzip
import json
import re
from pathlib import Path

import pytest

from functions.public.widget_files import WidgetFiles
from functions.public.widget_release import (
    LOADER,
    PANEL,
    Release,
    WidgetBroken,
    build,
    integrity_of,
    joined,
    keep,
    kept,
)
from functions.public.widget_squeeze import squeezed

WIDGET = Path(__file__).resolve().parents[2] / "widget"
LOADER_BYTES = 3_000
WHOLE_BYTES = 25_000
RELEASE = build(WIDGET)
FILES = WidgetFiles(newest=RELEASE)
LANGUAGES = sorted(path.stem for path in (WIDGET / "languages").glob("*.json"))


def weight(name: str) -> int:
    return len(gzip.compress(RELEASE.files[name], 9))


def test_the_loader_is_at_most_3_kb() -> None:
    """
    What every page view of every owner's page fetches stays within 3 kB, gzipped.
    """
    assert weight(LOADER) <= LOADER_BYTES


@pytest.mark.parametrize("language", LANGUAGES)
def test_loader_panel_and_a_language_are_at_most_25_kb(language: str) -> None:
    """
    A visitor who opens the panel has fetched 25 kB, gzipped, in whichever language.
    """
    assert weight(LOADER) + weight(PANEL) + weight(f"languages/{language}.json") <= WHOLE_BYTES


# --- Languages --------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_everything(language: str) -> None:
    """
    No string is missing, empty or without the places that are filled in.
    """
    english = json.loads((WIDGET / "languages" / "en.json").read_text(encoding="utf-8"))
    words = json.loads((WIDGET / "languages" / f"{language}.json").read_text(encoding="utf-8"))

    assert words.keys() == english.keys()
    assert all(text.strip() for text in words.values())
    places = {key: set(re.findall(r"\{\w+\}", text)) for key, text in words.items()}
    assert places == {key: set(re.findall(r"\{\w+\}", text)) for key, text in english.items()}


def test_the_widget_speaks_the_promised_languages() -> None:
    """
    Eight languages that are read from the left, and one from the right.
    """
    assert {"en", "pt", "es", "fr", "de", "it", "nl", "vi", "ar"} <= set(LANGUAGES)


def test_adding_a_language_is_adding_a_file(tmp_path: Path) -> None:
    """
    A new file in `languages` is served, known to the loader by its label, to the panel by its hash.
    """
    widget = copy_of_widget(tmp_path)
    english = (WIDGET / "languages" / "en.json").read_text(encoding="utf-8")
    (widget / "languages" / "sv.json").write_text(
        english.replace("Ask {name}", "Fråga {name}"), encoding="utf-8"
    )

    release = build(widget)

    assert "languages/sv.json" in release.files
    assert '"sv":"Fråga {name}"' in release.files[LOADER].decode()
    assert f'"sv":"{release.integrity("languages/sv.json")}"' in release.files[PANEL].decode()


def copy_of_widget(folder: Path) -> Path:
    for part in ("source", "languages"):
        (folder / part).mkdir()
        for file in (WIDGET / part).iterdir():
            (folder / part / file.name).write_bytes(file.read_bytes())
    (folder / "VERSION").write_bytes((WIDGET / "VERSION").read_bytes())
    return folder


# --- Addresses --------------------------------------------------------------------------------


def test_the_plain_address_is_the_newest_and_soon_asked_for_again() -> None:
    """
    `magpie.js` may be kept for minutes and used from any origin, also by pages that isolate themselves.
    """
    reply = FILES.reply("GET", LOADER, {})

    assert reply.status == 200
    assert reply.body == RELEASE.files[LOADER]
    assert reply.headers["Cache-Control"].startswith("public, max-age=300")
    assert reply.headers["Access-Control-Allow-Origin"] == "*"
    assert reply.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert reply.headers["Content-Type"] == "text/javascript; charset=utf-8"


@pytest.mark.parametrize("name", [LOADER, PANEL, "languages/en.json"])
def test_an_exact_version_never_changes(name: str) -> None:
    """
    Below its version each file may be kept for ever.
    """
    reply = FILES.reply("GET", f"{RELEASE.version}/{name}", {})

    assert reply.body == RELEASE.files[name]
    assert reply.headers["Cache-Control"] == "public, max-age=31536000, immutable"


def test_another_content_is_another_version(tmp_path: Path) -> None:
    """
    One altered string, and no address of the old release means the new one.
    """
    widget = copy_of_widget(tmp_path)
    language = widget / "languages" / "en.json"
    language.write_text(language.read_text(encoding="utf-8").replace("Thank you", "Thanks"), encoding="utf-8")

    assert build(widget).version != RELEASE.version


def test_the_loaders_hash_covers_everything() -> None:
    """
    The loader names the panel's hash, the panel each language's: who pins the first pins all.
    """
    assert RELEASE.integrity(PANEL) in RELEASE.files[LOADER].decode()
    panel = RELEASE.files[PANEL].decode()
    assert all(RELEASE.integrity(f"languages/{language}.json") in panel for language in LANGUAGES)


def test_a_kept_release_goes_on_being_served(tmp_path: Path) -> None:
    """
    Pages that pin a version work after the next one came out, byte for byte.
    """
    widget = copy_of_widget(tmp_path)
    old = build(widget)
    keep(old, widget)
    (widget / "VERSION").write_text("9.9.9\n")
    new = build(widget)

    reply = WidgetFiles(newest=new, earlier=kept(widget)).reply("GET", f"{old.version}/{LOADER}", {})

    assert new.version != old.version
    assert reply.body == old.files[LOADER]


@pytest.mark.parametrize(
    "path",
    [
        "",
        "nothing.js",
        "0.0.1-00000000/magpie.js",
        "../VERSION",
        f"{RELEASE.version}/../VERSION",
        "languages/",
    ],
)
def test_what_is_no_file_of_the_widget_is_not_found(path: str) -> None:
    """
    Nothing else of the folder can be reached, and the answer is not kept.
    """
    reply = FILES.reply("GET", path, {})

    assert reply.status == 404
    assert reply.headers["Cache-Control"] == "no-store"


def test_gzip_where_it_is_understood() -> None:
    """
    The body is small for who takes gzip, whole for who doesn't, and caches keep the two apart.
    """
    plain = FILES.reply("GET", PANEL, {})
    small = FILES.reply("GET", PANEL, {"accept-encoding": "gzip, deflate, br"})

    assert gzip.decompress(small.body) == plain.body
    assert small.headers["Content-Encoding"] == "gzip"
    assert small.headers["Content-Length"] == str(len(small.body))
    assert small.headers["Vary"] == "Accept-Encoding"
    assert small.headers["ETag"] != plain.headers["ETag"]


def test_what_is_known_is_not_sent_again() -> None:
    """
    A matching ETag, weakened by a proxy or not, ends in 304 without a body; HEAD has none either.
    """
    tag = FILES.reply("GET", LOADER, {}).headers["ETag"]

    for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        reply = FILES.reply("GET", LOADER, {"if-none-match": known})
        assert (reply.status, reply.body) == (304, b"")
    assert FILES.reply("GET", LOADER, {"if-none-match": '"other"'}).status == 200
    head = FILES.reply("HEAD", LOADER, {})
    assert (head.status, head.body) == (200, b"")
    assert FILES.reply("POST", LOADER, {}).status == 405


# --- Modules to files -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("const a = 1; // one\nconst b = 2;\n", "const a=1;const b=2;\n"),
        ('const url = "https://x"; // real\n', 'const url="https://x";\n'),
        ('const t = `a  ${b ? `c // ${d}` : "}"}  e`;\n', 'const t=`a  ${b ? `c // ${d}` : "}"}  e`;\n'),
        ('const r = /[/*]\\/ "/g; /* gone */ f();\n', 'const r=/[/*]\\/ "/g;f();\n'),
        ("const half = a / b / c;\n", "const half=a/b/c;\n"),
        ("a = b\n(c)\n", "a=b\n(c)\n"),
        ("return a + +b;\n", "return a+ +b;\n"),
        ("x = y\n  .map((z) => z)\n  .join();\n", "x=y.map((z)=>z).join();\n"),
        ("return /a b/.test(c)\n", "return/a b/.test(c)\n"),
    ],
)
def test_squeezing_keeps_the_program(source: str, expected: str) -> None:
    """
    Comments and needless space go; strings, templates, patterns and meaningful line ends stay.
    """
    assert squeezed(source) == expected


def test_modules_that_use_one_name_twice_are_refused(tmp_path: Path) -> None:
    """
    Joined modules share one scope, so a clash stops the build and is named.
    """
    (tmp_path / "one.js").write_text("export const same = 1;\n")
    (tmp_path / "two.js").write_text('import { same as other } from "./one.js";\nconst same = 2;\n')

    with pytest.raises(WidgetBroken, match="same"):
        joined(tmp_path, "two")


def test_modules_that_import_in_a_circle_are_refused(tmp_path: Path) -> None:
    """
    There is no order to join a circle in.
    """
    (tmp_path / "one.js").write_text('import { b } from "./two.js";\n')
    (tmp_path / "two.js").write_text('import { a } from "./one.js";\n')

    with pytest.raises(WidgetBroken, match="circle"):
        joined(tmp_path, "one")


def test_no_script_does_what_a_strict_page_forbids() -> None:
    """
    No markup from strings, no evaluation, no inline style, no address of anyone else.
    """
    for name in (LOADER, PANEL):
        text = RELEASE.files[name].decode()
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|cssText|document\.cookie",
            text,
        )
        addresses = set(re.findall(r"https?://[\w.-]+", text))
        assert addresses <= {"http://www.w3.org"}


def test_an_integrity_is_what_browsers_compute() -> None:
    """
    The hash of nothing, as everybody knows it.
    """
    assert integrity_of(b"") == "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    assert Release(version="1", files={"a": b""}).integrity("a") == integrity_of(b"")
