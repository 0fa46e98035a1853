"""Secrets: from Secrets Manager (a stand-in of it) into settings, and never into a message."""

import json

import boto3
import pytest
from moto import mock_aws

from magpie.adapters.secrets import login_of, secret_text, variables_of, with_secrets
from magpie.errors import SettingsInvalid
from magpie.settings import Settings

REGION = "eu-central-1"


@pytest.fixture
def manager(monkeypatch):
    """Secrets Manager in this process, with credentials that mean nothing."""
    for name, value in {
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": REGION,
    }.items():
        monkeypatch.setenv(name, value)
    with mock_aws():
        yield boto3.client("secretsmanager", region_name=REGION)


def stored(manager, name, value):
    return manager.create_secret(Name=name, SecretString=value)["ARN"]


def test_secrets_become_settings(manager):
    """
    Several secrets together give the variables that Settings reads, and are not printed with them.
    """
    login = {
        "username": "app",
        "password": "p@ss/w:rd",
        "host": "db.internal",
        "port": 6543,
        "dbname": "site",
    }
    arns = (
        stored(manager, "database", json.dumps(login)),
        stored(manager, "signing", json.dumps({"MAGPIE_SIGNING_KEY": "k" * 40})),
        stored(manager, "models", json.dumps({"OPENAI_API_KEY": "sk-1", "GEMINI_API_KEY": ""})),
    )

    env = with_secrets({"MAGPIE_SECRETS": ", ".join(arns), "MAGPIE_ORIGINS": "https://a.example"})
    settings = Settings.from_env(env)

    assert settings.database_url == "postgresql://app:p%40ss%2Fw%3Ard@db.internal:6543/site?sslmode=require"
    assert (settings.keys.openai, settings.keys.gemini) == ("sk-1", "")
    assert settings.origins == ("https://a.example",)
    assert "sk-1" not in repr(settings)
    assert "p%40ss" not in repr(settings)


def test_no_secret_is_asked_for_where_none_is_named():
    """
    Without MAGPIE_SECRETS the environment is what counts, and no network is touched.
    """
    assert with_secrets({"DATABASE_URL": "postgresql://here"}) == {"DATABASE_URL": "postgresql://here"}


def test_a_login_without_a_host_takes_the_deployments():
    """
    RDS' own secret of a cluster knows no host: the function's environment tells it.
    """
    env = {"MAGPIE_DATABASE_HOST": "cluster.internal", "MAGPIE_DATABASE_NAME": "magpie"}

    found = variables_of('{"username": "owner", "password": "x"}', "arn:1", env)

    assert found == {"DATABASE_URL": "postgresql://owner:x@cluster.internal:5432/magpie?sslmode=require"}


@pytest.mark.parametrize(
    "text",
    ["hunter2", '"hunter2"', '["hunter2"]', '{"a": {"b": "hunter2"}}', '{"a": null, "b": "hunter2"}', ""],
)
def test_a_secret_of_another_shape_is_named_and_not_quoted(text):
    """
    What is wrong with a secret is said by its name: its content is in no message.
    """
    with pytest.raises(SettingsInvalid, match="arn:broken") as raised:
        variables_of(text, "arn:broken", {})

    assert "hunter2" not in str(raised.value)
    assert raised.value.__cause__ is None


def test_a_login_without_any_host_is_refused():
    """
    A login alone leads nowhere, and the message says which variable is missing.
    """
    with pytest.raises(SettingsInvalid, match="MAGPIE_DATABASE_HOST") as raised:
        variables_of('{"username": "owner", "password": "hunter2"}', "arn:1", {})

    assert "hunter2" not in str(raised.value)


def test_a_missing_secret_stops_the_start(manager):
    """
    A secret that is not there is an error that names it, not an empty setting.
    """
    with pytest.raises(SettingsInvalid, match=r"no-such.*ResourceNotFoundException"):
        with_secrets({"MAGPIE_SECRETS": "no-such"})


def test_a_secret_of_bytes_is_refused(manager):
    """
    Secrets Manager also keeps bytes; we take a JSON text.
    """
    arn = manager.create_secret(Name="bytes", SecretBinary=b"\x00\x01")["ARN"]

    with pytest.raises(SettingsInvalid, match="bytes"):
        secret_text(arn, {})


def test_a_login_is_taken_apart():
    """
    User and password of the login that migrations make; another shape is refused without a quote.
    """
    assert login_of('{"username": "app", "password": "x", "engine": "postgres"}', "arn:1") == ("app", "x")
    with pytest.raises(SettingsInvalid, match="arn:1") as raised:
        login_of('{"password": "hunter2"}', "arn:1")
    assert "hunter2" not in str(raised.value)
