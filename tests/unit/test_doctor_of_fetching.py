"""What `magpie doctor` says of pages and rows that a site brings in."""

from cli.doctor import State, brought_in
from magpie.site import load_site

SITE = """
site: {key: shop, name: Shop, url: "https://shop.example"}
persona: {name: Till}
sources:
  - {path: rows/products, type: product, rows: {connection: shop, query: "SELECT 1 AS id"}, records: {}}
"""


def test_hosts_networks_and_connections_are_told_without_their_addresses():
    """Which hosts may be fetched from, which variable a site's rows need; a connection's address is a secret."""
    env = {"MAGPIE_FETCH_HOSTS": "docs.example", "MAGPIE_FETCH_NETWORKS": "10.1.0.0/16"}

    pages, missing = brought_in(load_site(SITE), env)
    _, there = brought_in(load_site(SITE), env | {"MAGPIE_ROWS_SHOP": "postgresql://till:hunter2@db/shop"})

    assert (
        pages.detail
        == "may be fetched from docs.example, shop.example, www.shop.example, private networks 10.1.0.0/16"
    )
    assert (missing.state, there.state) == (State.MISSING, State.OK)
    assert "MAGPIE_ROWS_SHOP" in missing.todo and "hunter2" not in str(there)


def test_a_network_that_is_none_is_told():
    """A slip in a variable that opens networks is an error, not an empty list."""
    (check,) = brought_in(load_site(SITE), {"MAGPIE_FETCH_NETWORKS": "10.1"})

    assert (check.state, "10.1" in check.detail) == (State.FAILED, True)
