"""
Which numeric addresses may be connected to: public ones, and networks that the deployment names.

An IPv6 address that carries an IPv4 one is judged by what it carries; the deployment can't name
link-local networks, where clouds keep their metadata.
"""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_NAT64 = IPv6Network("64:ff9b::/96")
# What `is_global` has called public in one version of Python or another, and what tunnels.
_NEVER = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8",
        "100.64.0.0/10",
        "169.254.0.0/16",
        "192.0.0.0/24",
        "192.88.99.0/24",
        "198.18.0.0/15",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "::/128",
        "64:ff9b:1::/48",
        "100::/64",
        "2001::/23",
        "2002::/16",
        "fe80::/10",
        "fec0::/10",
        "ff00::/8",
    )
)
_METADATA = tuple(
    ip_network(text)
    for text in ("169.254.0.0/16", "fe80::/10", "fd00:ec2::/32", "100.100.100.200/32", "168.63.129.16/32")
)


def why_not(text: str, permitted: Sequence[Network] = ()) -> str:
    """Why an address may not be connected to; empty where it may."""
    try:
        address = _carried(ip_address(text.partition("%")[0]))
    except ValueError:
        return "is no numeric address"
    if _is_in(address, _METADATA):
        return "is where a cloud keeps its metadata, or link-local"
    if _is_in(address, permitted):
        return ""
    if address.is_loopback:
        return "is this machine itself"
    if not address.is_global or address.is_multicast or address.is_reserved or _is_in(address, _NEVER):
        return "is not on the public internet"
    return ""


def _carried(address: Address) -> Address:
    """The IPv4 address that an IPv6 one stands for."""
    if not isinstance(address, IPv6Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    number = int(address)
    if address in _NAT64 or (number >> 32 == 0 and number > 1):
        return IPv4Address(number & 0xFFFFFFFF)
    return address


def _is_in(address: Address, networks: Sequence[Network]) -> bool:
    return any(address in network for network in networks if network.version == address.version)
