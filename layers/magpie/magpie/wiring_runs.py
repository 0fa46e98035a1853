"""
Settings to the collector, which begins and ends runs on AWS. Apart from their steps, since it needs
no database, no model and no reader, and is called each minute.

Made once for a process; safe for several calls at once. Nothing here touches the network before
it is used.
"""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from magpie.adapters.dynamodb import DynamoClaims, DynamoDirtyFiles, DynamoTable, DynamoWishes
from magpie.adapters.s3 import S3Corpus, S3Work
from magpie.adapters.step_functions import StateMachine
from magpie.ingesting.collecting import Collector, Desk, Quiet
from magpie.model import RunId
from magpie.settings import IngestPlaces


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectorRuntime:
    """The collector, and which file a key of the corpus' bucket is. Needs no database and no model."""

    collector: Collector
    corpus: S3Corpus
    places: IngestPlaces

    def path_of(self, bucket: str, key: str) -> str | None:
        """None for what is no document of this corpus."""
        return self.corpus.path_of(key) if bucket == self.places.corpus_bucket else None


def open_collector(places: IngestPlaces, clock_ms: Callable[[], int] | None = None) -> CollectorRuntime:
    """What begins and ends runs."""
    table = DynamoTable(places.ingest_table, places.aws_endpoint_url)
    corpus = corpus_of(places)
    desk = Desk(
        dirty=DynamoDirtyFiles(table),
        wishes=DynamoWishes(table),
        claims=DynamoClaims(table),
        machine=StateMachine(places.state_machine, places.aws_endpoint_url),
        work=S3Work(places.work_bucket, places.aws_endpoint_url),
        files=corpus,
        clock_ms=clock_ms or now_ms,
        new_run=new_run,
        quiet=Quiet(quiet_s=places.quiet_s, patience_s=places.patience_s),
    )
    return CollectorRuntime(collector=Collector(desk), corpus=corpus, places=places)


def now_ms() -> int:
    """Unix time."""
    return time.time_ns() // 1_000_000


def new_run() -> RunId:
    """`20261130T161502-4f9a2c`: sorts by time, and is the name of the run's execution."""
    return RunId(f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(3)}")


def corpus_of(places: IngestPlaces) -> S3Corpus:
    """The documents in their bucket."""
    return S3Corpus(places.corpus_bucket, places.corpus_prefix, places.aws_endpoint_url)
