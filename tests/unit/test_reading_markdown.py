"""What is read of Markdown and its dialects."""

from datetime import date

import pytest

from magpie.errors import DocumentRefused
from magpie.ingesting.readers import markdown
from magpie.model import Document, Reading


def read(raw: str | bytes, path: str = "page.md") -> Reading:
    data = raw.encode() if isinstance(raw, str) else raw
    return markdown.read(Document(path=path, raw=data, raw_hash=""))[0]


def headings(reading: Reading) -> list[tuple[int, str]]:
    return [(heading.level, heading.text) for heading in reading.headings]


def codes(reading: Reading) -> list[str]:
    return [notice.code for notice in reading.notices]


@pytest.mark.parametrize(
    "front",
    [
        "---\ntitle: Tides\ndate: 2024-03-09\nlang: pt-BR\n---\n",
        '+++\ntitle = "Tides"\ndate = 2024-03-09\nlang = "pt"\n+++\n',
        "\n------\ntitle: Tides\ndate: 2024-03-09T23:30:00-11:00\nlang: pt\n---\n",
        "---\ntitle:\tTides\ndate:\t9 March 2024\nlang: pt\n---\n",
    ],
)
def test_front_matter_of_both_kinds(front):
    """Title, day as written and language, also from sloppy files."""
    reading = read(front + "\nThe text.")

    assert (reading.title, reading.published, reading.language) == ("Tides", date(2024, 3, 9), "pt")
    assert reading.text == "The text."


def test_values_of_front_matter_stay_as_written():
    """`no` is a word, `1.10` a version; only true and false are booleans."""
    fields = read("---\ntags: [no, on, 1.10, 007]\nrank: 3\nlive: true\n---\nText").fields

    assert fields == {"tags": ["no", "on", "1.10", "007"], "rank": 3, "live": True}


@pytest.mark.parametrize("front", ["title: A: b\nkind: @x", "\ttitle: A\n\tkind: b"])
def test_sloppy_front_matter_is_mended_and_told(front):
    """An unquoted colon or a tab is no reason to lose a page."""
    reading = read(f"---\n{front}\n---\nText")

    assert (codes(reading), reading.text) == (["sloppy_front_matter"], "Text")
    assert str(reading.title).startswith("A")


def test_front_matter_beyond_mending_is_refused_by_line():
    """The reason names the line of the file."""
    with pytest.raises(DocumentRefused, match="line 4") as caught:
        read("---\ntitle: fine\nlist: [1, 2\nurl: {\n---\nText")

    assert caught.value.code == "bad_front_matter"


def test_aliases_that_multiply_stay_small():
    """A billion laughs in YAML don't take the memory: the lines are taken for the words that they are."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]

    reading = read("---\n" + "\n".join(lines) + "\n---\nText")

    assert (codes(reading), reading.text) == (["sloppy_front_matter"], "Text")
    assert len(str(reading.fields)) < 2000


def test_a_rule_is_not_front_matter():
    """Dashes around a paragraph are dashes."""
    assert read("Opening.\n\n---\n\ntitle: no\n\n---\n\n# Real\n").title == "Real"
    assert read("---\n\nA paragraph.\n\n---\n\nMore.").text == "A paragraph.\n\nMore."


def test_the_day_in_a_name_counts_where_front_matter_has_none():
    """Also that of a folder with an index page."""
    assert read("Text", "posts/2024-12-5-tides.md").published == date(2024, 12, 5)
    assert read("Text", "posts/2021-03-09-rope/index.md").published == date(2021, 3, 9)
    assert read("Text", "posts/rope.md").published is None


def test_headings_of_both_styles_without_those_in_code():
    """Setext and hashes count; fences, indented code, quotes, comments don't."""
    reading = read(
        "Title\n=====\n\nSub *title* {#id}\n---\n\n"
        "````md\n# no\n```\n# nor this\n```\n````\n\n    # indented\n\n"
        "> # quoted\n\n<!--\n# comment\n-->\n\n### `code` and [link](/x) ###\n"
    )

    assert headings(reading) == [(1, "Title"), (2, "Sub title"), (3, "code and link")]
    assert all(reading.text[one.start :].startswith("#" * one.level + " ") for one in reading.headings)


def test_what_nobody_sees_is_left_out_and_told():
    """Comments, scripts, hidden elements, also around blocks of Markdown."""
    reading = read(
        "Seen.<!-- not 1 --> <span hidden>not 2</span> On.\n\n<script>not 3</script>\n\n"
        '<div style="display: none">\n\nnot 4 **at all**\n\n</div>\n\n'
        '<p class="sr-only">not 5</p>\n\n{% comment %}\nnot 6\n{% endcomment %}\n\nEnd.'
    )

    assert "not" not in reading.text
    assert reading.text == "Seen.  On.\n\nEnd."
    assert codes(reading) == ["hidden_text"]


def test_characters_that_hide_words_are_gone():
    """Tag characters, overrides of direction, zero-width spaces, NUL bytes; joiners stay."""
    reading = read("A\u202eb\u200bc\U000e0041d e\u0301\u0000 می\u200cخواهم")

    assert reading.text == "Abcd é می\u200cخواهم"
    assert "nul_bytes" in codes(reading)


def test_text_stays_markdown_where_that_helps():
    """Lists, tables, code, links; emphasis and images are words."""
    reading = read(
        "**Bold** and _it_ `x*y` [link](/a) ![alt](b.png)\n\n* one\n  more\n* two\n\n3. three\n\n"
        "| a | b |\n|--|--|\n| *1* | 2 |\n\n```py\nx = 1\n```\n\nhard  \nbreak\nsoft\n"
    )

    assert reading.text == (
        "Bold and it `x*y` [link](/a) alt\n\n- one more\n- two\n\n3. three\n\n"
        "| a | b |\n| --- | --- |\n| 1 | 2 |\n\n```py\nx = 1\n```\n\nhard\nbreak soft"
    )


def test_dialects_leave_no_marks():
    """Hugo, Liquid, kramdown, admonitions, alerts, MDX; code about them is left alone."""
    text = read(
        'import X from "x"\n\n# H\n\n{{< fig src="a_b_c" >}}\n\n'
        "Before {% if x %}in{% endif %} after `{{ kept }}`.\n{: .class}\n\n"
        ":::note[Mind]\nThe step.\n:::\n\n> [!TIP]\n> A tip.\n\n"
        "<Tabs items={[1, {a: 2}]}>\n  Inside.\n</Tabs>\n\n{/* gone */}\n\n"
        "```\n{{< kept >}}\n```\n\n{% highlight ruby %}\n# not a heading\n{% endhighlight %}\n",
        "page.mdx",
    )

    assert text.text == (
        "# H\n\nBefore in after `{{ kept }}`.\n\nMind The step.\n\n> A tip.\n\nInside.\n\n"
        "```\n{{< kept >}}\n```\n\n```ruby\n# not a heading\n```"
    )
    assert headings(text) == [(1, "H")]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_files_that_say_their_encoding_are_decoded(encoding):
    """A byte order mark is enough; line ends are one kind."""
    reading = read("---\r\ntitle: Café\r\n---\r\nOlá.\r\n".encode(encoding))

    assert (reading.title, reading.text) == ("Café", "Olá.")


@pytest.mark.parametrize(
    "raw", [b"caf\xe9 au lait", "Olá a todos".encode("utf-16-le"), b"\x89PNG\r\n\0\0\0\0"]
)
def test_bytes_that_are_no_text_are_refused(raw):
    """Rather than stored as rubbish."""
    with pytest.raises(DocumentRefused) as caught:
        read(raw)

    assert caught.value.code == "bad_encoding"


@pytest.mark.parametrize(
    "source",
    [
        "seen\n\n" + "> " * 3000 + "deep",
        "seen\n\n" + "- " * 2000 + "deep",
        "[" * 5000,
        "*a " * 5000,
        "<div>" * 5000,
    ]
    + [mark * 5000 for mark in ("{{", "{% ", "`a", " ", "<p>{", "![")],
)
def test_pages_that_attack_the_parser_are_read_in_time(source):
    """Deep nesting and unclosed marks cost no more than their length."""
    assert isinstance(read(source).text, str)


def test_unclosed_comments_of_mdx_are_read_in_time():
    """As many as a file may hold cost no more than their length."""
    source = "{/* " * 50_000

    assert read(source, "page.mdx").text.startswith("{/*")


def test_an_expression_of_mdx_that_stands_alone_is_no_text():
    """What it would give is not known; in code and in plain Markdown braces stay."""
    source = "Before.\n\n{props.children}\n\n`{code}` after.\n\n{words}"

    assert read(source, "page.mdx").text == "Before.\n\n`{code}` after."
    assert read("{words}").text == "{words}"


def test_a_footnote_is_kept_as_text():
    """Its mark goes, what it says stays."""
    assert read("Fact[^1].\n\n[^1]: The proof.\n[^n]: More.").text == "Fact.\n\n1: The proof.\nn: More."


def test_what_nests_too_deep_is_told():
    """Quotes and lists beyond what the parser follows are left out with a notice; nothing but them is refused."""
    assert codes(read("seen\n\n" + "> " * 100 + "deep")) == ["deep_nesting"]
    with pytest.raises(DocumentRefused) as caught:
        read("> " * 100 + "deep")

    assert caught.value.code == "too_deep"


@pytest.mark.parametrize(
    "front",
    [
        '{\n  "title": "Tides",\n  "date": "2024-03-09"\n}\n',
        "---\nTitle: Tides\nDate: 2024-3-9\n---\n",
        "---\ntitle: Tides\ndate: 20240309\n---\n",
    ],
)
def test_front_matter_that_is_rare(front):
    """An object as Hugo takes it, names with a capital, a day without dashes."""
    reading = read(front + "\nThe text.")

    assert (reading.title, reading.published, reading.text) == ("Tides", date(2024, 3, 9), "The text.")


def test_only_statements_of_mdx_are_left_out():
    """A sentence that begins with import is a sentence."""
    source = 'import {A,\n  B} from "./x";\nexport const a = 1;\n\nimport the goods by sea, said the master.'

    assert read(source, "page.mdx").text == "import the goods by sea, said the master."


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ('{{< figure src="/a.png" caption="The quay" >}}', "The quay"),
        ("{{< highlight go >}}\nfunc main() {}\n{{< /highlight >}}", "```go\nfunc main() {}\n```"),
        ("{% raw %}{{ kept }}{% endraw %}", "{{ kept }}"),
        ("`{% raw %}{{ kept }}{% endraw %}`", "`{{ kept }}`"),
        ('[the post]({% post_url 2010-07-21-name %}){:target="_blank"}', "the post"),
        ("* Contents\n{:toc}\n\nText", "Text"),
        ("soft&shy;hyphen, zero&#8203;width", "softhyphen, zerowidth"),
    ],
)
def test_shortcodes_leave_what_is_shown(source, text):
    """Captions, code, what is raw and the words of a link stay."""
    assert read(source).text == text


@pytest.mark.parametrize("mark", ["<![if !IE]>", "<![ x[", "<![", "<![foo[bar]]>"])
def test_marked_sections_of_old_pages_break_nothing(mark):
    """A browser shows none of them."""
    assert read(f"<div>\nseen {mark}\n</div>\n\nafter").text == "seen\n\nafter"


def test_ends_of_tags_that_were_never_open_take_no_time():
    """However many there are."""
    assert read("<div>\n" + "<b>" * 8_000 + "</i>" * 8_000 + "\nseen").text == "seen"
