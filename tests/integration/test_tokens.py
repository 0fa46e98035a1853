"""Bearer tokens: who is believed, who is not and why, over a provider on the loopback address."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import contextmanager

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from starlette.responses import RedirectResponse, Response, StreamingResponse

from functions.chat.app import create_app
from magpie.adapters.published_keys import FRESH_S, LOOK_AGAIN_S, RETRY_S, USABLE_S, PublishedKeys
from magpie.adapters.tokens import MAX_TOKEN_CHARS, OidcVerifier
from magpie.errors import NotAllowed, ProviderUnavailable
from magpie.model import Viewer, Visibility
from magpie.settings import IdentityProvider, Settings
from magpie.site import RoleRule
from magpie.wiring import console_door, viewers_for
from tests.loopback.identity_provider import AUDIENCE, ISSUER, Provider, by_hand, claims_of, rsa_key
from tests.loopback.serving import served
from tests.unit.asking_site import Desk, site

ROLES = {
    "editor": RoleRule(visibilities=(Visibility.PUBLIC,)),
    "admin": RoleRule(visibilities=(Visibility.PUBLIC, Visibility.INTERNAL)),
}
SITE = site(roles=ROLES)


@pytest.fixture(scope="module")
def provider():
    return Provider()


@pytest.fixture(scope="module")
def keys_url(provider):
    with served(provider.app) as base:
        yield f"{base}/keys"


def settings_for(keys_url: str, claim: str = "role") -> Settings:
    identity = IdentityProvider(issuer=ISSUER, audiences=(AUDIENCE,), keys_url=keys_url, role_claim=claim)
    return Settings(database_url="", identity=identity)


async def who(keys_url: str, token: str, claim: str = "role") -> Viewer:
    return await viewers_for(settings_for(keys_url, claim), SITE).who(token)


async def test_a_role_gives_its_visibilities(provider, keys_url):
    """
    A token that holds makes its bearer what the site file says of his role.
    """
    viewer = await who(keys_url, provider.token(role="admin"))

    assert viewer == Viewer(role="admin", visibilities=frozenset(Visibility), identified=True)


@pytest.mark.parametrize(
    ("claim", "claims"),
    [
        ("cognito:groups", {"cognito:groups": ["visitors", "admin"]}),
        ("app_metadata.role", {"app_metadata": {"role": "admin"}}),
        ("https://sennit.example/roles", {"https://sennit.example/roles": ["admin", 7, None]}),
    ],
)
async def test_roles_stand_where_the_provider_puts_them(provider, keys_url, claim, claims):
    """
    A list of Cognito's, a nested claim of Supabase's, a claim named like an address.
    """
    assert (await who(keys_url, provider.token(**claims), claim)).role == "admin"


async def test_an_access_token_names_its_client(provider, keys_url):
    """
    Cognito's access tokens have no audience but a client id, which must be ours as well.
    """
    ours = provider.token(aud=None, client_id=AUDIENCE, role="admin")
    others = provider.token(aud=None, client_id="another", role="admin")
    both = provider.token(aud="another", client_id=AUDIENCE, role="admin")

    found = [await who(keys_url, token) for token in (ours, others, both)]

    assert [viewer.role for viewer in found] == ["admin", "guest", "guest"]


async def test_several_roles_are_told_what_any_may_be(provider, keys_url):
    """
    The union of what the roles may be told, under the first role of the site file.
    """
    viewer = await who(keys_url, provider.token(role=["admin", "editor", "stranger"]))

    assert (viewer.role, viewer.visibilities) == ("editor", frozenset(Visibility))


@pytest.mark.parametrize("role", [None, "stranger", {"admin": True}, 7, [["admin"]]])
async def test_an_unknown_role_is_a_guest_who_signed_in(provider, keys_url, role):
    """
    Whoever signed in without a role of the site file sees what is public.
    """
    assert await who(keys_url, provider.token(role=role)) == Viewer(identified=True, note="unknown_role")


def attacks(provider: Provider) -> dict[str, tuple[str, str]]:
    """Tokens that must not be believed, with the reason that is told."""
    now = int(time.time())
    other = Provider(keys={"one": rsa_key()})
    header = {"alg": "RS256", "kid": "one", "typ": "JWT"}
    holds = provider.token(role="admin")
    head, body, signature = holds.split(".")
    jwk = {"jku": "https://evil.example/keys", "jwk": {"kty": "oct", "k": "c2VjcmV0"}}
    return {
        "expired": (provider.token(role="admin", exp=now - 60), "expired"),
        "from tomorrow": (provider.token(role="admin", nbf=now + 86_400), "not_yet_valid"),
        "issued tomorrow": (provider.token(role="admin", iat=now + 86_400), "not_yet_valid"),
        "another key of the same id": (other.token(role="admin"), "forged"),
        "another's claims": (f"{head}.{provider.token(role='root').split('.')[1]}.{signature}", "forged"),
        "no signature": (f"{head}.{body}.", "forged"),
        "another audience": (provider.token(role="admin", aud="another"), "wrong_audience"),
        "no audience": (provider.token(role="admin", aud=None), "wrong_audience"),
        "audience within a word": (provider.token(role="admin", aud=f"not-{AUDIENCE}"), "wrong_audience"),
        "another issuer": (provider.token(role="admin", iss=f"{ISSUER}/"), "wrong_issuer"),
        "no end": (provider.token(role="admin", exp=None), "incomplete"),
        "nobody": (provider.token(role="admin", sub=None), "incomplete"),
        "alg none": (by_hand({**header, "alg": "none"}, claims_of(role="admin")), "bad_algorithm"),
        "alg nOnE": (by_hand({**header, "alg": "nOnE"}, claims_of(role="admin")), "bad_algorithm"),
        "key confusion": (
            by_hand({**header, "alg": "HS256"}, claims_of(role="admin"), provider.public_pem()),
            "bad_algorithm",
        ),
        "another algorithm of the same key": (
            by_hand({**header, "alg": "ES256"}, claims_of(role="admin"), b"x"),
            "bad_algorithm",
        ),
        "unknown key": (by_hand({**header, "kid": "ten"}, claims_of(role="admin"), b"x"), "unknown_key"),
        "key id as a path": (
            by_hand({**header, "kid": "../../dev/null"}, claims_of(role="admin"), b""),
            "unknown_key",
        ),
        "key id as a list": (by_hand({**header, "kid": ["one"]}, claims_of(role="admin"), b"x"), "malformed"),
        "its own key": (by_hand({**header, **jwk}, claims_of(role="admin"), b"secret"), "forged"),
        "unknown demand": (
            provider.token(role="admin", header={"crit": ["x-new"], "x-new": 1}),
            "malformed",
        ),
        "huge": (provider.token(role="admin", padding="x" * MAX_TOKEN_CHARS), "too_large"),
        "nothing": ("x", "malformed"),
        "dots": ("...", "malformed"),
        "two tokens": (f"{holds},Bearer {holds}", "malformed"),
        "other letters": ("é" * 30 + "." + "\ud800", "malformed"),
        "deep": (f"{'W1tb' * 1500}.e30.eA", "malformed"),  # "[[[[..." in Base64
    }


@pytest.mark.parametrize("name", list(attacks(Provider())))
async def test_what_is_wrong_with_a_token_makes_a_guest(provider, keys_url, name):
    """
    Each forgery is a guest, and the reason is told.
    """
    token, reason = attacks(provider)[name]

    viewer = await who(keys_url, token)

    assert viewer == Viewer(note=reason)


async def test_without_a_provider_everybody_is_a_guest(provider):
    """
    A token is of no use where nobody vouches for it; without one there is nothing to say.
    """
    viewers = viewers_for(Settings(database_url=""), SITE)

    assert await viewers.who(provider.token(role="admin")) == Viewer(note="no_identity_provider")
    assert await viewers.who("") == Viewer()


# --- Keys that come and go ----------------------------------------------------------------------


class Hands:
    """A clock that is moved by hand."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@contextmanager
def watched(**changes):
    """A provider of its own, a verifier on it, and the clock that the verifier goes by."""
    provider, clock = Provider(**changes), Hands()
    with served(provider.app) as base:
        identity = IdentityProvider(issuer=ISSUER, audiences=(AUDIENCE,), keys_url=f"{base}/keys")
        yield provider, OidcVerifier(identity, PublishedKeys(identity.keys_url, clock)), clock


async def test_keys_are_fetched_once_and_again_when_old():
    """
    Many bearers at once cost one look at the key set; it is looked at again when its time is over.
    """
    with watched() as (provider, verifier, clock):
        await asyncio.gather(*(verifier.verify(provider.token()) for _ in range(20)))
        at_once = provider.asked
        clock.now += FRESH_S
        await verifier.verify(provider.token())

    assert (at_once, provider.asked) == (1, 2)


async def test_a_new_key_is_found_and_invented_ones_cost_nothing():
    """
    After a rotation the new key is fetched; a hundred unknown key ids make one look at most.
    """
    with watched() as (provider, verifier, clock):
        await verifier.verify(provider.token())
        provider.keys["two"] = ec.generate_private_key(ec.SECP256R1())
        clock.now += LOOK_AGAIN_S
        rotated = await verifier.verify(provider.token("two"))
        for number in range(100):
            with pytest.raises(NotAllowed, match="does not publish"):
                await verifier.verify(by_hand({"alg": "RS256", "kid": str(number)}, {}, b"x"))

    assert (rotated.subject, provider.asked) == ("person-1", 2)


async def test_a_withdrawn_key_is_believed_no_longer():
    """
    When the key set is looked at again, a key that is gone from it signs nothing any more.
    """
    with watched(keys={"one": rsa_key(), "two": rsa_key()}) as (provider, verifier, clock):
        token = provider.token("two")
        await verifier.verify(token)
        del provider.keys["two"]
        clock.now += FRESH_S

        with pytest.raises(NotAllowed, match="does not publish"):
            await verifier.verify(token)


async def test_a_provider_that_is_away_is_bridged_for_a_while():
    """
    Known keys serve for an hour while the provider is away; then nobody is believed, till it is back.
    """
    with watched() as (provider, verifier, clock):
        await verifier.verify(provider.token())
        provider.answer = Response("down", 503)
        clock.now += FRESH_S
        await verifier.verify(provider.token())
        clock.now += USABLE_S
        with pytest.raises(ProviderUnavailable):
            await verifier.verify(provider.token())
        asked = provider.asked
        with pytest.raises(ProviderUnavailable, match="a moment ago"):
            await verifier.verify(provider.token())
        provider.answer = None
        clock.now += RETRY_S
        back = await verifier.verify(provider.token())

    assert back.subject == "person-1"
    assert provider.asked == asked + 1


async def _endless() -> AsyncIterator[bytes]:
    for _ in range(1000):
        yield b" " * 4096
        await asyncio.sleep(0.001)  # lets the server see that the reader has gone


@pytest.mark.parametrize(
    "answer",
    [
        lambda: Response("no", 500),
        lambda: RedirectResponse("https://evil.example/keys"),
        lambda: Response("<html>"),
        lambda: Response("[]"),
        lambda: Response('{"keys": 7}'),
        lambda: Response('{"keys": []}'),
        lambda: Response('{"keys": [{"kty": "oct", "k": "c2VjcmV0", "kid": "one"}]}'),
        lambda: Response("[" * 60_000),
        lambda: StreamingResponse(_endless()),
    ],
    ids=["500", "elsewhere", "html", "list", "number", "empty", "shared secret", "deep", "endless"],
)
async def test_a_useless_key_set_is_no_key_set(answer):
    """
    Errors, redirects, other content, shared secrets, an endless body: nobody is believed, and it is told.
    """
    with watched(answer=answer()) as (provider, verifier, _), pytest.raises(ProviderUnavailable):
        await verifier.verify(provider.token())


async def test_an_unreachable_provider_makes_guests():
    """
    Nothing listens where the keys should be: public, with the reason.
    """
    viewer = await who("http://127.0.0.1:9/keys", Provider().token(role="admin"))

    assert viewer == Viewer(note="keys_unreachable")


# --- At the edges -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "viewer"),
    [
        ([], {"role": "guest", "identified": False, "note": ""}),
        (["Basic YTpi"], {"role": "guest", "identified": False, "note": ""}),
        (["Bearer {token}"], {"role": "admin", "identified": True, "note": ""}),
        (["bearer  {token}"], {"role": "admin", "identified": True, "note": ""}),
        (["Bearer {expired}"], {"role": "guest", "identified": False, "note": "expired"}),
        (["Bearer {token}", "Bearer {token}"], {"role": "guest", "identified": False, "note": "malformed"}),
    ],
)
def test_start_says_who_is_asking(provider, keys_url, headers, viewer):
    """
    The first event tells the role, whether a token was believed, and why not.
    """
    tokens = {"token": provider.token(role="admin"), "expired": provider.token(role="admin", exp=1)}
    told = [("Authorization", header.format(**tokens)) for header in headers]
    app = create_app(Desk(site=SITE), settings_for(keys_url))
    with served(app) as base, httpx.Client(base_url=base, timeout=60) as client:
        body = {"messages": [{"role": "user", "content": "How fast do you answer?"}]}
        response = client.post("/chat", json=body, headers=told)

    assert response.status_code == 200
    start = response.text.split("\n")[0]
    assert httpx.Response(200, text=start).json()["viewer"] == viewer


@pytest.mark.parametrize(
    ("authorization", "status", "code"),
    [
        ("", 401, "no_token"),
        ("Basic YTpi", 401, "no_token"),
        ("Bearer x", 401, "malformed"),
        ("Bearer {expired}", 401, "expired"),
        ("Bearer {editor}", 403, "wrong_role"),
    ],
)
async def test_the_owners_door_is_shut(provider, keys_url, authorization, status, code):
    """
    No token or a bad one: 401; a good one of another role: 403.
    """
    tokens = {"expired": provider.token(role="admin", exp=1), "editor": provider.token(role="editor")}
    with pytest.raises(NotAllowed) as refused:
        await console_door(settings_for(keys_url)).admit(authorization.format(**tokens))

    assert (refused.value.status, refused.value.code) == (status, code)


async def test_the_owners_door_opens_for_the_role(provider, keys_url):
    """
    A token of a console role gets in, and is told apart by its subject; without a provider nobody does.
    """
    bearer = f"Bearer {provider.token(role='admin')}"

    assert (await console_door(settings_for(keys_url)).admit(bearer)).subject == "person-1"
    with pytest.raises(NotAllowed, match="no identity provider"):
        await console_door(Settings(database_url="")).admit(bearer)
