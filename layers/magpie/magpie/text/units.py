"""
Units, currencies and counted things by their names in the languages that Magpie reads.

A unit has a family, within which amounts convert: minutes to hours, weeks to days, months to years, miles to km.
Counted things (people, projects) never convert; what stands for a person is one family by name only.
"""

import re
from dataclasses import dataclass

from magpie.text.words import fold


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """`name` is canonical; amounts of one `family` compare after `factor`. `counted`: a thing, not a measure."""

    name: str
    family: str
    factor: float = 1.0
    counted: bool = False


_MEASURES = """
second time 1 second seconds sec secs segundo segundos seconde secondes sekunde sekunden secondo secondi seconden giây
minute time 60 minute minutes min mins minuto minutos minuten minuut minuti phút
hour time 3600 hour hours hr hrs hora horas heure heures stunde stunden std ora ore uur uren giờ tiếng
day time 86400 day days dia dias día días jour jours tag tage tagen giorno giorni dag dagen ngày
workday work 1 workday workdays werktag werktage werktagen arbeitstag arbeitstage arbeitstagen werkdag werkdagen
week time 604800 week weeks wk wks semana semanas semaine semaines woche wochen settimana settimane weken tuần
fortnight time 1209600 fortnight fortnights quinzena quinzenas quincena quinzaine
month months 1 month months mês meses mes mois monat monate monaten mese mesi maand maanden tháng
quarter months 3 quarters trimester trimestre trimestres quartal quartale kwartaal kwartalen
year months 12 year years yr yrs ano anos año años an ans année années jahr jahre jahren anno anni jaar jaren năm
decade months 120 decade decades década décadas décennie décennies jahrzehnt jahrzehnte decennio decenni decennium
century months 1200 century centuries século séculos siglo siglos siècle siècles jahrhundert secolo eeuw
km length 1000 km kilometre kilometres kilometer kilometers quilômetro quilômetros quilómetros kilómetro kilómetros kilomètre kilomètres kilometern chilometro chilometri
metre length 1 metre metres meter meters metro metros mètre mètres metern metri mét
cm length 0.01 cm centimetre centimetres centimeter centimeters centímetro centímetros
mm length 0.001 mm millimetre millimetres millimeter millimeters
mile length 1609.344 mile miles mi milha milhas milla millas meile meilen miglio miglia mijl
foot length 0.3048 ft feet foot
inch length 0.0254 inch inches polegadas pulgadas zoll
kg mass 1 kg kilo kilos kilogram kilograms quilo quilos kilogramme kilogrammes kilogramm chilo chili
gram mass 0.001 g gram grams grama gramas gramo gramos gramme grammes gramm grammi
tonne mass 1000 tonne tonnes ton tons tonelada toneladas tonnen tonnellata tonnellate tấn
lb mass 0.45359237 lb lbs
litre volume 1 l litre litres liter liters litro litros litri lít
kb data 0.000001 kb
mb data 0.001 mb megabyte megabytes
gb data 1 gb gigabyte gigabytes
tb data 1000 tb terabyte terabytes
ms time 0.001 ms millisecond milliseconds milissegundos milisegundos millisecondes millisekunden millisecondi
sqm area 0.0001 m² sqm quadratmeter quadratmetern
ma current 1 ma
ua current 0.001 µa μa
volt voltage 1 volt volts
hz frequency 1 hz
khz frequency 1000 khz
mhz frequency 1000000 mhz
ghz frequency 1000000000 ghz
hectare area 1 hectare hectares ha hektar ettari
degree degree 1 degrees graus grados degrés grad gradi graden
knot speed 1 knots nós
kw power 1 kw kilowatt kilowatts
kwh energy 1 kwh kilowattstunde kilowattstunden kilowattheure kilovatio-hora
mw power 1000 mw megawatt megawatts
mbps rate 1 mbps mbit
gbps rate 1000 gbps gbit
percent percent 1 percent pct porcento prozent procent pourcent
point percentpoint 1 percentage-points pontos-percentuais
times times 1 times vezes veces fois mal volte keer lần
"""
_COUNTED = """
person person people persons pessoa pessoas persona personas personne personnes person personen persone mensen người
employee person employee employees staff funcionário funcionários colaboradores empleado empleados employé employés salariés mitarbeiter mitarbeitende mitarbeitern dipendente dipendenti medewerker medewerkers
member person member members membro membros miembro miembros membre membres mitglied mitglieder mitgliedern membri leden
specialist person engineer engineers developer developers designer designers colleague colleagues engenheiro engenheiros desenvolvedores programadores ingeniero ingenieros desarrolladores ingénieur ingénieurs développeurs ingenieur ingenieure ingenieuren entwickler entwicklern ingegneri sviluppatori ontwikkelaars
user user user users usuário usuários utilizador utilizadores usuario usuarios utilisateur utilisateurs nutzer nutzern benutzer utente utenti gebruiker gebruikers
client client client clients customer customers cliente clientes kunde kunden clienti klant klanten
project project project projects projeto projetos projecto proyecto proyectos projet projets projekt projekte projekten progetto progetti project projecten
page page page pages página páginas seite seiten pagina pagine pagina's trang
country country country countries país países pays land länder ländern paese paesi landen nước
language language language languages língua línguas idioma idiomas langue langues sprache sprachen lingua lingue taal talen
city city city cities town towns cidade cidades ciudad ciudades ville villes stadt städte städten città stad steden
office office office offices escritório escritórios oficina oficinas bureau bureaux büro büros ufficio uffici kantoor kantoren
article article article articles post posts artigo artigos artículo artículos artikel articolo articoli bài
visit visit visit visits visitor visitors visita visitas visitante visitantes visiteurs besucher visitatori bezoekers
student student student students pupil pupils aluno alunos estudante estudantes alumno alumnos estudiantes élève élèves schüler studenti leerlingen
school school school schools escola escolas escuela escuelas école écoles schule schulen scuola scuole scholen
child child child children criança crianças niño niños enfant enfants kind kinder kindern bambini kinderen
partner partner partner partners parceiro parceiros socio socios partenaire partenaires partnern
company company company companies empresa empresas entreprise entreprises unternehmen firma firmen azienda aziende bedrijf bedrijven
"""
_CURRENCIES = """
USD $ us$ usd dollar dollars dólar dólares dollari đô
GBP £ gbp pound pounds sterling libra libras livre livres pfund sterlina sterline pond
EUR € eur euro euros
BRL r$ brl reais reales
JPY ¥ jpy yen 円 ienes yenes
CNY cny rmb yuan 元 人民币
VND ₫ vnd đồng dong dongs đ
THB ฿ thb baht บาท
CHF chf franken
CAD c$ ca$ cad
AUD a$ au$ aud
INR ₹ inr rupee rupees
SEK sek kronor
NOK nok kroner
DKK dkk
PLN pln zł zloty
KRW ₩ krw
SGD s$ sgd
MXN mxn mx$
"""
_CENTS = {
    "cent": "",
    "cents": "",
    "centavos": "",
    "centimes": "",
    "céntimos": "",
    "cêntimos": "",
    "centesimi": "",
    "pence": "GBP",
    "penny": "GBP",
    "p": "GBP",
}
_WIDE = {
    "年間": "year",
    "年": "year",
    "个月": "month",
    "個月": "month",
    "か月": "month",
    "ヶ月": "month",
    "カ月": "month",
    "ヵ月": "month",
    "月": "month",
    "週間": "week",
    "周": "week",
    "週": "week",
    "星期": "week",
    "工作日": "workday",
    "営業日": "workday",
    "日間": "day",
    "日": "day",
    "天": "day",
    "時間": "hour",
    "小时": "hour",
    "小時": "hour",
    "分钟": "minute",
    "分鐘": "minute",
    "分間": "minute",
    "分": "minute",
    "秒": "second",
    "人": "person",
    "名": "person",
    "パーセント": "percent",
    "วัน": "day",
    "สัปดาห์": "week",
    "เดือน": "month",
    "ปี": "year",
    "ชั่วโมง": "hour",
    "นาที": "minute",
    "คน": "person",
    "เปอร์เซ็นต์": "percent",
    "วันทำการ": "workday",
}
# Adjectives that make a day a working day, before or after it.
WORKING = frozenset(
    fold(word)
    for word in [
        "working",
        "làm",
        "business",
        "úteis",
        "útil",
        "hábiles",
        "laborables",
        "ouvrés",
        "ouvrables",
        "lavorativi",
        "lavorativo",
    ]
)
_PERIODS = """
day daily diário diária diariamente diario diaria quotidien quotidienne täglich tägliche täglichen giornaliero quotidiano dagelijks dagelijkse
week weekly semanal semanalmente semanais semanales hebdomadaire wöchentlich wöchentliche wöchentlichen settimanale settimanali wekelijks wekelijkse
month monthly mensal mensalmente mensais mensual mensuales mensuel mensuelle monatlich monatliche monatlichen mensile mensili maandelijks maandelijkse
quarter quarterly trimestral trimestralmente trimestriel vierteljährlich trimestrale driemaandelijks
year yearly annual annually anual anualmente anuales annuel annuelle jährlich jährliche jährlichen annuale jaarlijks jaarlijkse
hour hourly stündlich orario
"""
PER = frozenset(
    [
        "per",
        "a",
        "an",
        "each",
        "every",
        "por",
        "al",
        "à",
        "par",
        "la",
        "le",
        "pro",
        "je",
        "im",
        "in",
        "cada",
        "al",
        "all'",
        "alla",
        "mỗi",
        "/",
        "every",
        "hàng",
        "ao",
        "jede",
        "jeden",
        "elke",
    ]
)


def _lines(text: str) -> list[list[str]]:
    return [line.split() for line in text.strip().splitlines()]


def _units() -> dict[str, Unit]:
    found: dict[str, Unit] = {}
    for name, family, factor, *words in _lines(_MEASURES):
        unit = Unit(name=name, family=family, factor=float(factor))
        found.update({key: unit for word in words for key in (fold(word), word.casefold())})
    for name, family, *words in _lines(_COUNTED):
        unit = Unit(name=name, family=family, counted=True)
        found.update(
            {key: unit for word in words for key in (fold(word), word.casefold()) if key not in found}
        )
    return found


UNITS: dict[str, Unit] = _units()
BY_NAME: dict[str, Unit] = {unit.name: unit for unit in UNITS.values()}
WIDE_UNITS: dict[str, Unit] = {word: BY_NAME[name] for word, name in _WIDE.items()}
CURRENCIES: dict[str, str] = {
    key: code
    for code, *words in _lines(_CURRENCIES)
    for word in words
    for key in (word, fold(word) if len(word) > 3 else word)
}
CENTS = {form: code for word, code in _CENTS.items() for form in (fold(word), word.casefold())}
PERIODS: dict[str, str] = {
    form: period
    for period, *words in _lines(_PERIODS)
    for word in words
    for form in (fold(word), word.casefold())
}
PERCENT_SIGNS = frozenset("%％‰")
PER_WORDS = PER


SQUARE = frozenset(("square", "vuông", "quadrados", "cuadrados", "carrés", "quadrati", "vierkante"))
# German writes "hours of work" as one word.
_COMPOUND = re.compile(r"[^\W\d_]{4,20}(stunden|tage|tagen|wochen|monate|monaten|jahre|jahren|minuten)")


def unit_of(word: str) -> Unit | None:
    """The unit that a word names, with its accents or written without any."""
    plain = word.casefold()
    compound = _COMPOUND.fullmatch(plain) if plain not in UNITS else None
    return UNITS.get(compound[1] if compound else plain)


def wide_prefix(text: str, table: dict[str, Unit]) -> tuple[str, Unit] | None:
    """The longest known unit of a script without spaces that the text begins with."""
    for length in range(min(8, len(text)), 0, -1):
        if text[:length] in table:
            return text[:length], table[text[:length]]
    return None
