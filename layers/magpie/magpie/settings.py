"""
The environment, read once into frozen values. A name that is missing or wrong stops the start.

What stands here belongs to whoever deploys: addresses, keys, allowed origins, ceilings. What the
owner of the pages may choose stands in the site file.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Network, IPv6Network, ip_network

from magpie.errors import SettingsInvalid

USD_A_DAY = 5.0
USD_A_MONTH = 50.0
"""What a deployment may spend on models unless it says otherwise: enough to try, too little to regret."""
NO_CAP = "none"
AMOUNT = re.compile(rf"\d{{1,9}}(\.\d{{1,9}})?|{NO_CAP}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """Secrets; never printed."""

    openai: str = field(default="", repr=False)
    openai_base_url: str = ""
    gemini: str = field(default="", repr=False)
    gemini_base_url: str = ""
    signing: str = field(default="", repr=False)
    """Signs tickets and receipts and keys the hashes of client addresses; at least 32 characters."""
    signing_previous: str = field(default="", repr=False)
    """The signing key before its last change: what it signed still holds, what it counted still counts."""

    @staticmethod
    def of_providers(env: Mapping[str, str]) -> "Keys":
        """The models' keys and addresses alone."""
        return Keys(
            openai=env.get("OPENAI_API_KEY", ""),
            openai_base_url=env.get("OPENAI_BASE_URL", ""),
            gemini=env.get("GEMINI_API_KEY", ""),
            gemini_base_url=env.get("GEMINI_BASE_URL", ""),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityProvider:
    """
    Whose tokens are believed. `role_claim` is a claim's name or a dotted path into one:
    `cognito:groups`, `app_metadata.role`.
    """

    issuer: str
    audiences: tuple[str, ...]
    keys_url: str
    role_claim: str = "role"


# --- What may be fetched ----------------------------------------------------------------------

ROWS_PREFIX = "MAGPIE_ROWS_"


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchSettings:
    """
    What pages and rows may be brought in from, beside the site's own host. `hosts` have a port
    where it is neither 80 nor 443. `networks` are private ones in which these hosts may lie (an
    intranet). `rows` are connections by the name that a site file may use, lower-case.
    """

    hosts: frozenset[str] = frozenset()
    networks: tuple[IPv4Network | IPv6Network, ...] = ()
    rows: Mapping[str, str] = field(default_factory=dict, repr=False)

    @staticmethod
    def from_env(env: Mapping[str, str]) -> "FetchSettings":
        """Raises: SettingsInvalid that names every unusable variable."""
        networks = _listed(env, "MAGPIE_FETCH_NETWORKS")
        _raise(
            [
                f"MAGPIE_FETCH_NETWORKS holds {network!r}, which is no network like 10.1.0.0/16"
                for network in networks
                if not _is_network(network)
            ]
        )
        return FetchSettings(
            hosts=frozenset(host.lower() for host in _listed(env, "MAGPIE_FETCH_HOSTS")),
            networks=tuple(ip_network(network) for network in networks),
            rows={
                name.removeprefix(ROWS_PREFIX).lower(): url
                for name, url in env.items()
                if name.startswith(ROWS_PREFIX) and url
            },
        )


def _is_network(text: str) -> bool:
    try:
        ip_network(text)
    except ValueError:
        return False
    return True


# --- A process that answers -------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """
    `database_url` is a libpq URL. `aws_endpoint_url` points DynamoDB and S3 at the local stand-ins.
    `trusted_hops` is how many proxies in front of us append to X-Forwarded-For (0: trust none).
    `origins` are the pages that may embed the widget. `questions_a_day` is the ceiling of the whole
    site; `usd_a_day` and `usd_a_month` are what models may cost, None without a cap. Without `identity`
    everybody is a guest, and the owner's API, for bearers of `console_roles`, is shut.
    """

    database_url: str = field(repr=False)
    keys: Keys = Keys()
    limits_table: str = "magpie-limits"
    asks_table: str = "magpie-asks"
    corpus_bucket: str = "magpie-corpus"
    aws_endpoint_url: str | None = None
    origins: tuple[str, ...] = ()
    identity: IdentityProvider | None = None
    console_roles: tuple[str, ...] = ("admin",)
    trusted_hops: int = 0
    pool_size: int = 4
    fetch: FetchSettings = FetchSettings()
    questions_a_day: int = 5000
    usd_a_day: float | None = None
    usd_a_month: float | None = None

    @staticmethod
    def from_env(env: Mapping[str, str]) -> "Settings":
        """Raises: SettingsInvalid that names every missing or unusable variable."""
        problems = _problems(env)
        if problems:
            raise SettingsInvalid("; ".join(problems))
        return Settings(
            database_url=env["DATABASE_URL"],
            keys=replace(
                Keys.of_providers(env),
                signing=env["MAGPIE_SIGNING_KEY"],
                signing_previous=env.get("MAGPIE_SIGNING_KEY_PREVIOUS", ""),
            ),
            limits_table=env.get("MAGPIE_LIMITS_TABLE", "magpie-limits"),
            asks_table=env.get("MAGPIE_ASKS_TABLE", "magpie-asks"),
            corpus_bucket=env.get("MAGPIE_CORPUS_BUCKET", "magpie-corpus"),
            aws_endpoint_url=env.get("AWS_ENDPOINT_URL") or None,
            origins=_listed(env, "MAGPIE_ORIGINS"),
            identity=_identity(env),
            console_roles=_listed(env, "MAGPIE_CONSOLE_ROLES") or ("admin",),
            trusted_hops=int(env.get("MAGPIE_TRUSTED_HOPS", "0")),
            pool_size=int(env.get("MAGPIE_POOL_SIZE", "4")),
            questions_a_day=int(env.get("MAGPIE_QUESTIONS_A_DAY", "5000")),
            usd_a_day=_usd(env, "MAGPIE_USD_A_DAY", USD_A_DAY),
            usd_a_month=_usd(env, "MAGPIE_USD_A_MONTH", USD_A_MONTH),
            fetch=FetchSettings.from_env(env),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleSettings:
    """What the owner's API needs to start and watch runs: who may, and from where; no database, no key."""

    identity: IdentityProvider | None = None
    console_roles: tuple[str, ...] = ("admin",)
    origins: tuple[str, ...] = ()

    @staticmethod
    def from_env(env: Mapping[str, str]) -> "ConsoleSettings":
        """Raises: SettingsInvalid that names every unusable variable."""
        _raise(_identity_problems(env))
        return ConsoleSettings(
            identity=_identity(env),
            console_roles=_listed(env, "MAGPIE_CONSOLE_ROLES") or ("admin",),
            origins=_listed(env, "MAGPIE_ORIGINS"),
        )


def _listed(env: Mapping[str, str], name: str) -> tuple[str, ...]:
    return tuple(filter(None, (part.strip() for part in env.get(name, "").split(","))))


def _identity(env: Mapping[str, str]) -> IdentityProvider | None:
    issuer = env.get("MAGPIE_JWT_ISSUER", "")
    if not issuer:
        return None
    return IdentityProvider(
        issuer=issuer,
        audiences=_listed(env, "MAGPIE_JWT_AUDIENCE"),
        keys_url=env.get("MAGPIE_JWT_KEYS_URL") or f"{issuer.rstrip('/')}/.well-known/jwks.json",
        role_claim=env.get("MAGPIE_JWT_ROLE_CLAIM") or "role",
    )


def _identity_problems(env: Mapping[str, str]) -> list[str]:
    identity = _identity(env)
    if identity is None:
        stray = [name for name in ("MAGPIE_JWT_AUDIENCE", "MAGPIE_JWT_KEYS_URL") if env.get(name)]
        return [f"{name} is set, but MAGPIE_JWT_ISSUER is not" for name in stray]
    found = []
    if not identity.audiences:
        found.append("MAGPIE_JWT_AUDIENCE is not set; name the client ids whose tokens are for this site")
    if not _SAFE_KEYS_URL.match(identity.keys_url):
        found.append(f"MAGPIE_JWT_KEYS_URL must be an https address, not {identity.keys_url!r}")
    return found


# A key set that travels in the clear can be exchanged on its way; on one's own machine it does not travel.
_SAFE_KEYS_URL = re.compile(r"https://[^/\s@]+|http://(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?/")


def _problems(env: Mapping[str, str]) -> list[str]:
    found = [f"{name} is not set" for name in ("DATABASE_URL", "MAGPIE_SIGNING_KEY") if not env.get(name)]
    if 0 < len(env.get("MAGPIE_SIGNING_KEY", "")) < 32:
        found.append("MAGPIE_SIGNING_KEY is shorter than 32 characters; make one with `openssl rand -hex 32`")
    if 0 < len(env.get("MAGPIE_SIGNING_KEY_PREVIOUS", "")) < 32:
        found.append(
            "MAGPIE_SIGNING_KEY_PREVIOUS is shorter than 32 characters; leave it out, or give it whole"
        )
    for name in ("MAGPIE_TRUSTED_HOPS", "MAGPIE_POOL_SIZE", "MAGPIE_QUESTIONS_A_DAY"):
        if not env.get(name, "0").isdigit():
            found.append(f"{name} must be a whole number, not {env[name]!r}")
    found += [
        f"{name} must be an amount in US dollars such as 5 or 0.50, or `none`, not {env[name]!r}"
        for name in ("MAGPIE_USD_A_DAY", "MAGPIE_USD_A_MONTH")
        if not AMOUNT.fullmatch(env.get(name, "0"))
    ]
    return found + _identity_problems(env)


def _usd(env: Mapping[str, str], name: str, usual: float) -> float | None:
    text = env.get(name, str(usual))
    return None if text == NO_CAP else float(text)


# --- Runs on AWS ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestPlaces:
    """
    Where runs on AWS find and leave things. `corpus_prefix` begins the keys of documents in the
    corpus' bucket, `work_bucket` holds what passes between the steps of a run, `ingest_table` which
    keys are dirty and which run goes on. A run waits until nothing came in for `quiet_s` seconds,
    but after `patience_s` it waits no longer. `inline_batches` go through one execution of the state
    machine, whose history has room for no more than 25,000 events; more go through a distributed map.
    """

    corpus_bucket: str
    work_bucket: str
    ingest_table: str
    state_machine: str = ""
    corpus_prefix: str = "corpus/"
    quiet_s: int = 60
    patience_s: int = 600
    inline_batches: int = 100
    aws_endpoint_url: str | None = None

    @staticmethod
    def from_env(env: Mapping[str, str]) -> "IngestPlaces":
        """Raises: SettingsInvalid that names every unusable variable."""
        _raise(_not_whole(env, "MAGPIE_QUIET_S", "MAGPIE_QUIET_PATIENCE_S", "MAGPIE_INLINE_BATCHES"))
        return IngestPlaces(
            corpus_bucket=env.get("MAGPIE_CORPUS_BUCKET", "magpie-corpus"),
            work_bucket=env.get("MAGPIE_WORK_BUCKET", "magpie-work"),
            ingest_table=env.get("MAGPIE_INGEST_TABLE", "magpie-ingest"),
            state_machine=env.get("MAGPIE_STATE_MACHINE_ARN", ""),
            corpus_prefix=env.get("MAGPIE_CORPUS_PREFIX", "corpus/"),
            quiet_s=int(env.get("MAGPIE_QUIET_S", "60")),
            patience_s=int(env.get("MAGPIE_QUIET_PATIENCE_S", "600")),
            inline_batches=int(env.get("MAGPIE_INLINE_BATCHES", "100")),
            aws_endpoint_url=env.get("AWS_ENDPOINT_URL") or None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestSettings:
    """
    What the steps of a run need besides: the database and the models' keys, but no signing key.
    Steps that use neither are given neither: an empty `database_url` shows at the first use.
    """

    database_url: str = field(repr=False)
    keys: Keys
    places: IngestPlaces
    pool_size: int = 2
    fetch: FetchSettings = FetchSettings()

    @staticmethod
    def from_env(env: Mapping[str, str]) -> "IngestSettings":
        """Raises: SettingsInvalid that names every unusable variable."""
        _raise(_not_whole(env, "MAGPIE_POOL_SIZE"))
        return IngestSettings(
            database_url=env.get("DATABASE_URL", ""),
            keys=Keys.of_providers(env),
            places=IngestPlaces.from_env(env),
            pool_size=int(env.get("MAGPIE_POOL_SIZE", "2")),
            fetch=FetchSettings.from_env(env),
        )


def _raise(problems: list[str]) -> None:
    if problems:
        raise SettingsInvalid("; ".join(problems))


def _not_whole(env: Mapping[str, str], *names: str) -> list[str]:
    return [
        f"{name} must be a whole number, not {env[name]!r}"
        for name in names
        if not env.get(name, "0").isdigit()
    ]
