"""
Secrets by the shapes that their makers give them, and by the names that stand before them.

Admits: a secret of no known shape that nothing names is not seen. What is clearly a stand-in (`${TOKEN}`,
`<your key>`, `****`) stays.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator

from magpie.text.obfuscation import Span

# Each maker documents its prefix; lengths are lower bounds, since makers lengthen their keys now and then.
_SHAPES = (
    r"sk-ant-[\w-]{16,}+",  # Anthropic
    r"sk-or-v1-[0-9a-f]{32,}+",  # OpenRouter
    r"sk-(?:proj|svcacct|admin|None|live|test|lf)-[\w-]{16,}+",  # OpenAI and those who follow it
    r"sk-(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{16,}+(?:-[A-Za-z0-9]{4,}+)*+",
    r"(?:AKIA|ASIA|ABIA|ACCA|AIDA|AROA|AGPA|AIPA|ANPA|ANVA)[A-Z0-9]{16}(?![A-Za-z0-9])",  # AWS
    r"AIza[\w-]{35,}+|ya29\.[\w-]{20,}+|GOCSPX-[\w-]{20,}+|1//0[\w-]{30,}+",  # Google
    r"gh[pousr]_[A-Za-z0-9]{30,}+|github_pat_\w{22,}+",  # GitHub
    r"gl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt)-[\w.-]{16,}+|GR1348941[\w-]{16,}+",  # GitLab
    r"ATBB[A-Za-z0-9_=-]{24,}+|ATATT3[A-Za-z0-9_=-]{24,}+|ATCTT3[A-Za-z0-9_=-]{24,}+",  # Atlassian
    r"xox[a-z](?:\.xox[a-z])?-[\w-]{10,}+|xapp-\d-[\w-]{10,}+",  # Slack
    r"https://hooks\.slack\.com/(?:services|workflows)/[\w/-]{20,}+",
    r"https://(?:canary\.|ptb\.)?discord(?:app)?\.com/api/webhooks/\d{10,}/[\w-]{20,}+",
    r"[MNO][A-Za-z\d_-]{23,27}\.[\w-]{6}\.[\w-]{27,}+",  # Discord bot
    r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}+|whsec_[A-Za-z0-9+/=]{16,}+",  # Stripe
    r"sq0(?:atp|csp|idp)-[\w-]{20,}+|EAAA[\w-]{56,}+",  # Square
    r"(?:SK|AC)[0-9a-f]{32}(?![A-Za-z0-9])",  # Twilio
    r"SG\.[\w-]{16,}\.[\w-]{16,}+",  # SendGrid
    r"key-[0-9a-f]{32}(?![A-Za-z0-9])|[0-9a-f]{32}-us\d{1,2}\b",  # Mailgun, Mailchimp
    r"xkeysib-[0-9a-f]{32,}+(?:-\w+)?+|re_[A-Za-z0-9]{6,12}_[A-Za-z0-9]{16,}+",  # Brevo, Resend
    r"npm_[A-Za-z0-9]{30,}+|pypi-[\w-]{40,}+|rubygems_[0-9a-f]{32,}+|oy2[a-z0-9]{43}\b",  # registries
    r"hf_[A-Za-z0-9]{30,}+|api_org_[A-Za-z0-9]{30,}+",  # Hugging Face
    r"gsk_[A-Za-z0-9]{40,}+|xai-[A-Za-z0-9]{40,}+|pplx-[A-Za-z0-9]{40,}+|r8_[A-Za-z0-9]{30,}+",  # model hosts
    r"nvapi-[\w-]{40,}+|tgp_v1_[\w-]{30,}+|fw_[A-Za-z0-9]{20,}+|lsv2_(?:pt|sk)_[0-9a-f_]{32,}+|jina_[A-Za-z0-9]{40,}+",
    r"[\w~.]{3}8Q~[\w~.-]{30,}+",  # Microsoft Entra
    r"dp\.(?:pt|st|ct|scim|audit)\.[\w.-]{30,}+|hv[sbr]\.[\w-]{24,}+|s\.[A-Za-z0-9]{24}\b",  # Doppler, Vault
    r"\w{14}\.atlasv1\.[\w-]{60,}+",  # Terraform Cloud
    r"do[opr]_v1_[0-9a-f]{64}|dapi[0-9a-f]{32}(?:-\d)?|dckr_(?:pat|oat)_[\w-]{20,}+",  # DigitalOcean, Databricks, Docker
    r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|shppa_\w{30,}+",  # Shopify
    r"gls?a_[\w-]{30,}+|glc_[A-Za-z0-9+/=]{30,}+|NRAK-[A-Z0-9]{20,}+|NRII-[\w-]{20,}+|sntry[su]_[\w=.+/-]{30,}+",
    r"ntn_[A-Za-z0-9]{30,}+|secret_[A-Za-z0-9]{40,}+|lin_(?:api|oauth)_[A-Za-z0-9]{30,}+|figd_[\w-]{30,}+",
    r"PMAK-[0-9a-f]{20,}+-[0-9a-f]{30,}+|pat[A-Za-z0-9]{14}\.[0-9a-f]{60,}+|pscale_(?:tkn|pw|oauth)_[\w.-]{30,}+",
    r"sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,}+|fo1_[\w-]{40,}+|FlyV1 fm\d_[\w+/=,]{40,}+",
    r"tskey-[a-z]{2,12}-[\w-]{16,}+|pul-[0-9a-f]{40}|HRKU-[\w-]{30,}+|EAA[A-Za-z0-9]{80,}+|nfp_[A-Za-z0-9]{30,}+",
    r"(?<!\d)\d{8,10}:AA[\w-]{32,}+",  # Telegram bot
    r"AGE-SECRET-KEY-1[A-Z0-9]{50,}+",
    r"eyJ[\w-]{8,}+\.[\w-]{8,}+\.[\w-]*+(?:\.[\w-]*+\.[\w-]*+)?",  # JSON web tokens, signed or encrypted
)
_SHAPED = re.compile("(?<![A-Za-z0-9_])(?:" + "|".join(_SHAPES) + ")")

_KEY_BEGINS = re.compile(
    r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|PuTTY-User-Key-File-\d"
)
_KEY_ENDS = re.compile(
    r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-MAC: ?[0-9a-f]{8,}"
)
_KEY_BODY = re.compile(r"(?:[ \t>|\"'\\rn]{0,8}[A-Za-z0-9+/=:, -]{0,120}\n)*+[A-Za-z0-9+/=]*+")
_LONGEST_KEY = 20_000

_BEARER = re.compile(
    r"\b(?:bearer|authorization:[ ]{0,3}(?:basic|token|apikey)|x-api-key:)[ ]{1,3}(?P<value>[\w.~+/=-]{12,}+)"
    r"|\bbasic[ ](?P<basic>[A-Za-z0-9+/]{12,}+={1,2})",
    re.I,
)
_ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,24}://(?P<user>[^\s:/@<>\"'`]{0,120}+):(?P<value>[^\s@<>\"'`]{1,200}+)@[^\s<>\"'`]++",
    re.I,
)
_PORT = re.compile(r"\d{2,5}/")
_PAIR = re.compile(
    r"(?P<name>(?<![^\W_])(?:api[ _-]?key|apikey|secret[ _-]?key|secret[ _-]?access[ _-]?key|client[ _-]?secret"
    r"|access[ _-]?token|auth[ _-]?token|refresh[ _-]?token|account[ _-]?key|shared[ _-]?access[ _-]?key"
    r"|private[ _-]?key|encryption[ _-]?key|signing[ _-]?key|webhook[ _-]?secret|bot[ _-]?token|token|secret|pwd|senha)"
    r"|password|passwd|passphrase|palavra-passe|contrasena|passwort|kennwort|mot de passe|mat khau)"
    r"[\"'`*_]{0,3}[ ]{0,3}(?::=|=>|[:=])[ ]{0,3}[\"'`*_]{0,3}(?P<value>[^\s\"'`,;<>|]{6,400}+)",
    re.I,
)
_SHARED_SIGNATURE = re.compile(
    r"[?&](?:sig|signature|x-amz-signature|token|access_token|api_?key)=(?P<value>[\w%.+/=-]{16,}+)", re.I
)
_PASSWORDS = re.compile(r"pass|pwd|senha|contrasena|kennwort|mot de|mat khau", re.I)
_STAND_IN = re.compile(
    r"\$|\{|<|\*{2,}|\.{3}|…|x{4,}|%[\w]+%|your|example[_-]|change.?me|placeholder|redacted|\ue000|\ue001"
    r"|^(?:env|os|process|self|settings|config|getenv|secrets?|var|import|none|null|true|false|string|str)\b|[()\[\]]",
    re.I,
)
_NOT_A_WORD = re.compile(r"[^\W\d_]\w{0,200}?\d|\d\w{0,200}?[^\W\d_]|[^\w\s.,:;/'-]")


def find_secrets(text: str) -> Iterator[Span]:
    """All secrets of a plain view."""
    yield from _private_keys(text)
    for match in _SHAPED.finditer(text):
        yield "secret", match.start(), match.end()
    for match in _ADDRESS.finditer(text):
        if not _STAND_IN.search(match["value"]) and not _PORT.match(match["value"]):
            yield "secret", match.start(), _without_stop(text, match.start(), match.end())
    for pattern in (_BEARER, _SHARED_SIGNATURE):
        for match in pattern.finditer(text):
            name = match.lastgroup or "value"
            if _is_random(match[name]):
                yield "secret", *match.span(name)
    for match in _PAIR.finditer(text):
        if _is_kept_secret(match["name"], match["value"]):
            yield "secret", match.start("value"), _without_stop(text, *match.span("value"))


def _private_keys(text: str) -> Iterator[Span]:
    ends = [match.end() for match in _KEY_ENDS.finditer(text)]
    done = 0
    for match in _KEY_BEGINS.finditer(text):
        if match.start() < done:
            continue
        done = _key_end(text, match.end(), ends)
        yield "secret", match.start(), done


def _key_end(text: str, begin: int, ends: list[int]) -> int:
    """The end line where there is one near, else as far as the lines look like a key."""
    nearest = bisect_left(ends, begin)
    if nearest < len(ends) and ends[nearest] - begin <= _LONGEST_KEY:
        return ends[nearest]
    body = _KEY_BODY.match(text, begin)
    return body.end() if body else begin


def _is_random(value: str) -> bool:
    return bool(_NOT_A_WORD.search(value)) and not _STAND_IN.search(value)


def _is_kept_secret(name: str, value: str) -> bool:
    """A password may be short; any other secret is long and looks random."""
    if _STAND_IN.search(value):
        return False
    if _PASSWORDS.search(name):
        return bool(_NOT_A_WORD.search(value))
    return len(value) >= 12 and _is_random(value)


def _without_stop(text: str, start: int, end: int) -> int:
    while end > start + 1 and text[end - 1] in ".,;:)]}":
        end -= 1
    return end
