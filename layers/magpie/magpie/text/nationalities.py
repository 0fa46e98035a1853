"""
Whose national somebody is: `Portuguese national`, `cidadã brasileira`, `deutscher Staatsbürger`, `Nationality Spanish`.

A people's name alone stays: languages, markets, kitchens and companies are Portuguese too. It goes where a word of
citizenship stands beside it and nothing follows that is nobody's ("Portuguese national team"), and as a part of its
own beside another personal detail ("Brasileira, casada, 34 anos"). Reads plain views.
"""

import re
from collections.abc import Iterator

from magpie.text.obfuscation import Span

_ENGLISH = (
    r"portuguese|brazilian|spanish|german|french|vietnamese|british|english|scottish|welsh|irish|american|indian|italian|dutch|belgian"
    r"|swiss|austrian|polish|romanian|bulgarian|ukrainian|russian|greek|turkish|swedish|norwegian|danish|finnish|icelandic|czech|slovak"
    r"|hungarian|croatian|serbian|slovenian|estonian|latvian|lithuanian|canadian|mexican|argentin(?:e|ian)|colombian|chilean|peruvian"
    r"|venezuelan|cuban|australian|new zealand|chinese|japanese|korean|south korean|thai|filipino|indonesian|malaysian|singaporean|cambodian"
    r"|pakistani|bangladeshi|sri lankan|nepal(?:i|ese)|iranian|iraqi|israeli|lebanese|syrian|egyptian|moroccan|algerian|tunisian|nigerian"
    r"|ghanaian|kenyan|ethiopian|south african|angolan|mozambican|cape verdean|zimbabwean|european|eu|e\.u\.|us|u\.s\.|usa|uk|u\.k\."
)
_ROMANCE = (
    r"portugues[ae]?|brasileir[oa]|brasilen[oa]|bresilien(?:ne)?|espanhol[a]?|espanol[a]?|espagnole?|alema[o]?|aleman[a]?|allemande?|frances[a]?|francaise?"
    r"|vietnamita|vietnamien(?:ne)?|britanic[oa]|britannique|ingles[a]?|anglaise?|irlandes[a]?|irlandaise?|american[oa]|americaine?|norte-?american[oa]"
    r"|estadounidense|indian[oa]|indi[oa]|indienne?|italian[oa]|italienne?|portugaise?|suic[oa]|suiz[oa]|suisse|belga|belge|holandes[a]?|neerlandaise?"
    r"|polac[oa]|polonaise?|romen[oa]|rumano|rumana|roumaine?|ucranian[oa]|ukrainienne?|russ[oa]|rus[oa]|russe|argentin[oa]|mexican[oa]|colombian[oa]"
    r"|chilen[oa]|peruan[oa]|venezuelan[oa]|cuban[oa]|uruguai[oa]|uruguay[oa]|marroquin[oa]?|marroqui|marocaine?|algerienne?|tunisienne?|angolan[oa]"
    r"|mocambican[oa]|cabo-?verdian[oa]|chines[a]?|chino|china|chinoise?|japones[a]?|japonaise?|europe[ou]|europeia|europea|europeenne?|canadense|canadienne?"
)
_GERMAN = (
    r"deutsch|portugiesisch|brasilianisch|spanisch|franzosisch|vietnamesisch|britisch|englisch|irisch|amerikanisch|indisch|italienisch|schweizerisch"
    r"|osterreichisch|polnisch|rumanisch|ukrainisch|russisch|turkisch|griechisch|niederlandisch|belgisch|kroatisch|serbisch|ungarisch|tschechisch"
    r"|chinesisch|japanisch|syrisch|iranisch|marokkanisch|europaisch"
)
_PEOPLE = rf"(?:{_ENGLISH}|{_ROMANCE}|(?:{_GERMAN})(?:e[rs]?)?|viet nam|viet)"
_PEOPLES = rf"{_PEOPLE}(?:(?:[ ]?[/&-][ ]?|,?[ ](?:and|e|y|et|und|va)[ ]){_PEOPLE})?"
_LAND = r"(?-i:(?:the[ ])?[A-Z][\w.'-]+(?:[ ](?:[A-Z][\w'-]+))?)"
_ENDS = (
    r"(?=[ ]*(?:$|[,.;:|)(\n•·–/-]|(?:with|by|since|living|residing|resident|based|born|who|holding|in|from|com|mit|con|avec"
    r"|desde|residente|nascid|nacid|nee?|geboren|seit|holders?)\b|(?:and|or|e|y|et|und)[ ](?-i:(?![A-Z][a-z]))))"
)
_CITIZEN = r"national|citizen|nationality|citizenship|passport(?=[ ]*(?:$|[,.;|)\n]|holder))"
_STATED = re.compile(
    rf"(?<![\w-])(?<!the )(?<!every )(?<!each )(?:(?:dual|naturali[sz]ed)[ ])?(?:{_PEOPLES}[ ](?:{_CITIZEN}){_ENDS}"
    rf"|(?:dual[ ])?(?:citizen|national|citizenship)[ ]of[ ](?!(?:the[ ])?(?:Year|Month|World)\b)(?:{_LAND}(?:(?:[ ](?:and|&)|,)[ ]{_LAND})?|{_PEOPLES})"
    rf"|(?:dupla )?(?:cidada[o]?|ciudadan[oa]|citoyen(?:ne)?|ressortissante?|nacional)"
    rf"[ ](?:(?:de[ ]nacionalidad[e]?|de[ ]nationalite)[ ])?{_PEOPLES}(?![\w'-])"
    rf"|(?:nacionalidad[e]?|nationalite|cidadania|ciudadania|citoyennete):?[ ](?P<romance>{_PEOPLES})(?![\w'-])"
    rf"|(?:{_GERMAN})e[rs]?[ ](?:staatsburger(?:in)?|staatsangehorigkeit|staatsangehorige[rn]?|staatsburgerschaft|pass(?=[ ]*(?:$|[,.;|\n])))(?!\w)"
    rf"|(?:staatsangehorigkeit|nationalitat|staatsburgerschaft)[ :]{{1,2}}(?P<german>{_PEOPLES})(?![\w'-])"
    rf"|quoc tich[ :]{{1,2}}(?P<vietnamese>{_PEOPLE})(?!\w)"
    rf"|(?:nationality|citizenship)[ ](?P<english>{_PEOPLES})(?=[ ]*(?:$|[,.;|)\n•·])))",
    re.I | re.M,
)
# One of these stands in all of the above, and in few texts.
_CITIZENSHIP = re.compile(
    r"national|citizen|passport|nacional|cidad|ciudad|citoyen|ressort|staats|quoc tich|e[rs]? pass", re.I
)
_STATUS = (
    r"(?:married|single|divorced|widowed|casad[oa]|solteir[oa]|solter[oa]|divorciad[oa]|viuv[oa]|verheiratet|ledig|geschieden|mariee?|celibataire|divorcee?|pacsee?"
    r"|(?:aged[ ])?[1-9]\d[ ](?:years|yrs|anos|ans|jahre)(?:[ ](?:old|de idade|de edad|alt))?|\*[ ]?\d|born|nascid[oa]|nacid[oa]|nee?|geboren)"
)
_PART = r"(?:^|[|;•·,\n(])[ *_>-]{0,6}"
_END = r"(?=[ ]*(?:$|[|;•·\n,.)]))"
_BESIDE_DETAIL = re.compile(
    rf"{_PART}(?P<people>{_PEOPLES})(?=[ ]*[|;•·,][ ]*(?:{_STATUS}{_END}))|[|;•·,][ ]?{_STATUS}[ ]*[|;•·,][ ]*(?P<after>{_PEOPLES}){_END}"
    rf"|^[ *_>-]{{0,6}}{_STATUS}[ ]*[|;•·,][ ]*(?P<second>{_PEOPLES}){_END}",
    re.I | re.M,
)


def find_nationalities(text: str) -> Iterator[Span]:
    """Nationalities that a word of citizenship or another personal detail beside them makes somebody's own."""
    for match in _STATED.finditer(text) if _CITIZENSHIP.search(text) else ():
        if not match[0].startswith("us "):  # "tell us citizen by citizen"
            yield "personal_detail", *match.span(match.lastgroup or 0)
    for match in _BESIDE_DETAIL.finditer(text):
        yield "personal_detail", *match.span(str(match.lastgroup))
