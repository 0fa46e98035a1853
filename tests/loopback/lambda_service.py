"""
What stands between API Gateway and our chat on Lambda, on loopback: a Runtime API that hands out
events and records the raw bytes that come back, and the web adapter's part, from its documented
behaviour: start the handler's script, wait for readiness, turn events into HTTP and HTTP into a
streamed response.

A response is JSON about status and headers, eight NULs, then the body as it comes.
"""

import base64
import http.client
import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tests.loopback.ports import free_port

NULS = b"\0" * 8
STREAMING = "application/vnd.awslambda.http-integration-response"
STARTED_WITHIN_S = 90.0
RESPONSE_HEADERS = {
    "Lambda-Runtime-Function-Response-Mode": "streaming",
    "Content-Type": STREAMING,
    "Transfer-Encoding": "chunked",
}
ADAPTERS_OWN = ("x-amzn-request-context", "x-amzn-lambda-context")


def proxy_event(
    method: str,
    path: str,
    body: str | None = None,
    headers: Mapping[str, str] | None = None,
    ip: str = "203.0.113.9",
) -> dict[str, Any]:
    """An event as a regional REST API sends it to a proxied function, with every type binary."""
    given = {"Content-Type": "application/json", "Host": "api.example", **(headers or {})}
    return {
        "resource": path,
        "path": path,
        "httpMethod": method,
        "headers": given,
        "multiValueHeaders": {name: [value] for name, value in given.items()},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "pathParameters": None,
        "stageVariables": None,
        "requestContext": {
            "requestId": "req-1",
            "stage": "live",
            "httpMethod": method,
            "path": f"/live{path}",
            "identity": {"sourceIp": ip, "userAgent": "test"},
        },
        "body": None if body is None else base64.b64encode(body.encode()).decode(),
        "isBase64Encoded": body is not None,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What API Gateway would pass on; `pieces` are the body's chunks with the second each came at."""

    status: int
    headers: Mapping[str, str]
    pieces: tuple[tuple[float, bytes], ...]
    mode: str

    @property
    def body(self) -> bytes:
        return b"".join(piece for _, piece in self.pieces)

    def lines(self) -> list[dict[str, Any]]:
        """The body as NDJSON."""
        return [json.loads(line) for line in self.body.decode().splitlines() if line]


@dataclass
class RuntimeApi:
    """The Runtime API: `ask` puts an event in, and waits for what the function answers."""

    events: "queue.Queue[dict[str, Any] | None]" = field(default_factory=queue.Queue)
    replies: "queue.Queue[Reply]" = field(default_factory=queue.Queue)

    def ask(self, event: dict[str, Any], timeout_s: float = 60.0) -> Reply:
        self.events.put(event)
        return self.replies.get(timeout=timeout_s)


@contextmanager
def runtime_api() -> Iterator[tuple[RuntimeApi, str]]:
    """The API and its address, `127.0.0.1:PORT`, as AWS_LAMBDA_RUNTIME_API has it."""
    api = RuntimeApi()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            found = api.events.get()
            if found is None:  # the function has ended
                self.close_connection = True
                return
            event = json.dumps(found).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(event)))
            self.send_header("Lambda-Runtime-Aws-Request-Id", "rid-1")
            self.end_headers()
            self.wfile.write(event)

        def do_POST(self) -> None:
            pieces = tuple(self._chunks())
            api.replies.put(_reply(pieces, self.headers.get("Lambda-Runtime-Function-Response-Mode", "")))
            self.send_response(202)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def _chunks(self) -> Iterator[tuple[float, bytes]]:
            while size := int(self.rfile.readline(), 16):
                yield time.monotonic(), self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield api, f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def _reply(pieces: tuple[tuple[float, bytes], ...], mode: str) -> Reply:
    whole = b"".join(piece for _, piece in pieces)
    prelude, separator, _ = whole.partition(NULS)
    assert separator, "a streamed response parts its prelude from the body with eight NULs"
    told = json.loads(prelude)
    return Reply(status=told["statusCode"], headers=told["headers"], pieces=_after_prelude(pieces), mode=mode)


def _after_prelude(pieces: tuple[tuple[float, bytes], ...]) -> tuple[tuple[float, bytes], ...]:
    """The body's chunks: the adapter sends prelude and NULs as one of their own."""
    return tuple((at, piece) for at, piece in pieces[1:] if piece)


# --- The adapter's part -----------------------------------------------------------------------


@contextmanager
def function(
    task: Path, handler: str, env: Mapping[str, str], log: Path
) -> Iterator[tuple[RuntimeApi, "subprocess.Popen[bytes]"]]:
    """
    A function that runs: `task` is what LAMBDA_TASK_ROOT holds, `handler` the script below it, `log`
    gets what it prints. Its environment is `env` and what Lambda sets, nothing of ours.
    """
    port = free_port()
    with runtime_api() as (api, address), log.open("wb") as output:
        whole = {
            **env,
            "LAMBDA_TASK_ROOT": str(task),
            "_HANDLER": handler,
            "AWS_LAMBDA_RUNTIME_API": address,
            "AWS_LWA_PORT": str(port),
        }
        with subprocess.Popen(
            [str(task / handler)], env=whole, cwd=task, start_new_session=True, stdout=output, stderr=output
        ) as process:
            stop = threading.Event()
            try:
                _wait_until_ready(process, port, env.get("AWS_LWA_READINESS_CHECK_PATH", "/"))
                threading.Thread(target=_adapt, args=(address, port, stop), daemon=True).start()
                yield api, process
            finally:
                stop.set()
                api.events.put(None)
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGTERM)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(10)
                process.kill()


def _wait_until_ready(process: "subprocess.Popen[bytes]", port: int, path: str) -> None:
    limit = time.monotonic() + STARTED_WITHIN_S
    while time.monotonic() < limit:
        if process.poll() is not None:
            raise RuntimeError(f"the function ended with {process.returncode} before it was ready")
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        with closing(connection), suppress(OSError, http.client.HTTPException):
            connection.request("GET", path)
            if connection.getresponse().status == 200:
                return
        time.sleep(0.01)
    raise RuntimeError("the function was not ready in time")


def _adapt(api: str, port: int, stop: threading.Event) -> None:
    while not stop.is_set():
        with (
            closing(http.client.HTTPConnection(api)) as runtime,
            suppress(OSError, http.client.HTTPException),
        ):
            runtime.request("GET", "/2018-06-01/runtime/invocation/next")
            answer = runtime.getresponse()
            event, request_id = json.loads(answer.read()), answer.headers["Lambda-Runtime-Aws-Request-Id"]
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as application:
                runtime.request(
                    "POST",
                    f"/2018-06-01/runtime/invocation/{request_id}/response",
                    body=_response(_forwarded(application, event)),
                    headers=RESPONSE_HEADERS,
                    encode_chunked=True,
                )
            runtime.getresponse().read()


def _forwarded(application: http.client.HTTPConnection, event: Mapping[str, Any]) -> http.client.HTTPResponse:
    """The event as the request that the adapter makes of it: its own headers replace a client's."""
    body = event["body"] or ""
    raw = base64.b64decode(body) if event["isBase64Encoded"] else body.encode()
    headers = {name: value for name, value in event["headers"].items() if name.lower() not in ADAPTERS_OWN}
    headers["x-amzn-request-context"] = json.dumps(event["requestContext"])
    headers["x-amzn-lambda-context"] = json.dumps({"request_id": "rid-1"})
    query = urlencode(event["multiValueQueryStringParameters"] or {}, doseq=True)
    path = event["path"] + (f"?{query}" if query else "")
    application.request(event["httpMethod"], path, raw or None, headers)
    return application.getresponse()


def _response(answer: http.client.HTTPResponse) -> Iterator[bytes]:
    headers = {
        name: value for name, value in answer.getheaders() if name not in ("transfer-encoding", "connection")
    }
    yield json.dumps({"statusCode": answer.status, "headers": headers, "cookies": []}).encode() + NULS
    while piece := answer.read1(65536):
        yield piece
