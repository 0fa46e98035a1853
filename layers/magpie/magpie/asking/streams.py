"""
Streams inside streams, closed from the outside in.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

T = TypeVar("T")


@asynccontextmanager
async def flowing(stream: AsyncIterator[T]) -> AsyncIterator[AsyncIterator[T]]:
    """
    The stream, closed on every way out. Leaving an `async for` early does not close what it ran
    over: a visitor who goes away would leave a model call running.
    """
    try:
        yield stream
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()
