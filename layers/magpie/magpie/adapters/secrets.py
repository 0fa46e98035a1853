"""
Secrets of a deployment, from Secrets Manager into the environment's place, once a process.

`MAGPIE_SECRETS` names them: ARNs, a comma apart. A secret is a JSON object, either of variables
(`{"OPENAI_API_KEY": "..."}`) or what RDS keeps of a login (`username`, `password`, and where it
knows them `host`, `port`, `dbname`), which becomes DATABASE_URL. So no key and no password ever
stands in a function's configuration.
"""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from magpie.errors import SettingsInvalid

NAME = "MAGPIE_SECRETS"
TIMEOUT_S = 3.0
TRIES = 3
LOGIN = {"username", "password"}


def with_secrets(env: Mapping[str, str]) -> dict[str, str]:
    """
    The environment, with what its secrets hold; where both name a variable, the secret counts.

    Raises: SettingsInvalid that names the secret, never what is in it.
    """
    arns = [arn.strip() for arn in env.get(NAME, "").split(",") if arn.strip()]
    whole = dict(env)
    if arns:
        client = _client(env)
        for arn in arns:
            whole |= variables_of(_fetched(client, arn), arn, env)
    return whole


def variables_of(text: str, arn: str, env: Mapping[str, str]) -> dict[str, str]:
    """The variables that a secret's text stands for. Raises: SettingsInvalid."""
    try:
        held = json.loads(text)
    except ValueError:
        held = None  # not the error itself: it would quote the secret
    if not isinstance(held, dict) or not all(isinstance(value, str | int) for value in held.values()):
        raise SettingsInvalid(
            f'secret {arn} is not a JSON object of texts; for instance {{"DATABASE_URL": "postgresql://..."}}'
        )
    texts = {name: str(value) for name, value in held.items()}
    if texts.keys() >= LOGIN:
        return {"DATABASE_URL": _url(texts, arn, env)}
    return {name: value for name, value in texts.items() if value}


def login_of(text: str, arn: str) -> tuple[str, str]:
    """User and password of a secret as RDS keeps it. Raises: SettingsInvalid."""
    try:
        held = json.loads(text)
        return str(held["username"]), str(held["password"])
    except (ValueError, KeyError, TypeError):
        raise SettingsInvalid(f"secret {arn} holds no username and password") from None


def secret_text(arn: str, env: Mapping[str, str]) -> str:
    """A secret as it is kept. Raises: SettingsInvalid."""
    return _fetched(_client(env), arn)


def _url(login: Mapping[str, str], arn: str, env: Mapping[str, str]) -> str:
    host = login.get("host") or env.get("MAGPIE_DATABASE_HOST", "")
    if not host:
        raise SettingsInvalid(
            f"secret {arn} holds a login without a host, and MAGPIE_DATABASE_HOST is not set"
        )
    name = login.get("dbname") or env.get("MAGPIE_DATABASE_NAME") or "magpie"
    user, password = quote(login["username"], safe=""), quote(login["password"], safe="")
    return f"postgresql://{user}:{password}@{host}:{login.get('port', '5432')}/{name}?sslmode=require"


def _fetched(client: Any, arn: str) -> str:
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        return str(client.get_secret_value(SecretId=arn)["SecretString"])
    except ClientError as exc:
        code = exc.response["Error"]["Code"]
        raise SettingsInvalid(
            f"secret {arn} can't be read ({code}); see that it is there and may be read"
        ) from exc
    except BotoCoreError as exc:
        raise SettingsInvalid(
            f"Secrets Manager can't be reached ({type(exc).__name__}); functions in a network need a way out to it"
        ) from exc
    except KeyError:
        raise SettingsInvalid(f"secret {arn} holds no text but bytes; store a JSON object") from None


def _client(env: Mapping[str, str]) -> Any:
    import boto3
    from botocore.config import Config

    config = Config(
        connect_timeout=TIMEOUT_S,
        read_timeout=TIMEOUT_S,
        retries={"total_max_attempts": TRIES, "mode": "standard"},
    )
    return boto3.client("secretsmanager", config=config, endpoint_url=env.get("AWS_ENDPOINT_URL") or None)
