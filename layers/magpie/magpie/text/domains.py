"""Top-level domains that people's addresses end in; enough to tell an address from a sentence."""

_GENERIC = """com org net info biz name pro edu gov mil int io dev app me tech online site website store shop blog
    xyz cloud digital agency studio design email page work works solutions consulting company systems software
    space live life world today news media group team one club social network art photo photography academy
    university school education health care legal law finance capital ventures partners global international
    eus cat gal bzh eu asia africa lat berlin hamburg koeln bayern wien paris london wales scot irish
    example test invalid localhost local ai co tv fm ly gg to cc ws icu top fyi codes engineer engineering
    expert guru jobs careers ngo ong museum travel mobi tel coop aero xn--p1ai"""
_COUNTRIES = """ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz
    ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr
    ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo
    jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms
    mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs
    ru rw sa sb sc sd se sg sh si sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw
    tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw"""
DOMAINS = frozenset((_GENERIC + " " + _COUNTRIES).split())

_WORDS_TOO = "in to it is be me so no us at as my do am by an la or of on up"
_ENGLISH_WORDS = frozenset(_WORDS_TOO.split())


def is_english_word_domain(top: str) -> bool:
    """`in`, `to`, `it`: domains that are also words of a sentence."""
    return top in _ENGLISH_WORDS
