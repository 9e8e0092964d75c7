"""Secrets are masked, ordinary code and logs are not, and masking twice changes nothing.

Every secret here is put together from pieces, so that no scanner takes this file for a leak.
"""

from __future__ import annotations

from itertools import cycle, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.secrets import mask, mask_strings
from clew.units.unit import clip_middle


def letters(count: int, alphabet: str = "aK3fZ9qT1xB7mW5cR0vJ8nL2yD6hP4sG") -> str:
    """So many letters and digits that look like chance."""
    return "".join(islice(cycle(alphabet), count))


HEX = letters(40, "3fa9c07e1b5d8264")
LONG = letters(48)
BASE64 = "\n".join([letters(64)] * 4)
PEM = f"-----BEGIN RSA PRIVATE {'KEY'}-----\n{BASE64}\n-----END RSA PRIVATE KEY-----"

MARKED = [
    ("sk-" + "ant-api03-" + LONG, "api key"),
    ("sk-" + LONG, "api key"),
    ("sk-" + "proj-" + LONG, "api key"),
    ("sk_" + "live_" + letters(24), "api key"),
    ("AK" + "IA" + letters(16, "Q3JX7KD2"), "api key"),
    ("AI" + "za" + letters(35), "api key"),
    ("SG" + "." + letters(22) + "." + letters(43), "api key"),
    ("gs" + "k_" + LONG, "api key"),
    ("gh" + "p_" + letters(36), "token"),
    ("github_" + "pat_" + letters(59), "token"),
    ("gl" + "pat-" + letters(20), "token"),
    ("xo" + "xb-" + letters(12, "4829") + "-" + letters(24), "token"),
    ("hf" + "_" + letters(34), "token"),
    ("np" + "m_" + letters(36), "token"),
    ("ey" + "J" + letters(30) + ".eyJ" + letters(60) + "." + letters(43), "token"),
    (PEM, "private key"),
    (PEM.replace("\n", "\\n"), "private key"),
]


@pytest.mark.parametrize(("secret", "kind"), MARKED, ids=range(len(MARKED)))
def test_a_makers_mark_gives_a_secret_away(secret: str, kind: str) -> None:
    text = f"before ({secret}) after"
    assert mask(text) == f"before ({secret[:4]}…[masked {kind}]) after"


@pytest.mark.parametrize(
    ("before", "secret", "after", "kind"),
    [
        ("OPENAI_API_KEY=", LONG, "\n", "api key"),
        ("OPENAI_API_KEY=", "sk-" + LONG, "\n", "api key"),
        ('{"api_key": "', HEX, '"}', "api key"),
        (r"{\"api_key\": \"", HEX, r"\"}", "api key"),
        ("aws_secret_access_key = ", letters(40), "", "secret"),
        ("client_secret: '", LONG, "'", "secret"),
        ("auth_token => ", LONG, ",", "token"),
        ("Authorization: Bearer ", LONG, "\n", "token"),
        ("authorization: basic ", LONG, "=", "token"),
        ("postgresql://app:", "s3cr-t+w0rd", "@db.internal:5432/app", "password"),
        ("password: '", "Tr0ub4dor&3", "'", "password"),
        ("DB_PASSWORD=", "Tr0ub4dor&3", "\n", "password"),
        ("password=", "Tr0ub4dor&3", "\n", "password"),
    ],
)
def test_what_is_assigned_to_a_secrets_name_is_masked(before: str, secret: str, after: str, kind: str) -> None:
    text = before + secret + after
    assert mask(text).count("…[masked ") == 1
    assert mask(text).startswith(f"{before}{secret[: min(4, len(secret) // 4)]}…[masked {kind}]")
    assert secret not in mask(text)


@pytest.mark.parametrize(
    "text",
    [
        f"commit {HEX}",
        f"sha256:{HEX}{HEX[:24]}",
        f'"integrity": "sha512-{LONG}{LONG}=="',
        "session_id: 3f2b8c1e-9d47-4a6b-8e21-0c5d7f9a1b3e",
        'token: "3f2b8c1e-9d47-4a6b-8e21-0c5d7f9a1b3e"',
        'api_key = "your-api-key-here-1a2B3c4D5e6F"',
        "API_KEY=xxxxxxxxxxxxxxxxxxxxxxxx",
        "API_KEY=${OPENAI_API_KEY}",
        'apiKey: "$MY_API_KEY_2_FOR_3_THINGS"',
        "apiKey: process.env.OPENAI_API_KEY,",
        "token = auth_header.split(' ')[1]",
        "secret = config.get_secret_v2_from_vault_3()",
        "private_key: ed25519.Ed25519PrivateKey",
        "max_tokens: 200000, tokens = usage.input_tokens",
        "password: string; password = prompt('Password: ')",
        'password="password"',
        "tokenUsage: TokenUsageSchema.optional()",
        "AK" + "IAIOSFODNN7EXAMPLE",
        "sk-learn-based-classification-of-long-documents",
        "Bearer tokens are described in the documentation",
        "Authorization: Bearer $TOKEN",
        "http://localhost:8080/path@2x.png",
        "postgres://postgres:postgres@localhost/db",
        "git@github.com:owner/repository.git",
        "-----BEGIN PRIVATE KEY-----",
        "task-list-of-things-that-are-not-secret-at-all-2026-01-01",
        "claude-opus-4-5-20251101",
        "",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert mask(text) == text


def test_what_is_left_of_a_private_key_is_masked_too() -> None:
    for cut in (40, 70, len(PEM) - 45):
        left = mask(f"[…] {PEM[cut:]}")
        assert left == f"[…] {PEM[cut : cut + 4]}…[masked private key]"


@pytest.mark.parametrize("secret", [one for one, _ in MARKED[:-2]], ids=range(len(MARKED) - 2))
def test_a_text_that_is_clipped_keeps_no_piece_of_a_secret(secret: str) -> None:
    text = f"Push with {secret} from now on, and with nothing else; ask before you make another one."
    for limit in range(30, len(text), 7):
        shown = mask(clip_middle(text, limit))
        assert not any(secret[at : at + 12] in shown for at in range(4, len(secret) - 12)), (limit, shown)


def test_what_stands_around_a_secret_is_left_as_it_is() -> None:
    secret = "gh" + "p_" + letters(36)
    text = f"日本 😀 {secret} é"
    assert mask(text) == f"日本 😀 {secret[:4]}…[masked token] é"


def test_a_secret_inside_an_assigned_one_is_one_secret() -> None:
    inner = "gh" + "p_" + letters(36)
    assert mask(f'password="abc-{inner}"') == 'password="abc-…[masked password]"'


def test_secrets_one_after_another_are_each_masked() -> None:
    one, two = "gh" + "p_" + letters(36), "AI" + "za" + letters(35)
    assert mask(f"{one} {two}") == f"{one[:4]}…[masked token] {two[:4]}…[masked api key]"


def test_all_strings_of_a_value_are_masked_and_names_only_where_asked() -> None:
    secret = "gh" + "p_" + letters(36)
    masked = f"{secret[:4]}…[masked token]"
    value = {secret: [1, {"a": secret}, None, (secret,)]}
    assert mask_strings(value) == {secret: [1, {"a": masked}, None, [masked]]}
    assert mask_strings(value, names=True) == {masked: [1, {"a": masked}, None, [masked]]}


def test_half_characters_pass_through() -> None:
    assert mask("a\ud800b") == "a\ud800b"


FRAGMENTS = st.sampled_from(
    [secret for secret, _ in MARKED]
    + ["api_key=", 'password: "', "TOKEN='", "Bearer ", "://user:", "@host", "\n", " ", '"', "'", "é", "\\n", "-", "_"]
    + [LONG, HEX, "Tr0ub4dor&3", "your", "sk-", "…[masked token]", "=", ":"]
)


@given(st.lists(FRAGMENTS, max_size=8).map("".join))
def test_masking_twice_is_masking_once(text: str) -> None:
    once = mask(text)
    assert mask(once) == once


def test_a_megabyte_of_beginnings_is_read_once() -> None:
    for unit in ("-----BEGIN PRIVATE KEY-----", "://a:", "password=", "eyJ", "Bearer "):
        text = unit * (1_000_000 // len(unit))
        assert mask(text) == text
