"""
Pairs for the guard: sentences over a corpus' real evidence, with whether they may pass.

Two families. *Text* pairs start from a sentence of the evidence: true ones quote, frame, shorten, round and rewrite
its numbers and dates; false ones change a digit, a unit, a currency, a date, a name, put in a negation, or echo
a false question. *Record* pairs say a record's fields in eight languages, truly or with another record's value.

Values are found here with expressions of this file's own, so that what the guard can't read is changed all the same.
"""

import random
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from magpie.asking.support import Block
from magpie.text.sentences import split
from tests.generators import templates
from tests.generators.evidence import Corpus, Piece

PARAPHRASES = Path(__file__).with_name("paraphrases.toml")
BLOCKS = 5  # the kind of number that a search keeps


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """`sentence`, said from `blocks` to who asked `question`; `true` tells whether it may pass."""

    kind: str
    true: bool
    sentence: str
    blocks: tuple[Block, ...]
    question: str = ""
    language: str = "en"
    before: str = ""
    corpus: str = ""
    source: str = ""


def pairs(corpora: Sequence[Corpus], seed: int = 20261130, cap: int = 400) -> tuple[Pair, ...]:
    """All kinds of pairs over all corpora, at most `cap` a kind and corpus, the same for the same seed."""
    found: list[Pair] = []
    for corpus in corpora:
        by_kind: dict[str, list[Pair]] = {}
        for pair in _Maker(corpus, random.Random(f"{seed}/{corpus.name}")).all():
            by_kind.setdefault(pair.kind, []).append(pair)
        for kind, made in sorted(by_kind.items()):
            random.Random(f"{seed}/{corpus.name}/{kind}").shuffle(made)
            found += made[:cap]
    return tuple(found)


_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_DIGITS = re.compile(r"(?<![\w.,/:@-])\d[\d,. ]*\d(?!\w)|(?<![\w.,/:@-])\d(?![\w.,])")
_DATE = re.compile(rf"(?:(\d{{1,2}}) )?({'|'.join(_MONTHS)})(?: (\d{{4}}))?(?!\w)")
_MONEY = re.compile(r"([£€$])(\d[\d,]*(?:\.\d+)?)(?![\w,])")
_WORDS = {
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "thirteen": 13,
    "fourteen": 14,
    "fifteen": 15,
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
}
_WORD = re.compile(rf"(?<![\w-])({'|'.join(_WORDS)})(?![\w-])", re.IGNORECASE)
_UNITS = {
    "minutes": "hours",
    "minute": "hour",
    "hours": "days",
    "hour": "day",
    "days": "weeks",
    "day": "week",
    "weeks": "months",
    "week": "month",
    "months": "years",
    "month": "year",
    "years": "months",
    "year": "month",
    "seconds": "minutes",
    "km": "miles",
    "metres": "kilometres",
    "kg": "tonnes",
    "percent": "points",
    "miles": "metres",
    "GB": "MB",
    "litres": "tonnes",
    "cm": "m",
}
_NUMBER_UNIT = re.compile(
    rf"(?<=\d )(?:working )?({'|'.join(_UNITS)})(?!\w)|(?<=\d-)({'|'.join(_UNITS)})(?!\w)"
)
_WORD_UNIT = re.compile(rf"(?<![\w-])({'|'.join(_WORDS)})[ -](?:working )?({'|'.join(_UNITS)})(?!\w)")
_DURATION = re.compile(r"(?<![\w.,-])(\d{1,3}) (minutes|weeks|days|months|years|hours)(?!\w)(?! ago)")
_AUXILIARY = re.compile(
    r"(?<!\w)(is|are|was|were|can|will|has|have|had|does|did|may|must|should)(?!\w)(?! not|n't|-)"
)
_WE_VERB = re.compile(r"(?<!\w)([Ww]e|[Ss]he|[Hh]e|[Ii]t|[Tt]hey|I) ([a-z]{3,})(?!\w)")
_DENIED = re.compile(
    r"(?<!\w)(?:not|never|no|none|nobody|nothing|neither|nor|without|cannot)(?!\w)|n[’']t", re.IGNORECASE
)
_INVENTED = (
    "Harold Pembry",
    "Lucinda Vance",
    "Tomás Arribas",
    "Greta Holloway",
    "Quentin Marsh",
    "Beatrix Lowe",
)
_INVENTED_THINGS = ("Puffinry", "Larkspur Hub", "Brightmere", "Osprey Desk", "Quillstone", "Northwick Labs")
_OTHER_TECHNOLOGIES = (
    "Ruby",
    "Kotlin",
    "Django",
    "Angular",
    "MongoDB",
    "Oracle",
    "C#",
    ".NET",
    "PHP",
    "Cassandra",
    "Azure",
    "Haskell",
)
_FRAMES = {
    "en": ("According to the site, {}", "Our pages say: {}", "In short: {}"),
    "pt": ("Segundo o site: {}", "As nossas páginas dizem: {}"),
    "es": ("Según el sitio: {}", "Nuestras páginas dicen: {}"),
    "fr": ("Selon le site : {}", "Nos pages disent : {}"),
    "de": ("Laut unserer Website: {}", "Auf unseren Seiten steht: {}"),
    "it": ("Secondo il sito: {}", "Le nostre pagine dicono: {}"),
    "nl": ("Volgens de site: {}", "Op onze pagina's staat: {}"),
    "vi": ("Theo trang web: {}", "Trang của chúng tôi viết: {}"),
}


class _Maker:
    def __init__(self, corpus: Corpus, chance: random.Random) -> None:
        self._corpus = corpus
        self._chance = chance
        self._names = _names(corpus)
        self._people = tuple({piece.block.title: None for piece in corpus.pieces if piece.block.person_key})
        self._technologies = tuple(
            {str(item): None for piece in corpus.pieces for item in piece.fields.get("stack", ())}
        )

    def all(self) -> Iterator[Pair]:
        for piece in self._corpus.pieces:
            blocks = self._evidence(piece)
            for sentence in _sentences(piece.block):
                if re.match(r"(?:Project|Person|Partner|Service): ", sentence):
                    continue
                yield from self._of_sentence(sentence, piece, blocks)
            yield from self._of_record(piece, blocks)
        yield from self._by_hand()

    def _by_hand(self) -> Iterator[Pair]:
        """Free paraphrases and translations, all chunks of their source in evidence."""
        for entry in tomllib.loads(PARAPHRASES.read_text(encoding="utf-8"))["true"]:
            own = [piece for piece in self._corpus.pieces if piece.source == entry["source"]]
            if entry["corpus"] != self._corpus.name or not own:
                continue
            for language in (code for code in entry if code not in ("source", "corpus")):
                yield from self._in_own_words(entry[language], language, own)

    def _in_own_words(self, sentences: list[str], language: str, own: list[Piece]) -> Iterator[Pair]:
        """Each sentence as it is, and with one thing changed."""
        kind = "paraphrased" if language == own[0].block.language else "translated"
        for sentence in sentences:
            blocks = self._whole(own)
            yield self._record_pair(kind, True, sentence, blocks, language, own[0])
            for _, _, lie in self._lies(
                sentence, replace(own[0], block=replace(own[0].block, language=language))
            ):
                yield self._record_pair(
                    f"{kind}_lie" if "not " not in lie and "never" not in lie else "negation",
                    False,
                    lie,
                    blocks,
                    language,
                    own[0],
                )

    def _whole(self, own: list[Piece]) -> tuple[Block, ...]:
        others = [piece for piece in self._corpus.pieces if piece.source != own[0].source]
        blocks = [piece.block for piece in (*own, *self._chance.sample(others, 3))]
        return tuple(replace(block, number=number) for number, block in enumerate(blocks, start=1))

    def _evidence(self, piece: Piece) -> tuple[Block, ...]:
        """The piece and what a search may bring beside it: half of its own kind, half anything."""
        others = [other for other in self._corpus.pieces if other.source != piece.source]
        alike = [other for other in others if other.block.scope == piece.block.scope] or others
        chosen = self._chance.sample(alike, min(2, len(alike))) + self._chance.sample(
            others, min(2, len(others))
        )
        blocks = [piece.block, *(other.block for other in chosen)][:BLOCKS]
        self._chance.shuffle(blocks)
        return tuple(replace(block, number=number) for number, block in enumerate(blocks, start=1))

    def _of_sentence(self, sentence: str, piece: Piece, blocks: tuple[Block, ...]) -> Iterator[Pair]:
        language = piece.block.language
        made = [*self._truths(sentence, language), *self._lies(sentence, piece)]
        for kind, true, text in made:
            yield Pair(
                kind=kind,
                true=true,
                sentence=text,
                blocks=blocks,
                language=language,
                corpus=self._corpus.name,
                source=piece.source,
            )
        yield from self._echoes(
            [text for kind, true, text in made if not true and kind in ("digit", "currency", "date", "unit")],
            piece,
            blocks,
        )

    def _truths(self, sentence: str, language: str) -> Iterator[tuple[str, bool, str]]:
        yield "quote", True, sentence
        yield "frame", True, self._chance.choice(_FRAMES[language]).format(sentence)
        other = self._chance.choice([code for code in _FRAMES if code != language])
        if _DIGITS.search(sentence):
            yield "frame_foreign", True, self._chance.choice(_FRAMES[other]).format(sentence)
        for kind, rewrite in (
            ("number_form", _number_form),
            ("date_form", _date_form),
            ("money_form", _money_form),
            ("duration_form", _duration_form),
            ("rounded", _rounded),
            ("shortened", _shortened),
        ):
            text = rewrite(sentence, self._chance)
            if text and language == "en":
                yield kind, True, text

    def _lies(self, sentence: str, piece: Piece) -> Iterator[tuple[str, bool, str]]:
        changes: list[tuple[str, Callable[[str, random.Random], str]]] = [
            ("digit", _other_digit),
            ("number", _other_number),
            ("currency", _other_currency),
            ("unit", _other_unit),
            ("date", _other_date),
        ]
        if piece.block.language == "en":
            changes.append(("negation", _denied))
        if piece.block.language != "en":
            changes = [(kind, change) for kind, change in changes if kind != "number"]
        for kind, change in changes:
            text = change(sentence, self._chance)
            if text and text != sentence:
                yield kind, False, text
        yield from self._renamed(sentence, piece)

    def _renamed(self, sentence: str, piece: Piece) -> Iterator[tuple[str, bool, str]]:
        for name, kind in self._names.items():
            if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sentence):
                continue
            invented = _INVENTED if kind == "person" else _INVENTED_THINGS
            for other, label in (
                (self._another(name, kind), "name"),
                (self._chance.choice(invented), "name_invented"),
            ):
                said = sentence.rpartition(": ")[2]
                if (
                    other
                    and other not in piece.block.text
                    and name not in other
                    and not self._is_true_of(other, said)
                ):
                    yield (
                        label,
                        False,
                        re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", lambda _, o=other: o, sentence),
                    )  # type: ignore[misc]
            return

    def _is_true_of(self, name: str, said: str) -> bool:
        """Two people may live in one place."""
        return any(
            piece.block.title == name
            and (said in piece.block.text or _overlaps(re.findall(r"\d{4}", said) or [said], piece))
            for piece in self._corpus.pieces
        )

    def _another(self, name: str, kind: str) -> str:
        same = [
            other
            for other, what in self._names.items()
            if what == kind and not set(other.split()) & set(name.split())
        ]
        return self._chance.choice(same) if same else ""

    def _echoes(self, lies: list[str], piece: Piece, blocks: tuple[Block, ...]) -> Iterator[Pair]:
        for lie in lies[:1]:
            question = f"Is it right that {lie[0].lower()}{lie[1:].rstrip('.')}?"
            for kind, text in (
                ("echo", f"Yes, {lie[0].lower()}{lie[1:]}"),
                ("echo_bare", "Yes, that is correct."),
            ):
                yield Pair(
                    kind=kind,
                    true=False,
                    sentence=text,
                    question=question,
                    blocks=blocks,
                    language=piece.block.language,
                    corpus=self._corpus.name,
                    source=piece.source,
                )

    # --- Records ---

    def _of_record(self, piece: Piece, blocks: tuple[Block, ...]) -> Iterator[Pair]:
        name = str(piece.fields.get("name") or piece.fields.get("title") or "")
        if not name:
            return
        for key, value in piece.fields.items():
            for template in templates.for_field(key, value):
                yield from self._said(piece, blocks, name, key, value, template)
        if piece.block.person_key:
            yield from self._other_persons(piece, blocks, name)

    def _said(
        self,
        piece: Piece,
        blocks: tuple[Block, ...],
        name: str,
        key: str,
        value: Any,
        template: templates.Template,
    ) -> Iterator[Pair]:
        text = template.say(name, value)
        if not text or not _stands(piece.block, name, value):
            return
        yield self._record_pair(
            "record_true" if template.language == "en" else "record_translated",
            True,
            text,
            blocks,
            template.language,
            piece,
        )
        other = self._other_value(piece, key, value)
        if other is not None:
            lie = template.say(name, other.fields[key])
            beside = (*blocks, replace(other.block, number=len(blocks) + 1))
            if lie and lie != text:
                yield self._record_pair("other_record", False, lie, beside, template.language, piece)

    def _record_pair(
        self, kind: str, true: bool, text: str, blocks: tuple[Block, ...], language: str, piece: Piece
    ) -> Pair:
        return Pair(
            kind=kind,
            true=true,
            sentence=text,
            blocks=blocks,
            language=language,
            corpus=self._corpus.name,
            source=piece.source,
        )

    def _other_value(self, piece: Piece, key: str, value: Any) -> Piece | None:
        """A record of the same kind with another value, of which this one's text says nothing."""
        others = [
            other
            for other in self._corpus.pieces
            if other.path == piece.path
            and other.source != piece.source
            and key in other.fields
            and other.fields[key] != value
            and not _overlaps(other.fields[key], piece)
        ]
        return self._chance.choice(others) if others else None

    def _other_persons(self, piece: Piece, blocks: tuple[Block, ...], name: str) -> Iterator[Pair]:
        """What another person's page says, said of this one; with both pages there."""
        others = [
            other
            for other in self._corpus.pieces
            if other.block.person_key not in (None, piece.block.person_key) and other.block.scope == "person"
        ]
        if piece.block.scope != "person":
            return
        for other in self._chance.sample(others, min(4, len(others))):
            beside = (*blocks, replace(other.block, number=len(blocks) + 1))
            for sentence in _sentences(other.block):
                first = other.block.title.split()[0]
                text = re.sub(
                    rf"(?<!\w)(?:{re.escape(other.block.title)}|{first}|She|He)(?!\w)",
                    name,
                    sentence,
                    count=1,
                )
                said = sentence.rpartition(": ")[2]
                if (
                    text != sentence
                    and said not in piece.block.text
                    and (_DIGITS.search(text) or any(t in text for t in self._technologies))
                    and sentence not in piece.block.text
                ):
                    yield self._record_pair("other_person", False, text, beside, "en", piece)


# --- Finding ------------------------------------------------------------------------------------


def _sentences(block: Block) -> list[str]:
    """Sentences with something to check, as a writer would quote them: one line, no markup."""
    cleaned = (
        re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"[*`_#>]+", "", sentence))
        for sentence in split(block.text)
    )
    flat = (_with_subject(" ".join(sentence.split()).removeprefix("- "), block) for sentence in cleaned)
    return [
        text
        for text in flat
        if 30 <= len(text) <= 320
        and text[0].isupper()
        and (_DIGITS.search(text) or _WORD.search(text) or _has_name(text))
    ]


def _with_subject(text: str, block: Block) -> str:
    """The line of a record says nothing without what it is about."""
    label = re.match(r"([A-Z][\w ]{1,25}): ", text)
    return (
        f"{block.title}: {text}"
        if label
        and block.scope in ("project", "person", "partner")
        and label[1] not in ("Project", "Person", "Partner")
        else text
    )


def _has_name(text: str) -> bool:
    return bool(re.search(r"[a-z,] [A-Z][a-z]{2,}", text))


def _names(corpus: Corpus) -> dict[str, str]:
    """Names to swap, with their kind: titles of people and projects, clients, employers, stacks."""
    names: dict[str, str] = {}
    for piece in corpus.pieces:
        if piece.block.person_key and piece.block.scope == "person":
            names[piece.block.title] = "person"
        for key, kind in (("client", "client"), ("employer", "client")):
            if isinstance(piece.fields.get(key), str):
                names.setdefault(str(piece.fields[key]), kind)
        if piece.block.scope == "project":
            names.setdefault(piece.block.title, "project")
        for item in piece.fields.get("stack", ()) or ():
            if str(item) not in ("R", "Go", "C") and str(item)[0].isupper():
                names.setdefault(str(item), "technology")
    for other in _OTHER_TECHNOLOGIES:
        names.setdefault(other, "technology")
    return names


def _stands(block: Block, name: str, value: Any) -> bool:
    """Is the value in this very chunk? A record may have been cut."""
    parts = value if isinstance(value, list) else [value]
    whole = f"{block.title}\n{block.text}"
    return name in whole and all(
        re.search(rf"(?<!\w){re.escape(str(part))}(?!\w)", block.text) for part in parts
    )


def _overlaps(value: Any, piece: Piece) -> bool:
    parts = value if isinstance(value, list) else [value]
    return any(re.search(rf"(?<!\w){re.escape(str(part))}(?!\w)", piece.block.text) for part in parts)


# --- True rewritings ----------------------------------------------------------------------------


def _pick(pattern: re.Pattern[str], text: str, chance: random.Random) -> re.Match[str] | None:
    matches = list(pattern.finditer(text))
    return chance.choice(matches) if matches else None


def _put(text: str, match: re.Match[str], new: str) -> str:
    return text[: match.start()] + new + text[match.end() :]


def _plain_integer(written: str) -> int | None:
    plain = written.strip(" .,")
    return (
        int(plain.replace(",", ""))
        if re.fullmatch(r"\d{1,3}(?:,\d{3})*|\d{1,4}", plain) and plain == written
        else None
    )


def _number_form(text: str, chance: random.Random) -> str:
    match = _pick(_DIGITS, _DATE.sub(lambda found: "_" * len(found[0]), text), chance)
    value = _plain_integer(match[0]) if match else None
    if match is None or value is None or 1900 <= value <= 2100 or value < 2:
        return _digits_for_word(text, chance)
    forms = [f"{value:,}".replace(",", mark) for mark in (" ", ".", "\u00a0", "'")] if value >= 1000 else []
    if value >= 1000 and value % 100 == 0:
        forms += [f"{value / 1000:g}k"]
    if value <= 12 and text[match.end() :].lstrip()[:1] not in ("%", ":"):
        forms += [
            word
            for word, number in _WORDS.items()
            if number == value and text[max(0, match.start() - 1) : match.start()] not in "£€$"
        ]
    return _put(text, match, chance.choice(forms)) if forms else ""


def _digits_for_word(text: str, chance: random.Random) -> str:
    match = _pick(re.compile(_WORD.pattern + r"(?! (?:hundred|thousand))", re.IGNORECASE), text, chance)
    return _put(text, match, str(_WORDS[match[0].lower()])) if match else ""


_MONTHS_ELSEWHERE = {
    "pt": [
        "janeiro",
        "fevereiro",
        "março",
        "abril",
        "maio",
        "junho",
        "julho",
        "agosto",
        "setembro",
        "outubro",
        "novembro",
        "dezembro",
    ],
    "es": [
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ],
    "fr": [
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ],
    "de": [
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ],
}


def _date_form(text: str, chance: random.Random) -> str:
    match = _pick(_DATE, text, chance)
    if not match or not match[3]:
        return ""
    day, month, year = match[1], _MONTHS.index(match[2]), match[3]
    code = chance.choice(list(_MONTHS_ELSEWHERE))
    name = _MONTHS_ELSEWHERE[code][month]
    of = " de " if code in ("pt", "es") else " "
    if not day:
        return _put(
            text,
            match,
            chance.choice(
                [
                    f"{name}{of}{year}",
                    f"{year}-{month + 1:02}" if False else f"{_MONTHS[month][:3]} {year}",
                    f"{_MONTHS[month]} of {year}",
                ]
            ),
        )
    dotted = "." if code == "de" else ""
    return _put(
        text,
        match,
        chance.choice(
            [
                f"{year}-{month + 1:02}-{int(day):02}",
                f"{day}{dotted}{of}{name}{of}{year}",
                f"{_MONTHS[month]} {day}, {year}",
                f"{int(day):02}/{month + 1:02}/{year}",
            ]
        ),
    )


def _money_form(text: str, chance: random.Random) -> str:
    match = _pick(_MONEY, text, chance)
    if not match:
        return ""
    code = {"£": "GBP", "€": "EUR", "$": "USD"}[match[1]]
    word = {"£": "pounds", "€": "euros", "$": "dollars"}[match[1]]
    forms = [
        f"{code} {match[2]}",
        f"{match[2]} {code}",
        f"{match[2]} {word}",
        f"{match[2].replace(',', '.') if '.' not in match[2] else match[2]} {match[1]}",
    ]
    return _put(text, match, chance.choice(forms))


_CONVERSIONS = {
    ("minutes", 60): "an hour",
    ("minutes", 90): "an hour and a half",
    ("days", 14): "two weeks",
    ("days", 7): "one week",
    ("months", 12): "one year",
    ("months", 18): "a year and a half",
    ("months", 24): "two years",
    ("hours", 24): "one day",
    ("hours", 48): "two days",
    ("minutes", 30): "half an hour",
}


def _duration_form(text: str, chance: random.Random) -> str:
    match = _pick(_DURATION, text, chance)
    if not match:
        return ""
    count, unit = int(match[1]), match[2]
    forms = [_CONVERSIONS[unit, count]] if (unit, count) in _CONVERSIONS else []
    forms += [f"{count * 7} days"] if unit == "weeks" else []
    forms += [f"{count * 60} minutes"] if unit == "hours" and count <= 12 else []
    forms += [f"{count * 12} months"] if unit == "years" and count <= 10 else []
    forms += [f"{word} {unit}" for word, number in _WORDS.items() if number == count]
    return _put(text, match, chance.choice(forms)) if forms else ""


def _rounded(text: str, chance: random.Random) -> str:
    match = _pick(_DIGITS, text, chance)
    value = _plain_integer(match[0]) if match else None
    if (
        match is None
        or value is None
        or value < 13
        or 1900 <= value <= 2100
        or not re.search(r"(?:^|[a-z,] )$", text[: match.start()])
    ):
        return ""
    if text[match.end() :].lstrip().startswith(tuple(_MONTHS)):
        return ""
    step = 10 ** (len(str(value)) - 1) // (1 if value < 100 else 10) or 1
    rounded = round(value / step) * step
    if rounded == value or abs(rounded - value) / value > 0.07:
        return ""
    return _put(text, match, f"{chance.choice(('about', 'around', 'roughly'))} {rounded:,}")


def _shortened(text: str, chance: random.Random) -> str:
    head, comma, _ = text.partition(", ")
    return head.rstrip(".;:") + "." if comma and len(head) > 35 else ""


# --- Lies ---------------------------------------------------------------------------------------


def _other_digit(text: str, chance: random.Random) -> str:
    match = _pick(_DIGITS, text, chance)
    if not match:
        return ""
    places = [place for place, char in enumerate(match[0]) if char.isdigit()]
    place = chance.choice(places)
    digit = chance.choice(
        [other for other in "0123456789" if other != match[0][place] and not (other == "0" and place == 0)]
    )
    return _put(text, match, match[0][:place] + digit + match[0][place + 1 :])


def _other_number(text: str, chance: random.Random) -> str:
    match = _pick(_WORD, text, chance)
    if match:
        word = chance.choice([other for other in _WORDS if _WORDS[other] != _WORDS[match[0].lower()]])
        return _put(text, match, word.capitalize() if match[0][0].isupper() else word)
    match = _pick(_DIGITS, text, chance)
    value = _plain_integer(match[0]) if match else None
    return (
        _put(text, match, f"{int(value * chance.choice((2, 3, 10))) + 1}")
        if match and value and value < 1900
        else ""
    )


def _other_currency(text: str, chance: random.Random) -> str:
    match = _pick(_MONEY, text, chance)
    return (
        _put(text, match, chance.choice([mark for mark in "£€$" if mark != match[1]]) + match[2])
        if match
        else ""
    )


def _other_unit(text: str, chance: random.Random) -> str:
    match = _pick(_NUMBER_UNIT, text, chance) or _pick(_WORD_UNIT, text, chance)
    if match is None:
        return ""
    unit = match[match.lastindex or 1]
    start = match.start(match.lastindex or 1)
    return text[:start] + _UNITS[unit] + text[start + len(unit) :]


def _other_date(text: str, chance: random.Random) -> str:
    match = _pick(_DATE, text, chance)
    if match:
        month = chance.choice([other for other in _MONTHS if other != match[2]])
        return _put(text, match, match[0].replace(match[2], month))
    match = _pick(re.compile(r"(?<![\w£€$.,-])(?:19|20)\d\d(?![\w,.-]\d|\w)"), text, chance)
    return _put(text, match, str(int(match[0]) + chance.choice((-3, -2, -1, 1, 2, 3)))) if match else ""


def _denied(text: str, chance: random.Random) -> str:
    if _DENIED.search(text):
        return ""
    match = _pick(_AUXILIARY, text, chance)
    if match:
        return _put(text, match, f"{match[0]} not")
    match = _pick(_WE_VERB, text, chance)
    return _put(text, match, f"{match[1]} never {match[2]}") if match else ""
