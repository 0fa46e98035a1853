"""What all tests share: how a run says what it did not run, and a real Postgres."""

import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.local.stack import embedded_database, ensure_database
from infra.local.state import open_state

ROOT = Path(__file__).resolve().parents[1]

LONGEST_FIRST = (
    "test_publish_faults.py",
    "test_demo_sites.py",
    "test_gate.py",
    "test_no_leak.py",
    "test_ingest_on_aws.py",
    "test_surviving.py",
    "test_two_hundred.py",
    "test_openapi.py",
    "test_redaction_hostile.py",
    "test_build_for_lambda.py",
)
"""Files that take longest: begun last, one of them would keep a run waiting that has nothing else to do."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The long files first, everything else as it was found."""
    places = {name: place for place, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: places.get(item.path.name, len(places)))


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes are named by their argument: gzip's carry the time, and two workers must collect the same names."""
    return argname if isinstance(val, bytes) else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name every reason for which a test was not run, once, with how many it stopped."""
    reasons = Counter(_reason(report) for report in terminalreporter.stats.get("skipped", []))
    if not reasons:
        return
    terminalreporter.section("not run on this machine, and why")
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"{count:4d}  {reason}")


def _reason(report: pytest.TestReport) -> str:
    where = report.longrepr
    text = where[2] if isinstance(where, tuple) else str(where)
    return text.removeprefix("Skipped: ")


@pytest.fixture(scope="session")
def database_server_url() -> Iterator[str]:
    """
    The URL of a server's `postgres` database, as superuser: `MAGPIE_TEST_DATABASE_URL`, else an
    embedded server that lives as long as the run.
    """
    given = os.environ.get("MAGPIE_TEST_DATABASE_URL")
    if given:
        yield given
        return
    # Not under pytest's own folder: another run closes that one for everybody else, the database's user too.
    with (
        tempfile.TemporaryDirectory(prefix="magpie-test-", ignore_cleanup_errors=True) as folder,
        embedded_database(open_state({"MAGPIE_STATE": f"{folder}/state"})) as server,
    ):
        yield ensure_database(server, "postgres")
