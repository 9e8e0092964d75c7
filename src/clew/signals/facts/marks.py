"""Marks: by which a sentence says of which of several like things it speaks, be it a file, an identifier, a ticket, the
number of a step, a host, a version or a stage. Two sentences with other marks of one class speak of other things.

One pass over the sentence; nothing here backtracks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from clew.signals.facts import lexicon
from clew.text.stems import statement_stem
from clew.text.vocabulary import EXTENSIONS, NOISE, PRODUCTS, WELL_KNOWN, words

Marks = Mapping[str, frozenset[str]]

#: Longer tokens are data.
_MAX_TOKEN = 120
#: Shorter words before a letter are none that it could be one of: "in C".
_MIN_NOUN = 3
_TOKEN = re.compile(r"[^\s\"'`,;()\[\]{}<>|“”‘’]+")
_HOST = re.compile(
    r"(?:\d{1,3}\.){3}\d{1,3}|[\w-]+(?:\.[\w-]+){0,4}\.(?:com|org|net|io|dev|local|internal|lan|cloud)", re.I
)
_TICKET = re.compile(r"[A-Z][A-Z0-9]{1,9}-\d{1,7}|#\d{1,7}")
_STANDARDS = words("UTF SHA ISO RFC GPT HTTP TLS MD AES BASE ES UTC GMT")
_VERSION = re.compile(r"[vV]\d{1,4}(?:\.\d{1,4}){0,3}")
_CODE = re.compile(
    r"_*[A-Za-z][A-Za-z0-9]*_\w+|[a-z][a-z0-9]*[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|\w+\(\)|[A-Za-z]+-(?:[a-zA-Z]|\d{1,4})"
)
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$.:-]*")
_NUMBER = re.compile(r"#?\d{1,7}(?:\.\d{1,4}){0,3}[a-z]?|[A-Z]")
_DIRECTORIES = words(
    "src lib libs packages package apps app tests test docs doc pkg cmd internal services service scripts config"
    " configs components modules module crates bench examples tools server client backend frontend web api infra"
)
#: Written like an identifier, and not one.
_NAMES = NOISE | words(
    "YouTube LinkedIn DevOps OpenAI PayPal OAuth OAuth2 WebSocket WebSockets DevTools IntelliJ PyCharm NodeJS VueJS"
    " NextJS ReactJS FastAPI NumPy PyTorch TensorFlow LaTeX WordPress McDonald JetBrains DigitalOcean CloudFlare"
    " StackOverflow ChatGPT DeepSeek LangChain README.md MacOS"
)
_METHODS = words("GET POST PUT PATCH DELETE HEAD OPTIONS SELECT INSERT UPDATE")
_END = ".,:!?…"


def marks_in(text: str, start: int, end: int) -> dict[str, frozenset[str]]:
    """The marks between two places, by class."""
    found: dict[str, set[str]] = {}
    before = ""
    for match in _TOKEN.finditer(text, start, end):
        token = match[0].rstrip(_END)
        if 0 < len(token) <= _MAX_TOKEN:
            is_code = text[match.start() - 1 : match.start()] == "`" and text[match.end() : match.end() + 1] == "`"
            for kind, mark in _marks(token, before, is_code=is_code):
                found.setdefault(kind, set()).add(mark)
        before = "" if match[0] != token else token
    return {kind: frozenset(marks) for kind, marks in found.items()}


def are_apart(one: Marks, other: Marks, *, without: str = "") -> bool:
    """Both say of which they speak, by marks of one class, and none of these is the same."""
    return any(_differ(kind, one[kind], other[kind]) for kind in one.keys() & other.keys() if kind != without)


def _marks(token: str, before: str, *, is_code: bool) -> Iterator[tuple[str, str]]:
    if before and _NUMBER.fullmatch(token) and _is_numbered(before, token):
        yield f"number of {statement_stem(before)}", token.lstrip("#")
        return
    if kind := _kind(token, is_code=is_code):
        yield kind, token.lower().removesuffix("()")
        return
    if token in _METHODS:
        yield "method", token
    root = statement_stem(token)
    if name := lexicon.SCOPES.get(root):
        yield f"scope {name}", root


def _is_numbered(noun: str, token: str) -> bool:
    """Step 3 and customer B are names, port 80 is none."""
    is_letter = token.isalpha() and token != "I"
    return statement_stem(noun) in lexicon.NUMBERED or (is_letter and len(noun) > _MIN_NOUN and noun.islower())


def _kind(token: str, *, is_code: bool) -> str:
    if _is_path(token):
        return "path"
    if "://" in token or _HOST.fullmatch(token):
        return "host"
    if _TICKET.fullmatch(token):
        return "" if token.partition("-")[0] in _STANDARDS else "ticket"
    if _VERSION.fullmatch(token):
        return "version"
    is_named = is_code and _IDENTIFIER.fullmatch(token)
    if not (is_named or _CODE.fullmatch(token)) or token in _NAMES or statement_stem(token) in lexicon.VALUES:
        return ""
    return "code"


def _is_path(token: str) -> bool:
    first, *rest = token.split("/")
    if "://" in token or token.lower() in PRODUCTS:
        return False
    if not rest:
        name, _, ending = token.rpartition(".")
        return token in WELL_KNOWN or (ending.lower() in EXTENSIONS and bool(name) and not name[0].isdigit())
    if not any(part.strip(".~") for part in (first, *rest)) or first.isdigit():
        return False
    is_rooted = first in {"", ".", "..", "~"} or rest[-1] == ""
    return is_rooted or len(rest) > 1 or first in _DIRECTORIES or rest[-1].rpartition(".")[2].lower() in EXTENSIONS


def _differ(kind: str, one: frozenset[str], other: frozenset[str]) -> bool:
    if kind != "path":
        return one.isdisjoint(other)
    return not any(_is_within(ours, theirs) or _is_within(theirs, ours) for ours in one for theirs in other)


def _is_within(path: str, place: str) -> bool:
    """The same file, with more or less of its folders, or a file in the folder."""
    path, place = path.strip("./"), place.strip("./")
    return path == place or path.endswith(f"/{place}") or path.startswith(f"{place}/")
