"""
E-mail addresses: written plainly, broken over lines, spaced out, or spelled ("name at domain dot com").

Reads plain views (`magpie.text.obfuscation`). Spelling is known in EN, PT, ES, FR, DE, IT and VN.
Admits: "look at example dot com" is taken for an address; a preposition before a real dot ("we build at
example.com") is not, unless an e-mail label stands before it.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from magpie.text.domains import DOMAINS, is_english_word_domain
from magpie.text.obfuscation import Span

_LOCAL = r"(?<![\w.+%'&~-])(?:[\w+][\w.+%'&~-]*+|\"[^\"\n@]{1,64}\")"
_BREAK = r"[ ]{0,3}\n[ ]{0,12}"
_PLAIN = re.compile(
    rf"{_LOCAL}(?:(?:{_BREAK})?@{{1,2}}(?:{_BREAK})?|[ ]@{_BREAK})(?P<domain>\w[\w-]*+(?:(?:[.·]|\.\.)\w[\w-]*+)*+)"
)
_BACKWARDS = re.compile(r"(?<![\w.@-])(?P<top>[a-z]{2,6})\.[a-z0-9-]++(?:\.[a-z0-9-]++)*+@[a-z][\w.-]*+")
_BROKEN_TAIL = re.compile(
    rf"(?:-?{_BREAK}|(?:{_BREAK})?\.(?:{_BREAK})?)(?P<tail>(?:[a-z][a-z0-9-]{{1,40}}\.){{0,2}}[a-z]{{2,12}})(?![\w@])"
)
_SPACED = re.compile(r"(?<!\S)(?:[\w.+-]\s){1,64}@(?:\s[\w.-](?!\w)){4,64}+")
_APART = re.compile(
    r"(?<![\w.+%'&~-])(?P<local>[\w+][\w.+%'&~-]*+)(?P<before>[ ]?)@(?P<after>[ ]?)"
    r"(?P<domain>\w[\w-]{0,62}+(?:[ ]?\.[ ]?\w[\w-]{0,62}+){1,4})"
)
_GLUED = re.compile(
    r"(?<![\w.-])[a-z0-9][a-z0-9._-]*+(?:AT|@)[a-z0-9-]++(?:DOT[a-z0-9-]++)+|(?<![\w.-])[a-z0-9]++_at_[a-z0-9-]++(?:_dot_[a-z]++)+"
)
_MISTYPED = re.compile(
    r"(?<![\w.+%'&~-])[a-z0-9][a-z0-9._+-]*+@[a-z][a-z0-9-]{2,}+,(?:com|net|org|pt|br|es|de|fr|vn|uk|in)(?:\.(?:br|uk|vn|in))?(?![\w.@-])"
)
_PROVIDERS = "gmail|googlemail|hotmail|outlook|yahoo|icloud|proton(?:mail)?|gmx|aol|sapo|uol|bol|terra|wanadoo|rediffmail"
_AT_SPELLED = r"[ ]?[\[({<]{1,2}[ ]?(?:at|a|arroba|arobase|@)[ ]?[\])}>]{1,2}[ ]?"
_AT_PROVIDER = re.compile(
    rf"(?<![\w.+-])(?:[a-z0-9]+(?:(?:[._-]|[ ](?:dot|ponto|punto|point|punkt)[ ])[a-z0-9]+)+|[a-z]+\d+)(?:{_AT_SPELLED}|[ ](?:at|arroba)[ ]|@)(?:{_PROVIDERS})(?![\w.@-]|[ ](?:dot|ponto|punto|point|punkt))"
    rf"|(?<![\w.+-])[\w.+-]+{_AT_SPELLED}(?:{_PROVIDERS})(?![\w.@-])",
    re.I,
)
_LITERAL_HOST = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@\[\d{1,3}(?:\.\d{1,3}){3}\]")
_ALONE = re.compile(
    r"(?:^|(?<=[|;,(<\n]))[ ]{0,2}(?P<all>[a-z0-9][a-z0-9._+-]{1,63}(?:[ ]@(?:[a-z0-9-]{2,40}\.){1,3}|@[a-z0-9-]{2,40}\.[ ])(?P<top>[a-z]{2,6}))(?=[ ]*(?:$|[|;,)>\n]))",
    re.M,
)
_LABELLED = re.compile(
    rf"(?:^|[|;•·,\n(]|[ ])[ *_]{{0,3}}(?:e-?mails?|correo(?: electronico)?|courriel|thu dien tu|correio eletronico)[*_]{{0,2}}[ ]?[:=|][ *_|]{{0,4}}"
    rf"(?P<value>[\w.+-]{{2,64}}(?:@|{_AT_SPELLED})[\w-]{{2,63}}+(?![.@\w]|[ ]?[\[(]))",
    re.I | re.M,
)
_LABEL = re.compile(
    r"(?:e-?mails?|correo|courriel|mail|thu dien tu|correio|posta)[\w ]{0,14}[*_]{0,2}[ ]{0,2}[:=|][ *_|]{0,4}$",
    re.I,
)

_AT_STRONG = "arroba|arrobas|arobase|arobas|chiocciola|klammeraffe|affenschwanz|a cong|a moc|at-sign|at sign|apenstaartje"
_AT_WEAK = "at|aet|chez"
_DOT_WORDS = "dot|ponto|punto|point|punkt|cham|period"
_OPEN, _CLOSE = r"[\[({<*|_~\"'-]", r"[\])}>*|_~\"'-]"
_NEAR = r"[ \n]{0,2}"
_AT = re.compile(
    rf"{_NEAR}{_OPEN}{{1,2}}[ ]?(?P<fenced>@|a|{_AT_WEAK}|{_AT_STRONG})[ ]?{_CLOSE}{{1,2}}{_NEAR}"
    rf"|(?:[ ]{{1,2}}|{_BREAK})(?P<word>{_AT_WEAK}|{_AT_STRONG})(?:[ ]{{1,2}}|{_BREAK})"
    rf"|[ ]?(?P<sign>@)[ ]?",
    re.I,
)
_FENCED_DOT = rf"{_NEAR}{_OPEN}{{1,2}}[ ]?(?:\.|{_DOT_WORDS})[ ]?{_CLOSE}{{1,2}}{_NEAR}"
_WORD_DOT = rf"(?:[ ]{{1,2}}|{_BREAK})(?:{_DOT_WORDS})(?:[ ]{{1,2}}|{_BREAK})"
_ANY_DOT = rf"(?:{_FENCED_DOT}|{_WORD_DOT}|[ ]?\.[ ]?(?=[a-z]))"
_SPELLED_DOT = re.compile(rf"{_FENCED_DOT}|{_WORD_DOT}", re.I)
_SPELLED_DOMAIN = re.compile(
    rf"(?!-)[a-z0-9][a-z0-9-]{{0,62}}?(?:{_ANY_DOT}[a-z][a-z0-9-]{{0,62}}?){{1,4}}(?![\w-])", re.I
)
_JOINT = rf"(?:{_ANY_DOT}|[ ](?:underscore|dash|hyphen|guion bajo|guion|traco|sublinhado|unterstrich|tiret|gach duoi|plus|mais|[+])[ ])"
_SPELLED_LOCAL = re.compile(rf"(?<![\w.+-])[\w+][\w+-]{{0,62}}(?:{_JOINT}[\w+][\w+-]{{0,62}}){{0,3}}\Z", re.I)
_SPELLED_LOCAL_TIGHT = re.compile(r"(?<![\w.+-])[\w+][\w.+-]{0,62}\Z")
_LOCAL_REACH = 90

# Words that stand in sentences and never name a host: "at this point in time", "at the dot in the middle".
_SENTENCE_WORDS = """a an the this that these those each every any some my our your his her its their one no which what all ce
    cet cette ces le la les un une des mon ma son leur quel o os as um uma este esta el los las una der die
    das dem den ein eine einem noon night home work least last first best most breaking some dot point ponto
    punto punkt"""
_NEVER_A_HOST = frozenset(_SENTENCE_WORDS.split())


def find_emails(text: str) -> Iterator[Span]:
    """All e-mail addresses of a plain view."""
    yield from _plain(text)
    yield from _apart(text)
    for match in _SPACED.finditer(text):
        if "." in match[0].partition("@")[2]:
            yield "email", match.start(), match.end()
    for pattern in (_GLUED, _MISTYPED, _AT_PROVIDER, _LITERAL_HOST):
        yield from (("email", *match.span()) for match in pattern.finditer(text))
    for match in _LABELLED.finditer(text):
        yield "email", *match.span("value")
    for match in _ALONE.finditer(text):
        if _is_known(match["top"]) and not is_english_word_domain(match["top"]):
            yield "email", *match.span("all")
    for match in _BACKWARDS.finditer(text):
        if _is_known(match["top"][::-1]):
            yield "email", match.start(), match.end()
    yield from _spelled(text)


def _plain(text: str) -> Iterator[Span]:
    for match in _PLAIN.finditer(text):
        end = _domain_end(text, match)
        if end and not _is_repository(text, match.start(), end):
            yield "email", match.start(), end


def _domain_end(text: str, match: re.Match[str]) -> int:
    """Where the domain ends; 0 where it is none. A domain may go on in the next line."""
    labels = re.split(r"[.·]{1,2}", match["domain"])
    end = match.end("domain")
    while len(labels) > 1 and not _is_top(labels[-1]):
        end -= len(labels.pop()) + 1
    end = match.start("domain") + len(text[match.start("domain") : end].rstrip(".·"))
    tail = _BROKEN_TAIL.match(text, end) if len(labels) == 1 or text[end : end + 1] == "." else None
    if (
        tail
        and "\n" in tail[0]
        and (len(labels) > 1 or "." in tail[0])
        and _is_known(tail["tail"].rpartition(".")[2])
    ):
        return tail.end()
    return end if len(labels) > 1 else 0


_IMAGES = frozenset(("png", "jpg", "jpeg", "gif", "webp", "svg", "avif"))
"""`logo@2x.png` is a picture."""


def _is_top(label: str) -> bool:
    return (
        len(label) >= 2
        and label not in _IMAGES
        and (label.replace("_", "0").isalpha() or label.startswith("xn--"))
    )


def _is_known(label: str) -> bool:
    return label.lower() in DOMAINS


def _is_repository(text: str, start: int, end: int) -> bool:
    """`git@github.com:owner/name` is where code lives, nobody's mailbox."""
    return text.startswith("git@", start) and text[end : end + 1] in (":", "/")


def _apart(text: str) -> Iterator[Span]:
    """Spaces around the sign or the dots. "Engineer @ Booking.com" is a job, so a real dot needs more."""
    for match in _APART.finditer(text):
        top = re.split(r"[ ]?\.[ ]?", match["domain"])[-1]
        if (
            (match["before"] or match["after"] or " " in match["domain"])
            and _is_known(top)
            and _is_meant(text, match)
        ):
            yield "email", match.start(), match.end()


def _is_meant(text: str, match: re.Match[str]) -> bool:
    local, domain = match["local"], match["domain"]
    if " ." in domain or _has_label(text, match.start()):
        return True
    if domain != domain.lower() or local != local.lower() or ". " in domain:
        return False
    begins = not text[max(0, match.start() - 3) : match.start()].strip(" \t(<")
    return bool(match["after"]) and (begins or bool(re.search(r"[\d._]", local)) or not match["before"])


def _has_label(text: str, start: int) -> bool:
    return bool(_LABEL.search(text[max(0, start - 40) : start]))


def _spelled(text: str) -> Iterator[Span]:
    for at in _AT.finditer(text):
        domain = _SPELLED_DOMAIN.match(text, at.end())
        if domain is None or not _is_host(domain[0]):
            continue
        reach = max(0, at.start() - _LOCAL_REACH)
        local = _local_before(text[reach : at.start()], domain[0])
        if local is not None and _is_address(text, at, reach + local, domain[0]):
            yield "email", reach + local, domain.end()


def _local_before(before: str, domain: str) -> int | None:
    """Where the mailbox begins. Its dots are only words where those of the domain are."""
    pattern = _SPELLED_LOCAL if _SPELLED_DOT.search(domain) else _SPELLED_LOCAL_TIGHT
    match = pattern.search(before)
    return match.start() if match else None


def _is_host(domain: str) -> bool:
    labels = re.split(_ANY_DOT, domain, flags=re.I)
    return _is_known(labels[-1]) and not any(label.lower() in _NEVER_A_HOST for label in labels[:-1])


def _is_address(text: str, at: re.Match[str], start: int, domain: str) -> bool:
    spelled = bool(_SPELLED_DOT.search(domain))
    word = at["word"]
    if at["sign"]:
        return spelled and not _is_prose(domain)
    if at["fenced"]:
        is_tight = at[0] == "(a)" and domain == domain.lower()
        return at["fenced"].lower() != "a" or spelled or is_tight
    if word.lower() not in _AT_WEAK.split("|"):
        return True
    if _has_label(text, start) or (word.isupper() and text[start : at.start()].islower()):
        return True
    return (spelled or _is_dotted_name(text[start : at.start()])) and not _is_prose(domain)


def _is_dotted_name(local: str) -> bool:
    """`ana.silva at exemplo.pt`; what ends like a file or a site (`next.js at vercel.com`) is no mailbox."""
    last = local.lower().rpartition(".")[2]
    is_dotted = re.fullmatch(r"[a-z]{1,20}(?:[._][a-z]{3,20}){1,2}\d{0,4}", local)
    return bool(is_dotted) and not _is_known(last)


def _is_prose(domain: str) -> bool:
    """ "at exhibit point in" reads like a sentence: a French dot with a domain that is an English word."""
    top = re.split(_ANY_DOT, domain, flags=re.I)[-1]
    return is_english_word_domain(top.lower()) and bool(re.search(r"\b(?:point|period)\b", domain, re.I))


# --- Comparing ----------------------------------------------------------------------------------

_AT_WORDS = re.compile(rf"[\[({{<*|_~-]{{0,2}}\b(?:{_AT_STRONG}|{_AT_WEAK})\b[\])}}>*|_~-]{{0,2}}", re.I)
_DOTS = re.compile(rf"[\[({{<*|_~-]{{0,2}}\b(?:{_DOT_WORDS})\b[\])}}>*|_~-]{{0,2}}", re.I)


@lru_cache(maxsize=2000)
def same_email(written: str) -> str:
    """An address as it is compared: no case, spaces, `mailto:` or spelling."""
    plain = written.lower().removeprefix("mailto:")
    if "@" not in plain:
        plain = _AT_WORDS.sub("@", plain, count=1)
    return re.sub(r"[\s\[\](){}<>]", "", _DOTS.sub(".", plain)).strip(".\"'")
