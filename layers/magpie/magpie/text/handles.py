"""
Names of people on networks, in sentences and lists without a colon: `Skype live:ana`, `on GitHub as jsilva`,
`Telegram @x`, `ana_s on Discord`, `github dot com slash jsilva`.

A word beside a network is a name when its own shape says so (`@x`, `ana#1234`, `ana_s`), or when the words between
say so ("as", "user", "find me on") and it ends there. Reads plain views. Admits: a name that is an ordinary word
("on GitHub as sunshine hunter") is not seen; name it as a literal.
"""

import re
from collections.abc import Iterator

from magpie.text.domains import DOMAINS
from magpie.text.obfuscation import Span

_NETWORK = (
    r"linked-?in|git-?hub|git-?lab|bitbucket|codeberg|twitter(?:[ ]?/[ ]?x)?|x[ ]?/[ ]?twitter|facebook|fb|instagram|insta|ig|gmail|hotmail|mastodon"
    r"|bluesky|bsky|telegram|tg|skype|discord|signal|threads|matrix|keybase|xing|stack ?overflow|behance|dribbble|substack|youtube|twitch"
    r"|tiktok|kaggle|hackerrank|leetcode|codepen|pinterest|snapchat|wechat|weixin|zalo|viber|line|icq|qq|hugging ?face|reddit|npm|steam"
)
# Words of these are also words of work, so only a name's own shape counts beside them.
_COMMON = frozenset(("signal", "threads", "matrix", "line", "steam", "npm", "qq", "fb", "tg", "ig"))
_SAID = (
    r"user ?name|user(?:[ ]?id)?|account|handle|nick(?:name)?|profile|id|name|usuari[oa]|utilizador(?:a)?|nutzer(?:name)?|benutzer(?:name)?"
    r"|konto|compte|conta|cuenta|perfil|profil|pseudo|identifiant|utilisateur|tai khoan|ten"
)
_AS = r"as|under|como|com o nome|bajo|als|unter|sous(?:[ ]le)?|comme|sou|soy|voi ten|is|ist|est|es|e"
_ME = (
    r"(?:find|add|follow|reach|message|ping|dm|text|write to|contact) me (?:on|via|at|over|in)|my|i am on|i'm on|me (?:encontre|siga|adicione) (?:no|em)"
    r"|(?:encontra|segue|adiciona)-me no|(?:sigueme|encuentrame|agregame|buscame) en|mi|meu|mon|mein|suivez-moi sur|(?:folge|finde) mir auf|auf|ket ban"
)
_TOKEN = r"[A-Za-z0-9_][\w.-]{0,38}\w"
_SHAPED = (
    r"@[A-Za-z0-9_][\w.-]{0,39}(?:[@:][\w.-]{2,60}\w)?|(?:/?(?:u|in|user|users|id)/|~)[\w./-]{2,40}|live:[\w.:-]{2,40}"
    r"|[\w.-]{2,32}#\d{3,5}(?!\w)|(?=[a-z0-9._]*_)[a-z0-9._]{3,40}(?![\w/])|(?P<dotted>[a-z]{2,}[a-z0-9]*(?:\.[a-z0-9]{2,}){1,2}(?![\w/(.]))"
)
_BESIDE = re.compile(
    rf"(?<![\w@./-])(?:(?P<me>{_ME})[ ])?(?P<network>{_NETWORK})(?P<said>(?:[ ]\(?(?:{_SAID}|{_AS})(?![\w])){{0,3}})[ ]{{0,2}}[:(=–-]?[ ]{{1,2}}\(?"
    rf"(?:(?P<shaped>{_SHAPED})|(?P<plain>{_TOKEN})(?=\)?(?:[ ]*(?:$|[,;|)\n•·])|\.(?:\s|$)|[ ](?:and|or|e|ou|y|o|et|und|oder|va)[ ])))",
    re.I | re.M,
)
_ON = re.compile(
    rf"(?<![\w@./-])(?:(?P<said>{_SAID}|as|como|als|sous)[ ](?P<name>{_TOKEN})|(?P<shaped>[a-z][a-z0-9]*[_.][a-z0-9_.]*\w|[\w.-]{{2,32}}#\d{{3,5}}))"
    rf"[ ]\(?(?:on |auf |bei |no |na |en |sur |em |tren )?(?P<network>{_NETWORK})(?![\w.-])",
    re.I,
)
_NUMBERED = re.compile(
    r"(?<!\w)(?:(?:stack ?overflow|stack ?exchange|icq|qq|steam)(?:[ ](?:user|id|account|no\.?|uin))?[ ]?[:#]?[ ](?P<number>\d{5,12})"
    r"|(?:curriculo )?lattes(?:[ ]id)?[ ]?:?[ ](?P<lattes>\d{16})|(?<![\w-])(?P<orcid>0000-000\d-\d{4}-\d{3}[\dX]))(?![\w-])",
    re.I,
)
_ORDINARY_WORDS = """public private open closed free mit gpl code json csv zip html docs default usual needed required such well follows admin owner
    member volunteer intern it this that a an the one two used based here there live new old popular only part source software data tool
    tools project projects team expert pro plus premium business api apps app ads bot bots page pages group groups channel channels post
    posts profile account user users content marketing growth campaign campaigns and or e ou y et und partner clone feed shop store web
    mobile desktop client server login oauth auth sso integration help support research culture news training management manager"""
_ORDINARY = frozenset(_ORDINARY_WORDS.split())
_COPULA = re.compile(r"[ ](?:is|ist|est|es|e)\Z", re.I)
_ENDS_OF_WORDS = re.compile(
    r"(?:er|or|ist|ant|ent|ed|ing|ly|ion|ions|ware|ment|ness|ity|able|ers|ors|dor|dora|mente|cao|cion|ung|eur|trice|ien)\Z"
)
_FILE_ENDINGS = "js ts py md rb php java css html json yml yaml xml txt pdf png jpg svg exe dll rs go cpp kt vue csv tsv sql ipynb xlsx docx zip"
_FILES = frozenset(_FILE_ENDINGS.split())
_SLASH = r"(?:[ ]?(?:/|slash|barra|schragstrich|gach cheo)[ ]?)"
_SPELLED_ADDRESS = re.compile(
    rf"(?<![\w@.-])[a-z][\w-]{{1,40}}[ ]?(?:[\[(]?(?:dot|ponto|punto|point|punkt|cham)[\])]?|[\[(]\.[\])])[ ]?(?P<top>[a-z]{{2,6}})(?:{_SLASH}(?:in{_SLASH})?[\w.~@-]{{2,40}}){{1,3}}"
    rf"|(?<![\w@.-])(?:{_NETWORK})[ ](?:com|org|net)(?:{_SLASH}(?:in{_SLASH})?[\w.~@-]{{2,40}}){{1,3}}",
    re.I,
)  # fmt: skip


def find_handles(text: str) -> Iterator[Span]:
    """All names on networks that stand without a colon, and addresses of profiles spelled in words."""
    for match in _BESIDE.finditer(text):
        if match["shaped"] and _is_shaped(match):
            yield "handle", *_without_stop(text, *match.span("shaped"))
        elif match["plain"] and _is_said(match):
            yield "handle", *match.span("plain")
    for match in _ON.finditer(text):
        group = "shaped" if match["shaped"] else "name"
        if not _is_file(match[group]) and (match["shaped"] or _is_name(match[group])):
            yield "handle", *match.span(group)
    for match in _NUMBERED.finditer(text):
        yield "profile", *match.span(str(match.lastgroup))
    for match in _SPELLED_ADDRESS.finditer(text):
        if match["top"] is None or match["top"].lower() in DOMAINS:
            yield "url", *match.span()


def _is_shaped(match: re.Match[str]) -> bool:
    return match["dotted"] is None or not _is_file(match["dotted"])


def _is_file(token: str) -> bool:
    """`clone.js`, `next.io`: files and sites have dots too; `bsky.social` is a name all the same."""
    last = token.lower().rpartition(".")[2] if "." in token else ""
    return last in _FILES or (last in DOMAINS and last != "social")


def _is_said(match: re.Match[str]) -> bool:
    if match["network"].lower() in _COMMON and not match["said"]:
        return False
    says = match["me"] or _COPULA.sub("", match["said"]).strip(" (")
    return bool(says) and _is_name(match["plain"])


def _is_name(token: str) -> bool:
    """No ordinary word, as far as can be told: small letters (or mixed ones) without a word's usual end."""
    if _is_file(token) or token.lower() in _ORDINARY or token.replace(".", "").isdigit():
        return False
    is_mixed = bool(re.search(r"[a-z][A-Z]|[A-Za-z]\d|_", token))
    return is_mixed or (
        len(token) > 2 and token.islower() and "-" not in token and not _ENDS_OF_WORDS.search(token)
    )


def _without_stop(text: str, start: int, end: int) -> tuple[int, int]:
    while end > start + 1 and text[end - 1] in ".-:":
        end -= 1
    return start, end
