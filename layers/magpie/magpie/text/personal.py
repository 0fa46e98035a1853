"""
What a CV says about the person and not about the work: birth, nationality, family, gender, age, and the lines
that point to profiles elsewhere. Labels in PT, ES, DE, FR, VN and EN.

Reads plain views. Admits: "I am Portuguese" and "Portuguese, two cats" are not seen; name them as literals.
"""

import re
from collections.abc import Iterator

from magpie.text.domains import DOMAINS
from magpie.text.labels import labelled
from magpie.text.obfuscation import Span

# --- Birth dates ----------------------------------------------------------------------------------

_DATE = (
    r"(?:(?:[^\W\d_]{3,10},?[ ])?\d{1,2}[./ -]{1,2}\d{1,2}[./ -]{1,2}\d{2,4}|\d{4}[./-]\d{1,2}[./-]\d{1,2}"
    r"|\d{1,2}(?:st|nd|rd|th|o|er|\.)?[ ,./-]{1,2}(?:de |of |thang )?(?:[^\W\d_]{3,10}\.?|\d{1,2})[ ,./-]{1,2}(?:de |del |nam )?\d{2,4}"
    r"|[^\W\d_]{3,10}\.?[ ]\d{1,2}(?:st|nd|rd|th)?,?[ ]\d{4}|(?:thang )?\d{1,2}[./-](?:19|20)\d\d|(?:[^\W\d_]{3,10}[ ])?(?:19|20)\d\d)"
)
_PLACE = r"(?-i:(?:,?[ ](?:in|em|en|a|at|tai)[ ][^\W\d_a-z][\w'-]*(?:[ ](?:de |da |do |am |del )?[^\W\d_a-z][\w'-]*){0,3}(?:,[ ][^\W\d_a-z][\w'-]*)?)?)"
_BORN = re.compile(
    r"\b(?:(?:(?:was|were|am|is|i'm|i was|she was|he was)[ ])?born(?: on| in)?(?: the)?|nascid[oa](?: a| em| no dia)?|nasci(?: a| em| no dia)?|nacid[oa](?: el| en)?|naci(?: el| en)?"
    r"|geboren(?: am| im)?|geb\.(?: am)?|nee? le|je suis nee? le|nee?(?:\(e\)|-e|·e)? le|sinh (?:ngay|nam)|sinh)[ ]{1,2}(?:dia |ngay |el |le |the )?"
    rf"(?P<date>{_DATE})(?P<place>{_PLACE})",
    re.I,
)
_CAKE = re.compile(rf"[🎂🎈👶][^\d\n\w]{{0,4}}(?P<date>{_DATE})", re.I)
_STATED = re.compile(
    rf"\b(?:(?:date|year) of birth|birth ?date|birthday|d\.?o\.?b\.?|(?:data|ano) de nascimento|(?:fecha|ano) de nacimiento|geburts(?:datum|tag|jahr)|(?:date|annee) de naissance|ngay sinh)[ ](?:is |was |e |es |ist |est )?(?P<date>{_DATE})",
    re.I,
)
_SELF = re.compile(
    r"\b(?:i was|i am|i'm|nasci|naci|je suis|ich (?:bin|wurde))\b|(?:^|\n|[|;•,(])[ *_-]{0,4}\Z", re.I
)
_STAR = re.compile(
    rf"(?:^|[|,;(\n])[ ]?\*[ ]?(?P<date>\d{{1,2}}\.\d{{1,2}}\.(?:19|20)\d\d)(?P<place>{_PLACE})(?=[ ]?(?:[,|;)\n]|$))",
    re.M,
)
_BIRTH_LABELS = (
    r"(?:date of birth|birth ?date|birthday|d\.?o\.?b\.?|born(?: on)?|data de nascimento|data nasc(?:imento|\.)?|d\. ?nasc\.?|nascimento|nascid[oa](?: em| a)?|d\.? ?n\.?|(?:year|place and date|date and place) of birth|ano de nascimento|ano de nacimiento|geburtsjahr|jahrgang|annee de naissance|fecha de nacimiento|f\. ?(?:de )?nac\.?"
    r"|fecha nac(?:imiento|\.)?|nacimiento|nacid[oa](?: el)?|geburtsdatum|geburtstag|geb\.?(?:-datum| am)?|geboren(?: am)?|geburtsdatum(?:/| und )-?ort|date de naissance|naissance"
    r"|nee?(?:\(e\))?(?: le)?|ngay(?:,? thang,? nam)? sinh|sinh ngay|nam sinh|sinh nam|ngay thang nam sinh|data di nascita|geboortedatum)(?: ?\([^)\n]{1,30}\))?"
)

# --- Details ------------------------------------------------------------------------------------

_DETAIL_LABELS = (
    r"(?:nationalit(?:y|e|ies)|citizenship|nacionalidad[e]?|staatsangehorigkeit|staatsburgerschaft|nationalitat|citoyennete|quoc tich|cidadania|ciudadania"
    r"|(?:marital|civil|family|relationship) status|estado civil|familienstand|zivilstand|etat civil|situation (?:de famille|familiale|matrimoniale)|tinh trang hon nhan|hon nhan"
    r"|gender|sex|sexo|genero|geschlecht|sexe|genre|gioi tinh|pronouns?|pronomes|pronombres|pronomen|pronoms"
    r"|age|idade|edad|alter|tuoi|religion|religiao|konfession|religionszugehorigkeit|ton giao|dan toc|ethnicity|etnia|race|caste|category \(caste\)"
    r"|place of birth|birth ?place|born in|lugar de nacimiento|local de nascimento|naturalidade|natural de|geburtsort|lieu de naissance|noi sinh|que quan|nguyen quan"
    r"|children|filhos|hijos|kinder|enfants|con cai|dependents?|dependentes|spouse(?:'s name)?|conjuge|conyuge|ehepartner|conjoint"
    r"|father'?s?(?: name)?|mother'?s?(?: name)?|mother'?s maiden name|filiacao|nome d[oa] (?:pai|mae)|nombre del? (?:padre|madre)|maiden name|apelido de solteira|geburtsname"
    r"|blood (?:group|type)|grupo sanguineo|tipo sanguineo|military service|servico militar|servicio militar|wehrdienst|nghia vu quan su"
    r"|driv(?:ing|er'?s?) licen[cs]e(?: (?:no|number))?|carta de conducao|cnh|carnet? de conducir|permiso de conducir|fuhrerschein|permis(?: de conduire| b)?|bang lai(?: xe)?"
    r"|disability(?: status)?|health status|visa(?: status| type)?|work permit(?: no\.?)?|residence permit|aufenthaltstitel|passport(?: (?:no|number))?|numero de identificacao)"
    r"(?:[ ]?[./][ ]?(?:[^\W\d_]+[ ]?){1,3})?(?: ?\([^)\n]{1,30}\))?"
)
_BODY_LABELS = r"(?:height|weight|altura|peso|grosse|gewicht|taille|poids|chieu cao|can nang)"
_BODY_VALUE = re.compile(r"\d[\d.,]{0,5}[ ]?(?:cm|m|kg|kgs|lbs?|ft|in|feet)\b|1m\d\d\b|\d['’][ ]?\d", re.I)
_STATUS = re.compile(
    r"(?:^|[|;•·\n])[ *_>-]{0,6}(?:married|single|divorced|widowed|in a civil partnership|casad[oa]|solteir[oa]|divorciad[oa]|viuv[oa]|solter[oa]|verheiratet|ledig|geschieden"
    r"|verwitwet|marie[e]?|celibataire|divorce[e]?|pacse[e]?|doc than|da ket hon)(?:[ ]?[,/][ ]?[^\n|;•·]{0,40})?[ ]*(?=$|[|;•·\n])",
    re.I | re.M,
)
_LAST_STATUS = re.compile(
    r",[ ](?P<status>married|divorced|widowed|casad[oa]|solteir[oa]|divorciad[oa]|viuv[oa]|solter[oa]|verheiratet|ledig|geschieden|marie[e]?|celibataire|divorce[e]?|doc than)"
    r"(?=[ ]*(?:$|[|;,•·\n.]))", re.I | re.M)  # fmt: skip
_FAMILY = re.compile(
    r"[,;|•·][ ](?P<family>(?:\d|one|two|three|four|um|uma|dois|duas|tres|dos|un|ein|eine|zwei|drei|deux|trois|hai|ba)[ ](?:child(?:ren)?|kind(?:er)?|filh[oa]s?|hij[oa]s?|enfants?|con))"
    r"(?=[ ]*(?:$|[|;,•·\n.)]))", re.I | re.M)  # fmt: skip
_STATED_NATION = re.compile(
    r"\b(?:nationalite|nacionalidade|nacionalidad)[ ](?P<nation>[a-z]{4,20})(?=[ ]*(?:$|[|;,•·\n.-]))",
    re.I | re.M,
)
_ORIGIN = re.compile(
    r"(?:^|[|;,\n])[ ]{0,3}[Nn]atural d[eoa][ ](?P<place>[A-Z][\w'-]*(?:[ ](?:d[eoa] )?[A-Z][\w'-]*){0,3})",
    re.M,
)
_AGED = re.compile(
    r"(?:^|[|;•·\n,(]|\b(?:i am|i'm|aged|tenho|tengo|j'ai|ich bin))[ *_>-]{0,6}(?P<age>(?:aged?[ ])?[1-9]\d[ ](?:years? old|years of age|yrs? old|y/o|anos(?: de idade)?|anos(?: de edad)?|jahre(?: alt)?|ans|tuoi))"
    r"(?=[ ]*(?:$|[|;•·\n,.)]))",
    re.I | re.M,
)
_NUMBERS = r"\d|one|two|three|four|five|um|uma|dois|duas|tres|quatro|uno|una|dos|cuatro|un|une|deux|trois|quatre|ein|eine|einem|einer|zwei|drei|vier|hai|ba"
_CHILDREN = r"children|child|kids?|daughters?|sons?|kinder[n]?|kind|filh[oa]s?|hij[oa]s?|enfants?|con"
_PARENT = re.compile(
    r"(?:^|[|;•·\n,.(]|\b(?:and|e|y|et|und|a|am|i'm)[ ])[ *_>-]{0,6}(?P<family>(?:(?:proud|happily|single)[ ])?"
    rf"(?:(?:married|casad[oa]|verheiratet|mariee?|divorced|divorciad[oa])[ ,]{{1,2}}(?:with|com|con|mit|avec|e|y|et|und|and)[ ](?:(?:mother|father|parent|mae|pai|madre|padre|mutter|vater|mere|pere)[ ](?:of|de|von|d')[ ]?)?(?:{_NUMBERS})[ ](?:{_CHILDREN})"
    rf"|(?:mother|father|parent|mum|mom|dad|mae|pai|madre|padre|mutter|vater|mere|pere)[ ](?:of|de|von|d')[ ]?(?:{_NUMBERS})(?:[ ](?:{_CHILDREN}))?))(?=[ ]*(?:$|[|;•·\n,.)]))",
    re.I | re.M,
)
_CHILD_OF = re.compile(
    r"(?:^|[|;•·\n,])[ ]{0,3}(?:[SD]/[Oo]|W/[Oo](?=\W{1,3}[A-Z]\w+[ ][A-Z]))\.?[ ]?:?[ ](?P<name>(?:[A-Z][\w'.]*[ ]?){1,4})",
    re.M,
)
_SET_OUT = re.compile(
    r"(?:^|[|;•·\n,])[ *_>-]{0,6}(?:(?:gender|sex|sexo|genero|geschlecht|sexe|genre|gioi tinh)[ ](?P<gender>male|female|non-binary|m|f|masculin[oe]?|feminin[oe]?|masculin[oa]|hombre|mujer|homme|femme|mannlich|weiblich|nam|nu)"
    r"|(?:marital status|civil status|estado civil|familienstand|etat civil|situation familiale|hon nhan|tinh trang hon nhan)[ ](?P<state>[a-z]{3,14}(?:[ ](?:than|hon))?(?:\([aeo]\))?)"
    r"|(?:age|idade|edad|alter|tuoi)[ ](?P<years>[1-9]\d(?:[ ](?:years?|anos|jahre|ans))?)"
    r"|(?:religion|religiao|konfession|ton giao)[ ](?P<faith>hindu|muslim|islam|sikh|jain|buddhist|christian|catholic|catolic[oa]|protestant|jewish|cristiano?|crista|evangelic[oa]|romisch-katholisch|evangelisch|katholisch|khong|phat giao)"
    r"|(?:blood (?:group|type)|tipo sanguineo|grupo sanguineo)[ ](?P<blood>(?:ab|a|b|o)[ ]?(?:\+|-|positive|negative|rh)?(?:ve)?)"
    r"|(?:driving licen[cs]e|carta de conducao|cnh|carne(?:t)? de conducir|permiso de conducir|permis(?: de conduire)?|fuhrerschein)[ ](?:(?:klasse|category|categoria|clase|class|tipo|cat\.)[ ])?(?P<class>[A-E]{1,2}[12]?(?:[ ,/]{1,2}[A-E][12]?)*))"
    r"(?=[ ]*(?:$|[|;•·\n,.)]))",
    re.I | re.M,
)
_UNLABELLED = (
    (_PARENT, "family"), (_CHILD_OF, "name"), (_LAST_STATUS, "status"), (_FAMILY, "family"), (_STATED_NATION, "nation"), (_ORIGIN, "place"), (_AGED, "age"),
)  # fmt: skip
_NEXT_LABEL = re.compile(
    rf"(?:[ ]?[,.]?[ ]|[ ]-[ ])(?=(?:{_DETAIL_LABELS}|{_BIRTH_LABELS}|(?:e-?mail|tel\w*|phone|mobile|dien thoai|sdt|dt|telemovel|movil|handy|address|morada|direccion|anschrift|adresse|dia chi|linkedin|github|languages?|ngay [^\W\d_]{{2,8}}(?:[ ][^\W\d_]{{2,8}})?))[ ]{{0,2}}[:=])",
    re.I,
)
_SENTENCE_END = re.compile(r"[.!?][ ]+(?=[A-Z][a-z'])")

# --- Addresses of pages, profiles, handles ----------------------------------------------------------

_URL = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:h(?:tt|xx)ps?|ftp|ssh|git|tel|skype|tg|whatsapp)://|(?:skype|tel|callto|whatsapp|sms):(?=[\w+])|www\d?\.)[^\s<>\"'`|\\^{}\ue000\ue001]{2,}+",
    re.I,
)
_HOSTS = (
    r"linkedin\.com|lnkd\.in|github\.com|github\.io|gitlab\.com|bitbucket\.org|codeberg\.org|twitter\.com|x\.com|facebook\.com|fb\.com|fb\.me|instagram\.com|t\.me|wa\.me|medium\.com"
    r"|behance\.net|dribbble\.com|xing\.com|stackoverflow\.com|orcid\.org|youtube\.com|youtu\.be|tiktok\.com|bsky\.app|mastodon\.social|keybase\.io|dev\.to|kaggle\.com|hackerrank\.com"
    r"|leetcode\.com|researchgate\.net|academia\.edu|scholar\.google\.[a-z.]{2,6}|about\.me|linktr\.ee|zalo\.me|viadeo\.com|malt\.fr|lattes\.cnpq\.br|soundcloud\.com|flickr\.com|pinterest\.[a-z]{2,3}|reddit\.com|discord\.gg|calendly\.com"
)
_HOSTED = re.compile(
    rf"(?<![\w@.-])(?:[\w-]{{1,40}}\.){{0,3}}(?:{_HOSTS})(?:/[^\s<>\"'`|,;()\ue000\ue001]*+|(?=[\s,;|)]|$))",
    re.I,
)
_PATHED = re.compile(
    r"(?<![\w@./-])(?:[a-z0-9-]{2,40}\.){1,3}(?P<top>[a-z]{2,12})/(?:in/|u/|@|~)?[\w.~%@/-]{2,}+", re.I
)
_BARE_SITE = re.compile(r"(?<![\w@./-])(?:[a-z0-9-]{2,40}\.){1,3}(?P<top>[a-z]{2,12})(?![\w@-]|\.\w|\()")
_SITE_LINE = re.compile(
    r"\ue001|@|https?://|www\.|(?<![^\W_])(?:tel|phone|mobile|telemovel|linkedin|github)(?![^\W_])", re.I
)
_NETWORKS = (
    r"linked-?in|git-?hub|git-?lab|bitbucket|codeberg|twitter|facebook|fb|instagram|insta|ig|gmail|hotmail|mastodon|bluesky|bsky|telegram|tg|skype|discord|whatsapp|keybase"
    r"|xing|stack ?overflow|orcid|lattes|curriculo lattes|behance|dribbble|substack|youtube|tiktok|kaggle|hackerrank|leetcode|codepen|dev\.to|google scholar"
    r"|researchgate|pinterest|snapchat|wechat|zalo|viber|hugging ?face|speaker ?deck|viadeo|user ?name|handle|nick(?:name)?|usuario|utilizador|benutzername"
    r"|pseudo|identifiant|ten nguoi dung|social media|screen ?name"
)
# These are words of other things too, so their values must look like an address.
_SITES = (
    r"x|threads|signal|matrix|medium|scholar|reddit|line|slack|teams|irc|npm|docker ?hub|twitch|steam|social"
    r"|web ?site|web ?page|web|home ?page|site|sitio(?: web)?|pagina(?: web| pessoal| personal)?|portfolio|blog|url|link|perfil|profile|profil|trang web|webseite|internet|site (?:web|internet|pessoal)"
)
_OF_NETWORK = r"(?: ?/ ?(?:[^\W\d_]{1,12}))?(?: ?\((?:[^\W\d_]{1,12})\))?(?: (?:id|profile|handle|username|user|url|link|account|perfil|profil))?"
_NETWORK_LABELS = rf"(?:{_NETWORKS}){_OF_NETWORK}"
_SITE_LABELS = rf"(?:{_SITES}){_OF_NETWORK}"
_ONE_TOKEN = re.compile(r"\(?@?(?=[^\s]{2,})[^\s,()]+\)?\Z")
_LOOKS_LIKE_NAME = re.compile(r"[@\d_./:-]|^[a-z]+$|[a-z][A-Z]")
_LOOKS_LIKE_ADDRESS = re.compile(r"[@/]|\w\.[^\W\d]|\w_\w|[a-z]\d")
_HANDLE = re.compile(
    r"(?<![\w@.+/'\"`=-])@(?P<name>[A-Za-z_][\w]{1,39}(?:[.-]\w{2,})*)(?:@[\w-]{2,}(?:\.[\w-]{2,})+)?(?![\w(/@]|[ ]*\n\s*(?:async|def|class|public|private|protected|func|function|export|@\w)\b)"
)
_ANNOTATION_NAMES = """override test before after autowired component bean service repository controller entity transactional async
    await media import property staticmethod classmethod dataclass app param return returns deprecated
    nullable inject input output ngmodule injectable directive pipe suppresswarnings functionalinterface
    data getter setter builder value configuration restcontroller getmapping postmapping requestmapping
    everyone here channel all types babel angular vue nestjs aws-sdk keyframes font-face supports charset
    page layer tailwind apply include mixin click change submit keyup keydown keypress scroll focus blur hover mouseover
    mousedown load error select next latest beta canary alpha stable extend use pytest typing override springbootapplication
    requestbody pathvariable column table id main mainactor state binding published objc escaping"""
_ANNOTATIONS = frozenset(_ANNOTATION_NAMES.split())


_YEAR_ALONE = re.compile(
    r"(?:^|[|;•·\n])[ *_>-]{0,6}(?:born(?: in)?|nascid[oa](?: em)?|nacid[oa](?: en)?|nee?(?:\(e\))?(?: en)?|geboren|jahrgang|sinh nam|nam sinh)[ ]{1,2}(?P<date>19\d\d|20[01]\d)"
    r"(?=[ ]*(?:$|[|;•·\n]))",
    re.I | re.M,
)


def find_birth_dates(text: str) -> Iterator[Span]:
    """Dates that a label or "born" says are of a birth, with the place that follows."""
    for start, end in labelled(text, _BIRTH_LABELS):
        yield from _birth_value(text, start, end)
    for match in _BORN.finditer(text):
        if _is_of_a_person(text, match):
            yield "birth_date", match.start("date"), match.end()
    for pattern in (_STATED, _CAKE, _YEAR_ALONE):
        yield from (("birth_date", *match.span("date")) for match in pattern.finditer(text))
    for match in _STAR.finditer(text):
        yield "birth_date", match.start("date"), match.end()


def _birth_value(text: str, start: int, end: int) -> Iterator[Span]:
    match = re.compile(rf"(?:on |em |el |am |le )?{_DATE}{_PLACE}(?:[ ]\([^)\n]{{1,40}}\))?", re.I).match(
        text, start, end
    )
    if match:
        yield "birth_date", start, match.end()
    elif re.search(r"\d", text[start:end]):
        yield "birth_date", start, _cut(text, start, end)


def _is_of_a_person(text: str, match: re.Match[str]) -> bool:
    """ "The company was born in 2010" is no birth; a full date or a person before it is."""
    return len(re.findall(r"\d+|[^\W\d_]{3,}", match["date"])) >= 3 or _is_told_of_self(text, match)


def _is_told_of_self(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - 12) : match.start() + 6]
    return bool(_SELF.search(before))


def find_details(text: str) -> Iterator[Span]:
    """What labels of personal details name, marital status and age standing alone."""
    for start, end in labelled(text, _DETAIL_LABELS):
        stop = _cut(text, start, end)
        if re.search(r"\w", text[start:stop]) and _is_detail(text[start:stop]):
            yield "personal_detail", start, stop
    for start, end in labelled(text, _BODY_LABELS):
        if _BODY_VALUE.match(text, start, end):
            yield "personal_detail", start, _cut(text, start, end)
    for match in _STATUS.finditer(text):
        lead = len(match[0]) - len(match[0].lstrip("|;•·\n *_>-"))
        yield "personal_detail", match.start() + lead, match.end()
    for pattern, group in _UNLABELLED:
        yield from (("personal_detail", *match.span(group)) for match in pattern.finditer(text))
    for match in _SET_OUT.finditer(text):
        yield "personal_detail", *match.span(str(match.lastgroup))


def _is_detail(value: str) -> bool:
    """Personal details are short; a sentence or a formula behind such a word is something else."""
    return (
        len(value.split()) <= 9
        and not re.match(r"(?:the|an?) ", value)
        and "()" not in value
        and not re.search(r"\d(?:px|vh|vw|em|rem|%)|[{}<>]", value)
    )


def before_next_label(text: str, start: int, end: int) -> int:
    """Where a value ends that another label follows in its line: `Hà Nội Ngày sinh: 01/02/1990`."""
    following = _NEXT_LABEL.search(text, start, end)
    return following.start() if following else end


def _cut(text: str, start: int, end: int) -> int:
    """The value ends where the next label or sentence begins."""
    ends = [
        match.start()
        for match in (_NEXT_LABEL.search(text, start, end), _SENTENCE_END.search(text, start, end))
        if match
    ]
    stop = min(ends, default=end)
    return start + len(text[start:stop].rstrip(" ,.;*_"))


def find_profiles(text: str) -> Iterator[Span]:
    """Addresses of pages, lines that point to profiles, handles."""
    yield from _urls(text)
    for labels, shape in ((_NETWORK_LABELS, _LOOKS_LIKE_NAME), (_SITE_LABELS, _LOOKS_LIKE_ADDRESS)):
        yield from _profile_lines(text, labels, shape)
    for match in _HANDLE.finditer(text):
        if match["name"].lower() not in _ANNOTATIONS:
            yield "handle", match.start(), match.end()


def _profile_lines(text: str, labels: str, shape: re.Pattern[str]) -> Iterator[Span]:
    for start, end in labelled(text, labels):
        value = text[start : _cut(text, start, end)].rstrip(" .")
        if _ONE_TOKEN.match(value) and shape.search(value):
            yield "profile", start, start + len(value)


def _urls(text: str) -> Iterator[Span]:
    for pattern in (_URL, _HOSTED):
        yield from (
            ("url", m.start(), _without_stops(text, m.start(), m.end())) for m in pattern.finditer(text)
        )
    for match in _PATHED.finditer(text):
        if match["top"].lower() in DOMAINS:
            yield "url", match.start(), _without_stops(text, match.start(), match.end())
    for match in _BARE_SITE.finditer(text):
        if match["top"] in DOMAINS and _SITE_LINE.search(
            text[max(0, match.start() - 60) : match.end() + 60].replace(match[0], "")
        ):
            yield "url", match.start(), match.end()


def _without_stops(text: str, start: int, end: int) -> int:
    while end > start and (
        text[end - 1] in ".,;:!?*_'\""
        or (text[end - 1] in ")]" and text.count("([", start, end) == 0 and "(" not in text[start:end])
    ):
        end -= 1
    return end
