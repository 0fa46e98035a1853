"""Imports point one way; a folder's place decides what it may know."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LAYER = ROOT / "layers" / "magpie" / "magpie"

SHARED = {
    "magpie.model",
    "magpie.errors",
    "magpie.ports",
    "magpie.site",
    "magpie.site_problems",
    "magpie.text",
}
PIPELINES = ("asking", "ingesting", "coaching", "learning")

# What the standard library offers and the core leaves to adapters: the machine, the network.
OUTSIDE = {"os", "sys", "subprocess", "socket", "ssl", "urllib", "http", "sqlite3", "tempfile", "shutil"}

# Of these packages, modules that only take strings apart.
ONLY_STRINGS = {"urllib.parse"}

# Libraries over strings and bytes that the core may use; any other that is not Python's own is an edge.
PURE_LIBRARIES = {
    "model": set(),
    "errors": set(),
    "ports": set(),
    "site": {"pydantic", "yaml"},
    "site_problems": set(),
    "text": {"idna", "lingua", "markdown_it", "phonenumbers", "snowballstemmer"},
    "asking": {"markdown_it"},
    "ingesting": {"lingua", "lxml", "markdown_it", "pypdf", "trafilatura", "yaml"},
    "coaching": {"pydantic"},
    "learning": set(),
}


def modules(part: str) -> list[Path]:
    """The files of a part of the core: one module, or a package."""
    single = LAYER / f"{part}.py"
    return [single] if single.exists() else sorted((LAYER / part).rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports, also inside functions and for types alone."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} line {node.lineno}: name modules in full"
            yield from _from(node)


def _from(node: ast.ImportFrom) -> Iterator[str]:
    module = node.module or ""
    if module in ("magpie", "magpie.adapters"):
        yield from (f"{module}.{alias.name}" for alias in node.names)
    else:
        yield module


def is_within(module: str, packages: set[str]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def allowed_ours(part: str) -> set[str]:
    """What of our own a part of the core may import."""
    if part in ("model", "errors"):
        return {"magpie.model", "magpie.errors"}
    if part == "text":
        return {"magpie.text", "magpie.model", "magpie.errors"}
    return SHARED | ({f"magpie.{part}"} if part in PIPELINES else set())


@pytest.mark.parametrize("part", PURE_LIBRARIES)
def test_core_knows_only_what_is_below_it(part: str) -> None:
    """
    A part of the core imports shared values and itself: no adapter, no function, no other pipeline.
    """
    allowed = allowed_ours(part)

    strays = [
        f"{path.relative_to(ROOT)}: {module}"
        for path in modules(part)
        for module in imports(path)
        if is_within(module, {"magpie", "functions", "cli", "infra", "tests"})
        and not is_within(module, allowed)
    ]

    assert strays == []


@pytest.mark.parametrize("part", PURE_LIBRARIES)
def test_core_touches_no_machine_and_no_sdk(part: str) -> None:
    """
    A part of the core imports no SDK, no web framework, no driver, and nothing that reaches the machine.
    """
    known = _standard_library() | PURE_LIBRARIES[part]

    strays = [
        f"{path.relative_to(ROOT)}: {module}"
        for path in modules(part)
        for module in imports(path)
        if not module.startswith("magpie") and module not in ONLY_STRINGS
        if _top(module) in OUTSIDE or _top(module) not in known
    ]

    assert strays == []


def test_adapters_do_not_know_wiring_or_edges() -> None:
    """
    Adapters keep ports; they import no wiring, no function, no command.
    """
    strays = [
        f"{path.relative_to(ROOT)}: {module}"
        for path in modules("adapters")
        for module in imports(path)
        if is_within(module, {"magpie.wiring", "functions", "cli", "infra"})
    ]

    assert strays == []


def test_layer_does_not_know_its_callers() -> None:
    """
    Nothing in the layer imports functions, commands or the embedded stack.
    """
    strays = [
        f"{path.relative_to(ROOT)}: {module}"
        for path in LAYER.rglob("*.py")
        for module in imports(path)
        if is_within(module, {"functions", "cli", "infra", "tests"})
    ]

    assert strays == []


def test_sql_is_opened_only_by_the_postgres_adapter() -> None:
    """
    SQL statements stand in sql/; no other module of the layer holds one.
    """
    words = ("SELECT ", "INSERT INTO ", "UPDATE ", "DELETE FROM ", "CREATE TABLE")

    strays = [
        f"{path.relative_to(ROOT)} line {node.lineno}"
        for path in LAYER.rglob("*.py")
        if "postgres" not in path.relative_to(LAYER).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.lstrip().startswith(words)
    ]

    assert strays == []


def test_the_net_is_not_empty() -> None:
    """
    The files that these tests guard exist: a moved folder must not make them pass by finding nothing.
    """
    assert all(modules(part) for part in ("model", "errors", "ports", "site", "text", "asking", "ingesting"))


def _standard_library() -> set[str]:
    import sys

    return set(sys.stdlib_module_names)


def _top(module: str) -> str:
    return module.split(".")[0]
