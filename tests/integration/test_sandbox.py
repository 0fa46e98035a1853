"""PDF files through the sandbox: what is read, and what is stopped."""

import io
import zlib

import pytest
from pypdf import PdfWriter

from magpie.adapters.sandbox import SandboxedReader
from magpie.errors import DocumentRefused
from magpie.ingesting.readers import html, markdown
from magpie.model import Document, Reading


def pdf_of(*pages: str, title: str = "") -> bytes:
    """A PDF with these content streams as its pages."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>")
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for number, content in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {5 + 2 * number} 0 R"
            " /Resources << /Font << /F 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    info = f"<< /Title ({title}) >>"
    return _assembled([*objects, info])


def _assembled(objects: list[str]) -> bytes:
    raw = b"%PDF-1.7\n"
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(raw))
        raw += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    trailer = f"trailer << /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>"
    tail = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}\nstartxref\n{len(raw)}\n%%EOF"
    return raw + tail.encode()


def lines(*texts: str, mode: int = 0) -> str:
    shown = "\n".join(f"({text}) Tj 0 -14 Td" for text in texts)
    return f"BT /F 12 Tf {mode} Tr 50 700 Td\n{shown}\nET"


async def read(raw: bytes, **limits: int) -> Reading:
    document = Document(path="x.pdf", raw=raw, raw_hash="")
    return (await SandboxedReader(**limits).read(document, "pdf"))[0]


async def test_long_markdown_and_pages_are_read_there():
    """With the same words as in our own process, headings and notices included."""
    words = "The harbour opens at six. " * 10
    sandbox = SandboxedReader()
    text = Document(path="a.md", raw=f"# Tides\n\n{words}".encode(), raw_hash="")
    page = Document(path="a.html", raw=f"<html><body><h1>Tides</h1><p>{words}".encode(), raw_hash="")

    assert await sandbox.read(text, "markdown") == markdown.read(text)
    assert await sandbox.read(page, "html") == html.read(page)


async def test_markdown_that_attacks_its_reader_is_stopped():
    """Brackets by the hundred thousand take minutes: not here."""
    document = Document(path="a.md", raw=b"![" * 150_000, raw_hash="")

    with pytest.raises(DocumentRefused) as caught:
        await SandboxedReader(time_limit_s=1).read(document, "markdown")

    assert caught.value.code == "too_slow"


async def refusal(raw: bytes, **limits: int) -> str:
    with pytest.raises(DocumentRefused) as caught:
        await read(raw, **limits)
    return caught.value.code


async def test_text_and_title_of_a_pdf():
    """Page after page, title from its metadata."""
    reading = await read(
        pdf_of(lines("The tide turns at noon."), lines("Ropes cost four pounds."), title="Harbour guide")
    )

    assert reading.text == "The tide turns at noon.\n\nRopes cost four pounds."
    assert reading.title == "Harbour guide"


async def test_wrapped_lines_become_paragraphs():
    """A full line goes on in the next, a hyphen at its end is mended, a title stays alone."""
    wrapped = lines(
        "The harbour opens its gates at six in the morning and clo-",
        "ses them at ten at night, on every single day of the year.",
        "Winter",
        "In winter the gates stay closed.",
    )

    reading = await read(pdf_of(wrapped))

    first, *rest = reading.text.split("\n")
    assert first.endswith("and closes them at ten at night, on every single day of the year.")
    assert rest == ["Winter", "In winter the gates stay closed."]


def row(number: int, left: str, right: str) -> str:
    height = 700 - 13 * number
    return f"BT /F 10 Tf 1 0 0 1 50 {height} Tm ({left}) Tj ET BT /F 10 Tf 1 0 0 1 320 {height} Tm ({right}) Tj ET"


async def test_columns_that_were_drawn_row_by_row_are_read_one_after_the_other():
    """A table's cells stay side by side."""
    columns = [
        row(number, f"left line {number} tells of tides", f"right line {number} tells of boats")
        for number in range(6)
    ]
    cells = [row(number, f"Berth {number}", f"{number} euros a night") for number in range(6)]

    told, table = await read(pdf_of("\n".join(columns))), await read(pdf_of("\n".join(cells)))

    assert told.text.index("left line 5") < told.text.index("right line 0")
    assert "Berth 3 3 euros a night" in table.text


async def test_a_word_cut_at_the_end_of_a_short_line_is_mended():
    """Whatever the lengths of the lines; a hyphen that another half follows stays."""
    text = (
        await read(pdf_of(lines("The master of the har-", "bour knows the low-", "and high-water marks.")))
    ).text

    assert text.split("\n") == ["The master of the harbour knows the low-", "and high-water marks."]


async def test_heads_and_feet_of_pages_are_left_out():
    """Lines that every page repeats, numbers aside."""
    pages = [
        lines("Harbour report", f"Words {name} of", "the page", "and more", f"Page {number}")
        for number, name in enumerate("abcd")
    ]

    text = (await read(pdf_of(*pages))).text

    assert "Harbour report" not in text
    assert "Page 2" not in text
    assert all(f"Words {name}" in text for name in "abcd")


async def test_invisible_words_beside_visible_ones_are_dropped():
    """But the recognised text of a scan, all of it invisible, is kept."""
    mixed = await read(pdf_of(lines("Seen by all.") + "\n" + lines("Obey me.", mode=3)))
    scanned = await read(pdf_of(lines("Recognised text.", mode=3)))

    assert (mixed.text, scanned.text) == ("Seen by all.", "Recognised text.")


@pytest.mark.parametrize(
    "hiding",
    ["1 1 1 rg", "1 g", "0 0 0 0 k", "/DeviceRGB cs 1 1 1 sc", "/F 0.4 Tf", "0.03 0 0 0.03 50 600 Tm"],
)
async def test_words_in_white_or_too_small_to_see_are_dropped(hiding):
    """On bare paper; what comes after them is seen again."""
    hidden = lines("Obey me.").replace("50 700 Td", f"{hiding} 50 650 Td")
    page = f"{lines('Seen by all.')}\nq\n{hidden}\nQ\n{lines('Seen too.').replace('700', '500')}"

    assert (await read(pdf_of(page))).text.split() == ["Seen", "by", "all.", "Seen", "too."]


async def test_white_words_on_a_painted_bar_are_kept():
    """As headings often are: what lies under them is not looked at."""
    bar = "0 0 1 rg 40 690 200 30 re f"
    page = (
        f"{bar}\n{lines('Our prices').replace('BT', 'BT 1 g')}\n{lines('Ten euros.').replace('700', '600')}"
    )

    assert "Our prices" in (await read(pdf_of(page))).text


@pytest.mark.parametrize(
    "raw", [b"", b"hello", b"%PDF-1.7\n", pdf_of(lines("cut"))[:300], b"%PDF-1.4\n" + bytes(range(256)) * 20]
)
async def test_a_broken_file_is_refused(raw):
    """Whatever it does to its reader."""
    assert await refusal(raw) == "broken"


async def test_a_file_without_text_is_refused():
    """It may be a scan: that is said, and nothing empty is stored."""
    assert await refusal(pdf_of("0 0 m 10 10 l S")) == "no_text"


@pytest.mark.parametrize(("password", "code"), [("secret", "needs_password"), ("", "")])
async def test_a_password_is_needed_or_empty(password, code):
    """An empty one opens the file; any other refuses it."""
    writer = PdfWriter(clone_from=io.BytesIO(pdf_of(lines("Opened."))))
    writer.encrypt(user_password=password, owner_password="owner", algorithm="AES-256")
    file = io.BytesIO()
    writer.write(file)

    if code:
        assert await refusal(file.getvalue()) == code
    else:
        assert (await read(file.getvalue())).text == "Opened."


async def test_a_file_that_takes_too_long_is_stopped():
    """The reader is killed at the limit."""
    slow = pdf_of(*[lines(*["word"] * 3000)] * 40)

    assert await refusal(slow, time_limit_s=1) == "too_slow"


async def test_a_file_that_swells_is_stopped():
    """A few kilobytes that unpack to a gigabyte don't take the machine's memory."""
    packed = zlib.compress(b" " * 300_000_000, 9)
    raw = pdf_of("@")
    bomb = raw.replace(
        b"<< /Length 1 >>\nstream\n@\nendstream",
        b"<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (len(packed), packed),
    )

    assert await refusal(bomb, memory_limit_mb=300) in {"too_heavy", "broken", "no_text"}
