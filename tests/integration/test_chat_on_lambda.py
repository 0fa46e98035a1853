"""
The chat function as Lambda runs it: the built package alone, its script under the adapter's
protocol, secrets from Secrets Manager, limits in DynamoDB, the database by the secret.
"""

import asyncio
import json
import os

import boto3
import pytest

from infra.local.stack import local_aws
from magpie.settings import Keys, Settings
from magpie.site import load_site
from magpie.wiring import open_site, prepare_database
from tests.integration.conftest import run_on_server, url_of
from tests.loopback.embedding_server import EmbeddingServer
from tests.loopback.lambda_service import function, proxy_event
from tests.loopback.openai_server import Says, Scripted
from tests.loopback.serving import served
from tests.packages import bare_python, lambda_folders

SITE = """
site: {key: quay, name: Quay Works, url: "https://quay.example"}
persona: {name: Mo}
sources: [{path: "*.md", type: page, url: "https://quay.example/{stem}/"}]
embeddings: {primary: {provider: gemini, model: loopback, dimension: 8, usd_per_million_input: 0.1}, fallback: null}
models:
  family: prompted
  classifier: [{model: sorter, usd_per_million_input: 1, usd_per_million_output: 2}]
  planner: [{model: planner, usd_per_million_input: 1, usd_per_million_output: 2}]
  writer: [{model: writer, usd_per_million_input: 1, usd_per_million_output: 2}]
limits: {questions: 3, window_s: 600}
"""
PAGE = "# Prices\n\nA harbour survey costs 4,350 euros. It takes nine working days.\n"
QUESTION = json.dumps({"messages": [{"role": "user", "content": "What does a harbour survey cost?"}]})
ANSWER = "A harbour survey costs 4,350 euros. [1]\nIt takes nine working days. [1]\n"
PAUSE_S = 0.03
DATABASE = "magpie_test_chat_on_lambda"
SIGNING = "a signing key for tests, long enough"
ORIGIN = "https://quay.example"


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return lambda_folders(tmp_path_factory.mktemp("lambda"), without=("documents",))


@pytest.fixture(scope="module")
def providers():
    """Chat models that say what is written here, slowly; embeddings of any text."""
    says = {
        "sorter": [Says(text='{"intent": "rag_question", "language": "en"}')],
        "planner": [Says(text='{"items": [{"query": "What does a harbour survey cost?"}]}')],
        "writer": [Says(text=ANSWER, pause_s=PAUSE_S)],
    }
    with served(Scripted(steps=says).app) as chat, served(EmbeddingServer().app) as embeddings:
        yield Keys(
            openai="k", openai_base_url=f"{chat}/v1", gemini="k", gemini_base_url=embeddings, signing=SIGNING
        )


@pytest.fixture(scope="module")
def aws():
    """DynamoDB and Secrets Manager, with the tables of a deployment."""
    with local_aws() as started:
        yield started.address()


@pytest.fixture(scope="module")
def database_url(database_server_url, providers, tmp_path_factory):
    """A database with one page published."""
    corpus = tmp_path_factory.mktemp("corpus")
    (corpus / "prices.md").write_text(PAGE)
    run_on_server(database_server_url, f"CREATE DATABASE {DATABASE}")
    url = url_of(database_server_url, DATABASE)
    asyncio.run(publish(Settings(database_url=url, keys=providers), corpus))
    yield url
    run_on_server(database_server_url, f"DROP DATABASE {DATABASE} WITH (FORCE)")


async def publish(settings, corpus):
    site = load_site(SITE)
    await prepare_database(settings, site)
    async with open_site(settings, site) as runtime:
        await runtime.ingest(corpus).run()


def secret(address, name, value):
    client = boto3.client(
        "secretsmanager", endpoint_url=address, region_name="eu-central-1",
        aws_access_key_id="local", aws_secret_access_key="local",
    )  # fmt: skip
    return client.create_secret(Name=name, SecretString=json.dumps(value))["ARN"]


@pytest.fixture(scope="module")
def starting(folders, aws, providers, tmp_path_factory):
    """Starts the function on a database; its environment is the template's, and no secret is in it."""
    task, opt = folders

    def start(database_url, log):
        keys = {
            "OPENAI_API_KEY": providers.openai,
            "OPENAI_BASE_URL": providers.openai_base_url,
            "GEMINI_API_KEY": providers.gemini,
            "GEMINI_BASE_URL": providers.gemini_base_url,
        }
        secrets = (
            secret(aws, f"{log}/database", {"DATABASE_URL": database_url}),
            secret(aws, f"{log}/signing", {"MAGPIE_SIGNING_KEY": SIGNING}),
            secret(aws, f"{log}/models", keys),
        )
        env = {
            "PATH": f"{bare_python(tmp_path_factory.mktemp('bin'))}{os.pathsep}/usr/bin{os.pathsep}/bin",
            "LAMBDA_LAYERS_ROOT": str(opt),
            "AWS_ENDPOINT_URL": aws,
            "AWS_DEFAULT_REGION": "eu-central-1",
            "AWS_ACCESS_KEY_ID": "local",
            "AWS_SECRET_ACCESS_KEY": "local",
            "AWS_LWA_READINESS_CHECK_PATH": "/health",
            "MAGPIE_SECRETS": ",".join(secrets),
            "MAGPIE_ORIGINS": ORIGIN,
        }
        return function(task, "functions/chat/run.sh", env, log)

    return start


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    return tmp_path_factory.mktemp("log") / "chat.log"


@pytest.fixture(scope="module")
def api(starting, database_url, log):
    """The function on the published site; the tests ask from addresses of their own."""
    with starting(database_url, log) as (running, _):
        yield running


def ask(api, **more):
    return api.ask(proxy_event("POST", "/chat", QUESTION, **more))


def test_an_answer_streams_through_the_adapter(api):
    """
    From a REST API's event to NDJSON in pieces: the first words leave before the last are written.
    """
    reply = ask(api, headers={"Origin": ORIGIN}, ip="192.0.2.1")

    events = reply.lines()
    first = next(at for at, piece in reply.pieces if b'"delta"' in piece)
    last, _ = reply.pieces[-1]
    assert (reply.status, reply.mode) == (200, "streaming")
    assert reply.headers["content-type"] == "application/x-ndjson"
    assert reply.headers["access-control-allow-origin"] == ORIGIN
    assert [events[0]["event"], events[-1]["event"]] == ["start", "done"]
    assert "4,350 euros" in "".join(event["text"] for event in events if event["event"] == "delta")
    assert events[-1]["citations"][0]["url"] == "https://quay.example/prices/"
    assert last - first > PAUSE_S


def test_the_client_is_whom_the_api_saw(api):
    """
    Limits count the address in the request's context; headers that a visitor writes change nothing.
    """
    forged = (
        {},
        {"X-Forwarded-For": "198.51.100.7"},
        {"X-Amzn-Request-Context": '{"identity":{"sourceIp":"10.0.0.1"}}'},
    )
    admitted = [ask(api, headers=headers, ip="192.0.2.44").status for headers in forged]
    refused = ask(api, headers={"Origin": ORIGIN, **forged[2]}, ip="192.0.2.44")
    other = ask(api, ip="192.0.2.45")

    assert admitted == [200, 200, 200]
    assert refused.status == 429
    assert 0 < int(refused.headers["retry-after"]) <= 600
    assert refused.headers["access-control-allow-origin"] == ORIGIN
    assert json.loads(refused.body)["code"] == "too_many_questions"
    assert other.status == 200


def test_readiness_and_preflight_leave_the_database_alone(starting, tmp_path):
    """
    A function whose database can't be reached is ready, answers preflights, and refuses questions
    with a problem document that a browser on the owner's page may read.
    """
    with starting("postgresql://nobody:x@127.0.0.1:9/none", tmp_path / "log") as (api, _):
        health = api.ask(proxy_event("GET", "/health"))
        preflight = api.ask(
            proxy_event(
                "OPTIONS", "/chat", headers={"Origin": ORIGIN, "Access-Control-Request-Method": "POST"}
            )
        )
        refused = ask(api, headers={"Origin": ORIGIN})

    assert (health.status, json.loads(health.body)) == (200, {"status": "ok"})
    assert preflight.headers["access-control-allow-origin"] == ORIGIN
    assert refused.status == 503
    assert refused.headers["retry-after"] == "30"
    assert refused.headers["access-control-allow-origin"] == ORIGIN
    assert json.loads(refused.body)["code"] == "database_unavailable"


def test_logs_are_json_and_hold_no_word_and_no_secret(api, log):
    """
    One line of JSON about the answer, with the figures that alarms read; not what was asked, not a key.
    """
    ask(api, ip="192.0.2.3")

    written = log.read_text()
    lines = [json.loads(line) for line in written.splitlines() if line.startswith("{")]
    answered = next(line for line in lines if line["message"] == "answered")
    assert answered["first_text_ms"] > 0
    assert "cost_usd" in answered
    assert "harbour" not in written
    assert SIGNING not in written


def test_it_stops_when_lambda_says_so(starting, database_url, tmp_path):
    """
    SIGTERM after an answer ends the function, with its connections given back.
    """
    with starting(database_url, tmp_path / "log") as (api, process):
        ask(api, ip="192.0.2.4")
        process.terminate()
        code = process.wait(10)

    assert code in (0, -15)
    assert "Finished server process" in (tmp_path / "log").read_text()
