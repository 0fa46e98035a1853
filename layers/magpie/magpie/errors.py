"""
Every error that Magpie raises on purpose, by who can act on it.

    MagpieError
    ├── BadQuestion           the visitor can act: 400, 413, 415 or 422
    ├── NotAllowed            the caller signs in (401) or has another role (403)
    ├── TooManyQuestions      the visitor waits `retry_after_s`: 429
    ├── ProviderUnavailable   retry or fall back: 503
    │   ├── QuotaExhausted    the provider's quota is used up: the fallback index may serve
    │   ├── BudgetExhausted   our own money for models is used up: cheaper ways answer
    │   ├── ProviderRefused   401, 403, a malformed request: retrying will not help
    │   └── DeadlineExceeded  our own time for this step is used up
    ├── DatabaseUnavailable   paused, restarting, out of connections: 503, `status: waking`
    │   ├── TableUnavailable  not the pages: where limits, asks and runs are counted and kept: 503
    │   └── RecordUnavailable an answer can't be recorded, and the site file says that it must be
    ├── StorageUnavailable    a bucket, a queue or a state machine can't be used now: 503
    ├── RunUnknown            no run has this name: 404
    ├── CorpusInvalid         the owner can act: a site file, a document, a version
    │   ├── SiteInvalid       the site file; carries file, line and key
    │   ├── Overtaken         another run published first: start again, the active version is whole
    │   ├── OtherModel        a vector of another model than the index holds: never compared
    │   ├── GateClosed        the draft answers the site's questions worse; the active version stays
    │   └── DocumentRefused   one document; the run goes on, the reason is reported
    └── SettingsInvalid       the engineer can act: the environment

A message says what is wrong, which thing it is, and what to do next.
"""

from dataclasses import dataclass

from magpie.model import GateReport


class MagpieError(Exception):
    """The root. Catch it at an edge only."""


class BadQuestion(MagpieError):
    """The request can't be asked as it is. `status` is the HTTP status that says why."""

    def __init__(self, detail: str, *, status: int = 400, code: str = "bad_question") -> None:
        super().__init__(detail)
        self.detail = detail
        self.status = status
        self.code = code


class NotAllowed(MagpieError):
    """A token is missing or can't be believed (401), or its bearer has no right to this (403)."""

    def __init__(self, detail: str, *, status: int = 401, code: str) -> None:
        super().__init__(detail)
        self.detail = detail
        self.status = status
        self.code = code


class TooManyQuestions(MagpieError):
    """
    A limit is reached; `retry_after_s` whole seconds until the next question is admitted. `limit` is
    the one that was reached, for the log.
    """

    def __init__(self, retry_after_s: int, limit: str = "") -> None:
        super().__init__(f"too many questions; the next one is admitted in {retry_after_s} s")
        self.retry_after_s = retry_after_s
        self.limit = limit


class ProviderUnavailable(MagpieError):
    """
    A model provider did not do its part; `provider` names it, `retry_after_s` when it said so.
    `is_free`: it turned the call away before any work, so that nothing is to be paid.
    """

    def __init__(
        self, provider: str, reason: str, *, retry_after_s: float | None = None, is_free: bool = False
    ) -> None:
        super().__init__(f"{provider}: {reason}")
        self.is_free = is_free
        self.provider = provider
        self.reason = reason
        self.retry_after_s = retry_after_s


class QuotaExhausted(ProviderUnavailable):
    """The provider says that the quota is used up, not merely that the pace is too high."""


class BudgetExhausted(ProviderUnavailable):
    """A call was not made, since what it may cost does not fit into what the owner lets us spend."""


class ProviderRefused(ProviderUnavailable):
    """
    The provider refuses the call as it is: a wrong key, an unknown model, a bad parameter. `status` is
    its HTTP status, 0 where it was none: 401 is a key that it doesn't know.
    """

    def __init__(self, provider: str, reason: str, *, is_free: bool = False, status: int = 0) -> None:
        super().__init__(provider, reason, is_free=is_free)
        self.status = status


class DeadlineExceeded(ProviderUnavailable):
    """The time for this step is used up before the provider answered."""


class DatabaseUnavailable(MagpieError):
    """The database can't be reached or has no connection left."""


class TableUnavailable(DatabaseUnavailable):
    """A table of limits, asks, stops, money or runs can't be reached or refuses us. The pages may well be there."""


class RecordUnavailable(DatabaseUnavailable):
    """There is no place for the record that the site file demands (`privacy.must_record`)."""


class StorageUnavailable(MagpieError):
    """A bucket, a queue or a state machine can't be reached, or refuses us; `code` is its own word for it."""

    def __init__(self, message: str, *, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class RunUnknown(MagpieError):
    """No run has this name, or it is so old that its traces are gone."""


class CorpusInvalid(MagpieError):
    """The corpus, a version or a run can't stand as it is; the active version stays."""


class Overtaken(CorpusInvalid):
    """Another version became active while a draft was made. The same run, begun again, will do."""


class OtherModel(CorpusInvalid):
    """A vector that was made by another model than those of its index; the index moved, or the site file did."""


class GateClosed(CorpusInvalid):
    """The draft lost too much against the version before; `report` says which questions."""

    def __init__(self, report: GateReport) -> None:
        super().__init__("\n".join(_gate_lines(report)))
        self.report = report


def _gate_lines(report: GateReport) -> list[str]:
    if report.failed:
        return [
            f"the gate could not judge the draft: {len(report.failed)} of {report.asked} questions got no answer "
            f"({', '.join(report.failed[:5])}); nothing was published, try again"
        ]
    return [
        f"the draft answers the site's questions worse than version {report.before}; nothing was published",
        *report.drops,
        *report.worse,
        "mend the pages or the questions; if the loss is meant: `magpie ingest --skip-gate`",
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteProblem:
    """One thing wrong in a site file. `line` counts from 1; `key` is the dotted path."""

    file: str
    line: int
    key: str
    problem: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}, {self.key or 'the whole file'}: {self.problem}"


class SiteInvalid(CorpusInvalid):
    """The site file can't be used; `problems` lists all of it, not only the first."""

    def __init__(self, problems: tuple[SiteProblem, ...]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


class DocumentRefused(CorpusInvalid):
    """
    One document can't be read. `code` is stable for machines (`no_text`, `too_large`,
    `bad_encoding`, `bad_front_matter`, `bad_json`, `needs_password`, `broken`, `no_rule`,
    `unsupported`, `redaction_survivor`, ...); the message is for people.
    """

    def __init__(self, path: str, code: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.code = code
        self.reason = reason


class SettingsInvalid(MagpieError):
    """The environment lacks something or holds a value that can't be used."""
