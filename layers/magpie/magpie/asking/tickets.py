"""
Tickets: the signed token of a session, bound to the page's origin, short-lived, renewed with each answer.

A ticket proves only that we gave it, to a page of that origin, not long ago. It names no one.
"""

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from magpie.asking.signing import Sealer

TICKET_VERSION = 1
LIFETIME = timedelta(minutes=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """
    `is_new`: the session begins here. `note` says why a ticket that came in was not believed:
    `forged`, `expired`, `other_origin`.
    """

    session_id: str
    origin: str
    expires_at: datetime
    note: str = ""
    is_new: bool = False


class Tickets:
    """Issues, checks and renews. A ticket of the key before the last change holds, and is renewed with the new one."""

    def __init__(self, key: str, previous: str = "") -> None:
        self._sealer = Sealer(key, "ticket", TICKET_VERSION, previous)

    def admit(self, sealed: str, *, origin: str, now: datetime) -> Ticket:
        """The session of a ticket that holds, its time renewed; else a new session with the reason noted."""
        if not sealed:
            return _fresh(origin, now)
        payload = self._sealer.open(sealed)
        if payload is None:
            return _fresh(origin, now, "forged")
        if payload["origin"] != origin:
            return _fresh(origin, now, "other_origin")
        if datetime.fromtimestamp(payload["until"], UTC) <= now:
            return _fresh(origin, now, "expired")
        return Ticket(session_id=payload["session"], origin=origin, expires_at=now + LIFETIME)

    def session_of(self, sealed: str) -> str:
        """The session that a ticket of ours names, however old it is; empty for what is none of ours."""
        payload = self._sealer.open(sealed)
        return "" if payload is None else str(payload["session"])

    def seal(self, ticket: Ticket) -> str:
        return self._sealer.seal(
            {
                "session": ticket.session_id,
                "origin": ticket.origin,
                "until": int(ticket.expires_at.timestamp()),
            }
        )


def _fresh(origin: str, now: datetime, note: str = "") -> Ticket:
    return Ticket(
        session_id=secrets.token_urlsafe(16),
        origin=origin,
        expires_at=now + LIFETIME,
        note=note,
        is_new=True,
    )
