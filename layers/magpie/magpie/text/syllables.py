"""
Whether words may be Vietnamese, typed without their marks.

Each word of Vietnamese is a syllable: a beginning, a rhyme, and few of either. `khong` and `thoai`
are such syllables; `what`, `merci` and `nummer` are none.
"""

import re
from collections.abc import Sequence

# What may begin a syllable depends on the vowel after it: `ke` and `nghe`, never `ce` and `nge`.
_BEFORE_ANY = "b|ch|d|gi|h|kh|l|m|nh?|ph|qu|r|s|th?|tr|v|x"
_BEFORE_E_OR_I = "k|gh|ngh"
_BEFORE_OTHERS = "c|g|ng"

_RHYMES_OF_E_OR_I = (
    """e|ec|ech|em|en|eng|enh|eo|ep|et|eu|i|ia|ich|iec|iem|ien|ieng|iep|iet|ieu|im|in|inh|ip|it|iu"""
)
_OTHER_RHYMES = """a|ac|ach|ai|am|an|ang|anh|ao|ap|at|au|ay|o|oa|oac|oach|oai|oam|oan|oang|oanh|oat|oay|oc|oe|oen|oet
    |oi|om|on|ong|op|ot|u|ua|uan|uang|uat|uay|uc|ue|uech|uenh|ui|um|un|ung|uoc|uoi|uom|uon|uong|uop|uot|uou|up|ut|uu
    |uy|uya|uych|uyen|uyet|uynh|uyt|uyu|y|yem|yen|yet|yeu"""

_SYLLABLE = re.compile(
    rf"""(?:{_BEFORE_E_OR_I})(?:{_RHYMES_OF_E_OR_I}|y)
       | (?:{_BEFORE_OTHERS})(?:{_OTHER_RHYMES})
       | (?:{_BEFORE_ANY})?(?:{_RHYMES_OF_E_OR_I}|{_OTHER_RHYMES})
       | gi(?:n|ng)?""",
    re.VERBOSE,
)
LEAST_SYLLABLES = 3  # fewer are found in any language: `bon vin`


def is_syllable(word: str) -> bool:
    """Whether a folded word could be one of Vietnamese."""
    return _SYLLABLE.fullmatch(word) is not None


def are_syllables(words: Sequence[str]) -> bool:
    """
    Whether the words, folded, could be Vietnamese and are enough to mean anything. One in five may
    be none: people name things.
    """
    others = sum(not is_syllable(word) for word in words)
    return len(words) - others >= LEAST_SYLLABLES and others * 5 <= len(words)
