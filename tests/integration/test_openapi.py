"""docs/openapi.yaml says what the routes do: asked by schemathesis, with what fits and what doesn't."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
import yaml
from hypothesis import HealthCheck, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import positive_data_acceptance
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from functions.chat.app import create_app
from functions.console.handler import Console
from magpie.adapters.published_keys import PublishedKeys
from magpie.adapters.tokens import OidcVerifier
from magpie.asking.viewers import Door
from magpie.model import RunId, RunProgress, RunState, Stage
from magpie.settings import IdentityProvider, Settings
from tests.integration.test_console import FakeRuns
from tests.integration.test_public import rest_event
from tests.loopback.identity_provider import AUDIENCE, ISSUER, Provider
from tests.loopback.serving import served
from tests.unit.asking_site import Desk

FILE = Path(__file__).parents[2] / "docs" / "openapi.yaml"
DOCUMENT = yaml.safe_load(FILE.read_text(encoding="utf-8"))
REFUSALS = {"checks": {"negative_data_rejection": {"expected-statuses": [400, 401, 404, 405, 413, 415, 422]}}}
ALL = schemathesis.openapi.from_path(FILE, config=SchemathesisConfig.from_dict(REFUSALS))
public = ALL.include(path_regex=r"^/(chat|stop|config|feedback|health)$")
owner = ALL.include(path_regex=r"^/ingest")
STATUSES = {
    "/chat": {200, 400, 413, 415, 422},
    "/stop": {204, 400, 413, 415, 422},
    "/feedback": {204, 400, 403, 409, 413, 415, 422},
    "/config": {200},
    "/health": {200},
    "/ingest": {202, 400, 413, 415, 422},
    "/ingest/{run}": {200, 404},
}


# That a conversation is an odd number of messages and ends with a question, no JSON schema can say; nor that
# a rating is a whole number as it is written, since to a schema 1.0 is an integer too.
UNSAYABLE = {"/chat": [positive_data_acceptance], "/feedback": [positive_data_acceptance]}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(create_app(Desk(), Settings(database_url="unused"))) as base:
        yield base


@public.parametrize()
@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_the_routes_keep_to_the_document(case: Any, address: str) -> None:
    """
    Whatever is sent, fitting or not: a status that the document names, a body as it says, never a 500.
    """
    response = case.call_and_validate(base_url=address, excluded_checks=UNSAYABLE.get(case.operation.path))

    assert response.status_code in STATUSES[case.operation.path] | {405}


# --- The owner's ------------------------------------------------------------------------------


def gateway(console: Console) -> Starlette:
    """
    The handler behind HTTP: requests become events as API Gateway's REST API makes them, which lets only
    the template's routes and methods through.
    """

    async def pass_on(request: Request) -> Response:
        event = rest_event(
            request.method, request.url.path, await request.body(), dict(request.headers), is_base64=True
        )
        answer = await run_in_threadpool(console.resolver.resolve, event, object())
        headers = {name: ", ".join(values) for name, values in answer["multiValueHeaders"].items()}
        body = answer["body"] or ""
        raw = base64.b64decode(body) if answer["isBase64Encoded"] else body.encode()
        return Response(raw, answer["statusCode"], headers)

    return Starlette(
        routes=[
            Route("/ingest", pass_on, methods=["POST", "OPTIONS"]),
            Route("/ingest/{run:path}", pass_on, methods=["GET", "OPTIONS"]),
        ]
    )


@pytest.fixture(scope="module")
def owned() -> Iterator[tuple[str, str]]:
    """The console's address, and the token of its owner."""
    provider = Provider()
    going = RunProgress(run=RunId("0"), state=RunState.RUNNING, stage=Stage.READING, done=3, total=9)
    with served(provider.app) as base:
        identity = IdentityProvider(
            issuer=ISSUER, audiences=(AUDIENCE,), keys_url=f"{base}/keys", role_claim="role"
        )
        verifier = OidcVerifier(identity, PublishedKeys(identity.keys_url))
        console = Console(Door(verifier=verifier, roles=frozenset({"admin"})), FakeRuns(known={"0": going}))
        with served(gateway(console)) as address:
            yield address, provider.token(role="admin")
        console.close()


@owner.parametrize()
@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_the_owners_routes_keep_to_the_document(case: Any, owned: tuple[str, str]) -> None:
    """
    With the owner's token whatever is sent gets a status that the document names; without it, or with
    another, 401. A wrong method or path is told by itself, and a preflight of a page asks no token.
    """
    address, token = owned

    response = case.call_and_validate(base_url=address, headers={"Authorization": f"Bearer {token}"})

    known = response.request.headers.get("Authorization") == f"Bearer {token}"
    expected = STATUSES[case.operation.path] if known else {401}
    assert response.status_code in expected | {404, 405} | ({204} if case.method == "OPTIONS" else set())


def test_every_public_route_is_in_the_document() -> None:
    """
    The document and the application name the same routes.
    """
    app = create_app(Desk(), Settings(database_url="unused"))
    offered = {route.path for route in app.routes if isinstance(route, Route)}

    assert offered == {path for path in DOCUMENT["paths"] if not path.startswith("/ingest")}
