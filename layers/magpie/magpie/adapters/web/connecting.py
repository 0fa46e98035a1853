"""A name is resolved once, all its addresses are checked, and the connection goes to one of those."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence

from httpcore2 import SOCKET_OPTION, AnyIOBackend, AsyncNetworkBackend, AsyncNetworkStream, ConnectError

from magpie.adapters.web.networks import Network, why_not
from magpie.errors import DocumentRefused

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""Host and port to numeric addresses. Raises: OSError where the name has none."""


async def system_resolver(host: str, port: int) -> Sequence[str]:
    """The machine's own name service."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


class CheckedBackend(AsyncNetworkBackend):
    """
    Connects by number. The name stays with the HTTP layer, for `Host`, SNI and the certificate, so
    that a name service that answers otherwise the next time gains nothing.
    """

    def __init__(self, resolver: Resolver, permitted: Callable[[str, int], Sequence[Network]]) -> None:
        self._resolver = resolver
        self._permitted = permitted
        self._inner = AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109, the library's own signature
        local_address: str | None = None,
        socket_options: Iterable[SOCKET_OPTION] | None = None,
    ) -> AsyncNetworkStream:
        """Raises: DocumentRefused `private_address`; httpcore2's ConnectError, ConnectTimeout."""
        failure: Exception = ConnectError(f"{host} has no address")
        for address in await self._checked(host, port):
            try:
                return await self._inner.connect_tcp(address, port, timeout, local_address, socket_options)
            except ConnectError as exc:
                failure = exc
        raise failure

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109
        socket_options: Iterable[SOCKET_OPTION] | None = None,
    ) -> AsyncNetworkStream:
        raise ConnectError("no sockets of this machine")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def _checked(self, host: str, port: int) -> Sequence[str]:
        """All or none: a name with one private address is not to be trusted with its public ones."""
        bare = host.strip("[]")
        try:
            addresses = await self._resolver(bare, port)
        except (OSError, UnicodeError) as exc:
            raise ConnectError(f"the name {bare} can't be resolved") from exc
        permitted = self._permitted(host, port)
        for address in addresses:
            if why := why_not(address, permitted):
                raise DocumentRefused(host, "private_address", f"{bare} leads to {address}, which {why}")
        return addresses
