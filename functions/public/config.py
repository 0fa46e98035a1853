"""
GET /config: what a widget needs before the first question. Nothing of it is secret.

The owner's words are given in one language: what `language` asks for, else what the browser prefers, else the
site's first.
"""

import re
from collections.abc import Sequence
from typing import Protocol

from functions.chat.body import MAX_MESSAGE_CHARS
from magpie.asking.events import PROTOCOL
from magpie.asking.pipeline import Asker
from magpie.asking.rating import Ratings
from magpie.site import Site

CACHING = "public, max-age=60"
VARIES = "Accept-Language"
MOST_WISHES = 10
WEIGHT = re.compile(r";\s*q=(\d(?:\.\d{1,3})?)")


class Told(Protocol):
    """What the config is made from."""

    @property
    def site(self) -> Site: ...
    @property
    def asker(self) -> Asker: ...
    @property
    def ratings(self) -> Ratings: ...


def wished(language: str, accepted: str) -> tuple[str, ...]:
    """
    Languages, best first, without their regions: `language`, then those of an `Accept-Language` header by
    their weight. What is no language is passed over.
    """
    ranges = [(_weight(one), one) for one in accepted.split(",")[:MOST_WISHES]]
    ranked = [one for weight, one in sorted(ranges, key=lambda pair: -pair[0]) if weight]
    codes = (re.match(r"\s*([a-zA-Z]{2,3})(?![a-zA-Z])", one) for one in (language, *ranked))
    return tuple(dict.fromkeys(code.group(1).lower() for code in codes if code))


def _weight(accepted: str) -> float:
    found = WEIGHT.search(accepted)
    return float(found.group(1)) if found else 1.0


def config_of(runtime: Told, languages: Sequence[str] = ()) -> dict[str, object]:
    """The public part of the site file, for widgets; its words in the first of the languages that has them."""
    site = runtime.site
    heard = (*languages, site.site.corpus_language)
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
            "greeting": site.persona.greeting.among(heard),
            "disclosure": site.persona.disclosure.among(heard),
        },
        "looks": {
            "accent": site.looks.accent,
            "position": site.looks.position,
            "mode": site.looks.mode,
            "theme": site.looks.theme,
            "starters": [words.among(heard) for words in site.looks.starters],
            "starters_by_page": {
                page: [words.among(heard) for words in starters]
                for page, starters in site.looks.starters_by_page.items()
            },
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
