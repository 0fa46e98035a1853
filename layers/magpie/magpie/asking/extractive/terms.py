"""The words of a question that an answer should hold, and how well a text holds them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from magpie.asking.extractive.concepts import concepts_of
from magpie.asking.routes.names import SPELT, strict
from magpie.asking.routes.unknown import names_in
from magpie.asking.routes.words import plain
from magpie.text.introductions import introduced
from magpie.text.stems import fold, key_set, key_words, raw_words

SAME, ALIKE, IDEA = (
    1.0,
    0.85,
    0.7,
)  # the word itself; one of another language that begins alike; another word of its idea
NAME_FACTOR, PALE_FACTOR = 1.5, 0.35
COGNATE_LETTERS = 5
_COGNATES = str.maketrans("kzy", "cci")
_COMPARED = ("er", "est")  # warm, warmer, warmest
_QUOTED = re.compile(r"[\"“«„]([^\"”»“]{3,60})[\"”»“]")

# Words that a question is asked with, and that an answer seldom repeats.
_PALE_WORDS = """whats whos wheres hows away back set someone there exactly ever just even actual various
    roughly approximately about around total number amount lot bit kindly possible possibly able go goes went going gone comes coming today currently now still ever anything something someone
    somebody anyone thing kind type want need like use get got take took give come came happen look find
    know think say said tell told mean do does did done make made many much long far good better best
    main right really actually exactly please question altogether answer different compare compared
    versus name means meaning called written write wrote writing published article articles post posts
    page nome significa significado chama escreveram escrito nombre llama heißt bedeutet bedeutung
    geschrieben signifie signification nom appelle écrit chiama scritto betekent betekenis naam heet
    geschreven nghĩa tên viết bài hoje agora ainda alguma algum coisa tipo quero preciso acontece
    exatamente resposta pergunta segundo existe existem hoy ahora todavía alguna algún cosa quiero
    necesito sucede exactamente respuesta pregunta según existen heute jetzt noch etwas ding art will
    brauche genau antwort frage aujourd hui maintenant encore chose veux besoin oggi adesso ancora
    voglio bisogno vandaag nu nog iets soort wil nodig hôm nay giờ còn gì cái muốn cần fazem fazer faz
    fizeram usam usa utilizam hacen hacéis hacer hicieron usan utilizan macht machen gemacht nutzt
    nutzen verwendet verwenden faites faire utilisez fate fare usate doen maken gebruiken làm việc dùng viel
    viele vielen wieviel combien quantos quantas cuántos cuántas quanti quante hoeveel aujourd'hui đi
    trabalham trabajáis trabajan travaillez travailler arbeitet arbeiten lavorate werken lautet lauten
    été sido stato stata worden wurde wurden werd werden"""
_PALE = frozenset(_PALE_WORDS.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """
    A stem of the question with its weight and ideas; `word` as it was asked, folded. `spelt` where only
    its spelling tells it from another word: the language Go from `go`.
    """

    stem: str
    word: str
    weight: float
    ideas: frozenset[int]
    is_name: bool = False
    is_pale: bool = False
    spelt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What a text holds: its stems, the ideas they stand for, and the beginnings of the longer ones."""

    stems: frozenset[str]
    ideas: frozenset[int]
    starts: frozenset[str]
    words: frozenset[str]
    spelt: frozenset[str] = frozenset()


_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w.-]{3,255}")


def _beginning(stem: str) -> str:
    """The first letters as cognates share them: `Kassette` and `cassette`, `analizar` and `analyse`."""
    return stem[:COGNATE_LETTERS].translate(_COGNATES)


@lru_cache(maxsize=4096)
def held_by(text: str, language: str) -> Held:
    """The words of a text in the shape that terms are compared with."""
    stems = key_set(text, language)
    ideas = frozenset(idea for word in stems for idea in concepts_of(word, language))
    starts = frozenset(_beginning(word) for word in stems if len(word) >= COGNATE_LETTERS)
    return Held(
        stems=stems,
        ideas=ideas,
        starts=starts,
        words=frozenset(map(fold, raw_words(text))),
        spelt=frozenset(raw_words(text)) & SPELT,
    )


def terms_of(
    question: str, language: str, rarity: Mapping[str, float], usual_words: frozenset[str] = frozenset()
) -> tuple[Term, ...]:
    """The question's words with weights: rare in the evidence weighs more, names most, asking words little."""
    names = {stem for name in names_in(question, language) for stem in key_words(name, language)}
    pale = {stem for word in _PALE for stem in key_words(word, language)} | usual_words
    usual = sorted(rarity.values())[len(rarity) // 2] if rarity else 1.0
    spelt = {
        stem: name for name in SPELT if strict(name).search(question) for stem in key_words(name, language)
    }
    spoken = {stem: word for word in map(fold, raw_words(question)) for stem in key_words(word, language)}
    own = {stem for name in _whose(question) for stem in key_words(name, language)}
    terms = []
    for stem in dict.fromkeys(key_words(question, language)):
        if stem in own:
            continue  # who asks says nothing of what is asked
        is_name = stem in names or stem in spelt
        is_pale = stem in pale and stem not in spelt
        weight = rarity.get(stem, usual)
        weight *= NAME_FACTOR if is_name or stem.isdigit() else PALE_FACTOR if is_pale else 1.0
        terms.append(
            Term(
                stem=stem,
                word=spoken.get(stem, stem),
                weight=weight,
                ideas=frozenset() if stem in names else concepts_of(stem, language),  # `Porto` is no port
                is_name=is_name,
                is_pale=is_pale,
                spelt=spelt.get(stem, ""),
            )
        )
    return tuple(terms)


def _whose(question: str) -> tuple[str, ...]:
    """The visitor's own name and addresses."""
    return (*introduced(question), *_EMAIL.findall(question))


def paled(term: Term) -> Term:
    """The term as a word that only asks."""
    return term if term.is_pale else replace(term, is_pale=True, weight=term.weight * PALE_FACTOR)


def share_of(term: Term, held: Held, *, is_foreign: bool) -> float:
    """How well a text holds a term, 0 to 1."""
    if term.spelt:
        return SAME if term.spelt in held.spelt else 0.0
    if term.stem in held.stems or (is_foreign and term.word in held.words):
        return SAME  # a name is stemmed otherwise in another language
    if is_foreign and len(term.stem) >= COGNATE_LETTERS and _beginning(term.stem) in held.starts:
        return ALIKE
    if not is_foreign and any(f"{term.stem}{ending}" in held.stems for ending in _COMPARED):
        return ALIKE
    return IDEA if term.ideas & held.ideas else 0.0


def coverage(terms: Sequence[Term], shares: Iterable[float]) -> float:
    """The weighted share of all terms."""
    total = sum(term.weight for term in terms)
    return (
        sum(term.weight * share for term, share in zip(terms, shares, strict=True)) / total if total else 0.0
    )


def quoted_in(question: str) -> tuple[str, ...]:
    """What the question puts in quotation marks, folded."""
    return tuple(plain(quoted) for quoted in _QUOTED.findall(question))


def folded_words(text: str) -> frozenset[str]:
    """All words, folded, for likeness of two sentences."""
    return frozenset(re.findall(r"\w+", fold(text)))
