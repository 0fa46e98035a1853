"""The DynamoDB tables and the S3 bucket of a deployment, made in a stand-in as the template makes them."""

from dataclasses import dataclass
from typing import Any

REGION = "eu-central-1"
BUCKET = "magpie-corpus"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table with one string key; `expires_at` is the attribute that its clean-up looks at, if it has one."""

    name: str
    key: str
    expires_at: str = ""


LIMITS = Table(name="magpie-limits", key="pk", expires_at="expires_at")
ASKS = Table(name="magpie-asks", key="pk", expires_at="expires_at")
INGEST = Table(name="magpie-ingest", key="pk")
TABLES = (LIMITS, ASKS, INGEST)


def definition(table: Table) -> dict[str, Any]:
    """What `CreateTable` is asked for."""
    return {
        "TableName": table.name,
        "AttributeDefinitions": [{"AttributeName": table.key, "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": table.key, "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    }


def make_table(address: str, table: Table, *, cleans_up: bool = True) -> None:
    """Make the table, billed by request. Not every stand-in can clean up what has expired."""
    client = _client("dynamodb", address)
    client.create_table(**definition(table))
    client.get_waiter("table_exists").wait(TableName=table.name, WaiterConfig={"Delay": 1, "MaxAttempts": 10})
    if cleans_up and table.expires_at:
        client.update_time_to_live(
            TableName=table.name,
            TimeToLiveSpecification={"Enabled": True, "AttributeName": table.expires_at},
        )
    client.close()


def make_bucket(address: str, name: str) -> None:
    """Make the bucket."""
    _client("s3", address).create_bucket(
        Bucket=name, CreateBucketConfiguration={"LocationConstraint": REGION}
    )


def _client(service: str, address: str) -> Any:
    import boto3

    # Not this machine's credentials: the stand-in takes any, so it gets none that matter.
    return boto3.client(
        service,  # type: ignore[call-overload]
        endpoint_url=address,
        region_name=REGION,
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )
