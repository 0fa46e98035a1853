"""How an answer is read: where it starts, what scrolls, what can be copied, which evidence is shown."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from playwright.async_api import Browser, Locator

from tests.e2e.widget.scripted import Play, Refuse, Script, stream
from tests.e2e.widget.visitor import PHONE, page_html, visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")

LONG_TASK_MS = 50
MOST_RUNS = 6
TOP_OF_LAST = """() => {
  const root = document.querySelector("magpie-chat").shadowRoot;
  const log = root.querySelector(".log");
  const turn = root.querySelector(".turn:last-child");
  return { turn: turn.getBoundingClientRect().top - log.getBoundingClientRect().top, scrolled: log.scrollTop, most: log.scrollHeight - log.clientHeight };
}"""


async def test_a_long_answer_starts_at_its_top(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    The question moves to the top of the view and stays there, however much comes below it.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("long"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.asked()
        place = await visitor.page.evaluate(TOP_OF_LAST)

        assert 0 <= place["turn"] <= 40
        assert place["most"] > place["scrolled"] + 100
        await visitor.find(".jump").click()
        assert (await visitor.page.evaluate(TOP_OF_LAST))["most"] - (
            await visitor.page.evaluate(TOP_OF_LAST)
        )["scrolled"] < 2


async def test_the_answer_to_a_question_as_long_as_the_view_is_seen(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    Of a question that fills the view its last lines stay, so that what came of it is in sight.
    """
    script.page = page_html(assistant)
    script.plays = [Refuse(status=422, code="message_too_long"), Play(events=stream("long"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        for _ in ("refused", "answered"):
            await visitor.ask("We have a question about a project. " * 60)
            shown = visitor.find(".turn:last-child :is(.trouble [role=alert], .text p)").first
            await shown.wait_for()

            async def is_in_sight(shown: Locator = shown) -> bool:
                log, words = await visitor.find(".log").bounding_box(), await shown.bounding_box()
                return bool(log and words and log["y"] < words["y"] < log["y"] + log["height"] - 24)

            await visitor.until(is_in_sight, "what came of the question, in sight")
            await visitor.page.wait_for_timeout(100)
            await visitor.until(is_in_sight, "what came of the question, still in sight")


async def test_scrolling_up_ends_the_following(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    After the first upward scroll nothing moves by itself, though the answer goes on.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("long")), Play(events=stream("long"), pause_s=0.004)]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.asked()
        await visitor.ask("Again?")
        await visitor.find(".turn:nth-child(2) .text p").first.wait_for()
        await visitor.find(".log").hover()
        start = (await visitor.page.evaluate(TOP_OF_LAST))["scrolled"]
        await visitor.page.mouse.wheel(0, -400)

        async def has_scrolled() -> bool:
            return (await visitor.page.evaluate(TOP_OF_LAST))["scrolled"] < start - 300

        await visitor.until(has_scrolled, "the scroll")
        await visitor.page.wait_for_timeout(200)  # a wheel may roll on
        before = await visitor.page.evaluate(TOP_OF_LAST)
        await visitor.find(".turn:nth-child(2) .tools > *").first.wait_for()
        after = await visitor.page.evaluate(TOP_OF_LAST)

    assert after["scrolled"] == before["scrolled"]
    assert after["most"] > before["most"]


async def test_nothing_takes_longer_than_50_ms_while_700_tokens_stream(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    The page stays answerable: no task of its main thread is a long one between question and last word.

    Counted is the time that the thread itself computes, in the calmest of some runs: by the clock, or on a
    virtual machine that is kept waiting, other work would count.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("vietnamese")), Play(events=stream("long"), pause_s=0.002)]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.asked()
        longest = []
        while len(longest) < MOST_RUNS and not any(ms < LONG_TASK_MS for ms in longest):
            async with traced(chromium) as tasks:
                await visitor.asked("And in detail?")
            computed = [task["tdur"] for task in tasks if "tdur" in task]
            assert len(computed) > 0.9 * len(tasks)  # one that a run cuts in two may lack its own time
            longest.append(max(computed) / 1000)

    assert min(longest) < LONG_TASK_MS, longest


@asynccontextmanager
async def traced(chromium: Browser) -> AsyncIterator[list[dict[str, Any]]]:
    """The tasks of pages' main threads, filled in at the end."""
    devtools = await chromium.new_browser_cdp_session()
    events: list[dict[str, Any]] = []
    is_complete = asyncio.Event()
    devtools.on("Tracing.dataCollected", lambda data: events.extend(data["value"]))
    devtools.on("Tracing.tracingComplete", lambda _: is_complete.set())
    config = {"includedCategories": ["toplevel", "__metadata"], "excludedCategories": ["*"]}
    await devtools.send("Tracing.start", {"traceConfig": config, "transferMode": "ReportEvents"})
    tasks: list[dict[str, Any]] = []
    yield tasks
    await devtools.send("Tracing.end")
    await asyncio.wait_for(is_complete.wait(), 30)
    named = [event for event in events if event.get("name") == "thread_name"]
    main = {(event["pid"], event["tid"]) for event in named if event["args"]["name"] == "CrRendererMain"}
    ran = [(event["pid"], event["tid"]) for event in events if event["name"].endswith("RunTask")]
    # Others are processes that the browser warms up for pages to come.
    [(busiest, _)] = Counter(thread for thread in ran if thread in main).most_common(1)
    tasks += [
        event
        for event in events
        if (event["pid"], event["tid"]) == busiest and event["name"].endswith("RunTask")
    ]
    await devtools.detach()


HELD = """async () => {
  const { blocksOf } = await import("/source/text.js");
  const flat = (node) => typeof node === "string" ? node : `<${node.tag}>${node.children.map(flat).join("")}`;
  const text = "See [our prices](https://a.example/p) and https://a.example/x_(y), or **this one**:\\n- first thing\\n- second `thing`\\n\\n1. one\\n2. two\\nThe end.";
  const shown = [];
  for (let end = 1; end <= text.length; end += 1) shown.push(blocksOf(text.slice(0, end), end === text.length, () => "").map(flat).join(""));
  return shown;
}"""


async def test_links_and_lists_appear_whole(chromium: Browser, owner: str, script: Script) -> None:
    """
    At no letter of a stream is half an address, half a link, a lone marker or half an item shown.
    """
    async with visiting(chromium, script, owner) as visitor:
        shown = await visitor.page.evaluate(HELD)

    for view in shown[:-1]:
        assert "[" not in view
        assert "http" not in view
        assert "*" not in view
        assert "`" not in view
        assert "<li>first thin<" not in view + "<"
        assert not view.endswith(("-", "\n1", "<br>"))
    assert shown[-1] == (
        "<p>See <a>our prices and <a>a.example/x_(y), or <strong>this one:"
        "<ul><li>first thing<li>second <code>thing<ol><li>one<li>two<p>The end."
    )


async def test_the_selection_survives_what_comes_after_it(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    Text that a visitor has selected in the first sentence stays selected while the rest streams.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("long"), pause_s=0.003)]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.ask()
        await visitor.answer.get_by_text("The first week goes to").first.wait_for()
        same = await visitor.page.evaluate_handle(
            """() => document.querySelector("magpie-chat").shadowRoot.querySelector(".text p").firstChild"""
        )
        await visitor.find(".tools > *").first.wait_for()

        assert await same.evaluate(
            "(node) => node.isConnected && node.data.startsWith('The first week goes to')"
        )


async def test_a_citations_quote_shows_on_hover_focus_and_press(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    The pointer may move onto the card; Escape hides it and leaves the panel open.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("answer"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.asked()
        card = visitor.find(".card")
        await visitor.find(".mark").first.hover()
        await card.get_by_text("A discovery fortnight costs EUR 9,500").wait_for()
        await card.hover()
        await visitor.page.wait_for_timeout(400)
        assert await card.is_visible()
        assert await card.locator("a").get_attribute("href") == "https://northbank.example/pricing/"
        await visitor.page.mouse.move(5, 5)
        await card.wait_for(state="hidden")
        await visitor.find(".mark").nth(2).focus()
        await card.get_by_text("A build takes 10 to 14 weeks").wait_for()
        assert await visitor.find(".mark").nth(2).get_attribute("aria-describedby") == "card"
        await visitor.page.keyboard.press("Escape")
        await card.wait_for(state="hidden")
        assert await visitor.panel.is_visible()


async def test_a_citations_quote_shows_on_touch(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    A tap shows it, a second one hides it; of two numbers side by side the one that is meant.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("answer"))]

    async with visiting(chromium, script, owner, viewport=PHONE, has_touch=True, is_mobile=True) as visitor:
        await visitor.open()
        await visitor.asked()
        await visitor.find(".mark").nth(1).tap()
        await visitor.find(".card").get_by_text("EUR 9,500").wait_for()
        await visitor.find(".mark").nth(1).tap()
        await visitor.find(".card").wait_for(state="hidden")


async def test_an_answer_can_be_copied_with_and_without_its_sources(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    The clipboard holds the words alone, or the words and numbered sources with their addresses.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("list"))]

    async with visiting(
        chromium, script, owner, permissions=["clipboard-read", "clipboard-write"]
    ) as visitor:
        await visitor.open()
        await visitor.asked()
        await visitor.find("[data-do=copy]").click()
        await visitor.find("[role=status]").get_by_text("Copied").wait_for(state="attached")
        bare = await visitor.page.evaluate("navigator.clipboard.readText()")
        await visitor.find("[data-do=copy-sources]").click()
        await visitor.until(
            lambda: visitor.page.evaluate(
                "navigator.clipboard.readText().then((text) => text.includes('Sources'))"
            ),
            "sources",
        )
        sourced = await visitor.page.evaluate("navigator.clipboard.readText()")

    assert bare == "A discovery fortnight costs €9,500. A build starts at €48,000."
    assert sourced == (
        f"{bare}\n\nSources:\n1. What a project costs https://northbank.example/pricing/\n"
        "2. How we work https://northbank.example/process/"
    )


async def test_each_message_has_its_own_language_and_direction(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    An Arabic answer on an English page reads from the right and is spoken in Arabic; the panel around it is English.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("arabic"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.asked()

        assert await visitor.answer.get_attribute("lang") == "ar"
        assert await visitor.answer.get_attribute("dir") == "rtl"
        assert await visitor.panel.get_attribute("lang") == "en"
        assert await visitor.panel.get_attribute("dir") == "ltr"


@pytest.mark.parametrize(
    ("language", "placeholder", "direction"),
    [
        ("pt-BR", "Faça uma pergunta", "ltr"),
        ("vi", "Hãy đặt câu hỏi", "ltr"),
        ("ar", "اطرح سؤالًا", "rtl"),
        ("xx", "Ask a question", "ltr"),
    ],
)
async def test_the_panel_speaks_the_pages_language(
    chromium: Browser,
    assistant: str,
    owner: str,
    script: Script,
    language: str,
    placeholder: str,
    direction: str,
) -> None:
    """
    The page's `lang` decides, then the browser's, else English; only that language is fetched.
    """
    script.page = page_html(assistant, language=language)

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()

        assert await visitor.field.get_attribute("placeholder") == placeholder
        assert await visitor.panel.get_attribute("dir") == direction
        assert len([name for name in script.fetched if "languages/" in name]) == 1


async def test_an_answer_is_rated_with_its_receipt(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    Usefulness 1 to 5, whether it helped and why, go out with answer and receipt, and the questions that a name in the reason
    is known by; what could not be saved stays.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("list"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.asked()
        await visitor.find("[data-do=rate]").first.click()
        await visitor.find(".scale label").nth(1).click()
        await visitor.find(".choices label").get_by_text("No", exact=True).click(force=True)
        await visitor.find(".choices label").get_by_text("Outdated").click(force=True)
        await visitor.find(".free input").fill("prices of last year")
        script.rating_status = 500
        await visitor.find(".rating [type=submit]").click()
        await visitor.find(".rating .why").get_by_text("could not be saved").wait_for()
        assert await visitor.find(".free input").input_value() == "prices of last year"
        script.rating_status = 204
        await visitor.find(".rating [type=submit]").click()
        await visitor.find(".thanks").wait_for()

    assert script.rated[-1] == {
        "answer_id": "l1",
        "receipt": "receipt-l",
        "usefulness": 2,
        "used": False,
        "reason": "outdated: prices of last year",
        "ticket": "ticket-l1",
        "questions": ["What does a project cost?"],
    }


async def test_a_rating_can_be_changed(chromium: Browser, assistant: str, owner: str, script: Script) -> None:
    """
    On a later page too, the form shows what was said; what is sent then takes its place, the rest unchanged.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("list"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.asked()
        await visitor.find("[data-do=rate]").click()
        await visitor.find(".scale label").nth(1).click()
        await visitor.find(".choices label").get_by_text("No", exact=True).click(force=True)
        await visitor.find(".choices label").get_by_text("Outdated").click(force=True)
        await visitor.find(".free input").fill("prices of last year")
        await visitor.find(".rating [type=submit]").click()
        await visitor.find(".thanks").wait_for()
        await visitor.page.reload()
        await visitor.find("[data-do=rate]").click()
        assert await visitor.find(".rating :checked").evaluate_all(
            "(all) => all.map(({ value }) => value)"
        ) == [
            "2",
            "no",
            "outdated",
        ]
        await visitor.find(".scale label").nth(3).click()
        await visitor.find(".rating [type=submit]").click()
        await visitor.find(".thanks").wait_for()

    first, second = script.rated
    assert (first["usefulness"], second["usefulness"]) == (2, 4)
    assert {**first, "usefulness": 4} == second


async def test_a_quote_keeps_to_the_column_and_to_its_own_direction(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    On a full page the card is as wide as the answer; an English source reads from the left in an Arabic panel.
    """
    script.page = page_html(assistant, language="ar")
    script.config["looks"]["mode"] = "full_page"
    script.plays = [Play(events=stream("answer"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.asked()
        await visitor.find(".mark").first.click()
        card, text = await visitor.find(".card").bounding_box(), await visitor.answer.bounding_box()
        direction = "(node) => getComputedStyle(node).direction"

        assert card and text
        assert abs(card["x"] - text["x"]) < 8
        assert abs(card["width"] - text["width"]) < 16
        assert await visitor.find(".card .title").evaluate(direction) == "ltr"
