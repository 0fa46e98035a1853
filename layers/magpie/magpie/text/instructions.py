"""
Sentences that speak to an assistant instead of to a reader: orders hidden in pages, orders in a visitor's message.

Known by their shape in eight languages: chat markup, orders to forget instructions, orders about the form of the
reply, notes for an assistant, words put into its mouth. Admits: an order of no such shape ("Write a script that
renames files") looks like any other imperative of a page.
"""

import re
import unicodedata
from functools import lru_cache

from magpie.text.obfuscation import view
from magpie.text.sentences import split
from magpie.text.shapes import Shape
from magpie.text.words import visible

_MARKUP = Shape(
    r"<\|?/?(?:im_start|im_end|system|assistant|endoftext|user)\b[^>\n]{0,40}>|\[/?INST\]|<</?SYS>>"
    r"|(?:^|(?<=[.!?] ))[\s#>*\"'-]{0,8}(?:system|assistant)(?: (?:message|prompt|note|instructions?))?\s?:"
    r"|(?:^|(?<=[.!?] ))(?:user|human|visitor)\s?:(?=[^\n]{0,400}\bassistant\s?:)|\[//\]: ?#|(?<!#)#{2,}\s?(?:system|instructions?)\b",
    re.IGNORECASE | re.MULTILINE,
)

_TURNS = Shape(
    r"<\|im_start\|>(?:(?!<\|im_end\|>)[\s\S]){0,4000}(?:<\|im_end\|>|$)|\[INST\](?:(?!\[/INST\])[\s\S]){0,4000}\[/INST\]",
    re.IGNORECASE,
)
"""Whole turns of a chat, over paragraphs too."""

_FORGET = (
    r"ignor\w*|disregard\w*|forget\w*|overrid\w+|bypass\w*|esque[cç]\w*|desconsider\w*|desprez\w*|olvid\w*|descart\w*"
    r"|oubli\w*|vergiss\w*|vergesst|missacht\w*|dimentica\w*|vergeet|negeer|bo qua|quen"
)
_INSTRUCTIONS = (
    r"instructions?|instruc\w+|rules?|prompts?|guidelines?|guardrails?|directions|restrictions|regras|orient\w+"
    r"|reglas|indicac\w+|consignes|regles|anweisung\w*|regeln|vorgaben|istruzioni|regole|instructies|regels"
    r"|huong dan|chi dan|quy tac|above|system message"
)
_OVERRIDE = Shape(
    rf"(?<!we )(?<!they )(?<!not )(?<!n't )\b(?:{_FORGET})\b[^.!?\n]{{0,50}}\b(?:{_INSTRUCTIONS})\b",
    re.IGNORECASE,
)

_SAY = (
    r"add|append|include|insert|integrate|provide|write|give|use|replace|begin|start|end|finish|print|repeat|output|put"
    r"|respond|reply|answer|acrescent\w+|inclu[ai]\w*|escrev\w+|respond[ae]\w*|repet\w+|agreg\w+|anad\w+|escrib\w+"
    r"|ajout\w+|repond\w*|ecri\w+|fuge|schreib\w*|antworte\w*|wiederhol\w*|aggiung\w+|scriv\w+|rispond\w+|voeg|schrijf|antwoord"
    r"|herhaal|tra loi|viet|lap lai|them"
)
_REPLY = (
    r"(?:your|tua|sua|tu|su|votre|ta|deine[rn]?|ihre[rn]?|la tua|la sua|je|uw) (?:next |own |final )?"
    r"(?:reply|response|answer|output|resposta|respuesta|reponse|antwort|risposta|antwoord)|(?:the|each|every) (?:reply|response|output)|cau tra loi"
)
_ABOUT_REPLY = Shape(
    rf"(?:^[^!?\n]{{0,25}}|, )\b(?:{_SAY})\b[^!?\n]{{0,120}}\b(?:{_REPLY})\b(?! (?:to|by|within|before|from) )",
    re.IGNORECASE | re.MULTILINE,
)

_ASSISTANT = (
    r"(?:ai(?: |-)?(?:assistants?|models?|systems?|agents?)?|assistants?|chat\s?bots?|bots?|llms?|language models?|gpt|asistente\w*|assistente\w*"
    r"|assistent\w*|modelo de linguagem|modelo de lenguaje|modele de langage|sprachmodell\w*|ki|ia|modello linguistico|taalmodel|tro ly)"
)
_NOTE = r"notes?|notas?|nota bene|message|mensagem|mensaje|hinweis|nachricht|anweisung|instru\w+|avviso|bericht|ghi chu|luu y|remarque|attention|atencao|atencion"
_FOR = r"to|for|para|al?|ao|pour|a l'|fur|an|per|voor|aan|cho"
_ADDRESSED = Shape(
    rf"\b(?:{_NOTE})\b[^.!?\n]{{0,15}}\b(?:{_FOR})\b[^.!?\n]{{0,12}}?\b{_ASSISTANT}\b"
    rf"|^[\s\"'(\[*-]{{0,6}}(?:dear |hey |hi |ola |hola |hallo |ciao )?{_ASSISTANT}\s?[,:!](?=\s)"
    rf"|\b(?:the|an|any|every|o|a|el|l'|la|le|der|die|il|de|het)\s?{_ASSISTANT}\b[^.!?\n]{{0,30}}"
    r"\b(?:must|shall|has to|have to|is (?:now )?(?:ordered|required|instructed) to|deve|debe|tiene que|doit|muss|moet|phai)\b",
    re.IGNORECASE | re.MULTILINE,
)

_MOUTH = Shape(
    r"(?:when|if|whenever) (?:you are |you're |someone |anyone |a user |a visitor |the user |the visitor )?ask(?:ed|s)\b[^.!?\n]{0,80},"
    r" ?(?:always |just |only )?(?:say|claim|reply|respond|answer|tell|state|pretend)\b"
    r"|\byou (?:must|shall|are to|will now|have to now) (?:now |only |always |first )?"
    r"(?:say|print|reply|respond|answer|act|pretend|repeat|output|reveal|obey|comply|behave)\b"
    r"|\byou are (?:now|no longer) an? |\bpretend (?:that )?(?:to be|you(?: are|'re)?)\b"
    r"|\bfrom now on,? (?:you (?:are|will|must)|answer|reply|respond|act)\b|(?<!.)act as (?:if|though|an?)\b"
    r"|\b(?:do not|don't|never) (?:tell|inform|warn|respond to|reveal (?:this )?to) (?:the )?(?:user|visitor)s?\b"
    r"|\b(?:system prompt|initial (?:prompt|instructions)|your (?:hidden |secret |internal |original )(?:prompt|instructions|rules))\b"
    r"|\b(?:print|reply with|respond with|answer with|output|repeat)(?: only| exactly| just)?(?: the (?:word|words|phrase|text|code))? ?[:\"“']"
    r"|\b(?:print|reply|respond|answer|output) (?:only|exactly)\b"
    r"|\b(?:diga|responda|responde|di|dis|reponds|sag|sage|antworte|di'|rispondi|zeg|antwoord|noi|tra loi)\b"
    r"(?: \w+){0,2}? (?:apenas|somente|so|solo|unicamente|solamente|seulement|uniquement|nur|soltanto|alleen|chi|duy nhat)\b"
    r"|\bchi (?:tra loi|noi)\b|\bgia vo\b|\bbay gio ban la\b"
    r"|\b(?:agora (?:voce|tu) (?:e|es)|ahora eres|tu es maintenant|du bist (?:jetzt|nun)|ora sei|je bent nu)\b"
    r"|\b(?:finge|fais semblant|tu so als|fingi|doe alsof)\b"
)
"""Tried at the words that it can begin with, not at each letter."""
_MOUTH_BEGINS = frozenset(
    """when if whenever you pretend from act do don never system initial your print reply respond answer output repeat
    diga responda responde di dis reponds sag sage antworte rispondi zeg antwoord noi tra chi gia bay agora ahora tu du
    ora je finge fais fingi doe""".split()  # noqa: SIM905 - a list of seventy words reads better so
)
_WORD = re.compile(r"[^\W_]+")
# A pattern is tried where one of these stands in the text: looking for them costs a tenth of trying it.
_FORGET_HINTS = (
    *(
        "ignor",
        "disregard",
        "forget",
        "overrid",
        "bypass",
        "esque",
        "desconsider",
        "desprez",
        "olvid",
        "descart",
    ),
    *("oubli", "vergess", "vergiss", "missacht", "dimentica", "vergeet", "negeer", "bo qua", "quen"),
)
_REPLY_HINTS = (
    *("reply", "response", "answer", "output", "resposta", "respuesta", "reponse", "antwort", "risposta"),
    *("antwoord", "tra loi"),
)
_ASSISTANT_HINTS = (
    *("assist", "asist", "bot", "llm", "gpt", "model", "tro ly", "modelo", " ai ", " ai,", " ai:", "ai-"),
    *(" ia ", " ia,", " ia:", " ki ", " ki,", " ki:", "ki-"),
)
_MARKUP_HINTS = ("im_", "inst", "sys", "assistant", "endoftext", "[//]", "<|", "<user")
_OF_VISITORS = re.compile(
    r"\b(?:repeat|print|show|reveal|output|encode|display|translate|write|give|tell|say|summari[sz]e|paste|dump|leak)\b[^.!?\n]{0,60}"
    r"\b(?:instructions?|prompts?|system message|the (?:text )?above|above text|(?:this|entire|whole) conversation|word for word|configuration|exactly)\b"
    r"|\b(?:act|behave|speak|talk|respond|answer) (?:as|like) |\bsimulat\w+|\bpersona\w*|\b(?:developer|dan|god|debug|maintenance|jailbreak) mode\b"
    r"|\bin character\b|\brole ?-?play|\blet(?:'s| us) play\b|\bcomplete this sentence\b|\bjailbr\w+|\bunrestrained\b|\bno (?:restrictions|filters?|limits)\b"
    r"|\b(?:reply|answer|respond) with\b|\bcall the function\b|<[a-z]{1,10}[\s>/]|\byou are (?:now|from now on) |\bjust guess\b|\bconfirm (?:that|my)\b|\bsupposed to tell\b|\byou are \w*gpt\b|\bimmerse\b"
    r"|\b(?:repete|repita|repite|mostra|muestra|montre|zeig|mostrami|toon|revela|revele|enthull\w*|lap lai|hien thi)\b[^.!?\n]{0,60}"
    r"\b(?:instruc\w+|prompt|anweisung\w*|istruzioni|instructies|huong dan|completo|conversa\w*)\b",
    re.IGNORECASE,
)
_HINTED = (
    (_MARKUP_HINTS, _MARKUP),
    (_FORGET_HINTS, _OVERRIDE),
    (_REPLY_HINTS, _ABOUT_REPLY),
    (_ASSISTANT_HINTS, _ADDRESSED),
)
_ACCENTS = re.compile(r"[\u0300-\u036f]")


@lru_cache(maxsize=4096)
def commands_assistant(text: str) -> bool:
    """Does this piece of a page give an assistant orders?"""
    plain = _plain(text)
    if any(shape.search(plain) for hints, shape in _HINTED if any(hint in plain for hint in hints)):
        return True
    return any(
        word[0] in _MOUTH_BEGINS and _MOUTH.match(plain, word.start()) for word in _WORD.finditer(plain)
    )


def _plain(text: str) -> str:
    """Lower case, without accents and unseen characters. Places are lost, which a yes or no needs not."""
    if text.isascii():
        return text.lower()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", visible(text)))
    return bare.lower().replace("đ", "d")


def orders(message: str) -> bool:
    """Does a visitor's message give orders? Wider than for pages: the answer is only looked at more strictly."""
    return commands_assistant(message) or bool(_OF_VISITORS.search(view(message).text))


@lru_cache(maxsize=1024)
def without_orders(text: str) -> str:
    """
    The text without its sentences that give orders; the very text where there is none.

    From where a paragraph turns into a chat it goes: what follows the mark belongs to it.
    """
    if not commands_assistant(text):
        return text
    return "".join(map(_kept, re.split(r"(\n[ \t]*\n)", _TURNS.sub("", text))))


def _kept(paragraph: str) -> str:
    """Its sentences without orders, up to where it turns into a chat."""
    plain = view(paragraph)
    mark = _MARKUP.search(plain.text)
    calm = paragraph[: plain.source_span(*mark.span())[0]] if mark else paragraph
    return "".join(piece for piece in split(calm) if not commands_assistant(piece))


__all__ = ["commands_assistant", "orders", "without_orders"]
