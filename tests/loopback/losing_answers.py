"""
A way to a server on which answers are lost: the request arrives and is done, the connection breaks.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

Loses = Callable[[bytes], bool]
"""Asked for each request's body, once it is done."""


@contextmanager
def losing_answers(base: str, loses: Loses) -> Iterator[str]:
    """The address in front of `base`."""
    behind = urlsplit(base)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            connection = HTTPConnection(str(behind.hostname), int(behind.port or 80), timeout=10)
            connection.request("POST", self.path, body, dict(self.headers))
            answer = connection.getresponse()
            told = answer.read()
            connection.close()
            if loses(body):
                self.close_connection = True
                return
            self.send_response(answer.status)
            for name in ("Content-Type", "x-amzn-RequestId", "x-amz-crc32"):
                if value := answer.getheader(name):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def once(word: bytes) -> Loses:
    """Loses the answer to the first request in which the word stands."""
    seen = threading.Event()

    def loses(body: bytes) -> bool:
        if word not in body or seen.is_set():
            return False
        seen.set()
        return True

    return loses
