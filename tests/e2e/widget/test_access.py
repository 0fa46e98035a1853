"""Everyone can use it: by keyboard, by ear, on a phone, in high contrast, with large letters."""

from importlib import resources
from typing import Any

import pytest
from playwright.async_api import Browser

from tests.e2e.widget.scripted import Play, Refuse, Script, stream
from tests.e2e.widget.visitor import DESKTOP, PHONE, Visitor, page_html, visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")

AXE = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
DEVICES: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": DESKTOP},
    "phone": {"viewport": PHONE, "has_touch": True, "is_mobile": True},
}
ANSWER = Play(events=stream("answer"))
FOCUSED = """() => {
  const within = document.activeElement.shadowRoot?.activeElement;
  const at = within || document.activeElement;
  return at.getAttribute("data-do") || at.getAttribute("data-role") || at.id || at.className || at.localName;
}"""


STILL = """async () => {
  const moving = document.querySelector("magpie-chat").shadowRoot.getAnimations();
  const ending = moving.filter((one) => Number.isFinite(one.effect.getComputedTiming().endTime));
  await Promise.all(ending.map((one) => one.finished.catch(() => {})));
}"""
"""Until what moves and ends has ended."""


async def violations(visitor: Visitor) -> list[str]:
    """What axe finds in the widget: WCAG 2.2 A and AA, and its best practices."""
    await visitor.page.wait_for_timeout(300)  # colours begin to fade in
    await visitor.page.evaluate(STILL)
    await visitor.page.evaluate(AXE)
    found = await visitor.page.evaluate(
        """async () => (await axe.run(document.querySelector("magpie-chat"), { resultTypes: ["violations"] })).violations
          .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120) + " " + node.failureSummary).join(" | ")}`)"""
    )
    return list(found)


async def nothing(_: Visitor) -> None: ...


async def asked(visitor: Visitor) -> None:
    await visitor.asked()


async def in_trouble(visitor: Visitor) -> None:
    await visitor.ask()
    await visitor.find(".trouble [role=alert]").wait_for()


async def at_work(visitor: Visitor) -> None:
    await visitor.ask()
    await visitor.find(".state").get_by_text("Looking").wait_for()


async def looking(visitor: Visitor) -> None:
    await visitor.ask()
    await visitor.find(".looking .chip").first.wait_for()


async def reading_a_quote(visitor: Visitor) -> None:
    await visitor.asked()
    await visitor.find(".mark").first.click()
    await visitor.find(".card").wait_for()


async def rating(visitor: Visitor) -> None:
    await visitor.asked()
    await visitor.find("[data-do=rate]").first.click()
    await visitor.find(".scale label").nth(2).click()


async def forgetting(visitor: Visitor) -> None:
    await visitor.asked()
    await visitor.find("[data-do=forget]").click()


STATES: dict[str, tuple[Any, list[Play | Refuse], dict[str, Any]]] = {
    "welcome": (nothing, [ANSWER], {}),
    "at-work": (at_work, [Play(events=stream("answer")[:2], hold=True)], {}),
    "candidates": (looking, [Play(events=stream("list")[:4], hold=True)], {}),
    "answered": (asked, [ANSWER], {}),
    "dark": (asked, [ANSWER], {"theme": "dark"}),
    "pale-accent": (asked, [ANSWER], {"accent": "#fff0c8"}),
    "black-accent-in-the-dark": (asked, [ANSWER], {"accent": "#000000", "theme": "dark"}),
    "right-to-left": (asked, [Play(events=stream("arabic"))], {}),
    "quote": (reading_a_quote, [ANSWER], {}),
    "rating": (rating, [ANSWER], {}),
    "forgetting": (forgetting, [ANSWER], {}),
    "limited": (in_trouble, [Refuse(status=429, retry_after_s=30)], {}),
    "failed": (in_trouble, [Refuse(status=500)], {}),
    "handed-over": (asked, [Play(events=stream("handoff"))], {}),
    "consent": (nothing, [ANSWER], {"consent": "ask"}),
}


@pytest.mark.parametrize("device", DEVICES)
async def test_axe_finds_nothing_in_any_state(
    chromium: Browser, assistant: str, owner: str, script: Script, device: str
) -> None:
    """
    No violation of WCAG 2.2 A, AA or best practice in any state, light or dark, on a desktop or a phone.
    """
    found: dict[str, list[str]] = {}
    async with visiting(chromium, script, f"{owner}/blank", **DEVICES[device]) as visitor:
        for name, (reach, plays, looks) in STATES.items():
            script.reset()
            script.page = page_html(assistant, language="ar" if name == "right-to-left" else "en")
            script.plays = list(plays)
            script.config["looks"] |= looks
            await visitor.page.evaluate("sessionStorage.clear()")
            await visitor.page.goto(owner)
            await visitor.open()
            await reach(visitor)
            found[name] = await violations(visitor)
            script.stopped.append("all")  # lets a held stream go
            await visitor.page.evaluate("document.querySelector('magpie-chat').destroy()")

    assert {name: problems for name, problems in found.items() if problems} == {}


async def test_the_button_is_named_and_clean(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    Before anything is opened there is one button that says what it does.
    """
    script.page = page_html(assistant)

    async with visiting(chromium, script, owner) as visitor:
        await visitor.launcher.wait_for()

        assert await violations(visitor) == []
        await visitor.page.get_by_role("button", name="Ask Nora").wait_for()
        assert await visitor.launcher.get_attribute("aria-expanded") == "false"


async def test_everything_by_keyboard(chromium: Browser, assistant: str, owner: str, script: Script) -> None:
    """
    Open, ask, read a quote, rate, forget and close without a pointer; Escape brings the focus back to the button.
    """
    script.page = page_html(assistant)
    script.plays = [ANSWER]

    async with visiting(chromium, script, owner) as visitor:
        keys = visitor.page.keyboard
        await visitor.launcher.wait_for()
        await visitor.page.focus("#own")
        await keys.press("Tab")
        await keys.press("Enter")
        await visitor.panel.wait_for(state="visible")
        await visitor.until(lambda: _is_focused(visitor, "question"), "the field has the focus")
        await keys.type("What does a project cost?")
        await keys.press("Enter")
        await visitor.find(".tools > *").first.wait_for()
        assert await visitor.page.evaluate(FOCUSED) == "question"

        order = await _backwards(visitor, 12)
        assert order[:3] == ["rate", "copy-sources", "copy"]
        assert order.count("quote") >= 2
        await _back_to(visitor, "quote")
        await visitor.find(".card").wait_for()
        await keys.press("Escape")
        await visitor.find(".card").wait_for(state="hidden")
        await visitor.find("[data-do=rate]").first.focus()
        await keys.press("Enter")
        await keys.press("ArrowRight")
        assert await visitor.find(".scale input:checked").get_attribute("value") in {"1", "2"}
        await keys.press("Enter")
        await visitor.find(".thanks").wait_for()
        await keys.press("Escape")
        await visitor.panel.wait_for(state="hidden")
        assert await visitor.page.evaluate("document.activeElement.localName") in {"magpie-chat", "button"}
        assert script.rated[0]["usefulness"] in {1, 2}


async def _is_focused(visitor: Visitor, name: str) -> bool:
    return bool(await visitor.page.evaluate(FOCUSED) == name)


async def _backwards(visitor: Visitor, steps: int) -> list[str]:
    found = []
    for _ in range(steps):
        await visitor.page.keyboard.press("Shift+Tab")
        found.append(await visitor.page.evaluate(FOCUSED))
    return found


async def _back_to(visitor: Visitor, name: str) -> None:
    for _ in range(30):
        if await _is_focused(visitor, name):
            return
        await visitor.page.keyboard.press("Tab")
    raise AssertionError(f"no {name} within reach of Tab")


async def test_on_a_desktop_the_page_stays_in_reach(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    The open panel is no trap: Tab leaves it, the page can be used, and Escape there does nothing to the panel.
    """
    script.page = page_html(assistant)

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.page.click("#own")
        await visitor.page.keyboard.press("Escape")
        assert await visitor.panel.is_visible()
        assert await visitor.page.evaluate(FOCUSED) == "own"
        assert not await visitor.panel.evaluate("(panel) => panel.matches(':modal')")


async def test_on_a_phone_the_panel_is_a_modal_that_fills_the_screen(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    Full screen it keeps the focus in, Escape and Close give it back, and turning to a wide window frees the page.
    """
    script.page = page_html(assistant)

    async with visiting(chromium, script, owner, **DEVICES["phone"]) as visitor:
        await visitor.open()
        assert await visitor.panel.evaluate("(panel) => panel.matches(':modal')")

        async def fills_the_screen() -> bool:
            return await visitor.panel.bounding_box() == {"x": 0, "y": 0, **PHONE}

        await visitor.until(fills_the_screen, "the panel over the whole screen")
        assert await visitor.page.evaluate(FOCUSED) == "title"  # no keyboard pops up before it is wanted
        for _ in range(12):
            await visitor.page.keyboard.press("Tab")
            assert await visitor.page.evaluate(FOCUSED) != "own"
        await visitor.page.set_viewport_size(DESKTOP)
        await visitor.until(
            lambda: visitor.panel.evaluate("(panel) => !panel.matches(':modal')"), "no longer modal"
        )
        await visitor.page.set_viewport_size(PHONE)
        await visitor.until(
            lambda: visitor.panel.evaluate("(panel) => panel.matches(':modal')"), "modal again"
        )
        await visitor.page.keyboard.press("Escape")
        await visitor.panel.wait_for(state="hidden")
        assert await visitor.page.evaluate("document.activeElement.localName") == "magpie-chat"


async def test_a_screen_reader_hears_each_thing_once(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    The transcript is a log that does not speak by itself; one polite status says what happens and, once, the answer.
    """
    watch = """() => {
      const root = document.querySelector("magpie-chat").shadowRoot;
      window.said = [];
      new MutationObserver(() => window.said.push(root.querySelector("[role=status]").textContent))
        .observe(root.querySelector("[role=status]"), { childList: true, characterData: true, subtree: true });
    }"""
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("long"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.page.evaluate(watch)
        await visitor.asked()
        said = await visitor.page.evaluate("window.said")
        live = await visitor.page.evaluate(
            """() => [...document.querySelector("magpie-chat").shadowRoot.querySelectorAll("[aria-live],[role=log],[role=status],[role=alert]")]
              .map((node) => [node.getAttribute("role"), node.getAttribute("aria-live")])"""
        )

    assert live == [["log", "off"], ["status", "polite"]]
    assert len(said) == 1
    assert said[0].startswith("Nora: The first week goes to reading")


async def test_composing_a_word_sends_nothing(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    Enter and Escape that belong to an input method neither ask nor close; Shift+Enter makes a line.
    """
    script.page = page_html(assistant)
    script.plays = [ANSWER]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.field.fill("にほん")
        for key in ("Enter", "Escape"):
            await visitor.field.dispatch_event(
                "keydown", {"key": key, "isComposing": True, "keyCode": 229, "bubbles": True}
            )
        await visitor.field.press("Shift+Enter")
        await visitor.page.keyboard.type("x")

        assert script.asked == []
        assert await visitor.panel.is_visible()
        assert await visitor.field.input_value() == "にほん\nx"


CONTRASTS = """async () => {
  const { palette, contrast } = await import("/source/colours.js");
  let worst = { words: 21, onFill: 21, shape: 21 };
  for (let number = 0; number < 0x1000000; number += 4099) {
    const accent = `#${number.toString(16).padStart(6, "0")}`;
    for (const theme of ["light", "dark"]) {
      const { surface, tint, ink, fill, onFill } = palette(accent, theme);
      worst = {
        words: Math.min(worst.words, contrast(ink, surface), contrast(ink, tint)),
        onFill: Math.min(worst.onFill, contrast(fill, onFill)),
        shape: Math.min(worst.shape, contrast(fill, surface)),
      };
    }
  }
  return { ...worst, known: [contrast("#ffffff", "#000000"), contrast("#777777", "#ffffff")] };
}"""


async def test_any_accent_can_be_read(chromium: Browser, owner: str, script: Script) -> None:
    """
    For thousands of accents in both themes: words 4.5 to 1, also on the accent; shapes 3 to 1.
    """
    async with visiting(chromium, script, owner) as visitor:
        worst = await visitor.page.evaluate(CONTRASTS)

    assert worst["known"] == [21, pytest.approx(4.478, abs=0.001)]
    assert worst["words"] >= 4.5
    assert worst["onFill"] >= 4.5
    assert worst["shape"] >= 3


SMALL = """() => {
  const root = document.querySelector("magpie-chat").shadowRoot;
  const inText = (node) => node.closest(".text, .fine, .cited, .reading, .card, .greeting");
  return [...root.querySelectorAll(".panel button, .panel a, .panel input:not([type=text]), .panel textarea")]
    .filter((node) => node.checkVisibility() && !inText(node))
    .map((node) => [node.dataset.do || node.className || node.localName, node.getBoundingClientRect()])
    .map(([name, { width, height }]) => [name, Math.min(width, height)]);
}"""


@pytest.mark.parametrize(("device", "least"), [("desktop", 24), ("phone", 44)])
async def test_targets_are_large_enough(
    chromium: Browser, assistant: str, owner: str, script: Script, device: str, least: float
) -> None:
    """
    24 pixels for a mouse, 44 for a finger; only links and numbers inside text are smaller.
    """
    script.page = page_html(assistant)
    script.plays = [ANSWER]

    async with visiting(chromium, script, owner, **DEVICES[device]) as visitor:
        await visitor.open()
        await rating(visitor)
        sizes = await visitor.page.evaluate(SMALL)
        letters = await visitor.field.evaluate("(field) => parseFloat(getComputedStyle(field).fontSize)")

    assert len(sizes) > 10
    assert [size for size in sizes if size[1] < least - 0.5] == []
    assert letters >= 16  # smaller ones make phones zoom in


@pytest.mark.parametrize(
    "viewport",
    [{"width": 320, "height": 568}, {"width": 640, "height": 400}],
    ids=["320px", "200%-of-1280x800"],
)
async def test_nothing_is_cut_off_in_little_room(
    chromium: Browser, assistant: str, owner: str, script: Script, viewport: dict[str, int]
) -> None:
    """
    At 320 pixels, and at twice the zoom of a laptop, nothing scrolls sideways and the field can be reached.
    """
    script.page = page_html(assistant)
    script.plays = [ANSWER]

    async with visiting(chromium, script, owner, viewport=viewport) as visitor:
        await visitor.open()
        await rating(visitor)
        wide = await visitor.page.evaluate(
            """() => [...document.querySelector("magpie-chat").shadowRoot.querySelectorAll(".panel, .log, .below, header")]
              .filter((node) => node.scrollWidth > node.clientWidth + 1).map((node) => node.className || node.localName)"""
        )

        assert wide == []
        assert await visitor.page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
        await visitor.field.click()
        await visitor.find("[data-do=close]").click()


async def test_less_motion_and_forced_colours_are_respected(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    Nothing is animated for who wants less motion; in forced colours fields and buttons keep their edges.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("answer")[:2], hold=True)]
    options = {"reduced_motion": "reduce", "forced_colors": "active"}

    async with visiting(chromium, script, owner, **options) as visitor:
        await visitor.open()
        await at_work(visitor)
        animations = await visitor.page.evaluate(
            "() => document.querySelector('magpie-chat').shadowRoot.getAnimations().filter((a) => a.playState === 'running').length"
        )
        edges = await visitor.find(".send").evaluate("(node) => getComputedStyle(node).borderTopWidth")

    assert animations == 0
    assert edges == "1px"
