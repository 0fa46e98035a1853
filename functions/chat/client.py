"""
Which client asks. Only what our own proxies wrote into X-Forwarded-For is believed.
"""

from ipaddress import IPv6Address, ip_address, ip_network

UNKNOWN = "unknown"
IPV6_PREFIX = 64  # one household or phone holds at least a /64


def client_key(peer: str, forwarded: str, trusted_hops: int) -> str:
    """
    The client's address, IPv6 cut to its /64; with `trusted_hops` proxies of ours in front, the
    entry that the outermost of them wrote. What stands left of it anybody may have sent.
    """
    return _cut(_address(peer, forwarded, trusted_hops))


def _address(peer: str, forwarded: str, trusted_hops: int) -> str:
    if trusted_hops <= 0:
        return peer
    entries = [entry.strip() for entry in forwarded.split(",") if entry.strip()]
    return entries[-trusted_hops] if len(entries) >= trusted_hops else peer


def _cut(address: str) -> str:
    try:
        found = ip_address(_bare(address))
    except ValueError:
        return UNKNOWN
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ip_network((int(found), IPV6_PREFIX), strict=False))


def _bare(address: str) -> str:
    """Without port, brackets and zone: `[2001:db8::1%eth0]:443` is `2001:db8::1`."""
    if address.startswith("["):
        address = address[1:].split("]")[0]
    elif address.count(":") == 1:
        address = address.split(":")[0]
    return address.split("%")[0]
