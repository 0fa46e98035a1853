"""An ingest, shown: a bar while it runs, a line when it is done. Written to standard error."""

import contextlib
from collections.abc import Iterator
from datetime import timedelta

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
)
from rich.text import Text

from magpie.model import IngestProgress, IngestSummary, Stage
from magpie.ports import Progress as ProgressPort

console = Console(stderr=True, highlight=False, soft_wrap=True)

DOING = {
    Stage.LOOKING: "looking for changes",
    Stage.READING: "reading",
    Stage.EMBEDDING: "embedding",
    Stage.ASKING: "asking the site's questions",
    Stage.PUBLISHING: "publishing",
}


def say(sentence: str) -> None:
    """A sentence about what is going on."""
    console.print(sentence, style="dim", markup=False)


class _Clock(ProgressColumn):
    """The time since the start. Rich's own stands still once a stage is full, as if the run hung."""

    def render(self, task: Task) -> Text:
        return Text(str(timedelta(seconds=int(task.elapsed or 0))), style="progress.elapsed")


@contextlib.contextmanager
def shown(name: str) -> Iterator[ProgressPort]:
    """A bar for one site's run; it vanishes at the end and leaves the place to the summary."""
    columns = (
        SpinnerColumn(),
        TextColumn("[bold]{task.fields[site]}[/bold] {task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("[dim]{task.fields[detail]}[/dim]"),
        _Clock(),
    )
    with Progress(*columns, console=console, transient=True) as bars:
        bar = bars.add_task("starting", total=None, site=escape(name), detail="")

        def tell(progress: IngestProgress) -> None:
            detail = f"{progress.chunks} passages" if progress.chunks else ""
            bars.update(
                bar,
                description=DOING[progress.stage],
                completed=progress.done,
                total=progress.total or None,
                detail=detail,
            )

        yield tell


def summary_line(name: str, summary: IngestSummary) -> str:
    """`Sennit Works: 58 unchanged` or `Sennit Works: 58 added, 1 refused, 143 passages embedded, 21 s`."""
    counts = (
        (len(summary.added), "added"),
        (len(summary.changed), "changed"),
        (len(summary.removed), "removed"),
        (summary.unchanged, "unchanged"),
        (len(summary.refused), "refused"),
        (summary.ignored, "left out by rules"),
        (summary.embedded, "passages embedded"),
    )
    parts = [f"{count} {word}" for count, word in counts if count] or ["nothing to read"]
    return f"{name}: {', '.join(parts)}, {summary.seconds:.1f} s"
