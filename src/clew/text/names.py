"""Names and paths in text of any kind: prose, code, shell output, tracebacks.

A path is what names a file. A name is an identifier that a reader may look for again: a symbol, a flag, a hash, an
id, an address, a measure. Both come in order of first occurrence. All patterns run in linear time, and both size of
text and number of results are capped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from clew.text.memo import remember
from clew.text.vocabulary import EXTENSIONS, NOISE, PRODUCTS, WELL_KNOWN

#: Longer texts are read this far: the rest of a text that long adds next to no new names.
MAX_CHARS = 400_000
#: More names than this from one text are a listing, not something to remember.
MAX_NAMES = 2_000
#: No file name or identifier that people type is longer; what is, is data (base64, minified code).
_MAX_TOKEN = 200

_OWNERS = ("self.", "this.", "cls.", "console.", "math.", "logger.", "super.")
_SITES = re.compile(r"(?:www\.|[\w-]+\.(?:com|org|net|io|dev|ai|app|co|land|sh)(?:$|/))", re.IGNORECASE)

_URL = r"[a-z][a-z0-9+]{1,9}://[^\s\"'<>`|\\]+"
#: A file name as frameworks write it: app/[id]/page.tsx, routes/(shop)/index.tsx.
_BRACKETED = r"(?<=/)[\[(][\w.-]{1,40}[\])](?=[/.])"
_PATH = re.compile(rf"{_URL}|(?:[A-Za-z]:|\.{{1,2}})\\[\w.@~+$\\-]+|(?:[A-Za-z]:)?(?:[\w.@~+$%/-]|{_BRACKETED})+")
_FILE = re.compile(r"[\w.@~+$%\[\]()-]*\w\]?\.([A-Za-z][A-Za-z0-9]{0,9})")
_SLASHED_EXTENSION = re.compile(r"[a-z][a-z0-9]{1,6}|[A-Z]{1,4}")

_UNITS = (
    r"(?:ms|µs|us|ns|s|sec|secs|seconds?|min|mins|minutes?|h|hours?|days?|weeks?|[kKMGT]i?B|bytes?|px|rem|em|%|tokens?"
    r"|lines?|[kM]|x|rpm|rps|qps|fps|Hz|[kMG]Hz|USD|EUR|°C)"
)
_TOKEN = re.compile(
    rf"{_URL}|\d[\d.,]{{0,20}}[ ]?{_UNITS}(?![\w/])|--[a-zA-Z][\w-]*|\#\d{{1,7}}\b"
    r"|[A-Za-z_$][\w$]*(?:[.-][A-Za-z0-9_$]+)*|\d[\w-]*"
)
_CAMEL = re.compile(r"_*[a-z][a-z0-9]*[A-Z]\w*")
_PASCAL = re.compile(r"_*[A-Z]+[a-z0-9]+\w*[A-Z]\w*|_*[A-Z]{2,}[a-z]{2,}\w*")
_SNAKE = re.compile(r"_*[A-Za-z][A-Za-z0-9]*_\w+|__?[a-z]\w{2,}")
_TICKET = re.compile(r"[A-Z][A-Z0-9]{1,9}-\d{1,6}")
_HEX = re.compile(r"[0-9a-f]{7,40}")
_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_VERSION = re.compile(r"v\d+(?:\.\d+)+")
_JOINTS = re.compile(r"[.-]")
_PLAIN = re.compile(r"[A-Za-z_$][\w$]+")


def paths_in(text: str, *, limit: int = MAX_NAMES) -> list[str]:
    """Files that the text names, each once, with the directory where it is given; addresses are none."""
    paths: dict[str, None] = {}
    for _, path in path_mentions(text):
        paths[path] = None
        if len(paths) >= limit:
            break
    return list(paths)


def path_mentions(text: str) -> Iterator[tuple[int, str]]:
    """Every mention of a file with the offset at which it ends, in order."""
    text = text[:MAX_CHARS]
    for match in _PATH.finditer(text):
        token = match[0]
        if "." in token or "file" in token or token in WELL_KNOWN or "/" in token:
            path = _path_of(token)
            if path and not _is_called(path, text, match.end()):
                yield match.start() + token.index(path) + len(path), _without_side(path, text, match.start())


def is_path(text: str) -> bool:
    """True when the whole text is the way to a file."""
    return bool(text) and _path_of(text).lstrip("/") == text.lstrip("/")


def names_in(text: str, *, limit: int = MAX_NAMES) -> list[str]:
    """Identifiers worth remembering, each once; file names are left to ``paths_in``."""
    return _first_names(text, limit, _names_of)


def names_and_files_in(text: str, *, limit: int = MAX_NAMES) -> list[str]:
    """Identifiers, and files by their name alone, each once: a reader of a gap wants to know of both."""
    return _first_names(text, limit, lambda token: _names_of(token) or ((token,) if _path_of(token) else ()))


def _first_names(text: str, limit: int, names_of: Callable[[str], Iterable[str]]) -> list[str]:
    names: dict[str, None] = {}
    for token in dict.fromkeys(_TOKEN.findall(text[:MAX_CHARS])):
        names.update(dict.fromkeys(names_of(token)))
        if len(names) >= limit:
            break
    return list(names)[:limit]


def name_counts(text: str) -> dict[str, int]:
    """The names of a text and how often each occurs, in order of first occurrence."""
    counts: dict[str, int] = {}
    for token, count in Counter(_TOKEN.findall(text[:MAX_CHARS])).items():
        for name in _names_of(token):
            counts[name] = counts.get(name, 0) + count
    return counts


def is_measure(name: str) -> bool:
    """True for a number and its unit, such as 3 days."""
    return re.fullmatch(rf"\d[\d.,]*[ ]?{_UNITS}", name) is not None


def is_noise(name: str) -> bool:
    """True for words of tool schemas and names that stand everywhere."""
    return name in NOISE or len(name) < 3


# ── paths ────────────────────────────────────────────────────────────────────────────────────────────


def file_name(path: str) -> str:
    """The last name of a path, whichever slashes it has."""
    return path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]


@remember(1 << 15)
def relative_path(path: str, root: str) -> str:
    """Returns a path as seen from a folder, where it is inside."""
    return path[len(root) + 1 :] if root and path.startswith(f"{root}/") else path


def _path_of(token: str) -> str:
    """The file that a run of path characters names, or nothing."""
    if "://" in token:
        return ""
    token = token.rstrip(".-/%$@~+\\")
    if not 2 < len(token) <= _MAX_TOKEN or token.startswith(("//", "-", "+", "%", "=")):
        token = token.lstrip("-+%=") if not token.startswith("//") else ""
    if token.count("/") == 1:  # what stands before it was no path: <id>/a.json, {dir}/a.json
        token = token.lstrip("/")
    name = token.replace("\\", "/").rsplit("/", 1)[-1]
    has_folder = len(name) < len(token)
    if not 2 < len(token) <= _MAX_TOKEN or (has_folder and _SITES.match(token)):
        return ""
    if name in WELL_KNOWN or name.startswith((".env.", "Dockerfile.")):
        return token
    match = _FILE.fullmatch(name)
    if match is None or ".." in name:
        return ""
    return token if _is_extension(match[1], name, has_folder=has_folder) else ""


def _is_extension(extension: str, name: str, *, has_folder: bool) -> bool:
    lower, stem = extension.lower(), name[: -len(extension) - 1]
    if has_folder:
        return lower in EXTENSIONS or bool(_SLASHED_EXTENSION.fullmatch(extension))
    if name.lower() in PRODUCTS or name.lower().startswith(_OWNERS):
        return False
    return lower in EXTENSIONS and (len(extension) > 1 or len(stem) > 2) and not stem[-1:].isspace()


def _is_called(path: str, text: str, end: int) -> bool:
    """``response.json()`` and ``arr.map(`` are calls, not files."""
    return "/" not in path and text[end : end + 1] == "("


def _without_side(path: str, text: str, start: int) -> str:
    """A diff puts a/ and b/ before its paths."""
    if path.startswith(("a/", "b/")):
        line = text[max(0, text.rfind("\n", max(0, start - _MAX_TOKEN), start) + 1) : start]
        if line.startswith(("--- ", "+++ ", "diff --git ")):
            return path[2:]
    return path


# ── names ────────────────────────────────────────────────────────────────────────────────────────────


@remember(1 << 15)
def _names_of(token: str) -> tuple[str, ...]:
    if "://" in token:
        return (token.rstrip(".,;:!?)]}*"),)
    if len(token) > _MAX_TOKEN:
        return ()
    if token.startswith("--"):
        return (token.rstrip("-"),) if len(token) > 3 else ()
    if token[0] in "#0123456789":
        return _measure_or_id(token)
    if _TICKET.fullmatch(token) or _VERSION.fullmatch(token) or _UUID.fullmatch(token):
        return (token,)
    return tuple(_symbols(token))


def _measure_or_id(token: str) -> tuple[str, ...]:
    """A measure, an id or a hash; a bare number is none of them."""
    if token.startswith("#") or _UUID.fullmatch(token) or (_HEX.fullmatch(token) and not token.isdigit()):
        return (token,)
    return (token,) if is_measure(token) else ()


def _symbols(token: str) -> Iterator[str]:
    if _path_of(token):
        return
    telling = [part for part in _JOINTS.split(token) if _is_symbol(part)]
    yield from (part for part in telling if part not in NOISE)
    dotted = token.removeprefix("self.").removeprefix("this.")
    if not telling and "." in dotted and dotted not in NOISE and _is_dotted(dotted):
        yield dotted


def _is_symbol(part: str) -> bool:
    """Distinct by its very form."""
    if len(part) < 4:
        return False
    if _HEX.fullmatch(part):
        return any(char.isdigit() for char in part)
    return bool(_CAMEL.fullmatch(part) or _PASCAL.fullmatch(part) or _SNAKE.fullmatch(part))


def _is_dotted(name: str) -> bool:
    """pkg.member: a sentence that lacks a space after its full stop is not that, nor is a site's address."""
    parts = name.split(".")
    return all(_PLAIN.fullmatch(part) for part in parts) and parts[0][0].islower() and not _SITES.match(name)
