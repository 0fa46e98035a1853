"""
How a sentence can turn a true fact round: by denying it, by up for down, by "yes" to a false question.
"""

import re
from collections.abc import Sequence

from magpie.text.words import after, content_stems, fold, stem

_UP = frozenset(
    map(
        fold,
        [
            "up",
            "rose",
            "rise",
            "risen",
            "grew",
            "grow",
            "growth",
            "increase",
            "increased",
            "increases",
            "higher",
            "gained",
            "doubled",
            "aumentou",
            "subiu",
            "cresceu",
            "aumento",
            "aumentó",
            "subió",
            "creció",
            "augmenté",
            "augmentation",
            "hausse",
            "gestiegen",
            "stieg",
            "zunahme",
            "mehr",
            "erhöht",
            "aumentato",
            "cresciuto",
            "gestegen",
            "toegenomen",
            "tăng",
        ],
    )
)
_DOWN = frozenset(
    map(
        fold,
        [
            "down",
            "fell",
            "fall",
            "fallen",
            "drop",
            "dropped",
            "decrease",
            "decreased",
            "decreases",
            "decline",
            "declined",
            "reduced",
            "reduction",
            "lower",
            "cut",
            "cuts",
            "halved",
            "shrank",
            "caiu",
            "diminuiu",
            "reduziu",
            "redução",
            "queda",
            "reduce",
            "redujo",
            "bajó",
            "cayó",
            "disminuyó",
            "reducción",
            "baisse",
            "baissé",
            "réduit",
            "réduction",
            "diminué",
            "gesunken",
            "sank",
            "gefallen",
            "reduziert",
            "rückgang",
            "gesenkt",
            "ridotto",
            "diminuito",
            "calo",
            "riduzione",
            "gedaald",
            "verminderd",
            "afgenomen",
            "giảm",
        ],
    )
)
_OPPOSITES = tuple(
    (frozenset(map(stem, one.split())), frozenset(map(stem, other.split())))
    for one, other in (
        ("before prior", "after"),
        ("minimum mínimo mínima", "maximum máximo máxima"),
        ("earliest", "latest"),
        ("included includes including", "excluded excludes excluding"),
        ("first", "last"),
        ("smallest lowest cheapest", "largest highest dearest"),
        ("always", "never"),
        ("free gratis", "paid"),
        ("open opens opened", "closed closes close"),
        ("public", "private"),
        ("allowed permitted", "forbidden prohibited banned"),
        ("won", "lost"),
        ("buys bought", "sells sold"),
        ("starts started begins began", "ends ended"),
    )
)
_WORD = re.compile(r"[^\W\d_]+")

_YES = re.compile(
    r"^\W*(?:yes|yeah|yep|correct|exactly|indeed|absolutely|certainly|of course|that['’]?s right|that is (?:right|correct)|right|sure|sim|exato|correto|"
    r"claro|isso mesmo|com certeza|sí|exacto|correcto|así es|por supuesto|oui|exactement|tout à fait|bien sûr|ja|genau|richtig|stimmt|natürlich|"
    r"sì|esatto|certo|klopt|inderdaad|precies|vâng|đúng|có)(?!\w)",
    re.IGNORECASE,
)

_WE = re.compile(
    r"(?<!\w)(?:we|our|us|i|my|nós|nosso|nossa|nosotros|nuestro|nuestra|nous|notre|wir|unser\w{0,2}|noi|nostro|nostra|wij|we|ons|onze|chúng tôi)(?!\w)",
    re.IGNORECASE,
)
_DELIVERED = re.compile(
    r"(?<!\w)(?:built|delivered|launched|developed|implemented|shipped|designed|deployed|created|migrated|worked (?:with|for)|"
    r"construímos|entregamos|desenvolvemos|lançamos|implementamos|criamos|trabalhamos (?:com|para)|construimos|entregamos|desarrollamos|"
    r"lanzamos|creamos|trabajamos (?:con|para)|construit|livré|développé|lancé|déployé|créé|travaillé (?:avec|pour)|gebaut|geliefert|entwickelt|"
    r"umgesetzt|gestartet|gearbeitet|costruito|consegnato|sviluppato|lanciato|realizzato|gebouwd|geleverd|ontwikkeld|gelanceerd|xây dựng|bàn giao|phát triển)(?!\w)",
    re.IGNORECASE,
)

_PERSON = frozenset(
    [
        "he",
        "she",
        "his",
        "her",
        "hers",
        "him",
        "ele",
        "ela",
        "dele",
        "dela",
        "él",
        "ella",
        "il",
        "elle",
        "lui",
        "lei",
        "egli",
        "suo",
        "sua",
        "er",
        "sie",
        "sein",
        "seine",
        "ihr",
        "ihre",
        "hij",
        "zij",
        "zijn",
        "haar",
    ]
)
_THING = frozenset(
    [
        "it",
        "its",
        "this",
        "that",
        "they",
        "their",
        "these",
        "those",
        "isto",
        "isso",
        "este",
        "esta",
        "esse",
        "essa",
        "esto",
        "eso",
        "ce",
        "cela",
        "cette",
        "ceci",
        "es",
        "dies",
        "diese",
        "dieses",
        "questo",
        "questa",
        "quello",
        "dit",
        "dat",
        "deze",
        "nó",
        "họ",
        "there",
    ]
)
_VIETNAMESE_PERSON = re.compile(r"^\W*(?:anh ấy|cô ấy|ông ấy|bà ấy|chị ấy)", re.IGNORECASE)


def is_affirmation(text: str) -> bool:
    """Does it begin with a yes?"""
    return bool(_YES.match(text))


def is_delivery(text: str) -> bool:
    """Does it say that we did a piece of work?"""
    return bool(_DELIVERED.search(text) and _WE.search(text))


def starts_with_pronoun(text: str) -> str:
    """`person`, `thing`, or nothing: whom the first words point back to."""
    words = [word.casefold() for word in _WORD.findall(text[:60])[:3]]
    if _VIETNAMESE_PERSON.match(text) or (words and words[0] in _PERSON):
        return "person"
    return "thing" if words and words[0] in _THING else ""


def turns_direction(said: str, known: str) -> bool:
    """Up for down, before for after, a minimum for a maximum: only one side has it, and only the other way."""
    words, have = _folded(said), _folded(known)
    if (words & _UP and have & _DOWN and not (words & _DOWN or have & _UP)) or (
        words & _DOWN and have & _UP and not (words & _UP or have & _DOWN)
    ):
        return True
    stems, known_stems = frozenset(map(stem, words)), frozenset(map(stem, have))
    return any(_swapped(stems, known_stems, one, other) for one, other in _OPPOSITES)


def _folded(text: str) -> frozenset[str]:
    return frozenset(fold(word) for word in _WORD.findall(text))


def _swapped(said: frozenset[str], known: frozenset[str], one: frozenset[str], other: frozenset[str]) -> bool:
    here = (bool(said & one), bool(said & other))
    there = (bool(known & one), bool(known & other))
    return (here, there) in (((True, False), (False, True)), ((False, True), (True, False)))


def denies_other(
    said: str, negations: Sequence[int], known: Sequence[tuple[str, Sequence[int]]], same_language: bool
) -> bool:
    """
    Does one side deny what the other does not?

    `known` are the nearest pieces of evidence with their own negations; one that agrees is enough.
    """
    return all(_differs(said, negations, text, denied, same_language) for text, denied in known)


def _differs(
    said: str, negations: Sequence[int], text: str, denied: Sequence[int], same_language: bool
) -> bool:
    if negations and not denied:
        return True
    if not denied or not same_language:
        return False
    theirs = frozenset(word for offset in denied for word in after(text, offset, 3))
    if not negations:
        return bool(theirs) and len(content_stems(said) & theirs) >= min(2, len(theirs))
    ours = [after(said, offset, 3) for offset in negations]
    return any(words and not words & theirs and words & content_stems(text) for words in ours) and len(
        negations
    ) >= len(denied)
