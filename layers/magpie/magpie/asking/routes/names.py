"""Names of the catalogue in a visitor's words: sources by title or alias, people by first name, technologies."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from magpie.asking.routes.words import plain
from magpie.ports import SourceRow
from magpie.text.stems import STOP_WORDS, fold

# Letters, digits and `+#` may not touch a name from outside: `Go` in `going`, `C` in `C++` or `C#`.
# A dot before belongs to another name (`ASP.NET`), a dot and a letter after too (`Node.js`).
_BEFORE, _AFTER = r"(?<![\w+#&])(?<!\w\.)", r"(?![\w+#&]|\.\w|-\w)"

# Names of technologies that are short or common words, which only their spelling tells from others.
SPELT = frozenset(
    [
        "Go",
        "R",
        "C",
        "D",
        "V",
        "Dart",
        "Swift",
        "Rust",
        "Spring",
        "Ruby",
        "Elm",
        "Scratch",
        "Chef",
        "Salt",
        "Ant",
        "Julia",
        "Crystal",
    ]
)
TECHNOLOGIES = (
    "C++", "C#", "F#", ".NET", "ASP.NET", "Node.js", "Next.js", "Vue.js", "Vue", "React", "React Native", "Angular",
    "Svelte", "TypeScript", "JavaScript", "Python", "Django", "Flask", "FastAPI", "Rails", "Ruby on Rails", "Java",
    "Kotlin", "Scala", "Clojure", "Haskell", "Elixir", "Erlang", "Phoenix", "PHP", "Laravel", "Symfony", "WordPress",
    "Drupal", "Joomla", "Shopify", "Magento", "Perl", "COBOL", "Fortran", "Pascal", "Delphi", "Visual Basic", "MATLAB",
    "Objective-C", "Flutter", "Android", "iOS", "PostgreSQL", "Postgres", "PostGIS", "MySQL", "MariaDB", "SQLite",
    "MongoDB", "Redis", "Cassandra", "Oracle", "SQL Server", "Elasticsearch", "OpenSearch", "Kafka", "RabbitMQ",
    "MQTT", "GraphQL", "gRPC", "Docker", "Kubernetes", "Terraform", "Ansible", "Jenkins", "AWS", "Azure", "GCP",
    "Google Cloud", "Cloudflare", "Heroku", "Vercel", "Netlify", "Salesforce", "SAP", "ServiceNow", "SharePoint",
    "Power BI", "Tableau", "TensorFlow", "PyTorch", "Hadoop", "Spark", "Airflow", "Snowflake", "dbt", "Jekyll", "Hugo",
    "Gatsby", "Eleventy", "Bootstrap", "Tailwind", "jQuery", "Ember", "Backbone", "Webpack", "Unity", "Unreal",
    "Arduino", "ESP32", "Raspberry Pi", "LoRa", "LoRaWAN", "Zigbee", "Bluetooth", "OpenAI", "LangChain", "Solidity",
    "Ethereum", "Blockchain", "Figma", "Jira", "Slack", "Trello", "GitHub", "GitLab", "Linux", "Windows", "Webflow",
    "Squarespace", "Wix", "Contentful", "Sanity", "Stripe", "Twilio", "Okta", "Auth0", "OpenStack", "VMware", "Lambda",
)  # fmt: skip
"""Known by name even where the site's own pages never say them: their absence is an answer."""


@lru_cache(maxsize=4096)
def strict(term: str) -> re.Pattern[str]:
    """The term with strict boundaries; a short or common word only as it is spelt."""
    flags = 0 if term in SPELT or len(term) <= 2 else re.IGNORECASE
    return re.compile(f"{_BEFORE}{re.escape(term)}{_AFTER}", flags)


def technologies_in(text: str, own: Iterable[str]) -> tuple[str, ...]:
    """Technologies that the text names, the site's own and generally known ones, longest names first."""
    known = sorted({*own, *TECHNOLOGIES, *SPELT}, key=len, reverse=True)
    found: list[str] = []
    for term in known:
        if strict(term).search(text) and not any(term.casefold() in longer.casefold() for longer in found):
            found.append(term)
    return tuple(found)


def named_rows(rows: Sequence[SourceRow], text: str) -> tuple[SourceRow, ...]:
    """Rows whose title or alias stands in the text, longest name first; a name inside a longer one does not count."""
    hits = [(name, row) for row in rows for name in names_of(row) if _stands(name, text)]
    longest_first = sorted(hits, key=lambda hit: -len(hit[0]))
    kept: list[str] = []
    found: dict[object, SourceRow] = {}
    for name, row in longest_first:
        if name not in kept and any(name in longer for longer in kept):
            continue
        kept.append(name)
        found.setdefault(row.key, row)
    return tuple(found.values())


def names_of(row: SourceRow) -> tuple[str, ...]:
    """A source's title and aliases, folded; a title after a colon or in brackets counts alone too."""
    aliases = row.metadata.get("aliases")
    listed = (
        [alias for alias in aliases if isinstance(alias, str)] if isinstance(aliases, (list, tuple)) else []
    )
    return _names((*_titles(row.title), *listed))


def names_in_title(title: str) -> tuple[str, ...]:
    """The names that a title gives, folded."""
    return _names(_titles(title))


def _titles(title: str) -> tuple[str, ...]:
    parts = re.split(r"\s*[:–—|]\s+|\s+[(]|[)]", title)
    return (title, *(part for part in parts[:1] if len(part) > 3))


def _names(titles: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in map(_bare, titles) if _is_name(name)))


def _bare(name: str) -> str:
    return re.sub(r"^(?:the|a|an|o|el|la|le|der|die|das|het|de)\s+", "", plain(name)).strip(" .")


def _is_name(name: str) -> bool:
    return len(name) >= 3 and name not in _COMMON


# A page that is called "Team" or "Contact" is not named by every sentence with that word in it.
_COMMON = frozenset(
    [
        "home",
        "about",
        "contact",
        "team",
        "services",
        "service",
        "projects",
        "project",
        "work",
        "blog",
        "articles",
        "article",
        "news",
        "join",
        "people",
        "careers",
        "jobs",
        "principles",
        "guides",
        "products",
        "policies",
        "privacy",
        "terms",
        "legal",
        "index",
        "faq",
        "links",
    ]
) | frozenset(fold(word) for words in STOP_WORDS.values() for word in words.split())


def _stands(name: str, text: str) -> bool:
    here = plain(text)
    return name in here and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", here) is not None


def people_in(rows: Sequence[SourceRow], text: str) -> tuple[tuple[SourceRow, ...], ...]:
    """
    Who is named: for each name in the text the people that it may mean. A full name means one;
    a first or last name alone all who bear it.
    """
    people = _one_row_a_person(rows)
    full = tuple((row,) for row in people if _stands(plain(row.title), text))
    taken = {word for (row,) in full for word in plain(row.title).split()}
    groups = {
        word: tuple(row for row in people if word in plain(row.title).split()) for word in _capitalised(text)
    }
    partial = {
        tuple(str(row.key) for row in found): found
        for word, found in groups.items()
        if found and word not in taken
    }
    return (*full, *partial.values())


def _one_row_a_person(rows: Sequence[SourceRow]) -> tuple[SourceRow, ...]:
    # A CV and a record speak of one person: the record's title is the name.
    by_person: dict[str, SourceRow] = {}
    for row in rows:
        known = by_person.get(row.person_key or str(row.key))
        if known is None or (_looks_like_name(row.title) and not _looks_like_name(known.title)):
            by_person[row.person_key or str(row.key)] = row
    return tuple(by_person.values())


def _looks_like_name(title: str) -> bool:
    words = title.split()
    return 1 < len(words) <= 4 and all(
        word[:1].isupper() for word in words if word not in {"da", "de", "van", "von"}
    )


def _capitalised(text: str) -> tuple[str, ...]:
    """Folded words that are written like names; all words where the visitor writes no capitals at all."""
    words = re.findall(r"[^\W\d_]+", text)
    upper = [word for word in words if word[:1].isupper()]
    chosen = upper if len(upper) > (1 if words and words[0][:1].isupper() else 0) else words
    return tuple(dict.fromkeys(plain(word) for word in chosen if len(word) > 2))
