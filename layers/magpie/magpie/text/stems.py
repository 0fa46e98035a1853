"""
Words of a text in a normal form: folded, without stop words, stemmed.

Two texts that share such words speak of the same things more often than not; it is what lexical
overlap, diversity and near-duplicates are measured on. Scripts without spaces are cut into
pairs of characters.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Any

import snowballstemmer

# Letters and digits; `+#.` stay inside or after a name: C++, C#, .NET, Node.js, 18F.
_WORD = re.compile(r"\.?[^\W_]+(?:[.'’&-][^\W_]+)*(?:\+\+|#)?")
_POSSESSIVE = re.compile(r"(?<=\w)['’]s$")  # Nell's, what's
_ELIDED = re.compile(r"^(?:qu|[cdjlmnst]|un|all|dall|dell|nell|sull|quest)['’](?=\w\w)")
# Pronouns that are written to a verb: `a-t-elle`, `avez-vous`, `fala-me`.
_WRITTEN_TO = {
    "fr": re.compile(
        r"(?<=\w)(?<!rendez)-(?:t-)?(?:je|tu|il|elle|on|nous|vous|ils|elles|ce|moi|toi|lui|leur|les?|la|y|en)$",
        re.IGNORECASE,
    ),
    "pt": re.compile(r"(?<=\w)-(?:me|te|se|lhes?|nos|vos|l?[oa]s?)$", re.IGNORECASE),
}
_FRENCH_PARTICIPLE = re.compile(r"ees?$")
ELIDING = frozenset({"fr", "it"})
# Only Vietnamese writes these: without their marks such words look like words of others, `văn` like `van`.
_VIETNAMESE = re.compile("[ăđơưạảấầẩẫậắằẳẵặẹẻẽềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]+")

STEMMERS = {
    "en": "english", "pt": "portuguese", "es": "spanish", "fr": "french",
    "de": "german", "it": "italian", "nl": "dutch",
}  # fmt: skip

STOP_WORDS = {
    "en": """a about after all also am an and any are as at be because been before being between both but by can
        could did do does doing done for from get give had has have having he her hers him his how i if in into is
        it its just know let like made make many may me might more most much must my no not now of on once one only
        or other our ours out over own please say she should so some such tell than that the their them then there
        these they this those through to too under up us very was we were what when where which while who whom whose
        why will with would you your yours""",
    "pt": """a o e é as os um uma uns umas de do da dos das em no na nos nas por para com sem que qual quais quem
        quando onde como porque se ao aos à às ou mas mais muito já foi ser são está estão tem têm ter há eu tu ele
        ela nós vós eles elas me te lhe nos vos lhes meu minha seu sua seus suas vosso vossa nosso nossa este esta
        isto esse essa isso aquele aquela não sim também pode podem posso fazer faz diz dizer sobre até entre""",
    "es": """a el la los las un una unos unas de del en por para con sin que qué cuál cuáles quién quiénes cuándo
        dónde cómo porque si al o pero más muy ya fue ser es son está están tiene tienen tener hay yo tú él ella
        nosotros vosotros ellos ellas me te le nos os les mi tu su sus nuestro nuestra vuestro este esta esto ese
        esa eso aquel no sí también puede pueden puedo hacer hace dice decir sobre hasta entre y e u lo se""",
    "fr": """a à au aux avec ce ces cet cette comme comment dans de des du elle elles en est et être eu fait faire
        il ils je la le les leur leurs lui ma mais me mes moi mon ne nos notre nous on ont ou où par pas peut plus
        pour pourquoi quand que quel quelle quelles quels qui sa sans se ses si son sont sur ta te tes toi ton tu un
        une vos votre vous y d l c j m n s t qu""",
    "de": """aber alle als also am an auch auf aus bei bin bis da damit das dass dein dem den der des die dies diese
        dieser doch du durch ein eine einem einen einer eines er es euer eure für gibt hat haben hatte ich ihr ihre
        im in ist ja kann können man mein mich mir mit nach nicht noch nur ob oder ohne sehr sein seine sich sie
        sind so über um und uns unser unter vom von vor wann war warum was welche welcher welches wem wen wenn wer
        wie wir wird wo zu zum zur""",
    "it": """a ad al alla alle ai agli anche che chi ci come con cosa cui da dal dalla dei del della delle di dove e
        è ed era essere fa fare gli ha hai hanno ho i il in io la le lei lo loro lui ma me mi mio nel nella noi non
        nostro o per perché più può qual quale quali quando quanto questa queste questi questo se sei si sia siamo
        sono su sua sul sulla suo tra tu un una uno vi voi vostro""",
    "nl": """aan al als bij dan dat de den der deze die dit doen door een en er geen had heb hebben heeft het hij hoe
        hun ik in is ja je jij jullie kan kunnen maar me meer men met mij mijn na naar niet nog nu of om omdat onder
        ons onze ook op over te tot u uit uw van veel voor waar waarom wanneer was wat we welke wie wij worden wordt
        zal ze zich zij zijn zo zonder""",
    "vi": """là và của có không cho được trong với các những một này đó khi nào gì ai đâu thế sao như thì mà ở từ
        đến về bạn tôi anh chị em mình chúng ta họ rất cũng đã đang sẽ hay hoặc bao nhiêu mấy vì theo trên dưới""",
}  # fmt: skip


LONGEST_KEPT = 40  # characters: words are kept in memory folded, texts are not


def fold(text: str) -> str:
    """Case and accents removed: `Ação` and `acao` are one word."""
    return _fold_word(text) if len(text) <= LONGEST_KEPT else _fold(text)


@lru_cache(maxsize=100_000)
def _fold_word(word: str) -> str:
    return _fold(word)


def _fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char)).replace("đ", "d")


def raw_words(text: str) -> tuple[str, ...]:
    """The words as they stand, case kept; runs without spaces as pairs of characters."""
    spaced = _UNSPACED.sub(lambda run: f" {' '.join(_pairs(run.group()))} ", text)
    return tuple(_WORD.findall(spaced))


def key_words(text: str, language: str = "en") -> tuple[str, ...]:
    """Stems of the words that carry meaning, in order, repeated as often as they stand."""
    words = (_without_pronouns(word, (language,)) for word in raw_words(text))
    return tuple(_form(word, language) for word in words if not is_stop_word(word, language))


def _without_pronouns(word: str, languages: Iterable[str]) -> str:
    """A verb without those that are written to it."""
    for language in languages:
        if "-" in word and (written_to := _WRITTEN_TO.get(language)):
            word = written_to.sub("", word)
    return word


@lru_cache(maxsize=512)
def terms(text: str, languages: tuple[str, ...], written_in: str) -> tuple[frozenset[str], ...]:
    """
    The words of a question, in order, each as the stems that a text in `written_in` may hold it in.

    A stop word of one of the languages is none of another's words: who asks `dónde está la oficina`
    means no `La` of an English page.
    """
    words = [_without_pronouns(word, languages) for word in raw_words(text)]
    kept = [word for word in words if not _is_stop_word_in(word, languages)]
    return tuple(_forms(word, (*languages, written_in), written_in) for word in dict.fromkeys(kept))


def without_stop_words(text: str, languages: Sequence[str]) -> str:
    """The text, less the words that say nothing in one of the languages."""
    return _WORD.sub(lambda word: "" if _is_stop_word_in(word.group(), languages) else word.group(), text)


def _is_stop_word_in(word: str, languages: Sequence[str]) -> bool:
    bare = _without_pronouns(word, languages)
    return any(is_stop_word(bare, language) for language in languages)


def _form(word: str, language: str) -> str:
    return stem(_bare(fold(word), language), language)


def _forms(word: str, languages: Iterable[str], written_in: str) -> frozenset[str]:
    spelt = unicodedata.normalize("NFC", word.casefold())
    if written_in != "vi" and _VIETNAMESE.search(spelt):
        return frozenset({spelt})
    return frozenset(_form(word, language) for language in languages)


def _bare(word: str, language: str) -> str:
    """Without what is written to a word and is none of it: `Nell's`, `d'articles`, `l'ufficio`."""
    if language in ELIDING:
        return _ELIDED.sub("", word)
    return _POSSESSIVE.sub("", word)


def is_stop_word(word: str, language: str) -> bool:
    """Typed without its accents too; a word with accents of another language is none: `Sổ` is not `so`."""
    bare = _bare(word.casefold(), language)
    if bare.isascii():
        return bare in stop_words(language)
    return bare in _spelt_stop_words(language)


@lru_cache(maxsize=4096)
def key_set(text: str, language: str = "en") -> frozenset[str]:
    """The different key words of a text. Kept, since ranking looks at the same passages again and again."""
    return frozenset(key_words(text, language))


@cache
def stop_words(language: str) -> frozenset[str]:
    """Folded stop words; empty for a language that we have none for."""
    return frozenset(fold(word) for word in STOP_WORDS.get(language, "").split())


@cache
def _spelt_stop_words(language: str) -> frozenset[str]:
    return frozenset(STOP_WORDS.get(language, "").split())


@lru_cache(maxsize=100_000)
def stem(word: str, language: str) -> str:
    """The word's stem after folding; a word of an unknown language stays as it is."""
    if language not in STEMMERS or any(char.isdigit() for char in word):
        return word
    # The stemmer knows `fondée` by its accent, which folding took away.
    known = _FRENCH_PARTICIPLE.sub("e", word) if language == "fr" else word
    return str(_stemmer(language).stemWord(known))


@cache
def _stemmer(language: str) -> Any:
    return snowballstemmer.stemmer(STEMMERS[language])


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(max(1, len(run) - 1))]
