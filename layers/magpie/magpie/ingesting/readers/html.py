"""
Web pages: the main text, without navigation, banners and what nobody sees.

What hides is cut out first, then trafilatura finds the main text. Where it finds little of what
the page itself calls its main part (a page of cards, a price list), that part is taken whole. A
fragment without a page around it, as static site generators have them, is taken whole too.
"""

import codecs
import re
from collections.abc import Mapping
from textwrap import dedent
from typing import Any

from lxml import etree
from lxml.html import HTMLParser, fromstring

from magpie.errors import DocumentRefused
from magpie.ingesting.cleaning import BYTE_ORDER_MARKS, clean, decode, one_line
from magpie.ingesting.dates import date_of_name, parse_date
from magpie.ingesting.languages import language_code, language_of_path
from magpie.ingesting.links import absolute
from magpie.ingesting.readers.extras import without_shortcodes
from magpie.ingesting.readers.front_matter import FrontMatter, split_front_matter
from magpie.ingesting.readers.markdown import Page, headings_in
from magpie.ingesting.readers.nesting import shallow
from magpie.ingesting.readers.tags import hides
from magpie.ingesting.readers.web_text import Element, name_of, write
from magpie.model import Document, Heading, Notice, Reading

_SEPARATORS = " |-–—·•:»"
LEAST_SHARE = 0.4  # of the page's own main part that the found text must hold
MAIN_LINK_SHARE = 0.2
PAGE_LINK_SHARE = 0.05
FEW_LINKS_CHARS = 60  # an address, a way to write
LEAST_QUESTION_WORDS = 3
SHORT_LINE_CHARS = 60
SMALL_PAGE_CHARS = 4000  # a page this short has little around its text
SNIFF_BYTES = 4096
_CHARSET = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_XML_LINE = re.compile(r"^\s*<\?xml[^>]*\?>")
_PAGE = re.compile(r"<(?:html|body|!doctype)\b", re.IGNORECASE)
_BANNER = re.compile(
    r"cookie|consent|gdpr|onetrust|cybot|usercentrics|didomi|privacy-?(?:banner|notice|overlay|popup)|newsletter-?(?:popup|modal)",
    re.IGNORECASE,
)
_COMMENTS = re.compile(
    r"(?:^|[\s_-])(?:comments?|kommentare?|comentarios?|commentaires?|respond|disqus)(?:$|[\s_-])",
    re.IGNORECASE,
)
_AROUND = re.compile(
    r"(?:^|[\s_-])(?:related|share|sharing|social|sidebar|newsletter|breadcrumbs?|pagination|pager|advert(?:isement)?s?|promos?|recommended)(?:$|[\s_-])",
    re.IGNORECASE,
)
_HIDDEN_RULE = re.compile(
    r"(?:^|[}\s,])([.#][\w-]+)\s*\{[^{}]*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE
)
_DATE_CLASS = re.compile(
    r"(?:^|[\s_-])(?:date|published|posted|pubdate|datum|fecha|data)(?:$|[\s_-])", re.IGNORECASE
)
_BEFORE_DATE = re.compile(
    r"^[^\d:]{0,24}?(?:\bon|\bam|\bem|\bel|\ble|:)\s+|^(?:published|posted)\s+", re.IGNORECASE
)
_MEDIA = re.compile(r"@[\w-]+[^{;]*\{(?:[^{}]|\{[^{}]*\})*\}")
_FRAMES = frozenset(
    ("footer", "site-footer", "page-footer", "colophon", "breadcrumb", "breadcrumbs", "navbox")
)
MARK_CHARS = 20
_MARKS = frozenset(("mw-editsection", "headerlink", "anchorjs-link", "heading-anchor", "header-anchor"))
_SIGNS = frozenset(("¶", "#", "§", "🔗", "[edit]", "permalink"))
_ASIDE = frozenset(("nav", "footer", "aside", "button", "textarea", "dialog", "menu"))
_ROLES = frozenset(
    ("navigation", "banner", "contentinfo", "search", "dialog", "alertdialog", "complementary")
)


def read(document: Document) -> tuple[Reading, ...]:
    """
    Raises: DocumentRefused `bad_encoding`, `bad_front_matter`, `no_text`, `too_deep`.
    """
    text, notices = decode_page(document)
    front = split_front_matter(document.path, text)
    source, cut = shallow(_source(text, front))
    page = _tree(document.path, source)
    has_page = bool(_PAGE.search(text))
    title, published, language, address = _facts(page)
    notices += cut + _without_hidden(page)
    _cut_marks(page)
    body, headings = _main(page) if has_page else _all_of(page, front)
    reading = Reading(
        text=body,
        title=_own_title(front) or title or _first_heading(headings),
        published=parse_date(front.fields.get("date")) or published or date_of_name(document.path),
        language=language_code(front.fields.get("lang")) or language or language_of_path(document.path),
        url=address,
        headings=headings,
        fields=front.fields,
        notices=(*notices, *front.notices),
    )
    return (reading,)


def all_text(document: Document) -> str:
    """All that a visitor of the page can read. Raises: DocumentRefused `bad_encoding`."""
    text, _ = decode_page(document)
    page = _tree(document.path, shallow(text)[0])
    _without_hidden(page)
    return write(_body(page))[0]


def canonical_address(document: Document) -> str | None:
    """What the page calls its own address, absolute or as a path of its host; None where it doesn't."""
    try:
        return _address(_tree(document.path, decode_page(document)[0]))
    except DocumentRefused:
        return None


def decode_page(document: Document) -> tuple[str, tuple[Notice, ...]]:
    """
    As its byte order mark says, as its own `meta` says, as UTF-8, else as browsers do: Windows-1252.

    Raises: DocumentRefused `bad_encoding` for what is no text.
    """
    raw = document.raw
    if any(raw.startswith(mark) for mark, _ in BYTE_ORDER_MARKS) or _is_utf8(raw):
        text, notices = decode(document.path, raw)
        return clean(text), notices
    if b"\0" in raw[:SNIFF_BYTES]:
        raise DocumentRefused(document.path, "bad_encoding", "holds binary data; it is no page")
    encoding = _declared(raw) or "windows-1252"
    notice = Notice(code="encoding", message=f"was decoded from {encoding}; UTF-8 is safer")
    return clean(raw.decode(encoding, "replace")), (notice,)


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _declared(raw: bytes) -> str:
    match = _CHARSET.search(raw[:SNIFF_BYTES])
    try:
        name = codecs.lookup(match[1].decode("ascii")).name if match else ""
    except (LookupError, UnicodeDecodeError):
        return ""
    return {"iso8859-1": "windows-1252", "ascii": "windows-1252", "utf-8": ""}.get(name, name)


def _source(text: str, front: FrontMatter) -> str:
    """The page without its front matter; with it goes the template language."""
    return without_shortcodes(text[front.body_start :]) if front.body_start else text


def _tree(path: str, source: str) -> Element:
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        page = fromstring(_XML_LINE.sub("", source).encode() or b"<p></p>", parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as exc:
        raise DocumentRefused(path, "no_text", "has no text that could be answered from") from exc
    _check_depth(path, parser)
    return page


def _check_depth(path: str, parser: HTMLParser) -> None:
    """The parser stops in silence where elements nest too deep."""
    if any("depth" in entry.message for entry in parser.error_log if entry.type_name == "ERR_RESOURCE_LIMIT"):
        raise DocumentRefused(path, "too_deep", "nests its elements over 250 deep; save it simpler")


# What nobody sees


def _without_hidden(page: Element) -> tuple[Notice, ...]:
    """Cut out hidden elements; a notice where words went with them."""
    names = _hidden_names(page)
    dropped = False
    for element in _shown_part(page):
        if element.getparent() is not None and (_is_hidden(element, names) or _is_banner(element)):
            dropped = dropped or _has_hidden_words(element)
            _cut(element)
    return (Notice(code="hidden_text", message="hidden text was left out"),) if dropped else ()


def _shown_part(page: Element) -> list[Element]:
    """Elements of the body, all of a fragment's."""
    return [element for element in _body(page).iterdescendants() if isinstance(element.tag, str)]


def _hidden_names(page: Element) -> frozenset[str]:
    """Classes and ids that the page's own style sheet hides, whatever the screen."""
    styles = "".join(style.text or "" for style in page.iter("style"))
    return frozenset(_HIDDEN_RULE.findall(_MEDIA.sub("", re.sub(r"/\*.*?\*/", "", styles, flags=re.DOTALL))))


def _is_hidden(element: Element, names: frozenset[str]) -> bool:
    if hides(str(element.tag).lower(), dict(element.attrib)):
        return True
    own = {f".{name}" for name in (element.get("class") or "").split()} | {f"#{element.get('id')}"}
    return bool(names & own)


def _is_banner(element: Element) -> bool:
    """A cookie notice and the like: named so, and short."""
    names = f"{element.get('id') or ''} {element.get('class') or ''}"
    is_named = _BANNER.search(names) or element.get("aria-modal") == "true"
    if element.tag not in ("div", "section", "aside", "dialog") or not is_named:
        return False
    return len("".join(element.itertext())) < 1500


def _has_hidden_words(element: Element) -> bool:
    is_machinery = element.tag in ("script", "style", "head", "title", "noscript", "svg")
    return not is_machinery and bool("".join(element.itertext()).strip())


def _cut(element: Element) -> None:
    """Take an element out and leave the text that follows it."""
    parent, before, tail = element.getparent(), element.getprevious(), element.tail or ""
    if before is not None:
        before.tail = (before.tail or "") + tail
    else:
        parent.text = (parent.text or "") + tail
    parent.remove(element)


def _cut_marks(page: Element) -> None:
    """Links that headings carry to themselves, to their editor: `¶`, `#`, `[edit]`."""
    for heading in page.xpath("//h1 | //h2 | //h3 | //h4 | //h5 | //h6"):
        for element in list(heading.iterdescendants("a", "span")):
            if element.getparent() is not None and _is_mark(element):
                _cut(element)


def _is_mark(element: Element) -> bool:
    names = {name.lower() for name in (element.get("class") or "").split()}
    text = one_line(_all(element))
    is_sign = element.tag == "a" and text in _SIGNS
    return (bool(names & _MARKS) and len(text) <= MARK_CHARS) or is_sign


# The main text


def _all_of(page: Element, front: FrontMatter) -> tuple[str, tuple[Heading, ...]]:
    """A fragment whole; in a static site generator's, text between the tags may be Markdown."""
    text, headings = write(_body(page), _as_markdown if front.body_start else None)
    return text, (headings if not front.body_start else headings_in(text))


def _as_markdown(running: str) -> str:
    text, _ = Page().render(dedent(running.replace("\v", "\n")))
    return text


def _body(page: Element) -> Element:
    bodies = page.xpath("//body")
    return bodies[0] if bodies else page


def _main(page: Element) -> tuple[str, tuple[Heading, ...]]:
    for element in _shown_part(page):
        if element.getparent() is not None and _is_frame(element):
            _cut(element)
    _open_folds(page)
    own_part = _own_part(page)
    whole = _without_aside(_body(page)) if own_part is None else own_part
    if _size(whole) <= SMALL_PAGE_CHARS and _is_prose(whole, is_main=own_part is not None):
        return write(whole)
    found = _found(page)
    is_little = own_part is not None and _size(found) < LEAST_SHARE * _size(own_part)
    return write(found if found is not None and _size(found) and not is_little else whole)


def _is_frame(element: Element) -> bool:
    """What stands around every page of a site."""
    if element.tag == "nav" or element.get("role") in ("navigation", "contentinfo", "search"):
        return True
    if element.tag == "footer":
        return not any(above.tag in ("article", "main", "blockquote") for above in element.iterancestors())
    names = {element.get("id") or "", *(element.get("class") or "").split()}
    return element.tag == "div" and bool(names & _FRAMES)


def _found(page: Element) -> Element | None:
    from trafilatura import bare_extraction  # a second of imports, for pages alone

    result = bare_extraction(
        etree.tostring(page, encoding="unicode", method="html"),
        include_comments=False,
        include_tables=True,
        include_links=True,
        include_formatting=True,
        date_extraction_params={"extensive_search": False},
    )
    return getattr(result, "body", None)


def _own_part(page: Element) -> Element | None:
    """What the page itself calls its main part."""
    candidates = page.xpath("//main | //*[@role='main']")
    return _without_aside(candidates[0]) if len(candidates) == 1 else None


def _without_aside(root: Element) -> Element:
    copy = fromstring(etree.tostring(root, encoding="unicode", method="html"))
    for element in list(copy.iter()):
        if element.getparent() is not None and (_is_aside(element) or _is_small_form(element, copy)):
            _cut(element)
    return copy


def _is_masthead(element: Element) -> bool:
    """The page's own head; that of an article holds its title."""
    return (
        element.tag == "header"
        and element.find(".//h1") is None
        and not any(above.tag in ("article", "main") for above in element.iterancestors())
    )


def _is_small_form(element: Element, page: Element) -> bool:
    """Some programs wrap a whole page in a form."""
    return name_of(element) == "form" and _size(element) < _size(page) / 2


def _is_aside(element: Element) -> bool:
    """Navigation, forms, the words of other visitors."""
    if name_of(element) in _ASIDE or element.get("role") in _ROLES or _is_masthead(element):
        return True
    names = f"{element.get('id') or ''} {element.get('class') or ''}"
    return name_of(element) in ("div", "section", "ol", "ul") and bool(
        _COMMENTS.search(names) or _AROUND.search(names)
    )


def _open_folds(page: Element) -> None:
    """The buttons that unfold an answer are its questions."""
    for button in page.iter("button"):
        if button.get("aria-expanded") is not None and len(_all(button).split()) >= LEAST_QUESTION_WORDS:
            button.tag = "p"


def _is_prose(element: Element, *, is_main: bool) -> bool:
    """Whether few of its words are links: what stands around a main text is mostly links. Headings don't count."""
    headed = sum(_size(link) for link in element.xpath("(.//h1 | .//h2 | .//h3 | .//h4)//a"))
    linked = sum(_size(link) for link in element.iter("a")) - headed
    share = MAIN_LINK_SHARE if is_main else PAGE_LINK_SHARE
    return linked <= max(FEW_LINKS_CHARS, share * _size(element))


def _size(element: Element | None) -> int:
    return len(one_line("".join(element.itertext()))) if element is not None else 0


# What the page says of itself


def _facts(page: Element) -> tuple[str | None, Any, Any, str | None]:
    return _title(page), _published(page), _language(page), _address(page)


def _own_title(front: FrontMatter) -> str | None:
    title = front.fields.get("title")
    return one_line(title) if isinstance(title, str) and title.strip() else None


def _title(page: Element) -> str | None:
    """What the page gives as its title, without the site's name; its own heading where the two agree."""
    named = _meta(page, "og:title") or one_line("".join(page.xpath("string((//head/title | //title)[1])")))
    site_name = _meta(page, "og:site_name")
    bare = _without_site_name(named, site_name)
    headings = [one_line(_all(heading)) for heading in page.iter("h1")]
    agreed = [
        heading for heading in headings if heading and heading in bare and not _ends_with(bare, heading)
    ]
    return max(agreed, key=len, default="") or bare or next(filter(None, headings), None)


def _without_site_name(title: str, site_name: str) -> str:
    return (
        title[: -len(site_name)].rstrip(_SEPARATORS) if site_name and _ends_with(title, site_name) else title
    )


def _ends_with(title: str, name: str) -> bool:
    """Whether the name stands after a separator at the title's end: there sites write their own."""
    before = title[: -len(name)].rstrip()
    return title.endswith(name) and before != title and before[-1:] in tuple(_SEPARATORS.strip())


def _all(element: Element) -> str:
    return "".join(element.itertext())


def _first_heading(headings: tuple[Heading, ...]) -> str | None:
    return next((heading.text for heading in headings if heading.level == 1), None)


def _published(page: Element) -> Any:
    for name in (
        "article:published_time",
        "datePublished",
        "date",
        "dc.date",
        "dcterms.date",
        "pubdate",
        "DC.date.issued",
    ):
        if found := parse_date(_meta(page, name)):
            return found
    for element in page.iter("time"):
        if found := parse_date(element.get("datetime") or _all(element)):
            return found
    return _linked_date(page) or _shown_date(page)


def _shown_date(page: Element) -> Any:
    """The first date in an element that is called one: `<p class="date">Published on 4 July 2021</p>`."""
    for element in page.iter("p", "span", "div", "small", "abbr"):
        text = one_line(_all(element)) if _DATE_CLASS.search(element.get("class") or "") else ""
        if found := parse_date(_BEFORE_DATE.sub("", text)) if len(text) <= SHORT_LINE_CHARS else None:
            return found
    return None


def _linked_date(page: Element) -> Any:
    """`datePublished` of the page's linked data."""
    for script in page.iter("script"):
        if "ld+json" in (script.get("type") or "") and (
            match := re.search(r'"datePublished"\s*:\s*"([^"]+)"', script.text or "")
        ):
            return parse_date(match[1])
    return None


def _language(page: Element) -> Any:
    root = page.getroottree().getroot()
    said = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or root.get("xml:lang")
    return (
        language_code(said)
        or language_code(_meta(page, "content-language"))
        or language_code(_meta(page, "og:locale"))
    )


def _address(page: Element) -> str | None:
    canonical = next(
        (link.get("href") for link in page.iter("link") if (link.get("rel") or "").lower() == "canonical"),
        None,
    )
    base = next((element.get("href") for element in page.iter("base")), None) or ""
    address = (canonical or _meta(page, "og:url") or "").strip()
    whole = absolute(base, address) if address else ""
    return whole if re.match(r"https?://[^/]|/(?!/)", whole) else None


def _meta(page: Element, name: str) -> str:
    wanted = name.lower()
    for element in page.iter("meta"):
        names: Mapping[str, str] = element.attrib
        if wanted in (names.get(kind, "").lower() for kind in ("name", "property", "itemprop", "http-equiv")):
            return one_line(names.get("content", ""))
    return ""
