"""
`make bench`: every measurement of this folder, one after another, each in a process of its own.

`python -m tests.bench NAME...` runs only those. A measurement ends with a table of ratios in one
run; docs/benchmarks.md keeps what was found, with the command.
"""

import subprocess
import sys
from pathlib import Path

NAMES = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))


def main(wanted: list[str]) -> int:
    """0 when every measurement ran; unknown names are told before anything runs."""
    unknown = sorted(set(wanted) - set(NAMES))
    if unknown:
        print(f"no measurement is called {', '.join(unknown)}; there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    failed = [name for name in wanted or NAMES if not _ran(name)]
    if failed:
        print(f"\nFailed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _ran(name: str) -> bool:
    print(f"\n=== {name} ===", flush=True)
    return subprocess.run([sys.executable, "-m", f"tests.bench.{name}"], check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
