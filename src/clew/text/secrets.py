"""Secrets in text: found and masked wherever text is shown to people or written elsewhere.

Keys with a maker's mark (``sk-``, ``ghp_``, ``AKIA``) are known by it. What stands after a name such as
``api_key`` or ``password`` counts when it looks random, or is quoted and made like a password. Hashes, UUIDs,
names of variables and placeholders are left alone. All patterns run in linear time.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import re2

API_KEY, TOKEN, PASSWORD, SECRET, PRIVATE_KEY = "api key", "token", "password", "secret", "private key"


class Secret(NamedTuple):
    """Where a secret stands in the text, and of what kind it is."""

    start: int
    end: int
    kind: str


class _Rule(NamedTuple):
    """A pattern whose last group, or whole, is the secret. ``random`` ones must look it besides."""

    kind: str
    pattern: str
    random: bool = False


#: Each takes all letters and digits that follow, so that what is left after masking begins no secret of its own.
_RULES = (
    _Rule(API_KEY, r"\bsk-ant-[A-Za-z0-9_-]{8,}"),
    _Rule(API_KEY, r"\bsk-(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{20,}", random=True),
    _Rule(API_KEY, r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    _Rule(API_KEY, r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    _Rule(API_KEY, r"\bAIza[A-Za-z0-9_-]{35,}"),
    _Rule(API_KEY, r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    _Rule(API_KEY, r"\b(?:gsk_|xai-|pplx-|tvly-|r8_|lin_api_|dop_v1_)[A-Za-z0-9_-]{20,}", random=True),
    _Rule(TOKEN, r"\bgh[opsru]_[A-Za-z0-9]{12,}"),
    _Rule(TOKEN, r"\bgithub_pat_[A-Za-z0-9_]{12,}"),
    _Rule(TOKEN, r"\bglpat-[A-Za-z0-9_-]{12,}"),
    _Rule(TOKEN, r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}", random=True),
    _Rule(TOKEN, r"\bhooks\.slack\.com/services/[A-Za-z0-9_/]{20,}", random=True),
    _Rule(TOKEN, r"\bhf_[A-Za-z0-9]{30,}"),
    _Rule(TOKEN, r"\bnpm_[A-Za-z0-9]{36,}"),
    _Rule(TOKEN, r"\bpypi-[A-Za-z0-9_-]{50,}"),
    _Rule(TOKEN, r"\bya29\.[A-Za-z0-9_-]{20,}"),
    _Rule(TOKEN, r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}\b"),
    _Rule(TOKEN, r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{10,}"),
    _Rule(TOKEN, r"(?i:\b(?:bearer|basic)\s{1,3})[A-Za-z0-9._~+/=-]{20,}", random=True),
    _Rule(PASSWORD, r"://[^\s/:@\"'<>`\x80-\xff]{0,64}:[^\s/@\"'<>`\x80-\xff]{3,200}@[A-Za-z0-9\[]"),
    _Rule(
        PRIVATE_KEY,
        r"-----BEGIN [A-Z ]{0,24}PRIVATE KEY(?: BLOCK)?-----(?:\\[nr]|[\s\"'+,])*"
        r"(?:[A-Za-z]{3,12}-[A-Za-z]{3,8}: [A-Z0-9,-]+(?:\\[nr]|\s)+)*[A-Za-z0-9+/=]{32}"
        r"(?:[A-Za-z0-9+/=\s\"',]|\\[nr])*(?:-----END [A-Z ]{0,24}PRIVATE KEY(?: BLOCK)?-----)?",
    ),
    # The end of one whose beginning was cut off.
    _Rule(
        PRIVATE_KEY,
        r"[A-Za-z0-9+/=]{8,}(?:[A-Za-z0-9+/=\s\"',]|\\[nr])*-----END [A-Z ]{0,24}PRIVATE KEY(?: BLOCK)?-----",
    ),
)
#: What comes before the secret in a match: a scheme and a name, or a word of the header.
_LEAD = re2.compile(rb"://[^\s/:@]*:|(?i:bearer|basic)\s+|hooks\.slack\.com/services/")
_MARKED = re2.compile("|".join(f"({rule.pattern})" for rule in _RULES).encode())

_ASSIGNED = re2.compile(
    rb"(?i)(passw(?:or)?d|passphrase|\bpwd|api[_-]?key|access[_-]?key|secret|token|private[_-]?key|credentials?)"
    rb"[a-z0-9_]{0,24}(?:\\?[\"'`])?\s{0,3}(?::=|=>|[:=])\s{0,3}(\\?[\"'`])?"
    rb"([A-Za-z0-9!#$%&*+/_~^@?][A-Za-z0-9!#$%&*+/_~^@?.-]{7,}={0,2})"
)
#: Words that stand where a secret would, in examples and in code.
_PLACEHOLDER = re2.compile(
    rb"(?i)^[$%!]|your|example|placeholder|change.?me|dummy|fake|sample|redacted|masked|insert|replace|foobar|process\.env"
    rb"|environ|getenv|\{\{|%\(|\*\*\*|\.\.\.|x{4}|0{6}|1234567|abcdef|deadbeef|secrets\.|config\."
)
_UUID = re2.compile(rb"(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")
_COMMON = frozenset(
    b"password passwd passwort pass pwd secret user username root admin guest test token postgres mysql redis "
    b"rabbitmq minio key apikey api_key hunter2 letmein".split()
)
#: Characters a random value has at least, and how often its letters change case or give way to digits: chance
#: gives 0.4 and more, names of things stay under 0.15.
_RANDOM_LENGTH = 16
_RANDOM_CHANGES = 0.2
#: Longer values are data, not secrets that somebody assigns.
_MAX_LENGTH = 512
_CODING = ("utf-8", "surrogatepass")
#: A secret may hide another that only shows when the first is masked; more rounds than this are a game.
_MAX_ROUNDS = 8
#: What stands after the first letters of a secret that is masked already.
MASKED = "…[masked ".encode()
#: Beginnings of the names above, and what is assigned to them.
_NAMES = (
    (b"pass", PASSWORD),
    (b"pwd", PASSWORD),
    (b"api", API_KEY),
    (b"access", API_KEY),
    (b"token", TOKEN),
    (b"private", PRIVATE_KEY),
    (b"", SECRET),
)


def mask(text: str) -> str:
    """The text with the first letters of each secret and its kind in its place; twice is the same as once."""
    data = text.encode(*_CODING)
    for _ in range(_MAX_ROUNDS):
        masked = _mask_bytes(data)
        if masked is data:
            break
        data = masked
    return data.decode(*_CODING)


def mask_strings(value: Any, *, names: bool = False) -> Any:
    """A JSON value with the secrets in its strings masked; with ``names``, in the names of members too."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {mask_strings(name) if names else name: mask_strings(item, names=names) for name, item in value.items()}
    return [mask_strings(item, names=names) for item in value] if isinstance(value, list | tuple) else value


def _mask_bytes(data: bytes) -> bytes:
    out, start_of_rest = [], 0
    for start, end, kind in _find_secrets(data):
        kept = min(4, (end - start) // 4)
        out += [data[start_of_rest : start + kept], MASKED, kind.encode(), b"]"]
        start_of_rest = end
    return b"".join([*out, data[start_of_rest:]]) if out else data


def _find_secrets(data: bytes) -> list[Secret]:
    """In order, those that overlap made one; a maker's mark tells the kind better than a name."""
    secrets: list[Secret] = []
    for item in sorted([*_find_marked(data), *_find_assigned(data)], key=lambda item: item.start):
        if data.startswith(MASKED, item.end):
            continue
        if secrets and item.start < secrets[-1].end:
            secrets[-1] = secrets[-1]._replace(end=max(secrets[-1].end, item.end))
        else:
            secrets.append(item)
    return secrets


def _find_marked(data: bytes) -> Iterator[Secret]:
    for match in _MARKED.finditer(data):
        rule = next(rule for rule, part in zip(_RULES, match.groups(), strict=True) if part is not None)
        start, end = match.span()
        lead = _LEAD.match(match[0])
        start += lead.end() if lead else 0
        if rule.kind == PASSWORD:
            end = data.rindex(b"@", start, end)
        value = data[start:end]
        if rule.kind == PRIVATE_KEY or ((not rule.random or _is_random(value)) and _is_real(value)):
            yield Secret(start, end, rule.kind)


def _find_assigned(data: bytes) -> Iterator[Secret]:
    match = _ASSIGNED.search(data)
    while match:
        item = _secret_of(match)
        if item is not None:
            yield item
        # What is no secret may itself be a name: in "token: password: …" it is. No value holds a name and its
        # sign of assignment, so nothing is read more than a few times.
        match = _ASSIGNED.search(data, match.end() if item else match.start(3))


def _secret_of(match: Any) -> Secret | None:
    name, quote, value = match[1], match[2], match[3]
    kind = next(kind for start, kind in _NAMES if name.lower().startswith(start))
    if len(value) > _MAX_LENGTH or (quote is None and b"." in value):
        return None
    by_hand = kind == PASSWORD and _is_mixed(value) and (quote is not None or name.isupper() or _is_made(value))
    is_secret = (by_hand or _is_random(value)) and _is_real(value)
    return Secret(match.start(3), match.end(3), kind) if is_secret else None


def _is_real(value: bytes) -> bool:
    return value.lower() not in _COMMON and not _PLACEHOLDER.search(value) and not _UUID.search(value)


def _is_mixed(value: bytes) -> bool:
    """Letters with digits or signs among them, as people make passwords; no path, call or name in dots."""
    signs = sum(not chr(byte).isalnum() for byte in value)
    digits = sum(48 <= byte <= 57 for byte in value)
    return signs + digits < len(value) and (digits > 0 or signs > 0) and not set(b"/.=") & set(value)


def _is_made(value: bytes) -> bool:
    """Digits and signs among the letters, and signs that no name has: it needs no quotes to be known."""
    return any(48 <= byte <= 57 for byte in value) and bool(set(b"!#$%&*+~^@?") & set(value[1:]))


def splits_secret(text: str, cut: int) -> bool:
    """Returns True where a cut at this place would part a word that is a secret: what is left of it is known by no
    form."""
    start = max(text.rfind(" ", 0, cut), text.rfind("\n", 0, cut)) + 1
    far = cut + _MAX_LENGTH
    end = next((stop for stop in range(cut, min(far, len(text))) if text[stop].isspace()), far)
    word = text[max(start, cut - _MAX_LENGTH) : end]
    return len(word) >= _RANDOM_LENGTH and mask(word) != word


def _is_random(value: bytes) -> bool:
    kinds = [_kind(byte) for byte in value if chr(byte).isalnum()]
    changes = sum(before != after for before, after in pairwise(kinds))
    enough = len(kinds) >= _RANDOM_LENGTH and kinds.count(0) >= 2
    return enough and changes >= _RANDOM_CHANGES * len(kinds)


def _kind(byte: int) -> int:
    """0 for digits, 1 for capitals, 2 for small letters."""
    return 0 if byte <= 57 else 1 if byte <= 90 else 2
