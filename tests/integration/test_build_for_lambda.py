"""`make build` for real: wheels of Lambda's processor and Python, whatever machine this is."""

import os
import struct

import pytest

from infra.aws.build import ADAPTER_MB, LIMIT_MB, build, for_lambda, python_of_lambda

AARCH64 = 0xB7
MAGIC_313 = 3571
"""The magic number of CPython 3.13's byte code (its importlib/_bootstrap_external.py)."""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(
        tmp_path_factory.mktemp("build") / "out",
        for_lambda("arm64"),
        python_of_lambda(os.environ),
        lambda _: None,
    )


def machine_of(path):
    with path.open("rb") as file:
        head = file.read(20)
    assert head[:4] == b"\x7fELF", path
    return struct.unpack("<H", head[18:20])[0]


def test_every_library_is_for_lambda_s_processor(built):
    """
    No wheel of this machine's processor slips in, and none is missing that would need a compiler.
    """
    libraries = [path for path in built.folder.rglob("*.so*") if path.is_file()]

    assert len(libraries) > 20
    assert {machine_of(path) for path in libraries} == {AARCH64}
    assert any("cpython-313-aarch64" in path.name for path in libraries)


def test_a_function_is_light_enough(built):
    """
    Code, every layer and the web adapter together stay under what a function may weigh.
    """
    assert built.largest_function_mb + ADAPTER_MB < LIMIT_MB


def test_byte_code_is_of_lambda_s_python_or_not_there(built):
    """
    With a Python 3.13 every package is compiled for it; without one nothing is, and the build says so.
    """
    compiled = list(built.folder.rglob("*.pyc"))

    if built.has_byte_code:
        assert len(compiled) > 2000
        assert {int.from_bytes(path.read_bytes()[:2], "little") for path in compiled} == {MAGIC_313}
    else:
        assert compiled == []
