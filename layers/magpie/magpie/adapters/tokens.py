"""
Bearer tokens of one OpenID provider (Cognito, Supabase, any other that publishes its keys).

A token is believed when a published key signed it with an algorithm of private keys, the issuer is
ours, it was made for us, and it is neither too old nor too young. What its header says about where
keys are (`jku`, `x5u`, `jwk`) is never looked at.
"""

from collections.abc import Mapping
from typing import Any

import jwt
from jwt import exceptions as errors

from magpie.adapters.published_keys import ALGORITHMS, PublishedKeys
from magpie.errors import NotAllowed
from magpie.ports import Bearer
from magpie.settings import IdentityProvider

MAX_TOKEN_CHARS = 8192
MAX_ROLES = 50
LEEWAY_S = 30  # clocks differ

_REASONS: Mapping[type[Exception], tuple[str, str]] = {
    errors.ExpiredSignatureError: ("expired", "the token has expired; sign in again"),
    errors.ImmatureSignatureError: ("not_yet_valid", "the token is not valid yet"),
    errors.InvalidIssuerError: ("wrong_issuer", "the token is another provider's"),
    errors.InvalidSignatureError: ("forged", "the token's signature does not hold"),
    errors.InvalidAlgorithmError: ("bad_algorithm", "the token is not signed as it must be"),
    errors.MissingRequiredClaimError: ("incomplete", "the token says less than it must"),
}


class OidcVerifier:
    """`TokenVerifier` for one provider."""

    def __init__(self, provider: IdentityProvider, keys: PublishedKeys) -> None:
        self._provider = provider
        self._keys = keys

    async def verify(self, token: str) -> Bearer:
        """Raises: NotAllowed with why, ProviderUnavailable when the keys can't be fetched."""
        if len(token) > MAX_TOKEN_CHARS:
            raise _refused("too_large", f"the token is over {MAX_TOKEN_CHARS} characters")
        key = await self._keys.find(_key_id(token))
        if key is None:
            raise _refused("unknown_key", "the token is signed with a key that the provider does not publish")
        claims = self._claims(token, key)
        self._check_audience(claims)
        return Bearer(subject=claims["sub"], roles=_roles(claims, self._provider.role_claim))

    def _claims(self, token: str, key: jwt.PyJWK) -> Mapping[str, Any]:
        try:
            claims: Mapping[str, Any] = jwt.decode(
                token,
                key,
                algorithms=ALGORITHMS,
                issuer=self._provider.issuer,
                leeway=LEEWAY_S,
                # The audience has a place of its own in some tokens; it is looked at below.
                options={
                    "require": ["exp", "iss", "sub"],
                    "verify_aud": False,
                    "enforce_minimum_key_length": True,
                },
            )
        except (errors.PyJWTError, ValueError, TypeError, RecursionError) as exc:
            raise _refused(*_reason(exc)) from exc
        return claims

    def _check_audience(self, claims: Mapping[str, Any]) -> None:
        """`aud`, or in an access token of Cognito, which has none, the `client_id`."""
        told = claims["aud"] if "aud" in claims else claims.get("client_id")
        named = told if isinstance(told, list) else [told]
        if not any(isinstance(name, str) and name in self._provider.audiences for name in named):
            raise _refused("wrong_audience", "the token was made for somebody else")


def _key_id(token: str) -> str | None:
    """Which key the header names, once it names an algorithm of ours."""
    try:
        header = jwt.get_unverified_header(token)
    except (errors.PyJWTError, ValueError, TypeError, RecursionError) as exc:
        raise _refused("malformed", "that is no token") from exc
    if header.get("alg") not in ALGORITHMS:
        raise _refused(*_REASONS[errors.InvalidAlgorithmError])
    return header.get("kid")


def _reason(exc: Exception) -> tuple[str, str]:
    known = (_REASONS[kind] for kind in type(exc).__mro__ if kind in _REASONS)
    return next(known, ("malformed", "the token can't be used"))


def _refused(code: str, detail: str) -> NotAllowed:
    return NotAllowed(detail, code=code)


def _roles(claims: Mapping[str, Any], claim: str) -> tuple[str, ...]:
    """One name or a list of them, under the claim's whole name or its dotted path."""
    told = claims[claim] if claim in claims else _at(claims, claim.split("."))
    named = told if isinstance(told, list) else [told]
    return tuple(dict.fromkeys(name for name in named if isinstance(name, str) and name))[:MAX_ROLES]


def _at(value: Any, path: list[str]) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value
