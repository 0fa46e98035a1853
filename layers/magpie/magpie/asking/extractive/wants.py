"""What kind of thing a question asks for, and what such a thing looks like in a text."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from magpie.asking.routes.words import compiled, plain
from magpie.text.shapes import Shape
from magpie.text.stems import key_words

STRICT = (
    "head", "age", "email", "address", "phone", "accuracy", "percent", "pay", "money", "temperature", "measure", "weight", "stack", "employer",
    "hours", "time", "weekday", "day", "duration", "date", "count", "link", "way",
)  # fmt: skip
"""Kinds whose answer has a shape; the first that a question asks for counts."""


EMAIL = Shape(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
MONEY = Shape(
    r"[£€$₫¥]\s?\d[\d.,]*|\d[\d.,]*\s?(?:€|£|\$|₫|đ\b|VND\b|EUR\b|USD\b|GBP\b|euros?\b|dollars?\b|pounds?\b|cents?\b|đồng|million|billion)"
    # `The kits cost nothing to borrow` is a price.
    r"|\bcosts? nothing\b|\bfree of charge\b|\bfor (?:free|nothing)\b|\b(?:at )?no (?:charge|cost)\b",
    re.IGNORECASE,
)
_UNIT = r"""(?:seconds?|minutes?|hours?|days?|weeks?|weekends?|months?|years?|fortnights?|sprints?|segundos?|minutos?|horas?|dias?|días?|semanas?|mes|meses|anos?|años?
    |secondes?|heures?|jours?|semaines?|mois|ans|années?|sekunden?|minuten?|stunden?|tagen?|tage|wochen?|monaten?|monate|jahren?|jahre
    |secondi|minuti|ore|ora|giorni|giorno|settimane?|mesi|anni|dagen|dag|weken|maanden|maand|jaren|jaar|uur|giây|phút|giờ|ngày|tuần|tháng|năm)"""
_NUMBER_WORD = r"""(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|hundred|a|an|half|several|few
    |um|uma|dois|duas|três|quatro|cinco|seis|sete|oito|nove|dez|un|una|dos|tres|cuatro|siete|ocho|nueve|diez|deux|trois|quatre|cinq
    |ein|eine|einen|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|một|hai|ba|bốn|năm|sáu|bảy|tám|chín|mười|mười lăm)"""
# Units as they are written inside a sentence: `a Discovery Fortnight` is a name, no time.
_WRITTEN_UNIT = (
    f"{_UNIT}|(?:Days|Weeks|Months|Hours|Minutes|Sekunden?|Minuten?|Stunden?|Tagen?|Wochen?|Monaten?|Jahren?)"
)
DURATION = Shape(
    rf"(?:\d[\d.,–-]*|\b(?i:{_NUMBER_WORD}))(?:\s+(?i:to|and|or|a|und|working|business|úteis|hábiles|full|calendar))?[\s-]+(?:\w+\s+)?(?:{_WRITTEN_UNIT})\b",
    re.VERBOSE,
)
_LENGTH = r"\b\d[\d.,]*[ ]?(?:words|pages|lines|characters|palavras|palabras|mots|Wörter|Seiten|páginas)\b"
PERCENT = Shape(
    r"\d[\d.,]*\s?(?:%|percent|per cent|por ?cento|por ?ciento|pour ?cent|prozent|per ?cento|procent|phần trăm)"
    r"|\b(?:\d+|one|two|three|four|five|six|seven|nine) (?:\w+ )?(?:in|out of|of) (?:every )?(?:\d+|ten|four|five|three|twenty|hundred)\b"
    r"|\b(?:a|one|two|three) (?:quarter|third|half|fifth|tenth)s?\b|\bhalf of\b",
    re.IGNORECASE,
)
TIME = Shape(r"\b\d{1,2}[:h.]\d{2}\b|\b\d{1,2}\s?(?:am|pm|a\.\s?m\.|p\.\s?m\.|uhr|h|giờ)\b", re.IGNORECASE)
PHONE = Shape(r"\+?\d[\d\s().-]{6,}\d")
MONTH = r"(?:jan(?:uary|uar|eiro)?|feb(?:ruary|ruar)?|fevereiro|mar(?:ch|ço|zo)?|märz|apr(?:il)?|abril|may|maio|mayo|mai|june?|juni|junho|junio|july?|juli|julho|julio|aug(?:ust)?|agosto|sep(?:t(?:ember)?)?|setembro|septiembre|oct(?:ober)?|okt(?:ober)?|outubro|octubre|nov(?:ember)?|novembro|noviembre|dec(?:ember)?|dez(?:ember)?|dezembro|diciembre|tháng)"
DATE = Shape(
    rf"\b(?:19|20)\d\d\b|\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+|de\s+)?{MONTH}\b|\b{MONTH}\s+\d{{1,2}}\b"
    # `Within 12 weeks`, `five weeks after signature` answer `when` too.
    rf"|\b(?:within|in)\s+(?:about\s+)?(?:\d+|two|three|four|five|six|seven|eight|ten|twelve)\s+(?:working\s+)?(?:days|weeks|months|years)\b"
    rf"|\b(?:days|weeks|months|years)\s+(?:after|from now|before)\b",
    re.IGNORECASE,
)
WEEKDAY = Shape(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:thứ (?:hai|ba|tư|năm|sáu|bảy)|chủ nhật)\b"
    r"|\b(?:segunda|terça|quarta|quinta|sexta)-feira|\b(?:sábados?|domingos?|lunes|martes|miércoles|jueves|viernes)\b"
    r"|\b(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)s?\b|\b(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)s?\b",
    re.IGNORECASE,
)
# `From 8 to 17` among opening hours; noon and midnight are told in words.
HOURS = Shape(
    rf"{TIME.pattern}|{WEEKDAY.pattern}|\b\d{{1,2}}\s?(?:to|till|until|–|-|bis|a|à|às|alle|tot|đến)\s?\d{{1,2}}\b|\b24/7\b",
    re.IGNORECASE,
)
_SCALE = r"(?:hundred|thousand|million|billion|dozen|mil|milh(?:ão|ões)|mill(?:ón|ones)|millions?|milliards?|tausend|million(?:en)?|milion[ei]|duizend|miljoen|nghìn|triệu|tỷ)"
# `Millions of people` tells no number; `41 million people` and `a hundred people` do.
COUNT = Shape(
    rf"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|twenty|thirty|forty|fifty|several|half|both|none)\b"
    rf"|\b(?:dois|duas|três|quatro|cinco|seis|sete|oito|nove|dez|dos|tres|cuatro|siete|ocho|nueve|diez)\b|\b(?:a|an|um|un|une|ein|eine|een|một) {_SCALE}\b",
    re.IGNORECASE,
)
_PLACED = r"(?<!\bin )(?<!\bat )(?<!\bto )(?<!\bof )(?<!\bfrom )(?<!\bnear )(?<!\bthe )(?<!\bIn )"
NAME = Shape(
    r"(?<![.!?]\s)(?<!^)\b[A-ZÀ-Ý][\w'’.-]+(?:\s+(?:(?:van|von|de|da|dos|di|la)\s+)?[A-ZÀ-Ý][\w'’.-]+)+|^[A-ZÀ-Ý][\w'’-]+\s+[A-ZÀ-Ý][\w'’-]+"
    # One word inside a sentence is one too: `my neighbour Isbel`; `in March` and `the Aith` are none.
    rf"|(?<=[a-zà-ÿ,] ){_PLACED}(?!(?i:{MONTH})\b)[A-ZÀ-Ý][a-zà-ÿ]{{2,}}(?!\w)(?!\s+[A-Z])",
    re.MULTILINE,
)

LINK = Shape(r"\[\[link:\d+\]\]|https?://")

ADDRESS = Shape(
    rf"{EMAIL.pattern}|\b\d{{1,5}},?\s+\w+.*\b(?:street|st|road|rd|avenue|ave|lane|wynd)\b|\b(?:rua|calle|rue|via)\s+\w+|\w+(?:straße|strasse|straat)\s+\d|đường \w+",
    re.IGNORECASE,
)

WAY = Shape(rf"{EMAIL.pattern}|{LINK.pattern}|\+\d[\d\s().-]{{6,}}\d", re.IGNORECASE)

_PAY_WORDS = (
    r"(?:salar\w*|wages?|earns?|gehalt|lohn|sueldo|ordenado|vencimento|stipendi\w*|salaire|salaris|lương)"
)
PAY = Shape(rf"\b{_PAY_WORDS}\b.*(?:{MONEY.pattern})|(?:{MONEY.pattern}).*\b{_PAY_WORDS}\b", re.IGNORECASE)
_OWN_COST = Shape(
    r"\b(?:costs? (?:me|us)|to make|to build|unit cost|of parts|in parts|to us)\b", re.IGNORECASE
)


def is_way(text: str) -> bool:
    """Whether a text holds an address, a number or a link to reach somebody by."""
    return WAY.search(text) is not None


TEMPERATURE = Shape(r"\d\s?°|\d\s?degrees\b", re.IGNORECASE)
MEASURE = Shape(
    r"\d\s?(?:cm|mm|m|km|m²|ha|miles?|metres?|meters?|(?:kilo|centi|milli)met(?:re|er)s?|inch(?:es)?|feet|foot"
    r"|hectares?|metros?|Meter|quilómetros?|kilómetros?|Kilometer|mét|cây số|square (?:metres?|meters?|feet)|[kKMGT]B|(?:kilo|mega|giga)bytes?|bytes)\b(?!/)",
    re.IGNORECASE,
)
WEIGHT = Shape(
    r"\d\s?(?:g|kg|mg|t|lbs?|oz|tonn?es?|gram(?:me)?s?|kilo(?:gram(?:me)?)?s?|gramos|gramas|pounds|ounces)\b(?!/)",
    re.IGNORECASE,
)
_STACK_WORDS = r"stack|language|technolog(?:y|ies)|environment|tecnologias?|tecnologías?|technik|technologien"
STACK = Shape(
    rf"\b(?:{_STACK_WORDS})\s*:\s*\S|\b(?:written|built|made|programmed|coded) (?:in|with|on|by)\b|\bin (?:Go|C|R|Rust|Python)\b|\bviết bằng\b",
    re.IGNORECASE,
)
# An age, or the year in which somebody or something began to be; the year in which one joined is neither.
AGE = Shape(
    r"\b\d{1,3}[ -]years?[ -]old\b|\baged? \d|\b(?:born|founded|established|opened|started|began|since|built|launched|nascid|nacid|gegründet|fondé)\b.*\d",
    re.IGNORECASE,
)
HEAD = Shape(
    r"\b(?:managing director|chief executive|CEO|(?:co-)?founders?|owners?|proprietor|(?:runs|leads|heads) the (?:company|firm|workshop|business|studio|team)"
    r"|owned by|founded by|Geschäftsführer\w*|directora? general|diretora? geral|gérante?|giám đốc)\b",
    re.IGNORECASE,
)
ACCURACY = Shape(
    r"\bwithin\s+(?:about\s+)?\d|±|\b(?:error|accura\w+|precis\w+|sai số|correct|right)\b.*\d|\d.*\b(?:error|accura\w+|precis\w+|off|wrong|right|correct|phần trăm)\b",
    re.IGNORECASE,
)
STACK_HEADING = Shape(rf"\b(?:{_STACK_WORDS})\b", re.IGNORECASE)
EMPLOYER = Shape(
    r"(?i:\b(?:employer|company|firm|arbeitgeber|entreprise|empresa|azienda|werkgever)\s*:\s*\S)"
    # `a designer at Quay Press`, `worked for the NHS`; `in March` is no employer.
    rf"|\b(?:at|for|with|joined|em|na|no|en|chez|bei|beim|presso|bij|tại|ở)\s+(?:the\s+|a\s+|o\s+)?(?!(?i:{MONTH})\b)[A-ZÀ-Ý]\w"
)

_HOW = re.compile(r"how (?!old|long ago)\w+ ")
# `When does it open?` asks; `What do I do when it opens?` does not.
_WHEN = re.compile(r"(?<!\w)(?:when|quando|cuando|quand)(?!\w)")
_ASKS_WHEN = re.compile(
    r"(?:^|[,;:?.]|(?<!\w)(?:and|e|y|et|ed|since|until|till|by|from|desde|depuis|ate|hasta|da|know|say|tell me|exactly|at))"
    r"[\s¿]*(?:when|quando|cuando|quand)(?!\w)"
)
# `A prompt that shortens emails` wants no address.
_EMAILS = re.compile(r"(?<!\w)(?:e-?mails|an e-?mail(?! address)|my e-?mail)(?!\w)")

SHAPES = {
    "email": EMAIL, "money": MONEY, "duration": Shape(f"{DURATION.pattern}|{_LENGTH}", re.VERBOSE), "percent": PERCENT, "time": TIME, "phone": PHONE,
    "date": DATE, "weekday": WEEKDAY, "day": Shape(f"{DATE.pattern}|{WEEKDAY.pattern}", re.IGNORECASE), "count": COUNT, "person": NAME, "link": LINK,
    "address": ADDRESS,
    "hours": HOURS,
    "way": WAY,
    "pay": PAY,
    "accuracy": ACCURACY,
    "head": HEAD,
    "age": AGE,
    "temperature": TEMPERATURE,
    "measure": MEASURE,
    "weight": WEIGHT,
    "stack": STACK,
    "employer": EMPLOYER,
}  # fmt: skip


LABELS = {
    kind: Shape(rf"\b(?:{words})\s*:\s*\S", re.IGNORECASE)
    for kind, words in {
        "duration": "duration|time|timeline|takes|dauer|dur[ée]e|duraci[oó]n|duração|durata|duur|thời gian",
        "stack": "stack|technology|technologies|environment|language",
        "employer": "employer|company|firm",
        "pay": "salary|pay|wage|gehalt|lohn|salaire|sueldo|salario|salário|ordenado|stipendio|salaris|lương",
        "money": "price|cost|costs|budget|investment|fee|rate|preis|kosten|prix|co[uû]t|precio|coste|preço|custo|orçamento|prezzo|costo|prijs|giá",
        "email": "e-?mail|mail|correo|courriel",
        "phone": "phone|telephone|tel|telefon|tel[eé]fono|telefone|téléphone|telefono|telefoon|điện thoại",
        "date": "date|year|founded|since|launched|published|posted|year start",
        "percent": "share|percentage",
    }.items()
}


SAID_BY_SHAPE = frozenset({*LABELS, "weekday", "day", "time", "temperature", "measure", "weight"})
"""Kinds whose value says by its shape what the asking words say: `12 months` answers `how long`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Want:
    """`kind` is the shape that the answer must have, empty where any sentence may answer; `also` all that was heard."""

    kind: str
    also: frozenset[str]
    counted: str = ""
    """What is counted, where that was asked: the first word after `how many`."""

    def is_labelled_in(self, text: str) -> bool:
        """Whether the text names the value by a label: `Duration: 4 months`."""
        labels = LABELS.get(self.kind) if "own_cost" not in self.also else None
        return labels is not None and labels.search(text) is not None

    def is_met_by(self, text: str) -> bool:
        """Whether the text holds a value of the kind; True where no shape is wanted."""
        shape = SHAPES.get(self.kind)
        if self.kind == "money" and "own_cost" in self.also and not _OWN_COST.search(text):
            return False  # what it costs us is not what we sell it for
        return shape is None or shape.search(text) is not None


def want_of(question: str) -> Want:
    """The kind of answer that a question's words ask for."""
    said = plain(question)
    heard = frozenset(kind for kind in _kinds() if _pattern(kind).search(said))
    if _HOW.match(said) or (_WHEN.search(said) and not _ASKS_WHEN.search(said)):
        heard -= {"date"}  # `How near should I hold it when I measure?` asks for no date
    if _EMAILS.search(said):
        heard -= {"email"}
    kind = next((strict for strict in STRICT if strict in heard), "")
    asks_who_acts = (
        "person" in heard and "define" not in heard
    )  # `Who is Ana?` wants to know her, not her name
    return Want(
        kind=kind or ("person" if asks_who_acts else ""),
        also=heard,
        counted=_counted(question) if kind == "count" else "",
    )


_BEFORE_NOUN = (
    "how many",
    "number of",
    "quantos",
    "quantas",
    "cuantos",
    "cuantas",
    "combien",
    "wie viele",
    "quanti",
    "quante",
    "hoeveel",
)
"""Asking words after which the thing that is counted stands at once; Vietnamese has it before, or after."""


def _counted(question: str) -> str:
    match = _pattern("count").search(plain(question))
    if match is None or not match.group().startswith(_BEFORE_NOUN):
        return ""
    words = re.findall(r"\w+", plain(question)[match.end() :])
    return words[0] if words else ""


COUNTED_WITHIN = 4  # words after a number among which the thing stands: `300 hours of staff time`


def numbers_in(text: str) -> tuple[tuple[str, str], ...]:
    """Each number of a text, its scale included, with the few words after it."""
    found = re.finditer(
        rf"((?:{COUNT.pattern})[\d.,]*(?:\s+{_SCALE}\b)?)\s*((?:[^\W\d]+[\s-]+){{0,{COUNTED_WITHIN - 1}}}(?:[^\W\d]+)?)",
        text,
        re.IGNORECASE,
    )
    return tuple((match.group(1), match.group(2).strip()) for match in found)


_EXACT = re.compile(rf"(?<!\w)(?:(?:{COUNT.pattern})[\d.,]*)(?!\w)", re.IGNORECASE)
_NO_AMOUNT = re.compile(r"several|both|none|(?:19|20)\d\d")


def exact_numbers(text: str) -> frozenset[str]:
    """The numbers that a text gives, as they are written: neither a year, nor `several`, nor that of a name (`18F`)."""
    found = (match.group().strip(".,").lower() for match in _EXACT.finditer(text))
    return frozenset(number for number in found if not _NO_AMOUNT.fullmatch(number))


def amounts(text: str) -> tuple[float, ...]:
    """The sums of money in a text, as far as their notation is plain."""
    found = (re.sub(r"[^\d.,]", "", match.group()).strip(".,") for match in MONEY.finditer(text))
    return tuple(
        float(number.replace(",", ""))
        for number in found
        if re.fullmatch(r"\d+(?:,\d{3})*(?:\.\d+)?", number)
    )


@cache
def asking_words(kind: str, language: str) -> frozenset[str]:
    """Stems of the words that a kind is asked for with: a value of the kind says them without words."""
    phrases = _kinds()[kind]["any"] if kind in _kinds() else ()
    return frozenset(stem for phrase in phrases for stem in key_words(phrase.replace("*", ""), language))


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    return compiled(tuple(_kinds()[kind]["any"]))


@cache
def _kinds() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(resources.files(__package__).joinpath("wants.toml").read_text(encoding="utf-8"))
