"""What a visitor may send, to the byte and to the character."""

import json
import time

import pytest
from starlette.testclient import TestClient

from functions.chat.app import create_app
from functions.chat.body import (
    KEPT_MESSAGES,
    MAX_BODY_BYTES,
    MAX_DEPTH,
    MAX_MESSAGE_CHARS,
    parsed,
    plain_json,
)
from functions.secure import SECURE
from magpie.errors import BadQuestion
from magpie.settings import Settings
from tests.unit.asking_site import Desk

PAGE = "https://sennit.example"
JSON = {"Content-Type": "application/json"}


def body(*texts: str, **more: object) -> bytes:
    messages = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts)]
    return json.dumps({"messages": messages, **more}).encode()


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def client(desk):
    with TestClient(create_app(desk, Settings(database_url="unused", origins=(PAGE,)))) as opened:
        yield opened


def test_the_bounds_are_the_ledgers():
    """
    128 KB are 131,072 bytes; a message has 8,000 characters; 11 are kept.
    """
    assert (MAX_BODY_BYTES, MAX_MESSAGE_CHARS, KEPT_MESSAGES) == (131_072, 8_000, 11)


@pytest.mark.parametrize(("size", "status"), [(131_072, 200), (131_073, 413)])
@pytest.mark.parametrize("has_length", [True, False])
def test_a_body_is_measured_in_bytes(client, size, status, has_length):
    """
    The last byte that fits is taken and the next is not, whether or not a length was declared.
    """
    raw = body("Why?").ljust(size)
    content = raw if has_length else (raw[start : start + 50_000] for start in range(0, size, 50_000))

    assert client.post("/chat", content=content, headers=JSON).status_code == status


@pytest.mark.parametrize("letter", ["a", "é", "漢", "🪶"])
@pytest.mark.parametrize(("count", "is_taken"), [(8_000, True), (8_001, False)])
def test_a_message_is_measured_in_characters(letter, count, is_taken):
    """
    A letter of four bytes counts as one of one byte does.
    """
    raw = json.dumps({"messages": [{"role": "user", "content": letter * count}]}, ensure_ascii=False).encode()

    if is_taken:
        assert parsed(raw).messages[0].content == letter * count
    else:
        with pytest.raises(BadQuestion) as refused:
            parsed(raw)
        assert (refused.value.status, refused.value.code) == (422, "message_too_long")


@pytest.mark.parametrize("count", range(1, 15))
def test_an_odd_number_of_messages(count):
    """
    Odd is taken, even is not: a conversation ends with its question.
    """
    raw = body(*(f"turn {n}" for n in range(count)))

    if count % 2:
        assert len(parsed(raw).messages) == count
    else:
        with pytest.raises(BadQuestion, match="odd"):
            parsed(raw)


@pytest.mark.parametrize(("count", "first"), [(9, 0), (11, 0), (13, 2), (101, 90)])
def test_the_last_eleven_are_kept(client, desk, count, first):
    """
    Of longer conversations the oldest turns are passed over.
    """
    turns = [f"turn {n}" for n in range(count)]
    client.post("/chat", content=body(*turns), headers=JSON)

    question = desk.writer.tasks[0].question
    assert [*(turn.text for turn in question.history), question.text] == turns[first:]


@pytest.mark.parametrize(("depth", "is_taken"), [(MAX_DEPTH, True), (MAX_DEPTH + 1, False), (100_000, False)])
def test_nesting_has_a_floor(depth, is_taken):
    """
    Deeper than any question is refused before a parser sees it.
    """
    raw = b"[" * depth + b"]" * depth

    if is_taken:
        assert plain_json(raw) == raw
    else:
        with pytest.raises(BadQuestion) as refused:
            plain_json(raw)
        assert refused.value.code == "bad_json"


def seconds(piece: bytes, size: int) -> float:
    """Of the processor, until a body of so many bytes is refused; the quickest of three, without a collection of garbage."""
    raw = (b'"' + piece * size)[:size]
    return min(_seconds(raw) for _ in range(3))


def _seconds(raw: bytes) -> float:
    started = time.process_time()
    with pytest.raises(BadQuestion):
        plain_json(raw)
    return time.process_time() - started


@pytest.mark.parametrize("piece", [b'\\"', b'"', b"\\", b'"\\', b'["'])
def test_no_body_holds_the_process(piece):
    """
    Bodies of nothing but quotes, backslashes and brackets, never closed, are judged in time that grows as they do.
    """
    assert seconds(piece, MAX_BODY_BYTES) < 10 * max(seconds(piece, MAX_BODY_BYTES // 4), 0.02)


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"\xef\xbb\xbf" + body("Why?"), 400),
        (body("Why?").decode().encode("utf-16"), 400),
        (b'{"messages": [{"role": "user", "content": "\xc3\x28"}]}', 400),
        (b'{"messages": [{"role": "user", "content": "\xed\xa0\x80"}]}', 400),
        (b'{"messages": [{"role": "user", "content": "a"}], "x": NaN}', 400),
        (b'{"messages": [{"role": "user", "content": "a"}], "x": 1e999}', 200),
        (b'{"messages": [{"role": "user", "content": "a"}], "x": ' + b"9" * 5000 + b"}", 400),
        (b'{"messages": [{"role": "user", "content": "a"}]} {}', 400),
        (b'{"messages": [{"role": "user", "content": "a"}], "a": {"b": 1, "b": 2}}', 400),
        (b'{"messages": [{"role": "user", "content": "[[[[[[[[[[{{{{{{{{{{"}]}', 200),
        (body("Why?", idempotency_key="no uuid"), 422),
        (body("Why?", ticket="a" * 4097), 422),
        (body("Why?", page={"path": "/a\nb"}), 422),
        (body("Why?", page={"path": "//evil.example"}), 200),
        (body("Why?", something_newer={"deep": [1, 2]}), 200),
    ],
)
def test_odd_bytes(client, raw, status):
    """
    Encodings that are not UTF-8, numbers that are none, text after the end: refused, never a fault of ours.
    """
    assert client.post("/chat", content=raw, headers=JSON).status_code == status


@pytest.mark.parametrize(
    ("content_type", "status"),
    [
        ("application/json", 200),
        ("application/json; charset=UTF-8", 200),
        ('APPLICATION/JSON;charset="utf-8"', 200),
        ("application/json; charset=utf-16", 415),
        ("application/x-www-form-urlencoded", 415),
        ("multipart/form-data; boundary=x", 415),
        ("text/plain", 415),
        ("application/json-patch+json", 415),
    ],
)
def test_content_types(client, content_type, status):
    """
    JSON in UTF-8, however it is spelt; what a form of another site can send without asking is not taken.
    """
    assert (
        client.post("/chat", content=body("Why?"), headers={"Content-Type": content_type}).status_code
        == status
    )


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://sennit.example", f"{PAGE}.evil.example"]
)
def test_other_origins_read_nothing(client, origin):
    """
    Neither a preflight nor an answer gives permission to a page that the deployment does not name.
    """
    ask = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    answers = [
        client.options("/chat", headers={"Origin": origin, **ask}),
        client.post("/chat", content=body("Why?"), headers={"Origin": origin, **JSON}),
        client.get("/config", headers={"Origin": origin}),
    ]

    assert all("access-control-allow-origin" not in answer.headers for answer in answers)
    assert answers[0].status_code == 400


def test_own_origins_read_all(client):
    """
    The owner's page may ask, with a token, and may read when to come back; credentials are never wanted.
    """
    ask = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, content-type",
    }
    preflight = client.options("/chat", headers={"Origin": PAGE, **ask})
    answer = client.post("/chat", content=body("Why?"), headers={"Origin": PAGE, **JSON})

    assert preflight.status_code == 200
    assert {one.headers["access-control-allow-origin"] for one in (preflight, answer)} == {PAGE}
    assert "access-control-allow-credentials" not in preflight.headers
    assert answer.headers["access-control-expose-headers"] == "Retry-After"


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/chat"), ("GET", "/config"), ("GET", "/health"), ("GET", "/nowhere"), ("PUT", "/chat")],
)
def test_every_answer_is_armoured(client, method, path):
    """
    Nothing of ours may be framed, sniffed or run as a page, errors included; and a cache keeps origins apart.
    """
    answer = client.request(method, path, content=body("Why?") if method == "POST" else None, headers=JSON)

    assert all(answer.headers[name] for name in SECURE)
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert "Origin" in answer.headers["vary"]


def test_a_config_may_be_kept_and_an_answer_may_not(client):
    """
    What an answer says of itself goes before the general rule.
    """
    assert client.get("/config").headers["cache-control"].startswith("public")
    assert client.post("/chat", content=body("Why?"), headers=JSON).headers["cache-control"] == "no-store"
