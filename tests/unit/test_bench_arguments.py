"""Measurements refuse wrong arguments before they measure."""

import argparse

import pytest

from magpie.errors import SettingsInvalid
from tests.bench._command import folder, run, seconds, some_of, whole_number


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (whole_number, "0"),
        (whole_number, "-3"),
        (whole_number, "many"),
        (seconds, "nan"),
        (seconds, "-1"),
        (folder, "/nowhere"),
        (some_of(("agency", "journal")), "agncy"),
        (some_of(("agency", "journal")), ","),
    ],
    ids=["zero", "negative", "word", "nan", "before now", "no folder", "unknown", "no name"],
)
def test_an_argument_that_can_not_be_is_named(kind, text):
    """
    The parser tells it with the option's name and ends.
    """
    with pytest.raises(argparse.ArgumentTypeError):
        kind(text)


def test_names_are_taken_with_their_commas():
    """
    One or several, with spaces or without.
    """
    assert some_of(("agency", "journal"))("journal, agency") == ("journal", "agency")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (SettingsInvalid("no key"), "bench: no key"),
        (FileNotFoundError(2, "gone", "pack.json"), "bench: pack.json is not there"),
        (KeyboardInterrupt(), 130),
    ],
    ids=["ours", "file", "ctrl-c"],
)
def test_what_ends_a_measurement_is_a_sentence(error, code):
    """
    No trace for what the reader of the terminal can mend.
    """

    def main() -> None:
        raise error

    with pytest.raises(SystemExit) as ended:
        run(main)

    assert ended.value.code == code
