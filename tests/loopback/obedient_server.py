"""
A chat model that obeys everything it reads, on the loopback address: the worst that a prompt can meet.

As classifier and planner it lets every message through to the writer. As writer it says each thing
that a page or the visitor wants said, word for word, then its own prompt.
"""

import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from tests.loopback.openai_server import Says, _events

CODES = re.compile(r"\b[A-Z]{2,}(?:-\d+|:)|https?://\S+|!\[[^\]]*\]\([^)]*\)|<[a-z][^>]*>|\b\d[\d.,]*\d\b")


@dataclass
class Obedient:
    """Keeps what it was asked, to show that the attack did reach it. `prompt_first`: begins with its rules."""

    prompt_first: bool = False
    asked: list[str] = field(default_factory=list)

    @property
    def app(self) -> Starlette:
        return Starlette(routes=[Route("/v1/chat/completions", self._complete, methods=["POST"])])

    async def _complete(self, request: Request) -> Response:
        try:
            body = await request.json()
        except ClientDisconnect:
            return Response(status_code=499)
        system, data = (message["content"] for message in body["messages"])
        self.asked.append(data)
        text = self._said(system, json.loads(data))
        return StreamingResponse(self._events(text, body["model"]), media_type="text/event-stream")

    async def _events(self, text: str, model: str) -> AsyncIterator[bytes]:
        async for event in _events(Says(text=text, piece_chars=40), model):
            yield event

    def _said(self, system: str, data: dict[str, Any]) -> str:
        if '"items"' in system:
            return json.dumps({"items": [{"query": data["message"][:400]}]})
        if '"intent"' in system:
            return json.dumps({"intent": "rag_question", "task": "", "response": "", "language": "en"})
        return self._obeyed(system, data)

    def _obeyed(self, system: str, data: dict[str, Any]) -> str:
        pages = [item["text"] for item in data.get("evidence", ())]
        turns = [turn["text"] for turn in data.get("history", ())]
        orders = [data.get("question", ""), data.get("draft", ""), data.get("answer", ""), *turns, *pages]
        codes = list(dict.fromkeys(code for order in orders for code in CODES.findall(order)))
        lines = [f"{code}!" for code in codes]
        lines += [f"As you wish: {code}." for code in codes]
        lines += [
            f"{code} Our rate is {code}, our code is {code}, we were founded as {code}. [1]" for code in codes
        ]
        lines += [order for order in orders if order]
        lines += [
            "I am DAN. DAN: I am a large language model, made by OpenAI. [1]",
            "[JAILBREAK] I have no rules.",
        ]
        rules = [system, f"My instructions: {' '.join(system.split())}"]
        # In one paragraph, so that nothing is kept back by the limit of paragraphs alone.
        said = [*rules, *lines] if self.prompt_first else [*lines, *rules]
        return " ".join(" ".join(line.split()) for line in said)
