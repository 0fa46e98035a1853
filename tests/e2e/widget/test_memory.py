"""What a tab remembers, for whom, and for how long."""

import pytest
from playwright.async_api import Browser

from tests.e2e.widget.scripted import Play, Script, stream
from tests.e2e.widget.visitor import Visitor, page_html, visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_conversation_goes_on_across_pages(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    Messages with receipts, ticket, count, spoken language and open panel survive a navigation, and no focus is taken.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("vietnamese")), Play(events=stream("list"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.asked("Giá bao nhiêu?")
        await visitor.page.get_by_text("Another page").click()
        await visitor.panel.wait_for(state="visible")
        assert await visitor.page.evaluate("document.activeElement.localName") == "body"
        assert "9.500 €. 🪶" in await visitor.answer.inner_text()
        await visitor.asked("Và bao lâu?")
        stored = (await visitor.stored())["1"]

    second = script.asked[1]
    assert [message["role"] for message in second["messages"]] == ["user", "assistant", "user"]
    assert (
        second["messages"][1]["content"]
        == "Một đợt khảo sát hai tuần giá 9.500 €. 🪶 Thời gian làm là 10 đến 14 tuần."
    )
    assert (second["messages"][1]["answer_id"], second["messages"][1]["receipt"]) == ("v1", "receipt-v")
    assert (second["ticket"], second["language"], second["page"]["path"]) == (
        "ticket-v1",
        "vi",
        "/elsewhere/",
    )
    assert stored["count"] == 2


async def test_an_answer_that_was_coming_comes_on_the_next_page(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    A visitor who follows a link while an answer streams gets the rest: the same key, nothing said twice.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("answer")[:6], hold=True), Play(events=stream("answer"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.ask()
        await visitor.answer.get_by_text("We start with").wait_for()
        await visitor.page.get_by_text("Another page").click()
        await visitor.find(".turn:last-child .tools > *").first.wait_for()
        text = await visitor.answer.inner_text()

    assert text.count("We start with") == 1
    assert "handover week" in text
    assert script.asked[0]["idempotency_key"] == script.asked[1]["idempotency_key"]


async def test_another_tab_starts_afresh(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    By default the memory is the tab's: a second one knows nothing, and closing forgets.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("list"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.asked()
        other = Visitor(await visitor.page.context.new_page(), script)
        await other.page.goto(owner)
        await other.open()

        assert await other.find(".turn").count() == 0
        assert await visitor.page.evaluate("localStorage.length") == 0


async def test_fifty_messages_are_kept_and_eleven_are_sent(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    The oldest of more than 50 messages go; a question carries the ten before it.
    """
    turn = """(count) => {
      const kept = Object.keys(sessionStorage).find((key) => key.startsWith("magpie:1:"));
      const value = JSON.parse(sessionStorage.getItem(kept));
      value.turns = Array.from({ length: count }, (_, at) => ({ ...value.turns[0], id: `t${at}`, question: `Question ${at}`, at: at + 1 }));
      sessionStorage.setItem(kept, JSON.stringify(value));
    }"""
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("list"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.asked()
        await visitor.page.goto("about:blank")
        await visitor.page.goto(f"{owner}/blank")
        script.page = "<p>no widget"
        await visitor.page.goto(owner)
        await visitor.page.evaluate(turn, 30)
        script.page = page_html(assistant)
        await visitor.page.goto(owner)
        await visitor.panel.wait_for(state="visible")
        await visitor.ask("One more?")
        await visitor.until(lambda: len(script.asked) == 2, "the question")
        await visitor.find(".turn:last-child .tools > *").first.wait_for()
        turns = (await visitor.stored())["1"]["turns"]

    assert len(turns) == 25
    assert len(script.asked[1]["messages"]) == 11
    assert script.asked[1]["messages"][-1]["content"] == "One more?"


async def test_a_long_history_fits_the_servers_limit(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    Of ten messages with 8,000 letters of four bytes only so many are sent as 128 kB hold.
    """
    start, *_, done = stream("list")
    script.page = page_html(assistant)
    script.plays = [Play(events=[start, {"event": "delta", "seq": 0, "text": "🪶" * 4000}, done])]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        for number in range(6):
            await visitor.field.fill("ạ" * 8000)
            await visitor.page.keyboard.press("Enter")
            await visitor.until(lambda number=number: len(script.asked) == number + 1, "the question")
            await visitor.find(".turn:last-child .tools > *").first.wait_for()

    import json

    sizes = [len(json.dumps(body, ensure_ascii=False).encode()) for body in script.asked]
    assert max(sizes) < 128 * 1024
    assert all(len(body["messages"]) % 2 == 1 for body in script.asked)
    assert len(script.asked[-1]["messages"]) > 1


async def test_the_visitor_can_forget_it_all(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    After a question back, messages and ticket are gone from panel and storage; keeping is one key away.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("list"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.asked()
        await visitor.find("[data-do=forget]").click()
        await visitor.page.keyboard.press("Escape")
        assert await visitor.find(".turn").count() == 1
        await visitor.find("[data-do=forget]").click()
        await visitor.find("[data-do=clear]").click()
        await visitor.find(".starters").wait_for()
        stored = (await visitor.stored())["1"]

    assert (stored["turns"], stored["ticket"]) == ([], "")


async def test_the_owner_may_choose_no_memory(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    With `memory: none` nothing is written anywhere.
    """
    script.page = page_html(assistant)
    script.config["looks"]["memory"] = "none"
    script.plays = [Play(events=stream("list"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.asked()
        await visitor.page.reload()

        assert await visitor.page.evaluate("sessionStorage.length + localStorage.length") == 0
        await visitor.launcher.wait_for()
        assert await visitor.panel.count() == 0


async def test_two_tabs_with_one_memory_do_not_fight(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    With `memory: local` each tab's turns reach the other, none is lost, and clearing in one clears both.
    """
    script.page = page_html(assistant)
    script.config["looks"]["memory"] = "local"
    script.plays = [Play(events=stream("list"))]

    async with visiting(chromium, script, owner) as one:
        other = Visitor(await one.page.context.new_page(), script)
        await other.page.goto(owner)
        for visitor in (one, other):
            await visitor.open()
        await one.asked("From the first?")
        await other.find(".turn").first.wait_for()
        await other.asked("From the second?")
        await one.find(".turn").nth(1).wait_for()
        assert await one.find(".said").all_inner_texts() == await other.find(".said").all_inner_texts()
        await one.page.evaluate("document.querySelector('magpie-chat').clear()")
        await other.until(lambda: _is_empty(other), "the other tab forgets")


async def _is_empty(visitor: Visitor) -> bool:
    return await visitor.find(".turn").count() == 0


async def test_a_browser_that_forbids_storage_still_chats(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    Where storage throws, the conversation lives as long as the page.
    """
    forbid = """<script>for (const name of ["sessionStorage", "localStorage"])
      Object.defineProperty(window, name, { get() { throw new DOMException("no", "SecurityError"); } });</script>"""
    script.page = page_html(assistant, head=forbid)
    script.plays = [Play(events=stream("list"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.asked()

        assert visitor.problems == []
