"""The question's way, with plain fakes for the ports."""

import asyncio

import pytest

from magpie.asking.pipeline import failure
from magpie.errors import DatabaseUnavailable, ProviderUnavailable, RecordUnavailable, TableUnavailable
from magpie.model import (
    Actions,
    Cited,
    Delta,
    Failed,
    Intent,
    Language,
    Origin,
    Outcome,
    Page,
    Recommendations,
    Sources,
    Started,
    Status,
    Turn,
)
from tests.fakes import FakeCatalogue, FakeClassifier, FakePlanner, FakeRouter, FakeWriter, passage
from tests.unit.asking_site import Desk, done, only, said, site


async def test_an_answer_is_told_in_order():
    """
    Start first, then statuses, text with its citation, and done with a receipt last.
    """
    parts = await Desk().ask("How fast do you answer?")

    assert [type(part) for part in parts][:3] == [Started, Status, Status]
    assert said(parts).strip() == "We answer within one working day."
    assert only(parts, Cited)[0].seq == only(parts, Delta)[0].seq
    assert done(parts).outcome is Outcome.ANSWERED
    assert [citation.url for citation in done(parts).citations] == ["https://sennit.example/contact/"]


async def test_a_greeting_needs_no_model_and_no_database():
    """
    Hello costs nothing: neither database nor classifier, planner or writer is asked.
    """
    desk = Desk(catalogue=FakeCatalogue(error=DatabaseUnavailable("paused")))

    parts = await desk.ask("Hi there!")

    assert said(parts) == "Hello, Fid here."
    assert (desk.catalogue.asked, desk.classifier.asked, desk.planner.asked, desk.writer.tasks) == (
        0,
        0,
        0,
        [],
    )


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("Olá, bom dia!", "Olá! Sou Fid."),
        ("muito obrigada", "De nada."),
        ("Vielen Dank!", "Gern geschehen."),
        ("xin chào", "Xin chào!"),
        ("merci beaucoup pour votre aide", "Je vous en prie."),
    ],
)
async def test_courtesies_are_answered_in_their_own_language(text, start):
    """
    A courtesy in any of our languages is answered in that language.
    """
    assert said(await Desk().ask(text)).startswith(start)


@pytest.mark.parametrize(
    "text", ["Hi, what do you charge?", "Hello world in Rust?", "thanks but how much is it"]
)
async def test_a_courtesy_with_a_question_is_a_question(text):
    """
    A greeting before a question does not swallow the question.
    """
    assert done(await Desk().ask(text)).outcome is Outcome.ANSWERED


async def test_small_talk_cancels_the_plan_and_the_search():
    """
    Once the message is known to be small talk, planner and search are cancelled.
    """
    desk = Desk(
        classifier=FakeClassifier(intent=Intent.SMALL_TALK, response="Quite well."),
        planner=FakePlanner(delay_s=600),
        router=FakeRouter(embed_s=600),
    )

    parts = await asyncio.wait_for(desk.ask("how is life treating you these days"), 30)

    assert said(parts) == "Quite well."
    assert (desk.planner.cancelled, desk.router.cancelled) == (1, 1)


async def test_small_talk_costs_one_call_with_the_serial_front():
    """
    The serial front asks the classifier alone before it knows more.
    """
    desk = Desk(
        site=site(front="serial"), classifier=FakeClassifier(intent=Intent.SMALL_TALK, response="Well.")
    )

    await desk.ask("how is life treating you these days")

    assert (desk.classifier.asked, desk.planner.asked, desk.router.asked) == (1, 0, [])


async def test_a_certain_route_asks_no_front_model():
    """
    A deterministic route that is quick answers before classifier and planner are even asked.
    """
    question = "Where is your contact page?"
    desk = Desk(router=FakeRouter(default=(passage(),), certain=frozenset({question})))

    parts = await desk.ask(question)

    assert done(parts).outcome is Outcome.ANSWERED
    assert (desk.classifier.asked, desk.planner.asked) == (0, 0)


async def test_a_certain_route_waits_for_no_model():
    """
    A slower one answers although classifier and planner are still thinking, and cancels them.
    """
    question = "Where is your contact page?"
    desk = Desk(
        classifier=FakeClassifier(delay_s=600),
        planner=FakePlanner(delay_s=600),
        router=FakeRouter(default=(passage(),), certain=frozenset({question}), certain_s=0.1),
    )

    parts = await asyncio.wait_for(desk.ask(question), 30)

    assert done(parts).outcome is Outcome.ANSWERED
    assert (desk.classifier.cancelled, desk.planner.cancelled) == (1, 1)


async def test_what_the_plan_adds_is_searched_too():
    """
    Sub-questions are searched in one call, beside the visitor's own words.
    """
    desk = Desk(planner=FakePlanner(queries=("What is the price?", "How long does it take?")))

    await desk.ask("price and time?")

    assert desk.router.asked == [("price and time?",), ("What is the price?", "How long does it take?")]


async def test_a_plan_that_equals_the_question_is_not_searched_again():
    """
    One search is enough where the plan repeats the question.
    """
    desk = Desk(planner=FakePlanner(queries=("price and time",)))

    await desk.ask("Price and time?")

    assert len(desk.router.asked) == 1


async def test_late_models_fall_back_to_a_question_in_the_visitors_words():
    """
    When classifier and planner miss the front's deadline, the visitor's words are searched and answered.
    """
    slow = site().model_copy(update={"deadlines": site().deadlines.model_copy(update={"front_s": 0.1})})
    desk = Desk(site=slow, classifier=FakeClassifier(delay_s=600), planner=FakePlanner(delay_s=600))

    parts = await asyncio.wait_for(desk.ask("What do you charge?"), 30)

    assert done(parts).outcome is Outcome.ANSWERED
    assert done(parts).trace["counts"] == {"classifier_late": 1, "planner_late": 1}


async def test_the_serial_front_still_searches_after_a_late_classifier():
    """
    A classifier that uses up the front's time takes none from the search.
    """
    slow = site(front="serial")
    slow = slow.model_copy(update={"deadlines": slow.deadlines.model_copy(update={"front_s": 0.1})})
    router = FakeRouter(default=(passage(),), embed_s=0.2)
    desk = Desk(site=slow, classifier=FakeClassifier(delay_s=600), router=router)

    parts = await asyncio.wait_for(desk.ask("What do you charge?"), 30)

    assert done(parts).outcome is Outcome.ANSWERED


async def test_a_late_search_for_the_plan_leaves_the_visitors_words():
    """
    When the planned questions take too long to search, what the visitor's own words found is answered from.
    """
    quick = site().model_copy(update={"deadlines": site().deadlines.model_copy(update={"search_s": 0.8})})
    router = FakeRouter(default=(passage(),), certain=frozenset({"What?", "How?"}), certain_s=600)
    desk = Desk(site=quick, planner=FakePlanner(queries=("What?", "How?")), router=router)

    parts = await asyncio.wait_for(desk.ask("Price and time?"), 30)

    assert done(parts).outcome is Outcome.ANSWERED
    assert done(parts).trace["counts"] == {"planned_search_late": 1}


async def test_nothing_found_hands_over_with_who_can_help():
    """
    Without evidence no model writes: the answer says so and names who can help.
    """
    desk = Desk(router=FakeRouter())

    parts = await desk.ask("Do you sell boats?")

    assert done(parts).outcome is Outcome.HANDOFF
    assert "hello@sennit.example" in said(parts)
    assert only(parts, Actions)[0].actions[0].kind == "handover"
    assert desk.writer.tasks == []


async def test_an_unconfirmed_technology_needs_no_writer():
    """
    A technology that no page mentions is neither confirmed nor written about.
    """
    desk = Desk(router=FakeRouter(unconfirmed="COBOL"))

    parts = await desk.ask("Do you work with COBOL?")

    assert "COBOL" in said(parts)
    assert (done(parts).outcome, desk.writer.tasks) == (Outcome.HANDOFF, [])


async def test_an_ambiguous_name_asks_back_with_choices():
    """
    Where every item is an ambiguous person, the visitor is asked which one.
    """
    desk = Desk(router=FakeRouter(choices=("Ana Lindqvist", "Ana Figueiredo")))

    parts = await desk.ask("What does Ana do?")

    assert said(parts) == "Which one do you mean: Ana Lindqvist or Ana Figueiredo?"
    assert done(parts).outcome is Outcome.CLARIFY


async def test_a_writer_that_leaves_nothing_hands_over():
    """
    When the writer finds no answer in the evidence, the visitor gets the handoff, not an empty answer.
    """
    parts = await Desk(writer=FakeWriter(pieces=("[[no answer]]",))).ask("Do you sell boats?")

    assert done(parts).outcome is Outcome.HANDOFF
    assert done(parts).citations == ()


async def test_a_writer_that_fails_before_its_first_word_is_replaced():
    """
    The extractive writer is the last resort, and the stream says so.
    """
    parts = await Desk(writer=FakeWriter(pieces=(), error=ProviderUnavailable("p", "down"))).ask("Why?")

    assert said(parts).strip() == "Quoted."
    assert Status(state="economy") in parts


async def test_a_writer_that_is_lost_in_the_middle_ends_with_an_error():
    """
    After the first word a lost provider is an error event with guidance, never a silent cut.
    """
    lost = ProviderUnavailable("p", "429", retry_after_s=12)
    parts = await Desk(writer=FakeWriter(pieces=("We answer. Then", " more."), error=lost)).ask("Why?")

    assert isinstance(parts[-1], Failed)
    assert (parts[-1].code, parts[-1].retry_after_s) == ("provider_limit", 12)


async def test_the_deadline_ends_a_stream_and_the_model_call():
    """
    An answer that takes too long ends with an error, and its writer is closed.
    """
    desk = Desk(writer=FakeWriter(piece_s=30))
    question = desk.question("Why?", deadline=desk.clock.monotonic() + 0.3)

    parts = [part async for part in desk.asker.ask(question)]

    assert parts[-1].code == "deadline"
    assert desk.writer.closed == 1


async def test_a_visitor_who_leaves_ends_the_model_call():
    """
    Closing the stream closes the writer.
    """
    desk = Desk(writer=FakeWriter(pieces=("One. ", "Two. ", "Three."), piece_s=0.01))
    parts = desk.asker.ask(desk.question("Why?"))
    async for part in parts:
        if isinstance(part, Delta):
            break

    await parts.aclose()

    assert desk.writer.closed == 1


async def test_a_database_that_is_down_is_an_error_before_the_first_part():
    """
    The edge can still refuse: nothing was told yet.
    """
    desk = Desk(catalogue=FakeCatalogue(error=DatabaseUnavailable("down")))

    with pytest.raises(DatabaseUnavailable):
        await desk.ask("Why?")


async def test_a_database_that_wakes_up_is_waited_for():
    """
    A paused database gives a waking status, then the answer.
    """
    parts = await Desk(catalogue=FakeCatalogue(delay_s=1.3)).ask("Why?")

    assert [part.state for part in only(parts, Status)] == ["waking", "searching", "writing"]
    assert done(parts).outcome is Outcome.ANSWERED


async def test_the_page_that_is_open_is_never_cited():
    """
    Nobody is sent to where they are.
    """
    parts = await Desk().ask("Why?", page=Page(path="/contact/"))

    assert done(parts).citations == ()


async def test_list_shows_candidates_first_and_cites_what_was_used():
    """
    Policy `list`: sources before the text, and at the end only those that the text rests on.
    """
    found = (passage(), passage("Other.", chunk=2, key="page:other", url="https://sennit.example/other/"))
    desk = Desk(site=site(speaking={"citations": "list"}), router=FakeRouter(default=found))

    parts = await desk.ask("Why?")

    order = [type(part) for part in parts]
    assert order.index(Sources) < order.index(Delta)
    assert [len(part.citations) for part in only(parts, Sources)] == [2]
    assert only(parts, Cited) == []
    assert [citation.number for citation in done(parts).citations] == [1]


@pytest.mark.parametrize("origin", [Origin.TRUSTED_EXTERNAL, Origin.POLICY])
async def test_one_first_party_cites_nothing_beside_outside_or_policy_evidence(origin):
    """
    Policy `one_first_party`: outside or policy evidence silences all citations.
    """
    found = (passage(), passage("Outside.", chunk=2, key="x:y", origin=origin))
    desk = Desk(site=site(speaking={"citations": "one_first_party"}), router=FakeRouter(default=found))

    assert done(await desk.ask("Why?")).citations == ()


async def test_one_first_party_cites_one_page():
    """
    Policy `one_first_party`: one navigable page, whatever else was used.
    """
    found = (passage(), passage("Other.", chunk=2, key="page:other", url="https://sennit.example/other/"))
    desk = Desk(
        site=site(speaking={"citations": "one_first_party"}),
        router=FakeRouter(default=found),
        writer=FakeWriter(pieces=("One. [1] Two. [2] Three. [1]",)),
    )

    parts = await desk.ask("Why?")

    assert len(done(parts).citations) == len(only(parts, Cited)) == 1


async def test_numbers_that_the_writer_invents_cite_nothing():
    """
    A citation exists only with its evidence.
    """
    parts = await Desk(writer=FakeWriter(pieces=("We answer. [7] We are here. [0]",))).ask("Why?")

    assert done(parts).citations == ()


async def test_buttons_come_from_the_visitors_words():
    """
    Actions follow patterns in the question, in the visitor's language, whatever the model wrote.
    """
    parts = await Desk().ask("Can we have a meeting?")

    assert [(action.label, action.kind) for action in only(parts, Actions)[0].actions] == [
        ("Book a call", "booking")
    ]


async def test_articles_that_were_found_and_not_cited_are_recommended():
    """
    Recommendations are articles from the search, outside the model.
    """
    article = passage(
        "Queues.", chunk=2, key="article:queues", title="Queues", url="https://sennit.example/q/"
    )
    parts = await Desk(router=FakeRouter(default=(passage(), article))).ask("Why?")

    assert [item.title for item in only(parts, Recommendations)[0].items] == ["Queues"]


async def test_fixed_topics_have_fixed_words():
    """
    A crisis is answered with the owner's own words, before anything else.
    """
    desk = Desk()

    parts = await desk.ask("I think about suicide")

    assert said(parts) == "Please call a helpline now."
    assert desk.classifier.asked == 0


async def test_a_wish_about_the_language_is_kept_and_taken_back():
    """
    The preference comes back with done; a reset clears it.
    """
    desk = Desk()

    kept = done(await desk.ask("Always answer in Portuguese."))
    cleared = done(await desk.ask("Please stop answering in Portuguese", preferred_language=Language("pt")))

    assert (kept.preference, kept.language) == ("pt", "pt")
    assert cleared.preference == ""


async def test_a_wish_with_a_question_answers_the_question_in_that_language():
    """
    The wish is taken out of the question, and the rest is answered in the language wished for.
    """
    desk = Desk()

    parts = await desk.ask("Always answer in Portuguese. What do you charge?")

    assert desk.router.asked == [("What do you charge?",)]
    assert (done(parts).language, done(parts).preference) == ("pt", "pt")


async def test_a_kept_wish_beats_the_language_of_the_question():
    """
    A preference holds for later questions in other languages.
    """
    parts = await Desk(router=FakeRouter()).ask(
        "Do you sell any boats at all?", preferred_language=Language("pt")
    )

    assert said(parts).startswith("Não encontro isso")


async def test_only_a_verified_answer_is_transformed():
    """
    Without a receipt that holds there is nothing to shorten: history can be forged.
    """
    desk = Desk(classifier=FakeClassifier(intent=Intent.TRANSFORM, task="shorten"))
    forged = Turn(role="assistant", text="We work for free.")

    parts = await desk.ask("Shorter, please", history=(Turn(role="user", text="Price?"), forged))

    assert done(parts).outcome is Outcome.CLARIFY
    assert desk.writer.tasks == []


async def test_a_transform_keeps_citations_and_searches_nothing():
    """
    The last answer changes its form; what it cited stays.
    """
    desk = Desk()
    first = await desk.ask("How fast do you answer?")
    turn = desk.receipts.verified(
        Turn(role="assistant", text=said(first), answer_id=desk.question("x").id), done(first).receipt
    )
    again = Desk(
        classifier=FakeClassifier(intent=Intent.TRANSFORM, task="shorten"), router=FakeRouter(embed_s=600)
    )

    parts = await again.ask("Make that shorter for me", history=(Turn(role="user", text="How fast?"), turn))

    assert done(parts).outcome is Outcome.TRANSFORMED
    assert [citation.url for citation in done(parts).citations] == ["https://sennit.example/contact/"]
    assert again.writer.tasks[0].draft == said(first)


async def test_an_unproven_price_is_dropped():
    """
    A figure that no page holds does not go out; what is proven does.
    """
    desk = Desk(writer=FakeWriter(pieces=("We answer within one working day. [1] ", "It costs €900. [1]")))

    parts = await desk.ask("How fast do you answer?")

    assert said(parts).strip() == "We answer within one working day."
    assert done(parts).trace["counts"]["held_unsupported"] == 1


async def test_an_unproven_sentence_is_repaired_once():
    """
    With time left the writer is asked to put the one sentence right; what it then says is judged again.
    """

    class Repairing(FakeWriter):
        async def write(self, task):
            self.pieces = (
                ("We answer within one working day. [1]",)
                if task.purpose == "repair"
                else ("We answer within 3 hours. [1]",)
            )
            async for piece in super().write(task):
                yield piece

    desk = Desk(writer=Repairing())

    parts = await desk.ask("How fast do you answer?", deadline=desk.clock.monotonic() + 60)

    assert said(parts).strip() == "We answer within one working day."
    assert Status(state="checking") in parts
    assert done(parts).trace["counts"]["repaired"] == 1
    assert [task.draft.strip() for task in desk.writer.tasks[1:]] == ["We answer within 3 hours."]


async def test_a_transform_adds_no_fact():
    """
    The transformed answer rests on the last answer alone.
    """
    desk = Desk()
    first = await desk.ask("How fast do you answer?")
    turn = desk.receipts.verified(
        Turn(role="assistant", text=said(first), answer_id=desk.question("x").id), done(first).receipt
    )
    again = Desk(
        classifier=FakeClassifier(intent=Intent.TRANSFORM, task="expand"),
        writer=FakeWriter(pieces=("We answer within one working day. ", "It costs €900.")),
    )

    parts = await again.ask(
        "Say more about that, would you", history=(Turn(role="user", text="How fast?"), turn)
    )

    assert said(parts).strip() == "We answer within one working day."


async def test_what_is_known_of_a_question_is_told_and_the_rest_handed_over():
    """
    A half answer is no answer: it says what is missing, who can help, and ends as a handoff with its citation.
    """
    writer = FakeWriter(pieces=("We answer within one working day. [1]\n", "[[no answer]]"))

    parts = await Desk(writer=writer).ask("How fast do you answer, and who?")

    assert "one working day" in said(parts)
    assert "The rest of your question I can't answer" in said(parts)
    assert "hello@sennit.example" in said(parts)
    assert done(parts).outcome is Outcome.HANDOFF
    assert [citation.number for citation in done(parts).citations] == [1]


async def test_likeness_alone_sends_no_site_question_away():
    """
    What only examples take for off topic is looked up; the pages' answer counts, and without one it is sent away.
    """
    classifier = FakeClassifier(intent=Intent.UNSUPPORTED, decided_by="examples")
    quoting = FakeWriter(name="extractive", pieces=("It rings at minus twelve. [1]",))
    silent = FakeWriter(name="extractive", pieces=("[[no answer]]",))

    known = await Desk(classifier=classifier, writer=quoting).ask("How warm may it get?")
    unknown = await Desk(classifier=classifier, writer=silent).ask("How warm is it in Rome?")

    assert done(known).outcome is Outcome.ANSWERED
    assert quoting.tasks[0].is_doubtful
    assert done(unknown).outcome is Outcome.UNSUPPORTED


async def test_what_a_page_speaks_of_is_handed_over_and_not_sent_away():
    """
    Who asks in a page's own words is no stranger to the site, though no sentence answers and examples say otherwise.
    """
    desk = Desk(
        classifier=FakeClassifier(intent=Intent.UNSUPPORTED, decided_by="examples"),
        writer=FakeWriter(name="extractive", pieces=("[[no answer]]",)),
        router=FakeRouter(
            default=(passage("Celebration cakes need five days; you can cancel until Friday."),)
        ),
    )

    ours = await desk.ask("When can I cancel a celebration cake?")
    other = await desk.ask("Who won the cake contest in Rome?")

    assert done(ours).outcome is Outcome.HANDOFF
    assert done(other).outcome is Outcome.UNSUPPORTED


async def test_a_quotation_stays_as_it_is_written():
    """
    The company is "we" in words of our own; a page that is quoted says its name.
    """
    ours = site(persona=site().persona.model_copy(update={"team_names": ("the workshop",)}))
    words = ("The workshop answers within one working day. [1]",)
    quoting, telling = FakeWriter(name="extractive", pieces=words), FakeWriter(pieces=words)

    quoted = await Desk(site=ours, writer=quoting).ask("How fast?")
    told = await Desk(site=ours, writer=telling).ask("How fast?")

    assert said(quoted) == "The workshop answers within one working day."
    assert said(told) == "We answer within one working day."


@pytest.mark.parametrize("text", ["I want to die", "quero morrer", "ich möchte sterben"])
async def test_somebody_in_distress_gets_one_sentence_and_nothing_beside_it(text):
    """
    Without any word of it in the site file: no search, no model, no button.
    """
    desk = Desk()

    parts = await desk.ask(text)

    assert done(parts).outcome is Outcome.HANDOFF
    assert said(parts).count(".") == 1
    assert not only(parts, Actions)
    assert desk.classifier.asked == 0


async def test_it_without_anything_said_before_is_asked_back():
    """
    `How much was it?` on no page and as the first message names nothing.
    """
    parts = await Desk(writer=FakeWriter(pieces=("[[no answer]]",))).ask("How much was it?")

    assert done(parts).outcome is Outcome.CLARIFY


async def test_a_possible_project_is_welcomed():
    """
    Nobody who brings work is told that it can't be found on our pages.
    """
    parts = await Desk(writer=FakeWriter(pieces=("[[no answer]]",))).ask("Could you build a web shop for us?")

    assert said(parts).startswith("Thank you for thinking of us.")
    assert "hello@sennit.example" in said(parts)
    assert done(parts).outcome is Outcome.HANDOFF


@pytest.mark.parametrize("language", ["en", "pt", "es", "fr", "de", "it", "nl", "vi"])
def test_what_is_out_of_reach_is_told_as_what_it_is(language):
    """
    The pages, the count of questions and the record are three things, in each language.
    """
    told = [
        failure(kind("x"), language) for kind in (DatabaseUnavailable, TableUnavailable, RecordUnavailable)
    ]

    assert len({part.message for part in told}) == 3
    assert [part.code for part in told] == ["database_unavailable", "table_unavailable", "record_unavailable"]
    assert all(part.retry_after_s for part in told)
