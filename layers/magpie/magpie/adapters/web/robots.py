"""robots.txt as RFC 9309 has it: what it allows to us, and how long it asks to pause."""

from dataclasses import dataclass

from protego import Protego

ROBOTS_BYTES = 500 * 1024  # RFC 9309, section 2.5
LONGEST_PAUSE_S = 30.0  # a site that asks for more would never be read; it gets this much


@dataclass(frozen=True, slots=True, kw_only=True)
class Robots:
    """One host's rules. `reason` says why nothing is allowed, where nothing is."""

    rules: Protego | None = None
    reason: str = ""

    def allows(self, address: str, agent: str) -> bool:
        if self.reason:
            return False
        return self.rules is None or bool(self.rules.can_fetch(address, agent))

    def pause_s(self, agent: str) -> float:
        delay = self.rules.crawl_delay(agent) if self.rules else None
        return min(float(delay or 0.0), LONGEST_PAUSE_S)


EVERYTHING = Robots()


def robots_of(raw: bytes) -> Robots:
    """The rules of a file; what can't be understood in it counts as not written."""
    text = raw[:ROBOTS_BYTES].decode("utf-8-sig", "replace").replace("\0", "")
    return Robots(rules=Protego.parse(text))
