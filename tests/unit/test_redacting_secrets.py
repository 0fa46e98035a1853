"""Secrets of the common makers. They are put together here, so that no scanner takes this file for a leak."""

import pytest

from magpie.text.redaction import RedactionPolicy, redact, report

NONE = RedactionPolicy(name="none")
LETTERS = "Ab3dEf6hIj9lMn2pQr5tUv8xYz1BcDe4gHi7"
HEX = "0123456789abcdef"

SHAPED = [
    "sk-" + LETTERS,
    "sk-proj-" + LETTERS,
    "sk-ant-api03-" + LETTERS,
    "AKIA" + "ABCDEFGH23456765",
    "AIza" + LETTERS[:35],
    "GOCSPX-" + LETTERS[:28],
    "ya29." + LETTERS,
    "ghp_" + LETTERS,
    "github_pat_" + LETTERS,
    "glpat-" + LETTERS[:20],
    "xoxb-" + "1234567890-" + LETTERS,
    "https://hooks.slack.com/" + "services/T00000000/B00000000/" + LETTERS,
    "sk_live_" + LETTERS[:24],
    "whsec_" + LETTERS,
    "SK" + HEX * 2,
    "SG." + LETTERS[:22] + "." + LETTERS,
    "npm_" + LETTERS,
    "pypi-" + "AgEIcHlwaS5vcmc" + LETTERS,
    "hf_" + LETTERS,
    "AbC8Q~" + LETTERS,
    "hvs." + LETTERS,
    "gsk_" + LETTERS + LETTERS,
    "123456789:AA" + LETTERS,
    "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0In0." + LETTERS,
    "postgres://app:" + "p4ssword@db.example:5432/app",
    "mongodb+srv://u:" + "s3cret@cluster.example/x",
    "redis://:" + "s3cret@host:6379/0",
]

NAMED = [
    ("Authorization: Bearer ", LETTERS),
    ("Authorization: Basic ", "dXNlcjpwYXNzd29yZDEyMw=="),
    ("aws_secret_access_key = ", LETTERS + "/+xY"),
    ("AccountName=x;AccountKey=", LETTERS * 2 + "=="),
    ("API_KEY=", LETTERS),
    ('"client_secret": "', LETTERS),
    ("Server=db;User Id=sa;Password=", "P@ssw0rd!"),
    ("password: ", "hunter2"),
    ("Senha: ", "Abc12345"),
    ("jdbc:postgresql://h/db?user=u&password=", "pa55word"),
    ("https://x.example/c?sv=2022&sig=", LETTERS + "%3D"),
]

STAND_INS = [
    "sk-learn, sk-image and task-oriented-programming-2024",
    "password: required",
    "postgres://user:${PASSWORD}@host/db",
    "postgres://host:5432/db",
    "API_KEY=<your key>",
    "api_key = os.environ['KEY']",
    "secret = get_secret()",
    "token: string",
    "Bearer of good news since 2023",
    "commit 3f2a9c4d5e6f708192a3b4c5d6e7f80912345678",
    "sha256:" + HEX * 4,
    "550e8400-e29b-41d4-a716-446655440000",
    "pk_live_" + LETTERS[:24],
    "https://example.com:8080/path@2x.png",
    "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
]

BEGIN, END = "-----BEGIN %sPRIVATE KEY-----", "-----END %sPRIVATE KEY-----"


@pytest.mark.parametrize("secret", SHAPED, ids=lambda secret: secret[:8])
def test_secrets_go_by_their_shape(secret: str) -> None:
    """
    Keys, tokens and connection strings go wherever they stand, under every policy.
    """
    assert redact(f"Use {secret}, then restart.", NONE).text == "Use [redacted secret], then restart."


@pytest.mark.parametrize(("name", "value"), NAMED, ids=[name[:16] for name, _ in NAMED])
def test_secrets_go_by_their_name(name: str, value: str) -> None:
    """
    What a name like password or API key introduces goes; the name stays.
    """
    assert redact(name + value, NONE).text == f"{name}[redacted secret]"


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
def test_private_keys_go_whole(kind: str) -> None:
    """
    A private key goes from its first line to its last.
    """
    key = "\n".join([BEGIN % kind, LETTERS * 2, LETTERS, END % kind])

    assert redact(f"Key:\n{key}\nKeep it.", NONE).text == "Key:\n[redacted secret]\nKeep it."


def test_a_private_key_without_its_end_goes_as_far_as_it_looks_like_one() -> None:
    """
    A key that was cut off takes its lines along, not the prose after it.
    """
    text = "\n".join([BEGIN % "", LETTERS, LETTERS, "", "And then: prose, which follows."])

    left = redact(text, NONE).text

    assert LETTERS[:12] not in left
    assert "prose, which follows." in left


@pytest.mark.parametrize("text", STAND_INS, ids=lambda text: text[:16])
def test_stand_ins_and_public_keys_stay(text: str) -> None:
    """
    Placeholders, code that reads a secret, hashes and public keys are no secrets.
    """
    assert redact(text, NONE).text == text


def test_a_key_with_an_unseen_character_goes() -> None:
    """
    A zero-width space does not hide a key.
    """
    assert redact("sk-\u200b" + LETTERS, NONE).text == "[redacted secret]"


def test_no_policy_but_none_is_needed_and_contacts_stay_under_it() -> None:
    """
    Under `none` secrets alone go.
    """
    result = redact(f"ana@exemplo.pt, +351 912 345 678, npm_{LETTERS}", NONE)

    assert result.text == "ana@exemplo.pt, +351 912 345 678, [redacted secret]"
    assert report(result.found) == {"secret": 1}
