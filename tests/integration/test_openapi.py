"""docs/openapi.yaml says what the routes do: asked by schemathesis, with what fits and what doesn't."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
import yaml
from hypothesis import HealthCheck, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import positive_data_acceptance
from starlette.routing import Route

from functions.chat.app import create_app
from magpie.settings import Settings
from tests.loopback.serving import served
from tests.unit.asking_site import Desk

FILE = Path(__file__).parents[2] / "docs" / "openapi.yaml"
DOCUMENT = yaml.safe_load(FILE.read_text())
REFUSALS = {"checks": {"negative_data_rejection": {"expected-statuses": [400, 405, 413, 415, 422]}}}
schema = schemathesis.openapi.from_path(FILE, config=SchemathesisConfig.from_dict(REFUSALS)).include(
    path_regex=r"^/(chat|stop|config|feedback|health)$"
)
STATUSES = {
    "/chat": {200, 400, 413, 415, 422},
    "/stop": {204, 400, 413, 415, 422},
    "/feedback": {204, 400, 403, 409, 413, 415, 422},
    "/config": {200},
    "/health": {200},
}


# That a conversation is an odd number of messages and ends with a question, no JSON schema can say; nor that
# a rating is a whole number as it is written, since to a schema 1.0 is an integer too.
UNSAYABLE = {"/chat": [positive_data_acceptance], "/feedback": [positive_data_acceptance]}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(create_app(Desk(), Settings(database_url="unused"))) as base:
        yield base


@schema.parametrize()
@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_the_routes_keep_to_the_document(case: Any, address: str) -> None:
    """
    Whatever is sent, fitting or not: a status that the document names, a body as it says, never a 500.
    """
    response = case.call_and_validate(base_url=address, excluded_checks=UNSAYABLE.get(case.operation.path))

    assert response.status_code in STATUSES[case.operation.path] | {405}


def test_every_public_route_is_in_the_document() -> None:
    """
    The document and the application name the same routes.
    """
    app = create_app(Desk(), Settings(database_url="unused"))
    offered = {route.path for route in app.routes if isinstance(route, Route)}

    assert offered == {path for path in DOCUMENT["paths"] if not path.startswith("/ingest")}
