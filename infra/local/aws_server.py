"""
The stand-in for DynamoDB and S3, a process of its own: `python -m infra.local.aws_server`.

Prints its address once tables and bucket are made, and ends when its standard input closes:
so it never outlives the process that started it, however that one ended. One request at a
time, since the stand-in's conditional writes are not atomic under threads.
"""

import logging
import sys
import threading
from typing import Any

from infra.local.tables import BUCKET, TABLES, make_bucket, make_table


def main() -> None:
    """Serve until standard input ends."""
    server = make_server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    for table in TABLES:
        make_table(address, table)
    make_bucket(address, BUCKET)
    print(address, flush=True)
    sys.stdin.read()


def make_server() -> Any:
    """A server on a free loopback port."""
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import WSGIRequestHandler
    from werkzeug.serving import make_server as bind

    logging.getLogger("werkzeug").setLevel(logging.ERROR)

    class Handler(WSGIRequestHandler):
        timeout = 5  # a client that connects and says nothing does not hold the one thread

    application = DomainDispatcherApplication(create_backend_app)
    return bind("127.0.0.1", 0, application, threaded=False, request_handler=Handler)


if __name__ == "__main__":
    main()
