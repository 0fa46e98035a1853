"""Answers as they come, and everything that can go wrong on their way."""

import asyncio
import json

import pytest
from playwright.async_api import Browser

from functions.chat.wire import SSE
from tests.e2e.widget.scripted import ROOT, STREAMS, Play, Refuse, Script, in_pieces, stream
from tests.e2e.widget.visitor import page_html, visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")

WIRE = sorted([*STREAMS.glob("*.ndjson"), *(ROOT / "tests" / "cases" / "streams").glob("*.ndjson")])

READ_WITH_EVERY_CUT = """async (bytes) => {
  const { eventsOf } = await import("/source/stream.js");
  const whole = Uint8Array.from(bytes);
  const read = async (chunks) => {
    const found = [];
    for await (const event of eventsOf(new ReadableStream({ start(to) { chunks.forEach((chunk) => to.enqueue(chunk)); to.close(); } }))) found.push(event);
    return JSON.stringify(found);
  };
  const expected = await read([whole]);
  const wrong = [];
  for (let cut = 1; cut < whole.length; cut += 1) {
    if ((await read([whole.slice(0, cut), whole.slice(cut)])) !== expected) wrong.push(cut);
  }
  if ((await read(Array.from(whole, (byte) => Uint8Array.of(byte)))) !== expected) wrong.push("each");
  return { expected: JSON.parse(expected), wrong };
}"""


@pytest.mark.parametrize(
    "file", [path for path in WIRE if path.name != "long.ndjson"], ids=lambda path: path.stem
)
async def test_a_stream_cut_at_any_byte_is_the_same(
    chromium: Browser, owner: str, script: Script, file
) -> None:  # type: ignore[no-untyped-def]
    """
    Whatever the network's chunks are, inside a line or a letter, the same events are read.
    """
    body = file.read_bytes()

    async with visiting(chromium, script, owner) as visitor:
        found = await visitor.page.evaluate(READ_WITH_EVERY_CUT, list(body))

    assert found["wrong"] == []
    assert found["expected"] == [json.loads(line) for line in body.decode().splitlines() if line]


@pytest.mark.parametrize("name", ["vietnamese", "arabic"])
async def test_a_message_stream_cut_at_any_byte_is_the_same(
    chromium: Browser, owner: str, script: Script, name: str
) -> None:
    """
    The same of SSE, with heartbeats between its messages.
    """
    events = stream(name)
    body = b"".join(SSE.encode(dict(event)) + SSE.ping for event in events)

    async with visiting(chromium, script, owner) as visitor:
        found = await visitor.page.evaluate(READ_WITH_EVERY_CUT, list(body))

    assert found["wrong"] == []
    assert found["expected"] == list(events)


@pytest.mark.parametrize("encoding", ["ndjson", "sse"])
@pytest.mark.parametrize("size", [1, 7, 100_000])
async def test_an_answer_arrives_whole_in_any_pieces(
    chromium: Browser, assistant: str, owner: str, script: Script, size: int, encoding: str
) -> None:
    """
    Text, marks, list, link, sources, actions and reading appear, over a real connection, byte by byte or at once,
    as the site's config says that answers travel.
    """
    script.page = page_html(assistant)
    script.config["stream"] = encoding
    script.plays = [Play(events=stream("answer"), chunking=in_pieces(size))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.asked()
        text = await visitor.answer.inner_text()
        marks = await visitor.find(".mark").all_inner_texts()
        items = await visitor.find(".text li").all_inner_texts()
        links = await visitor.find(".answer a").evaluate_all("(links) => links.map((link) => link.href)")

    assert script.encodings == [encoding]
    assert "A build begins at €48,000 and takes 10 to 14 weeks." in text
    assert marks == ["1", "1", "2", "2"]
    assert len(items) == 3
    assert links == [
        "https://northbank.example/pricing/",
        "https://northbank.example/pricing/",
        "https://northbank.example/process/",
        "https://northbank.example/meet/",
        "mailto:hello@northbank.example",
        "https://northbank.example/articles/fortnight/",
    ]
    assert visitor.problems == []


async def test_candidates_are_shown_before_the_text(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    Policy `list`: what is looked at stands there while it is read, the final sources afterwards.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("list")[:4], hold=True)]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.ask()
        await visitor.find(".looking .chip").first.wait_for()

        assert await visitor.find(".looking .chip").all_inner_texts() == [
            "What a project costs",
            "How we work",
        ]


async def test_text_is_never_markup(chromium: Browser, assistant: str, owner: str, script: Script) -> None:
    """
    Tags, script addresses and images in an answer are words; no element and no request comes of them.
    """
    evil = '<img src=x onerror="window.hit=1"> <script>window.hit=1</script> [click](javascript:window.hit=1) ![i](https://evil.example/i.png)'
    events = [*stream("handoff")[:2], {"event": "delta", "seq": 0, "text": evil}, stream("handoff")[-1]]
    bad = {"event": "actions", "actions": [{"label": "Go", "url": "javascript:window.hit=1", "kind": "link"}]}
    script.page = page_html(assistant)
    script.plays = [Play(events=[*events[:-1], bad, events[-1]])]

    async with visiting(chromium, script, owner) as visitor:
        requests: list[str] = []
        visitor.page.on("request", lambda request: requests.append(request.url))
        await visitor.open()
        await visitor.asked()

        assert "<img src=x" in await visitor.answer.inner_text()
        assert await visitor.find(".answer img, .answer script").count() == 0
        assert await visitor.find('a[href^="javascript"]').count() == 0
        assert await visitor.page.evaluate("window.hit") is None
        assert not [url for url in requests if "evil" in url]


async def test_a_newer_protocols_events_are_passed_over(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    Unknown events, fields and outcomes do no harm: what is known is shown.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("newer"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.asked()

        assert await visitor.answer.inner_text() == "A build starts at €48,000."
        assert await visitor.find(".cited a").inner_text() == "What a project costs"
        assert visitor.problems == []


async def test_a_server_of_a_newer_protocol_asks_for_a_reload(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    An old script says that it is old and who can help, and asks nothing in a language it doesn't know.
    """
    script.page = page_html(assistant)
    script.config["protocol"] = 2

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()

        assert "older version" in await visitor.find(".greeting").inner_text()
        assert await visitor.find(".welcome a").get_attribute("href") == "https://northbank.example/contact/"
        assert await visitor.field.is_disabled()


# --- Stopping ---------------------------------------------------------------------------------


async def test_stop_ends_the_answer_here_and_on_the_server(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    The button tells the server which answer, what was read stays, the next question can be asked.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("answer")[:4], hold=True), Play(events=stream("list"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.ask()
        await visitor.answer.get_by_text("We start with").wait_for()
        await visitor.find(".send[aria-label=Stop]").click()
        await visitor.find(".state").get_by_text("Stopped").wait_for()
        await visitor.until(lambda: script.stopped == ["a1"], "the server is told")
        await visitor.ask("And then?")
        await visitor.find(".turn:last-child .cited").wait_for()

    assert [message["content"] for message in script.asked[1]["messages"]] == [
        "What does a project cost?",
        "We start with a discovery fortnight at €9,500. ",
        "And then?",
    ]


async def test_stop_before_the_first_byte_still_reaches_the_server(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    An answer without a name yet is stopped as soon as it has one.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("answer")[:2], first_s=0.4, hold=True)]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.ask()
        await visitor.find(".send[aria-label=Stop]").click()

        await visitor.until(lambda: script.stopped == ["a1"], "the server is told")


# --- What goes wrong --------------------------------------------------------------------------


@pytest.mark.parametrize("byte", [0, 60, 700, 1100])
async def test_a_cut_is_mended_with_the_same_key(
    chromium: Browser, assistant: str, owner: str, script: Script, byte: int
) -> None:
    """
    A broken connection is picked up by itself; the same key, so nothing is paid or said twice.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("answer"), cut_after=byte), Play(events=stream("answer"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.asked()

        text = await visitor.answer.inner_text()

    assert text.count("We start with") == 1
    assert text.count("handover week") == 1
    assert len({body["idempotency_key"] for body in script.asked}) == 1
    assert len(script.asked) == 2


async def test_a_connection_that_stays_broken_offers_another_try(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    After two mendings the visitor decides; still the same key, and what was read stays readable.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("answer"), cut_after=700)]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.page.clock.install()
        await visitor.open()
        await visitor.ask()

        async def asked(times: int) -> bool:
            await asyncio.sleep(0.05)  # in which a cut arrives, and the widget sets its alarm
            await visitor.page.clock.run_for(200)
            return len(script.asked) == times

        for count in (2, 3):
            await visitor.until(lambda count=count: asked(count), f"try {count}")
        await visitor.find(".trouble [role=alert]").wait_for()
        script.plays = [Play(events=stream("answer"))]
        await visitor.find("[data-do=again]").click()
        await visitor.find(".turn:last-child .cited").wait_for()

    assert len({body["idempotency_key"] for body in script.asked}) == 1


async def test_a_rate_limit_counts_down_and_says_who_can_help(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    The wait is shown by the second outside the alert; then the same question goes out again.
    """
    script.page = page_html(assistant)
    script.plays = [
        Refuse(status=429, code="too_many_questions", retry_after_s=20),
        Play(events=stream("list")),
    ]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.page.clock.install()
        await visitor.open()
        await visitor.ask()
        wait = visitor.find(".wait")
        await wait.get_by_text("20 s").wait_for()
        assert await visitor.find("[data-do=again]").is_disabled()
        assert await visitor.find(".trouble a").get_attribute("href") == "https://northbank.example/contact/"
        alert = await visitor.find("[role=alert]").inner_text()
        await visitor.page.clock.run_for(5000)
        await wait.get_by_text("15 s").wait_for()
        assert await visitor.find("[role=alert]").inner_text() == alert
        await visitor.page.clock.run_for(16000)
        assert await visitor.find("[role=status]").inner_text() == "You can ask again now."
        await visitor.find("[data-do=again]").click()
        await visitor.find(".turn:last-child .cited").wait_for()

    assert script.asked[0]["idempotency_key"] == script.asked[1]["idempotency_key"]


@pytest.mark.parametrize(
    ("code", "words"), [("database_unavailable", "waking up"), ("table_unavailable", "what counts them")]
)
async def test_a_waking_database_is_waited_for(
    chromium: Browser, assistant: str, owner: str, script: Script, code: str, words: str
) -> None:
    """
    Refused with a time, the question is asked again by itself when that has passed; what is missing
    is told as what it is.
    """
    script.page = page_html(assistant)
    script.plays = [
        Refuse(status=503, code=code, retry_after_s=30),
        Play(events=stream("list")),
    ]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.page.clock.install()
        await visitor.open()
        await visitor.ask()
        await visitor.find(".trouble").get_by_text(words).wait_for()
        await visitor.page.clock.run_for(31000)
        await visitor.find(".turn:last-child .cited").wait_for()

    assert script.asked[0]["idempotency_key"] == script.asked[1]["idempotency_key"]


async def test_a_stream_that_waits_for_the_database_says_so(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    `status: waking` is a sentence, seen and heard, until the next event.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("waking")[:3], hold=True)]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.ask()

        await visitor.find(".state").get_by_text("half a minute").wait_for()
        assert "half a minute" in await visitor.find("[role=status]").inner_text()


async def test_offline_keeps_the_question_and_sends_it_later(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    Without a network the question waits, also in the tab's memory, and goes out with the network's return.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("list"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.page.context.set_offline(True)
        await visitor.ask()
        await visitor.find(".trouble").get_by_text("offline").wait_for()
        assert (await visitor.stored())["1"]["turns"][0]["question"] == "What does a project cost?"
        assert script.asked == []
        await visitor.page.context.set_offline(False)
        await visitor.find(".turn:last-child .cited").wait_for()


@pytest.mark.parametrize(
    ("refusal", "reference"),
    [
        (Refuse(status=500, code="internal", id="77ab"), "77ab"),
        (Refuse(status=502, html="<h1>Bad Gateway</h1>"), None),
    ],
    ids=["problem", "gateway"],
)
async def test_a_server_error_has_an_id_and_a_way_on(
    chromium: Browser, assistant: str, owner: str, script: Script, refusal: Refuse, reference: str | None
) -> None:
    """
    What failed is said in the visitor's language, with the id that the owner's log knows, and can be tried again.
    """
    script.page = page_html(assistant)
    script.plays = [refusal, Play(events=stream("list"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.ask()
        await visitor.find("[role=alert]").get_by_text("Something went wrong on our side.").wait_for()
        codes = await visitor.find(".reference code").all_inner_texts()
        await visitor.find("[data-do=again]").click()
        await visitor.find(".turn:last-child .cited").wait_for()

    assert codes == ([reference] if reference else [])


async def test_an_error_in_the_stream_is_tried_again_with_a_new_key(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    An error event is that answer's end, which its key would only tell again.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("error")), Play(events=stream("list"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.ask()
        await visitor.find(".reference code").get_by_text("x1").wait_for()
        await visitor.find("[data-do=again]").click()
        await visitor.find(".turn:last-child .cited").wait_for()

    assert script.asked[0]["idempotency_key"] != script.asked[1]["idempotency_key"]


async def test_a_refused_question_can_be_edited(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    Too long is said plainly, and the words come back to be shortened; they are not in the next history.
    """
    script.page = page_html(assistant)
    script.plays = [Refuse(status=422, code="message_too_long"), Play(events=stream("list"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.ask("A very long story")
        await visitor.find("[role=alert]").get_by_text("too long").wait_for()
        await visitor.find("[data-do=again]").click()
        assert await visitor.field.input_value() == "A very long story"
        await visitor.ask("A short one")
        await visitor.find(".turn:last-child .cited").wait_for()

    assert [message["content"] for message in script.asked[1]["messages"]] == ["A short one"]


async def test_a_lower_band_is_shown_honestly(
    chromium: Browser, assistant: str, owner: str, script: Script
) -> None:
    """
    Answers that are shorter for the budget's sake say so.
    """
    script.page = page_html(assistant)
    script.plays = [Play(events=stream("economy"))]

    async with visiting(chromium, script, owner) as visitor:
        await visitor.open()
        await visitor.asked()

        assert "today's budget" in await visitor.find(".note").inner_text()
