"""Questions that are embedded with a chunk: made by rules or a model, and never shown."""

import pytest

from magpie.errors import ProviderUnavailable
from magpie.ingesting.chunks import chunks_of
from magpie.ingesting.questions import Questioner, questions_in
from magpie.model import Chunk, Language, Origin, Scope, Source, SourceKey, Visibility
from magpie.site import Chunking
from tests.fakes import FakeChatModel
from tests.fakes_of_ingesting import FakeQuestions

ASKING = Chunking(questions="extractive", most_questions=4)


def source(text: str, language: str = "en") -> Source:
    return Source(
        key=SourceKey(source_type="page", source_key="prices"),
        path="pages/prices.md",
        title="The survey",
        text=text,
        origin=Origin.FIRST_PARTY,
        scope=Scope.COMPANY,
        visibility=Visibility.PUBLIC,
        language=Language(language),
    )


def first(text: str, settings: Chunking = ASKING, language: str = "en") -> Chunk:
    chunks, _ = chunks_of(source(text, language), settings)
    return chunks[0]


def test_a_price_brings_the_question_for_it():
    """A visitor's question about what stands in the chunk is part of what is embedded, after the content."""
    chunk = first("It is £4,350. Write to hello@quay.example.")

    assert "How much does The survey cost?" in chunk.questions
    assert "How can I get in touch about The survey?" in chunk.questions
    assert chunk.embedding_text.startswith(chunk.bare_text)
    assert chunk.embedding_text.endswith("\n".join(chunk.questions))


def test_what_is_shown_and_searched_by_word_has_no_question():
    """Content, header and hash are those of a chunk without questions."""
    asked, plain = first("It is £4,350."), first("It is £4,350.", Chunking())

    assert plain.questions == ()
    assert (asked.content, asked.header, asked.content_hash) == (
        plain.content,
        plain.header,
        plain.content_hash,
    )


@pytest.mark.parametrize("language", ["en", "pt", "es", "fr", "de", "it", "nl", "vi"])
def test_questions_are_in_the_language_of_the_text(language):
    """Each language has its own words, and no mark is left unfilled."""
    questions = first("12.05.2024: 300 €.", language=language).questions

    assert len(questions) >= 2
    assert all("The survey" in question and "{" not in question for question in questions)


def test_a_language_without_words_has_no_questions():
    """Nothing is asked in a wrong language."""
    assert first("Цена 300 €.", language="ru").questions == ()


def test_no_more_than_the_site_file_says():
    """The first ones stay."""
    assert (
        len(
            first(
                "£3 on 4 May 2024, call +44 131 496 0000.", Chunking(questions="extractive", most_questions=1)
            ).questions
        )
        == 1
    )


PROMPTED = Chunking(questions="prompted", most_questions=2)


async def test_a_model_is_asked_once_a_text():
    """What it said is kept by the text; an unchanged text costs no call."""
    model, known = FakeChatModel(answers=('["What do I pay?", "Is it dear?", "Third?"]',)), FakeQuestions()
    chunk = first("It is £4,350.", PROMPTED)

    (asked,) = await Questioner(model, known).asked([chunk], PROMPTED)
    (again,) = await Questioner(model, known).asked([chunk], PROMPTED)

    assert asked.questions == ("What do I pay?", "Is it dear?")
    assert again == asked
    assert len(model.prompts) == 1
    assert "£4,350" in model.prompts[0].messages[1].content


@pytest.mark.parametrize(
    "answer", ["I can't do that.", "[1, 2]", "[", '{"a": ["x"', "", ProviderUnavailable("x", "503")]
)
async def test_a_model_that_gives_no_questions_leaves_those_of_rules(answer):
    """The run goes on, and says how many chunks that were."""
    questioner = Questioner(FakeChatModel(answers=(answer,)), FakeQuestions())
    chunk = first("It is £4,350.", PROMPTED)

    (asked,) = await questioner.asked([chunk], PROMPTED)

    assert asked == chunk and asked.questions
    assert questioner.failed == 1


async def test_without_a_model_rules_ask():
    """The deployment has no key: nothing fails."""
    chunk = first("It is £4,350.", PROMPTED)

    assert await Questioner(None, FakeQuestions()).asked([chunk], PROMPTED) == (chunk,)


def test_a_model_s_list_is_cleaned():
    """One line each, none twice, none endless, whatever stands around the list."""
    answer = 'Sure: ["What\\n is it?", "What is it?", "", "' + "x" * 300 + '", 5]. Done.'

    assert questions_in(answer, 5) == ("What is it?",)
