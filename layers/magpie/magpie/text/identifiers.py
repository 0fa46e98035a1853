"""
Cards, IBANs and national identity numbers: by check digits where they have them, by label where they don't.

Formats: US, UK, PT, BR, ES, DE, FR, VN, IN, and passports and licences by label. Company numbers (CNPJ, VAT,
SIREN) are no personal data and stay.
"""

import re
from collections.abc import Callable, Iterator

from magpie.text.obfuscation import Span

# --- Check digits -------------------------------------------------------------------------------


def is_luhn(digits: str) -> bool:
    """The check of ISO/IEC 7812 card numbers."""
    doubled = [int(char) * (1 + place % 2) for place, char in enumerate(reversed(digits))]
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0


def is_iban(compact: str) -> bool:
    """ISO 13616: the country and check digits at the end, letters as numbers, modulo 97 is 1."""
    moved = compact[4:] + compact[:4]
    return int("".join(str(int(char, 36)) for char in moved)) % 97 == 1


_VERHOEFF_D = (
    "0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
    "5987604321", "6598710432", "7659821043", "8765932104", "9876543210",
)  # fmt: skip
_VERHOEFF_P = (
    "0123456789", "1576283094", "5803796142", "8916043527", "9453126870", "4286573901", "2793806415", "7046913258",
)  # fmt: skip


def is_verhoeff(digits: str) -> bool:
    """The check of India's Aadhaar (Verhoeff 1969)."""
    check = 0
    for place, char in enumerate(reversed(digits)):
        check = int(_VERHOEFF_D[check][int(_VERHOEFF_P[place % 8][int(char)])])
    return check == 0


def is_cpf(digits: str) -> bool:
    """Brazil: two check digits, modulo 11; repeated digits don't count."""
    return len(set(digits)) > 1 and all(_cpf_digit(digits, size) == int(digits[size]) for size in (9, 10))


def _cpf_digit(digits: str, size: int) -> int:
    total = sum(int(digit) * (size + 1 - place) for place, digit in enumerate(digits[:size]))
    return total * 10 % 11 % 10


def is_dni(compact: str) -> bool:
    """Spain: the letter follows from the number modulo 23; X, Y, Z open a foreigner's number."""
    number = compact[:-1].translate(str.maketrans("XYZ", "012"))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == compact[-1]


def is_nir(compact: str) -> bool:
    """France: the last two digits complete the first thirteen modulo 97; Corsica has letters."""
    number = compact[:-2].replace("2A", "19").replace("2B", "18")
    return number.isdigit() and 97 - int(number) % 97 == int(compact[-2:])


# --- Numbers that say by themselves what they are -------------------------------------------------

Check = Callable[[str], bool]
_EDGE = r"(?<![\w.,/+-])(?<![\d][ ])", r"(?![\w]|[.,/-]\d)"


def _shape(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"{_EDGE[0]}(?:{pattern}){_EDGE[1]}")


_SHAPES: tuple[tuple[re.Pattern[str], Check], ...] = (
    (_shape(r"(?!000)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}"), lambda _: True),  # US
    (_shape(r"\d{3}\.\d{3}\.\d{3}[-/]\d{2}"), lambda _: True),  # BR, CPF
    (_shape(r"\d{11}|\d{9}-\d{2}|\d{3} \d{3} \d{3}[- ]\d{2}"), is_cpf),
    (
        _shape(
            r"\d{8}[- ]?[A-HJ-NP-TV-Z]|\d{2}\.\d{3}\.\d{3}[- ]?[A-HJ-NP-TV-Z]|[XYZ][- ]?\d{7}[- ]?[A-HJ-NP-TV-Z]"
        ),
        is_dni,
    ),
    (
        _shape(r"[12][ ]?\d{2}[ ]?(?:0[1-9]|1[0-2]|[2-9]\d)[ ]?(?:\d{2}|2[AB])[ ]?\d{3}[ ]?\d{3}[ ]?\d{2}"),
        is_nir,
    ),
    (
        _shape(
            r"(?![DFIQUV]|BG|GB|KN|NK|NT|TN|ZZ)[A-Z](?![DFIOQUV])[A-Z][ ]?\d{2}[ ]?\d{2}[ ]?\d{2}[ ]?[A-D]"
        ),
        lambda _: True,
    ),
    (_shape(r"[2-9]\d{3}[ -]\d{4}[ -]\d{4}"), is_verhoeff),  # IN, Aadhaar
    (_shape(r"[A-Z]{3}[ABCFGHLJPT][A-Z]([ ]?)\d{4}\1[A-Z]"), lambda _: True),  # IN, PAN
    (_shape(r"\d{8}[ ]\d[ ]?[A-Z]{2}\d"), lambda _: True),  # PT, citizen card
    (
        _shape(r"\d{2}[ ]?\d{6}[ ][A-Z][ ]?\d{3}|\d{2} ?[0-3]\d[01]\d\d{2} ?[A-Z] ?\d{3}"),
        lambda _: True,
    ),  # DE, pension
)

_NO_CARD = (
    r"(?:order|invoice|ticket|tracking|reference|ref|pedido|factura|fatura|bestell\w*|commande|don hang|isbn|imei|serial"
    r"|sku|ean|gtin|article|artikel|build|version|case|commit|timestamp|epoch|bytes|transaction id|part)"
)
_CODED_BEFORE = re.compile(rf"\b{_NO_CARD}[\w.]{{0,4}}[ ]?(?:no|nr|number|id|n)?[.:#º° ]{{0,4}}$", re.I)
_CARD = re.compile(r"(?<![\w.,/+-])\d(?:[ -]?\d){11,18}(?![\w]|[.,/-]\d)")
_CARD_CUE = re.compile(
    r"\b(?:cards?|cc|credit|debit|visa|mastercard|amex|maestro|cartao|tarjeta|karte|kreditkarte|kartennummer|carte"
    r"|the thanh toan|so the|the tin dung)\b[^\d\n]{0,40}$", re.I)  # fmt: skip
# Issuers' ranges with their lengths: Visa, Mastercard, Amex, Diners, Discover, JCB, UnionPay.
_ISSUERS = re.compile(
    r"4\d{15}|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}"
    r"|6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17}"
)

_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,30}(?![A-Za-z0-9])", re.I)
_IBAN_CUE = re.compile(r"\biban\b[^\d\n]{0,14}$", re.I)

_LABELS = r"""social security(?: number| no)?|ssn|s\.s\.n|itin|national insurance(?: number| no)?|nino|ni number|nhs(?: number| no)?
|national id(?:entity|entification)?(?: card| number| no)*|id card(?: number| no)?|identity card(?: number| no)?|id number
|passports?(?: number| no)?|pass-?nr|reisepass(?:nummer)?|personalausweis(?:nummer)?|ausweis(?:nummer)?|steuer-?id(?:nr)?
|steuer(?:liche |-)?identifikationsnummer|steuernummer|sozialversicherungsnummer|sv-nummer|rentenversicherungsnummer
|passaporte|pasaporte|passeport|ho chieu|cpf|rg|cnh|pis(?:/pasep)?|titulo de eleitor|ctps|nif|niss|bi|cartao de cidadao|cc n[.o]*
|bilhete de identidade|numero de contribuinte|contribuinte|n[.o]* utente|numero de utente|dni|nie|documento de identidad
|seguridad social|numero de seguridad social|nuss|numero de securite sociale|n[.o]* (?:de )?securite sociale|securite sociale|nir
|carte (?:nationale )?d'identite|cni|cmnd|cccd|can cuoc(?: cong dan)?|so cmnd|so cccd|chung minh nhan dan|chung minh thu
|(?:ma so thue|mst) (?:ca nhan|tncn)|so ho chieu|bhxh|aadhaar|aadhar|uidai|uid(?=\W{1,3}\d{4}\W?\d{4})|pan(?: card)?|voter id|epic no
|driv(?:ing|er'?s?) licen[cs]e|carta de conducao|carteira de motorista|permiso de conducir|carnet? de conducir|fuhrerschein(?:nummer)?
|numero de permis|permis de conduire|giay phep lai xe|tax id|tin|utr|sin number"""
_LABELLED = re.compile(
    rf"(?<![\w-])(?:{_LABELS.replace(chr(10), '')})(?![^\W\d_])"
    r"(?:[ -]?(?:number|numero|nummer|card|nr|num|no|so|n(?:\.?o)?)\b)?[.]?[*_\"'º°]{0,3}"
    r"(?:[ ]{0,3}(?:[:#=|-]|is|e|es|ist|est|la|:?\s?n[.o]{1,2})){0,3}[ \t*_|\n]{0,4}"
    r"(?P<value>(?=[A-Z0-9./-]*\d|(?-i:[A-Z]{1,3})[ ]\d)[A-Z0-9]+(?:[ ./-]{1,2}(?=[A-Z0-9./-]*\d)[A-Z0-9]+|[./-][A-Z0-9]{1,4}|[ ][A-Z](?![\w])){0,8})(?!\w)",
    re.I,
)
# In Portugal a tax number that begins with 5 is a company's.
_COMPANY = re.compile(
    r"(?:nif|[\w ]*contribuinte)\W{1,4}(?:n[.o]{0,2} )?(?:pt)?[ ]?5\d\d[ ]?\d{3}[ ]?\d{3}\Z", re.I
)
_DATE_LIKE = re.compile(
    r"(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|(?:19|20)\d\d(?:[./-](?:\d{1,2}|(?:19|20)\d\d)){0,2})\Z"
)


def find_identifiers(text: str) -> Iterator[Span]:
    """All cards, IBANs and identity numbers of a plain view."""
    yield from _ibans(text)
    yield from _cards(text)
    for pattern, check in _SHAPES:
        for match in pattern.finditer(text):
            if check(_compact(match[0])) and not _is_coded(text, match.start()):
                yield "national_id", match.start(), match.end()
    for match in _LABELLED.finditer(text):
        if _is_number(match["value"]) and not _COMPANY.match(match[0]):
            yield "national_id", *match.span("value")


def _compact(value: str) -> str:
    return re.sub(r"[ ./-]", "", value).upper()


def _is_number(value: str) -> bool:
    """Four digits at least, or it is a word or a year that happens to follow the label."""
    return sum(char.isdigit() for char in value) >= 4 and not _DATE_LIKE.match(value)


def _is_coded(text: str, start: int) -> bool:
    """Does a name like order, ticket or version stand before it?"""
    return bool(_CODED_BEFORE.search(text[max(0, start - 30) : start]))


def _cards(text: str) -> Iterator[Span]:
    for match in _CARD.finditer(text):
        digits = _compact(match[0])
        if is_luhn(digits) and digits.strip("0") and _is_card(text, match.start(), digits):
            yield "card", match.start(), match.end()


def _is_card(text: str, start: int, digits: str) -> bool:
    if _CARD_CUE.search(text[max(0, start - 60) : start]):
        return True
    return bool(_ISSUERS.fullmatch(digits)) and not _is_coded(text, start)


def _ibans(text: str) -> Iterator[Span]:
    for match in _IBAN.finditer(text):
        length = _iban_length(text, match)
        if length:
            yield "iban", match.start(), match.start() + length


def _iban_length(text: str, match: re.Match[str]) -> int:
    """Characters that belong to it: the longest run of whole groups whose check digits hold; 0 for none."""
    whole = match[0]
    ends = [len(whole), *(gap.start() for gap in reversed(list(re.finditer(r"[ -]", whole))))]
    for end in ends:
        compact = _compact(whole[:end])
        if 15 <= len(compact) <= 34 and compact[:2].isalpha() and is_iban(compact):
            return end
    return len(whole) if _IBAN_CUE.search(text[max(0, match.start() - 24) : match.start()]) else 0
