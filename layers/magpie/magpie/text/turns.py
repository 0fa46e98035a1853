"""
How a sentence can turn a true fact round: by denying it, by up for down, by "yes" to a false question.
"""

import re
from collections.abc import Sequence

from magpie.text.words import ANY_FUNCTION_WORD, after, content_stems, fold, stem

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
            "raise",
            "raises",
            "raised",
            "climbed",
            "subiram",
            "sobe",
            "aumentaram",
            "cresceram",
            "crecieron",
            "subieron",
            "aumentaron",
            "augmente",
            "progressé",
            "grimpé",
            "steigt",
            "stiegen",
            "wuchs",
            "wuchsen",
            "gewachsen",
            "saliti",
            "salito",
            "salite",
            "aumentati",
            "steeg",
            "stegen",
            "stijgt",
            "groeide",
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
            "lowers",
            "lowered",
            "slashed",
            "caíram",
            "desceu",
            "baixou",
            "baixaram",
            "diminuíram",
            "bajaron",
            "cayeron",
            "disminuyeron",
            "chuté",
            "reculé",
            "tombé",
            "sinkt",
            "sanken",
            "fielen",
            "fiel",
            "verringert",
            "scesi",
            "sceso",
            "scese",
            "calato",
            "calati",
            "calate",
            "daalde",
            "daalden",
            "zakte",
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
_OPEN_OR_CLOSED = (
    "open opens opened opening aberto aberta abertos abertas abre abrem abierto abierta abiertos abren ouvert ouverte ouverts ouvre ouvrent geöffnet "
    "offen öffnet öffnen aperto aperta aperti apre aprono geopend",
    "closed closes close closing shut fechado fechada fechados fecha fecham encerrado encerra cerrado cerrada cerrados cierra cierran fermé fermée "
    "fermés ferme ferment geschlossen schließt schließen chiuso chiusa chiusi chiude chiudono gesloten sluit",
)
_ALLOWED_OR_NOT = (
    "allowed allow permitted permitido permitidos permitida admite admiten aceites aceitos autorisé autorisés permis admis erlaubt gestattet zugelassen "
    "consentito consentiti permesso ammessi toegestaan toegelaten welcome willkommen bienvenus",
    "forbidden prohibited banned proibido proibidos proibida prohibido prohibidos interdit interdits interdite verboten untersagt vietato vietati "
    "proibito verboden refused",
)
_FREE_OR_NOT = (
    "free gratis gratuit gratuite gratuito gratuita gratuitos kostenlos kostenfrei umsonst gratuitement complimentary",
    "paid pago bezahlt payant payante kostenpflichtig betaald",
)
_OPPOSITES = tuple(
    (frozenset(map(stem, one.split())), frozenset(map(stem, other.split())))
    for one, other in (
        _ALLOWED_OR_NOT,
        _FREE_OR_NOT,
        ("minimum mínimo mínima minimal", "maximum máximo máxima maximal"),
        ("earliest", "latest"),
        (
            "early earlier sooner cedo temprano früh früher verfrüht vroeg",
            "late later tarde retraso spät später verspätet laat",
        ),
        (
            "included includes including include incluído incluídos inclui incluido incluidos incluye inclus incluse comprises inklusive inbegriffen "
            "incluso inclusi compreso inbegrepen",
            "excluded excludes excluding exclude excluído exclui excluido excluye exclu exklusive ausgeschlossen escluso esclusi exclusief",
        ),
        ("first", "last"),
        ("smallest lowest cheapest", "largest highest dearest"),
        ("youngest newest latest", "oldest"),
        ("shortest fastest", "longest slowest"),
        ("best", "worst"),
        (
            "cheaper cheap barato barata billiger günstiger goedkoper",
            "dearer expensive costlier pricier teurer duurder",
        ),
        ("faster quicker mais-rápido schneller sneller", "slower langsamer langzamer"),
        ("always", "never"),
        ("more mais mehr meer", "less fewer weniger minder"),
        ("high", "low"),
        ("public", "private"),
        ("won", "lost"),
        ("buys bought buy", "sells sold sell"),
        ("lend lends", "borrow borrows"),
        ("starts started begins began", "ends ended"),
        ("arrival arrivals arrive", "departure departures depart"),
        ("north northern norte norden nord", "south southern sul sur süden sud"),
        ("upper top", "lower bottom"),
        ("indoor indoors inside", "outdoor outdoors outside"),
        ("online", "offline"),
        (
            "optional freiwillig opcional",
            "mandatory compulsory obligatory obrigatório obligatorio obligatoire verpflichtend",
        ),
        ("weekdays", "weekends"),
        ("morning mornings", "evening evenings"),
        ("summer verão verano été sommer estate zomer", "winter inverno invierno hiver"),
        ("internal", "external"),
        ("full", "empty"),
    )
)
_CLOSING = (
    frozenset(map(stem, _OPEN_OR_CLOSED[0].split())),
    frozenset(map(stem, _OPEN_OR_CLOSED[1].split())),
)
# What is denied, and what says the same without a negation.
_DENIED_AS = tuple(
    (frozenset(map(stem, denied.split())), frozenset(map(stem, plain.split())))
    for denied, plain in (
        *(
            ((one, other))
            for one, other in (_OPEN_OR_CLOSED, _OPEN_OR_CLOSED[::-1], _ALLOWED_OR_NOT, _ALLOWED_OR_NOT[::-1])
        ),
        (
            "cost costs pay pays charge charged fee fees paid cuesta cuestan paga pagan pagar custa custam pagam coûte paie paient payer kostet kosten "
            "zahlen zahlt bezahlen costa costano pagano kost betalen nothing anything nada rien nichts niente niets",
            _FREE_OR_NOT[0],
        ),
        (_OPEN_OR_CLOSED[1], "clock always daily permanently siempre sempre immer toujours altijd"),
        (
            "included include incluído inclui incluido incluye compris inclus inbegriffen enthalten inclusi inbegrepen",
            "extra excluded exclusive additional separately",
        ),
        (
            "possible available possível posible möglich possibile mogelijk",
            "impossible unavailable impossível imposible unmöglich impossibile onmogelijk",
        ),
        ("need needs required necessary", "unnecessary optional without"),
        ("include includes contain contains", "free without"),
        ("exceed more above longer", "most maximum up"),
    )
)
_BEFORE = frozenset(
    map(fold, ("before", "prior", "antes", "avant", "vor", "bevor", "prima", "voor", "trước"))
)
_AFTER = frozenset(
    map(
        fold,
        (
            "after",
            "following",
            "depois",
            "após",
            "después",
            "tras",
            "après",
            "nach",
            "nachdem",
            "dopo",
            "na",
            "sau",
        ),
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


_FREE = frozenset(_FREE_OR_NOT[0].split()) | {"free", "miễn"}


_NO_IN_OTHER_WORDS = frozenset(
    stem(word)
    for words in (
        _OPEN_OR_CLOSED[1],
        _ALLOWED_OR_NOT[1],
        "excluded except only stopped ended lacks lack without unavailable impossible refuse refuses exclusive",
        "exceto apenas só somente sem excepto sólo solo únicamente seulement uniquement sauf nur außer ausser solo soltanto tranne alleen behalve chỉ trừ",
    )
    for word in words.split()
)


def says_no(text: str) -> bool:
    """Does it deny or bound something without a negating word?"""
    return any(stem(word) in _NO_IN_OTHER_WORDS for word in _WORD.findall(text))


def says_free(text: str) -> bool:
    """Does it say that something costs nothing?"""
    return any(word.casefold() in _FREE for word in _WORD.findall(text))


def turns_direction(said: str, known: str, *, timed: bool = False, same_language: bool = True) -> bool:
    """
    Up for down, cheaper for dearer, a minimum for a maximum: only one side has it, and only the other way.

    `timed`: there is a time of day, so that opening and closing are two ends of one thing.
    """
    words, have = _folded(said), _folded(known)
    if (words & _UP and have & _DOWN and not (words & _DOWN or have & _UP)) or (
        words & _DOWN and have & _UP and not (words & _UP or have & _DOWN)
    ):
        return True
    if _turns_before(said, known):
        return True
    stems, known_stems = frozenset(map(stem, words)), frozenset(map(stem, have))
    if not timed and _swapped(stems, known_stems, *_CLOSING):
        return True
    return any(_swapped(stems, known_stems, one, other) for one, other in _OPPOSITES) or (
        same_language and _is_undone(stems, known_stems)
    )


def _folded(text: str) -> frozenset[str]:
    return frozenset(fold(word) for word in _WORD.findall(text))


def _swapped(said: frozenset[str], known: frozenset[str], one: frozenset[str], other: frozenset[str]) -> bool:
    here = (bool(said & one), bool(said & other))
    there = (bool(known & one), bool(known & other))
    return (here, there) in (((True, False), (False, True)), ((False, True), (True, False)))


def _is_undone(said: frozenset[str], known: frozenset[str]) -> bool:
    """ "Unlimited" for "limited", "refundable" for "non-refundable"."""
    return any(
        f"{prefix}{word}" in other and word not in other and f"{prefix}{word}" not in one
        for one, other in ((said, known), (known, said))
        for word in one
        if len(word) > 4
        for prefix in ("un", "in", "im", "dis", "ir")
    )


def _turns_before(said: str, known: str) -> bool:
    """Before and after, of the same: "45 minutes after closing" for "before closing"; not where the two change places."""
    words, have = _words(said), _words(known)
    for ours, theirs in ((_BEFORE, _AFTER), (_AFTER, _BEFORE)):
        if set(words) & ours and set(have) & theirs and not (set(words) & theirs or set(have) & ours):
            return bool(_following(words, ours) & _following(have, theirs))
    return False


def _words(text: str) -> list[str]:
    return [fold(word) for word in re.findall(r"\w+", text)]


def _following(words: list[str], markers: frozenset[str]) -> frozenset[str]:
    """What comes right after the first marker: stems of two words that carry meaning, or numbers."""
    place = next(index for index, word in enumerate(words) if word in markers)
    carrying = [
        word if word[0].isdigit() else stem(word) for word in words[place + 1 : place + 5] if _tells(word)
    ]
    return frozenset(carrying[:2])


def _tells(word: str) -> bool:
    return word[0].isdigit() or (len(word) > 2 and word not in ANY_FUNCTION_WORD)


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
        return not all(_is_said_plainly(said, offset, text) for offset in negations)
    if not denied or not same_language:
        return False
    if not negations:
        return any(_is_asserted(said, text, offset) for offset in denied)
    theirs = frozenset(word for offset in denied for word in after(text, offset, 3))
    ours = [after(said, offset, 3) for offset in negations]
    return any(words and not words & theirs and words & content_stems(text) for words in ours) and len(
        negations
    ) >= len(denied)


def _is_said_plainly(said: str, offset: int, text: str) -> bool:
    """ "Does not open" is "is closed", "costs nothing" is "free"."""
    around = after(said, offset, 2) | frozenset(map(stem, _WORD.findall(said[:offset])[-2:]))
    known = frozenset(map(stem, _WORD.findall(text)))
    return any(around & denied and known & plain and not known & denied for denied, plain in _DENIED_AS)


def _is_asserted(said: str, text: str, offset: int) -> bool:
    """Does the sentence say what this negation of the evidence denies?"""
    stems = content_stems(said)
    denied = after(text, offset, 3)
    if denied and len(stems & denied) >= min(2, len(denied)):
        return True
    first = after(text, offset, 1) or frozenset(map(stem, _WORD.findall(text[:offset])[-3:-1]))
    return bool(stems) and bool(first & stems) and len(stems & content_stems(text)) >= _SAME * len(stems)


_SAME = 0.75
