"""
GET /config: what a widget needs before the first question. Nothing of it is secret.
"""

from typing import Protocol

from functions.chat.body import MAX_MESSAGE_CHARS
from magpie.asking.events import PROTOCOL
from magpie.asking.pipeline import Asker
from magpie.asking.rating import Ratings
from magpie.site import Site

CACHING = "public, max-age=60"


class Told(Protocol):
    """What the config is made from."""

    @property
    def site(self) -> Site: ...
    @property
    def asker(self) -> Asker: ...
    @property
    def ratings(self) -> Ratings: ...


def config_of(runtime: Told) -> dict[str, object]:
    """The public part of the site file, for widgets."""
    site = runtime.site
    writer = runtime.asker.writer_name
    return {
        "protocol": PROTOCOL,
        "site": {
            "key": site.site.key,
            "name": site.site.name,
            "url": site.site.url,
            "languages": list(site.site.languages),
        },
        "persona": {
            "name": site.persona.name,
            "greeting": site.persona.greeting,
            "disclosure": site.persona.disclosure,
        },
        "looks": {
            "accent": site.looks.accent,
            "position": site.looks.position,
            "mode": site.looks.mode,
            "theme": site.looks.theme,
            "starters": list(site.looks.starters),
            "starters_by_page": {page: list(asked) for page, asked in site.looks.starters_by_page.items()},
            "memory": site.looks.memory,
            "consent": site.looks.consent,
        },
        "stream": site.speaking.stream,
        "handover": {
            "url": site.handover.url,
            "label": site.handover.label,
            "email": site.handover.email,
        },
        "feedback": runtime.ratings.are_taken,
        "writer": "extractive" if writer == "extractive" else "prompted",
        "limits": {"message_chars": MAX_MESSAGE_CHARS, "kept": 50},
    }
