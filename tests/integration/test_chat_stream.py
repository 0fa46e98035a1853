"""The chat application itself, served on a loopback port, over both encodings."""

import asyncio
import json
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from jsonschema import Draft202012Validator

from functions.chat.app import create_app
from functions.chat.body import KEPT_MESSAGES, MAX_BODY_BYTES, MAX_MESSAGE_CHARS
from functions.chat.wire import NDJSON, encoded
from infra.local.demo_server import web_config
from magpie.errors import CorpusInvalid, DatabaseUnavailable, ProviderUnavailable, TableUnavailable
from magpie.settings import Settings
from tests.fakes import FakeCatalogue, FakeLimiter, FakeWriter
from tests.loopback.serving import served
from tests.unit.asking_site import Desk, site

CASES = Path(__file__).parents[1] / "cases"
SCHEMA = Draft202012Validator(json.loads((CASES / "events.schema.json").read_text(encoding="utf-8")))
SETTINGS = Settings(database_url="unused", origins=("https://sennit.example",))
SSE = {"Accept": "text/event-stream"}


@contextmanager
def chat(settings: Settings = SETTINGS, **parts):
    """A desk, and a client of the application on it."""
    desk = Desk(**parts)
    with served(create_app(desk, settings)) as base, httpx.Client(base_url=base, timeout=60) as client:
        yield desk, client


def asking(*texts: str, **more):
    roles = ("user", "assistant")
    messages = [{"role": roles[index % 2], "content": text} for index, text in enumerate(texts)]
    return {"messages": messages, **more}


def lines(response: httpx.Response) -> list[dict]:
    return [json.loads(line) for line in response.text.split("\n") if line]


def messages(response: httpx.Response) -> list[dict]:
    """SSE, read as a browser does: blocks of fields; a line with a leading colon is a comment."""
    found = []
    for block in response.text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if line and not line.startswith(":"))
        if fields:
            found.append(json.loads(fields["data"]))
            assert fields["event"] == found[-1]["event"]
    return found


def checked(events: list[dict]) -> list[dict]:
    """The events, each of them as the schema says, start first, done or error last, deltas without a gap."""
    for event in events:
        SCHEMA.validate(event)
    assert events[0]["event"] == "start"
    assert [event["event"] for event in events if event["event"] in {"done", "error"}] == [
        events[-1]["event"]
    ]
    deltas = [event["seq"] for event in events if event["event"] == "delta"]
    assert deltas == list(range(len(deltas)))
    return events


@pytest.mark.parametrize(("headers", "read"), [({}, lines), (SSE, messages), ({"Accept": "*/*"}, lines)])
def test_the_same_events_in_both_encodings(headers, read):
    """
    NDJSON by default and SSE on request carry the same valid events.
    """
    with chat() as (_, client):
        response = client.post("/chat", json=asking("How fast do you answer?"), headers=headers)

    events = checked(read(response))
    assert [event["event"] for event in events] == ["start", "status", "status", "delta", "citation", "done"]
    assert events[3]["text"].strip() == "We answer within one working day."
    assert response.headers["content-type"].startswith(
        "text/event-stream" if headers == SSE else NDJSON.media_type
    )
    assert response.headers["cache-control"] == "no-store"


def test_no_path_goes_out():
    """
    Where a page lies in the owner's corpus is nobody's business.
    """
    with chat() as (_, client):
        response = client.post("/chat", json=asking("How fast do you answer?"))

    assert "pages/contact.md" not in response.text


@pytest.mark.parametrize("name", sorted(path.name for path in (CASES / "streams").glob("*.ndjson")))
def test_the_example_streams_are_valid(name):
    """
    The streams that clients test against are what the schema says.
    """
    text = (CASES / "streams" / name).read_text(encoding="utf-8")
    checked([json.loads(line) for line in text.split("\n") if line])


def test_an_error_in_the_middle_is_an_event():
    """
    A provider that is lost after the first word ends the stream with an error and guidance.
    """
    lost = ProviderUnavailable("p", "429", retry_after_s=12)
    with chat(writer=FakeWriter(pieces=("We answer. Then", " we"), error=lost)) as (_, client):
        response = client.post("/chat", json=asking("Why?"))

    last = checked(lines(response))[-1]
    assert (response.status_code, last["event"], last["code"], last["retry_after_s"]) == (
        200,
        "error",
        "provider_limit",
        12,
    )


def test_a_bug_in_the_middle_is_an_event():
    """
    Even what nobody foresaw ends the stream with an error that has an id, not with a cut.
    """

    class Buggy(FakeWriter):
        async def write(self, task):
            async for piece in super().write(task):
                yield piece
            raise ZeroDivisionError

    with chat(writer=Buggy()) as (_, client):
        response = client.post("/chat", json=asking("Why?"))

    events = checked(lines(response))
    assert (events[-1]["code"], events[-1]["id"]) == ("internal", events[0]["answer_id"])


@pytest.mark.parametrize(
    ("error", "code"),
    [(DatabaseUnavailable("down"), "database_unavailable"), (CorpusInvalid("none"), "nothing_published")],
)
def test_what_fails_before_the_first_byte_is_a_problem(error, code):
    """
    Without a database there is no stream but a problem document, and when to come back.
    """
    with chat(catalogue=FakeCatalogue(error=error)) as (_, client):
        response = client.post("/chat", json=asking("Why?"))

    assert (response.status_code, response.json()["code"]) == (503, code)
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["retry-after"] == str(response.json()["retry_after_s"])


def test_a_table_of_limits_that_is_away_is_not_told_as_the_pages():
    """
    Nobody is let in uncounted, nothing is looked up, and the document names what is missing.
    """
    with chat(limiter=FakeLimiter(error=TableUnavailable("gone"))) as (desk, client):
        response = client.post("/chat", json=asking("Why?"))

    told = response.json()
    assert (response.status_code, told["code"]) == (503, "table_unavailable")
    assert "pages" not in told["detail"]
    assert response.headers["retry-after"] == str(told["retry_after_s"])
    assert desk.catalogue.asked == 0


def test_too_many_questions_are_told_when_to_come_back():
    """
    429 carries Retry-After, as a header and in the body.
    """
    with chat(limiter=FakeLimiter(left=1)) as (_, client):
        client.post("/chat", json=asking("Why?"))
        response = client.post("/chat", json=asking("Why?"))

    assert (response.status_code, response.headers["retry-after"], response.json()["retry_after_s"]) == (
        429,
        "42",
        42,
    )


BAD_BODIES = [
    (b"", 400, "bad_json"),
    (b"{", 400, "bad_json"),
    (b"\xff\xfe", 400, "bad_json"),
    (b"[" * 60_000, 400, "bad_json"),
    (b'{"messages":' + b"[" * 9 + b"]" * 9 + b"}", 400, "bad_json"),
    (b'{"messages": [{"role": "user", "content": "\\ud800"}]}', 400, "bad_json"),
    (b'{"messages": [{"role": "user", "content": "a", "content": "b"}]}', 400, "duplicate_key"),
    (b"[]", 422, "bad_question"),
    (b"null", 422, "bad_question"),
    (b"{}", 422, "bad_question"),
    (b'{"messages": []}', 422, "bad_question"),
    (b'{"messages": [{"role": "system", "content": "a"}]}', 422, "bad_question"),
    (b'{"messages": [{"role": "assistant", "content": "a"}]}', 422, "bad_question"),
    (b'{"messages": [{"role": "user", "content": " \\u0000 "}]}', 422, "bad_question"),
    (b'{"messages": [{"role": "user", "content": 7}]}', 422, "bad_question"),
    (json.dumps(asking("a", "b")).encode(), 422, "bad_question"),
    (json.dumps(asking("a" * (MAX_MESSAGE_CHARS + 1))).encode(), 422, "message_too_long"),
    (json.dumps(asking("a", page={"path": "https://evil.example/"})).encode(), 422, "bad_question"),
    (json.dumps(asking("a", language="english")).encode(), 422, "bad_question"),
    (b" " * (MAX_BODY_BYTES + 1), 413, "body_too_large"),
]


def test_bad_bodies_are_refused_with_a_reason():
    """
    Whatever can't be a question is refused before anything is asked or counted.
    """
    with chat() as (desk, client):
        for raw, status, code in BAD_BODIES:
            response = client.post("/chat", content=raw, headers={"Content-Type": "application/json"})
            assert (response.status_code, response.json()["code"]) == (status, code), raw[:60]
            assert response.json()["id"]

    assert desk.limiter.callers == []


def test_limits_are_exact():
    """
    8,000 characters and 128 kB pass, one more of either does not.
    """
    padding = " " * (MAX_BODY_BYTES - len(json.dumps(asking("Why?"))))
    with chat() as (_, client):
        longest = client.post("/chat", json=asking("a" * MAX_MESSAGE_CHARS))
        largest = client.post(
            "/chat",
            content=json.dumps(asking("Why?")) + padding,
            headers={"Content-Type": "application/json"},
        )

    assert (longest.status_code, largest.status_code) == (200, 200)


def test_a_body_without_a_length_is_read_no_further_than_its_limit():
    """
    A chunked body is cut off at the limit, not read to its end.
    """
    with chat() as (_, client):
        pieces = (b" " * 64_000 for _ in range(3))
        response = client.post("/chat", content=pieces, headers={"Content-Type": "application/json"})

    assert response.status_code == 413


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain"},
        {"Content-Type": ""},
        {"Content-Type": "application/json; charset=latin-1"},
        {"Content-Type": "application/json", "Content-Encoding": "gzip"},
    ],
)
def test_only_plain_json_is_taken(headers):
    """
    Other kinds of content are 415: a form of another site can't ask.
    """
    with chat() as (_, client):
        response = client.post("/chat", content=json.dumps(asking("Why?")), headers=headers)

    assert response.status_code == 415


def test_unknown_addresses_and_methods_are_problems():
    """
    404 and 405 speak the same form as every other error.
    """
    with chat() as (_, client):
        responses = [client.get("/nowhere"), client.get("/chat")]

    assert [response.status_code for response in responses] == [404, 405]
    assert {response.headers["content-type"] for response in responses} == {"application/problem+json"}


def test_the_last_eleven_messages_count_and_controls_are_removed():
    """
    Older turns are dropped; control characters never reach the pipeline.
    """
    turns = [f"turn {number}" for number in range(20)] + ["What\x07 is\r\nthis?"]
    with chat() as (desk, client):
        client.post("/chat", json=asking(*turns))

    question = desk.writer.tasks[0].question
    assert question.text == "What is\nthis?"
    assert [turn.text for turn in question.history] == turns[-KEPT_MESSAGES:-1]


def test_a_receipt_makes_a_turn_count_and_a_forged_one_does_not():
    """
    Our own answer comes back verified with its citations; an altered one does not.
    """
    with chat() as (desk, client):
        events = lines(client.post("/chat", json=asking("How fast do you answer?")))
        text = "".join(event["text"] for event in events if event["event"] == "delta")
        ours = {
            "role": "assistant",
            "content": text,
            "answer_id": events[0]["answer_id"],
            "receipt": events[-1]["receipt"],
        }
        for content in (text, text + " For free."):
            body = asking("How fast do you answer?", "", "And on Sundays?")
            body["messages"][1] = {**ours, "content": content}
            client.post("/chat", json=body)

    honest, forged = (task.question.history[1] for task in desk.writer.tasks[1:])
    assert (honest.verified, [citation.title for citation in honest.citations]) == (True, ["Contact"])
    assert (forged.verified, forged.citations) == (False, ())


def test_a_ticket_is_renewed_for_its_origin_only():
    """
    The session goes on with its ticket; from another origin it is a new one.
    """
    with chat() as (desk, client):
        sessions = []
        ticket = ""
        for origin in ("https://sennit.example", "https://sennit.example", "https://evil.example"):
            response = client.post("/chat", json=asking("Why?", ticket=ticket), headers={"Origin": origin})
            ticket = ticket or lines(response)[0]["ticket"]
            sessions.append(desk.writer.tasks[-1].question.session_id)

    assert sessions[0] == sessions[1] != sessions[2]


def test_pages_of_other_origins_are_not_let_in():
    """
    Only the deployment's origins may read answers in a browser.
    """
    ask = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    with chat() as (_, client):
        own = client.options("/chat", headers={"Origin": "https://sennit.example", **ask})
        other = client.options("/chat", headers={"Origin": "https://evil.example", **ask})

    assert own.headers["access-control-allow-origin"] == "https://sennit.example"
    assert "access-control-allow-origin" not in other.headers


def test_forwarded_addresses_count_from_our_own_proxies_only():
    """
    What a client writes into X-Forwarded-For itself changes nothing.
    """
    behind_one = Settings(database_url="unused", trusted_hops=1)
    with chat(behind_one) as (desk, client):
        for forged in ("198.51.100.9", "198.51.100.10"):
            client.post("/chat", json=asking("Hi"), headers={"X-Forwarded-For": f"{forged}, 2001:db8:1:2::7"})
        client.post("/chat", json=asking("Hi"))

    addresses = [caller.address for caller in desk.limiter.callers]
    assert addresses == ["2001:db8:1:2::/64", "2001:db8:1:2::/64", "127.0.0.1"]


async def test_the_demo_believes_no_proxy():
    """
    Served as the demo serves it, a forwarded address or scheme of a visitor changes nothing.
    """
    desk = Desk()
    config = web_config(create_app(desk, SETTINGS))
    config.load()
    transport = httpx.ASGITransport(app=config.loaded_app, client=("127.0.0.1", 50_000))
    forged = {
        "X-Forwarded-For": "198.51.100.9",
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": "evil.example",
    }
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        response = await client.post("/chat", json=asking("Hi"), headers=forged)

    assert [caller.address for caller in desk.limiter.callers] == ["127.0.0.1"]
    assert "evil.example" not in response.text + str(response.headers)


def test_a_visitor_who_leaves_ends_the_model_call():
    """
    Hanging up closes the writer within a moment.
    """
    writer = FakeWriter(pieces=("One. ", "Two. ") + ("More. ",) * 2000, piece_s=0.05)
    with chat(writer=writer) as (_, client):
        with client.stream("POST", "/chat", json=asking("Why?")) as response:
            next(line for line in response.iter_lines() if '"delta"' in line)
        for _ in range(600):  # long before it would have said all
            if writer.closed:
                break
            asyncio.run(asyncio.sleep(0.05))

    assert writer.closed == 1


def test_stop_ends_an_answer_between_sentences():
    """
    POST /stop with the answer's id ends it, model call included; an unknown id is no error.
    """
    writer = FakeWriter(pieces=("One more sentence. ",) * 2000, piece_s=0.03)
    with chat(writer=writer, site=site(speaking={"sentences": 20})) as (_, client):
        events = []
        with client.stream("POST", "/chat", json=asking("Why?")) as response:
            for line in response.iter_lines():
                events.append(json.loads(line))
                if events[-1]["event"] == "delta" and events[-1]["seq"] == 0:
                    with httpx.Client(base_url=client.base_url) as other:
                        stopped = other.post("/stop", json={"answer_id": events[0]["answer_id"]})
        unknown = client.post("/stop", json={"answer_id": "nobody"})

    assert (stopped.status_code, unknown.status_code) == (204, 204)
    assert checked(events)[-1]["code"] == "stopped"
    assert len(events) < 1000  # it was cut, however long the request to stop took
    assert writer.closed == 1


def test_health_and_config_need_no_database():
    """
    Neither wakes a paused database; the config tells what a widget needs.
    """
    with chat(catalogue=FakeCatalogue(error=DatabaseUnavailable("paused"))) as (desk, client):
        health, config = client.get("/health"), client.get("/config").json()

    assert health.status_code == 200
    assert desk.catalogue.asked == 0
    assert (config["site"]["name"], config["writer"], config["protocol"]) == ("Sennit Works", "prompted", 1)


async def test_a_quiet_stream_breathes():
    """
    When nothing comes for the heartbeat's time a ping goes out, and no event is lost.
    """

    is_enough = asyncio.Event()

    async def slow():
        yield {"event": "status", "state": "waking"}
        await is_enough.wait()
        yield {"event": "status", "state": "searching"}

    told = []
    async for raw in encoded(slow(), NDJSON, heartbeat_s=0.05):
        told.append(json.loads(raw)["event"])
        if told.count("ping") == 2:
            is_enough.set()

    assert (told[0], told[-1]) == ("status", "status")
    assert len(told) >= 4 and set(told[1:-1]) == {"ping"}
