"""
The voice that answers speak in: the company is "we", and the assistant goes by its own name.

`as_team` turns the company's name as a subject into "we" with the verb that goes with it, in English, Portuguese,
Spanish, French, German, Italian and Dutch; where it does not know the verb it leaves the sentence alone.
`claims_generic` finds sentences in which the assistant takes itself for somebody's language model.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

_IRREGULAR = {
    "is": "are",
    "was": "were",
    "has": "have",
    "does": "do",
    "goes": "go",
    "isn't": "aren't",
    "isn’t": "aren’t",
    "wasn't": "weren't",
    "hasn't": "haven't",
    "doesn't": "don't",
    "doesn’t": "don’t",
}
_UNCHANGED = frozenset(
    [
        "can",
        "could",
        "will",
        "would",
        "may",
        "might",
        "must",
        "should",
        "did",
        "had",
        "also",
        "never",
        "always",
        "only",
        "now",
        "currently",
    ]
)
_ENGLISH_VERB = re.compile(r"[a-z]{2,}s")
# Nouns and adverbs that end like a verb of the third person.
_NO_VERB = frozenset(
    [
        "its",
        "this",
        "as",
        "us",
        "always",
        "perhaps",
        "towards",
        "besides",
        "services",
        "products",
        "prices",
        "projects",
        "clients",
        "pages",
        "offices",
        "people's",
    ]
)

_VERBS = {
    "pt": "é:somos está:estamos tem:temos foi:fomos oferece:oferecemos trabalha:trabalhamos desenvolve:desenvolvemos faz:fazemos cria:criamos "
    "constrói:construímos cobra:cobramos usa:usamos ajuda:ajudamos pode:podemos entrega:entregamos fica:ficamos começou:começamos",
    "es": "es:somos está:estamos tiene:tenemos fue:fuimos ofrece:ofrecemos trabaja:trabajamos desarrolla:desarrollamos hace:hacemos crea:creamos "
    "construye:construimos cobra:cobramos usa:usamos ayuda:ayudamos puede:podemos entrega:entregamos empezó:empezamos",
    "fr": "est:sommes a:avons propose:proposons travaille:travaillons développe:développons fait:faisons crée:créons construit:construisons "
    "facture:facturons utilise:utilisons aide:aidons peut:pouvons livre:livrons offre:offrons",
    "de": "ist:sind war:waren hat:haben bietet:bieten arbeitet:arbeiten entwickelt:entwickeln macht:machen baut:bauen berechnet:berechnen "
    "nutzt:nutzen verwendet:verwenden hilft:helfen kann:können liefert:liefern wurde:wurden",
    "it": "è:siamo ha:abbiamo offre:offriamo lavora:lavoriamo sviluppa:sviluppiamo fa:facciamo crea:creiamo costruisce:costruiamo usa:usiamo "
    "aiuta:aiutiamo può:possiamo consegna:consegniamo",
    "nl": "is:zijn was:waren heeft:hebben biedt:bieden werkt:werken ontwikkelt:ontwikkelen maakt:maken bouwt:bouwen rekent:rekenen gebruikt:gebruiken "
    "helpt:helpen kan:kunnen levert:leveren",
}
VERBS = {code: dict(pair.split(":") for pair in text.split()) for code, text in _VERBS.items()}
_WE = {"en": "we", "pt": "nós", "es": "nosotros", "fr": "nous", "de": "wir", "it": "noi", "nl": "wij"}
_ARTICLE = {
    "en": r"(?:the )?",
    "pt": r"(?:(?:a|o) )?",
    "es": r"(?:(?:la|el) )?",
    "fr": r"(?:(?:la|le) |l['’])?",
    "de": r"(?:(?:die|das|der) )?",
    "it": r"(?:(?:la|il|lo) |l['’])?",
    "nl": r"(?:(?:de|het) )?",
}

_MODEL = (
    r"(?:an?|um|uma|un|una|une|eine?n?|een|một)?\s?(?:(?:large|grande|großes|groot|lớn|virtual|virtuelle[rs]?|trained|advanced)\s)?"
    r"(?:(?:large\s)?language model|llm\b|ai (?:assistant|model|language model|chatbot)|artificial intelligence|chat\s?bot|"
    r"modelo (?:de )?(?:lingu(?:agem|ístico)|lenguaje)|(?:grande )?modelo de (?:linguagem|lenguaje)|assistente (?:de )?(?:ia|ai|inteligência artificial)|"
    r"asistente (?:de )?(?:ia|inteligencia artificial)|inteligência artificial|inteligencia artificial|"
    r"modèle de langage|assistant (?:d['’])?(?:ia|intelligence artificielle)|intelligence artificielle|"
    r"(?:ki|ai)[- ](?:sprachmodell|assistent|modell|chatbot)|sprachmodell|künstliche intelligenz|"
    r"modello linguistico|modello di linguaggio|assistente (?:di )?(?:ia|ai|intelligenza artificiale)|intelligenza artificiale|"
    r"taalmodel|ai-(?:assistent|model)|kunstmatige intelligentie|mô hình ngôn ngữ|trợ lý (?:ai|trí tuệ nhân tạo)|trí tuệ nhân tạo)"
)
_I_AM = (
    r"(?:i\s?['’]?\s?a?m|i am|as|being|speaking as|eu sou|sou|como|enquanto|yo soy|soy|je suis|en tant qu['’e]\s?|ich bin|als|io sono|sono|in quanto|ik ben|"
    r"tôi là|là)"
)
_GENERIC = re.compile(
    rf"(?<!\w){_I_AM}\s?(?:just |only |simply |merely |apenas |solo |seulement |nur |soltanto |slechts |chỉ )?{_MODEL}",
    re.IGNORECASE,
)
_BRANDS = re.compile(
    r"(?<!\w)(?:i\s?['’]?\s?a?m|my name is|you can call me|eu sou|sou|me chamo|yo soy|soy|me llamo|je suis|je m['’]appelle|ich bin|ich heiße|io sono|sono|mi chiamo|ik ben|"
    r"ik heet|tôi là)\s(?:o |a |der |die |le |la |el )?(?:chatgpt|gpt(?:-?\d\w*)?|openai|claude|gemini|bard|copilot|llama|mistral|deepseek|qwen|grok)(?!\w)"
    r"|(?<!\w)(?:i|i['’]m|i['’]ve|me|eu|fui|sou|yo|soy|je|j['’]ai|ich|io|sono|ik|tôi)(?!\w)[^.!?\n]{0,60}?(?<!\w)(?:made|created|developed|trained|built|powered|criado|treinado|desenvolvido|creado|entrenado|desarrollado|créé|entraîné|développé|entwickelt|trainiert|"
    r"creato|addestrato|sviluppato|gemaakt|ontwikkeld|getraind|tạo ra|phát triển|huấn luyện)\s(?:by|pela|pelo|por|par|von|da|door|bởi)\s"
    r"(?:openai|anthropic|google|meta|microsoft|mistral|deepseek|alibaba|xai)(?!\w)"
    r"|(?<!\w)(?:ich|ik)(?!\w)[^.!?\n]{0,40}?(?:von|door)\s(?:openai|anthropic|google|meta|microsoft|mistral|deepseek|alibaba|xai)"
    r"\s(?:entwickelt|trainiert|gemacht|erstellt|gemaakt|ontwikkeld|getraind)(?!\w)",
    re.IGNORECASE,
)

_IDENTITY = {
    "en": "I am {name}, the assistant of this site.",
    "pt": "Eu sou {name}, o assistente deste site.",
    "es": "Soy {name}, el asistente de este sitio.",
    "fr": "Je suis {name}, l’assistant de ce site.",
    "de": "Ich bin {name}, der Assistent dieser Website.",
    "it": "Sono {name}, l’assistente di questo sito.",
    "nl": "Ik ben {name}, de assistent van deze site.",
    "vi": "Tôi là {name}, trợ lý của trang này.",
}


def claims_generic(text: str) -> bool:
    """Does the assistant call itself a language model, or somebody's product?"""
    return bool(_GENERIC.search(text) or _BRANDS.search(text))


def identity(name: str, language: str) -> str:
    """What the assistant says of itself instead."""
    return _IDENTITY.get(language, _IDENTITY["en"]).format(name=name)


def as_team(text: str, names: Sequence[str], language: str) -> str:
    """The company as "we", where it is the subject of a known verb or the owner of something."""
    if language not in _WE or not any(name.casefold() in text.casefold() for name in names):
        return text
    text = _subject(tuple(names), language).sub(lambda match: _we(match, language), text)
    return _owner(tuple(names)).sub(_our, text) if language == "en" else text


@lru_cache(maxsize=64)
def _subject(names: tuple[str, ...], language: str) -> re.Pattern[str]:
    longest_first = "|".join(
        re.escape(name.removeprefix("the ")) for name in sorted(names, key=len, reverse=True) if name
    )
    start = r"(?P<before>^[\s>*-]{0,8}|[.!?:;]\s{1,4}|,\s|(?<!\w)(?:and|but|that|because|since|e|y|et|und|en|que|dass)\s)"
    return re.compile(
        rf"{start}{_ARTICLE[language]}(?:{longest_first})\s(?P<verb>[^\W\d_]+(?:n['’]t)?)(?!\w)",
        re.IGNORECASE,
    )


@lru_cache(maxsize=64)
def _owner(names: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = "|".join(
        re.escape(name.removeprefix("the ")) for name in sorted(names, key=len, reverse=True) if name
    )
    return re.compile(
        rf"(?P<article>(?<!\w)the )?(?<!\w)(?:{longest_first})['’]s?\s(?=[^\W\d_])", re.IGNORECASE
    )


def _we(match: re.Match[str], language: str) -> str:
    verb = _plural(match["verb"], language)
    if verb is None:
        return match[0]
    before = match["before"]
    begins = not before.strip(" \t\n>*-") or before.strip()[-1:] in ".!?:"
    we = _WE[language]
    return f"{before}{we.capitalize() if begins else we} {verb}"


def _plural(verb: str, language: str) -> str | None:
    """The verb after "we"; None where it may be no verb."""
    if language != "en":
        return VERBS[language].get(verb.casefold())
    word = verb.casefold()
    if word in _IRREGULAR or word in _UNCHANGED:
        return _IRREGULAR.get(word, word)
    if verb != word or word in _NO_VERB or not _ENGLISH_VERB.fullmatch(word) or word.endswith("ss"):
        return word if verb == word and word.endswith("ed") else None
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("ches", "shes", "sses", "xes", "zzes")) else word[:-1]


def _our(match: re.Match[str]) -> str:
    before = match.string[: match.start()].strip(" \t\n>*-")
    return "Our " if not before or before[-1] in ".!?" else "our "


__all__ = ["as_team", "claims_generic", "identity"]
