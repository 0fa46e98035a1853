"""
Phone numbers, and the many numbers that only look like one.

A run of digits is a phone when something says so: a plus sign, a label ("Tel.", "SĐT", "reach me on"), a contact
beside it, or a national way of writing that dates, prices, versions and order numbers don't share. Reads plain
views. Numbers spelled in words ("nove um dois ...") count from seven digits on.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

import phonenumbers

from magpie.text.obfuscation import CONTACT_MASK, Lines, Span, overlaps

REGIONS = ("PT", "BR", "ES", "DE", "FR", "VN", "GB", "US", "IN")

_RUN = re.compile(
    r"(?<![^\W_])(?:\+[ ]?)?[(\[]?\+?\d(?:[)\]]?[ \t]{0,2}[-./·_]{0,2}[ \t]?[(\[]?\d){5,26}(?![^\W_x])"
)
_LABELLED_RUN = re.compile(
    r"(?<![^\W_])(?:tel|telefone|telefono|telefon|phone|mobile?|telemovel|movil|fax|whatsapp|sdt|dien thoai)[.]?[ ]?:[ ]{0,3}"
    r"(?P<run>[+(]?\d{2,}+(?:[^\w\n@|;]{1,3}\d++){2,8}+)(?![^\W_])", re.I)  # fmt: skip
_BRAZILIAN_RUN = re.compile(
    r"(?<![^\W_])(?:\+55[ ])?\(?0(?:xx|\*\*)[1-9]\d\)?[ ]?9?[ ]?\d{4}[-. ]?\d{4}(?![^\W_])", re.I
)
_LETTERED_RUN = re.compile(r"(?<![^\W_])\+?\(?\d[\dOoIl]*+(?:[ .()/-]{1,3}[\dOoIl]++){1,6}(?![^\W_])")
_LETTER_DIGITS = str.maketrans("OoIl", "0011")
_GLUED_RUN = re.compile(
    r"(?<![^\W_])(?:tel|phone|mob|sdt|dt|fax|wa|cel)(?P<run>\+?\d(?:[ .-]?\d){6,14})(?![^\W_])", re.I
)
_EXTENSION = re.compile(
    r"[ ,;]{0,2}(?:x|ext\.?|extension|ramal|poste|durchwahl|dw|#)[ :]?\d{1,6}(?!\w)", re.I
)
_NEXT_LINE = re.compile(r"[ ]?\n[ ]{0,8}(?P<more>\d(?:[ .-]?\d){1,9})(?![\w/]|[.,-]\d)")

_CUE = r"""tele?(?:fone?s?|fonos?|phones?|fax)|telef|telefonnummer|phones?|fones?|fon|tel|tels|telemovel|telemoveis|telm|tlm|tlmv|tlf|tfno?|tfo
|movil|moviles|movel|mobil|mobile|mobiles|mob|mobilnummer|handy|handynummer|cell|cellphone|cel|celular|portable|gsm|natel
|port(?=[ ]?\.[ ]?:)|ph|fax|whats ?app|wpp|zap|wa|zalo|viber|telegram|signal|sms|imessage|call|calls|calling|ring|dial|text|phone me|hotline
|contact|contacts|contacto|contactos|contato|contatos|contacter|kontakt|dien thoai|dt|dtdd|sdt|di dong|so dt|lien he|lien lac|goi
|appelez|appeler|joindre|joignable|appelle|ligue|liga-me|ligar|ligue-me|llama|llamar|llamame|llameme|marque|anrufen|erreichbar|erreichen|ruf|rufnummer
|rufen|reach me|reach us|reachable|desk|direct|landline|home phone|work phone|fixo|fijo|fixe|festnetz|durchwahl|answering|messages to|registered
|emergency|telefonisch|telefonicamente|number is|numero e|numero es|numero est|nummer ist|numero de telephone|my number|his number|her number
|meu numero|mi numero|mon numero|meine nummer|voicemail"""
_CUES = re.compile(rf"(?<![^\W_])(?:{_CUE.replace(chr(10), '')})(?![^\W_])", re.I)
_LETTER_CUE = re.compile(r"(?:^|[|;·•,/\n(]|[ ]-[ ])[ *_]{0,3}[TMPFCWHtmpfcwh][ ]?[.:][ *_]{0,3}$")
_PICTURE_CUE = re.compile(r"[📞📱☎✆📲🕿][^\d\n]{0,4}\Z")
_VERBS = re.compile(
    r"(?:calls?|calling|ring|dial|text|contacts?|contacter|mobile|signal|portable|direct|emergency|marque|zap|desk|registered)\Z",
    re.I,
)
_AFTER_VERB = re.compile(
    r"(?:\W|(?<![^\W_])(?:me|us|him|her|them|at|on|the|my|our|number|numbers|no|nr|is|are|or|under|via|by|de|do|para|o|al|el|unter|au|any|time"
    r"|weekday|phone|mobile|work|home|office|details?|info|person|now|today|directly|free|center|centre|mob|com|us)(?![^\W_]))*\Z", re.I)  # fmt: skip
# "Emergency contact: Maria Silva, 912 345 678"
_NAMED_CONTACT = re.compile(
    r"(?:contact|contacto|contato|kontakt|lien he)(?: [a-z]+)?:[ ](?-i:[A-Z][\w'.-]+(?:[ ][A-Z][\w'.-]+){0,3})(?:[ ]\([^()\n]{1,20}\))?[ ]?[,:-][ ]?\Z",
    re.I,
)
_GLUE = ("-", "=", "_", ".")
_SUFFIX_CUE = re.compile(
    r"(?:x\d{1,6})?[ ]{0,2}[-(,–]?[ ]?(?:office|phone|tel|telefone|telefono|telefon|dien thoai|fax|mobile|cell|home|work|desk|direct|landline|whatsapp|zalo|mobil|movel|movil|telemovel"
    r"|privat|geschaftlich|dienstlich|casa|trabalho|trabajo|portable|bureau|domicile|fixe|fixo|fijo|di dong|co quan)\b", re.I)  # fmt: skip
_CODED = r"""orders?|invoices?|tickets?|refs?|reference|ids?|part|sku|ean|gtin|upc|isbn|issn|doi|orcid|serial|sn|s/n|version|v|build|release|commit|ports?
|rfc|iso|iec|din|patents?|case|bugs?|issues?|pr|account|accounts|konto|conta|cuenta|compte|iban|bic|swift|vat|ust-?idnr|nif|nipc|cif|siret|siren|cnpj|tva|mst
|ma so thue|ma don|don hang|hoa don|ma so|ma|pedido|encomenda|fatura|factura|facture|rechnung|bestellung|bestellnummer|rechnungsnummer
|auftrag|auftragsnummer|artikel|artikelnummer|commande|dossier|processo|proceso|expediente|tracking|licen[cs]e|model|modelo|modell
|customer|cliente|kunde|kundennummer|contract|contrato|vertrag|contrat|policy|apolice|lote|lot|batch|item|product|produto|producto|produkt|code
|codigo|imei|mac|hash|checksum|uuid|epoch|timestamp|seed|offset|range|between|coordinates|gps|lat|lon|latitude|longitude|where|values"""
_CODES = re.compile(
    rf"(?<![^\W_])(?:{_CODED.replace(chr(10), '')})(?![^\W_])[ ]?(?:no|nr|number|numero|nummer|num|n|id|code|so)?[.:#º°=(\[ -]{{0,4}}$",
    re.I,
)
_CODE_BETWEEN = re.compile(
    r"\b(?:orders?|invoice|tickets?|ref|reference|isbn|version|cases?|issues?|account|pedido|factura|fatura|rechnung|bestellung|commande|ids?|where)\b",
    re.I)  # fmt: skip
_MONEY_BEFORE = re.compile(r"(?:[$€£¥₫₹₽]|(?<![^\W_])(?:usd|eur|gbp|brl|vnd|inr|rs|r\$|chf))[.: ]?$", re.I)
_AFTER = re.compile(
    r"[ ]?(?:[$€£¥₫₹%°]|(?:eur|usd|euros?|dollars?|reais|vnd|dong|inr|rupees|rows?|records?|users?|people|lines?|requests?|req|items?"
    r"|downloads?|views?|visits?|inhabitants|customers?|clients?|bytes?|[kmgt]i?b|ms|kg|km|m2|lots?|points?|years?|times|units?|entries"
    r"|linhas|registos|registros|utilizadores|usuarios|habitantes|clientes|lineas|filas|registros|zeilen|datensatze|nutzer|einwohner"
    r"|lignes|utilisateurs|habitants|clients|dong|nguoi|ban ghi|events?|messages?|transactions?|tokens?|documents?|files?|images?)\b)", re.I)  # fmt: skip
_CODE_BEFORE = re.compile(r"(?:[=&?%@#~^<]|[^\W_][-/]|\d[.:,]|[/.,])\Z")
_CODE_AFTER = re.compile(r"[-/=_][A-Za-z0-9]{3}|[,.:]\d|%")
_CUE_REACH = 44
_GAP_AFTER_CUE = 26
_CUTS = re.compile(r"[ ]?/[ ]?|[ ]-[ ]|[ \t]{2,}|[ ](?=\+|\(|00[1-9]\d)")
_CARRY = re.compile(r"[ ]{0,2}(?:[,/;|&·•-]|or|and|e|y|et|und|ou|o|oder|hoac|va)?[ ]{0,2}\n?[ ]{0,2}\Z", re.I)
_CONTACT = re.compile(
    rf"{CONTACT_MASK}|\S@\S|(?<![^\W_])(?:tel|phone|telefone|telefono|telefon|mobile|whatsapp|e-?mail)(?![^\W_])",
    re.I,
)

# --- What only looks like a phone number ----------------------------------------------------------

_YEAR = r"(?:19|20)\d\d"
_DAY = rf"(?:\d{{1,2}}[./-]\d{{1,2}}[./-](?:{_YEAR}|\d\d)|{_YEAR}[./-]\d{{1,2}}[./-]\d{{1,2}}|\d{{1,2}}[./-]{_YEAR}|{_YEAR}[./-]\d{{1,2}}|{_YEAR})"
_DATES = re.compile(rf"\(?{_DAY}(?:[ ]{{0,2}}[-/.(]?[ ]{{0,2}}\(?{_DAY})*(?:[ T]\d{{1,2}}(?:\d\d)?)?\)?\Z")
_DATED = re.compile(rf"(?:{_YEAR}[./-][01]?\d[./-][0-3]?\d|[0-3]?\d[./-][01]?\d[./-]{_YEAR})(?!\d)")
_OF_YEAR = re.compile(r"\d{3,9}/(?:19|20)\d\d\Z")
_COMPACT_DATE = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])(?:[-_ ]?\d{2,6})?\Z")
_DOTTED = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}\Z|\d{1,2}(?:\.\d{1,5}){2,3}\Z")
_THOUSANDS = re.compile(r"\d{1,3}(?:([ .])\d{3})(?:\1\d{3})*\Z")
_DECIMAL = re.compile(r"(?!0\d)\d+\.\d+\Z")
_RANGE = re.compile(r"(\d+)[ ]?-[ ]?(\d+)\Z")
_ISBN = re.compile(r"97[89][- ]?(?:\d[- ]?){9}\d\Z")
_SCORES = re.compile(r"(?!0[1-9](?:-\d\d){4}\Z)\d{1,2}(?:\.\d{1,2})?(?:[ ]?[/-][ ]?\d{1,3}(?:\.\d{1,2})?)+\Z")

# --- National ways of writing ---------------------------------------------------------------------

_WAYS = re.compile(
    r"(?:\+?1[-. ])?\([2-9]\d\d\)[ ]?\d{3}[-. ]?\d{4}|(?:1[-. ])?[2-9]\d\d[-./]\d{3}[-.]\d{4}|[2-9]\d\d [2-9]\d\d[- ]\d{4}"  # US
    r"|\(0?\d{2}\)[ ]?9?[ ]?\d{4}[-. ]?\d{4}|0?[1-9]\d 9\d{4}[- ]\d{4}|[1-9]\d [2-5]\d{3}-\d{4}"  # BR
    r"|[6789]\d\d(?: \d\d){3}|[89]\d \d{3} \d\d \d\d|[6789]\d\d-\d\d-\d\d-\d\d|\(9\d\d?\)[ ]?\d{2,3}(?: \d\d){2}|[679]\d\d-\d{3}-\d{3}"  # ES
    r"|2\d \d{3} \d\d \d\d|9\d \d{3} \d\d \d\d|2\d \d{3} \d{4}|2[1-9]\d-\d{3}-\d{3}"  # PT
    r"|[6-9]\d{4}[ -]\d{5}"  # IN
    r"|\(0\)[ ]?\d{2,4}(?:[ -]\d{2,4}){1,4}|\(0\d{1,4}\)[ ]?\d{2,4}(?:[ -]?\d{2,4}){1,3}"  # trunk prefix in brackets
)
_TRUNK = re.compile(
    r"0[1-9]\d{1,4}(?:[ ]?[-/. ][ ]?\d{2,8}){1,5}\Z|0[1-9](?:[ .-]\d\d){4}\Z|0[1-9] \d{3,4}[ -]\d{3,4}\Z|(?=.*\d{3})0[1-9](?:[ .-]\d{2,4}){2,4}\Z"
)


def find_phones(text: str, regions: tuple[str, ...], taken: tuple[Span, ...]) -> Iterator[Span]:
    """
    All phone numbers of a plain view, in order.

    `taken` are the places of other numbers (cards, identity numbers, secrets), in order and apart.
    """
    scan = _Scan(text, regions, taken)
    yield from scan.written()
    yield from _spelled(text)


class _Scan:
    """One pass over a text; remembers where the last number ended, since labels reach over lists."""

    def __init__(self, text: str, regions: tuple[str, ...], taken: tuple[Span, ...]) -> None:
        self._text = text
        self._regions = regions
        self._taken = taken
        self._lines = Lines(text)
        self._last_end = -1

    def written(self) -> Iterator[Span]:
        for match in _RUN.finditer(self._text):
            for start, end in self._pieces(match.start(), match.end()):
                yield "phone", start, end
                self._last_end = end
        for match in _GLUED_RUN.finditer(self._text):
            yield "phone", *match.span("run")
        for match in _BRAZILIAN_RUN.finditer(self._text):
            yield "phone", *match.span()
        for match in _LABELLED_RUN.finditer(self._text):
            if match["run"][0] in "+(0" and 8 <= _count(match["run"]) <= 13:
                yield "phone", *match.span("run")
        for match in _LETTERED_RUN.finditer(self._text):
            if self._is_lettered_phone(match):
                yield "phone", *match.span()

    def _is_lettered_phone(self, match: re.Match[str]) -> bool:
        """`+44 77OO 9OO l23`: letters in place of the digits that they look like."""
        before = self._text[max(0, match.start() - _CUE_REACH) : match.start()]
        plain = match[0].translate(_LETTER_DIGITS)
        return plain != match[0] and 8 <= _count(plain) <= 15 and (has_cue(before) or plain.startswith("+"))

    def _pieces(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The run itself, or the numbers that it is made of."""
        start, end = self._trimmed(start, end)
        if overlaps(self._taken, start, end):
            return
        if _count(self._text[start:end]) <= 15 and self._is_phone(start, end):
            yield start, self._extended(start, end)
            return
        joined = self._joined(start, end)
        if joined:
            yield start, joined
            return
        for part_start, part_end in _parts(self._text, start, end):
            if _count(self._text[part_start:part_end]) >= 6 and self._is_phone(part_start, part_end):
                yield part_start, self._extended(part_start, part_end)
                self._last_end = part_end

    def _trimmed(self, start: int, end: int) -> tuple[int, int]:
        """A bracket that the run does not close belongs to the sentence."""
        if self._text[start] in "([" and not re.search(r"[)\]]", self._text[start:end]):
            start += 1
        return start, end

    def _extended(self, start: int, end: int) -> int:
        """With its extension, or with the rest in the next line."""
        extension = _EXTENSION.match(self._text, end)
        return extension.end() if extension else self._joined(start, end) or end

    def _joined(self, start: int, end: int) -> int:
        """Where a number broken over two lines ends; 0 where it is not: too short alone, whole with the rest."""
        run, more = self._text[start:end], _NEXT_LINE.match(self._text, end)
        if (
            more is None
            or _is_whole(run, self._regions)
            or not _is_whole(f"{run} {more['more']}", self._regions)
        ):
            return 0
        return (
            more.end()
            if run.startswith(("+", "00")) or has_cue(self._text[max(0, start - _CUE_REACH) : start])
            else 0
        )

    def _is_phone(self, start: int, end: int) -> bool:
        run = self._text[start:end]
        digits = _count(run)
        before = self._text[max(0, start - _CUE_REACH) : start]
        if _looks_dated(run) or self._is_in_code(start, end) or _MONEY_BEFORE.search(before):
            return False
        if run.lstrip("([").startswith("+"):
            return (
                digits >= 8 and _is_international(run, has_cue(before)) and not _AFTER.match(self._text, end)
            )
        if has_cue(before) or self._carries(start) or _SUFFIX_CUE.match(self._text, end):
            return digits >= 6 and not _DECIMAL.match(run) and not _AFTER.match(self._text, end)
        return (
            digits >= 8
            and not _CODES.search(before)
            and not _AFTER.match(self._text, end)
            and self._is_written_so(start, run)
        )

    def _is_written_so(self, start: int, run: str) -> bool:
        if _is_something_else(run):
            return self._is_among_contacts(start, run)
        if run.startswith("00"):
            return _is_international("+" + run[2:], False)
        if _WAYS.fullmatch(run) and not _is_round_range(run):
            return True
        if _TRUNK.match(run):
            return 9 <= _count(run) <= 12
        if run.startswith("0"):
            return run.isdigit() and _is_national(run, self._regions)
        return self._is_among_contacts(start, run)

    def _is_among_contacts(self, start: int, run: str) -> bool:
        """Numbers without a sign of their own count beside an e-mail or a labelled number."""
        return (
            not _DOTTED.match(run)
            and self._is_beside_contact(start, run)
            and _is_national(run, self._regions)
        )

    def _is_beside_contact(self, start: int, run: str) -> bool:
        line = self._lines.around(start)
        if _CONTACT.search(line):
            return len(line) < 160
        return line.strip(" \t\n*-|>") == run and bool(_CONTACT.search(self._lines.around(start, 1)))

    def _carries(self, start: int) -> bool:
        """ "Phones: 912 345 678, 933 210 987": the label speaks for both."""
        return (
            self._last_end >= 0
            and 0 <= start - self._last_end <= 12
            and bool(_CARRY.match(self._text[self._last_end : start]))
        )

    def _is_in_code(self, start: int, end: int) -> bool:
        """Parts of longer things: UUIDs, addresses of pages, decimals, times, assignments."""
        if _CODE_AFTER.match(self._text, end) and not _SUFFIX_CUE.match(self._text, end):
            return True
        before = self._text[max(0, start - _CUE_REACH) : start]
        is_plus = self._text[start] == "+"
        return not is_plus and bool(_CODE_BEFORE.search(before)) and not has_cue(before)


def has_cue(before: str) -> bool:
    """Does the nearest name before a number, in the same line or as a label above it, say phone?"""
    line = before.rpartition("\n")[2]
    if not line.strip(" \t*_|->+("):
        above = before.rstrip(" \t\n*_|->+(").rpartition("\n")[2]
        line = (
            above
            if before.strip() and (above.endswith(":") or _CUES.fullmatch(above.strip(" :*_|")))
            else line
        )
    if _LETTER_CUE.search("\n" + line) or _PICTURE_CUE.search(line):
        return True
    cues = list(_CUES.finditer(line))
    if not cues or len(line) - cues[-1].end() > _GAP_AFTER_CUE:
        return False
    between = line[cues[-1].end() :]
    if _NAMED_CONTACT.match(cues[-1][0] + between):
        return True
    if _VERBS.match(cues[-1][0]) and (between[:1] in _GLUE or not _AFTER_VERB.match(between)):
        return False
    return not re.search(r"\d|[.!?] [A-Z]", between.replace("(0)", "")) and not _CODE_BETWEEN.search(between)


def _count(run: str) -> int:
    return sum(char.isdigit() for char in run)


def _parts(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where a long run falls apart: slashes, dashes with spaces, gaps, a plus or a bracket."""
    cuts = list(_CUTS.finditer(text, start, end))
    starts = [start, *(cut.end() for cut in cuts)]
    ends = [*(cut.start() for cut in cuts), end]
    return list(zip(starts, ends, strict=True)) if cuts else []


def _looks_dated(run: str) -> bool:
    return bool(_DATES.match(run) or _DATED.match(run) or _COMPACT_DATE.match(run))


def _is_something_else(run: str) -> bool:
    return any(
        shape.match(run) for shape in (_DOTTED, _THOUSANDS, _DECIMAL, _ISBN, _SCORES, _OF_YEAR)
    ) or _is_round_range(run)


def _is_round_range(run: str) -> bool:
    """`60000-80000` is a range; `98765-43210` is Indian."""
    match = _RANGE.match(run)
    return bool(match) and match is not None and match[1].endswith("00") and match[2].endswith("00")


def _is_whole(run: str, regions: tuple[str, ...]) -> bool:
    international = "+" + run[2:] if run.startswith("00") else run
    return _is_valid(international, None) if international.startswith("+") else _is_national(run, regions)


@lru_cache(maxsize=4000)
def _is_international(run: str, is_named: bool) -> bool:
    """A country that exists and a length that it has; with a label, the length is forgiven."""
    try:
        number = phonenumbers.parse(re.sub(r"\(0\)", "", run), None)
    except phonenumbers.NumberParseException:
        return is_named
    return is_named or phonenumbers.is_possible_number(number)


@lru_cache(maxsize=4000)
def _is_national(run: str, regions: tuple[str, ...]) -> bool:
    return any(_is_valid(run, region) for region in regions)


def _is_valid(run: str, region: str | None) -> bool:
    try:
        number = phonenumbers.parse(run, region)
    except phonenumbers.NumberParseException:
        return False
    if region is None:
        return bool(phonenumbers.is_valid_number(number))
    return bool(phonenumbers.is_valid_number_for_region(number, region))


@lru_cache(maxsize=2000)
def same_phone(written: str, regions: tuple[str, ...]) -> frozenset[str]:
    """Every full number that the writing may stand for, and its digits: two that share one are the same."""
    digits = re.sub(r"\D", "", re.sub(r"\(0\)|(?:x|ext)\.?\s?\d+$", "", written))
    forms = {digits.removeprefix("00")}
    for region in regions:
        try:
            number = phonenumbers.parse(written.lower().removeprefix("tel:"), region)
        except phonenumbers.NumberParseException:
            continue
        if phonenumbers.is_possible_number(number):
            forms.add(f"{number.country_code}{number.national_number}")
    return frozenset(forms)


# --- Spelled in words ----------------------------------------------------------------------------

_WORDS = """zero oh nought one two three four five six seven eight nine um uma dois duas tres quatro cinco seis sete
    meia oito nove cero uno dos cuatro siete ocho nueve null eins zwei zwo drei vier funf fuenf sechs sieben acht neun
    un deux quatre cinq sept huit neuf dix onze douze treize quatorze quinze seize vingt trente quarante cinquante
    soixante ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty
    sixty seventy eighty ninety khong mot hai ba bon tu nam sau bay tam chin double triple duplo"""
_WORD = rf"(?:{'|'.join(_WORDS.split())})(?:[ ]et)?"
_SPELLED = re.compile(
    rf"(?<![^\W_])(?:(?:plus|mais|mas|cong)[ ])?{_WORD}(?:[ ,.-]{{1,3}}{_WORD}){{6,17}}(?![^\W_])", re.I
)
_MIXED = re.compile(
    rf"(?<![^\W_])(?:{_WORD}|\d++)(?:[ ,.-]{{0,3}}+(?:{_WORD}|\d++)){{3,20}}+(?![^\W_])", re.I
)
_COUNTING = tuple(
    counting.split()
    for counting in (
        "one two three four five six", "um dois tres quatro cinco seis", "uno dos tres cuatro cinco seis",
        "eins zwei drei vier funf sechs", "un deux trois quatre cinq six", "mot hai ba bon nam sau",
    )
)  # fmt: skip


def _spelled(text: str) -> Iterator[Span]:
    for match in _SPELLED.finditer(text):
        words = re.findall(r"[a-z]+", match[0].lower())
        begins = words[1:7] if words[0] in ("zero", "cero", "null", "khong") else words[:6]
        if begins not in _COUNTING or has_cue(text[max(0, match.start() - _CUE_REACH) : match.start()]):
            yield "phone", match.start(), match.end()
    for match in _MIXED.finditer(text):
        words = re.findall(r"[a-z]+|\d", match[0].lower())
        if (
            7 <= len(words) <= 20
            and _is_mixed(words)
            and has_cue(text[max(0, match.start() - _CUE_REACH) : match.start()])
        ):
            yield "phone", match.start(), match.end()


def _is_mixed(words: list[str]) -> bool:
    """Digits and words for digits, side by side."""
    return 0 < sum(word.isdigit() for word in words) < len(words)
