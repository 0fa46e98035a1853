"""
`make deploy`: SAM brings `build/` to the account that the shell is set up for, asking what it needs.

The first time it asks for every parameter and keeps the answers in samconfig.toml; later times it
shows what would change and asks once.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from infra.local.problems import LocalProblem
from infra.local.state import ROOT

CAPABILITIES = ("CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND")
CONFIG = ROOT / "samconfig.toml"


def account(env: Mapping[str, str]) -> tuple[str, str]:
    """
    Number and region of the account that would be deployed to.

    Raises: LocalProblem that says how to set one up.
    """
    import boto3
    from botocore.exceptions import BotoCoreError, ClientError

    session = boto3.Session(region_name=env.get("AWS_REGION") or None)
    if not session.region_name:
        raise LocalProblem("no region is chosen; for instance `export AWS_REGION=eu-central-1`")
    try:
        found = session.client("sts").get_caller_identity()
    except (BotoCoreError, ClientError) as exc:
        raise LocalProblem(
            f"no AWS account can be used from here ({exc}); set one up with `aws configure` or "
            "`export AWS_PROFILE=...`, then run `make deploy` again; docs/deploy.md begins with an empty account"
        ) from exc
    return found["Account"], session.region_name


def command(sam: Path, region: str, is_first: bool) -> list[str]:
    """What SAM is called with; the first time it asks for all parameters."""
    base = [str(sam), "deploy", "--template-file", str(ROOT / "template.yaml"), "--region", region]
    capabilities = ["--capabilities", *CAPABILITIES]
    if is_first:
        return [*base, *capabilities, "--guided", "--stack-name", "magpie"]
    return [*base, *capabilities, "--config-file", str(CONFIG), "--confirm-changeset", "--resolve-s3"]


def main() -> int:
    """`python -m infra.aws.deploy`, after a build."""
    sam = ROOT / ".venv" / "sam" / "bin" / "sam"
    try:
        if not sam.exists():
            raise LocalProblem("SAM is not installed; `make deploy` brings it")
        if not (ROOT / "build" / "layers").is_dir():
            raise LocalProblem("nothing is built; `make deploy` builds first")
        number, region = account(os.environ)
    except LocalProblem as exc:
        print(f"make deploy: {exc}", file=sys.stderr)
        return 1
    print(f"Deploying to account {number} in {region}.", flush=True)
    # Telemetry would tell a third party of every deployment.
    env = {**os.environ, "SAM_CLI_TELEMETRY": "0"}
    return subprocess.run(
        command(sam, region, not CONFIG.exists()), env=env, cwd=ROOT, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
