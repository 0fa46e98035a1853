"""What becomes of JSON records."""

import json
from datetime import date
from typing import Any

import pytest

from magpie.errors import DocumentRefused
from magpie.ingesting.readers import records
from magpie.model import Document, Reading
from magpie.site import Records, SourceRule


def document(value: Any, path: str = "data/x.json") -> Document:
    return Document(path=path, raw=json.dumps(value).encode(), raw_hash="")


def read(value: Any, companions: dict[str, Document] | None = None, **rule: Any) -> tuple[Reading, ...]:
    return records.read(document(value), SourceRule(path="**", records=Records(**rule)), companions)


BOAT = {
    "id": "ann",
    "name": "Ann",
    "builtIn": 1962,
    "berths": None,
    "crew": ["Bo", "Cy"],
    "is_open": True,
    "metrics": [{"label": "Trips", "value": "1,840"}],
    "home": {"port": "Norsay", "pier": 3},
    "story": "She was built for herring and has carried visitors since the herring went away.",
    "url": "/boats/ann/",
    "date": "2024-03-09",
}


def test_each_record_is_a_source_with_labelled_facts():
    """Facts line by line under their names, prose as a paragraph that can be quoted."""
    (one,) = read([BOAT], title="name", label="Boat", skip=("url", "date"))

    assert one.text == (
        "Boat: Ann\nBuilt In: 1962\nCrew: Bo, Cy\nIs open: yes\nTrips: 1,840\nHome: Port: Norsay; Pier: 3\n\n"
        "She was built for herring and has carried visitors since the herring went away."
    )
    assert (one.record_key, one.title, one.url, one.published) == (
        "ann",
        "Ann",
        "/boats/ann/",
        date(2024, 3, 9),
    )


def test_records_together_are_evidence_lines():
    """One source, one line a record, addresses as links."""
    people = [
        {"label": "Head count", "value": "27 people", "note": "As of May."},
        {"label": "Book a call", "url": "https://x.example/book/", "kind": "booking"},
    ]

    (one,) = read(people, title="label", together=True)

    assert one.text == (
        "- Head count: 27 people. As of May.\n- [Book a call](https://x.example/book/): Kind: booking."
    )


@pytest.mark.parametrize(
    "value", [{"boats": {"ann": {"name": "Ann"}}}, {"boats": [{"id": "ann", "name": "Ann"}]}]
)
def test_a_mapping_of_records_is_as_good_as_a_list(value):
    """Its keys are the records' own."""
    (one,) = read(value, at="boats", title="name")

    assert (one.record_key, one.title) == ("ann", "Ann")


def test_a_file_without_a_rule_is_one_record():
    """An object is described, a list of objects gives evidence lines."""
    rule = SourceRule(path="**")

    (profile,) = records.read(document({"name": "Fid", "species": "otter"}), rule)
    (links,) = records.read(document([{"name": "Air Force", "acronym": "USAF"}, {"name": "Navy"}]), rule)

    assert (profile.title, profile.text) == ("Fid", "Name: Fid\nSpecies: otter")
    assert links.text == "- Air Force: Acronym: USAF.\n- Navy"


def test_only_live_records_of_a_catalogue_come_in():
    """The status file says which: published and not deleted."""
    status = document(
        {
            "files": [
                {"id": "a", "status": "published"},
                {"id": "b", "status": "draft"},
                {"id": "c", "deleted_at": "2024"},
            ]
        },
        "data/status.json",
    )
    value = [{"id": name, "title": name} for name in "abcd"]

    found = read(value, {"data/status.json": status}, status="data/status.json")

    assert [one.record_key for one in found] == ["a"]


def test_a_catalogue_without_its_status_file_is_refused():
    """Else deleted files would come back."""
    with pytest.raises(DocumentRefused) as caught:
        read([{"id": "a"}], status="data/status.json")

    assert caught.value.code == "no_status"


@pytest.mark.parametrize(
    ("value", "rule", "reason"),
    [
        ({"ships": []}, {"at": "boats"}, "nothing at `boats`"),
        ([1, 2], {}, "record 1 is a int"),
        ("text", {}, "expects a list"),
        ([{"title": "x"}], {}, "has no `id`"),
    ],
)
def test_what_the_rule_does_not_expect_is_refused_with_the_place(value, rule, reason):
    """The reason says what is where."""
    with pytest.raises(DocumentRefused, match=reason) as caught:
        read(value, **rule)

    assert caught.value.code == "bad_json"


@pytest.mark.parametrize("raw", [b"{", b"[" * 100_000, b'{"a": NaN}', b""])
def test_broken_json_is_refused(raw):
    """Also what would overflow the parser."""
    with pytest.raises(DocumentRefused) as caught:
        records.read(Document(path="x.json", raw=raw, raw_hash=""), SourceRule(path="**"))

    assert caught.value.code == "bad_json"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("<p>The <b>quay</b> opens.<br>At six.</p><script>alert(1)</script>", "The quay opens.\nAt six."),
        ('<p>Seen<span hidden>unseen</span></p><img src="data:image/png;base64,' + "A" * 60 + '">', "Seen"),
        ("a < b and c > d", "a < b and c > d"),
        ("half \ud800 pair", "half  pair"),
    ],
)
def test_a_value_is_what_a_reader_would_see(value, text):
    """A CMS writes HTML into its fields; what hides in it, and what nothing can store, stays outside."""
    (one,) = read([{"id": "a", "title": "A", "body": value}])

    assert one.text.removeprefix("Title: A\nBody: ").removeprefix("Title: A\n\nBody: ") == text
