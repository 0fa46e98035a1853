"""The widget over the real application, where this folder's demo runs."""

import os

import pytest
from playwright.async_api import Browser, expect

from infra.local.serving import address_of_running_server
from infra.local.state import open_state
from tests.e2e.widget.scripted import Script
from tests.e2e.widget.visitor import visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")

ANSWER_MS = 60_000  # a first question may wait for the models to load


async def test_a_question_is_answered_from_the_pages(chromium: Browser) -> None:
    """
    A starter of the site brings an answer with words, and the next question carries its receipt.
    """
    address = address_of_running_server(open_state(os.environ))
    if not address.startswith("http"):
        pytest.skip("no demo runs from this folder; start one with `make demo` to test the widget over it")

    async with visiting(chromium, Script(), address) as visitor:
        await visitor.page.locator(".cards a").first.click()
        await visitor.open()
        await visitor.find(".starters button").first.click()
        await expect(visitor.find(".turn:last-child .tools > *").first).to_be_visible(timeout=ANSWER_MS)
        assert len(await visitor.answer.inner_text()) > 10
        async with visitor.page.expect_request("**/chat") as asked:
            await visitor.ask("Can you say more about that?")
        messages = (await asked.value).post_data_json["messages"]

        assert messages[1]["receipt"]
        assert visitor.problems == []
