"""
Ways to say a record's field in eight languages. A number is written as the language writes it, or in words.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_SAID: dict[str, dict[str, tuple[str, ...]]] = {
    "year_start": {
        "en": (
            "{name} started in {value}.",
            "Work on {name} began in {value}.",
            "{name} has been going since {value}.",
        ),
        "pt": ("O projeto {name} começou em {value}.", "{name} existe desde {value}."),
        "es": ("El proyecto {name} empezó en {value}.", "{name} existe desde {value}."),
        "fr": ("Le projet {name} a commencé en {value}.", "{name} existe depuis {value}."),
        "de": ("Das Projekt {name} begann im Jahr {value}.", "{name} gibt es seit {value}."),
        "it": ("Il progetto {name} è iniziato nel {value}.",),
        "nl": ("Het project {name} begon in {value}.",),
        "vi": ("Dự án {name} bắt đầu năm {value}.",),
    },
    "year": {
        "en": ("{name} dates from {value}.", "{name} came out in {value}."),
        "pt": ("{name} é de {value}.",),
        "es": ("{name} es de {value}.",),
        "fr": ("{name} date de {value}.",),
        "de": ("{name} stammt aus dem Jahr {value}.",),
        "it": ("{name} è del {value}.",),
        "nl": ("{name} is uit {value}.",),
        "vi": ("{name} ra đời năm {value}.",),
    },
    "joined": {
        "en": ("{name} joined us in {value}.", "{name} has been with us since {value}."),
        "pt": ("{name} está conosco desde {value}.",),
        "es": ("{name} se incorporó en {value}.",),
        "fr": ("{name} nous a rejoints en {value}.",),
        "de": ("{name} ist seit {value} bei uns.",),
        "it": ("{name} lavora con noi dal {value}.",),
        "nl": ("{name} werkt sinds {value} bij ons.",),
        "vi": ("{name} làm việc với chúng tôi từ năm {value}.",),
    },
    "team_size": {
        "en": ("A team of {words} worked on {name}.", "{name} was the work of {value} people."),
        "pt": ("{value} pessoas trabalharam no {name}.",),
        "es": ("En {name} trabajaron {value} personas.",),
        "fr": ("{value} personnes ont travaillé sur {name}.",),
        "de": ("An {name} arbeiteten {value} Personen.",),
        "it": ("A {name} hanno lavorato {value} persone.",),
        "nl": ("Aan {name} werkten {value} mensen.",),
        "vi": ("Có {value} người làm dự án {name}.",),
    },
    "client": {
        "en": ("The client of {name} is {value}.", "We made {name} for {value}."),
        "pt": ("O cliente do {name} é {value}.",),
        "es": ("El cliente de {name} es {value}.",),
        "fr": ("Le client de {name} est {value}.",),
        "de": ("{name} haben wir für {value} entwickelt.",),
        "it": ("Il cliente di {name} è {value}.",),
        "nl": ("De klant van {name} is {value}.",),
        "vi": ("Khách hàng của {name} là {value}.",),
    },
    "stack": {
        "en": ("{name} is built with {item}.", "For {name} we used {item}."),
        "pt": ("{name} usa {item}.",),
        "es": ("{name} utiliza {item}.",),
        "fr": ("{name} utilise {item}.",),
        "de": ("{name} nutzt {item}.",),
        "it": ("{name} usa {item}.",),
        "nl": ("{name} gebruikt {item}.",),
        "vi": ("{name} dùng {item}.",),
    },
    "skills": {
        "en": ("{name} works with {item}.", "One of {name}'s skills is {item}."),
        "pt": ("{name} trabalha com {item}.",),
        "es": ("{name} trabaja con {item}.",),
        "fr": ("{name} travaille avec {item}.",),
        "de": ("{name} arbeitet mit {item}.",),
    },
    "location": {
        "en": ("{name} works in {value}.", "You find {name} in {value}."),
        "pt": ("{name} trabalha em {value}.",),
        "es": ("{name} trabaja en {value}.",),
        "fr": ("{name} travaille à {value}.",),
        "de": ("{name} arbeitet in {value}.",),
        "it": ("{name} lavora a {value}.",),
    },
    "price": {
        "en": ("{name}: the price is {value}.", "{name} costs {value}."),
        "pt": ("O preço de {name}: {value}.",),
        "es": ("El precio de {name}: {value}.",),
        "de": ("{name} kostet {value}.",),
        "fr": ("{name} coûte {value}.",),
    },
    "first_released": {
        "en": ("{name} was first released in {month}.",),
        "pt": ("{name} foi lançado em {month_pt}.",),
        "de": ("{name} erschien zuerst im {month_de}.",),
        "fr": ("{name} est sorti en {month_fr}.",),
        "es": ("{name} se publicó en {month_es}.",),
    },
    "latest_version": {
        "en": ("The latest version of {name} is {value}.",),
        "de": ("Die neueste Version von {name} ist {value}.",),
    },
    "licence": {"en": ("{name} is under the {value} licence.",), "fr": ("{name} est sous licence {value}.",)},
}
_SMALL = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
_MONTHS = {
    "month": [
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
    ],
    "month_pt": [
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
    "month_de": [
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
    "month_fr": [
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
    "month_es": [
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
}


@dataclass(frozen=True, slots=True)
class Template:
    """One way to say one field; `say` gives nothing where the value does not fit."""

    language: str
    text: str
    place: int = 0

    def say(self, name: str, value: Any) -> str:
        item = value[self.place % len(value)] if isinstance(value, list) and value else ""
        if "{item}" in self.text and (not item or not _is_technology(str(item))):
            return ""
        if "{words}" in self.text and not (isinstance(value, int) and 2 <= value <= 12):
            return ""
        if "{month" in self.text and len(str(value)) != 7:
            return ""
        return self.text.format(
            name=name,
            value=value,
            item=item,
            words=_SMALL[value] if "{words}" in self.text else "",
            **_months(str(value), self.text),
        )


def _is_technology(item: str) -> bool:
    return item[0].isupper() or item[0] == "."


def _months(value: str, text: str) -> dict[str, str]:
    if "{month" not in text:
        return {}
    year, _, month = value.partition("-")
    of = {"month_pt": " de ", "month_es": " de "}
    return {key: f"{names[int(month) - 1]}{of.get(key, ' ')}{year}" for key, names in _MONTHS.items()}


def for_field(key: str, value: Any) -> Iterator[Template]:
    """The templates for a field; for a list, each with one item of it."""
    places = range(len(value)) if isinstance(value, list) else (0,)
    if value is None or value == "":
        return
    for language, texts in _SAID.get(key, {}).items():
        for number, text in enumerate(texts):
            for place in places:
                if (place + number + len(language)) % 2 == 0 or len(places) == 1:
                    yield Template(language, text, place)
