"""An ingest that the owner asks for, and what is told of it."""

from typing import Annotated, Any

from pydantic import StrictBool, StringConstraints, model_validator

from functions.chat.body import Part, parsed_as
from magpie.ingesting.told import summary_told
from magpie.model import RunProgress, Selection, SourceKey

NEEDED = "say what to read, one of: all (true), file (a path), source (type:key), folder (a path)"


class IngestBody(Part):
    """The body of POST /ingest: one thing to read, as the command line wants it too."""

    all: StrictBool = False
    file: Annotated[str, StringConstraints(min_length=1, max_length=1000)] = ""
    folder: Annotated[str, StringConstraints(min_length=1, max_length=1000)] = ""
    source: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]*:.+$", max_length=500)] = ""
    accept_vanishing: StrictBool = False

    @model_validator(mode="after")
    def _names_one(self) -> "IngestBody":
        if sum(map(bool, (self.all, self.file, self.folder, self.source))) != 1:
            raise ValueError(NEEDED)
        return self

    def to_selection(self) -> Selection:
        if not self.source:
            return Selection(file=self.file or None, folder=self.folder or None)
        source_type, _, source_key = self.source.partition(":")
        return Selection(source=SourceKey(source_type=source_type, source_key=source_key))


def parsed_ingest(raw: bytes) -> IngestBody:
    """Raises: BadQuestion (400, 422)."""
    return parsed_as(IngestBody, raw)


def told_progress(progress: RunProgress) -> dict[str, Any]:
    """How far a run is, as JSON."""
    told: dict[str, Any] = {
        "run": progress.run,
        "state": progress.state.value,
        "stage": progress.stage.value,
        "done": progress.done,
        "total": progress.total,
    }
    if progress.summary is not None:
        told["summary"] = summary_told(progress.summary)
    if progress.code:
        told["error"] = {"code": progress.code, "message": progress.error}
    return told
