"""The environment, read once."""

import pytest

from magpie.adapters.postgres import Database
from magpie.errors import SettingsInvalid
from magpie.settings import Settings

ENV = {"DATABASE_URL": "postgresql://nowhere/x", "MAGPIE_SIGNING_KEY": "k" * 32}


def test_money_has_a_cap_unless_it_is_said_otherwise():
    """
    Whoever says nothing spends at most a few dollars; `none` takes the cap away, 0 spends nothing.
    """
    usual = Settings.from_env(ENV)
    own = Settings.from_env({**ENV, "MAGPIE_USD_A_DAY": "0", "MAGPIE_USD_A_MONTH": "none"})

    assert (usual.usd_a_day, usual.usd_a_month) == (5.0, 50.0)
    assert (own.usd_a_day, own.usd_a_month) == (0.0, None)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAGPIE_USD_A_DAY", "five"),
        ("MAGPIE_USD_A_DAY", "-1"),
        ("MAGPIE_USD_A_MONTH", "nan"),
        ("MAGPIE_QUESTIONS_A_DAY", "many"),
        ("MAGPIE_SIGNING_KEY_PREVIOUS", "short"),
    ],
)
def test_what_cant_be_used_stops_the_start(name, value):
    """
    A ceiling that is no number is named, not passed over.
    """
    with pytest.raises(SettingsInvalid, match=name):
        Settings.from_env({**ENV, name: value})


def test_keys_are_never_printed():
    """
    No secret stands in what a log would show of the settings.
    """
    shown = repr(
        Settings.from_env({**ENV, "MAGPIE_SIGNING_KEY_PREVIOUS": "p" * 32, "OPENAI_API_KEY": "sk-x"})
    )

    assert "kkkk" not in shown
    assert "pppp" not in shown
    assert "sk-x" not in shown


@pytest.mark.parametrize("address", ["hunter2", "postgresql://u:hunter2@[half/name", "host=a hunter2"])
def test_an_address_that_is_none_is_told_without_its_password(address):
    """
    A slip in DATABASE_URL is a sentence, and no piece of the address is in it or in its cause.
    """
    with pytest.raises(SettingsInvalid, match="DATABASE_URL") as told:
        Database(address)

    assert "hunter2" not in str(told.value)
    assert told.value.__cause__ is None
    assert told.value.__suppress_context__
