"""What `magpie doctor` finds out about the models' keys, by trying them."""

import asyncio

import pytest

from cli.doctor import Check, State, Trials, tried
from magpie.settings import Keys
from tests.loopback.embedding_server import EmbeddingServer, Reply
from tests.loopback.serving import served

NO = {"error": {"message": "no", "code": "invalid_api_key", "type": "x", "status": "UNAUTHENTICATED"}}
CHECKS = tuple(
    Check(name=name, state=State.OK, detail=f"{name}: set", key=key)
    for name, key in (
        ("primary", "GEMINI_API_KEY"),
        ("fallback", "OPENAI_API_KEY"),
        ("chat model", "OPENAI_API_KEY"),
        ("local", ""),
    )
)


def looked_at(reply: Reply) -> tuple[list[Check], EmbeddingServer]:
    server = EmbeddingServer([reply])
    with served(server.app) as address:
        keys = Keys(
            openai="hunter2", openai_base_url=f"{address}/v1", gemini="hunter2", gemini_base_url=address
        )
        return asyncio.run(tried(CHECKS, Trials(keys))), server


def test_a_key_that_is_refused_is_a_failed_check(caplog: pytest.LogCaptureFixture) -> None:
    """
    Each key is tried once, whatever needs it; what is told names the variable and never the key.
    """
    checks, server = looked_at(Reply(401, NO))

    assert [check.state for check in checks] == [State.FAILED, State.FAILED, State.FAILED, State.OK]
    assert [check.key in check.detail for check in checks] == [True] * 4
    assert all(check.todo for check in checks[:3])
    assert not caplog.records  # what doctor tells needs no second telling
    assert "hunter2" not in str(checks) and len(server.requests) == 2


@pytest.mark.parametrize(
    ("reply", "said", "state"),
    [
        (Reply(), "the key is taken", State.OK),
        (Reply(404, NO), "could not be tried", State.OK),
        (Reply(403, NO), "could not be tried", State.OK),
        (Reply(503, NO), "answered 503", State.FAILED),
    ],
)
def test_what_trying_does_not_prove_is_not_claimed(reply: Reply, said: str, state: State) -> None:
    """
    An endpoint without a list of models, or one that closes it to this key, is no failure; one that is down is.
    """
    checks, _ = looked_at(reply)

    assert [(check.state, said in check.detail) for check in checks[:3]] == [(state, True)] * 3
