"""The owner's API: an ingest is started and watched by whoever has the right token, and by nobody else."""

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from functions.console.handler import Console
from functions.ingesting import process
from magpie.adapters.published_keys import PublishedKeys
from magpie.adapters.tokens import OidcVerifier
from magpie.asking.viewers import Door
from magpie.errors import RunUnknown, StorageUnavailable
from magpie.model import RunId, RunProgress, RunState, Selection, SourceKey, Stage
from magpie.settings import IdentityProvider
from tests.cloud import Cloud, cloud
from tests.integration.test_ingest_on_aws import fill
from tests.loopback.embedding_server import EmbeddingServer
from tests.loopback.identity_provider import AUDIENCE, ISSUER, Provider
from tests.loopback.serving import served

PAGE = "https://quay.example"


@dataclass
class FakeRuns:
    """Runs that go as they are told."""

    asked: list[tuple[Selection, bool]] = field(default_factory=list)
    known: dict[str, RunProgress] = field(default_factory=dict)
    error: Exception | None = None

    async def start(self, selection: Selection, *, accept_vanishing: bool = False) -> RunId:
        if self.error is not None:
            raise self.error
        self.asked.append((selection, accept_vanishing))
        return RunId("20261130T161502-4f9a2c")

    async def progress(self, run: RunId) -> RunProgress:
        if run not in self.known:
            raise RunUnknown(run)
        return self.known[run]


@pytest.fixture(scope="module")
def provider() -> Provider:
    return Provider()


@pytest.fixture(scope="module")
def door(provider: Provider) -> Iterator[Door]:
    with served(provider.app) as base:
        identity = IdentityProvider(
            issuer=ISSUER, audiences=(AUDIENCE,), keys_url=f"{base}/keys", role_claim="role"
        )
        yield Door(
            verifier=OidcVerifier(identity, PublishedKeys(identity.keys_url)), roles=frozenset({"admin"})
        )


@dataclass
class Owner:
    """Calls the handler as API Gateway does."""

    console: Console
    token: str = ""

    def send(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> tuple[int, dict[str, str], Any]:
        sent = {"Content-Type": "application/json", "Origin": PAGE, **headers}
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        raw = body if isinstance(body, str) or body is None else json.dumps(body)
        answer = self.console.resolver.resolve(
            {
                "resource": "/{proxy+}",
                "path": path,
                "httpMethod": method,
                "headers": sent,
                "multiValueHeaders": {name: [value] for name, value in sent.items()},
                "queryStringParameters": None,
                "pathParameters": {"proxy": path.lstrip("/")},
                "requestContext": {
                    "resourcePath": "/{proxy+}",
                    "httpMethod": method,
                    "stage": "live",
                    "requestId": "r",
                },
                "body": raw,
                "isBase64Encoded": False,
            },
            object(),
        )
        found = {name.lower(): value[0] for name, value in answer["multiValueHeaders"].items()}
        text = answer["body"] or "null"
        return (
            answer["statusCode"],
            found,
            json.loads(base64.b64decode(text) if answer["isBase64Encoded"] else text),
        )


@pytest.fixture
def runs() -> FakeRuns:
    return FakeRuns()


@pytest.fixture
def owner(door: Door, runs: FakeRuns, provider: Provider) -> Iterator[Owner]:
    console = Console(door, runs, (PAGE,))
    yield Owner(console, provider.token(role="admin"))
    console.close()


@pytest.mark.parametrize(
    ("body", "selection"),
    [
        ({"all": True}, Selection()),
        ({"file": "posts/tides.md"}, Selection(file="posts/tides.md")),
        ({"folder": "posts"}, Selection(folder="posts")),
        (
            {"source": "article:tides"},
            Selection(source=SourceKey(source_type="article", source_key="tides")),
        ),
    ],
)
def test_the_owner_starts_a_run(owner, runs, body, selection):
    """
    All of the corpus, one file, one folder or one source; the answer names the run and where to look.
    """
    status, headers, told = owner.send("POST", "/ingest", body)

    assert (status, told["run"]) == (202, "20261130T161502-4f9a2c")
    assert headers["location"] == f"/ingest/{told['run']}"
    assert headers["access-control-allow-origin"] == PAGE
    assert runs.asked == [(selection, False)]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"all": False}, 422),
        ({"all": True, "file": "a.md"}, 422),
        ({"source": "no colon"}, 422),
        ({"file": ""}, 422),
        ({"all": 1}, 422),
        ({"all": True, "source": None}, 422),
        ({"all": True, "accept_vanishing": "on"}, 422),
        ("{", 400),
        ('{"all": true, "all": true}', 400),
        ("[]", 422),
    ],
)
def test_what_names_nothing_or_too_much_starts_nothing(owner, runs, body, status):
    """
    As on the command line, somebody must say what is to be read.
    """
    found = owner.send("POST", "/ingest", body)

    assert (found[0], found[1]["content-type"]) == (status, "application/problem+json")
    assert runs.asked == []


def tokens(provider: Provider) -> dict[str, tuple[str, int]]:
    return {
        "none": ("", 401),
        "garbage": ("x.y.z", 401),
        "expired": (provider.token(role="admin", exp=1), 401),
        "another audience": (provider.token(role="admin", aud="other"), 401),
        "another role": (provider.token(role="editor"), 403),
        "no role": (provider.token(), 403),
    }


@pytest.mark.parametrize("kind", sorted(tokens(Provider())))
def test_nobody_else_gets_in(door, runs, provider, kind):
    """
    Without a token of the right role nothing starts and nothing is told, neither of runs nor of what is missing.
    """
    token, status = tokens(provider)[kind]
    console = Console(door, runs)
    caller = Owner(console, token)

    answers = [
        caller.send("POST", "/ingest", {"all": True}),
        caller.send("POST", "/ingest", "{"),
        caller.send("GET", "/ingest/20261130T161502-4f9a2c"),
    ]
    console.close()

    assert [answer[0] for answer in answers] == [status] * 3
    assert all(("www-authenticate" in answer[1]) == (status == 401) for answer in answers)
    assert runs.asked == []


def test_a_deployment_without_a_provider_is_shut(runs):
    """
    Nobody can be believed, so nobody is.
    """
    console = Console(Door(verifier=None, roles=frozenset({"admin"})), runs)
    found = Owner(console, "anything").send("POST", "/ingest", {"all": True})
    console.close()

    assert (found[0], found[2]["code"], runs.asked) == (401, "no_identity_provider", [])


def test_progress_is_told(owner, runs):
    """
    How many files of how many, in which stage; once it failed, why.
    """
    runs.known = {
        "going": RunProgress(
            run=RunId("going"), state=RunState.RUNNING, stage=Stage.READING, done=3, total=9
        ),
        "failed": RunProgress(run=RunId("failed"), state=RunState.FAILED, code="SiteInvalid", error="line 3"),
    }

    going, failed = owner.send("GET", "/ingest/going"), owner.send("GET", "/ingest/failed")

    assert (going[0], going[2]) == (
        200,
        {"run": "going", "state": "running", "stage": "reading", "done": 3, "total": 9},
    )
    assert going[1]["cache-control"] == "no-store"
    assert failed[2]["error"] == {"code": "SiteInvalid", "message": "line 3"}


@pytest.mark.parametrize("run", ["nobody", "a%2Fb", "x" * 65, "..", "a b"])
def test_an_unknown_run_is_not_found(owner, run):
    """
    404, whatever the name looks like: no name reaches into the bucket.
    """
    assert owner.send("GET", f"/ingest/{run}")[0] == 404


def test_a_bucket_out_of_reach_is_said_so(owner, runs):
    """
    503 with when to try again, and no word of ours about buckets.
    """
    runs.error = StorageUnavailable("bucket: 500", code="500")

    status, headers, told = owner.send("POST", "/ingest", {"all": True})

    assert (status, "retry-after" in headers, "bucket" in json.dumps(told)) == (503, True, False)


# --- On AWS -----------------------------------------------------------------------------------


@pytest.fixture
def aws(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cloud]:
    with served(EmbeddingServer().app) as models:
        settings = {"DATABASE_URL": database_url, "OPENAI_BASE_URL": f"{models}/v1", "OPENAI_API_KEY": "key"}
        with cloud(monkeypatch, settings) as made:
            yield made


def test_from_a_token_to_a_version(aws, door, provider):
    """
    End to end: the owner's call starts the real state machine, its progress is polled to a published version.
    """
    fill(aws)
    aws.messages()  # the events of the uploads; this run is the owner's
    console = Console(door, process().collector.collector)
    owner = Owner(console, provider.token(role="admin"))

    _, _, told = owner.send("POST", "/ingest", {"all": True})
    during = owner.send("GET", f"/ingest/{told['run']}")
    aws.finish(told["run"])
    after = owner.send("GET", f"/ingest/{told['run']}")
    console.close()

    assert during[2]["state"] in {"running", "published"}
    assert (after[0], after[2]["state"], after[2]["summary"]["version"]) == (200, "published", 1)
    assert sorted(after[2]["summary"]["added"]) == ["article:ropes", "article:tides", "page:about-us,-ñandú"]
