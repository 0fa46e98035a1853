"""Lines of CVs with ⟦marks⟧ around what must go: names on networks, nationalities, and what looks like either."""

import re

import pytest

from magpie.text.redaction import RedactionPolicy, redact

CV = RedactionPolicy(name="cv")
NAMED = RedactionPolicy(name="cv", literals=("Müller", "Joerg Weiss", "José Pereira"))

HANDLES = """
Skype ⟦live:ana⟧
Contact me on Skype ⟦ana.silva⟧ or by mail.
discord ⟦ana#1234⟧
Discord user ⟦ana_s⟧
I'm on GitHub as ⟦jsilva⟧ and on GitLab as ⟦jsilva2⟧.
Find me as ⟦jsilva⟧ on GitHub
GitHub username ⟦jsilva⟧
No GitHub como ⟦jsilva⟧
Auf GitHub als ⟦jsilva⟧
sur GitHub sous le pseudo ⟦jsilva⟧
Nutzer ⟦jsilva⟧ auf GitHub
Telegram ⟦@x⟧
Twitter ⟦@ana_s⟧, Instagram ⟦@ana.s⟧
find me on Mastodon: ⟦@a@b.social⟧
Matrix ⟦@ana:matrix.example⟧
Bluesky ⟦ana.bsky.social⟧
LinkedIn ⟦in/jsilva⟧
reddit user ⟦/u/ana_silva⟧
Stack Overflow user ⟦1234567⟧
ORCID ⟦0000-0002-1825-0097⟧
Mastodon ⟦@a\u200bna@b.social⟧
Telegram ⟦&#64;ana⟧
⟦github dot com slash jsilva⟧
⟦linkedin[.]com/in/ana⟧
⟦hxxps://anasilva.pt/cv⟧
"""

PERSONS = """
I am a ⟦Portuguese national⟧ with a work permit.
⟦British citizen⟧, driving licence
⟦U.S. citizen⟧
⟦Dual citizen of Portugal and Brazil⟧
⟦Cidadão brasileiro⟧
De nacionalidade ⟦brasileira⟧, ⟦solteiro⟧
⟦ciudadana española⟧
nationalité ⟦française⟧
⟦deutsche Staatsbürgerin⟧
quốc tịch ⟦Việt Nam⟧
Nationality ⟦Indian⟧
⟦Brasileira⟧, ⟦casada⟧, ⟦34 anos⟧
⟦Française⟧, ⟦célibataire⟧
Age ⟦34⟧
Marital status ⟦single⟧
Giới tính ⟦Nữ⟧
Blood group ⟦O+⟧
⟦Mother of two⟧
⟦verheiratet mit zwei Kindern⟧
S/o ⟦Ramesh Kumar⟧
Führerschein Klasse ⟦B⟧
Dân tộc: ⟦Kinh⟧ Tôn giáo: ⟦Không⟧
Year of birth: ⟦1985⟧
Sinh năm ⟦1985⟧
Địa chỉ: ⟦Số 12 phố Huế, Hà Nội⟧ Ngày sinh: ⟦01/02/1990⟧
⟦12 Lê Lợi, Quận 1, TP.HCM⟧. Ngày 12/3/2020 ký hợp đồng
⟦12 đường Láng, Hà Nội⟧ Ngày 12/3/2020
CMND: ⟦012345678⟧ Ngày cấp: 12/03/2010
⟦Số 10 Lý Thường Kiệt, Hoàn Kiếm, Hà Nội⟧
⟦Flat 3, The Old Mill, 12 Mill Lane, Cambridge CB1 2AB⟧
⟦The Cottage, Church Lane, Little Snoring NR21 0HX⟧
⟦Carrer de Mallorca, 250, 08008 Barcelona⟧
⟦Rua 7, Quadra 12, Lote 4, Setor Sul⟧
⟦12/A, Park Street, Kolkata - 700016⟧
⟦Bahnhofstr. 12, CH-8001 Zürich⟧
CEP: ⟦01310-100⟧
Tel ⟦0 98 76 54 32 10⟧
Mobile: ⟦0-7-7-0-0-9-0-0-1-2-3⟧
Port. : ⟦06-39-98-12-34⟧
⟦ana.silva at exemplo.pt⟧ is a mailbox
⟦ana@exemplo,pt⟧
PAN No. ⟦ABCPE 1234 F⟧
Emergency contact: Maria Silva, ⟦912 345 679⟧
⟦+55 (0**21) 2345-6789⟧
🎂 ⟦12/03/1990⟧
E-mail: ⟦ana@mail⟧
email me at ⟦ana.silva at gmail⟧ or ⟦ana[at]gmail⟧
Gmail: ⟦ana.silva90⟧
⟦ana plus cv at mail dot com⟧
⟦ana @mail.pt⟧
⟦ana@[192.168.0.1]⟧
"""

STAYS = """
Skype for Business administrator
Discord bots and Telegram bots built
on GitHub as open source
Released it on GitHub as MIT licensed
GitHub user interface redesign
GitHub e GitLab, GitHub and GitLab
Our GitHub is public
Telegram clone.js and Kaggle top.csv
Published on GitHub, 4500 stars
WhatsApp Business API, Matrix multiplication, Threads and locks
Vue 3 @click handler, npm install foo@latest
Portuguese national team sponsor app
Portuguese (native), English (fluent), Spanish (B2)
German language course, French cuisine blog, Indian market study
serve the US citizen, every EU citizen and the German citizens' portal
U.S. Citizenship and Immigration Services
empresa brasileira de energia, Banco Português de Negócios
Citizen of the Year 2019
Single page application, married the two databases
10 anos de experiência, 34 years of experience
Mother of Pearl project
Children: the app for families
Ngày 12 tháng 3 năm 2020: ký hợp đồng
Từ ngày 01/06/2018 đến ngày 31/12/2020
Sinh viên năm 3
Đơn hàng số 0912345678
ports 8000-8100, port 5432
Process 0098765/2019
Gmail and Outlook administration, CTO@Acme, Engineer @ Booking.com
foo@1.2.3, root@localhost, user at host in the log
UID 1000, GID 1000
logo@2x.png
Web: 2.0
next.js at vercel.com, we build at example.com
The product was born in March 2015.
Jahrgangsstufe 12
w/o Docker, D/O matrix
"""

LITERALS = """
Herr ⟦Müller⟧, ⟦Mueller⟧, ⟦MUELLER⟧, ⟦Muller⟧, ⟦Mu\u0308ller⟧, ⟦M&uuml;ller⟧
⟦Jörg Weiß⟧, ⟦Joerg Weiss⟧, ⟦JÖRG WEISS⟧
⟦Jose Pereira⟧; ⟦Pereira, José⟧
Muellerei, Mühle, Josefina
"""


def lines(text: str) -> list[str]:
    return text.strip().split("\n")


def marked(line: str) -> tuple[str, set[int]]:
    """The line without its marks, and the places between them."""
    text, places = "", set()
    for part in re.split(r"(⟦[^⟧]*⟧)", line):
        kept = part.strip("⟦⟧")
        if part.startswith("⟦"):
            places |= set(range(len(text), len(text) + len(kept)))
        text += kept
    return text, {place for place in places if text[place].isalnum()}


def gone(text: str, policy: RedactionPolicy) -> set[int]:
    """Places of letters and digits that were redacted, in the original."""
    found = redact(text, policy).found
    return {place for one in found for place in range(one.start, one.end) if text[place].isalnum()}


@pytest.mark.parametrize("line", lines(HANDLES + PERSONS) + lines(STAYS))
def test_what_is_marked_goes_and_nothing_else(line: str) -> None:
    """
    In a CV names on networks and personal details go without a colon before them; words of work that look alike stay.
    """
    text, places = marked(line)

    assert gone(text, CV) == places


@pytest.mark.parametrize("line", lines(LITERALS))
def test_literals_go_with_umlauts_written_out(line: str) -> None:
    """
    A configured name goes with its umlauts, without them, written out, and last name first.
    """
    text, places = marked(line)

    assert gone(text, NAMED) == places


def test_a_literal_written_out_takes_no_other_name() -> None:
    """
    `Maes` stands for `Mäs`, never for the word `mas`.
    """
    policy = RedactionPolicy(name="cv", literals=("Maes",))

    assert redact("mas Mäs Maes", policy).text == "mas [redacted literal] [redacted literal]"
