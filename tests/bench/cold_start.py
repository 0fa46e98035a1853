"""
A cold start of chat, from the package of `make build`: what it imports against the libraries that it
must import, in one run, and what the process weighs.

    python -m tests.bench.cold_start [--rounds 5] [--json]

Runs on Python 3.13 where there is one, as Lambda does, else on this one. Each start is a process of its own
with the function's code and layers alone; ours and the libraries take turns, and the best of the
rounds counts, in the processor's time, since other work may run here. A Lambda has more or less of a
processor than this machine: only ratios carry over.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from infra.aws.build import LIMIT_MB, build, for_python, python_of_lambda
from tests.bench._command import run, whole_number

RATIO = 1.2
PROCESS_MB = 256

LIBRARIES = """
import asyncio, uvicorn
from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import StreamingResponse
import pydantic, yaml, psycopg, psycopg_pool, pgvector.psycopg, phonenumbers, lingua, snowballstemmer, jwt
from aws_lambda_powertools.logging.formatter import LambdaPowertoolsFormatter
import boto3, openai, google.genai
"""
OURS = """
import uvicorn
import functions.chat.start, functions.chat.on_lambda as chat
from magpie.settings import Keys, Settings
keys = Keys(openai="k", gemini="k", signing="k" * 40)
chat._load_sdks(keys)
settings = Settings(database_url="postgresql://u:p@127.0.0.1:9/none", keys=keys)
application = chat.OnLambda(chat.ActiveSite(settings, lambda runtime: chat.create_app(runtime, settings)), settings)
"""
MEASURE = """
import json, resource, time
began = time.process_time()
{code}
took = (time.process_time() - began) * 1000
print(json.dumps([took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Milliseconds of the processor, and MB; the sizes are unzipped, for this machine's processor."""

    python: str
    libraries_ms: float
    ours_ms: float
    without_byte_code_ms: float
    process_mb: float
    sizes_mb: dict[str, float]

    @property
    def ratio(self) -> float:
        return self.ours_ms / self.libraries_ms

    @property
    def holds(self) -> bool:
        return self.ratio < RATIO and self.process_mb <= PROCESS_MB


def start(python: str, task: Path, opt: Path, code: str) -> tuple[float, float]:
    """Milliseconds of the processor, and MB, of one process."""
    env = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": f"{task}{os.pathsep}{opt}/python",
        "PYTHONDONTWRITEBYTECODE": "1",
        "AWS_DEFAULT_REGION": "eu-central-1",
    }
    command = [python, "-S", "-W", "ignore", "-c", MEASURE.format(code=code)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    took, weight = json.loads(done.stdout.splitlines()[-1])
    return took, weight


def laid_over(layers: Path, opt: Path) -> Path:
    """The layers that chat has, as Lambda lays them over each other."""
    for name in ("requirements", "magpie", "sql"):
        shutil.copytree(layers / name, opt, dirs_exist_ok=True)
    return opt


def bench(rounds: int) -> Report:
    python = python_of_lambda(os.environ) or sys.executable
    with tempfile.TemporaryDirectory(prefix="magpie-bench-") as folder:
        built = build(Path(folder) / "build", for_python(python), python, lambda _: None)
        task, opt = built.folder / "functions", laid_over(built.folder / "layers", Path(folder) / "opt")
        pairs = [(start(python, task, opt, LIBRARIES), start(python, task, opt, OURS)) for _ in range(rounds)]
        for cache in [*task.rglob("__pycache__"), *opt.rglob("__pycache__")]:
            shutil.rmtree(cache)
        bare = min(start(python, task, opt, OURS)[0] for _ in range(2))
    return Report(
        python=subprocess.run([python, "-V"], capture_output=True, text=True, check=True).stdout.strip(),
        libraries_ms=min(libraries[0] for libraries, _ in pairs),
        ours_ms=min(ours[0] for _, ours in pairs),
        without_byte_code_ms=bare,
        process_mb=max(ours[1] for _, ours in pairs),
        sizes_mb={name: round(size, 1) for name, size in built.sizes_mb.items()},
    )


def table(report: Report) -> str:
    sizes = ", ".join(f"{name} {size}" for name, size in report.sizes_mb.items())
    return "\n".join(
        (
            f"Cold start of chat, {report.python}, processor's time, best of the rounds",
            f"  libraries alone        {report.libraries_ms:8.0f} ms",
            f"  all of chat            {report.ours_ms:8.0f} ms   {report.ratio:.2f} times (bar {RATIO})",
            f"  without byte code      {report.without_byte_code_ms:8.0f} ms",
            f"  the process            {report.process_mb:8.0f} MB   (bar {PROCESS_MB})",
            f"Unzipped MB (limit {LIMIT_MB}): {sizes}",
            "Both bars hold." if report.holds else "A bar does not hold.",
        )
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument("--rounds", type=whole_number, default=5)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    report = bench(arguments.rounds)
    print(json.dumps({**asdict(report), "ratio": report.ratio}) if arguments.json else table(report))
    return 0 if report.holds else 1


if __name__ == "__main__":
    run(main)
