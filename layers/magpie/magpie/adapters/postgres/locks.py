"""Advisory locks, all of the transaction: what a pooler in between can't break."""

from enum import IntEnum

from magpie.adapters.postgres.queries import query


class Lock(IntEnum):
    """Numbers of ours; `mg` in front, so that they meet nobody else's."""

    MIGRATIONS = 0x6D67_0001
    PUBLISHING = 0x6D67_0002
    POINTER = 0x6D67_0003
    DRAFTS = 0x6D67_0004
    INDEXES = 0x6D67_0005


SHARED = (query("publishing_shared"), {"publishing": Lock.PUBLISHING})
ALONE = (query("publishing_alone"), {"publishing": Lock.PUBLISHING})
POINTER = (query("pointer_lock"), {"pointer": Lock.POINTER})
