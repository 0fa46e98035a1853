"""
DynamoDB: limits, budgets, asks, runs. Each check is one conditional write; expiry is judged by the code,
since a table cleans up when it likes.
"""

from magpie.adapters.dynamodb.asks import DynamoAsks
from magpie.adapters.dynamodb.limits import (
    AdmittingWhenDown,
    DailyCeiling,
    SiteLimiter,
    SlidingWindow,
    shift_expression,
)
from magpie.adapters.dynamodb.runs import DynamoClaims, DynamoDirtyFiles, DynamoWishes
from magpie.adapters.dynamodb.spending import Caps, DynamoSpending
from magpie.adapters.dynamodb.stops import DynamoStops
from magpie.adapters.dynamodb.table import ConditionFailed, DynamoTable

__all__ = [
    "AdmittingWhenDown",
    "Caps",
    "ConditionFailed",
    "DailyCeiling",
    "DynamoAsks",
    "DynamoClaims",
    "DynamoDirtyFiles",
    "DynamoSpending",
    "DynamoStops",
    "DynamoTable",
    "DynamoWishes",
    "SiteLimiter",
    "SlidingWindow",
    "shift_expression",
]
