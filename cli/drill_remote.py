"""The visitors' attacks on a site that runs somewhere, over its POST /chat."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import urllib3

from infra.local.problems import LocalProblem
from magpie.learning.drilling import Attack, Tried, tried

TIMEOUT_S = 90.0
MOST_WAITS = 20
MAX_BYTES = 4 * 1024 * 1024


def tried_at(url: str, attacks: Sequence[Attack], say: Callable[[str], None]) -> tuple[Tried, ...]:
    """One after the other, as slowly as the site's limits want it. Raises: LocalProblem."""
    if not url.startswith(("http://", "https://")):
        raise LocalProblem(f"{url} is no address; --url wants one that begins with https:// or http://")
    base = url.rstrip("/")
    with urllib3.PoolManager(timeout=urllib3.Timeout(total=TIMEOUT_S), retries=False) as pool:
        hosts = _hosts(pool, base)
        return tuple(_tried(pool, base, attack, hosts, say) for attack in attacks)


def _hosts(pool: urllib3.PoolManager, base: str) -> tuple[str, ...]:
    """The site's own hosts, by its public configuration."""
    try:
        config = json.loads(_body(pool, "GET", f"{base}/config", None)[1])
        return (str(config["site"]["url"]).split("//")[-1].split("/")[0].lower(),)
    except (ValueError, KeyError, TypeError) as exc:
        raise LocalProblem(
            f"{base}/config tells no site; --url names the place of /chat and /config"
        ) from exc


def _tried(
    pool: urllib3.PoolManager, base: str, attack: Attack, hosts: Sequence[str], say: Callable[[str], None]
) -> Tried:
    asked = {"messages": _messages(attack)}
    for _ in range(MOST_WAITS):
        status, raw, wait_s = _body(pool, "POST", f"{base}/chat", asked)
        if status != 429:
            return _judged(attack, status, raw, hosts)
        say(f"The site admits the next question in {wait_s} s.")
        time.sleep(wait_s)
    raise LocalProblem(f"{base} admits no more questions; try again later")


def _messages(attack: Attack) -> list[dict[str, str]]:
    roles = ("user", "assistant")
    turns = [{"role": roles[place % 2], "content": text} for place, text in enumerate(attack.history)]
    return [*turns, {"role": "user", "content": attack.text}]


def _judged(attack: Attack, status: int, raw: bytes, hosts: Sequence[str]) -> Tried:
    if status >= 400:  # refused unread, for instance as too long: nothing was told
        return tried(attack, "", f"refused {status}", (), hosts)
    events = [json.loads(line) for line in raw.split(b"\n") if line.strip()]
    text = "".join(event["text"] for event in events if event["event"] == "delta")
    last: Mapping[str, Any] = events[-1] if events else {}
    told = [one for event in events for one in (*event.get("citations", ()), *event.get("actions", ()))]
    links = [str(one.get("url") or "") for one in told]
    return tried(attack, text, str(last.get("outcome", "failed")), links, hosts)


def _body(pool: urllib3.PoolManager, method: str, url: str, json_body: Any) -> tuple[int, bytes, int]:
    try:
        with pool.request(method, url, json=json_body, preload_content=False, redirect=False) as response:
            wait = response.headers.get("Retry-After", "")
            return response.status, response.read(MAX_BYTES), int(wait) if wait.isdigit() else 5
    except urllib3.exceptions.HTTPError as exc:
        raise LocalProblem(f"{url} can't be asked ({type(exc).__name__}); is the site running?") from exc
