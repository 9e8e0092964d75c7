"""Shell commands, looked into a little: which files they read, search, change or delete.

This is no shell. It knows quotes, pipes, lists, redirections and here-documents well enough to tell the common
commands of agents apart; what it does not know is simply run. It never raises.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from clew.text.deeds import Action, Change, Deed
from clew.text.patches import is_patch, patch_actions

#: Commands are read this far; longer ones are scripts, and are run.
MAX_CHARS = 40_000
_MAX_HEREDOCS = 16

_HEREDOC = re.compile(r"<<-?[ ]?(['\"]?)([A-Za-z_]\w*)\1")
_LEX = re.compile(
    r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|&&|\|\||\|&|\d?>>|\d?>\||[12]?>&\d?|&>>?|\d?>|<<?<?|[;|&\n()]|[^\s'\"\\;|&<>()]+|[ \t]+|.",
    re.DOTALL,
)
_BREAKS = frozenset({"&&", "||", "|", "|&", ";", "&", "\n", "(", ")"})
_REDIRECT = re.compile(r"\d?>>|\d?>\||&>>?|\d?>|<")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_SED_RANGE = re.compile(r"(\d{1,7})(?:,(\d{1,7}|\$))?p")
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "fish", "pwsh", "powershell", "cmd", "cmd.exe"})
#: Run what follows them.
_PREFIXES = frozenset(
    {"sudo", "time", "nohup", "command", "env", "exec", "nice", "stdbuf", "xargs", "then", "do", "else", "!"}
)
#: Say or prepare something, and tell nothing of the work.
_NEUTRAL = frozenset(
    "cd echo printf true false : pwd set export source . sleep wait wc sort uniq cut tr column awk jq tac rev fold"
    " pushd popd unset alias local read test [ [[ fi done esac if for while then do date whoami basename dirname"
    " mkdir which type clear seq yes return exit shopt umask ulimit trap less more".split()
)
_READERS = frozenset({"cat", "bat", "batcat", "nl", "head", "tail", "less", "more", "type", "Get-Content", "gc"})
_SEARCHERS = frozenset({"rg", "grep", "egrep", "fgrep", "ag", "ack", "ugrep", "Select-String"})
_LISTERS = frozenset({"ls", "find", "tree", "fd", "fdfind", "dir", "eza", "exa", "Get-ChildItem"})
#: Options of search programs whose value is the next word.
_VALUED = frozenset(
    "-A -B -C -m -g -t -T -f -d --glob --type --max-count --context --include --exclude -e --regexp -j -r".split()
)


class _Heredoc(NamedTuple):
    body: str


@dataclass(slots=True)
class _Simple:
    """One simple command: words, files it writes to, and the text fed to it."""

    words: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    appended: list[str] = field(default_factory=list)
    fed: str | None = None


def command_text(value: object) -> str:
    """A command as it would be typed: a string, or an argument vector without the shell around it."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list | tuple):
        return ""
    words = [str(word) for word in value]
    if len(words) >= 3 and words[0].rsplit("/", 1)[-1] in _SHELLS and words[1].startswith(("-", "/")):
        return words[-1]
    return " ".join(_quoted(word) for word in words)


def _quoted(word: str) -> str:
    is_plain = word and not any(char in " \t\n'\"$&|;<>()\\*" for char in word)
    return word if is_plain else "'" + word.replace("'", "'\\''") + "'"


def command_actions(command: str) -> list[Action]:
    """What a command does. Where anything in it is more than reading, the first action is to run it all."""
    if is_patch(command) and "apply_patch" in command[:2000]:
        return patch_actions(command)
    if len(command) > MAX_CHARS:
        return [Action(deed=Deed.RUN, command=command)]
    found: list[Action] = []
    runs = False
    for simple in _parsed(command):
        made = _meant(simple, command)
        runs = runs or made is None
        found += made or []
    is_looking = bool(found) and not runs and not any(action.deed.changes_files for action in found)
    only_writes = bool(found) and not runs and all(action.deed.changes_files for action in found)
    if is_looking or only_writes:
        return found
    return [Action(deed=Deed.RUN, command=command), *found]


# ── parsing ──────────────────────────────────────────────────────────────────────────────────────────


def _parsed(command: str) -> list[_Simple]:
    text, fed = _without_heredocs(command)
    simples, now, word, target = [], _Simple(), "", ""
    started = False
    for match in _LEX.finditer(text + "\n"):
        piece = match[0]
        is_gap = piece.isspace() and piece != "\n"
        if is_gap or piece in _BREAKS or _REDIRECT.fullmatch(piece) or piece.startswith("<"):
            if started:
                _place(now, word, target)
                word, started, target = "", False, ""
            if piece in _BREAKS:
                simples, now, target = [*simples, now], _Simple(), ""
            elif not is_gap:
                target = piece
        elif ">&" not in piece:
            word, started = word + _unquoted(piece), True
    for simple in simples:
        if any(word.startswith("\0") for word in simple.words):
            simple.fed = next(fed[int(word[1:])] for word in simple.words if word.startswith("\0"))
            simple.words = [word for word in simple.words if not word.startswith("\0")]
    return [simple for simple in simples if simple.words or simple.written]


def _without_heredocs(text: str) -> tuple[str, list[str]]:
    """The text with a mark in place of each here-document, and their bodies."""
    kept, bodies, at = [], list[str](), 0
    while len(bodies) < _MAX_HEREDOCS and (match := _HEREDOC.search(text, at)):
        line_end = text.find("\n", match.end())
        end = _end_of(text, match[2], line_end)
        if text[match.start() - 1 : match.start()] == "<" or line_end < 0 or end < 0:
            kept.append(text[at : match.end()])
            at = match.end()
            bodies.append("")
            continue
        kept.append(text[at : match.start()] + f" \0{len(bodies)} " + text[match.end() : line_end + 1])
        bodies.append(text[line_end + 1 : end])
        at = text.find("\n", end + 1) if text.find("\n", end + 1) >= 0 else len(text)
    return "".join(kept) + text[at:], bodies


def _end_of(text: str, tag: str, start: int) -> int:
    """Where the line that closes a here-document begins, or -1."""
    match = re.compile(rf"^\t*{tag}[ \t]*\)?\"?[ \t]*$", re.MULTILINE).search(text, start + 1)
    return match.start() if match and start >= 0 else -1


def _place(now: _Simple, word: str, target: str) -> None:
    if not target:
        now.words.append(word)
    elif target == "<" or target.startswith("<"):
        return
    elif word not in {"/dev/null", "/dev/stderr", "/dev/stdout"} and not target.startswith("2"):
        (now.appended if ">>" in target else now.written).append(word)


def _unquoted(piece: str) -> str:
    if piece[0] == "'":
        return piece[1:-1] if len(piece) > 1 else ""
    if piece[0] == '"':
        return re.sub(r"\\(.)", r"\1", piece[1:-1], flags=re.DOTALL) if len(piece) > 1 else ""
    return piece[1:] if piece[0] == "\\" else piece


# ── meaning ──────────────────────────────────────────────────────────────────────────────────────────


def _meant(simple: _Simple, command: str) -> list[Action] | None:
    """The actions of one simple command; None where it must be run to know."""
    words = _without_prefixes(simple.words)
    name = words[0].rsplit("/", 1)[-1] if words else ""
    files = _writes(simple, name, words)
    if files:
        return files if name in _NEUTRAL | {"cat", "tee"} or not name else None
    if name == "sed":
        return _sed(words, command)
    if name in _READERS:
        return _reads(name, words, command)
    if name in _SEARCHERS:
        return _searches(words[1:], command)
    if name in _LISTERS:
        return [Action(deed=Deed.LIST, path=_first_plain(words[1:]), command=command)]
    if name == "git":
        return _git(words, command)
    if name in _FILE_COMMANDS:
        return _FILE_COMMANDS[name]([word for word in words[1:] if not word.startswith("-")])
    return [] if name in _NEUTRAL or not name else None


def _without_prefixes(words: list[str]) -> list[str]:
    at = 0
    while at < len(words):
        word = words[at]
        if word == "timeout":
            at += 2
        elif (
            word in _PREFIXES or _ASSIGNMENT.match(word) or (at and word.startswith("-") and words[at - 1] in _PREFIXES)
        ):
            at += 1
        else:
            break
    return words[at:]


def _writes(simple: _Simple, name: str, words: list[str]) -> list[Action]:
    """Files that a command fills by redirection; the text is known when it is a here-document or an echo."""
    text = simple.fed if name in {"cat", "tee"} else None
    if name == "echo" and simple.written + simple.appended:
        text = " ".join(word for word in words[1:] if word not in {"-e", "-n"})
    files = list(simple.written)
    if name == "tee":
        (simple.appended if "-a" in words else files).extend(word for word in words[1:] if not word.startswith("-"))
    added = (Change("", text),) if text is not None else ()
    return [Action(deed=Deed.WRITE, path=path, content=text) for path in files] + [
        Action(deed=Deed.EDIT, path=path, changes=added) for path in simple.appended
    ]


def _sed(words: list[str], command: str) -> list[Action]:
    plain = [word for word in words[1:] if not word.startswith("-")]
    if any(word.startswith(("-i", "--in-place")) for word in words[1:]):
        return [Action(deed=Deed.EDIT, path=path, command=command) for path in plain[1:]]
    match = _SED_RANGE.search(plain[0]) if plain else None
    last = match[2] or match[1] if match else ""
    lines = (int(match[1]), int(last)) if match and last.isdigit() else None
    return [Action(deed=Deed.READ, path=path, lines=lines, command=command) for path in plain[1:]]


def _reads(name: str, words: list[str], command: str) -> list[Action]:
    count, files = 0, []
    for before, word in zip(words, words[1:], strict=False):
        if word.startswith("-"):
            digits = word.lstrip("-nc").removeprefix("lines=")
            count = int(digits[:7]) if digits.isascii() and digits.isdigit() else count
        elif before in {"-n", "-c", "--lines"}:
            count = int(word[:7]) if word.isascii() and word.isdigit() else count
        else:
            files.append(word)
    lines = (1, count) if name == "head" and count else None
    return [Action(deed=Deed.READ, path=path, lines=lines, command=command) for path in files]


def _searches(words: list[str], command: str) -> list[Action]:
    if "--files" in words:
        return [Action(deed=Deed.LIST, path=_first_plain(words), command=command)]
    plain, pattern = [], ""
    for before, word in zip(["", *words], words, strict=False):
        if before in {"-e", "--regexp"}:
            pattern = pattern or word
        elif not word.startswith("-") and before not in _VALUED:
            plain.append(word)
    if not pattern:
        pattern, plain = (plain[0], plain[1:]) if plain else ("", [])
    return [Action(deed=Deed.SEARCH, path=plain[0] if len(plain) == 1 else "", pattern=pattern, command=command)]


def _git(words: list[str], command: str) -> list[Action] | None:
    at = 1
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in {"-C", "-c"} else 1
    verb, rest = (words[at], words[at + 1 :]) if at < len(words) else ("", [])
    files = rest[rest.index("--") + 1 :] if "--" in rest else []
    plain = [word for word in rest if not word.startswith("-")]
    if verb == "grep":
        return _searches(rest, command)
    if verb == "ls-files":
        return [Action(deed=Deed.LIST, command=command)]
    if verb == "show" and plain and ":" in plain[0] and not plain[0].endswith(":"):
        return [Action(deed=Deed.READ, path=plain[0].split(":", 1)[1], command=command)]
    if verb in {"checkout", "restore"} and (files or verb == "restore"):
        return [Action(deed=Deed.EDIT, path=path, command=command) for path in files or plain]
    if verb == "rm":
        return _removed(plain)
    return _moved(plain) if verb == "mv" else None


def _first_plain(words: list[str]) -> str:
    return next((word for word in words if not word.startswith("-")), "")


def _removed(files: list[str]) -> list[Action]:
    return [Action(deed=Deed.DELETE, path=path) for path in files]


def _moved(files: list[str]) -> list[Action]:
    return [*_removed(files[:-1]), *_copied(files)]


def _copied(files: list[str]) -> list[Action]:
    """A single file gets a new name; several go to a folder, under their own."""
    if len(files) < 2 or len(files) > 2 or files[-1].endswith("/"):
        return []
    return [Action(deed=Deed.WRITE, path=files[-1])]


def _touched(files: list[str]) -> list[Action]:
    return [Action(deed=Deed.WRITE, path=path) for path in files]


_FILE_COMMANDS: dict[str, Callable[[list[str]], list[Action]]] = {
    "rm": _removed,
    "unlink": _removed,
    "rmdir": lambda _files: [],
    "mv": _moved,
    "cp": _copied,
    "touch": _touched,
    "tee": lambda _files: [],
}
