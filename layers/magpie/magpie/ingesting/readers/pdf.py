"""
PDF: the text layer in reading order, page by page.

Runs only where a hostile file can do no harm (the sandbox): a PDF may loop, swell or crash its
reader. Images are never decoded. Lines that a page was wrapped at are joined, lines that head or
foot every page are left out, hidden words beside visible ones too.
"""

import io
import logging
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pypdf import PageObject, PasswordType, PdfReader
from pypdf.errors import DependencyError
from pypdf.generic import ContentStream, NameObject

from magpie.errors import DocumentRefused
from magpie.ingesting.cleaning import clean, one_line, tidy
from magpie.ingesting.languages import language_code, language_of_path
from magpie.ingesting.readers.pdf_columns import Piece, in_columns
from magpie.ingesting.readers.pdf_content import operations
from magpie.ingesting.readers.pdf_visibility import visible
from magpie.model import Document, Notice, Reading

FULL_LINE = 0.75  # of the page's long lines: the next one goes on with the same paragraph
GARBLED_SHARE = 0.3
LEAST_LINES = 4
LEAST_CUT_LINE = 10  # characters: a word is cut at the end of a line that had others before
_PRESENTATION = re.compile("[\ufb00-\ufdff\ufe70-\ufefc]+")
_BULLET = re.compile(r"^(?:[•◦▪‣–—*·o-]|\d{1,3}[.)]|[a-z][.)])\s")
_HYPHEN = re.compile(r"(?<=[^\W\d_]{2})[-\u00ad\u2010]$")
_JOINS = re.compile(r"(?:and|or|und|oder|et|ou|e|y|o|en|of|bis|to)\b")  # "pre-\nand post-"
_BAD = re.compile("[\ufffd\ue000-\uf8ff\x00-\x08\x0e-\x1f]|\\(cid:\\d+\\)|/[a-z]\\d{2,}")

logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it logs every flaw that it works around


def read(document: Document) -> tuple[Reading, ...]:
    """
    One reading of one file. No rule is asked: what is started for each file must start fast.

    Raises: DocumentRefused `broken`, `needs_password`, `no_text`, `garbled`.
    """
    reader = _opened(document)
    pages = list(_pages(reader))
    unreadable = sum(page is None for page in pages)
    if pages and unreadable == len(pages):
        raise DocumentRefused(
            document.path, "broken", "none of its pages can be read; save it anew from its program"
        )
    text = _text([page for page in pages if page is not None])
    _check(document.path, text, len(pages))
    return (_reading(document.path, reader, text, unreadable),)


def _opened(document: Document) -> PdfReader:
    if b"%PDF-" not in document.raw[:8192]:
        raise DocumentRefused(document.path, "broken", "is no PDF: its first bytes don't say so")
    try:
        reader = PdfReader(io.BytesIO(document.raw))
        if reader.is_encrypted and reader.decrypt("") == PasswordType.NOT_DECRYPTED:
            raise DocumentRefused(
                document.path, "needs_password", "needs a password; save a copy without one"
            )
        if not reader.pages:
            raise DocumentRefused(document.path, "broken", "has no pages; save it anew from its program")
    except DocumentRefused:
        raise
    except DependencyError as exc:
        raise DocumentRefused(document.path, "needs_password", f"is encrypted: {exc}") from exc
    except Exception as exc:  # whatever a broken file does to its reader, it is the file that is broken
        raise DocumentRefused(
            document.path, "broken", f"is a broken PDF ({_said(exc)}); save it anew"
        ) from exc
    return reader


def _said(exc: Exception) -> str:
    return one_line(clean(str(exc)))[:120] or type(exc).__name__


def _pages(reader: PdfReader) -> Iterator[str | None]:
    """Text of each page, None of a page that can't be read."""
    for number in range(len(reader.pages)):
        try:
            page = reader.pages[number]
            _prepare(page, reader)
            yield _legible(page)
        except Exception:  # one broken page: the others still count, and a notice tells of it
            yield None


def _legible(page: PageObject) -> str:
    """The page's text; characters of fonts that tell no letters are marked as unreadable."""
    guessed = Counter[bool]()
    pieces: list[Piece] = []

    def note(text: str, cm: Any, tm: Any, font: Any, _size: Any) -> None:
        guessed[_is_guess(font)] += len(text.strip())
        pieces.append((text, cm[0] * tm[4] + cm[4], cm[3] * tm[5] + cm[5]))

    text = page.extract_text(visitor_text=note)
    return "\ufffd" * len(text) if guessed[True] > guessed[False] else in_columns(pieces) or text


def _is_guess(font: Any) -> bool:
    """A font of glyph numbers without a table to letters: what comes out of it is rubbish."""
    if not font or "/ToUnicode" in font or font.get("/Subtype") != "/Type0":
        return False
    if str(font.get("/Encoding")) not in ("/Identity-H", "/Identity-V"):
        return False
    descendant = font["/DescendantFonts"][0].get_object()
    return str(descendant.get("/CIDSystemInfo", {}).get("/Ordering", "")) in (
        "GB1",
        "CNS1",
        "Japan1",
        "Korea1",
        "KR",
    )


def _prepare(page: PageObject, reader: PdfReader) -> None:
    """Give the page its operations read fast, and without words that nobody sees."""
    contents = page.get_contents()
    if contents is None:
        return
    stream = ContentStream(contents, reader, "bytes")
    read = operations(contents.get_data())
    stream.operations = visible(stream.operations if read is None else read)
    page[NameObject("/Contents")] = stream


def _text(pages: Sequence[str]) -> str:
    lined = [[line.strip() for line in _letters(page).split("\n")] for page in pages]
    running = _running(lined)
    return tidy("\n\n".join(_reflowed(_without(running, lines)) for lines in lined))


def _letters(page: str) -> str:
    """Ligatures and presentation forms as the letters that they stand for."""
    return clean(_PRESENTATION.sub(lambda match: unicodedata.normalize("NFKC", match[0]), page))


def _without(running: set[str], lines: Sequence[str]) -> Sequence[str]:
    """A page's lines without its head and foot; a page of few lines is all its own."""
    if sum(bool(line) for line in lines) < LEAST_LINES:
        return lines
    return [line for line in lines if _masked(line) not in running]


def _running(pages: Sequence[Sequence[str]]) -> set[str]:
    """Heads and feet: first or last lines that half of the pages share, numbers aside."""
    counts: Counter[str] = Counter()
    for lines in pages:
        filled = [line for line in lines if line]
        counts.update({_masked(line) for line in (*filled[:1], *filled[-1:])})
    return {line for line, count in counts.items() if count >= 3 and count * 2 >= len(pages)}


def _masked(line: str) -> str:
    return re.sub(r"\d+", "#", line) or "\0"


def _reflowed(lines: Sequence[str]) -> str:
    """Paragraphs out of wrapped lines: a line as long as the others goes on in the next."""
    lengths = sorted(len(line) for line in lines if line)
    full = FULL_LINE * lengths[int(len(lengths) * 0.9)] if lengths else 0
    text = ""
    previous = ""
    for line in lines:
        is_full = bool(line) and len(previous) >= max(full, 30)
        goes_on = is_full and not _BULLET.match(line) and not _is_title_after(previous, line)
        is_cut = len(previous) >= LEAST_CUT_LINE and bool(_HYPHEN.search(text)) and not _JOINS.match(line)
        if is_cut and line[:1].islower():
            text = text[:-1] + line
        else:
            text += (" " if goes_on else "\n") + line
        previous = line
    return text


def _is_title_after(previous: str, line: str) -> bool:
    """A short line of its own after a finished sentence."""
    return (
        previous.endswith((".", "!", "?")) and len(line) <= 40 and line[:1].isupper() and line[-1:].isalnum()
    )


def _check(path: str, text: str, page_count: int) -> None:
    if not any(char.isalnum() for char in text) and "\ufffd" not in text:
        reason = (
            f"has no text on its {page_count} pages, only pictures perhaps; run text recognition (OCR) first"
        )
        raise DocumentRefused(path, "no_text", reason)
    bad = sum(len(match[0]) for match in _BAD.finditer(text))
    if bad > GARBLED_SHARE * len(text):
        raise DocumentRefused(
            path, "garbled", "its fonts don't tell which letters they show; export it anew, or run OCR"
        )


def _reading(path: str, reader: PdfReader, text: str, unreadable: int) -> Reading:
    fields = _metadata(reader)
    notices = []
    if unreadable:
        notices.append(Notice(code="pages_unreadable", message=f"{unreadable} of its pages can't be read"))
    return Reading(
        text=text,
        title=_sensible_title(fields.pop("title", "")),
        language=language_code(_language(reader)) or language_of_path(path),
        fields=fields,
        notices=tuple(notices),
    )


def _metadata(reader: PdfReader) -> dict[str, str]:
    """Title, author, subject, keywords, as far as they can be read."""
    try:
        raw: Mapping[str, Any] = reader.metadata or {}
        found = {
            name: raw.get(f"/{name.capitalize()}") for name in ("title", "author", "subject", "keywords")
        }
        return {
            name: one_line(clean(str(value))) for name, value in found.items() if value and str(value).strip()
        }
    except Exception:  # metadata is a kindness; a page that can be read is worth more
        return {}


def _language(reader: PdfReader) -> object:
    try:
        return str(reader.root_object.get("/Lang", ""))
    except Exception:  # as for metadata
        return None


def _sensible_title(title: str) -> str | None:
    """Not what programs write there: names of files and of themselves."""
    is_name = re.search(r"\.(?:docx?|pdf|tex|dvi|indd|odt|rtf|qxd|pptx?|xlsx?|html?)$", title, re.IGNORECASE)
    is_program = re.match(
        r"(?:untitled|microsoft word|document\d*$|slide \d|print|titel$|title$)", title, re.IGNORECASE
    )
    return None if not title or is_name or is_program else title
