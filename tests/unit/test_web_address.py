"""What an address of the web is, which numbers may be connected to, and what compressed bytes may become."""

import gzip
import zlib
from ipaddress import ip_network
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from magpie.adapters.web.networks import why_not
from magpie.errors import DocumentRefused
from magpie.text.packing import unpacked
from magpie.text.web_address import DEFAULT_PORTS, joined, web_address


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("https://Bakery.Example", "https://bakery.example/"),
        ("HTTP://bakery.example:80/a?b=1#c", "http://bakery.example/a?b=1"),
        ("https://bakery.example:8443/ä b".replace(" ", ""), "https://bakery.example:8443/%C3%A4b"),
        ("https://bäckerei.example/100%", "https://xn--bckerei-5wa.example/100%25"),
        ("https://straße.example/", "https://xn--strae-oqa.example/"),
        ("https://bakery.example./x", "https://bakery.example/x"),
        ("https://bakery.example?q=1", "https://bakery.example/?q=1"),
        ("http://[::1]:8000/x", "http://[::1]:8000/x"),
    ],
)
def test_an_address_has_one_normal_form(text: str, normal: str):
    """Case, default port, fragment, dot at the end and letters beyond ASCII make no other address."""
    assert normal == str(web_address(text))


@pytest.mark.parametrize(
    "text",
    [
        "file:///etc/passwd",
        "ftp://bakery.example/",
        "gopher://127.0.0.1:11211/x",
        "javascript:alert(1)",
        "//bakery.example/",
        "bakery.example",
        "https://user:secret@bakery.example/",
        "https://bakery.example@169.254.169.254/",
        "https://bakery.example\\@evil.example/",
        "https://bakery.example:99999/",
        "https://bakery.example:80:80/",
        "https://bakery.example/\r\nHost: evil.example",
        "https://ba kery.example/",
        "https://-bakery.example/",
        "https://bakery..example/",
        "https:///x",
        "https://xn--zz--.example\u2024evil/",
        "https://a\u200d.example/",
        "https://" + "a" * 2100 + ".example/",
        "",
    ],
)
def test_what_two_parsers_could_read_differently_is_refused(text: str):
    """Other schemes, credentials, backslashes, line ends, bad hosts and ports: refused with a reason."""
    with pytest.raises(DocumentRefused) as caught:
        web_address(text)

    assert caught.value.code == "bad_address"


@given(
    st.one_of(
        st.text(), st.from_regex(r"https?://[a-z0-9.@:\\[\]_%-]{1,20}[/?#]?[!-~]{0,20}", fullmatch=True)
    )
)
def test_whatever_is_taken_for_an_address_means_the_same_to_everybody(text: str):
    """Refused, or a normal form that stays itself and in which another parser finds the same host, port and target."""
    try:
        address = web_address(text)
    except DocumentRefused:
        return

    seen = urlsplit(str(address))
    assert web_address(str(address)) == address
    assert seen.hostname == address.host.strip("[]")
    assert (seen.port or DEFAULT_PORTS[seen.scheme], seen.username) == (address.port, None)
    assert (seen.path, seen.query, seen.fragment) == (address.path, address.query, "")


def test_links_are_joined_as_browsers_do():
    """Relative, absolute and scheme-less links; a link to another scheme is refused."""
    base = web_address("https://bakery.example/blog/2024/")

    assert str(joined(base, "../x")) == "https://bakery.example/blog/x"
    assert str(joined(base, "//cdn.example/y")) == "https://cdn.example/y"
    with pytest.raises(DocumentRefused):
        joined(base, "file:///etc/passwd")


@pytest.mark.parametrize(
    "number",
    [
        "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254",
        "168.63.129.16", "100.100.100.200", "192.0.0.170", "198.18.0.1", "203.0.113.1", "224.0.0.1", "239.255.255.250",
        "240.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "fec0::1",
        "ff02::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:10.0.0.1", "::127.0.0.1", "::ffff:0:7f00:1", "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:7f00:1::", "2001:0:4136:e378::1", "2001:db8::1", "not a number", "",
    ],
)  # fmt: skip
def test_numbers_that_are_not_public_are_refused(number: str):
    """Loopback, private, carrier, link-local, metadata, multicast, reserved; mapped and tunnelled ones too."""
    assert why_not(number)


@pytest.mark.parametrize(
    "number", ["93.184.216.34", "1.1.1.1", "2606:4700::1111", "64:ff9b::101:101", "::ffff:1.1.1.1"]
)
def test_public_numbers_may_be_connected_to(number: str):
    """Also where an IPv6 address carries a public IPv4 one."""
    assert why_not(number) == ""


def test_a_deployment_may_permit_its_own_network_but_never_metadata():
    """A permitted network opens itself alone; link-local and metadata addresses stay shut."""
    everything = (ip_network("0.0.0.0/0"), ip_network("::/0"))

    assert why_not("10.1.2.3", (ip_network("10.1.0.0/16"),)) == ""
    assert why_not("10.2.2.3", (ip_network("10.1.0.0/16"),))
    assert why_not("169.254.169.254", everything)
    assert why_not("::ffff:169.254.169.254", everything)
    assert why_not("fd00:ec2::254", everything)


@pytest.mark.parametrize(
    "packed",
    [
        gzip.compress(b"bread " * 100, mtime=0),
        gzip.compress(b"bread " * 50, mtime=0) + gzip.compress(b"bread " * 50, mtime=0),
        zlib.compress(b"bread " * 100),
        zlib.compress(b"bread " * 100)[2:-4],
    ],
)
def test_compressed_bytes_come_out_whole(packed: bytes):
    """Gzip of one member or several, zlib, bare deflate."""
    assert unpacked(packed, 10_000) == b"bread " * 100


def test_a_bomb_is_known_by_its_first_bytes():
    """No more than one byte over the limit is ever unpacked."""
    bomb = gzip.compress(bytes(50_000_000))

    assert len(unpacked(bomb, 1000)) == 1001


@pytest.mark.parametrize(
    "packed", [gzip.compress(b"bread" * 1000, mtime=0)[:40], b"\x1f\x8b\x08nothing", b"plain words"]
)
def test_broken_packing_is_told(packed: bytes):
    """Cut off, damaged or not compressed at all."""
    with pytest.raises(ValueError, match="compressed"):
        unpacked(packed, 10_000)
