"""
Who asks. A visitor with a token that holds is what its role makes of him; anybody else is a guest,
who sees what is public, and is told why a token was not believed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from magpie.errors import NotAllowed, ProviderUnavailable
from magpie.model import Viewer, Visibility
from magpie.ports import Bearer, TokenVerifier

GUEST = "guest"
UNKNOWN_ROLE = "unknown_role"
NO_PROVIDER = "no_identity_provider"
KEYS_UNREACHABLE = "keys_unreachable"


class Guests:
    """The viewers of a site without an identity provider: everybody is a guest."""

    async def who(self, bearer: str) -> Viewer:
        return Viewer(note=NO_PROVIDER if bearer else "")


class TokenViewers:
    """
    The viewers of a site whose provider signs tokens. `roles` is the site file's: what each role may
    be told. A bearer of several roles is told what any of them may be; his name is the first of them.
    """

    def __init__(self, verifier: TokenVerifier, roles: Mapping[str, frozenset[Visibility]]) -> None:
        self._verifier = verifier
        self._roles = roles

    async def who(self, bearer: str) -> Viewer:
        """Never raises: whatever is wrong with a token makes its bearer a guest, with a note."""
        if not bearer:
            return Viewer()
        try:
            found = await self._verifier.verify(bearer)
        except NotAllowed as exc:
            return Viewer(note=exc.code)
        except ProviderUnavailable:
            return Viewer(note=KEYS_UNREACHABLE)
        return viewer_of(found.roles, self._roles)


def viewer_of(roles: Sequence[str], told: Mapping[str, frozenset[Visibility]]) -> Viewer:
    """Somebody whose roles are certain, by what each role may be told."""
    known = [role for role in told if role in roles]
    if not known:
        return Viewer(identified=True, note=UNKNOWN_ROLE)
    visibilities = frozenset().union(*(told[role] for role in known))
    return Viewer(role=known[0], visibilities=visibilities | {Visibility.PUBLIC}, identified=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """What stands before the owner's API: a token that holds, and one of these roles in it."""

    verifier: TokenVerifier | None
    roles: frozenset[str]

    async def admit(self, authorization: str) -> Bearer:
        """
        Who calls, by the value of the Authorization header.

        Raises: NotAllowed (401 without a token that holds, 403 without the role), ProviderUnavailable.
        """
        if self.verifier is None:
            raise NotAllowed("this deployment has no identity provider", code=NO_PROVIDER)
        token = bearer_of(authorization)
        if not token:
            raise NotAllowed("send Authorization: Bearer with a token", code="no_token")
        bearer = await self.verifier.verify(token)
        if self.roles.isdisjoint(bearer.roles):
            raise NotAllowed("the token's role may not do this", status=403, code="wrong_role")
        return bearer


def bearer_of(authorization: str) -> str:
    """The token of an Authorization header; empty where it holds none."""
    scheme, _, token = authorization.strip().partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""
