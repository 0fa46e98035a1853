"""The widget on other people's pages: strict, hostile, changing, and with code of their own."""

import json
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from tests.e2e.widget.scripted import WIDGET, Play, Script, stream
from tests.e2e.widget.visitor import page_html, visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")

HOSTILE = """<style>
* { display: none !important; color: red !important; transform: rotate(3deg) !important; font-size: 3px !important; z-index: -1 !important }
html, body, h1, p { display: block !important } html, body { transform: none !important } html { font-size: 40%; direction: rtl }
magpie-chat { opacity: 0 !important; visibility: hidden !important; filter: blur(9px) !important; position: static !important }
button, textarea, dialog { all: unset !important; border: 9px solid lime !important }
</style>"""


async def test_a_page_that_allows_nothing_else(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    Under `default-src 'none'` and required Trusted Types without any policy, with its own origin allowed, all works.
    """
    script.page = page_html(assistant)
    script.page_headers = {
        "Content-Security-Policy": f"default-src 'none'; script-src {assistant}/widget/; connect-src {assistant}; "
        "require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'; form-action 'none'"
    }
    script.plays = [Play(events=stream("answer"))]

    async with visiting(chromium, script, owner) as visitor:
        requests: list[str] = []
        visitor.page.on("request", lambda request: requests.append(request.url))
        await visitor.open()
        await visitor.asked()
        await visitor.find(".mark").first.click()
        await visitor.find(".card").wait_for()
        await visitor.find("[data-do=rate]").first.click()
        await visitor.find(".scale label").nth(4).click()
        await visitor.find(".rating [type=submit]").click()
        await visitor.find(".thanks").wait_for()
        async with visitor.page.expect_download() as download:
            await visitor.find("[data-do=download]").click()
        text = (await (await download.value).path()).read_text(encoding="utf-8")

        assert visitor.problems == []
        assert await visitor.page.context.cookies() == []
    assert all(url.startswith((assistant, "blob:")) for url in requests)
    assert "What does a project cost?" in text
    assert "1. What a project costs https://northbank.example/pricing/" in text


async def test_no_rule_of_the_page_reaches_it(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    The worst style sheet of a page changes neither place nor size nor letters.
    """
    script.plays = [Play(events=stream("list"))]
    seen: list[dict[str, Any]] = []
    for head in ("", HOSTILE):
        script.page = page_html(assistant, head=head)
        async with visiting(chromium, script, owner) as visitor:
            await visitor.open()
            await visitor.asked()
            places = [
                await visitor.find(part).first.bounding_box()
                for part in (".panel", "textarea", ".said", ".cited a")
            ]
            colour = await visitor.answer.evaluate(
                "(node) => [getComputedStyle(node).color, getComputedStyle(node).fontSize]"
            )
            seen.append({"places": places, "colour": colour})

    assert seen[0] == seen[1]


async def test_nothing_moves_and_little_is_fetched_before_intent(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    A page view costs the loader and the config; the layout does not shift by a pixel, then or on opening.
    """
    script.page = page_html(assistant, body="<p>words</p>" * 80)

    async with visiting(chromium, script, owner) as visitor:
        await visitor.page.evaluate(
            "() => { window.shift = 0; new PerformanceObserver((list) => list.getEntries().forEach((entry) => { window.shift += entry.value; }))"
            ".observe({ type: 'layout-shift', buffered: true }); }"
        )
        await visitor.launcher.wait_for()
        await visitor.page.wait_for_timeout(300)
        assert script.fetched == ["magpie.js", "config"]
        await visitor.open()

        assert await visitor.page.evaluate("window.shift") == 0
        assert script.fetched[2:] == [
            f"{WIDGET.newest.version}/panel.js",
            f"{WIDGET.newest.version}/languages/en.json",
        ]


async def test_inserted_twice_it_is_there_once(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    Two tags, or a tag that a framework runs again, make one button.
    """
    tag = f'<script async src="{assistant}/widget/magpie.js"></script>'
    script.page = page_html(assistant, tag=tag * 2)

    async with visiting(chromium, script, owner) as visitor:
        await visitor.launcher.wait_for()
        await visitor.page.evaluate(
            "(src) => new Promise((done) => document.body.append(Object.assign(document.createElement('script'), { src, onload: done })))",
            f"{assistant}/widget/magpie.js",
        )

        assert await visitor.page.locator("magpie-chat").count() == 1
        assert visitor.problems == []


async def test_pages_that_swap_their_body_keep_the_conversation(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    Turbo, a router, a framework that sweeps the document: the panel stays open and the answer goes on; each
    question tells the page of its time.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("long"), pause_s=0.002), Play(events=stream("list"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.ask()
        await visitor.answer.get_by_text("The first week").first.wait_for()
        await visitor.page.evaluate(
            "() => { history.pushState({}, '', '/articles/new/'); document.title = 'New'; document.body.replaceWith(document.createElement('body')); }"
        )
        await visitor.find(".tools > *").first.wait_for()
        await visitor.page.evaluate("() => document.querySelector('magpie-chat').remove()")
        await visitor.panel.wait_for(state="visible")
        await visitor.asked("And here?")

    assert [body["page"]["path"] for body in script.asked] == ["/", "/articles/new/"]
    assert script.asked[1]["page"]["title"] == "New"


async def test_an_exact_version_runs_only_what_its_hash_covers(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    With `integrity` on the tag the chain holds: a panel that was altered on its way is not run.
    """
    version = WIDGET.newest.version
    integrity = WIDGET.newest.integrity("magpie.js")
    tag = f'<script async src="{assistant}/widget/{version}/magpie.js" integrity="{integrity}" crossorigin="anonymous"></script>'
    script.page = page_html(assistant, tag=tag)

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
    async with visiting(chromium, script, owner) as visitor:
        altered = "window.hit = 1; export const start = () => ({ open() {} });"
        headers = {"Access-Control-Allow-Origin": "*", "Content-Type": "text/javascript"}
        await visitor.page.route("**/panel.js", lambda route: route.fulfill(body=altered, headers=headers))
        await visitor.page.reload()
        async with visitor.page.expect_console_message(lambda message: message.text.startswith("magpie:")):
            await visitor.launcher.click()

        assert await visitor.page.evaluate("window.hit") is None


async def test_a_panel_that_is_gone_is_replaced_by_the_newest(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    A loader from before a deployment finds the panel of after it.
    """
    script.page = page_html(assistant)

    async with visiting(chromium, script, owner) as visitor:
        await visitor.page.route(f"**/{WIDGET.newest.version}/**", lambda route: route.fulfill(status=404))
        await visitor.page.reload()
        await visitor.open()

    assert script.fetched[-2:] == ["panel.js", "languages/en.json"]


# --- The page's own code ----------------------------------------------------------------------


async def test_the_page_hears_and_directs(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    Methods work before the panel is there; events bubble to the document and carry ids, not words.
    """
    listen = """<script>window.heard = [];
    for (const name of ["ready", "open", "question", "answer", "feedback", "clear", "close", "error"])
      addEventListener("magpie:" + name, (event) => heard.push([name, event.detail]));</script>"""
    script.page = page_html(assistant, head=listen)
    script.plays = [Play(events=stream("list"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.launcher.wait_for()
        chat = "document.querySelector('magpie-chat')"
        await visitor.page.evaluate(f"{chat}.identify(async () => 'token-of-the-page')")
        await visitor.page.evaluate(f"{chat}.ask('What does it cost?')")
        await visitor.find(".turn:last-child .tools > *").first.wait_for()
        await visitor.page.evaluate(f"{chat}.clear()")
        await visitor.page.evaluate(f"{chat}.close()")
        heard = await visitor.page.evaluate("window.heard")
        await visitor.page.evaluate(f"{chat}.destroy()")
        await expect(visitor.page.locator("magpie-chat")).to_have_count(0)
    assert [name for name, _ in heard] == ["ready", "open", "question", "answer", "clear", "close"]
    assert heard[3][1]["outcome"] == "answered"
    assert "cost" not in json.dumps(
        [detail for name, detail in heard if name in {"question", "answer"}]
    ).replace("cost_usd", "")
    assert script.authorization == ["Bearer token-of-the-page"]


async def test_the_page_may_take_links_over(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    `magpie:link` can be prevented: the page opens the address its own way.
    """
    listen = "<script>addEventListener('magpie:link', (event) => { event.preventDefault(); window.wanted = event.detail.url; });</script>"
    script.page = page_html(assistant, head=listen)
    script.plays = [Play(events=stream("list"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.asked()
        await visitor.find(".cited a").first.click()

        assert await visitor.page.evaluate("window.wanted") == "https://northbank.example/pricing/"
        assert len(visitor.page.context.pages) == 1


async def test_a_sign_in_that_is_not_believed_is_told(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    Who came with a token and is answered as a guest learns it.
    """
    start, *rest = stream("list")
    script.page = page_html(assistant)
    script.plays = [
        Play(events=[{**start, "viewer": {"role": "guest", "identified": False, "note": "expired"}}, *rest])
    ]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.page.evaluate("document.querySelector('magpie-chat').identify('old')")
        await visitor.asked()

        assert "sign-in could not be checked" in await visitor.find(".note").inner_text()


# --- The owner's choices ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "position", "place"),
    [
        ("bubble", "left", {"x": 20, "width": 408}),
        ("side_panel", "right", {"y": 0, "height": 800}),
        ("full_page", "right", {"x": 0, "y": 0, "width": 1280, "height": 800}),
    ],
)
async def test_modes_and_positions(
    chromium: Browser,
    assistant: str,
    owner: str,
    script: Script,
    mode: str,
    position: str,
    place: dict[str, float],
) -> None:
    """
    Each mode of the site file has its place; a full page needs no button.
    """
    script.page = page_html(assistant)
    script.config["looks"] |= {"mode": mode, "position": position}

    async with visiting(chromium, script, owner) as visitor:
        if mode != "full_page":
            await visitor.open()
        await visitor.panel.wait_for(state="visible")

        async def stands() -> bool:
            box = await visitor.panel.bounding_box()
            return box is not None and {key: box[key] for key in place} == place  # type: ignore[literal-required]

        await visitor.until(stands, f"the panel at {place}")


async def test_a_place_in_the_page_is_taken(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    `<magpie-chat>` in the page is the chat, inline, without button, dialog or trap.
    """
    script.page = page_html(assistant, body='<main style="width:500px"><magpie-chat></magpie-chat></main>')
    script.plays = [Play(events=stream("list"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.panel.wait_for(state="visible")
        await visitor.asked()
        box = await visitor.panel.bounding_box()

        assert box is not None
        assert (box["width"], box["height"]) == (500, 600)
        assert await visitor.launcher.count() == 0
        assert await visitor.page.evaluate("document.activeElement.localName") == "magpie-chat"
        await visitor.page.keyboard.press("Escape")
        assert await visitor.panel.is_visible()


async def test_starters_by_page_and_own_words(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    The first pattern that fits the page brings its questions; one press asks; greeting and disclosure are the owner's.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("list"))]
    script.config["persona"]["greeting"] = "Ahoy. See https://northbank.example/help/ too."
    script.config["looks"]["starters_by_page"] = {"/articles/*": ["Who wrote this?"], "/*/x/": ["Never"]}

    async with visiting(chromium, script, f"{owner}/articles/x/") as visitor:
        await visitor.open()
        assert await visitor.find(".greeting").inner_text() == "Ahoy. See northbank.example/help too."
        assert await visitor.find(".starters button").all_inner_texts() == ["Who wrote this?"]
        assert "can be wrong" in await visitor.find(".fine").inner_text()
        await visitor.find(".starters button").click()
        await visitor.find(".turn:last-child .tools > *").first.wait_for()

    assert script.asked[0]["messages"][0]["content"] == "Who wrote this?"


@pytest.mark.parametrize("who", ["visitor", "page"])
async def test_nothing_is_kept_or_asked_without_consent(
    chromium: Browser, assistant: str, owner: str, script: Script, who: str
) -> None:
    """
    Where the owner wants consent, the visitor gives it in the panel, or the page's own code for them.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("list"))]
    script.config["looks"]["consent"] = "ask" if who == "visitor" else "page"

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        assert await visitor.field.is_disabled()
        assert await visitor.page.evaluate("sessionStorage.length + localStorage.length") == 0
        await visitor.page.evaluate("document.querySelector('magpie-chat').ask('Already?')")
        if who == "visitor":
            await visitor.find("[data-do=agree]").click()
        else:
            await visitor.page.evaluate("document.querySelector('magpie-chat').consent(true)")
        await visitor.asked("Now?")
        assert (await visitor.stored())["1"]["consented"]

    assert [body["messages"][-1]["content"] for body in script.asked] == ["Now?"]
