"""
AWS in this process, as far as an ingest needs it: moto's S3, EventBridge, SQS, DynamoDB and its
interpreter of the real state machine, which calls the real handlers.

One private function of moto takes the place of Lambda's `Invoke`, and its clock for waiting between
retries is told not to wait; a definition is parsed once (moto is pinned; a test sees that the hook is the one that is called).
"""

import json
import logging
import os
import re
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws
from moto.stepfunctions.parser.asl.parse.asl_parser import AmazonStateLanguageParser

from functions.ingesting import process
from infra.local import tables
from infra.local.tables import INGEST
from magpie.model import Selection

REGION = "eu-central-1"
ACCOUNT = "123456789012"
CORPUS, WORK = "harbour-corpus", "harbour-work"
FUNCTIONS = ("collect", "look", "read", "chunk", "embed", "publish", "migrate")
DEFINITION = Path(__file__).parents[1] / "infra" / "ingest.asl.json"
PATTERN = {
    "source": ["aws.s3"],
    "detail-type": ["Object Created", "Object Deleted"],
    "detail": {"bucket": {"name": [CORPUS]}, "object": {"key": [{"prefix": "corpus/"}]}},
}
PATIENCE_S = 60.0
PARSE = AmazonStateLanguageParser.parse

Handler = Callable[[dict[str, Any], Any], Any]


@dataclass
class Context:
    """A call that has so much time left."""

    left_ms: int = 900_000

    def get_remaining_time_in_millis(self) -> int:
        return self.left_ms


class NoWaiting:
    """Takes the place of the `time` module where moto waits between retries."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)


@dataclass
class Cloud:
    """
    One deployment. `calls` notes each call of a function with its event; `faults` are asked before
    a function is called and may raise in its place, `afterwards` once it has done its work.
    """

    queue: str = ""
    dead_letters: str = ""
    machine: str = ""
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    faults: list[Callable[[str, dict[str, Any]], None]] = field(default_factory=list)
    afterwards: list[Callable[[str, dict[str, Any]], None]] = field(default_factory=list)
    waiting: NoWaiting = field(default_factory=NoWaiting)
    left_ms: int = 900_000
    lock: threading.Lock = field(default_factory=threading.Lock)

    # What the owner and AWS do

    def put(self, path: str, raw: bytes | str) -> None:
        body = raw.encode() if isinstance(raw, str) else raw
        client("s3").put_object(Bucket=CORPUS, Key=f"corpus/{path}", Body=body)

    def delete(self, path: str) -> None:
        client("s3").delete_object(Bucket=CORPUS, Key=f"corpus/{path}")

    def messages(self) -> list[dict[str, Any]]:
        """All that waits in the queue of events; it is empty afterwards."""
        return list(self._received(self.queue))

    def deliver(self, messages: list[dict[str, Any]]) -> list[dict[str, str]]:
        """The queue calls `collect`, with a hundred messages at a time; those that it gave back."""
        back = []
        for start in range(0, len(messages), 100):
            answer = self.invoke("collect", {"Records": messages[start : start + 100]})
            back += answer["batchItemFailures"]
        return back

    def tick(self) -> str | None:
        """A minute has passed; the run that was begun."""
        begun: str | None = self.invoke("collect", {"tick": True})["begun"]
        return begun

    def settle(self) -> str | None:
        """Events are delivered, a minute passes, and the run that began, if any, goes to its end."""
        self.deliver(self.messages())
        run = self.tick()
        if run:
            self.finish(run)
        return run

    def start(self, selection: Selection, **options: bool) -> str:
        """The owner's own start."""
        here = process()
        return here.run(here.collector.collector.start(selection, **options))

    def progress(self, run: str) -> Any:
        here = process()
        return here.run(here.collector.collector.progress(run))  # type: ignore[arg-type]

    # What comes of it

    def finish(self, run: str) -> dict[str, Any]:
        """The execution of a run, once it has ended."""
        deadline = time.monotonic() + PATIENCE_S
        while (told := self.execution(run))["status"] == "RUNNING":
            assert time.monotonic() < deadline, f"run {run} does not end"
            time.sleep(0.02)
        return told

    def drain(self) -> None:
        """Wait for every run: the end of one may have begun another."""
        running = {"stateMachineArn": self.machine, "statusFilter": "RUNNING"}
        while found := client("stepfunctions").list_executions(**running)["executions"]:
            for execution in found:
                self.finish(execution["name"])

    def execution(self, run: str) -> dict[str, Any]:
        arn = f"{self.machine.replace(':stateMachine:', ':execution:')}:{run}"
        found: dict[str, Any] = client("stepfunctions").describe_execution(executionArn=arn)
        return found

    def stop(self, run: str) -> None:
        """Somebody stops the execution: nothing of it runs any more, and no state catches it."""
        arn = f"{self.machine.replace(':stateMachine:', ':execution:')}:{run}"
        client("stepfunctions").stop_execution(executionArn=arn)

    def age_claim(self) -> None:
        """The run that goes on began long ago."""
        client("dynamodb").update_item(
            TableName=INGEST.name,
            Key={"pk": {"S": "claim"}},
            UpdateExpression="SET since_ms = :then",
            ExpressionAttributeValues={":then": {"N": "0"}},
        )

    def dead(self) -> list[dict[str, Any]]:
        """What stands in the dead-letter queue."""
        return [json.loads(message["body"]) for message in self._received(self.dead_letters)]

    def dirty(self) -> set[str]:
        items = client("dynamodb").scan(TableName=INGEST.name)["Items"]
        return {
            item["pk"]["S"].removeprefix("dirty#") for item in items if item["pk"]["S"].startswith("dirty#")
        }

    def names(self, function: str) -> int:
        """How often a function was called."""
        return sum(name == function for name, _ in self.calls)

    def invoke(self, function: str, event: dict[str, Any]) -> Any:
        """A call as Lambda makes it: JSON in, JSON out."""
        with self.lock:
            self.calls.append((function, event))
        for fault in self.faults:
            fault(function, event)
        handler: Handler = import_module(f"functions.{function}.handler").handler
        answer = json.loads(json.dumps(handler(json.loads(json.dumps(event)), Context(self.left_ms))))
        for fault in self.afterwards:
            fault(function, event)
        return answer

    def _received(self, queue: str) -> Iterator[dict[str, Any]]:
        sqs = client("sqs")
        while found := sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10).get("Messages", []):
            taken = [{"Id": m["MessageId"], "ReceiptHandle": m["ReceiptHandle"]} for m in found]
            sqs.delete_message_batch(QueueUrl=queue, Entries=taken)
            for message in found:
                yield {"messageId": message["MessageId"], "body": message["Body"], "eventSource": "aws:sqs"}


@cache
def client(service: str) -> Any:
    """Kept from one deployment to the next: making one takes longer than most of its calls."""
    return boto3.client(service, region_name=REGION)  # type: ignore[call-overload]


@contextmanager
def cloud(env: pytest.MonkeyPatch, settings: dict[str, str]) -> Iterator[Cloud]:
    """A deployment with an empty corpus."""
    for name, value in {**settings, **ENV}.items():
        env.setenv(name, value)
    env.delenv("AWS_ENDPOINT_URL", raising=False)
    made = Cloud()
    process().close()
    with mock_aws(config={"stepfunctions": {"execute_state_machine": True}}), _hooked(env, made):
        _make(made)
        env.setenv("MAGPIE_STATE_MACHINE_ARN", made.machine)
        yield made
        made.drain()
        process().close()


ENV = {
    "AWS_ACCESS_KEY_ID": "local",
    "AWS_SECRET_ACCESS_KEY": "local",
    "AWS_DEFAULT_REGION": REGION,
    "MAGPIE_CORPUS_BUCKET": CORPUS,
    "MAGPIE_WORK_BUCKET": WORK,
    "MAGPIE_QUIET_S": "0",
    "POWERTOOLS_LOG_LEVEL": os.environ.get("POWERTOOLS_LOG_LEVEL", "ERROR"),
}


def definition(settings: dict[str, str]) -> str:
    """The state machine with its places filled in, as the deployment does."""
    return re.sub(
        r"\$\{(\w+)\}", lambda mark: settings[mark.group(1)], DEFINITION.read_text(encoding="utf-8")
    )


def _make(made: Cloud) -> None:
    s3, sqs, events = client("s3"), client("sqs"), client("events")
    for bucket in (CORPUS, WORK):
        s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": REGION})
    s3.put_bucket_notification_configuration(
        Bucket=CORPUS, NotificationConfiguration={"EventBridgeConfiguration": {}}
    )
    made.queue = sqs.create_queue(QueueName="corpus-events")["QueueUrl"]
    made.dead_letters = sqs.create_queue(QueueName="dead-letters")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=made.queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    events.put_rule(Name="corpus", EventPattern=json.dumps(PATTERN))
    # What EventBridge hands on to a queue is the event itself.
    events.put_targets(Rule="corpus", Targets=[{"Id": "collect", "Arn": arn}])
    client("dynamodb").create_table(**tables.definition(INGEST))
    settings = {
        f"{name.title()}FunctionArn": f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{name}"
        for name in FUNCTIONS
    }
    settings |= {"DeadLetterQueueUrl": made.dead_letters, "WorkBucket": WORK}
    made.machine = client("stepfunctions").create_state_machine(
        name="ingest", definition=definition(settings), roleArn=f"arn:aws:iam::{ACCOUNT}:role/ingest"
    )["stateMachineArn"]


@cache
def _parsed(definition: str) -> Any:
    """moto reads the definition anew for each execution, which takes a second; the result has no state."""
    return PARSE(definition)


@contextmanager
def _hooked(env: pytest.MonkeyPatch, made: Cloud) -> Iterator[None]:
    from moto.stepfunctions.parser.asl.component.common.retry import retrier_decl
    from moto.stepfunctions.parser.asl.component.state.exec.state_task import lambda_eval_utils

    def invoke(parameters: dict[str, Any], region: str, state_credentials: Any) -> dict[str, Any]:
        name = parameters["FunctionName"].rsplit(":", 1)[-1]
        event = json.loads(parameters.get("Payload") or b"{}")
        answer: dict[str, Any] = {"StatusCode": 200, "ExecutedVersion": "$LATEST"}
        try:
            return {**answer, "Payload": made.invoke(name, event)}
        except Exception as exc:  # whatever a function raises, Lambda tells
            told = {
                "errorMessage": str(exc),
                "errorType": type(exc).__name__,
                "stackTrace": traceback.format_tb(exc.__traceback__),
            }
            return {**answer, "FunctionError": "Unhandled", "Payload": told}

    env.setattr(lambda_eval_utils, "_invoke_lambda_function", invoke)
    env.setattr(retrier_decl, "time", made.waiting)
    env.setattr(AmazonStateLanguageParser, "parse", staticmethod(_parsed))
    level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)  # moto logs a trace for each state that fails
    try:
        yield
    finally:
        logging.disable(level)
