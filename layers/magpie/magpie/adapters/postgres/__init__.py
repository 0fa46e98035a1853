"""
Postgres with pgvector: the corpus, its versions, its searches. The only place that opens `sql/`.

- `pool`       connections, roles, and what an error of the driver means
- `queries`    named SQL files
- `migrate`    roles, schema, dimensions
- `passages`, `catalogue`    the corpus, read
- `versions`, `history`      the corpus, written
- `records`    conversations, written, read and forgotten
- `reindex`    to another model beside the live one
- `cache`      vectors kept by text, and those that are missing
"""

from magpie.adapters.postgres.cache import (
    PostgresEmbeddingCache,
    PostgresMissingVectors,
    PostgresQuestionCache,
)
from magpie.adapters.postgres.catalogue import PostgresCatalogue
from magpie.adapters.postgres.history import PostgresHistory
from magpie.adapters.postgres.migrate import Migrated, migrate, migrate_database
from magpie.adapters.postgres.passages import PostgresPassages
from magpie.adapters.postgres.pool import Database
from magpie.adapters.postgres.records import PostgresConversations, PostgresRecords
from magpie.adapters.postgres.reindex import PostgresReindexing
from magpie.adapters.postgres.versions import PostgresVersions

__all__ = [
    "Database",
    "Migrated",
    "PostgresCatalogue",
    "PostgresConversations",
    "PostgresEmbeddingCache",
    "PostgresHistory",
    "PostgresMissingVectors",
    "PostgresPassages",
    "PostgresQuestionCache",
    "PostgresRecords",
    "PostgresReindexing",
    "PostgresVersions",
    "migrate",
    "migrate_database",
]
