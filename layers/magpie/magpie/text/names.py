"""
Names in a text: people, projects, organisations, places, technologies.

A capital makes a name in most languages, though not at the start of a sentence, and not in German, where every
noun has one. A name found there is `weak`: it counts only where somebody knows it. Lists help: technologies, given
names, and forms that are one name in several languages ("Lisbon", "Lisboa").
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from magpie.text.dates import MONTHS, WEEKDAYS
from magpie.text.numbers import NUMBER_WORDS
from magpie.text.units import CURRENCIES
from magpie.text.words import ANY_FUNCTION_WORD, FUNCTION_WORDS, fold


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """`words` as written. `term`: a technology or a code; `weak`: only a name where it is known as one."""

    start: int
    end: int
    words: tuple[str, ...]
    term: bool = False
    weak: bool = False


# One thing a line: forms that name the same in different languages, or for short.
_SAME = """
portugal|portuguese|português|portugués|portugais|portugiesisch|portoghese|portugees|bồ đào nha|portuguesa|portugaise|portugiesische
brazil|brasil|brésil|brasilien|brasile|brazilië|brazilian|brasileiro|brasileira|brésilien|brasiliano|brasilianisch
spain|espanha|españa|espagne|spanien|spagna|spanje|spanish|espanhol|español|espagnol|spanisch|spagnolo|spaans|tây ban nha
france|frança|francia|frankreich|frankrijk|french|francês|francés|français|französisch|francese|frans|pháp
germany|alemanha|alemania|allemagne|deutschland|germania|duitsland|german|alemão|alemán|allemand|deutsch|tedesco|duits|đức
italy|itália|italia|italie|italien|italië|italian|italiano|italien|italienisch|italiaans|ý
netherlands|holanda|países baixos|pays-bas|niederlande|niederlanden|paesi bassi|nederland|dutch|holandês|néerlandais|niederländisch|olandese|nederlands|hà lan
vietnam|việt nam|viet nam|vietnã|vietname|vietnamese|vietnamita|vietnamien|vietnamesisch|tiếng việt
england|inglaterra|angleterre|inghilterra|engeland|english|inglês|inglés|anglais|englisch|inglese|engels|tiếng anh
united kingdom|uk|reino unido|royaume-uni|vereinigtes königreich|vereinigten königreich|regno unito|verenigd koninkrijk|britain|great britain|grã-bretanha|british|britânico|británico|britannique|britisch|großbritannien
scotland|escócia|escocia|écosse|schottland|scozia|schotland|scottish|escocês|escocés|écossais|schottisch
ireland|irlanda|irlande|irland|ierland|irish|irlandês|irlandés|irlandais|irisch
united states|usa|us|u.s|estados unidos|états-unis|vereinigte staaten|stati uniti|verenigde staten|eua|eeuu|american|americano|américain|amerikanisch|hoa kỳ|mỹ
switzerland|suíça|suiza|suisse|schweiz|svizzera|zwitserland|swiss
austria|áustria|autriche|österreich|oostenrijk
belgium|bélgica|belgique|belgien|belgio|belgië
denmark|dinamarca|danemark|dänemark|danimarca|denemarken|danish|dinamarquês|danés|danois|dänisch
norway|noruega|norvège|norwegen|norvegia|noorwegen|norwegian|norueguês|norvégien|norwegisch
sweden|suécia|suecia|suède|schweden|svezia|zweden|swedish|sueco|suédois|schwedisch
finland|finlândia|finlandia|finlande|finnland
poland|polônia|polónia|polonia|pologne|polen|polish|polonês|polaco|polonais|polnisch
greece|grécia|grecia|grèce|griechenland|griekenland|greek
japan|japão|japón|japon|giappone|japanese|japonês|japonés|japonais|japanisch|日本|nhật bản
china|chine|cina|chinese|chinês|chino|chinois|chinesisch|trung quốc|中国
thailand|tailândia|tailandia|thaïlande|thailandia|thai|thái lan
india|índia|inde|indien|indian|ấn độ
canada|canadá|kanada|canadian
mexico|méxico|mexique|mexiko|messico|mexican
argentina|argentine|argentinien
australia|austrália|australie|australien|australian|úc
europe|europa|european|europeu|europeo|européen|europäisch|europese|châu âu|european union|união europeia|unión europea|union européenne|europäische union|europäischen union|eu|ue
africa|áfrica|afrique|afrika
asia|ásia|asie|asien|châu á
lisbon|lisboa|lisbonne|lissabon|lisbona
porto|oporto
london|londres|londra|londen|luân đôn
paris|parigi|parijs
rome|roma|rom
milan|milão|milán|milano|mailand
berlin|berlim|berlín|berlino|berlijn
munich|munique|múnich|münchen|monaco di baviera
cologne|colônia|colonia|köln|keulen
vienna|viena|vienne|wien
brussels|bruxelas|bruselas|bruxelles|brüssel|brussel
amsterdam|amsterdã|ámsterdam
madrid|barcelona|barcelone
seville|sevilha|sevilla
geneva|genebra|ginebra|genève|genf|ginevra
zurich|zurique|zúrich|zürich|zurigo
copenhagen|copenhague|kopenhagen|kopenhague|copenaghen
edinburgh|edimburgo|édimbourg
new york|nova york|nova iorque|nueva york
tokyo|tóquio|tokio|東京
beijing|pequim|pekín|pékin|peking|pechino
moscow|moscou|moscú|moskau|mosca
rio de janeiro|rio
ho chi minh city|hồ chí minh|thành phố hồ chí minh|saigon|sài gòn
hanoi|hà nội
aws|amazon web services
gcp|google cloud|google cloud platform
postgres|postgresql|pg
javascript|js
typescript|ts
kubernetes|k8s
vat|iva|tva|mwst|ust|btw|mehrwertsteuer|umsatzsteuer|tps
gdpr|rgpd|dsgvo|avg
faq|faqs|häufige fragen
ai|ia|ki|artificial intelligence|inteligência artificial|inteligencia artificial|intelligence artificielle|künstliche intelligenz|trí tuệ nhân tạo
utc|gmt
christmas|natal|navidad|noël|weihnachten|natale|kerstmis|giáng sinh
easter|páscoa|pascua|pâques|ostern|pasqua|pasen
"""

TECHNOLOGIES = frozenset(
    [
        "python",
        "javascript",
        "typescript",
        "java",
        "kotlin",
        "scala",
        "ruby",
        "rust",
        "php",
        "perl",
        "elixir",
        "erlang",
        "haskell",
        "clojure",
        "fortran",
        "cobol",
        "julia",
        "matlab",
        "lua",
        "ocaml",
        "zig",
        "bash",
        "powershell",
        "html",
        "css",
        "sass",
        "sql",
        "nosql",
        "graphql",
        "grpc",
        "json",
        "yaml",
        "xml",
        "django",
        "flask",
        "fastapi",
        "rails",
        "laravel",
        "symfony",
        "react",
        "angular",
        "vue",
        "svelte",
        "sveltekit",
        "nextjs",
        "nuxt",
        "ember",
        "jquery",
        "node",
        "nodejs",
        "deno",
        "bun",
        "nestjs",
        "dotnet",
        "blazor",
        "phoenix",
        "tailwind",
        "bootstrap",
        "webpack",
        "vite",
        "flutter",
        "dart",
        "ionic",
        "cordova",
        "xamarin",
        "swiftui",
        "android",
        "ios",
        "macos",
        "linux",
        "ubuntu",
        "debian",
        "windows",
        "docker",
        "kubernetes",
        "podman",
        "openshift",
        "terraform",
        "ansible",
        "pulumi",
        "jenkins",
        "gitlab",
        "github",
        "bitbucket",
        "circleci",
        "aws",
        "azure",
        "gcp",
        "heroku",
        "vercel",
        "netlify",
        "cloudflare",
        "digitalocean",
        "firebase",
        "supabase",
        "lambda",
        "dynamodb",
        "postgres",
        "postgresql",
        "postgis",
        "pgvector",
        "mysql",
        "mariadb",
        "sqlite",
        "mongodb",
        "redis",
        "memcached",
        "cassandra",
        "elasticsearch",
        "opensearch",
        "solr",
        "kafka",
        "rabbitmq",
        "nats",
        "neo4j",
        "couchdb",
        "snowflake",
        "bigquery",
        "redshift",
        "databricks",
        "hadoop",
        "hive",
        "airflow",
        "dbt",
        "duckdb",
        "clickhouse",
        "tableau",
        "powerbi",
        "looker",
        "grafana",
        "prometheus",
        "datadog",
        "sentry",
        "splunk",
        "nginx",
        "apache",
        "wordpress",
        "drupal",
        "joomla",
        "magento",
        "shopify",
        "contentful",
        "strapi",
        "sanity",
        "salesforce",
        "hubspot",
        "zendesk",
        "jira",
        "confluence",
        "trello",
        "asana",
        "slack",
        "figma",
        "photoshop",
        "illustrator",
        "unity",
        "unreal",
        "blender",
        "arduino",
        "tensorflow",
        "pytorch",
        "keras",
        "numpy",
        "pandas",
        "scipy",
        "scikit",
        "opencv",
        "spacy",
        "openai",
        "gpt",
        "chatgpt",
        "gemini",
        "claude",
        "llama",
        "mistral",
        "langchain",
        "selenium",
        "playwright",
        "cypress",
        "jest",
        "mocha",
        "pytest",
        "junit",
        "gradle",
        "maven",
        "npm",
        "yarn",
        "git",
        "mercurial",
        "svn",
        "webassembly",
        "wasm",
        "websocket",
        "webrtc",
        "oauth",
        "saml",
        "keycloak",
        "okta",
        "auth0",
        "stripe",
        "paypal",
        "twilio",
        "sendgrid",
        "mailchimp",
        "leaflet",
        "mapbox",
        "openlayers",
        "arcgis",
        "qgis",
        "d3",
        "threejs",
        "webgl",
        "opengl",
        "cuda",
        "sap",
        "oracle",
        "mssql",
        "excel",
        "hugo",
        "jekyll",
        "gatsby",
        "astro",
        "eleventy",
        "prolog",
        "lisp",
        "smalltalk",
        "delphi",
        "vba",
        "abap",
        "apex",
        "solidity",
        "ethereum",
        "bitcoin",
        "odoo",
        "moodle",
    ]
)
# Ordinary words, or a letter, that are a technology only with their capital.
AMBIGUOUS_TECHNOLOGIES = frozenset(
    [
        "go",
        "r",
        "c",
        "d",
        "swift",
        "spark",
        "express",
        "spring",
        "flow",
        "dash",
        "ray",
        "storm",
        "pig",
        "chef",
        "puppet",
        "vault",
        "consul",
        "nomad",
        "sketch",
        "notion",
        "linear",
        "zoom",
        "teams",
        "word",
        "access",
        "outlook",
        "node",
        "next",
        "nest",
        "rails",
        "flask",
        "rust",
        "ruby",
        "react",
        "ember",
        "oracle",
        "excel",
        "apex",
        "dart",
        "unity",
        "bun",
        "sanity",
        "hive",
        "julia",
        "lambda",
        "lookup",
        "java",
        "windows",
        "apache",
        "phoenix",
        "jest",
        "mocha",
        "git",
        "lisp",
        "crystal",
        "nim",
        "elm",
    ]
)
_GIVEN = frozenset(
    [
        "james",
        "john",
        "robert",
        "michael",
        "william",
        "david",
        "richard",
        "joseph",
        "thomas",
        "charles",
        "christopher",
        "daniel",
        "matthew",
        "anthony",
        "donald",
        "steven",
        "paul",
        "andrew",
        "joshua",
        "kenneth",
        "kevin",
        "brian",
        "george",
        "timothy",
        "ronald",
        "jason",
        "edward",
        "jeffrey",
        "ryan",
        "jacob",
        "gary",
        "nicholas",
        "eric",
        "jonathan",
        "stephen",
        "larry",
        "justin",
        "scott",
        "brandon",
        "benjamin",
        "samuel",
        "gregory",
        "alexander",
        "patrick",
        "jack",
        "dennis",
        "jerry",
        "tyler",
        "aaron",
        "jose",
        "adam",
        "nathan",
        "henry",
        "zachary",
        "peter",
        "kyle",
        "noah",
        "ethan",
        "jeremy",
        "walter",
        "christian",
        "keith",
        "roger",
        "terry",
        "austin",
        "sean",
        "gerald",
        "carl",
        "harold",
        "dylan",
        "arthur",
        "lawrence",
        "jordan",
        "jesse",
        "bryan",
        "gabriel",
        "bruce",
        "logan",
        "alan",
        "juan",
        "elijah",
        "willie",
        "albert",
        "wayne",
        "randy",
        "vincent",
        "mary",
        "patricia",
        "jennifer",
        "linda",
        "elizabeth",
        "barbara",
        "susan",
        "jessica",
        "karen",
        "sarah",
        "lisa",
        "nancy",
        "sandra",
        "betty",
        "ashley",
        "emily",
        "kimberly",
        "margaret",
        "donna",
        "michelle",
        "carol",
        "amanda",
        "melissa",
        "deborah",
        "stephanie",
        "rebecca",
        "laura",
        "helen",
        "sharon",
        "cynthia",
        "kathleen",
        "amy",
        "angela",
        "anna",
        "ruth",
        "brenda",
        "pamela",
        "nicole",
        "katherine",
        "samantha",
        "christine",
        "emma",
        "catherine",
        "virginia",
        "debra",
        "rachel",
        "janet",
        "maria",
        "heather",
        "diane",
        "julie",
        "joyce",
        "victoria",
        "kelly",
        "christina",
        "lauren",
        "joan",
        "evelyn",
        "olivia",
        "judith",
        "megan",
        "martha",
        "andrea",
        "cheryl",
        "hannah",
        "jacqueline",
        "alice",
        "sophie",
        "sophia",
        "isabella",
        "mia",
        "charlotte",
        "chloe",
        "lucy",
        "ella",
        "freya",
        "oliver",
        "harry",
        "charlie",
        "oscar",
        "theo",
        "liam",
        "owen",
        "joão",
        "josé",
        "antonio",
        "antónio",
        "pedro",
        "paulo",
        "carlos",
        "miguel",
        "luis",
        "luís",
        "rui",
        "nuno",
        "tiago",
        "diogo",
        "rafael",
        "bruno",
        "ricardo",
        "fernando",
        "marcos",
        "lucas",
        "mateus",
        "felipe",
        "gustavo",
        "eduardo",
        "rodrigo",
        "leonardo",
        "vinicius",
        "thiago",
        "ana",
        "inês",
        "beatriz",
        "mariana",
        "carolina",
        "catarina",
        "leonor",
        "matilde",
        "joana",
        "rita",
        "sofia",
        "marta",
        "teresa",
        "isabel",
        "fernanda",
        "juliana",
        "camila",
        "larissa",
        "letícia",
        "aline",
        "patrícia",
        "luciana",
        "javier",
        "alejandro",
        "diego",
        "sergio",
        "pablo",
        "jorge",
        "alberto",
        "álvaro",
        "adrián",
        "raúl",
        "iván",
        "manuel",
        "francisco",
        "jesús",
        "ángel",
        "carmen",
        "pilar",
        "lucía",
        "elena",
        "paula",
        "cristina",
        "raquel",
        "mercedes",
        "rosario",
        "dolores",
        "ximena",
        "valentina",
        "guadalupe",
        "jean",
        "pierre",
        "michel",
        "philippe",
        "nicolas",
        "françois",
        "julien",
        "antoine",
        "olivier",
        "thierry",
        "sébastien",
        "guillaume",
        "mathieu",
        "éric",
        "yves",
        "luc",
        "camille",
        "léa",
        "manon",
        "chloé",
        "inès",
        "juliette",
        "céline",
        "aurélie",
        "élodie",
        "nathalie",
        "sylvie",
        "isabelle",
        "valérie",
        "véronique",
        "monique",
        "hans",
        "peter",
        "klaus",
        "jürgen",
        "wolfgang",
        "andreas",
        "stefan",
        "markus",
        "matthias",
        "florian",
        "tobias",
        "sebastian",
        "jan",
        "lukas",
        "felix",
        "jonas",
        "leon",
        "rasmus",
        "lars",
        "anders",
        "erik",
        "nils",
        "henrik",
        "mikkel",
        "søren",
        "ole",
        "ingrid",
        "astrid",
        "sigrid",
        "greta",
        "heike",
        "ulrike",
        "sabine",
        "petra",
        "claudia",
        "birgit",
        "katrin",
        "anja",
        "silke",
        "monika",
        "susanne",
        "franziska",
        "johanna",
        "lena",
        "lea",
        "leonie",
        "hannelore",
        "giovanni",
        "giuseppe",
        "marco",
        "luca",
        "matteo",
        "andrea",
        "alessandro",
        "francesco",
        "lorenzo",
        "davide",
        "simone",
        "federico",
        "stefano",
        "roberto",
        "giulia",
        "chiara",
        "francesca",
        "elisa",
        "giorgia",
        "alessia",
        "valentina",
        "silvia",
        "paola",
        "sven",
        "bart",
        "maarten",
        "pieter",
        "willem",
        "joost",
        "thijs",
        "daan",
        "sander",
        "anouk",
        "sanne",
        "femke",
        "marieke",
        "lieke",
        "maaike",
        "nguyễn",
        "nguyen",
        "trần",
        "phạm",
        "huỳnh",
        "wei",
        "ling",
        "chen",
        "yuki",
        "haruto",
        "hiroshi",
        "kenji",
        "sakura",
        "yuko",
        "aiko",
        "takashi",
        "akira",
        "mohammed",
        "ahmed",
        "ali",
        "fatima",
        "omar",
        "yusuf",
        "aisha",
        "priya",
        "raj",
        "amit",
        "anita",
        "sanjay",
        "vikram",
        "deepak",
        "ravi",
        "lakshmi",
        "arjun",
        "aarav",
        "ivan",
        "dmitri",
        "sergei",
        "olga",
        "natasha",
        "tatiana",
        "vladimir",
        "morag",
        "fiona",
        "ewan",
        "euan",
        "hamish",
        "callum",
        "iain",
        "eilidh",
        "catriona",
        "siobhan",
        "niamh",
        "aoife",
        "padraig",
        "declan",
    ]
)
GIVEN_NAMES = frozenset(fold(name) for name in _GIVEN)

# Capitals in the middle of a sentence that name nothing.
_GENERIC = frozenset(
    [
        "i",
        "ok",
        "id",
        "url",
        "urls",
        "pdf",
        "cv",
        "tv",
        "ps",
        "am",
        "pm",
        "ceo",
        "cto",
        "cfo",
        "coo",
        "hr",
        "q",
        "a",
        "q&a",
        "faq",
        "b2b",
        "b2c",
        "etc",
        "nb",
        "mr",
        "mrs",
        "ms",
        "dr",
        "prof",
        "sir",
        "madam",
        "herr",
        "frau",
        "sr",
        "sra",
        "srta",
        "senhor",
        "senhora",
        "señor",
        "señora",
        "monsieur",
        "madame",
        "signor",
        "signora",
        "sie",
        "ihr",
        "ihnen",
        "ihre",
        "ihren",
        "ihrem",
        "usted",
        "ustedes",
        "vous",
        "u",
        "senior",
        "junior",
        "lead",
        "head",
        "chief",
        "principal",
        "founder",
        "cofounder",
        "co",
        "director",
        "manager",
        "managing",
        "engineer",
        "designer",
        "developer",
        "analyst",
        "consultant",
        "architect",
        "researcher",
        "officer",
        "president",
        "chair",
        "partner",
        "associate",
        "assistant",
        "professor",
        "doctor",
        "team",
        "project",
        "projects",
        "service",
        "services",
        "client",
        "clients",
        "customer",
        "customers",
        "company",
        "product",
        "products",
        "page",
        "pages",
        "website",
        "web",
        "site",
        "blog",
        "article",
        "articles",
        "post",
        "posts",
        "price",
        "prices",
        "pricing",
        "contact",
        "about",
        "home",
        "careers",
        "people",
        "office",
        "support",
        "news",
        "cost",
        "costs",
        "duration",
        "location",
        "role",
        "stack",
        "date",
        "dates",
        "status",
        "address",
        "hours",
        "budget",
        "result",
        "results",
        "phone",
        "email",
        "guide",
        "docs",
        "documentation",
        "terms",
        "privacy",
        "policy",
        "overview",
        "summary",
        "note",
        "notes",
        "example",
        "examples",
        "step",
        "steps",
        "phase",
        "option",
        "internet",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ]
)
_BARE_SUBJECTS = frozenset(
    [
        "access",
        "accessibility",
        "advice",
        "availability",
        "business",
        "care",
        "code",
        "communication",
        "content",
        "cooperation",
        "coordination",
        "data",
        "delivery",
        "design",
        "development",
        "discovery",
        "documentation",
        "education",
        "equipment",
        "everyone",
        "everything",
        "experience",
        "feedback",
        "hosting",
        "help",
        "information",
        "infrastructure",
        "insurance",
        "integration",
        "knowledge",
        "maintenance",
        "management",
        "marketing",
        "nobody",
        "nothing",
        "onboarding",
        "ownership",
        "parking",
        "payment",
        "planning",
        "policy",
        "pricing",
        "privacy",
        "procurement",
        "production",
        "progress",
        "quality",
        "research",
        "response",
        "security",
        "setup",
        "shipping",
        "software",
        "someone",
        "something",
        "staff",
        "storage",
        "strategy",
        "support",
        "technology",
        "testing",
        "time",
        "training",
        "transport",
        "travel",
        "work",
        "everybody",
        "anybody",
        "anyone",
        "hardware",
        "health",
        "safety",
        "registration",
        "admission",
        "membership",
        "entry",
        "attendance",
        "participation",
        "cost",
    ]
)
_FINITE = frozenset(
    [
        "is",
        "was",
        "has",
        "had",
        "uses",
        "used",
        "built",
        "builds",
        "offers",
        "offered",
        "works",
        "worked",
        "leads",
        "led",
        "runs",
        "ran",
        "joined",
        "makes",
        "made",
        "provides",
        "provided",
        "costs",
        "cost",
        "takes",
        "took",
        "started",
        "founded",
        "launched",
        "delivered",
        "designed",
        "developed",
        "wrote",
        "writes",
        "speaks",
        "holds",
        "manages",
        "managed",
        "employs",
        "owns",
        "supports",
        "supported",
        "handles",
        "became",
        "began",
        "said",
        "says",
        "will",
        "can",
        "does",
        "did",
        "é",
        "foi",
        "tem",
        "teve",
        "usa",
        "usou",
        "oferece",
        "ofereceu",
        "custa",
        "custou",
        "trabalha",
        "trabalhou",
        "lidera",
        "liderou",
        "fundou",
        "lançou",
        "desenvolveu",
        "criou",
        "dura",
        "es",
        "fue",
        "tiene",
        "tuvo",
        "usó",
        "ofrece",
        "ofreció",
        "cuesta",
        "costó",
        "trabaja",
        "trabajó",
        "lidera",
        "lideró",
        "fundó",
        "lanzó",
        "desarrolló",
        "creó",
        "est",
        "fut",
        "était",
        "a",
        "utilise",
        "propose",
        "coûte",
        "travaille",
        "dirige",
        "dirigeait",
        "fondé",
        "développe",
        "dure",
        "ist",
        "war",
        "hat",
        "hatte",
        "nutzt",
        "verwendet",
        "bietet",
        "kostet",
        "arbeitet",
        "leitet",
        "gründete",
        "entwickelt",
        "entwickelte",
        "dauert",
        "wurde",
        "è",
        "fu",
        "era",
        "ha",
        "usa",
        "offre",
        "costa",
        "lavora",
        "dirige",
        "fondò",
        "heeft",
        "had",
        "gebruikt",
        "biedt",
        "werkt",
        "leidt",
        "duurt",
    ]
)
_AFTER_VERB = frozenset(
    [
        "a",
        "an",
        "the",
        "its",
        "their",
        "his",
        "her",
        "our",
        "your",
        "in",
        "at",
        "on",
        "with",
        "to",
        "from",
        "for",
        "into",
        "how",
        "what",
        "where",
        "all",
        "each",
        "every",
        "about",
    ]
)
_PLAIN_ENDINGS = (
    "ing",
    "ly",
    "ed",
    "ies",
    "ments",
    "tions",
    "ness",
    "ity",
    "tion",
    "ment",
    "ance",
    "ence",
    "mente",
    "amos",
    "emos",
    "imos",
    "ando",
    "endo",
    "indo",
    "ção",
    "ções",
    "ión",
    "dade",
    "dad",
    "age",
    "ons",
    "ship",
)
_GERMAN_NOUN = re.compile(
    r"(?:ung|ungen|heit|heiten|keit|keiten|schaft|schaften|tion|tionen|ität|itäten|ment|mente|nis|nisse|tum|ling|chen|lein|"
    r"er|ern|erin|innen|in|ie|ien|ik|ur|uren|anz|enz|ismus|ist|isten|or|oren|age|agen|eur|ät|sal|sel|tag|tage|tagen|zeit|"
    r"preis|preise|seite|seiten|dienst|dienste|kosten|satz|sätze|plan|werk|werke|stelle|stellen|stück|recht|haus|hof|weg|jahr|"
    r"jahre|jahren|woche|wochen|monat|monate|monaten|stunde|stunden|raum|räume|platz|plätze|buch|bücher|arbeit|arbeiten)$"
)
_GERMAN_WORDS = frozenset(
    [
        "angabe",
        "angaben",
        "anfrage",
        "anfragen",
        "angebot",
        "angebote",
        "anfang",
        "ende",
        "mitte",
        "website",
        "webseite",
        "seite",
        "seiten",
        "unternehmen",
        "firma",
        "projekt",
        "projekte",
        "team",
        "teams",
        "preis",
        "preise",
        "kosten",
        "euro",
        "pfund",
        "dollar",
        "prozent",
        "tag",
        "tage",
        "woche",
        "wochen",
        "monat",
        "monate",
        "jahr",
        "jahre",
        "stunde",
        "stunden",
        "minute",
        "minuten",
        "person",
        "personen",
        "mensch",
        "menschen",
        "leute",
        "kunde",
        "kunden",
        "nutzer",
        "büro",
        "stadt",
        "land",
        "welt",
        "markt",
        "häfen",
        "hafen",
        "boot",
        "boote",
        "schiff",
        "schiffe",
        "produkt",
        "produkte",
        "dienst",
        "dienste",
        "festpreis",
        "tagessatz",
        "rechnung",
        "vertrag",
        "verträge",
        "start",
        "beginn",
        "version",
        "release",
        "lieferung",
        "software",
        "daten",
        "code",
        "test",
        "tests",
        "system",
        "systeme",
        "anwendung",
        "app",
        "apps",
        "web",
        "internet",
        "hilfe",
        "frage",
        "fragen",
        "antwort",
        "antworten",
        "beispiel",
        "beispiele",
        "fall",
        "fälle",
        "thema",
        "themen",
        "teil",
        "teile",
        "rolle",
        "rollen",
        "ziel",
        "ziele",
        "weg",
        "zeit",
        "arbeit",
        "firma",
        "partner",
        "gründer",
        "gründerin",
        "mitgründerin",
        "geschäftsführer",
        "geschäftsführerin",
        "leiter",
        "leiterin",
        "chef",
        "chefin",
        "technik",
        "sprache",
        "sprachen",
        "deutsch",
        "schule",
        "schulen",
        "kind",
        "kinder",
        "frau",
        "frauen",
        "mann",
        "männer",
        "haus",
        "häuser",
        "raum",
        "räume",
        "platz",
        "gebühr",
        "gebühren",
        "rabatt",
        "steuer",
        "steuern",
        "monats",
        "jahres",
        "telefon",
        "anruf",
        "anrufe",
        "adresse",
        "name",
        "namen",
        "nummer",
        "mail",
        "post",
        "link",
        "links",
        "gespräch",
        "termin",
        "termine",
        "treffen",
        "workshop",
        "workshops",
        "kurs",
        "kurse",
        "studie",
        "studien",
        "bericht",
        "berichte",
        "artikel",
        "beitrag",
        "beiträge",
        "buch",
        "bücher",
        "bild",
        "bilder",
        "karte",
        "karten",
        "liste",
        "listen",
        "gruppe",
        "gruppen",
        "bereich",
        "bereiche",
        "ort",
        "orte",
        "region",
        "regionen",
    ]
)
_TITLES = frozenset(
    [
        "mr",
        "mrs",
        "ms",
        "dr",
        "prof",
        "herr",
        "herrn",
        "frau",
        "señor",
        "señora",
        "sr",
        "sra",
        "dom",
        "monsieur",
        "madame",
        "mme",
        "mlle",
        "firma",
        "kunde",
        "projekt",
        "projekts",
        "partner",
    ]
)

_TOKEN = re.compile(
    r"°[CF]|\.?[^\W\d_][^\W_]*(?:(?:\+\+|#)(?!\w)|\.(?:js|io|py|ai|net|NET|JS)(?![\w]))?|[^\W_]+|[^\w\s]|_+|\n"
)
_BREAKS = frozenset('.!?:;,()[]"“”„«»…|\n—–•')
_OPENS = frozenset('.!?:"“„«(…|\n—–•>*')


def _same_forms() -> dict[tuple[str, ...], int]:
    table: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(_SAME.strip().splitlines()):
        for form in line.split("|"):
            table[tuple(fold(word) for word in re.findall(r"[^\W_]+", form))] = number
    return table


SAME: dict[tuple[str, ...], int] = _same_forms()
SAME_FORMS: dict[int, tuple[tuple[str, ...], ...]] = {
    number: tuple(form for form, group in SAME.items() if group == number) for number in set(SAME.values())
}


@dataclass(frozen=True, slots=True)
class Word:
    """A token of a text that may be part of a name."""

    text: str
    start: int
    end: int
    initial: bool


@lru_cache(maxsize=4096)
def words_of(text: str) -> tuple[Word, ...]:
    """The tokens of a text; `initial` marks those that would have a capital in any case."""
    found: list[Word] = []
    opened = True
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token[0].isalnum() or (len(token) > 1 and token[0] == "."):
            found.append(Word(token, match.start(), match.end(), opened))
            opened = token.isdigit() and opened
        else:
            opened = token in _OPENS or (opened and token in "-'’([#*_`")
    return tuple(found)


def names(text: str, language: str) -> Iterator[Named]:
    """All names, longest runs of capitals first come first."""
    words = words_of(text)
    title = _is_headline(text, words, language)
    for run in _runs(text, words):
        yield from _judged(run, words, language, title, text)


def _runs(text: str, words: tuple[Word, ...]) -> Iterator[tuple[Word, ...]]:
    run: list[Word] = []
    for word in words:
        if run and (not _is_capital(word) or not _touches(text, run[-1], word)):
            yield tuple(run)
            run = []
        if _is_capital(word):
            run.append(word)
    if run:
        yield tuple(run)


def _touches(text: str, before: Word, word: Word) -> bool:
    gap = text[before.end : word.start]
    return gap in (" ", "-", " & ", "\u00a0", "'", "’", " - ") and not (gap in "'’" and word.text == "S")


def _is_capital(word: Word) -> bool:
    text = word.text.lstrip(".")
    plain = fold(text)
    if text[:1].isdigit():
        return False
    if plain in ANY_FUNCTION_WORD and not (text.isupper() and len(text) > 1 and plain not in _GENERIC):
        return plain in AMBIGUOUS_TECHNOLOGIES and text[0].isupper() and not word.initial
    lower_tech = plain in TECHNOLOGIES and plain not in AMBIGUOUS_TECHNOLOGIES
    return any(char.isupper() for char in text) or lower_tech or text[-1] in "+#" or word.text[0] == "."


def _is_headline(text: str, words: tuple[Word, ...], language: str) -> bool:
    long = [word for word in words if len(word.text) > 3]
    if any(char in text for char in ":,.;") and not text.lstrip().startswith("#"):
        return False
    return (
        language != "de"
        and len(long) >= 3
        and sum(word.text[0].isupper() for word in long) >= 0.75 * len(long)
    )


def _judged(
    run: tuple[Word, ...], words: tuple[Word, ...], language: str, title: bool, text: str
) -> Iterator[Named]:
    kept = [word for word in run if not _names_nothing(word, language)]
    if not kept:
        return
    sure = [_is_sure(word, run, words, language, title, text) for word in kept]
    if len(kept) > 1 and not title and _run_is_sure(kept, sure, language, text):
        sure = [True] * len(kept)
    for group, certain in _grouped(kept, sure):
        yield Named(
            start=group[0].start,
            end=group[-1].end,
            words=tuple(word.text for word in group),
            term=len(group) == 1 and is_term(group[0].text),
            weak=not certain,
        )


def _grouped(kept: list[Word], sure: list[bool]) -> Iterator[tuple[list[Word], bool]]:
    group: list[Word] = []
    for index, word in enumerate(kept):
        if group and (sure[index] != sure[index - 1] or word.start - group[-1].end > 3):
            yield group, sure[index - 1]
            group = []
        group.append(word)
    yield group, sure[-1]


def _names_nothing(word: Word, language: str) -> bool:
    plain = fold(word.text)
    if language == "de" and (plain in _GERMAN_WORDS or plain in NUMBER_WORDS["de"]):
        return True
    if plain in MONTHS or plain in WEEKDAYS or (word.text.isupper() and word.text.casefold() in CURRENCIES):
        return True
    return plain in _GENERIC or (plain in ANY_FUNCTION_WORD and word.initial and plain not in TECHNOLOGIES)


def _run_is_sure(kept: list[Word], sure: list[bool], language: str, text: str) -> bool:
    if language != "de":
        return any(sure[1:]) and not _plain_word(kept[0].text) if not sure[0] else True
    if any(fold(word.text) in GIVEN_NAMES for word in kept):
        return True
    compound = "-" in text[kept[0].start : kept[-1].end]
    return not compound and not any(_german_noun(word.text) for word in kept)


def _is_sure(
    word: Word, run: tuple[Word, ...], words: tuple[Word, ...], language: str, title: bool, text: str
) -> bool:
    plain = fold(word.text)
    if is_term(word.text) or (plain in GIVEN_NAMES and len(plain) > 2):
        return not (word.initial and plain in AMBIGUOUS_TECHNOLOGIES) or _is_labelled(word, run, words, text)
    place = words.index(word)
    if place and fold(words[place - 1].text) in _TITLES:
        return not (language == "de" and _german_noun(word.text))
    if title:
        return False
    if word.initial:
        return _bare_subject(word, words, place) or _is_labelled(word, run, words, text)
    return language != "de" and plain not in _GERMAN_WORDS


def _bare_subject(word: Word, words: tuple[Word, ...], place: int) -> bool:
    """Does the first word act as a name does: without an article, and right before its verb?"""
    following = words[place + 1].text if place + 1 < len(words) else ""
    plain = fold(word.text)
    plain_word = _plain_word(word.text) and not (
        plain.endswith("ly") and following.casefold() in ("is", "was", "has")
    )
    return (
        (following.casefold() in _FINITE or _is_verb(words, place + 1))
        and len(plain) > 2
        and plain not in _BARE_SUBJECTS
        and not plain_word
        and not (
            plain.endswith("s") and following.casefold() in ("will", "can", "had", "cost", "made", "took")
        )
    )


_NESTED = re.compile(r": ?[^\W\d_][\w ]{1,40}: ")
_LISTED = re.compile(r", ?\.?[^\W\d_]")


def _is_labelled(word: Word, run: tuple[Word, ...], words: tuple[Word, ...], text: str) -> bool:
    """All of what follows a label or the first of its list ("Client: X", "Stack: X, Y"), or what stands before one ("X: Client: Y")."""
    if _plain_word(word.text):
        return False
    before, end = text[: word.start].rstrip(), run[-1].end
    listed = run[-1] is words[-1] or (
        _LISTED.match(text, end) is not None and text[end:].lstrip(", .")[:1].isupper()
    )
    return (before.endswith(":") and len(run) <= 3 and listed) or (
        not before and _NESTED.match(text, end) is not None
    )


def _is_verb(words: tuple[Word, ...], place: int) -> bool:
    """An English verb by its s, when what an object or an adverbial begins with comes next."""
    if (
        place + 1 >= len(words)
        or not re.fullmatch(r"[a-z]{3,}s", words[place].text)
        or words[place].text.endswith("ss")
    ):
        return False
    following = words[place + 1].text
    return following.casefold() in _AFTER_VERB or following[0].isdigit()


def _plain_word(text: str) -> bool:
    plain = fold(text)
    return (
        plain in _GENERIC
        or plain in _BARE_SUBJECTS
        or plain in _GERMAN_WORDS
        or text.casefold().endswith(_PLAIN_ENDINGS)
    )


@lru_cache(maxsize=10_000)
def _german_noun(text: str) -> bool:
    plain = text.casefold()
    return (
        plain in _GERMAN_WORDS
        or bool(_GERMAN_NOUN.search(plain))
        or any(plain.endswith(w) for w in _GERMAN_WORDS if len(w) > 3)
    )


@lru_cache(maxsize=20_000)
def is_term(text: str) -> bool:
    """A technology, an acronym, or a word whose inner form only names have: `GraphQL`, `S3`, `C++`, `.NET`."""
    plain = fold(text)
    if plain in _GENERIC or (plain in FUNCTION_WORDS["en"] and not text.isupper()):
        return plain in AMBIGUOUS_TECHNOLOGIES and text[0].isupper()
    inner = any(char.isupper() for char in text[1:].removesuffix("s"))
    odd = text[-1] in "+#" or text[0] == "." or any(char.isdigit() for char in text)
    return (
        inner
        or odd
        or plain.replace(".", "") in TECHNOLOGIES
        or (plain in AMBIGUOUS_TECHNOLOGIES and text[:1].isupper())
    )


def needs_case(text: str) -> bool:
    """Must its capital be there too, since the plain word means something else?"""
    return fold(text) in AMBIGUOUS_TECHNOLOGIES or (text.isupper() and len(text) <= 3)
