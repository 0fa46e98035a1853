"""
Postal addresses: street with number, unit, postcode, and the town that a postcode names.

A street is known by its kind ("Rua", "Street", "-strasse", "đường") together with a number, by a flat number or a
label beside it, or by words that announce one ("lives at"). A town alone stays: it says where somebody works.
Reads plain views, where accents are gone and case is kept.
"""

import re
from collections.abc import Iterator

from magpie.text.labels import labelled
from magpie.text.obfuscation import Span
from magpie.text.personal import before_next_label

# --- Words of streets -----------------------------------------------------------------------------

_CAPITAL = r"[^\W\d_a-z][\w'.’-]*"
_SMALL = (
    r"(?:de|da|do|dos|das|del|la|las|los|el|le|les|du|des|der|den|dem|di|della|delle|van|von|zu|zum|zur|am|an|of|the|e|y|et"
    r"|und|nad|ten|het|op|aan)(?![^\W_])"
)
_WORD = rf"(?:{_CAPITAL}|(?:l'|d'|dell'){_CAPITAL}|{_SMALL}[ ]{_CAPITAL}|\d{{1,3}}(?:st|nd|rd|th|[.]|o|er))"
_NAME = rf"{_WORD}(?:[ ](?:{_SMALL}[ ]){{0,2}}{_WORD}){{0,5}}?"
_NUMBER = r"\d{1,5}[A-Za-z]?(?:[-/]\d{1,4}[A-Za-z]?){0,3}(?![\w%€$]|[.,:]\d)"
_YEAR = re.compile(r"(?:19|20)\d\d\Z")

_ROMANCE = (
    r"(?:Rua|R\.|Carrer|Passeig|Pg\.|Avinguda|Placa|Avenida|Av\.?|Avd?a\.?|Travessa|Trav\.|Tv\.|Largo|Praca|Praceta|Pc\.|Alameda|Al\.|Estrada|Estr\."
    r"|Rodovia|Rod\.|Beco|Calcada|Rotunda|Ladeira|Urbanizacao|Urbanizacion|Urb\.|Calle|C/|Cl\.|Plaza|Pza\.?|Paseo|Pso\.?"
    r"|P\.o|Camino|Carretera|Ctra\.?|Ronda|Rambla|Travesia|Glorieta|Via|Viale|Piazza|Piazzale|Corso|Vicolo|Rue|Avenue"
    r"|Boulevard|Bd\.?|Chemin|Impasse|Allee|Quai|ul\.|ulica|al\.|pl\.)"
)
_STREET_FIRST = re.compile(
    rf"(?<![\w-]){_ROMANCE}[ ]?(?:(?:{_SMALL})[ ]){{0,3}}(?:l'|d')?{_NAME}(?P<mark>,?[ ]?(?:[Ll]otes?[ ]|[Ll]t\.?[ ]|n[.]?[ro]?[.]?[ ]?|num[.]?[ ]?|no[.]?[ ]|numero[ ]|#)|,[ ]|[ ])"
    rf"(?P<number>{_NUMBER}|s/n)"
)
_SMALL_STREET_FIRST = re.compile(
    rf"(?<![\w-])(?:{_ROMANCE.lower()})[ ](?:[^\W\d_]+[ ]){{1,4}}(?P<number>\d{{1,4}})(?=,?[ ]?\n?[ ]?(?:apt|suite|piso|apto|\d{{4,5}}\b|[a-z]+, ))"
)
_NUMBER_FIRST = re.compile(
    rf"(?<![\w.,/-])(?P<number>{_NUMBER})(?:[ ]?(?:bis|ter|quater|[A-Z]))?,?[ ]"
    rf"(?:[Rr]ue|[Aa]venue|[Aa]v\.|[Bb]oulevard|[Bb]d\.?|[Cc]hemin|[Ii]mpasse|[Aa]llee|[Qq]uai|Via|Calle|Rua|Avenida|C/|(?P<weak>[Pp]lace|[Cc]ours|[Rr]oute|[Ss]quare|[Pp]assage))"
    rf"[ ](?:(?:{_SMALL})[ ]){{0,3}}(?:l'|d')?{_WORD}(?:[ -](?:{_SMALL}[ ]){{0,2}}{_CAPITAL}){{0,3}}"
)
_STRONG = r"Street|Str|St|Road|Rd|Avenue|Ave|Lane|Ln|Boulevard|Blvd|Crescent|Cres|Terrace|Parkway|Pkwy|Highway|Hwy|Marg|Nagar|Gardens|Mews|Strasse"
_WEAK = (
    "Drive|Dr|Close|Way|Court|Ct|Place|Pl|Square|Sq|Circle|Cir|Grove|Row|Hill|Walk|Cross|Main|Colony|Layout|Sector|Trail|Pass|Park"
    "|Rise|Green|Vale|Gate|Plaza|Loop|Quay|Wharf|Yard|Alley|Ridge|Bridge|Chowk|Enclave|Extension|Phase|Stage|Path|terrasse|Terrasse"
)
_ENGLISH = re.compile(
    rf"(?<![\w.,/-])(?:(?:Flat|Apartment|Apt|Unit|Suite|Room|Shop)\.?[ ]?[\w-]{{1,5}},?[ ])?(?:\d{{1,5}}[ ]){{0,2}}(?P<number>{_NUMBER}),?[ ]"
    rf"(?:(?:[NSEW]|NE|NW|SE|SW)\.?[ ])?(?:(?:{_CAPITAL}|\d{{1,3}}(?:st|nd|rd|th)|de|la|the|of)[ ]){{1,4}}?"
    rf"(?:(?P<strong>{_STRONG})|(?P<weak>{_WEAK}))\b\.?(?:[ ](?:North|South|East|West|[NSEW]|NE|NW|SE|SW)\b\.?)?"
)
_GERMANIC = re.compile(
    r"(?<![\w-])(?:(?:Alte|Neue|Grosse|Kleine|Obere|Untere|Alter|Am|An der|Im|Zum|Zur|Unter den|Auf dem|[A-Z]\w+(?:er|-\w+))[ ])?"
    r"(?:(?P<strong>[^\W\d_a-z][\w-]{2,}(?:strasse|str\.|gasse|allee|chaussee|ufer|damm|gatan|gata|vagen|veien|vej|straat|laan|gracht|utca|katu"
    r"|kuja|vegur|braut|weg|gaten|stien|alle)|[Ss]trasse)|(?P<weak>[^\W\d_a-z][\w-]{2,}(?:platz|ring|steig|hof|berg|markt|wall|tor|plein|kade|dijk|pad|gate|vei|tie))"
    rf"|(?P<named>(?:Am|An der|An den|Im|In der|Zum|Zur|Unter den|Auf dem|Auf der)[ ]{_CAPITAL})|Strasse[ ](?:des|der)[ ](?:\d+\.[ ])?{_CAPITAL})[ ](?P<number>\d{{1,4}}[ ]?[a-zA-Z]?(?:[-/]\d{{1,4}}[a-z]?)?(?![\w%€$]|[.,]\d))"
)
# A name does not go on with what begins the next part of a line: `Hà Nội Ngày 12/3/2020`.
_VIETNAMESE_NAME = rf"(?!(?:Ngay|Sinh|Email|Tel|SDT|DT|Gioi tinh|Quoc tich|Dien thoai)\b){_CAPITAL}"
_VIETNAMESE = re.compile(
    rf"(?<![\w.,/])(?:[Ss]o(?: nha)?[ ])?(?P<number>\d{{1,5}}[A-Za-z]?(?:/\d{{1,4}}[A-Za-z]?){{0,4}}),?"
    rf"(?:,?[ ](?:[Dd]uong|[Pp]ho|[Nn]go|[Nn]gach|[Hh]em|D\.)[ ](?:\d{{1,4}}[A-Za-z]?(?:/\d{{1,4}})*|{_VIETNAMESE_NAME}(?:[ ]{_VIETNAMESE_NAME}){{0,4}}|so[ ]\d+)){{1,4}}"
    rf"|(?<![\w.,/])(?P<plain>\d{{1,5}}[A-Za-z]?(?:/\d{{1,4}}[A-Za-z]?){{0,4}}[ ]{_VIETNAMESE_NAME}(?:[ ]{_VIETNAMESE_NAME}){{1,4}})(?=,[ ](?:[Pp]huong|P\.|[Xx]a|[Qq]uan|Q\.)[ ]?[\w]+)"
)
_ADMIN = re.compile(
    rf"(?:,?[ ](?:[Pp]huong|P\.|[Xx]a|[Tt]hi tran|[Tt]hi xa|[Qq]uan|Q\.|[Hh]uyen|H\.|[Kk]hu pho|[Tt]o|[Tt]hanh pho|TP\.?|Tp\.?|[Tt]inh)[ ]?(?:\d{{1,2}}|{_VIETNAMESE_NAME}(?:[ ]{_VIETNAMESE_NAME}){{0,3}})|,[ ]{_VIETNAMESE_NAME}(?:[ ]{_VIETNAMESE_NAME}){{0,2}}(?=\s*(?:$|[\n.,;|]|Ngay\b))){{1,6}}"
)
_INDIAN = re.compile(
    r"(?<![\w.])(?:Flat|House|H\.? ?No|Plot|Door|D\.? ?No|Shop|Villa|Block|Qr|Quarter|S\.? ?No)\.?[ ]?(?:No\.?|Number|#)?[ ]?[:#-]?[ ]?"
    r"[A-Z]?-?\d[\w/-]*,?[ \n][^|;•\t@]{3,140}?(?<!\d)\d{3}[ ]?\d{3}(?!\d|[,.]\d)"
    r"|(?<![\w.,/-])#?[ ]?(?:[A-Z][-/]?)?\d{1,5}(?:[/-][\dA-Z]+)?,[ ](?=[^\n]{0,90}?\b(?:Street|Extension|Vihar|Puram|Lane|Park|Avenue|Cross|Main|Floor|Layout|Nagar|Colony|Sector|Marg|Block|Phase|Stage|Residency|Apartments?|Enclave|Road)\b)"
    r"[^\n|;•\t@]{3,120}?[ -](?<!\d)\d{3}[ ]?\d{3}(?!\d|[,.]\d)"
)
_NUMBERED_STREET = re.compile(
    r"(?<![\w-])Rua[ ]\d{1,4}[A-Z]?(?:-[A-Z])?,?[ ](?:Quadra|Qd\.?|Q\.|n\.?o?|Lote|Lt\.?|[Cc]asa)[ ]?\d{1,4}[A-Z]?(?:[ ,-]{1,3}(?:(?:Lote|Lt\.?|Casa|Apto|Bloco|Setor)[ ]?[\w-]{1,6}|[A-Z][\w/-]+(?:[ ][A-Z][\w/-]+)?)){0,4}"
)
_LANE = re.compile(
    rf"(?:(?:(?:The[ ])?{_CAPITAL}(?:[ ]{_CAPITAL}){{0,2}},[ ])?(?:{_CAPITAL}[ ]){{1,3}}(?:Lane|Road|Street|Close|Drive|Way|Avenue|Terrace|Hill|Row|Mews),?[ \n]{{1,2}}"
    rf"(?:{_CAPITAL}[ ,\n]{{1,2}}){{1,4}}[A-Z]{{1,2}}\d[A-Z\d]?[ ]\d[A-Z]{{2}}(?!\w))"
)
_VIETNAMESE_HOUSE = re.compile(
    rf"(?:^|(?<=\n)|(?<=[|•] )|(?<=: ))So(?: nha)?[ ]\d{{1,4}}[A-Z]?(?:/\d{{1,4}}){{0,3}},?[ ]{_VIETNAMESE_NAME}(?:[ ]{_VIETNAMESE_NAME}){{1,3}}(?:,[ ]{_VIETNAMESE_NAME}(?:[ ]{_VIETNAMESE_NAME}){{0,3}}){{1,3}}(?=[ ]*(?:$|[\n.;|]))",
    re.M,
)
_POSTCODE = re.compile(
    r"(?<!\w)(?i:cep|codigo postal|code postal|plz|postleitzahl|post ?code|zip(?: code)?|pin ?code)[ ]{0,2}[:.]?[ ]{1,2}(?P<value>\d{5}-\d{3}|\d{4}-\d{3}|\d{5,6}|\d{3}[ ]\d{3}|[A-Z]{1,2}\d[A-Z\d]?[ ]?\d[A-Z]{2})(?![\w-])"
)
_BEFORE_STREET = re.compile(
    rf"(?:(?:Flat|Apartment|Apt|Unit|Flat No\.?|Apartamento)[ ]?\w{{1,4}}|(?:Residence|Residencia|Residencial|Immeuble|Batiment|Bat\.|Edificio|Ed\.|Condominio|Cond\.|Urbanizacao|Quinta|Torre)"
    rf"(?:[ ](?:{_SMALL}[ ])?(?:{_CAPITAL}|\d{{1,3}})){{1,4}})(?:,[ ](?:The[ ])?{_CAPITAL}(?:[ ]{_CAPITAL}){{0,2}})?,[ ]\Z"
)
_BOX = re.compile(
    r"(?<!\w)(?:\d{1,5}[ ])?(?:P\.?[ ]?O\.?[ ]?Box|Post Office Box|Postfach|Apartado(?: de Correos| Postal)?|Caixa Postal|C\.?P\.?|B\.P\.|BP|Boite Postale|Hom thu)[ ]?(?:n[.]?o?[ ])?\d{1,6}\b"
    r"|(?i:(?<!\w)(?:psc[ ]\d{1,5}|unit[ ]\d{1,5}),?[ ]box[ ]\d{1,5}(?:,?[ \n][ ]?(?:apo|dpo|fpo)[ ]a[aep][ ]\d{5})?)"
)
_UNIT = r"(?:Apt|Apartment|Suite|Ste|Unit|Flat|Floor|Piso|Andar|Apto|Appt|Bloco|Wohnung|Whg|apt|suite|unit)\.?[ ]\d{1,4}[A-Za-z]?"
_BREAK = r"[ ]{0,2}(?:\n[ >?]{0,6})?"
_ITS_TOWN = rf"(?:[ ]{_CAPITAL}){{0,4}}"
_BEFORE_UNIT = re.compile(
    rf"(?<![\w.,/-])(?=[^\n]{{0,60}}?\d)(?:(?:{_CAPITAL}|{_SMALL}|\d{{1,5}}\.?)[ ]){{1,8}}?(?:{_CAPITAL}|\d{{1,5}}\.?),?{_BREAK}{_UNIT}{_ITS_TOWN}"
    rf"|(?<![\w.,/-])\d{{1,5}}[ ](?:[^\W\d_][\w'.-]*[ ]){{1,5}}\d{{1,4}},?{_BREAK}{_UNIT}{_ITS_TOWN}"
)
_BLOCK = re.compile(
    rf"(?<![\w.,/-])(?P<street>\d{{1,5}}[ ](?:{_CAPITAL}[ ]){{1,4}}\d{{1,4}}[A-Za-z]?)(?=[ ]?\n(?:[^\n\d@:]{{0,40}}\n){{0,2}},?[^\n\d@:]{{0,40}}\d{{5}}(?!\d))"
)
_PLACE_NAMED = re.compile(
    rf"(?<![\w-]){_CAPITAL}(?:[ ][^\W\d_]+){{0,2}}[ ](?:utca|utja|ut|ter|korut)[ ]\d{{1,4}}\b\.?|(?<![\w.,/-])\d{{1,5}}[ ](?:rue|avenue|boulevard|calle|rua)[ ](?:(?:de|du|des|da|do|del|la|le|los|las)[ ]){{1,2}}[^\W\d_]{{3,}}"
)
_CITY_CODE = re.compile(
    rf"(?m)(?:(?<=\n)|^|(?<=, )|(?<=: ))(?:[A-Z]{{1,2}}-)?\d{{4}}-\d{{3}}[ ]{_CAPITAL}(?:[ ](?:{_SMALL}[ ])?{_CAPITAL}){{0,3}}"
)

# --- What follows a street --------------------------------------------------------------------------

_CODE = (
    r"(?:(?:[A-Z]{1,2}-)?\d{4}-\d{3}|\d{5}-\d{3,4}|(?:[A-Z]{1,2}-)?\d{5}|(?:CH|AT|A|LU|L|BE|B|NL|DK)-\d{4}|\d{3}[ ]\d{3}|\d{6}|[A-Z]{1,2}\d[A-Z\d]?[ ]?\d[A-Z]{2})"
    r"(?![\w€$%]|[.,/]\d|[ ](?:users|rows|people|eur|usd|requests|customers|lines))"
)
_TOWN = rf"(?:[ ,]{{1,2}}{_CAPITAL}(?:[ -](?:{_SMALL}[ ])?{_CAPITAL}){{0,2}}(?![\w:]))?"
_TO_CODE = re.compile(rf"(?:[^\n|;•@.]|\.(?![ ]+[A-Z][a-z]{{3}})){{0,90}}?(?<![\w.,/-]){_CODE}{_TOWN}")
_NEXT_CODE = re.compile(
    rf"[ ]?,?[ ]?\n[ >?,]{{0,8}}(?:{_UNIT}(?!\w)|{_CODE}{_TOWN}|(?:{_CAPITAL}[ ]){{1,3}}{_CODE}|(?:{_CAPITAL}[ ]?){{1,3}},[ ][A-Z]{{2}}[ ]\d{{5}}(?:-\d{{4}})?(?!\d)|(?:{_CAPITAL}[ ]?){{1,3}}\n[ ]{{0,4}}{_CODE}{_TOWN}|[A-Z]{{2}}[ ]?\n?[ ]{{0,8}}\d{{5}}(?!\d))"
)
_FLOOR = re.compile(
    rf"[ ,]{{0,2}}(?:-[ ])?(?:{_UNIT}|\d{{1,2}}\.?[oa]\b\.?(?:[ -]?(?:Esq|Dto|Dir|Drt|Fte|Frente|Izq|Izda|Dcha|izq|izda|dcha|[A-H])\b\.?)?"
    r"|(?:R/C|RC|r/c|Cave|Bajo|Atico|[Pp]iso|[Bb]loco|[Aa]pto|[Aa]ndar|[Bb]at(?:iment)?|[Pp]uerta|[Ee]sc(?:alera)?|[Ee]tage|OG|EG)\b\.?[ ]?(?:\d{1,3}|[A-H]\b)?)"
)
_FOLLOWS = re.compile(
    r"\s*(?:$|[,.;:!?)\n|/\"'-]|street|str|in\b|and\b|after\b|for\b|this\b|last\b|before\b|near\b|on\b|at\b|is\b|was\b|to\b|with\b|from\b|or\b|tel\b|phone\b)",
    re.I,
)

# --- Words that announce an address -----------------------------------------------------------------

_KIND = r"(?:and|ul\.|str\b|street|road|rue|avenue|boulevard|calle|rua|via|terrasse|gate|utja|utca|P\.O\.)"
_ANNOUNCED = re.compile(
    r"\b(?i:lives? (?:at|on)|living at|resid(?:es|ing|ent) (?:at|on)|located (?:at|on)|address(?:es)?(?: is|,? here they are:?|:| with| (?:linked )?to my credit card to)"
    r"|office is at|offices are (?:located )?at|meet (?:me|you) at|taxi to|be sent to|be sent to\? user:|statement sent to|new one to|drops you off at"
    r"|restaurant is at|arrived at|(?:station|stop|shop|store) is (?:on|at)|validate the following\?|enter on|it's in|title refers to|the same:|card to|address to"
    r"|resido n[ao]|moro n[ao]|vivo en(?: la)?|domiciliad[oa] en|wohne in der|wohnhaft(?: in)?(?: der)?|wohnt in der|j'habite(?: au)?|domicilie[e]?(?: au)?|song tai|o tai|thuong tru tai)"
    r"[ \n]{1,2}(?P<value>(?:the corner of[ ])?"
    rf"(?:(?:{_CAPITAL}|{_SMALL}|{_KIND}|\d{{1,5}}\.?)(?:[ ]|(?=[?.!,\n]|$))){{2,10}})",
)
_CORNER = re.compile(
    rf"\bcorner of (?P<value>(?:(?:{_CAPITAL}|{_SMALL}|{_KIND}|\d{{1,5}})(?:[ ]|(?=[?.!,\n]|$))){{3,10}})"
)
_NOT_A_STREET = re.compile(
    r"\b(?:AM|PM|Room|Hall|Gate|Terminal|Level|Stage|Booth|Stand|Floor|Version|Windows|Q[1-4]|Sprint|Jan\w*|Feb\w*|Mar(?:ch)?|Apr\w*|May|June?|July?|Aug\w*|Sep\w*|Oct\w*|Nov\w*|Dec\w*)\b"
)

_LABELS = (
    r"(?:home |postal |current |permanent |mailing |residential |private |street |contact )?address(?: line ?\d?)?|morada|residencia|endereco(?: residencial)?"
    r"|direccion(?: postal)?|domicilio|anschrift|adresse(?: postale)?|postanschrift|wohnort|wohnhaft|domicile|indirizzo|adres|dia chi(?: thuong tru| lien he)?|noi o|cho o|ho khau(?: thuong tru)?|thuong tru|residence"
)


def find_addresses(text: str) -> Iterator[Span]:
    """All postal addresses of a plain view."""
    for start, end in _cores(text):
        yield "address", _with_building(text, start), _with_tail(text, end)
    for match in _POSTCODE.finditer(text):
        yield "address", *match.span("value")
    for start, end in labelled(text, _LABELS):
        yield from _labelled_address(text, start, end)


def _labelled_address(text: str, start: int, end: int) -> Iterator[Span]:
    """What an address label names, if it has a number and is no network address."""
    end = before_next_label(text, start, end)
    value = text[start:end]
    if re.search(r"\d", value) and not re.match(
        r"\s*(?:\d{1,3}(?:\.\d{1,3}){3}|0x|https?:|[0-9a-f]{2}:)", value, re.I
    ):
        yield "address", start, _with_next_lines(text, end)


_WHOLE = (
    _SMALL_STREET_FIRST, _INDIAN, _BOX, _BEFORE_UNIT, _BLOCK, _PLACE_NAMED, _CITY_CODE, _NUMBERED_STREET, _LANE, _VIETNAMESE_HOUSE,
)  # fmt: skip


def _cores(text: str) -> Iterator[tuple[int, int]]:
    for pattern in (_STREET_FIRST, _NUMBER_FIRST, _ENGLISH, _GERMANIC):
        yield from (match.span() for match in pattern.finditer(text) if _is_street(text, match))
    for pattern in _WHOLE:
        yield from (match.span() for match in pattern.finditer(text))
    for match in _VIETNAMESE.finditer(text):
        tail = _ADMIN.match(text, match.end())
        yield match.start(), tail.end() if tail else match.end()
    for pattern in (_ANNOUNCED, _CORNER):
        yield from (_announced(match) for match in pattern.finditer(text) if _is_announced(match["value"]))


def _is_street(text: str, match: re.Match[str]) -> bool:
    """A year is no house number unless more of an address follows; a weak kind of street needs an end or more."""
    parts = match.groupdict()
    if _has_more(text, match.end()):
        return True
    if _YEAR.match(parts["number"] or "") and parts.get("mark", " ") in (" ", ", "):
        return False
    if "strong" not in parts:
        return parts.get("weak") is None or parts["weak"].istitle()
    if parts["strong"] is None and "Google Drive" in match[0]:
        return False
    if match.re is _GERMANIC:
        return parts["weak"] is None and parts["named"] is None
    return bool(_FOLLOWS.match(text, match.end())) and not (parts["weak"] and _YEAR.match(parts["number"]))


def _has_more(text: str, end: int) -> bool:
    return bool(_FLOOR.match(text, end) or _TO_CODE.match(text, end) or _NEXT_CODE.match(text, end))


def _with_building(text: str, start: int) -> int:
    """The flat or the building that a street follows: `Flat 3, The Old Mill, 12 Mill Lane`."""
    reach = max(0, start - 80)
    before = _BEFORE_STREET.search(text[reach:start])
    return reach + before.start() if before else start


def _with_tail(text: str, end: int) -> int:
    """Floors, flats and the postcode with its town, as far as they follow."""
    for _ in range(3):
        floor = _FLOOR.match(text, end)
        if floor is None:
            break
        end = floor.end()
    code = _TO_CODE.match(text, end)
    return _with_next_lines(text, code.end() if code else end)


def _with_next_lines(text: str, end: int) -> int:
    for _ in range(4):
        more = _NEXT_CODE.match(text, end)
        if more is None:
            return end
        end = more.end()
    return end


def _announced(match: re.Match[str]) -> tuple[int, int]:
    start, end = match.span("value")
    return start, start + len(match["value"].rstrip(" ,\n")) if end > start else end


def _is_announced(value: str) -> bool:
    return bool(
        re.search(r"\d", value) and re.search(r"[^\W\d_a-z][\w'.-]{2}", value)
    ) and not _NOT_A_STREET.search(value)
