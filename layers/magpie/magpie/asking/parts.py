"""
The parts of a question that asks for several things: `Who led it, and what did it cost?`

Cut only where a new question begins: a conjunction or a sentence's end before a question word or
a verb that asks. A list of names (`Go and R`) stays whole.
"""

import re

_STARTS = """who whom whose what which when where why how is are was were do does did can could will would has have
    quem que qual quais quando onde porque como quanto quanta quantos quantas têm tem há é são foi
    quién quiénes qué cuál cuáles cuándo dónde cómo cuánto cuánta cuántos cuántas hay tienen tiene es son fue
    qui que quel quelle quels quelles quand où pourquoi comment combien est-ce avez sont
    wer wen wem was welche welcher welches wann wo warum wie ist sind hat haben
    chi che cosa quale quali quando dove perché come quanto quanta quanti quante è sono
    wie wat welke wanneer waar waarom hoe hoeveel is zijn heeft hebben
    ai gì khi nào đâu bao nhiêu mấy có làm mất"""
_AND = "and|und|et|y|e|en|và"  # not `or`: an alternative is one question
_PREPOSITIONS = """(?:(?:at|in|on|for|from|by|with|to|a|em|de|por|para|com|en|con|à|pour|avec|bei|mit|für|von|an|da|per|op|voor|van|met|which)\\s+)?"""
_START = "|".join(sorted(set(_STARTS.split()), key=len, reverse=True))
_CUT = re.compile(
    rf"(?:,\s*(?:{_AND})\s+|\s+(?:{_AND})\s+|[?!.;]\s+(?:(?:{_AND})\s+)?|,\s+)(?={_PREPOSITIONS}(?:¿\s*)?(?:{_START})\b)",
    re.IGNORECASE,
)
LEAST_WORDS = 2
MOST_PARTS = 6  # ledger G9


_ASKS = re.compile(rf"^[¿¡\s]*{_PREPOSITIONS}(?:{_START})\b", re.IGNORECASE)


def _asks(piece: str) -> bool:
    """A statement before a question is its setting, not a part of it."""
    return _ASKS.match(piece) is not None


def parts_of(text: str) -> tuple[str, ...]:
    """The parts, each with a question mark; the text itself where it asks one thing."""
    pieces = [piece.strip(" ,;") for piece in _CUT.split(text) if piece and piece.strip(" ,;?!.")]
    if len(pieces) < 2 or not _asks(pieces[0]) or any(len(piece.split()) < LEAST_WORDS for piece in pieces):
        return (text,)
    return tuple(piece if piece.endswith("?") else f"{piece}?" for piece in pieces[:MOST_PARTS])
