"""Settings of runs on AWS."""

import pytest

from magpie.errors import SettingsInvalid
from magpie.settings import IngestPlaces, IngestSettings


def test_places_have_names_of_their_own() -> None:
    """An empty environment is a deployment by the book: a quiet minute, ten at the most."""
    places = IngestPlaces.from_env({})

    assert (places.corpus_bucket, places.corpus_prefix) == ("magpie-corpus", "corpus/")
    assert (places.quiet_s, places.patience_s, places.inline_batches) == (60, 600, 100)


@pytest.mark.parametrize("name", ["MAGPIE_QUIET_S", "MAGPIE_QUIET_PATIENCE_S", "MAGPIE_INLINE_BATCHES"])
@pytest.mark.parametrize("value", ["", "-1", "1.5", "soon"])
def test_a_number_that_is_none_is_named(name: str, value: str) -> None:
    """The start ends with the variable's name, not with a run that never begins."""
    with pytest.raises(SettingsInvalid, match=name):
        IngestPlaces.from_env({name: value})


def test_steps_know_no_signing_key_and_print_no_secret() -> None:
    """What signs tickets and receipts is no business of a step; what it knows stays out of logs."""
    settings = IngestSettings.from_env(
        {
            "DATABASE_URL": "postgresql://u:hush@db/magpie",
            "OPENAI_API_KEY": "hush",
            "MAGPIE_SIGNING_KEY": "hush" * 8,
            "MAGPIE_ROWS_SHOP": "postgresql://u:hush@shop/db",
        }
    )

    assert settings.keys.signing == ""
    assert "hush" not in repr(settings)
