"""The state machine that carries runs through their steps. An execution has the name of its run."""

import json

from magpie.adapters.aws import LazyClient
from magpie.errors import StorageUnavailable
from magpie.model import RunId


class StateMachine:
    """The `RunMachine` port."""

    def __init__(self, arn: str, endpoint_url: str | None = None) -> None:
        self._arn = arn
        self._client = LazyClient("stepfunctions", endpoint_url)

    async def start(self, run: RunId) -> None:
        """Raises: StorageUnavailable."""
        try:
            await self._client.call(
                "start_execution", stateMachineArn=self._arn, name=run, input=json.dumps({"run": run})
            )
        except StorageUnavailable as exc:
            if exc.code != "ExecutionAlreadyExists":
                raise

    async def is_running(self, run: RunId) -> bool:
        """Raises: StorageUnavailable."""
        name = f"{self._arn.replace(':stateMachine:', ':execution:')}:{run}"
        try:
            told = await self._client.call("describe_execution", executionArn=name)
        except StorageUnavailable as exc:
            if exc.code == "ExecutionDoesNotExist":
                return False
            raise
        return bool(told["status"] == "RUNNING")

    def close(self) -> None:
        """Gives the connections back."""
        self._client.close()
