"""
Links travel as tokens: what writes an answer sees `[[link:1]]`, never an address, and the server
alone turns a token back, only into an address that stood in the evidence and may be told.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

ADDRESS = re.compile(r"(?:https?://|mailto:|tel:)[^\s<>\"'`{}|\\^\[\]]+")
TOKEN = re.compile(r"\[\[link:(\d{1,4})\]\]")
CONTACT = re.compile(r"(?:mailto|tel):[^\s\\]+", re.IGNORECASE)
# Stricter than the standard: a name of letters, digits, dots and hyphens, no credentials, no escapes.
WEB = re.compile(r"https?://([\w.-]+)(?::\d{1,5})?(?:[/?#][^\s\\]*)?", re.IGNORECASE)
TRAILING = ".,;:!?*_"


@dataclass(slots=True)
class LinkTokens:
    """
    The tokens of one answer. `hosts` are the lower-case hosts that may be linked to; mailto and
    tel need none, since they only ever come from evidence.
    """

    hosts: tuple[str, ...]
    _addresses: list[str] = field(default_factory=list)

    def hide(self, text: str) -> str:
        """Each address in the text becomes a token; one that may not be told vanishes."""
        return ADDRESS.sub(self._token, text)

    def show(self, text: str) -> str:
        """Tokens become addresses; unknown tokens, and addresses that no token stood for, vanish."""
        bare = ADDRESS.sub("", text)
        return TOKEN.sub(self._address, bare)

    def _token(self, match: re.Match[str]) -> str:
        address, tail = _split_tail(match.group())
        if not may_link(address, self.hosts):
            return tail
        if address not in self._addresses:
            self._addresses.append(address)
        return f"[[link:{self._addresses.index(address) + 1}]]{tail}"

    def _address(self, match: re.Match[str]) -> str:
        number = int(match.group(1))
        return self._addresses[number - 1] if 0 < number <= len(self._addresses) else ""


def _split_tail(found: str) -> tuple[str, str]:
    address = found.rstrip(TRAILING)
    while address.endswith(")") and address.count(")") > address.count("("):
        address = address[:-1].rstrip(TRAILING)
    return address, found[len(address) :]


def may_link(address: str, hosts: Iterable[str]) -> bool:
    """True for mailto, tel, and http or https on one of the hosts or below it, without credentials."""
    if CONTACT.fullmatch(address):
        return True
    found = WEB.fullmatch(address)
    host = found.group(1).lower().removesuffix(".") if found else ""
    names = (allowed.partition(":")[0] for allowed in hosts)  # a site under preview has a port
    return bool(host) and any(host == name or host.endswith(f".{name}") for name in names)
