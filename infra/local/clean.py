"""Stop what still runs from the state folder: `python -m infra.local.clean`. `make clean` removes it then."""

import os
import sys

from infra.local import postgres
from infra.local.problems import LocalProblem
from infra.local.serving import address_of_running_server
from infra.local.state import exclusive, open_state


def main() -> int:
    """0 when nothing runs any more; 1 with a sentence when a server is still in use."""
    try:
        state = open_state(os.environ)
        address = address_of_running_server(state)
        if address:
            raise LocalProblem(
                f"the demo of this folder still runs ({address}); stop it with Ctrl-C there first"
            )
        with exclusive(state.start_lock):
            server = postgres.running_server(state.postgres)
            if server is not None:
                postgres.stop(server)
    except LocalProblem as exc:
        print(f"clean: {exc}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
