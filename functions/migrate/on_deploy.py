"""
Migrations at a deployment: CloudFormation calls, waits, and is told how it went.

Anybody else's call goes on to the handler as it is: the state machine's before each run, or a
person's.
"""

import json
import os
from typing import Annotated, Any, Literal
from urllib.request import Request, urlopen

from aws_lambda_powertools import Logger
from pydantic import BaseModel, Field

from functions.ingesting import Context, process
from functions.migrate.handler import handler as migrate
from magpie.adapters.postgres.logins import make_login
from magpie.adapters.secrets import login_of, secret_text, with_secrets
from magpie.errors import MagpieError

logger = Logger(service="migrate")

PHYSICAL_ID = "magpie-schema"
ANSWER_TIMEOUT_S = 20
MOST_REASON_CHARS = 900
"""CloudFormation takes an answer of 4 kB."""


class Deployment(BaseModel):
    """A custom resource's request."""

    kind: Annotated[Literal["Create", "Update", "Delete"], Field(alias="RequestType")]
    answer_url: Annotated[str, Field(alias="ResponseURL")]
    stack: Annotated[str, Field(alias="StackId")]
    request: Annotated[str, Field(alias="RequestId")]
    name: Annotated[str, Field(alias="LogicalResourceId")]


def handler(event: dict[str, Any], context: Context) -> dict[str, Any]:
    """What was done. A deployment is answered whatever happens: else it would wait for an hour."""
    if "RequestType" not in event:
        return migrate(event, context)
    deployment = Deployment.model_validate(event)
    if deployment.kind == "Delete":  # the tables are the owner's, and stay
        return _answer(deployment, "SUCCESS", {})
    try:
        done = migrate({}, context)
        _make_app_login()
    except MagpieError as exc:
        logger.error("not migrated", extra={"kind": type(exc).__name__})  # noqa: TRY400  # told below
        return _answer(deployment, "FAILED", {}, f"{type(exc).__name__}: {exc}")
    except Exception as exc:
        logger.exception("not migrated")
        return _answer(deployment, "FAILED", {}, f"{type(exc).__name__}; the function's log says more")
    return _answer(deployment, "SUCCESS", done)


def _make_app_login() -> None:
    """Only for a database that the deployment made; for another the owner decides who logs in."""
    arn = os.environ.get("MAGPIE_APP_SECRET_ARN", "")
    if arn:
        name, password = login_of(secret_text(arn, os.environ), arn)
        process().run(make_login(with_secrets(os.environ)["DATABASE_URL"], name, password))


def _answer(deployment: Deployment, status: str, data: dict[str, Any], reason: str = "") -> dict[str, Any]:
    told = {
        "Status": status,
        "Reason": reason[:MOST_REASON_CHARS],
        "PhysicalResourceId": PHYSICAL_ID,
        "StackId": deployment.stack,
        "RequestId": deployment.request,
        "LogicalResourceId": deployment.name,
        "Data": {"Applied": ",".join(data.get("applied", []))},
    }
    # The address is signed for exactly this: a PUT without a content type.
    request = Request(deployment.answer_url, json.dumps(told).encode(), {"Content-Type": ""}, method="PUT")
    with urlopen(request, timeout=ANSWER_TIMEOUT_S):
        return {"status": status, "reason": told["Reason"]}
