"""
Every function of the template from its built package alone: importable with its own layers and
nothing else, and called with the events that AWS sends.
"""

import json
import os
import subprocess
import threading
from functools import cache
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import boto3
import pytest

from infra.local.stack import local_aws
from infra.local.state import ROOT
from infra.local.tables import BUCKET, TABLES
from tests.integration.conftest import run_on_server, url_of
from tests.loopback.lambda_service import proxy_event
from tests.packages import bare_python, lambda_folders
from tests.sam.resolving import resolved

SAM = ROOT / ".venv" / "sam" / "bin"
DATABASE = "magpie_test_handlers"
WORK = "magpie-work"
SIGNING = "a signing key for tests, long enough"
CORPUS_EVENT = {
    "version": "0",
    "id": "1f1e8a0c-0000-4000-8000-000000000001",
    "detail-type": "Object Created",
    "source": "aws.s3",
    "account": "123456789012",
    "time": "2026-11-30T16:00:00Z",
    "region": "eu-central-1",
    "resources": [f"arn:aws:s3:::{BUCKET}"],
    "detail": {
        "version": "0",
        "bucket": {"name": BUCKET},
        "object": {"key": "corpus/prices.md", "size": 9, "etag": "e", "version-id": "v", "sequencer": "0"},
        "request-id": "r",
        "requester": "123456789012",
        "source-ip-address": "203.0.113.9",
        "reason": "PutObject",
    },
}
RUN = "import json, sys\nfrom importlib import import_module\n"

pytestmark = pytest.mark.skipif(
    not (SAM / "sam").exists(), reason="SAM is not installed in .venv/sam; `make test` brings it"
)


@cache
def template() -> dict[str, Any]:
    command = [SAM / "python", ROOT / "tests/sam/transform.py", ROOT / "template.yaml"]
    made = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return resolved(made, DatabaseSecretArn="arn:database")


@cache
def handlers() -> dict[str, str]:
    """Each function's handler, by its name in the template; chat's is a script."""
    found = {
        name: one["Properties"]["Handler"]
        for name, one in template().items()
        if one["Type"] == "AWS::Lambda::Function"
    }
    return {name: handler for name, handler in found.items() if not handler.endswith(".sh")}


def reads_documents(name: str) -> bool:
    layers = json.dumps(template()[name]["Properties"]["Layers"])
    return "DocumentsLayer" in layers


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The code, and what is at /opt without and with the layer of documents."""
    whole = lambda_folders(tmp_path_factory.mktemp("lambda"))
    plain = lambda_folders(tmp_path_factory.mktemp("plain"), without=("documents",))
    return {True: whole, False: plain}


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    return bare_python(tmp_path_factory.mktemp("bin")) / "python"


@pytest.fixture(scope="module")
def calling(folders, python):
    """Runs code in a bare Python that has what the function has."""

    def call(name: str, code: str, env: dict[str, str]) -> str:
        task, opt = folders[reads_documents(name)]
        whole = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{task}{os.pathsep}{opt}/python", **env}
        done = subprocess.run(
            [python, "-c", RUN + code],
            cwd=task,
            env=whole,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, f"{name}: {done.stderr[-2000:]}"
        return done.stdout

    return call


@pytest.mark.parametrize("with_documents", [False, True])
def test_every_handler_is_importable_from_its_package(calling, with_documents):
    """
    Each function's module imports from its code and its layers alone, and holds the handler that the
    template names.
    """
    alike = {name: handler for name, handler in handlers().items() if reads_documents(name) == with_documents}
    code = f"""
for handler in {list(alike.values())!r}:
    module, function = handler.rsplit(".", 1)
    print(handler, callable(getattr(import_module(module), function)))
"""

    told = calling(next(iter(alike)), code, {})

    assert told.splitlines() == [f"{handler} True" for handler in alike.values()]


def test_sql_is_found_beside_the_core(calling):
    """
    The core finds its statements in the SQL layer, wherever the layers are laid over each other.
    """
    code = (
        "from magpie.adapters.postgres.queries import sql_folder, query\nquery('search')\nprint(sql_folder())"
    )

    assert calling("Public", code, {}).strip().endswith("/opt/sql")


@pytest.fixture(scope="module")
def env(database_server_url):
    """An account: tables, buckets, and a database in which nothing was done yet."""
    run_on_server(database_server_url, f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
    run_on_server(database_server_url, f"CREATE DATABASE {DATABASE}")
    with local_aws() as started:
        address = started.address()
        keys = {"region_name": "eu-central-1", "aws_access_key_id": "local", "aws_secret_access_key": "local"}
        s3 = boto3.client("s3", endpoint_url=address, **keys)
        s3.create_bucket(Bucket=WORK, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
        arn = secret(address, "all", url_of(database_server_url, DATABASE))
        yield {
            "AWS_ENDPOINT_URL": address,
            "AWS_DEFAULT_REGION": "eu-central-1",
            "AWS_ACCESS_KEY_ID": "local",
            "AWS_SECRET_ACCESS_KEY": "local",
            "MAGPIE_SECRETS": arn,
            "MAGPIE_CORPUS_BUCKET": BUCKET,
            "MAGPIE_WORK_BUCKET": WORK,
            "MAGPIE_ORIGINS": "https://quay.example",
            **{f"{table.name.upper().replace('-', '_')}_TABLE": table.name for table in TABLES},
        }
    run_on_server(database_server_url, f"DROP DATABASE {DATABASE} WITH (FORCE)")


def secret(address: str, name: str, database_url: str) -> str:
    """The name that Secrets Manager gives to one with all that a function may need."""
    keys = {"region_name": "eu-central-1", "aws_access_key_id": "local", "aws_secret_access_key": "local"}
    held = json.dumps({"DATABASE_URL": database_url, "MAGPIE_SIGNING_KEY": SIGNING})
    client = boto3.client("secretsmanager", endpoint_url=address, **keys)
    return client.create_secret(Name=name, SecretString=held)["ARN"]


CONTEXT = """
class Context:
    function_name = "f"
    memory_limit_in_mb = 1024
    invoked_function_arn = "arn:aws:lambda:eu-central-1:123456789012:function:f"
    aws_request_id = "r"
    def get_remaining_time_in_millis(self): return 300_000
for event in json.loads({events!r}):
    try:
        told = getattr(import_module({module!r}), {function!r})(event, Context())
    except Exception as exc:
        told = {{"raised": type(exc).__name__, "message": str(exc)}}
    print("TOLD " + json.dumps(told))
"""


@pytest.fixture(scope="module")
def invoke(calling, env):
    """What a function answers to events, one after the other in one process; raised errors by their name."""

    def invoked(name: str, *events: dict[str, Any], **more: str) -> list[dict[str, Any]]:
        module, function = handlers()[name].rsplit(".", 1)
        code = CONTEXT.format(events=json.dumps(events), module=module, function=function)
        told = calling(name, code, {**env, **more})
        return [json.loads(line[5:]) for line in told.splitlines() if line.startswith("TOLD ")]

    return invoked


@pytest.fixture(scope="module")
def migrated(invoke):
    """The database has our schema."""
    (told,) = invoke("Migrate", {"tick": True})
    assert "raised" not in told


def test_a_deployment_is_migrated_and_told_so(invoke, env, empty_database_url):
    """
    CloudFormation's create and update requests bring the schema up, twice without harm, and are
    answered at the address that came with them; a delete touches nothing. A deployment that
    can't reach its database is told why, and not left to wait.
    """
    with Answers() as answers:
        requests = [
            {
                "RequestType": kind,
                "ResponseURL": f"{answers.address}/{number}?signature=a%2Fb",
                "StackId": "arn:aws:cloudformation:eu-central-1:123456789012:stack/magpie/1",
                "RequestId": f"request-{number}",
                "ResourceType": "Custom::Migrated",
                "LogicalResourceId": "Migrated",
                "ServiceToken": "arn:aws:lambda:eu-central-1:123456789012:function:migrate",
                "ResourceProperties": {"Sql": "arn:layer:1"},
            }
            for number, kind in enumerate(("Create", "Update", "Delete"))
        ]
        fresh = secret(env["AWS_ENDPOINT_URL"], "fresh", empty_database_url)
        invoke("Migrate", *requests, MAGPIE_SECRETS=fresh)
        invoke("Migrate", {**requests[0], "RequestId": "late"}, MAGPIE_SECRETS="no-such-secret")
        told = answers.bodies

    assert [(one["RequestId"], one["Status"]) for one in told] == [
        ("request-0", "SUCCESS"), ("request-1", "SUCCESS"), ("request-2", "SUCCESS"), ("late", "FAILED"),
    ]  # fmt: skip
    assert "0001_pre_corpus.sql" in told[0]["Data"]["Applied"]
    assert told[1]["Data"]["Applied"] == ""
    assert "no-such-secret" in told[3]["Reason"]
    assert {one["PhysicalResourceId"] for one in told} == {"magpie-schema"}
    assert all(one["StackId"].endswith("stack/magpie/1") for one in told)


def test_the_public_function_serves_the_widget_without_a_database(invoke):
    """
    The tag's file comes from the package itself, gzipped and whole, though no database is there.
    """
    (told,) = invoke(
        "Public", proxy_event("GET", "/widget/magpie.js", headers={"Accept-Encoding": "gzip"}), MAGPIE_SECRETS="",
        DATABASE_URL="postgresql://u:p@127.0.0.1:9/none", MAGPIE_SIGNING_KEY=SIGNING,
    )  # fmt: skip

    assert told["statusCode"] == 200
    assert told["isBase64Encoded"] is True


def test_the_public_function_says_what_is_missing(invoke):
    """
    Config of a site that was never published is a problem document that the owner's page may read.
    """
    (told,) = invoke("Public", proxy_event("GET", "/config", headers={"Origin": "https://quay.example"}))

    assert told["statusCode"] == 503
    headers = told.get("headers") or {name: values[0] for name, values in told["multiValueHeaders"].items()}
    assert headers["Access-Control-Allow-Origin"] == "https://quay.example"


def test_collect_takes_what_the_queue_brings(invoke):
    """
    An S3 event through EventBridge and the queue is noted; a message that is none goes back; the
    minute's call finds that it is too early for a run.
    """
    messages = [
        {"messageId": "m1", "receiptHandle": "h", "body": json.dumps(CORPUS_EVENT), "eventSource": "aws:sqs"},
        {"messageId": "m2", "receiptHandle": "h", "body": "not JSON", "eventSource": "aws:sqs"},
    ]

    noted, minute = invoke("Collect", {"Records": messages}, {})

    assert noted == {"batchItemFailures": [{"itemIdentifier": "m2"}]}
    assert not minute["begun"]


def test_the_console_is_shut_without_an_identity_provider(invoke):
    """
    Who has no token of a role is refused before anything is looked up, whatever is asked for.
    """
    start = proxy_event("POST", "/ingest", "{}")
    progress = {
        **proxy_event("GET", "/ingest/some-run"),
        "resource": "/ingest/{run}",
        "pathParameters": {"run": "some-run"},
    }

    told = invoke("Console", start, progress)

    assert [one["statusCode"] for one in told] == [401, 401]


def test_the_daily_functions_find_nothing_to_do(invoke, migrated):
    """
    Before anything is published, what runs by the clock forgets nothing, visits nothing, fails nothing.
    """
    tick = {"version": "0", "source": "aws.scheduler"}

    (forgotten,), (refreshed,) = invoke("Forget", tick), invoke("Refresh", tick)

    assert set(forgotten.values()) == {0}
    assert (refreshed["visited"], refreshed["changed"]) == (0, 0)


@pytest.mark.parametrize("name", ["Look", "Read", "Chunk", "Embed", "Publish"])
def test_steps_of_an_unknown_run_fail_by_name(invoke, name):
    """
    A step that is called for a run which is not there says so with an error that the state machine
    knows; nothing is made up.
    """
    (told,) = invoke(name, {"run": "20261130T160000-abc123", "round": 1, "batch": 0})

    assert told["raised"] in {"CorpusInvalid", "RunUnknown", "StorageUnavailable"}


def test_rebuild_of_an_empty_site_is_done_at_once(invoke, migrated):
    """
    The nightly call before anything is published fills nothing and fails nothing.
    """
    (told,) = invoke("Rebuild", {"version": "0", "source": "aws.scheduler"})

    assert told["filled"] == 0
    assert not told["more"]


class Answers:
    """Where CloudFormation would take answers; keeps the bodies of its PUTs."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        kept = self.bodies

        class Handler(BaseHTTPRequestHandler):
            def do_PUT(self) -> None:
                assert self.headers["Content-Type"] == ""
                kept.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "Answers":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
