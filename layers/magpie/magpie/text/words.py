"""
Words by language: function words, negators, bounds; folding, stems, and a guess at the language.

Languages: en, pt, es, fr, de, it, nl, vi. Lists are small on purpose: they decide whether a word can be
passed over, never what a sentence means.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

LANGUAGES = ("en", "pt", "es", "fr", "de", "it", "nl", "vi")
WORD = re.compile(r"[^\W\d_]+")
INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\ufff0-\ufffb\U000e0000-\U000e0fff\x00-\x08\x0b-\x1f\x7f-\x9f]"
)

_FUNCTION = {
    "en": """a an the this that these those and or but nor so yet if then than as at by for from in into of off on onto
        out over to up with within without about after before between during through under until upon via per it its
        is are was were be been being am do does did done have has had having will would shall should can could may
        might must not no yes we our ours us you your yours he she they him her his hers their them theirs i me my who
        whom whose which what when where why how here there also both each every all any some most more less few many
        much other another such only just even still too very well again once since while because though although
        however therefore thus currently usually often always never sometimes please""",
    "pt": """a o as os um uma uns umas e ou mas nem se que de do da dos das em no na nos nas por pelo pela pelos pelas
        para com sem sob sobre entre até desde após ao aos à às é são foi foram era eram ser estar está estão tem têm
        ter teve há não sim nós nosso nossa nossos nossas eu você vocês seu sua seus suas ele ela eles elas isso isto
        este esta estes estas esse essa aquele aquela quem qual quais quando onde como porque também cada todo toda
        todos todas mais menos muito muita só apenas ainda já sempre nunca aqui lá pode podem custa dura""",
    "es": """el la los las un una unos unas y e o u pero ni si que de del en por para con sin bajo sobre entre hasta
        desde tras al a es son fue fueron era eran ser estar está están tiene tienen tener tuvo hay no sí nosotros
        nuestro nuestra nuestros nuestras yo usted ustedes su sus él ella ellos ellas esto eso este esta estos estas
        ese esa quien cual cuales cuando donde cómo como porque también cada todo toda todos todas más menos muy solo
        sólo aún ya siempre nunca aquí allí puede pueden cuesta dura se lo le nos""",
    "fr": """le la les l un une des du de d et ou mais ni si que qu qui dont où à au aux en dans par pour avec sans sous
        sur entre depuis après avant chez est sont était étaient être été a ont avait avoir eu il y elle ils elles nous
        notre nos je j vous votre vos son sa ses leur leurs ce cet cette ces c se s ne n pas plus moins très aussi chaque
        tout toute tous toutes quel quelle quand comment pourquoi ici là peut peuvent coûte dure on oui non""",
    "de": """der die das den dem des ein eine einen einem einer eines und oder aber noch wenn als dass ob wie an auf aus
        bei bis durch für gegen in im ins am zum zur mit nach ohne seit über um unter von vom vor zu zwischen während
        ist sind war waren sein bin hat haben hatte hatten wird werden wurde wurden kann können soll sollte muss müssen
        darf nicht kein keine keinen ja nein wir unser unsere unserem unseren unserer uns ich sie ihr ihre ihren ihrem
        ihrer ihnen er es ihm ihn man sich dieser diese dieses diesen diesem jeder jede jedes alle was wer wo wann warum
        hier dort auch nur noch schon sehr mehr weniger immer nie damit dabei dazu darüber davon dafür laut dauert
        kostet beträgt pro je""",
    "it": """il lo la i gli le l un uno una dei degli delle del dello della e ed o ma né se che di d da in a ad al allo
        alla ai agli alle nel nella nei nelle con senza su sul sulla tra fra per dal dalla dopo prima è sono era erano
        essere stato ha hanno aveva avere c ci si non sì noi nostro nostra nostri nostre io lei voi loro suo sua suoi
        sue questo questa questi queste quello quella chi cui quale quali quando dove come perché anche ogni tutto tutta
        tutti tutte più meno molto solo ancora già sempre mai qui può possono costa dura""",
    "nl": """de het een en of maar noch als dan dat die dit deze aan achter bij binnen door in met na naar om onder op
        over per sinds te tegen tot tussen uit van vanaf voor zonder is zijn was waren ben heeft hebben had hadden wordt
        worden werd werden kan kunnen moet moeten mag zal zullen niet geen ja nee wij we ons onze ik u uw jij je jouw
        hij zij ze hun haar hem er wie wat waar wanneer hoe waarom hier daar ook elk elke alle meer minder zeer alleen
        nog al altijd nooit volgens kost duurt""",
    "vi": """và hoặc nhưng nếu thì là của cho với từ đến tại trong ngoài trên dưới về theo bởi vì nên mà các những một
        này đó kia ấy tôi chúng ta chúng_tôi bạn anh chị ông bà họ nó có không chưa được bị đã đang sẽ cũng rất hơn nhất
        khi ở ra vào lên xuống ai gì nào đâu sao như mỗi mọi tất cả chỉ vẫn còn luôn""",
}
FUNCTION_WORDS: dict[str, frozenset[str]] = {
    code: frozenset(text.split()) for code, text in _FUNCTION.items()
}
ANY_FUNCTION_WORD = frozenset().union(*FUNCTION_WORDS.values())

NEGATORS = frozenset(
    [
        "not",
        "never",
        "no",
        "none",
        "nobody",
        "nothing",
        "neither",
        "nor",
        "cannot",
        "without",
        "hardly",
        "longer",
        "não",
        "nunca",
        "jamais",
        "sem",
        "nenhum",
        "nenhuma",
        "nada",
        "ninguém",
        "nem",
        "sin",
        "ningún",
        "ninguna",
        "ninguno",
        "nadie",
        "tampoco",
        "ni",
        "pas",
        "aucun",
        "aucune",
        "rien",
        "sans",
        "nicht",
        "kein",
        "keine",
        "keinen",
        "keinem",
        "keiner",
        "keines",
        "nie",
        "niemals",
        "ohne",
        "niemand",
        "nichts",
        "weder",
        "non",
        "mai",
        "senza",
        "nessun",
        "nessuno",
        "nessuna",
        "niente",
        "né",
        "niet",
        "geen",
        "nooit",
        "zonder",
        "niemand",
        "niets",
        "không",
        "chưa",
        "chẳng",
        "đừng",
    ]
)
NEGATING_PARTS = ("ไม่", "ไม่ได้", "不", "没", "沒", "未", "ない", "ません", "なかった")
_CONTRACTED = re.compile(r"n['’]t\b", re.IGNORECASE)
# A word that negates only in its own language, and means something else in another.
_OWN_NEGATORS = {
    "no": ("en", "es"),
    "mai": ("it",),
    "non": ("it", "fr"),
    "nada": ("pt", "es"),
    "ni": ("es", "fr"),
    "pas": ("fr",),
    "sin": ("es",),
    "nie": ("de",),
    "nem": ("pt",),
    "sem": ("pt",),
    "longer": ("en",),
    "sans": ("fr",),
    "rien": ("fr",),
    "nor": ("en",),
    "né": ("it",),
}
_NO_NEGATION = re.compile(
    r"\bno\.\s*\d|\bno (?:more|fewer|less|later|earlier|longer|further|farther|higher|larger|bigger|lower|sooner|over) than\b|\bno over\b"
    r"|\b(?:never|not|cannot) (?:(?:be )?(?:over|above|under|below|more than|less than|before)|exceed(?:s|ing)?)\b|\bn['’]t exceed\b|\bnão (?:ultrapassa|excede)\w*"
    r"|\bno (?:supera|excede|sobrepasa)\w*|\bne dépasse\w* (?:pas|jamais)\b|\b(?:nie|nicht) überschreit\w+|\bnon supera\w*|\bkhông (?:quá|vượt quá)"
    r"|\bnicht weniger als\b|\bno menos de\b|\bpas moins de\b|\bnon meno di\b|\bniet minder dan\b|\bnão menos (?:de|do que)\b|\bnicht mehr als\b|\bnão mais (?:de|que|do)\b|\bno más de\b|\bpas plus de\b|\bnon più di\b|\bniet meer dan\b|\bno-code\b|\bnot only\b|\bnon-?profit|\bno matter\b|\bnão só\b|\bno solo\b|\bnicht nur\b"
    r"|\bnon solo\b|\bniet alleen\b|\bnot just\b|\bnothing but\b|\bno doubt\b|\bwhy not\b|\bpas seulement\b|\bkhông chỉ\b",
    re.IGNORECASE,
)

_NOTHING_SAID = re.compile(
    r"\b(?:(?:do|does|did|is|are|was|has|have|can)(?:\s+not|n['’]t)|cannot|not|no)\b[^.;]{0,30}?\b(?:say|state|mention|mentioned|"
    r"know|information|details|confirm|confirmed|find|found|list|listed|tell|specify|specified|published|stated)\b"
    r"|\b(?:say|says|tell|tells|mention|mentions|find|found)\s+nothing\b"
    r"|\bnão\b[^.;]{0,30}?\b(?:diz|dizem|menciona|mencionam|sei|informação|informações|encontrei|confirmar|indica|indicam|especifica)\b"
    r"|\bno\b[^.;]{0,30}?\b(?:dice|dicen|menciona|mencionan|sé|información|encontré|confirmar|indica|indican|especifica)\b"
    r"|\b(?:ne|n['’])[^.;]{0,30}?\b(?:dit|disent|mentionne|mentionnent|sais|information|informations|confirmer|précise|précisent|trouve)\b"
    r"|\b(?:nicht|keine?n?)\b[^.;]{0,40}?\b(?:genannt|erwähnt|angegeben|bekannt|bestätigen|informationen|angaben|gefunden)\b"
    r"|\b(?:sagen|nennen|erwähnen|nennt|erwähnt|weiß)\b[^.;]{0,20}?\bnicht\b"
    r"|\bnon\b[^.;]{0,30}?\b(?:dice|dicono|menziona|menzionano|so|informazioni|confermare|indica|indicano|specifica)\b"
    r"|\b(?:niet|geen)\b[^.;]{0,40}?\b(?:genoemd|vermeld|bekend|bevestigen|informatie|gevonden|zeggen)\b"
    r"|\bkhông\b[^.;]{0,30}?(?:nói|đề cập|biết|thông tin|xác nhận|tìm thấy)",
    re.IGNORECASE,
)


@lru_cache(maxsize=20_000)
def fold(word: str) -> str:
    """Case and accents away: `São` and `sao` are one. Letters of other scripts stay."""
    if word.isascii():
        return word.lower()
    plain = word.casefold().replace("đ", "d").replace("ø", "o").replace("ł", "l")
    return "".join(char for char in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(char))


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A rough, language-blind stem: enough to see that two words of one language belong together."""
    plain = fold(word)
    if len(plain) <= 4:
        return plain[:-1] if len(plain) == 4 and plain.endswith("s") else plain
    for ending in (
        "ations",
        "ation",
        "mente",
        "ments",
        "ment",
        "ings",
        "ing",
        "ies",
        "ied",
        "ers",
        "er",
        "ed",
        "es",
        "en",
        "s",
        "e",
        "a",
        "o",
        "y",
    ):
        if plain.endswith(ending) and len(plain) - len(ending) >= 4:
            return plain[: -len(ending)]
    return plain


def content_stems(text: str) -> frozenset[str]:
    """The stems of the words that carry meaning."""
    return frozenset(stem(word) for word in WORD.findall(text) if _carries(word))


def _carries(word: str) -> bool:
    return len(word) > 2 and word.casefold() not in ANY_FUNCTION_WORD


_GENERIC = """cost costs price prices pay pays paid charge charged take takes last lasts get gets need needs offer offers
    one each about total custa custam preço preços pagar paga pagam fica ficam dura demora cobra valor vale cuesta cuestan
    precio pagan tarda coûte coûtent prix payer payent paie coûter prend kostet kosten preis zahlen zahlt bezahlen dauert
    beträgt costa costano prezzo pagano durata kost prijs betalen betaalt duurt giá trả mất kéo dài"""
GENERIC_STEMS = frozenset(map(stem, _GENERIC.split()))
"""Stems of words that go with any price or duration, and so tell nothing of whose it is."""


def guess_language(text: str, otherwise: str = "en") -> str:
    """The language whose function words are most often there; `otherwise` in doubt."""
    words = [word.casefold() for word in WORD.findall(text)]
    scores = {code: sum(word in known for word in words) for code, known in FUNCTION_WORDS.items()}
    best = max(scores.values(), default=0)
    if best < 2 or scores.get(otherwise, 0) == best:
        return otherwise
    return max(scores, key=lambda code: scores[code])


def negators(text: str, language: str) -> tuple[int, ...]:
    """Where the text denies something: offsets just after each negating word."""
    hidden = _NO_NEGATION.sub(lambda match: "_" * len(match[0]), text)
    found = [match.end() for match in _CONTRACTED.finditer(hidden)]
    found += [match.end() for match in WORD.finditer(hidden) if _negates(match[0].casefold(), language)]
    found += [hidden.find(part) + len(part) for part in NEGATING_PARTS if part in hidden]
    return tuple(sorted(found))


def _negates(word: str, language: str) -> bool:
    return word in NEGATORS and language in _OWN_NEGATORS.get(word, (language,))


def says_nothing(text: str) -> bool:
    """Is it a sentence about what the pages leave unsaid? It asserts nothing of the world."""
    return bool(_NOTHING_SAID.search(text))


def visible(text: str) -> str:
    """The text without characters that nobody sees and that could hide a fact."""
    return INVISIBLE.sub("", text)


def after(text: str, offset: int, count: int = 2) -> frozenset[str]:
    """The stems of the next words that carry meaning."""
    return frozenset(list(_stems_from(text, offset))[:count])


def _stems_from(text: str, offset: int) -> Iterable[str]:
    return (stem(word) for word in WORD.findall(text, offset) if _carries(word))
