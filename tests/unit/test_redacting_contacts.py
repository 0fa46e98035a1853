"""E-mail addresses and phone numbers: how people write them, hide them, and what only looks like them."""

import pytest

from magpie.text.redaction import RedactionPolicy, redact

PUBLIC = RedactionPolicy(name="public")

EMAILS = """
ana@exemplo.pt
<ana@exemplo.pt>
(ana@exemplo.pt)
**ana@exemplo.pt**
ANA.SILVA@EXEMPLO.PT
ana+cv@sub.exemplo.co.uk
jörg.müller@bücher.example
用户@例子.公司
имя@пример.рф
o'brien@example.ie
"ana silva"@exemplo.pt
mailto:ana@exemplo.pt?subject=Hi
mailto:ana%40exemplo.pt
ana (at) exemplo (dot) pt
ana [at] exemplo [dot] co [dot] uk
ana{at}exemplo{dot}pt
ana<at>exemplo<dot>pt
ana -at- exemplo -dot- pt
ana*at*exemplo*dot*pt
ana 'at' exemplo 'dot' pt
ana(at)exemplo.pt
ana[@]exemplo[.]pt
ana@exemplo dot pt
ana@exemplo(dot)pt
ana at exemplo dot pt
ana dot silva at exemplo dot pt
ana AT exemplo DOT pt
ana AT exemplo.pt
ana arroba exemplo ponto pt
ana arroba exemplo.pt
ana (arroba) exemplo (punto) es
ana chez exemplo point fr
ana (ät) exemplo (punkt) de
ana chiocciola exemplo punto it
ana a còng exemplo chấm vn
ana(a)exemplo.de
anaATexemploDOTpt
ana_at_exemplo_dot_pt
a n a @ e x e m p l o . p t
ana @ exemplo . pt
ana @ exemplo.pt
ana@@exemplo..pt
tp.olpmexe@ana
ana&#64;exemplo&#46;pt
ana&#x40;exemplo&#x2e;pt
ana&commat;exemplo&period;pt
ana<span>@</span>exemplo.pt
ana<!-- no robots -->@exemplo.pt
ana\\@exemplo.pt
ａｎａ＠ｅｘｅｍｐｌｏ．ｐｔ
ana@exemplo。pt
ana@exemplo․pt
ana﹫exemplo.pt
𝐚𝐧𝐚@𝐞𝐱𝐞𝐦𝐩𝐥𝐨.𝐩𝐭
E-mail: ana at exemplo.pt
Correo: ana at exemplo.es
"""

EMAILS_OVER_LINES = [
    "Email: ana.silva@\nexemplo.pt",
    "ana.silva\n@exemplo.pt",
    "ana@exem-\nplo.pt",
    "ana@exemplo.\npt is mine",
    "ana\n(at)\nexemplo\n(dot)\npt",
    "ana\u200b@\u200bexem\u200bplo.pt",
    "ana\u00ad@exemplo\ufeff.pt",
]

NO_EMAILS = """
We looked at example.com yesterday
Senior engineer @ Booking.com
We met at noon. Com certeza.
at this point in time
look at the dot in the middle
look at breaking point in the film
chez ce point de vente
git clone git@github.com:acme/tool.git
npm i @angular/core@16.2.0 lodash@4.17.21
actions/checkout@v4
Xeon @ 2.40GHz
10 @ 5.50 each
root@localhost
We build at node.js meetups
"""

PHONES = """
Telemóvel: 912345678
Tlm. 91 234 56 78
+351 912 345 678
+351912345678
00351 912 345 678
Tel. (+351) 21 345 67 89
(+84) 912 345 678
Tel. fixo: 21 345 67 89
91 234 56 78
(11) 91234-5678
+55 (11) 91234-5678
11 91234-5678
Celular 11912345678
(41) 9 9876-5432
612 34 56 78
Móvil 612345678
+34 612 34 56 78
Llámame al 655 12 34 56
655 00 11 22 / 91 555 00 11 (tel.)
030 / 231 250 42
Tel. +49 (0)30 23125042
0151-12345678
Handy 0171/3920012
(030) 23 12 50 42
01 99 00 12 34
06.12.34.56.78
06-12-34-56-78
+33 (0)1 99 00 12 34
Tél : 0612345678
0912 345 678
0912.345.678
Di động 0912345678
+84 91 234 56 78
Hotline 1900 1234 56
020 7946 0958
(020) 7946 0958
+44 (0)20 7946 0958
07700 900123
07700900123
(0)7700 900 456
0161 496 0123
(202) 555-0143
202.555.0143
202-555-0143 ext. 12
1-202-555-0143
+1-202-555-0143x99
Cell: 2025550143
98765 43210
+91-98765-43210
080-2345 6789
9876543210 (mobile)
655 437 108 office
M: 98765 43210
📞 912 345 678
Please call me on 450 0840
They don't answer at 374 780 163, call 374 780 163
912 345 678 | ana@exemplo.pt
| Phone | 020 7946 0123 |
Telemóvel: ９１２３４５６７８
Tel: 9 1 2 3 4 5 6 7 8
Ring +٣٥١ ٩١٢ ٣٤٥ ٦٧٨
Phone: +44 77OO 9OO l23
Phone: 2 0 2 - 5 5 5 - 0 1 4 3
tel:+351912345678
0xx11 91234-5678
(202)5550143
202/555-0143
0171.3920012
91.234.56.78 (teléfono)
612-345-678
+ 351 912 345 678
Phone: [020] 7946 0958
Phone: 020*7946*0958
Phone: 07700, 900, 123
Tel/WhatsApp: 912 345 678
Contactos: 912 345 678 / 213 456 789
Tel: ⓪②⓪ ⑦⑨④⑥ ⓪⑨⑤⑧
"""

PHONES_IN_WORDS = """
Telemóvel: nove um dois, três quatro cinco, seis sete oito
Phone: two zero two, five five five, zero one four three
Tel: neun eins zwei drei vier fünf sechs sieben acht
Móvil: seis uno dos tres cuatro cinco seis siete ocho
SĐT: không chín một hai ba bốn năm sáu bảy tám
Phone: seven seven zero zero 900 123
Tél: zéro six, douze, trente-quatre, cinquante-six, soixante-dix-huit
"""

PHONES_OVER_LINES = [
    "+351 912\n345 678",
    "Phone:\n201-948-1927",
    "Telemóvel\n912 345 678",
    "+351 9\u200b12 345 678",
    "Phone: 202\u2011555\u20110143",
]

NO_PHONES = """
12/05/2019 - 30/06/2020, then 01.07.2020-31.12.2021
2015–2020, 2012-2018 and 2019/2020
2024-03-15T10:22:33Z, 2012-10-01 00:46:43, 20231115123045
US$1,234,567.89 and 1.234.567,89 EUR and 1 234 567 €
Doanh thu 1.234.567.890 đồng
1 234 567 890 rows, 374 780 163 rows
The town has 912 345 678 inhabitants
from 100000-150000 to 600000-800000 and 60000-80000
from 120-150 to 900-1000 requests per second
order #12345-678-90, invoice 2023/004567, PO 4500123456
Ticket INC0012345678, bug 1234567
v2.10.14, 13.4.1, 10.0.19045.3693, 120.0.6099.109
10.0.0.12 and 192.168.100.200
ISBN 978-0-13-468599-1 and ISBN 0-306-40615-2
ISSN 2049-3630, DOI 10.1000/182
SKU 123-456-7890, EAN 4006381333931
38.722300, -9.139300
550e8400-e29b-41d4-a716-446655440000
commit 3f2a9c4d5e6f708192a3b4c5d6e7f80912345678
WHERE id IN (912345, 678901, 234567) OR id = 2147483647
epoch 1700000000 and 1700000000123 ms
7.5/8.0/7.0/8.5 in IELTS; GPA 3.87/4.00
Room 4-210, building 7
3M and 1-800-Flowers
Call stack depth 1000000
Text 12345678 tokens a request
05 12 23 34 41 49
Zip 10001-2345
VAT PT501234567, CNPJ 12.345.678/0001-95
one two three four five six seven eight nine
1999 2000 2001 2002
Tracking 1Z999AA10123456784, order no 302-1234567-1234567
SIREN 123 456 789, IMEI 490154203237518
1 500 000 habitants, 1.000.000 de usuários, 12 345 Mitarbeiter
"""


def lines(text: str) -> list[str]:
    return text.strip().split("\n")


@pytest.mark.parametrize("text", lines(EMAILS) + EMAILS_OVER_LINES)
def test_no_part_of_an_address_stays(text: str) -> None:
    """
    An e-mail address goes whole, however it is written.
    """
    left = redact(text, PUBLIC).text.casefold()

    assert "[redacted email]" in left
    assert not any(
        part in left for part in ("ana", "exemplo", "jörg", "用户", "例子", "имя", "пример", "brien")
    )


@pytest.mark.parametrize("text", lines(NO_EMAILS))
def test_what_is_no_address_stays(text: str) -> None:
    """
    Sentences, packages, jobs and repositories with an at sign or a dot stay as they are.
    """
    assert redact(text, PUBLIC).text == text


def test_a_sentence_after_an_address_stays() -> None:
    """
    An address at the end of a line does not take the next line with it.
    """
    assert (
        redact("Write to ana@exemplo.pt.\nOrg chart below", PUBLIC).text
        == "Write to [redacted email].\nOrg chart below"
    )


@pytest.mark.parametrize("text", lines(PHONES) + PHONES_OVER_LINES)
def test_no_digits_of_a_phone_number_stay(text: str) -> None:
    """
    A phone number goes with its country code, area and extension.
    """
    left = redact(text, PUBLIC).text

    assert "[redacted phone]" in left
    assert not any(char.isdigit() for char in left)


@pytest.mark.parametrize("text", lines(PHONES_IN_WORDS))
def test_numbers_in_words_go(text: str) -> None:
    """
    A number spelled in words goes, in each of the languages.
    """
    assert redact(text, PUBLIC).text.endswith(": [redacted phone]")


@pytest.mark.parametrize("text", lines(NO_PHONES))
def test_numbers_that_are_no_phones_stay(text: str) -> None:
    """
    Dates, prices, versions, order numbers, addresses of machines, statistics and book numbers stay.
    """
    assert redact(text, PUBLIC).text == text
