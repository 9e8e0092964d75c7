"""Reading shell commands: quotes, pipes, lists, redirections and here-documents.

Well enough to tell the common commands of agents apart; this is no shell, and it never raises.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from clew.text.memo import remember

#: More here-documents than this are not looked for.
_MAX_HEREDOCS = 16

_HEREDOC = re.compile(r"<<-?[ ]?(['\"]?)([A-Za-z_]\w*)\1")
_LEX = re.compile(
    r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\."
    r"|&&|\|\||\|&|\d?>>|\d?>\||[12]?>&\d?|&>>?|\d?>|<<?<?|[;|&\n()]|[^\s'\"\\;|&<>()]+|[ \t]+|.",
    re.DOTALL,
)
_BREAKS = frozenset({"&&", "||", "|", "|&", ";", "&", "\n", "(", ")"})
_HIDES = frozenset({"|", "|&", "||", ";", "&", "\n"})
_JOINED_STREAMS = re.compile(r"[12]?>&\d?")
_REDIRECT = re.compile(r"\d?>>|\d?>\||&>>?|\d?>|<")
_WRITTEN_TEXT = re.compile(
    r"(?:^|(?<=&&))[ \t]*(?:cat|tee)[ \t](?:[^\n<|;&]*[ \t>])?<<-?[ ]?(['\"]?)([A-Za-z_]\w*)\1[^\n|;&]*\n"
    r"(?:.*\n)*?\t*\2[ \t]*(?:\n|\Z)",
    re.MULTILINE,
)
_ONLY_ENTERS = re.compile(r"\s*(?:cd [^&;|\n]{1,400}(?:&&|;)?\s*)?")
_FORGES, _GIT_VALUES = frozenset({"git", "gh", "glab"}), frozenset({"-C", "-c", "-R", "--repo"})
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "fish", "pwsh", "powershell", "cmd", "cmd.exe"})


@dataclass(slots=True)
class SimpleCommand:
    """One simple command: words, files it writes to, the text fed to it, and what joins it to the next one."""

    words: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    appended: list[str] = field(default_factory=list)
    stdin: str | None = None
    piped: bool = False
    joint: str = ""


def command_text(value: object) -> str:
    """A command as it would be typed: a string, or an argument vector without the shell around it."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list | tuple):
        return ""
    words = [str(word) for word in value]
    if len(words) >= 3 and words[0].rsplit("/", 1)[-1] in _SHELLS and words[1].startswith(("-", "/")):
        return words[-1]
    return " ".join(_quote(word) for word in words)


def _quote(word: str) -> str:
    is_plain = word and not any(char in " \t\n'\"$&|;<>()\\*" for char in word)
    return word if is_plain else "'" + word.replace("'", "'\\''") + "'"


def parse_command(command: str) -> list[SimpleCommand]:
    """The simple commands of a command line in order, those of pipes and lists alike."""
    text, bodies = _without_heredocs(command)
    simples: list[SimpleCommand] = []
    now, word, target, started = SimpleCommand(), "", "", False
    for match in _LEX.finditer(text + "\n"):
        piece = match[0]
        is_gap = piece.isspace() and piece != "\n"
        if is_gap or piece in _BREAKS or _REDIRECT.fullmatch(piece) or piece.startswith("<"):
            if started:
                _place(now, word, target)
                word, started, target = "", False, ""
            if piece in _BREAKS:
                now.joint = piece
                simples.append(now)
                now, target = SimpleCommand(piped=piece in {"|", "|&"}), ""
            elif not is_gap:
                target = piece
        elif not _JOINED_STREAMS.fullmatch(piece):
            word, started = word + _unquote(piece), True
    for simple in simples:
        if any(word.startswith("\0") for word in simple.words):
            simple.stdin = next(bodies[int(word[1:])] for word in simple.words if word.startswith("\0"))
            simple.words = [word for word in simple.words if not word.startswith("\0")]
    return [simple for simple in simples if simple.words or simple.written]


def without_options(words: list[str], valued: Collection[str]) -> list[str]:
    """Words without the options that they begin with, and the values of those that have one."""
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] in valued else words[1:]
    return words


def git_words(words: list[str]) -> list[str]:
    """What git, or the program of a forge, is to do, and the words after that; none for any other program."""
    is_known = bool(words) and words[0].rsplit("/", 1)[-1] in _FORGES
    return without_options(words[1:], _GIT_VALUES) if is_known else []


def hides_exit_code(command: str) -> bool:
    """Returns True when the exit code of a command line may be another's than its first program's: behind a pipe,
    with an alternative, in the background, or with another command after it that runs either way."""
    bare = _without_heredocs(without_written_texts(command).strip())[0].strip()
    pieces = [match[0] for match in _LEX.finditer(bare)]
    return any(piece in _HIDES for piece in pieces)


def split_pieces(command: str) -> list[str]:
    """The simple commands of a command line as they are written, without here-documents."""
    pieces = [""]
    for match in _LEX.finditer(_without_heredocs(command)[0].replace("\\\n", " ")):
        if match[0] in _BREAKS:
            pieces.append("")
        else:
            pieces[-1] += match[0]
    return [piece.strip() for piece in pieces if piece.strip()]


def one_line_command(command: str) -> str:
    """A command line of several lines in one, with ``;`` between commands that stood on lines of their own."""
    bare = re.sub(r"(?m)^[ \t]*#.*\n", "", command).strip()
    text = "".join("; " if match[0] == "\n" else match[0] for match in _LEX.finditer(bare))
    return re.sub(r"(&&|\|\|?|;|\bdo|\bthen|\belse|^)(?: *;)+ ", r"\1 ", " ".join(text.replace("\\\n", " ").split()))


@remember(1 << 11)  # each reader of a command begins here
def without_written_texts(command: str) -> str:
    """A command line without the texts that it writes to files by here-documents, which tell nothing of what it does
    with them. A command that does nothing else stays as it is."""
    kept = _WRITTEN_TEXT.sub("", command)
    return kept if kept.strip() and not _ONLY_ENTERS.fullmatch(kept) else command


def _without_heredocs(text: str) -> tuple[str, list[str]]:
    """The text with a mark in place of each here-document, and their bodies."""
    kept, bodies, start = [], list[str](), 0
    while len(bodies) < _MAX_HEREDOCS and (match := _HEREDOC.search(text, start)):
        line_end = text.find("\n", match.end())
        end = _end_of(text, match[2], line_end)
        if text[match.start() - 1 : match.start()] == "<" or line_end < 0 or end < 0:
            kept.append(text[start : match.end()])
            start = match.end()
            bodies.append("")
            continue
        kept.append(text[start : match.start()] + f" \0{len(bodies)} " + text[match.end() : line_end + 1])
        bodies.append(text[line_end + 1 : end])
        start = text.find("\n", end + 1) if text.find("\n", end + 1) >= 0 else len(text)
    return "".join(kept) + text[start:], bodies


def _end_of(text: str, tag: str, start: int) -> int:
    """Where the line that closes a here-document begins, or -1."""
    match = re.compile(rf"^\t*{tag}[ \t]*\)?\"?[ \t]*$", re.MULTILINE).search(text, start + 1)
    return match.start() if match and start >= 0 else -1


def _place(now: SimpleCommand, word: str, target: str) -> None:
    if not target:
        now.words.append(word)
    elif target == "<" or target.startswith("<"):
        return
    elif word not in {"/dev/null", "/dev/stderr", "/dev/stdout"} and not target.startswith("2"):
        (now.appended if ">>" in target else now.written).append(word)


def _unquote(piece: str) -> str:
    if piece[0] == "'":
        return piece[1:-1] if len(piece) > 1 else ""
    if piece[0] == '"':
        return re.sub(r"\\([\"\\$`\n])", r"\1", piece[1:-1]) if len(piece) > 1 else ""
    return piece[1:] if piece[0] == "\\" else piece
