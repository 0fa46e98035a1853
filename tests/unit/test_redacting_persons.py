"""CVs: addresses, births, personal details, identity numbers, profiles; and the work, which stays."""

import pytest

from magpie.text.redaction import RedactionPolicy, redact

CV = RedactionPolicy(name="cv")
PUBLIC = RedactionPolicy(name="public")

ADDRESSES = """
Rua do Ouro, 45, 3.º Esq., 1100-060 Lisboa
Rua Dr. António José de Almeida n.º 12 - 2.º Dto, 3000-046 Coimbra
Praceta das Amoreiras, lote 4, 2.º B, 2700-123 Amadora
Av. Paulista, 1000 - 15º andar - Bela Vista, São Paulo/SP - CEP 01310-100
C/ Mayor, 15, 3º Izq., 28013 Madrid
Avda. de la Constitución 8, 41004 Sevilla
Hauptstr. 5, 80331 München
Lindenallee 17b, D-50667 Köln
Am Markt 3, 28195 Bremen
Straße des 17. Juni 135, 10623 Berlin
12 rue Victor Hugo, 75016 Paris
14 bis, rue de la République, 69002 Lyon
3, place Bellecour, 69002 Lyon
27 boulevard Saint-Michel 75005 Paris
Số 12 ngõ 34 đường Láng, quận Đống Đa, Hà Nội
123/4B Nguyễn Đình Chiểu, Phường 6, Quận 3, TP. Hồ Chí Minh
10 Downing Street, London SW1A 2AA
Flat 2B, 15 Kings Road, Brighton BN1 2FA
742 Evergreen Terrace, Springfield, OR 97403
1600 Pennsylvania Ave NW, Washington, DC 20500
350 5th Avenue, Suite 3300, New York, NY 10118
PO Box 1234, Austin, TX 78701
Plot No. 14, Sector 21, Dwarka, New Delhi - 110075
H.No. 5-9-22/B, Adarsh Nagar, Hyderabad 500063
14, MG Road, Bengaluru - 560001
"""

STREETS_IN_SENTENCES = [
    ("Moro na Rua das Acácias 23, Braga.", "Moro na [redacted address], Braga."),
    ("Ich wohne in der Bergstraße 9 in Dresden.", "Ich wohne in der [redacted address] in Dresden."),
    ("J'habite 8 rue des Lilas à Nantes.", "J'habite [redacted address] à Nantes."),
    ("I live at 5 Fictional Close, Leeds LS1 9ZZ and work", "I live at [redacted address] and work"),
    ("She lives on Hansinegata 120 street.", "She lives on [redacted address]."),
    ("Address:\n12 High Street\nOxford\nOX1 4BG", "Address:\n[redacted address]"),
    ("Morada\nRua Nova 5\n4000-001 Porto", "Morada\n[redacted address]"),
    ("Địa chỉ: 45 Lê Lợi, Phường Bến Nghé, Quận 1, TP.HCM", "Địa chỉ: [redacted address]"),
    ("Endereço: Rua das Palmeiras, 77, casa 2, Botafogo", "Endereço: [redacted address]"),
]

BIRTHS = """
Date of birth: 12 March 1990
DOB - 12/03/1990
D.O.B: 1990-03-12
Born: 12 March 1990
Date of birth 12/03/1990
**Date of birth:** 12/03/1990
| Date of birth | 12/03/1990 |
Birthdate (dd/mm/yyyy): 12/03/1990
She was born on 11/22/2000
I was born in 1990
Data de nascimento: 12 de março de 1990
Nascida a 12-03-1990
Fecha de nacimiento: 12 de marzo de 1990
Nacido el 12.03.1990
Geburtsdatum: 12. März 1990
geb. am 12.03.1990 in Köln
* 12.03.1990 in Bonn
Date de naissance : 12/03/1990
Née le 12 mars 1990 à Lyon
Ngày sinh: 12/03/1990
Sinh ngày 12 tháng 3 năm 1990
Sinh năm: 1990
"""

DETAILS = """
Nationality: Elvish
Nacionalidade: Elvish
Nationalité : Elvish
Staatsangehörigkeit: Elvish
Quốc tịch: Elvish
Marital status: Elvish, two children
Estado civil: Elvish
Familienstand: Elvish, zwei Kinder
Situation de famille : Elvish
Tình trạng hôn nhân: Elvish
Gender: Elvish
Geschlecht: Elvish
Giới tính: Elvish
**Sexo:** Elvish
| Religion | Elvish |
Place of birth: Elvish
Geburtsort: Elvish
Father's name: Elvish Elvishson
Filiação: Elvish
Driving licence: Elvish
Work, 2015. Nationality: Elvish
"""

IDENTITY = """
CPF: 123.456.789-09
123.456.789-09
RG 12.345.678-9
DNI 12345678Z
X1234567L
NIF: 123456789
Cartão de Cidadão: 12345678 9 ZZ4
Steuer-ID: 12 345 678 901
Personalausweis L01X00T47
65 070485 M 007
1 85 05 78 006 084 91
CCCD: 001099012345
CMND số 012345678
AB 12 34 56 C
NHS number 943 476 5919
123-45-6789
His social security number is 853-37-1694
Aadhaar: 2345 6789 0124
ABCPE1234F
Passport No: A1234567
Passaporte n.º CA123456
"""

PROFILES = """
LinkedIn: linkedin.com/in/elvish
linkedin.com/in/elvish
GitHub: elvish
Twitter: @elvish
X (Twitter): @elvish_99
Skype: live:elvish
Telegram @elvish
Website: www.elvish.example
Portfolio: elvish.dev
https://elvish.dev/cv?x=1
@elvish@mastodon.example
Discord: elvish#1234
ORCID: elvish-0002-1825-0097
Follow me @elvish_dev
ana@exemplo.pt | elvish.example
"""

WORK = """
Main Street Hackathon, "The Avenue Q Story", Wall Street Journal 2019
Trabalhei no projeto Rua Segura 2020 e na Praça Digital da Câmara Municipal
Projeto Avenida Digital, 2015
Led 12 Main Line projects and 3 Park Avenue Group accounts
Spring 5, Engineering 101, Arbeitsplatz 4.0, Industrie 4.0
Acme Corp., 500 Main Street Project Manager (2015-2020)
The company was born in 2010 in Porto
Date of birth field is validated
Gender equality officer; Race conditions fixed
Married couple tax calculator
Used Socket.io, Next.js, Vue.js, ASP.NET, draw.io
Worked at Booking.com, Monday.com and Amazon.com
GitHub Actions: CI for 30 repos
Tools: GitHub, GitLab, Slack
Slack: bots for the on-call team
Web: React, Site: remote
Line: managed, Teams: three
@Override and @Autowired(required=false)
IP address: 10.0.0.12
Address: available on request
height: 300px
NIF 501 234 567
Based in Lisbon; I moved here from Fortaleza
Polish, Russian and French (fluent)
"""


def lines(text: str) -> list[str]:
    return text.strip().split("\n")


@pytest.mark.parametrize("text", lines(ADDRESSES))
def test_postal_addresses_go_whole(text: str) -> None:
    """
    A street with its number, its flat and its postcode's town goes, in nine countries' ways of writing.
    """
    assert redact(text, CV).text == "[redacted address]"


@pytest.mark.parametrize(("text", "left"), STREETS_IN_SENTENCES)
def test_streets_go_and_towns_stay(text: str, left: str) -> None:
    """
    Of a sentence only the address goes; a town without its postcode tells no door.
    """
    assert redact(text, CV).text == left


@pytest.mark.parametrize("text", lines(BIRTHS))
def test_birth_dates_go(text: str) -> None:
    """
    A date that a label or "born" makes somebody's birth goes, with its place.
    """
    left = redact(text, CV).text

    assert "[redacted birth date]" in left
    assert not any(char.isdigit() for char in left)


@pytest.mark.parametrize("text", lines(DETAILS))
def test_labelled_details_go(text: str) -> None:
    """
    What a label of personal details names goes, in the languages of the labels.
    """
    left = redact(text, CV).text

    assert "[redacted personal detail]" in left
    assert "Elvish" not in left


@pytest.mark.parametrize("text", lines(IDENTITY))
@pytest.mark.parametrize("policy", [CV, PUBLIC], ids=["cv", "public"])
def test_identity_numbers_go(text: str, policy: RedactionPolicy) -> None:
    """
    National numbers go by their shape and check digits or by their label, under both policies.
    """
    left = redact(text, policy).text

    assert "[redacted national id]" in left
    assert not any(char.isdigit() for char in left)


@pytest.mark.parametrize(
    "text", ["4111 1111 1111 1111", "5500-0000-0000-0004", "card 584528792610", "Amex 378282246310005"]
)
def test_cards_go(text: str) -> None:
    """
    Card numbers whose check digit holds go.
    """
    assert redact(text, PUBLIC).text.endswith("[redacted card]")


def test_a_card_number_that_fails_its_check_is_none() -> None:
    """
    Sixteen digits without the right check digit are some other number.
    """
    assert redact("Batch 4111 1111 1111 1112", PUBLIC).text == "Batch 4111 1111 1111 1112"


@pytest.mark.parametrize(
    "text", ["PT50 0002 0123 1234 5678 9015 4", "DE89370400440532013000", "IBAN GB33BUKB20201555555555"]
)
def test_ibans_go(text: str) -> None:
    """
    Account numbers whose check digits hold go.
    """
    assert redact(text, PUBLIC).text.removeprefix("IBAN ") == "[redacted iban]"


@pytest.mark.parametrize("text", lines(PROFILES))
def test_profiles_go(text: str) -> None:
    """
    Addresses of pages, profile lines and handles go from a CV.
    """
    assert "elvish" not in redact(text, CV).text


@pytest.mark.parametrize("text", lines(WORK))
def test_the_work_stays(text: str) -> None:
    """
    Projects, employers, tools, years and languages stay in a CV.
    """
    assert redact(text, CV).text == text


def test_a_public_page_keeps_its_street_and_links() -> None:
    """
    Under the public policy addresses, pages and profiles stay.
    """
    text = "Visit us: Rua Nova 5, 4000-001 Porto, https://exemplo.pt, @exemplo. Founded by Ana, born on 3 May 1985."

    assert redact(text, PUBLIC).text == text


def test_a_whole_cv() -> None:
    """
    The personal part of a CV goes, the professional part stays to the letter.
    """
    personal = (
        "Ana Exemplo\nRua de Santa Catarina, 210 - 4.º Dto.\n4000-450 Porto\n(+351) 912 000 111 | ana@exemplo.pt\n"
        "Data de Nascimento: 03 de Maio de 1985 · Nacionalidade: Portuguesa · Estado civil: casada\n"
    )
    work = (
        "03/2018 – presente  Critical Systems, S.A. — 12 pessoas, 35% (1.250.000 €/ano)\n"
        "Oracle 19.3.0.0.0 para PostgreSQL 14.2; média 16/20; ISO 27001:2013; DOI 10.1109/5.771073\n"
    )

    assert redact(personal + work, CV).text == (
        "Ana Exemplo\n[redacted address]\n[redacted phone] | [redacted email]\n"
        "Data de Nascimento: [redacted birth date] · Nacionalidade: [redacted personal detail]"
        " · Estado civil: [redacted personal detail]\n" + work
    )
