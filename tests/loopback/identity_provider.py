"""
An identity provider on the loopback address: it publishes keys, and signs whatever it is told to.

    provider = Provider()
    with served(provider.app) as base: ...  # base + "/keys" is where its keys are
"""

import base64
import hashlib
import hmac
import json
import time
from dataclasses import dataclass, field
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

ISSUER = "https://identity.example/pool"
AUDIENCE = "magpie-site"


def rsa_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@dataclass
class Provider:
    """`keys` by id; `answer` stands in for the key set where it is set. Counts how often it is asked."""

    keys: dict[str, Any] = field(default_factory=lambda: {"one": rsa_key()})
    answer: Response | None = None
    asked: int = 0

    @property
    def app(self) -> Starlette:
        return Starlette(routes=[Route("/keys", self._published)])

    async def _published(self, _: Request) -> Response:
        self.asked += 1
        return self.answer or Response(self.key_set(), media_type="application/json")

    def key_set(self) -> str:
        return json.dumps({"keys": [self._row(key_id, key) for key_id, key in self.keys.items()]})

    def _row(self, key_id: str, key: Any) -> dict[str, Any]:
        is_curve = isinstance(key, ec.EllipticCurvePrivateKey)
        algorithm: Any = ECAlgorithm if is_curve else RSAAlgorithm
        row = json.loads(algorithm.to_jwk(key.public_key()))
        return {**row, "kid": key_id, "use": "sig", "alg": "ES256" if is_curve else "RS256"}

    def token(self, key_id: str = "one", header: dict[str, Any] | None = None, **claims: Any) -> str:
        """A token that holds, with these claims changed; a claim of None is left out."""
        key = self.keys[key_id]
        algorithm = "ES256" if isinstance(key, ec.EllipticCurvePrivateKey) else "RS256"
        return jwt.encode(claims_of(**claims), key, algorithm, headers={"kid": key_id, **(header or {})})

    def public_pem(self, key_id: str = "one") -> bytes:
        return (
            self.keys[key_id]
            .public_key()
            .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        )


def claims_of(**changes: Any) -> dict[str, Any]:
    now = int(time.time())
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "person-1", "exp": now + 600, "iat": now}
    return {name: value for name, value in {**claims, **changes}.items() if value is not None}


def by_hand(header: dict[str, Any], claims: dict[str, Any], secret: bytes | None = None) -> str:
    """A token as an attacker writes it: any header, no signature or one by HMAC."""
    signed = ".".join(_encoded(json.dumps(part).encode()) for part in (header, claims))
    signature = hmac.new(secret, signed.encode(), hashlib.sha256).digest() if secret else b""
    return f"{signed}.{_encoded(signature)}"


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
