"""Which route answers a question, and with what."""

import pytest

from magpie.asking.routes.names import strict, technologies_in
from magpie.asking.routes.unknown import names_in
from magpie.model import Scope
from tests.unit.shelf import keys, routed, small_site


async def test_top_projects_come_by_the_owners_rank():
    """
    The best projects are those with the lowest reference rank, in that order, and the answer is certain.
    """
    answer = await routed("What are your top two projects?")

    assert (answer.route, keys(answer), answer.certain) == (
        "projects_top",
        ["project:tidewise", "project:kelpie"],
        True,
    )


async def test_a_named_project_leads():
    """
    The pages of a project that is named stand before whatever the search finds.
    """
    answer = await routed("How long did Tidewise take to build?")

    assert answer.route == "projects"
    assert keys(answer)[0] == "project:tidewise"


async def test_a_name_of_several_people_asks_back():
    """
    Two people called Ana: nobody's evidence, but both names to choose from.
    """
    answer = await routed("What does Ana do?")

    assert answer.choices == ("Ana Berg", "Ana Luz")
    assert answer.passages == ()


async def test_a_full_name_is_never_ambiguous():
    """
    Who says the whole name means one person, and reads that person's sources alone.
    """
    answer = await routed("What does Ana Luz do?")

    assert keys(answer) == ["person:ana-luz"]


async def test_a_first_name_that_one_person_bears_is_enough():
    """
    A record and a CV of one person belong together; nothing of the team is added.
    """
    answer = await routed("What did Callum do before?")

    assert keys(answer) == ["person:callum-reddoch", "cv:callum"]


@pytest.mark.parametrize("text", ["Does Callum Reddoch program in Elixir?", "Has Ana Berg used Go?"])
async def test_what_the_company_can_do_proves_nothing_of_a_person(text):
    """
    A technology that only the team or a project shows is no one's skill.
    """
    answer = await routed(text)

    assert (answer.route, answer.passages) == ("people", ())


async def test_an_article_proves_no_delivery():
    """
    Rust stands in articles alone: asked for projects in it, it is unconfirmed.
    """
    answer = await routed("Which project did you deliver in Rust?")

    assert (answer.route, answer.passages, answer.unconfirmed) == ("technology", (), "Rust")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Do you work with Go?", {"person:ana-luz", "page:about"}),
        ("Which projects use R?", {"project:kelpie"}),
        ("Do you use C++?", {"project:kelpie"}),
        ("Do you use .NET?", {"page:about"}),
        ("Do you use Node.js?", {"page:about"}),
    ],
)
async def test_technologies_are_found_whole(text, found):
    """
    Short and dotted names are found exactly, and only in sources whose scope proves something.
    """
    answer = await routed(text)

    assert answer.route == "technology"
    assert found == set(keys(answer))


@pytest.mark.parametrize(
    "text", ["Do you use COBOL?", "Já fizeram projetos em COBOL?", "¿Desarrollan en C#?"]
)
async def test_an_unknown_technology_is_unconfirmed_without_a_search(text):
    """
    What no page says is answered at once, in any language, and nothing is searched for.
    """
    shelf = small_site()

    answer = await routed(text, shelf)

    assert answer.unconfirmed in {"COBOL", "C#"}
    assert shelf.searches == 0


@pytest.mark.parametrize(
    ("term", "holds", "lacks"),
    [
        ("Go", "We write Go.", "We are going. Go-live is near. MongoDB, Django, go"),
        ("R", "Stack: R, SQL", "R&D, React, Rust, r"),
        ("C", "in C, mostly", "C++ and C# and CSS"),
        ("C++", "C++ or Rust", "C alone"),
        ("C#", "C# and F#", "C and C++"),
        (".NET", "in .NET or C++", "ASP.NET, the internet"),
        ("Node.js", "node.js", "Node.jsx, nodes"),
    ],
)
def test_boundaries_of_technologies_are_strict(term, holds, lacks):
    """
    A name is found where it stands by itself, never inside another one.
    """
    assert strict(term).search(holds)
    assert not any(strict(term).search(word.strip()) for word in lacks.split(","))


def test_a_longer_name_hides_the_shorter_one_within():
    """
    `Ruby on Rails` is one technology, not three.
    """
    assert technologies_in("Do you know Ruby on Rails?", ()) == ("Ruby on Rails",)


async def test_the_latest_articles_come_newest_first():
    """
    By date and not by file name; three of them, certain.
    """
    answer = await routed("What are your latest articles?")

    assert (answer.route, keys(answer), answer.certain) == (
        "articles_latest",
        ["article:3", "article:2", "article:1"],
        True,
    )


@pytest.mark.parametrize(
    "text", ["What was your first article, and when did it come out?", "Qual foi o primeiro artigo?"]
)
async def test_the_oldest_article(text):
    """
    The first one by date, also where its date is asked for too.
    """
    answer = await routed(text)

    assert (answer.route, keys(answer)) == ("articles_oldest", ["article:0"])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("What did you publish in December 2024?", ["article:3", "article:2"]),
        ("Which articles did you publish in 2023?", ["article:0"]),
        ("¿Qué artículos publicaron en 2024?", ["article:3", "article:2", "article:1"]),
    ],
)
async def test_articles_of_a_month_or_a_year(text, found):
    """
    All of the period, newest first, and no other.
    """
    answer = await routed(text)

    assert (answer.route, keys(answer)) == ("articles_in_period", found)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("How many articles are there?", "articles: 4"),
        ("How many articles did you publish in 2024?", "articles published in 2024: 3"),
        ("Quantos artigos há no site?", "articles: 4"),
    ],
)
async def test_articles_are_counted_exactly(text, count):
    """
    A count comes from the catalogue, not from what a search happened to find.
    """
    assert (await routed(text)).direct == count


async def test_a_question_about_a_topic_is_no_question_about_dates():
    """
    `latest` beside a topic does not answer with the newest article of all.
    """
    answer = await routed("Which articles about queues came last?")

    assert answer.route != "articles_latest"


async def test_a_price_is_found_by_its_phrase():
    """
    The FAQ whose question is meant leads.
    """
    answer = await routed("What is your day rate?")

    assert (answer.route, keys(answer)[0]) == ("pricing", "faq:day-rates")


async def test_a_projects_budget_needs_an_approved_fact():
    """
    One that is stated is given; of another project no other figure is offered in its place.
    """
    assert keys(await routed("What was the budget of Tidewise?")) == ["vendor:profile"]
    assert (await routed("What was the budget of Kelpie?")).passages == ()


async def test_links_are_read_directly():
    """
    How to reach us comes from the owner's own list first.
    """
    answer = await routed("What is your phone number?")

    assert (answer.route, keys(answer)[0]) == ("links", "links:site")


async def test_a_forced_topic_brings_its_source():
    """
    The owner's topic leads whatever the likeness says.
    """
    assert keys(await routed("When does the sailing club meet?"))[0] == "page:club"


async def test_the_assistant_is_asked_about_itself():
    """
    Its profile, and certain.
    """
    answer = await routed("Are you a real otter?")

    assert (answer.route, keys(answer), answer.certain) == ("assistant", ["assistant:profile"], True)


async def test_a_question_that_points_is_answered_from_the_open_page():
    """
    `this page` means the one that is open; any other question gets it besides.
    """
    pointing = await routed("What is this about?", page="/project/kelpie/")
    other = await routed("What are your top two projects?", page="/page/club/")

    assert (pointing.route, keys(pointing)[0]) == ("page", "project:kelpie")
    assert keys(other) == ["project:tidewise", "project:kelpie", "page:club"]


async def test_a_name_that_no_page_says_is_said_to_be_unknown():
    """
    Nothing that is found can answer a question about somebody whom the pages do not know.
    """
    answer = await routed("Which harbours did you build for Fergus Baird?")

    assert (answer.unconfirmed, answer.passages) == ("Fergus", ())


async def test_what_another_language_calls_otherwise_is_not_unknown():
    """
    A place or an office may have another name in the visitor's language; letters all capital are the same in each.
    """
    translated = await routed("¿Qué puertos hay para el Parlamento de Varsovia?")
    acronym = await routed("¿Qué puertos hay para la ZQXW?")

    assert translated.unconfirmed == ""
    assert acronym.unconfirmed == "ZQXW"


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("Was macht die NASA-Gruppierung?", "de", ("NASA",)),
        ("Wie steht es um die Amazonas-Regenwald-Karte?", "de", ()),
        ("Wer gewann 24-10 zwischen 2000-2005?", "de", ()),
        ("Have you worked on COVID-19 or e-Zilla?", "en", ("COVID-19",)),
        ("What of the 80s, your 3rd office and 18F?", "en", ("18F",)),
        ("Did you meet Jean-Luc at SkyHD?", "en", ("Jean-Luc", "SkyHD")),
    ],
)
def test_a_compound_is_a_name_by_its_marked_part(text, language, found):
    """
    Capitals after a hyphen and numbers between hyphens make no name; an acronym in a compound is one.
    """
    assert names_in(text, language) == found


async def test_two_questions_in_one_are_not_ended_by_a_route_for_one_of_them():
    """
    A route that answers a part alone is not certain of the whole.
    """
    answer = await routed("Who heads the Porto office, and what is your day rate?")

    assert not answer.certain
    assert answer.route == "semantic"


async def test_everything_found_is_of_the_asked_version_and_scope():
    """
    A technology's passages never come from articles when the rule names scopes without them.
    """
    answer = await routed("Do you work with Go?")

    assert all(passage.scope is not Scope.ARTICLE for passage in answer.passages)


@pytest.mark.parametrize(
    "text",
    [
        "What do you do?",
        "Tell me about Sennit Works",
        "¿Qué hacen?",
        "Tell me about your work",
        "Tell me about your business.",
        "Fala-me do vosso trabalho",
        "Háblame de vuestra empresa",
        "Parlez-moi de votre travail",
        "Erzählt mir von eurer Arbeit",
        "Parlatemi del vostro lavoro",
        "Vertel me over jullie werk",
        "Giới thiệu về công việc của bạn",
    ],
)
async def test_what_it_is_all_about_is_read_from_the_owners_page(text):
    """
    Directly, and certain: likeness does not know which page speaks for the whole, and a wish to be told
    of the owner's work is no small talk with the assistant.
    """
    answer = await routed(text)

    assert (answer.route, keys(answer), answer.certain) == ("overview", ["page:about"], True)


async def test_a_question_with_a_topic_of_its_own_is_no_overview():
    """
    `What do you do about noise?` asks about noise.
    """
    assert (await routed("What do you do about noise?")).route != "overview"


@pytest.mark.parametrize(
    "text", ["Which projects do you have?", "List all your projects", "Quais são os projetos?"]
)
async def test_everything_of_a_kind_is_listed_from_the_catalogue(text):
    """
    All of it in the owner's order, not what is likest.
    """
    answer = await routed(text)

    assert (answer.route, keys(answer)) == ("catalogue", ["project:tidewise", "project:kelpie"])


async def test_a_kind_is_counted():
    """
    The number comes from the catalogue.
    """
    assert (await routed("How many projects are there?")).direct == "project: 2"


async def test_which_of_a_kind_is_not_asked_of_the_catalogue():
    """
    A list of all is no answer to a question about one of them.
    """
    assert (await routed("Which projects use radio sensors?")).route != "catalogue"


async def test_what_somebody_wrote_is_asked_of_the_articles():
    """
    Though the author is a person of the site too.
    """
    shelf = small_site()
    shelf.add(
        "person:rasmus-ohl",
        "Rasmus Ohl",
        "Rasmus Ohl draws axes.",
        scope=Scope.PERSON,
        person_key="rasmus-ohl",
    )

    answer = await routed("Which articles did Rasmus Ohl write?", shelf)

    assert answer.route == "articles_by_author"


async def test_articles_are_known_by_what_the_site_calls_them():
    """
    The site file's word is as good as ours.
    """
    answer = await routed("What's the latest log entry?")

    assert (answer.route, answer.passages[0].title) == ("articles_latest", "Tides")


async def test_a_question_that_points_at_the_page_tries_the_page_first():
    """
    `How much is this?` on a page is no question for the price list, wherever the rules stand.
    """
    shelf = small_site()
    shelf.add("page:boat", "The boat", "It costs £5.", url="https://sennit.example/boat/")

    answer = await routed("How much is this?", shelf, page="/boat/")

    assert (answer.route, keys(answer)) == ("page", ["page:boat"])


async def test_stop_words_of_the_visitors_language_find_nothing():
    """
    Who asks in Spanish means `este` by `este`, and no villa of that name on an English page.
    """
    shelf = small_site()
    shelf.add("page:villa", "A villa", "The gardens of Villa d'Este.")

    assert "page:villa" in keys(await routed("Do you know Este?", shelf))
    assert "page:villa" not in keys(await routed("¿Qué longitud tiene este muelle?", shelf))
