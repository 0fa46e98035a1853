"""
Which of our languages a message is in. A message too short or too mixed to tell is None: whoever
asks then keeps the language of the conversation.

Two witnesses: words that only some of the languages use (and letters that few of them write), and
`lingua`, limited to our languages. Alone, neither is right on short messages: `C'est combien ?`
misleads the one, `Vagas?` says nothing to the other.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from magpie.model import Language
from magpie.text.stems import STOP_WORDS
from magpie.text.words import FUNCTION_WORDS

if TYPE_CHECKING:
    from lingua import LanguageDetector

LEAST_LETTERS = 3
LEAST_SCORE = 0.30
LEAST_DISTANCE = 0.12  # between the first and the second guess
LEAST_BY_LETTERS = 0.75  # where no word and no letter of its own speaks for a language
WORD_WEIGHT = 1.3
MARK_WEIGHT = 0.5

OURS = ("en", "pt", "es", "fr", "de", "it", "nl", "vi")

# Words of everyday messages that are no function words: questions, wishes, courtesies.
_EVERYDAY = {
    "en": """hello hi hey thanks thank please price prices cost costs much many who what how when where why which does
        did is are do can could would tell me show more shorter explain again book call meeting email phone team
        work born job jobs joke name old hired hiring latest newest project projects article articles blog post use help
        need want write give say said sorry bye goodbye later born good morning website open i'm it's don't what's who's how's you're""",
    "pt": """olá oi obrigado obrigada preço preços quanto custa custam quantos quantas vocês vosso vossa você qual
        quais quem como onde quando porquê contacto contato equipa equipe projeto projetos artigo artigos têm tens
        fazem são reunião marcar falar trabalho vagas preciso quero gostaria diz isso isto resposta mais curto
        simples encurta resume explica traduz outra vez último bom dia boa tarde noite ajuda ajudar escrito
        escreveu nome disseste significa trabalham trabalhar fizeram sobre vocês ainda já então dá dás podes pode poderia""",
    "es": """hola gracias precio precios cuánto cuesta cuestan cuántos cuántas cuál cuáles quién quiénes cómo dónde
        cuándo qué ustedes vosotros usted contacto equipo proyecto proyectos artículo artículos tienen tenéis hacen
        reunión reservar llamada hablar trabajo trabajan empleo necesito quiero quisiera dice eso esto respuesta
        corto corta sencillo simple acorta resume explica traduce otra vez último buenos buenas días tardes noches
        ayuda escribió hicieron puedes puede podrías ponlo dilo dime hazlo acórtalo resúmelo tradúcelo""",
    "fr": """bonjour salut merci prix combien coûte coûtent coût quel quelle quels quelles qui comment où quand
        pourquoi est-ce c'est s'il contact équipe projet projets article articles avez faites faire rendez-vous
        réunion parler travail emploi besoin veux voudrais dit réponse plus court simple résume explique traduis
        encore dernier bonsoir aide écrit pouvez peux êtes votre vos quoi était""",
    "de": """hallo danke bitte preis preise kostet kosten wieviel viel wie viele wer was wo wann warum welche welcher
        kontakt ansprechpartner projekt projekte artikel habt seid macht machen termin buchen sprechen arbeit
        arbeitet stellen brauche möchte sagt antwort kürzer einfacher erkläre übersetze nochmal letzte neueste
        guten tag morgen abend hilfe geschrieben könnt kannst euch euer eure gibt tschüss schreibt""",
    "it": """ciao grazie prezzo prezzi quanto costa costano quanti quante quale quali chi come dove quando perché
        contatto squadra progetto progetti articolo articoli avete fate riunione prenotare parlare lavoro lavorate
        bisogno voglio vorrei dice questo risposta breve semplice riassumi spiega traduci ancora ultimo buongiorno
        buonasera aiuto scritto potete puoi siete vostro vostra cosa che""",
    "nl": """hallo hoi bedankt dank prijs prijzen kost kosten hoeveel wie wat waar wanneer waarom welke hoe contact
        team project projecten artikel artikelen hebben jullie doen maken afspraak boeken praten werk werken vacatures
        nodig wil graag zegt antwoord korter eenvoudiger leg uit vertaal nogmaals laatste nieuwste goedemorgen
        goedendag hulp geschreven kunnen kun zijn duurt""",
    "vi": """chào xin cảm ơn giá bao nhiêu ai gì nào đâu khi thế nào tại sao liên hệ đội dự án bài viết các bạn có làm
        hẹn nói chuyện việc cần muốn trả lời ngắn gọn hơn giải thích dịch lại mới nhất buổi sáng giúp viết tôi bạn""",
}  # fmt: skip

_MARKS = {
    "pt": "ãõç", "es": "ñ¿¡", "fr": "çœèêûîùëï", "de": "ßäöü", "it": "ìòùèà", "nl": "ĳ",
    "vi": "ăđơưạảấầẩẫậắằẳẵặẹẻẽềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
}  # fmt: skip

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_ELIDED = re.compile(r"^(?:c|d|j|l|m|n|s|t|qu)['’]")
_ADDRESS = re.compile(r"\S+@\S+|https?://\S+|\b[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b", re.IGNORECASE)


def detect(text: str) -> Language | None:
    """The language of the text, None where it can't be told."""
    words = _words(text)
    if sum(len(word) for word in words) < LEAST_LETTERS:
        return None
    scores = _scores(text, words)
    (best, first), (_, second) = sorted(scores.items(), key=lambda item: -item[1])[:2]
    least = LEAST_SCORE if _is_witnessed(text, words) else LEAST_BY_LETTERS
    return Language(best) if first >= least and first - second >= LEAST_DISTANCE else None


def _is_witnessed(text: str, words: list[str]) -> bool:
    return any(_by_words(words).values()) or any(_by_marks(text.casefold()).values())


def _words(text: str) -> list[str]:
    plain = _ADDRESS.sub(" ", text)
    return [word.casefold().replace("’", "'") for word in _WORD.findall(plain)]


def _scores(text: str, words: list[str]) -> dict[str, float]:
    seen, guessed = _by_words(words), _by_letters(" ".join(_common(text) or words))
    marks = _by_marks(text.casefold())
    return {
        code: guessed.get(code, 0.0) + WORD_WEIGHT * seen[code] + MARK_WEIGHT * marks[code] for code in OURS
    }


def _common(text: str) -> list[str]:
    """The words without the names: a Swedish surname says nothing of the language it stands in."""
    plain = _ADDRESS.sub(" ", text)
    return [word[0].casefold() for word in _WORD.finditer(plain) if word[0].islower() or word.start() == 0]


def _by_words(words: list[str]) -> dict[str, float]:
    """Share of the words that a language owns; a word of several counts for each in part."""
    known = _vocabulary()
    scores = dict.fromkeys(OURS, 0.0)
    for word in words:
        owners = known.get(word) or (("fr",) if _ELIDED.match(word) else ())
        for code in owners:
            scores[code] += 1 / len(owners)
    # A message of names and one small word is still in that word's language.
    return {code: score / max(2.0, len(words) ** 0.7) for code, score in scores.items()}


def _by_marks(text: str) -> dict[str, float]:
    holders = {code: any(char in letters for char in text) for code, letters in _MARKS.items()}
    sharing = sum(holders.values()) or 1
    return {code: holders.get(code, False) / sharing for code in OURS}


def _by_letters(text: str) -> Mapping[str, float]:
    values = _detector().compute_language_confidence_values(text)
    return {value.language.iso_code_639_1.name.lower(): value.value for value in values}


@cache
def _vocabulary() -> Mapping[str, tuple[str, ...]]:
    owners: dict[str, list[str]] = {}
    for code in OURS:
        listed = {*STOP_WORDS[code].split(), *_EVERYDAY[code].split(), *FUNCTION_WORDS.get(code, ())}
        for word in listed:
            owners.setdefault(word, []).append(code)
    return {word: tuple(codes) for word, codes in owners.items()}


@cache
def _detector() -> "LanguageDetector":
    from lingua import Language as Lingua
    from lingua import LanguageDetectorBuilder

    ours = (
        Lingua.ENGLISH,
        Lingua.PORTUGUESE,
        Lingua.SPANISH,
        Lingua.FRENCH,
        Lingua.GERMAN,
        Lingua.ITALIAN,
        Lingua.DUTCH,
        Lingua.VIETNAMESE,
    )
    return LanguageDetectorBuilder.from_languages(*ours).with_low_accuracy_mode().build()
