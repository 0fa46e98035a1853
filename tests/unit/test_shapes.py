"""Patterns that are compiled when they are first tried."""

import re

from magpie.text.shapes import Shape


def test_a_shape_is_its_pattern():
    """
    It finds, matches and replaces what the pattern would; only its mistakes are seen later, when it is tried.
    """
    shape = Shape(r"half (?P<unit>\w+)", re.IGNORECASE)

    found = shape.search("Half day, half hour")

    assert found is not None
    assert found["unit"] == "day"
    assert [one["unit"] for one in shape.finditer("half a, half b")] == ["a", "b"]
    assert shape.match("a half day") is None
    assert shape.match("a half day", 2) is not None
    assert shape.sub("part", "half day off") == "part off"
