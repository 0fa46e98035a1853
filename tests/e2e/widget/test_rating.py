"""A rating's whole way: from the widget on an owner's page to the record, over the real application."""

import pytest
from playwright.async_api import Browser
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from functions.chat.app import create_app
from magpie.settings import Settings
from tests.e2e.widget.scripted import WIDGET, Script
from tests.e2e.widget.visitor import page_html, visiting
from tests.loopback.serving import served
from tests.unit.asking_site import Desk, site

pytestmark = pytest.mark.asyncio(loop_scope="session")


def assistant_of(desk: Desk, owner: str) -> Starlette:
    """The real application with the widget's files beside it, for pages of one origin."""

    async def widget(request: Request) -> Response:
        reply = WIDGET.reply(request.method, request.path_params["path"], dict(request.headers))
        return Response(reply.body, reply.status, dict(reply.headers))

    app = create_app(desk, Settings(database_url="unused", origins=(owner,)))  # type: ignore[arg-type]
    return Starlette(routes=[Route("/widget/{path:path}", widget), Mount("/", app)])


async def test_a_rating_reaches_the_record(chromium: Browser, owner: str, script: Script) -> None:
    """
    Over two origins, with the receipt that came with the answer; what was not said is kept as not said, and a
    name that the visitor gave while asking is not kept with the rating either.
    """
    desk = Desk()

    with served(assistant_of(desk, owner)) as assistant:
        script.page = page_html(assistant)
        async with visiting(chromium, script, owner) as visitor:
            await visitor.open()
            await visitor.asked("My name is Zebulon. How fast do you answer?")
            await visitor.find("[data-do=rate]").first.click()
            await visitor.find(".scale label").nth(4).click()
            await visitor.find(".free input").fill("Zebulon wants a call: 020 7946 0123")
            await visitor.find(".rating [type=submit]").click()
            await visitor.find(".thanks").wait_for()

            assert visitor.problems == []

    (kept,) = desk.records.ratings.values()
    assert (kept.usefulness, kept.used_question, kept.reason) == (
        5,
        None,
        "[redacted name] wants a call: [redacted phone]",
    )


async def test_a_site_that_records_nothing_asks_for_no_rating(
    chromium: Browser, owner: str, script: Script
) -> None:
    """
    Where nothing would be kept, the widget offers no rating.
    """
    privacy = site().privacy.model_copy(update={"record": "none"})
    desk = Desk(site=site(privacy=privacy))

    with served(assistant_of(desk, owner)) as assistant:
        script.page = page_html(assistant)
        async with visiting(chromium, script, owner) as visitor:
            await visitor.open()
            await visitor.asked("How fast do you answer?")

            assert await visitor.find("[data-do=copy]").count() == 1
            assert await visitor.find("[data-do=rate]").count() == 0
