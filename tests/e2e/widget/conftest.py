"""A real browser, started once, and two origins for it: the assistant's and an owner's."""

import os
import shutil
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright

from tests.e2e.widget.scripted import Script, assistant_app, owner_app
from tests.loopback.serving import served

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncIterator[Browser]:
    """One browser for the whole run; every test has a profile of its own in it."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("no browser: install chromium, or name one with CHROMIUM=/path")
    arguments = [*ARGUMENTS, "--no-sandbox"] if os.geteuid() == 0 else ARGUMENTS
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        await browser.close()


@pytest.fixture(scope="session")
def _script() -> Script:
    return Script()


@pytest.fixture(scope="session")
def assistant(_script: Script) -> Iterator[str]:
    """The assistant's origin, `http://127.0.0.1:PORT`."""
    with served(assistant_app(_script)) as address:
        yield address


@pytest.fixture(scope="session")
def owner(_script: Script) -> Iterator[str]:
    """An owner's website, on another origin."""
    with served(owner_app(_script)) as address:
        yield address


@pytest.fixture
def script(_script: Script) -> Script:
    """What both servers play in this test."""
    _script.reset()
    return _script
