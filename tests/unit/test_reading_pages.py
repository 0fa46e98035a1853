"""What is read of web pages, and what approved facts of others' pages become."""

import json
from datetime import date

import pytest

from magpie.errors import DocumentRefused
from magpie.ingesting.readers import html, snapshot
from magpie.model import Document, Reading
from magpie.site import SourceRule

STORY = "The harbour opens its gates at six in the morning and closes them at ten at night, every day of the year. "
PAGE = f"""<!doctype html><html lang="de-AT"><head><title>Opening hours – Harbour</title>
<meta property="og:site_name" content="Harbour">
<meta property="article:published_time" content="2024-03-09T23:00:00+01:00">
<link rel="canonical" href="https://harbour.example/hours/"><style>.ghost {{ display: none }}</style></head><body>
<nav><a href="/">Start page of the harbour</a></nav>
<div id="cookie-banner">We use cookies. Accept?</div>
<main><h1>Opening hours</h1><p>{STORY * 3}</p><h2>Winter</h2><p>{STORY * 2}</p>
<p hidden>unseen 1</p><div style="visibility:hidden">unseen 2</div><p class="ghost">unseen 3</p>
<span aria-hidden="true">unseen 4</span><p style="font-size:0">unseen 5</p>
<!-- unseen 6 --><template>unseen 7</template>
<table><tr><th>Day</th><th>Hours</th></tr><tr><td>Monday</td><td>6 to 22</td></tr></table>
<ul><li>First rule of the quay</li><li><a href="/rules/">All of the rules</a></li></ul></main>
<footer>Imprint and privacy notice</footer></body></html>"""


def read(source: str | bytes, path: str = "page.html") -> Reading:
    raw = source.encode() if isinstance(source, str) else source
    return html.read(Document(path=path, raw=raw, raw_hash=""))[0]


def test_the_main_text_without_what_stands_around_it():
    """Navigation, banner and footer go; headings, tables and lists stay."""
    reading = read(PAGE)

    for gone in ("Start page", "cookies", "Imprint"):
        assert gone not in reading.text
    for kept in ("opens its gates at six", "| Monday | 6 to 22 |", "- First rule of the quay"):
        assert kept in reading.text
    assert (2, "Winter") in [(heading.level, heading.text) for heading in reading.headings]


def test_what_a_visitor_cannot_see_is_left_out():
    """By attribute, style, the page's own style sheet, comment or template; and it is told."""
    reading = read(PAGE)

    assert "unseen" not in reading.text
    assert "hidden_text" in [notice.code for notice in reading.notices]


@pytest.mark.parametrize(
    "style",
    [
        "color:#fff;background:#fff",
        "background-color: white; color: #FFFFFF !important",
        "color: rgb(255, 255, 255); background-color: white",
    ],
)
def test_words_in_the_colour_of_their_ground_are_left_out(style):
    """White on white is not read; white on black is."""
    page = PAGE.replace("<h2>Winter</h2>", f'<p style="{style}">unseen 8</p><h2>Winter</h2>')
    shown = PAGE.replace("<h2>Winter</h2>", f'<p style="color: white; background: #000">{STORY}seen 9</p>')

    assert "unseen 8" not in read(page).text
    assert "seen 9" in read(shown).text


def test_what_the_page_says_of_itself():
    """Title without the site's name, day, language, canonical address."""
    reading = read(PAGE)

    assert (reading.title, reading.published) == ("Opening hours", date(2024, 3, 9))
    assert (reading.language, reading.url) == ("de", "https://harbour.example/hours/")


def test_a_page_of_cards_is_not_lost():
    """Where there is little running text, the page's own main part is taken."""
    cards = "".join(
        f"<div class=card><h3>Boat {n}</h3><span>{n} pounds an hour</span></div>" for n in range(12)
    )

    text = read(f"<html><body><nav>Menu</nav><main>{cards}</main></body></html>").text

    assert all(f"{n} pounds an hour" in text for n in range(12))
    assert "Menu" not in text


def test_a_fragment_of_a_site_generator_is_read_whole():
    """With its front matter, its template language gone, and Markdown between its tags."""
    body = "## How\n\n- one\n- two\n\n<p>{% if x %}Call {{ y }}us.{% endif %}</p>"
    source = f"---\ntitle: Work\n---\n<section>\n\n{body}</section>"

    reading = read(source)

    assert (reading.title, reading.text) == ("Work", "## How\n\n- one\n- two\n\nCall us.")
    assert [(heading.level, heading.text) for heading in reading.headings] == [(2, "How")]


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [("iso-8859-1", "cp1252"), ("", "cp1252"), ("shift_jis", "shift_jis"), ("utf-8", "utf-16")],
)
def test_pages_in_old_encodings_are_decoded(declared, encoding):
    """As they declare, as their byte order mark says, else as browsers do."""
    word = "港の時間" if encoding == "shift_jis" else "Café „Möwe“"
    source = f'<html><head><meta charset="{declared}"></head><body><p>{word}</p></body></html>'

    assert word in read(source.encode(encoding)).text


@pytest.mark.parametrize(
    "source", ["<div>" * 5000 + "deep", "<b>" * 5000, "<table>" * 1000 + "x", "<" * 10_000, "&" * 10_000, ""]
)
def test_pages_that_attack_the_parser_give_a_reading(source):
    """Whatever is in them: a text or a reason, no crash, no endless run."""
    assert outcome(source) in ("text", "no_text")


def outcome(source: str) -> str:
    try:
        read(source)
    except DocumentRefused as exc:
        return exc.code
    return "text"


FACTS = {
    "page_url": "https://vendors.example/harbour",
    "captured_on": "2026-06-08",
    "facts": [
        {
            "project": "Tides",
            "label": "Budget",
            "value": "£420,000",
            "quote": "The budget for Tides was £420,000.",
        }
    ],
}
VENDOR = "<html><body><p>Rumours.</p><p>The budget for\n Tides was <b>£420,000</b>.</p></body></html>"


def read_snapshot(facts: object, page: str = VENDOR) -> Reading:
    rule = SourceRule(path="**", reader="snapshot", facts="facts.json")
    companion = Document(path="facts.json", raw=json.dumps(facts).encode(), raw_hash="")
    document = Document(path="page.html", raw=page.encode(), raw_hash="")
    return snapshot.read(document, rule, {"facts.json": companion})[0]


def test_links_that_headings_carry_for_themselves_are_no_words_of_theirs():
    """`¶`, `#` and `[edit]` go, a heading that is a link or holds the word stays."""
    marks = '<a class="headerlink" href="#w">¶</a><span class="mw-editsection">[<a href="/e">edit</a>]</span><a href="#w">#</a>'
    page = PAGE.replace(
        "<h2>Winter</h2>", f'<h2>Winter{marks}</h2><h2><a href="/c">How to edit C#</a></h2><p>{STORY}</p>'
    )

    headings = [heading.text for heading in read(page).headings]

    assert headings == ["Opening hours", "Winter", "How to edit C#"]


def test_only_approved_facts_of_an_outside_page_come_in():
    """With their quotes; nothing else of the page."""
    reading = read_snapshot(FACTS)

    assert reading.text == "- Tides, budget: £420,000. “The budget for Tides was £420,000.”"
    assert (reading.url, reading.published) == ("https://vendors.example/harbour", date(2026, 6, 8))


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"quote": "The budget was small."}, "fact_not_in_page"),
        ({"value": "£1"}, "bad_facts"),
        ({"label": ""}, "bad_facts"),
    ],
)
def test_a_fact_that_the_page_does_not_hold_is_refused(change, code):
    """A quote that is gone, or a value that isn't in it, needs the owner."""
    facts = {**FACTS, "facts": [{**FACTS["facts"][0], **change}]}

    with pytest.raises(DocumentRefused) as caught:
        read_snapshot(facts)

    assert caught.value.code == code


def body(inner: str) -> str:
    return f"<!doctype html><html><head><title>T</title></head><body>{inner}</body></html>"


@pytest.mark.parametrize("wrapper", ["<div>", '<div class="row">', "<b>", "<span><section>"])
def test_text_below_thousands_of_wrappers_is_read(wrapper):
    """The wrappers go with a notice, before the parser would stop in silence."""
    reading = read(body(wrapper * 2000 + f"<p>{STORY}</p>"))

    assert STORY.strip() in reading.text
    assert [notice.code for notice in reading.notices] == ["deep_nesting"]


@pytest.mark.parametrize("wrapper", ['<div style="color:red">', '<style>.a{}</style><div class="b">'])
def test_wrappers_that_may_hide_stay_and_too_many_are_refused(wrapper):
    """Nobody is shown what a wrapper hid because the wrapper was taken away."""
    with pytest.raises(DocumentRefused) as caught:
        read(body(wrapper * 400 + STORY))

    assert caught.value.code == "too_deep"


def test_a_small_page_is_read_whole():
    """Where nothing but text stands, an address, a caption, a list of terms and loose items are text."""
    reading = read(
        body(
            "<h1>Contact</h1><p>Call us.<p>Rua Nova 5<dl><dt>Rope<dd>£4</dl><li>Loose<figure><figcaption>The quay"
            "</figcaption></figure><table><tr><td><table><tr><td>a<td>b</table><td>Beside</table>soft&shy;hyphen"
        )
    )

    assert reading.text.split("\n\n") == [
        "# Contact",
        "Call us.",
        "Rua Nova 5",
        "- Rope: £4",
        "Loose",
        "The quay",
        "| a | b |\n| --- | --- |",
        "Beside",
        "softhyphen",
    ]


def test_a_page_that_only_scripts_draw_has_no_text():
    """Its title alone is none."""
    assert read(body('<div id="root"></div><noscript>Enable it.</noscript><script>x</script>')).text == ""


def test_a_page_inside_a_form_is_read():
    """Some programs wrap all of a page in one; a small form beside text goes."""
    reading = read(body(f"<form><p>{STORY * 2}</p></form>"))
    beside = read(body(f"<p>{STORY * 2}</p><form><label>Your e-mail</label></form>"))

    assert reading.text == beside.text == f"{STORY * 2}".strip()


def test_a_date_that_is_only_shown_is_found():
    """In an element that is called a date."""
    assert read(body(f'<p class="post-date">Published on 4 July 2021</p><p>{STORY}')).published == date(
        2021, 7, 4
    )


@pytest.mark.parametrize(
    "attribute",
    [
        'style="transform:translateX(-9999px)"',
        'style="opacity:.01"',
        'style="font-size:0.01em"',
        'style="width:1px;height:1px;overflow:hidden"',
        'class="u-visually-hidden"',
        'class="govuk-visually-hidden"',
    ],
)
def test_more_ways_to_hide(attribute):
    """Off the screen, next to nothing, or by a name that says so."""
    assert "unseen" not in read(body(f"<p>{STORY}</p><p {attribute}>unseen</p>")).text


def test_a_table_that_lays_out_a_page_is_no_table():
    """One with headings or tables in its cells; what stands in it is read as the page."""
    layout = body(f"<table><tr><td>Beside<td><h2>Ferry</h2><p>{STORY}</table>")

    assert read(layout).text.split("\n\n") == ["Beside", "## Ferry", STORY.strip()]


def test_pages_of_cards_and_folds_keep_their_headings():
    """Titles that are links, and questions that are buttons; the page's own head and its menus go."""
    cards = "".join(f'<div><h2><a href="/{n}">Story {n}</a></h2><p>{STORY}</p></div>' for n in (1, 2))
    folds = f'<button aria-expanded="false">When do you open?</button><div><p>{STORY}</p></div>'
    page = f"<header><b>River Line</b><button aria-expanded='false'>Menu</button></header><h1>News</h1>{cards}{folds}"

    reading = read(body(page))

    assert [heading.text for heading in reading.headings] == ["News", "Story 1", "Story 2"]
    assert "When do you open?" in reading.text
    assert "River Line" not in reading.text
    assert "Menu" not in reading.text


@pytest.mark.parametrize(
    "banner", ['id="onetrust-consent-sdk"', 'class="modal" aria-modal="true"', 'class="cc-cookies"']
)
def test_banners_are_left_out(banner):
    """By the names of those who make them, or by what they do."""
    assert "unwanted" not in read(body(f"<div {banner}>unwanted</div><p>{STORY}</p>")).text
