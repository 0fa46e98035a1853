"""
`magpie`: the command. Each command's options stand here, its work in the module of its name.

Nothing heavy is imported before a command runs: `magpie --help` answers at once.
"""

import json as jsonlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="magpie",
    help="A website assistant that says only what its owner's pages say.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

SiteFile = Annotated[
    Path | None,
    typer.Option("--site", metavar="FILE", help="Site file; without it a demo site (SITE=, agency)."),
]
Corpus = Annotated[
    Path | None,
    typer.Option("--corpus", metavar="DIR", help="The documents' folder; else the site file's own."),
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object a result, for machines.")]
Rows = Annotated[
    Path | None,
    typer.Option("--file", metavar="JSONL", help="Many at once: a line each, with `id` and `question`."),
]
OneQuestion = Annotated[str | None, typer.Argument(metavar="QUESTION", help="What to ask, in quotes.")]


@app.command()
def ask(
    question: OneQuestion = None,
    rows: Rows = None,
    site: SiteFile = None,
    corpus: Corpus = None,
    role: Annotated[
        str, typer.Option("--role", metavar="ROLE", help="Ask as a bearer of this role of the site file.")
    ] = "",
    json: AsJson = False,
) -> None:
    """Answer a question from the pages, with citations."""
    from cli import ask as command

    _finish(lambda: command.run(question, rows, site, corpus, json, role), json)


@app.command()
def search(
    question: OneQuestion = None,
    rows: Rows = None,
    site: SiteFile = None,
    corpus: Corpus = None,
    json: AsJson = False,
) -> None:
    """Show the passages that an answer would be written from."""
    from cli import search as command

    _finish(lambda: command.run(question, rows, site, corpus, json), json)


@app.command()
def classify(
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="A visitor's message, in quotes.")
    ] = None,
    rows: Annotated[
        Path | None,
        typer.Option("--file", metavar="JSONL", help="Many at once: a line each, with `id` and `text`."),
    ] = None,
    site: SiteFile = None,
    corpus: Corpus = None,
    json: AsJson = False,
) -> None:
    """Say what kind of message it is, and in which language."""
    from cli.classify import run_classify

    _finish(lambda: run_classify(text, rows, site, corpus, json), json)


@app.command()
def evaluate(
    questions: Annotated[
        Path, typer.Argument(metavar="QUESTIONS", help="JSONL: questions with their answers.")
    ],
    site: SiteFile = None,
    corpus: Corpus = None,
    against: Annotated[
        Path | None,
        typer.Option("--against", metavar="FILE", help="An earlier report (--json): fail where a rate fell."),
    ] = None,
    tolerance: Annotated[
        float, typer.Option("--tolerance", help="How far a rate may fall; 0.03 is three points.")
    ] = 0.03,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Show every answer, not only the wrong ones.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Ask a site its own questions and score routes, retrieval and answers."""
    from cli.evaluate import run_evaluate

    _finish(lambda: run_evaluate(questions, site, corpus, json, against, tolerance, verbose), json)


@app.command()
def ingest(
    everything: Annotated[
        bool, typer.Option("--all", help="The whole corpus; what is gone from it is removed.")
    ] = False,
    source: Annotated[str, typer.Option("--source", metavar="TYPE:KEY", help="One source.")] = "",
    file: Annotated[str, typer.Option("--file", metavar="PATH", help="One file of the corpus.")] = "",
    url: Annotated[
        str, typer.Option("--url", metavar="ADDRESS", help="A page or a sitemap, fetched into the corpus.")
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what would change; change nothing.")
    ] = False,
    accept_vanishing: Annotated[
        bool,
        typer.Option("--accept-vanishing", help="Also where more sources would go than the site file lets."),
    ] = False,
    skip_gate: Annotated[
        bool, typer.Option("--skip-gate", help="Publish without asking the site's questions first.")
    ] = False,
    check_links: Annotated[
        bool,
        typer.Option("--check-links", help="Ask afterwards whether links still lead somewhere."),
    ] = False,
    site: SiteFile = None,
    corpus: Corpus = None,
    json: AsJson = False,
) -> None:
    """Read documents into a new version and make it the active one."""
    from cli import ingest as command

    how = command.How(
        dry_run=dry_run, accept_vanishing=accept_vanishing, skip_gate=skip_gate, check_links=check_links
    )
    _finish(lambda: command.run(everything, source, file, site, corpus, json, how, url), json)


@app.command()
def refresh(
    accept: Annotated[
        bool, typer.Option("--accept", help="Take over what an earlier round found and left waiting.")
    ] = False,
    site: SiteFile = None,
    corpus: Corpus = None,
    json: AsJson = False,
) -> None:
    """Look at the site's fetched pages again; where much changed, wait for --accept."""
    from cli.refresh import run_refresh

    _finish(lambda: run_refresh(accept, site, corpus, json), json)


@app.command()
def gate(
    version: Annotated[
        int | None,
        typer.Option("--version", metavar="N", help="A kept version instead of the corpus as it is now."),
    ] = None,
    site: SiteFile = None,
    corpus: Corpus = None,
    json: AsJson = False,
) -> None:
    """Ask the site's own questions of a draft, against the active version; publish nothing."""
    from cli.gate import run_gate

    _finish(lambda: run_gate(version, site, corpus, json), json)


@app.command()
def serve(
    site: SiteFile = None,
    corpus: Corpus = None,
    json: AsJson = False,
) -> None:
    """Serve the demo sites, or the site of --site, on a loopback port (PORT= chooses it)."""
    from cli import serve as command

    _finish(lambda: command.run(site, corpus, json), json)


@app.command()
def doctor(site: SiteFile = None, corpus: Corpus = None, json: AsJson = False) -> None:
    """Say what is configured, reachable and missing, and what to do."""
    from cli import doctor as command

    _finish(lambda: command.run(site, corpus, json), json)


@app.command()
def migrate(site: SiteFile = None, corpus: Corpus = None, json: AsJson = False) -> None:
    """Bring the site's database to this code's schema."""
    from cli import migrate as command

    _finish(lambda: command.run(site, corpus, json), json)


@app.command()
def read(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Documents of any kind.")],
    site: SiteFile = None,
    corpus: Corpus = None,
    json: AsJson = False,
) -> None:
    """Show what Magpie sees of documents, without storing anything."""
    from cli.opening import choose, environment
    from cli.read import run_read

    def command() -> int:
        if site is None:
            return run_read(paths, json)
        chosen = choose(site, corpus, environment())
        return run_read(paths, json, chosen.site, chosen.corpus)

    _finish(command, json)


SourceName = Annotated[
    str, typer.Argument(metavar="TYPE:KEY", help="A source, as `magpie search --json` names it.")
]


@app.command()
def redact(
    target: Annotated[
        str | None, typer.Argument(metavar="PATH|-", help="A text file, or - for standard input.")
    ] = None,
    rows: Annotated[
        Path | None,
        typer.Option(
            "--file", metavar="JSONL", help="Many at once: a line each, `id` with `text` or `path`."
        ),
    ] = None,
    policy: Annotated[
        str, typer.Option("--policy", metavar="cv|public|none", help="What counts as personal.")
    ] = "public",
    literal: Annotated[
        list[str] | None, typer.Option("--literal", help="Words that must go too; may be repeated.")
    ] = None,
    contact: Annotated[
        list[str] | None, typer.Option("--contact", help="A public contact that stays; may be repeated.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Show a text without secrets and personal data, and where they stood."""
    from cli.redact import run_redact

    _finish(lambda: run_redact(target, rows, policy, json, tuple(literal or ()), tuple(contact or ())), json)


@app.command()
def versions(site: SiteFile = None, corpus: Corpus = None, json: AsJson = False) -> None:
    """List the kept versions of the corpus."""
    from cli.versions import run_versions

    _finish(lambda: run_versions(site, corpus, json), json)


@app.command()
def diff(
    older: Annotated[int, typer.Argument(metavar="A")],
    newer: Annotated[int, typer.Argument(metavar="B")],
    site: SiteFile = None,
    corpus: Corpus = None,
    json: AsJson = False,
) -> None:
    """Show what version B has that A has not: sources, and facts within them."""
    from cli.versions import run_diff

    _finish(lambda: run_diff(older, newer, site, corpus, json), json)


@app.command()
def rollback(
    version: Annotated[int, typer.Argument(metavar="N")],
    site: SiteFile = None,
    corpus: Corpus = None,
    json: AsJson = False,
) -> None:
    """Make version N the active one."""
    from cli.versions import run_rollback

    _finish(lambda: run_rollback(version, site, corpus, json), json)


@app.command()
def prune(
    keep: Annotated[
        int | None, typer.Option("--keep", min=1, help="How many; else safety.keep_versions.")
    ] = None,
    site: SiteFile = None,
    corpus: Corpus = None,
    json: AsJson = False,
) -> None:
    """Let old versions go, never the active one."""
    from cli.versions import run_prune

    _finish(lambda: run_prune(keep, site, corpus, json), json)


@app.command()
def purge(source: SourceName, site: SiteFile = None, corpus: Corpus = None, json: AsJson = False) -> None:
    """Remove a source from every version, vector and cache, as if it had never been there."""
    from cli.versions import run_purge

    _finish(lambda: run_purge(source, site, corpus, json), json)


@app.command()
def rebuild(site: SiteFile = None, corpus: Corpus = None, json: AsJson = False) -> None:
    """Fill missing fallback vectors; may be stopped and started again."""
    from cli.rebuild import run_rebuild

    _finish(lambda: run_rebuild(site, corpus, json), json)


@app.command()
def reindex(site: SiteFile = None, corpus: Corpus = None, json: AsJson = False) -> None:
    """Move to the embedding models that the site file names; visitors notice nothing."""
    from cli.reindex import run_reindex

    _finish(lambda: run_reindex(site, corpus, json), json)


SessionName = Annotated[
    str,
    typer.Argument(metavar="SESSION", help="A session's id, its ticket, or the id of one of its answers."),
]


@app.command()
def conversations(
    session: Annotated[
        str | None, typer.Argument(metavar="SESSION", help="One of them, with the evidence of each answer.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="How many to list.")] = 20,
    site: SiteFile = None,
    corpus: Corpus = None,
    json: AsJson = False,
) -> None:
    """List what visitors asked, or show one conversation."""
    from cli import conversations as command

    if session is None:
        _finish(lambda: command.run_list(limit, site, corpus, json), json)
    else:
        _finish(lambda: command.run_show(session, site, corpus, json), json)


@app.command()
def export(session: SessionName, site: SiteFile = None, corpus: Corpus = None) -> None:
    """Print all that is kept of a session, as JSON."""
    from cli import conversations as command

    _finish(lambda: command.run_export(session, site, corpus), False)


@app.command()
def forget(
    session: Annotated[
        str | None,
        typer.Argument(
            metavar="SESSION", help="A session's id, its ticket, or the id of one of its answers."
        ),
    ] = None,
    expired: Annotated[
        bool, typer.Option("--expired", help="All that is older than privacy.retention_days.")
    ] = False,
    site: SiteFile = None,
    corpus: Corpus = None,
    json: AsJson = False,
) -> None:
    """Remove all that is kept of a session, without a trace."""
    from cli import conversations as command

    _finish(lambda: command.run_forget(session, expired, site, corpus, json), json)


receipt = typer.Typer(help="The signed records of answers.", no_args_is_help=True)
app.add_typer(receipt, name="receipt")


@receipt.command("verify")
def receipt_verify(
    target: Annotated[
        str | None,
        typer.Argument(metavar="FILE|-", help="A receipt, an answer as JSON, a stream, an export."),
    ] = None,
    answer: Annotated[str, typer.Option("--answer", metavar="ID", help="A recorded answer instead.")] = "",
    site: SiteFile = None,
    corpus: Corpus = None,
    json: AsJson = False,
) -> None:
    """Check signature, text and evidence; exits 1 where one of them does not hold."""
    from cli import receipt as command

    _finish(lambda: command.run_verify(target, answer, site, corpus, json), json)


@app.command()
def drill(
    site: SiteFile = None,
    corpus: Corpus = None,
    url: Annotated[
        str, typer.Option("--url", metavar="URL", help="A site that runs there; the visitors' attacks alone.")
    ] = "",
    pack: Annotated[
        Path | None, typer.Option("--pack", metavar="FOLDER", help="Other attacks: FOLDER/injections.jsonl.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Attack a site as visitors and poisoned pages would; fail where something leaks."""
    from cli import drill as command

    _finish(lambda: command.run(site, corpus, url, pack, json), json)


widget = typer.Typer(help="The tag that brings the widget to a page.", no_args_is_help=True)
app.add_typer(widget, name="widget")


@widget.command("tag")
def widget_tag(
    base: Annotated[str, typer.Option("--base", metavar="URL", help="Where the assistant is served.")],
    exact: Annotated[
        bool,
        typer.Option("--exact", help="This version only, with its integrity hash, not always the newest."),
    ] = False,
    json: AsJson = False,
) -> None:
    """Print the tag to put into a page."""
    from cli import widget as command

    _finish(lambda: command.tag(base, exact, json), json)


@widget.command("keep")
def widget_keep(json: AsJson = False) -> None:
    """Keep this version, so that pages that name it go on working after the next one."""
    from cli import widget as command

    _finish(lambda: command.keep_release(json), json)


def _finish(command: Callable[[], int], json: bool) -> None:
    """Run the command; an error of ours becomes a sentence, and its exit code 1."""
    from magpie.errors import MagpieError

    try:
        code = command()
        sys.stdout.flush()
    except MagpieError as exc:
        _show_error(exc, json)
        code = 1
    except BrokenPipeError:  # the reader of our output has gone: `magpie ... | head`
        sys.stderr.close()
        code = 0
    except (
        OSError
    ) as exc:  # a disk that is full, a folder that went away: the machine's, for its owner to mend
        _give_up_output()
        where = f": {exc.filename}" if exc.filename else ""
        print(
            f"magpie: the machine refuses ({exc.strerror or exc}{where}); mend that and run it again",
            file=sys.stderr,
        )
        code = 1
    raise typer.Exit(code)


def _show_error(exc: Exception, json: bool) -> None:
    if json:
        print(jsonlib.dumps({"error": {"code": type(exc).__name__, "message": str(exc)}}, ensure_ascii=False))
    else:
        print(f"magpie: {exc}", file=sys.stderr)


def _give_up_output() -> None:
    """What can't be written is not tried again at the end of the process."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def main() -> None:
    """The console script. Where standard output is closed (`>&-`), what it says goes nowhere."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # for as long as the process lives
    try:
        app(prog_name="magpie")
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
