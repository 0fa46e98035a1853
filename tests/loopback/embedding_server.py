"""
Embedding endpoints of OpenAI and Gemini, as they answer, on one app.

Each request takes the next `Reply` of the script, the last one for ever. Vectors are made from
the text's hash: equal texts get equal vectors.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

OPENAI_QUOTA = {
    "error": {
        "message": "You exceeded your current quota, please check your plan and billing details.",
        "type": "insufficient_quota",
        "param": None,
        "code": "insufficient_quota",
    }
}
OPENAI_PACE = {
    "error": {
        "message": "Rate limit reached",
        "type": "requests",
        "param": None,
        "code": "rate_limit_exceeded",
    }
}


def gemini_error(quota_id: str | None, retry_delay: str | None) -> dict[str, Any]:
    """A 429 body with the violated quota and the wait, where they are told."""
    details: list[dict[str, Any]] = []
    if quota_id:
        failure = "type.googleapis.com/google.rpc.QuotaFailure"
        details.append({"@type": failure, "violations": [{"quotaId": quota_id}]})
    if retry_delay:
        details.append({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": retry_delay})
    return {
        "error": {"code": 429, "message": "exhausted", "status": "RESOURCE_EXHAUSTED", "details": details}
    }


@dataclass(frozen=True)
class Reply:
    """`status` 200 answers with vectors of `dimension`, or the asked one; anything else with `body`."""

    status: int = 200
    body: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    dimension: int | None = None
    drop: int = 0


@dataclass
class EmbeddingServer:
    """`requests` keeps what came in, in order."""

    script: list[Reply] = field(default_factory=lambda: [Reply()])
    requests: list[dict[str, Any]] = field(default_factory=list)

    @property
    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/embeddings", self._openai, methods=["POST"]),
                Route("/v1/models/{rest:path}", self._gemini, methods=["POST"]),
                Route("/v1/models", self._listed, methods=["GET"]),
            ]
        )

    def _next(self) -> Reply:
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    async def _listed(self, request: Request) -> JSONResponse:
        self.requests.append({"listed": True})
        reply = self._next()
        if reply.status != 200:
            return JSONResponse(dict(reply.body), reply.status, dict(reply.headers))
        return JSONResponse({"object": "list", "data": [], "models": []})

    async def _openai(self, request: Request) -> JSONResponse:
        body = await request.json()
        self.requests.append(body)
        reply = self._next()
        if reply.status != 200:
            return JSONResponse(dict(reply.body), reply.status, dict(reply.headers))
        vectors = _vectors(body["input"], reply.dimension or body["dimensions"], reply.drop)
        data = [{"object": "embedding", "index": i, "embedding": vector} for i, vector in enumerate(vectors)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return JSONResponse({"object": "list", "data": data[::-1], "model": body["model"], "usage": usage})

    async def _gemini(self, request: Request) -> JSONResponse:
        body = await request.json()
        self.requests.append(body)
        reply = self._next()
        if reply.status != 200:
            return JSONResponse(dict(reply.body), reply.status, dict(reply.headers))
        texts = [part["content"]["parts"][0]["text"] for part in body["requests"]]
        vectors = _vectors(texts, reply.dimension or body["requests"][0]["outputDimensionality"], reply.drop)
        return JSONResponse({"embeddings": [{"values": vector} for vector in vectors]})


def _vectors(texts: list[str], dimension: int, drop: int) -> list[list[float]]:
    return [_vector(text, dimension) for text in texts[: len(texts) - drop]]


def _vector(text: str, dimension: int) -> list[float]:
    digest = hashlib.sha256(text.encode()).digest()
    return [digest[i % 32] / 16 + 1 for i in range(dimension)]
