"""Purposes of commands: which ones matter to a reader, and when a success resolves an earlier failure."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

import re2

from clew.domain import CommandRun
from clew.text.memo import remember
from clew.text.tools.shell import split_pieces, without_written_texts
from clew.text.vocabulary import words

#: Longer commands are scripts; what they are for stands at their beginning.
_MAX_CHARS = 2_000
#: Commands of which rank and purpose are remembered: a session runs the same few over and over.
_MAX_REMEMBERED = 256

_TESTS = re2.compile(
    r"\b(?:pytest|tox|nox|unittest|doctest|jest|vitest|mocha|ava|playwright|cypress|rspec|minitest|phpunit|pest|ctest"
    r"|karma|go test|cargo (?:test|nextest)|dotnet test|mvn test|gradlew? test|swift test|mix test|deno test|bun test"
    r"|(?:npm|pnpm|yarn|make|mise|just|rake|bundle exec|composer|task)(?: run)? [\w:-]*test[\w:-]*)\b"
)
_BUILDS = re2.compile(
    r"\b(?:go (?:build|vet|run|install|generate)|golangci-lint|gofmt|cargo \w+|tsc|eslint|prettier|biome|ruff|flake8"
    r"|black|mypy|pyright|pylint|rubocop|make|cmake|ninja|gradlew?|mvn|dotnet|javac|gcc|g\+\+|clang|rustc|swiftc?|xcodebuild"
    r"|webpack|vite|next build|docker (?:build|compose)|terraform|npx|npm (?:ci|install|run [\w:-]+)|pnpm [\w:-]+"
    r"|yarn [\w:-]+|pip install|uv (?:sync|run|pip)|mise run [\w:-]+|just [\w:-]+|python3? -m \w+)\b"
)
_PROGRAMS = re2.compile(r"\b(?:python3?|node|ruby|php|bash|sh)\b")
_KEEPS = re2.compile(
    r"\bgit (?:-C \S+ )?(?:commit|push|pull|merge|rebase|revert|tag|cherry-pick|reset)\b"
    r"|\bgh (?:pr|issue|release) (?:create|merge|edit|comment|close|review)\b"
)
_GIT_FOLDER = re.compile(r" -C \S+")
#: What stops at a conflict, and ends with a commit.
_CONCLUDED_BY_COMMIT = frozenset(f"git {verb}" for verb in ("merge", "rebase", "cherry-pick", "revert"))
#: Programs that show or prepare, whatever words stand after them.
_SHOWS = words(
    "cd echo printf cat head tail grep egrep rg ls find wc sort uniq cut tr sed awk jq tee xargs export sleep true exit"
    " set source test [ diff read"
)
#: Programs whose quoted words are texts for somebody to read, not commands.
_WRITES_TEXT = re.compile(r"(?:git|gh|glab|curl|echo|printf)\b")
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*(?:\"|\Z)|'[^']*(?:'|\Z)", re.DOTALL)
_LEADING = re.compile(
    r"\s*(?:(?:cd|export) [^&;|\n]{1,400}(?:&&|;|\n)|set -[a-z]{1,6}(?: pipefail)?[ ]*(?:&&|;|\n)"
    r"|#[^\n]{0,400}\n|[A-Z_][A-Z0-9_]{0,60}=\S{0,200}(?=\s))\s*"
)
_TARGET = re.compile(r"[\w@][\w@./:\[\]-]*[./:][\w./:\[\]-]*")
#: What stands before the next command or redirection, quotes and all.
_SAME_COMMAND = re.compile(r"""(?:'[^']*'|"[^"]*"|[^|;&<>])*""")
_EVERYTHING = frozenset({".", "...", ""})
#: Options that narrow a test run to names.
_FILTER = re.compile(r"(?:^|\s)(?:-run|-k|-t|--filter|--grep|-g|--test-name-pattern)[ =]('[^']*'|\"[^\"]*\"|\S+)")


#: Programs that print nothing when all is well.
_SILENT = re2.compile(
    r"\b(?:go (?:build|vet)|go test(?: \S+)* -c|tsc|gofmt -l"
    r"|cargo check|gcc|g\+\+|clang|javac|ruff check|eslint|py_compile)\b"
)


_ASKS_HELP = re.compile(r" (?:--help|--version|-h)\b")
_FORMATS = re.compile(
    r"\b(?:gofmt|prettier|black|rustfmt|go fmt|cargo fmt|ruff format)\b|\b(?:run|make|just) (?:fmt|format)\b"
)


class CommandPurpose(NamedTuple):
    """Purpose of a command, the files or packages it was given, and the names that filter its tests; none means all."""

    name: str
    targets: frozenset[str]
    filters: frozenset[str] = frozenset()


def bare_command(command: str) -> str:
    """Returns the first line of a command without the change of folder, the settings and the texts written to files
    before it."""
    text = without_written_texts(command)[:_MAX_CHARS]
    for _ in range(6):
        lead = _LEADING.match(text)
        if not lead:
            break
        text = text[lead.end() :]
    return text.strip().split("\n", 1)[0].strip()


def command_rank(command: str) -> int:
    """Ranks a command by what it is for: 0 tests, 1 commits and the like, 2 builds and programs, 3 looking around."""
    return _rank(bare_command(command))


@remember(_MAX_REMEMBERED)
def _rank(text: str) -> int:
    if _WRITES_TEXT.match(text):
        text = _QUOTED.sub("", text)
    if _TESTS.search(text):
        return 0
    if _KEEPS.search(text):
        return 1
    return 2 if _BUILDS.search(text) or _PROGRAMS.search(text) else 3


def is_check(command: str) -> bool:
    """Returns True for tests, builds and programs, whose output says whether they failed even if a pipe hid their exit
    code.
    """
    return command_rank(command) in {0, 2}


def only_formats(command: str) -> bool:
    """Returns True for a command that does nothing but format files, which says nothing of them."""
    return all(_FORMATS.search(piece) for piece in check_pieces(command))


def is_program(command: str) -> bool:
    """Returns True for a program that was run, or asked for help: that it ended well proves nothing else."""
    text = bare_command(command)
    return not (_TESTS.search(text) or _BUILDS.search(text)) or _ASKS_HELP.search(text) is not None


def is_silent(command: str) -> bool:
    """Returns True for checks that print nothing when all is well."""
    return _SILENT.search(bare_command(command)) is not None


def cap_runs(runs: list[CommandRun], limit: int) -> list[CommandRun]:
    """Drops one run where there are more than the limit: the oldest of the least important rank, never the newest."""
    if len(runs) <= limit:
        return runs
    worst = max(range(len(runs) - 1), key=lambda at: (command_rank(runs[at].text), -at))
    return runs[:worst] + runs[worst + 1 :]


def purpose_of(command: str) -> CommandPurpose:
    """Finds what a command is for by the program it starts, and what it was narrowed to by its words."""
    return _purpose(bare_command(command))


@remember(_MAX_REMEMBERED)
def _purpose(text: str) -> CommandPurpose:
    known = _TESTS.search(text) or _KEEPS.search(text) or _BUILDS.search(text) or _PROGRAMS.search(text)
    said = text.split()
    name = _GIT_FOLDER.sub("", known[0]) if known else " ".join(said[:2])
    rest = text[known.end() :] if known else " ".join(said[2:])
    same = _SAME_COMMAND.match(rest)
    rest = same[0] if same else ""
    plain = [word.removeprefix("./") for word in rest.split()]
    targets = {word for word in plain if _TARGET.fullmatch(word) and word not in _EVERYTHING}
    return CommandPurpose(name, frozenset(targets), frozenset(value.strip("'\"") for value in _FILTER.findall(rest)))


def check_pieces(command: str) -> list[str]:
    """Returns the parts of a command line that check or keep something; the whole line where there is none."""
    pieces = split_pieces(without_written_texts(command)[:_MAX_CHARS])
    found = [piece for piece in pieces if piece.split()[0] not in _SHOWS]
    return [piece for piece in found if command_rank(piece) < 3] or [bare_command(command)]


def proves_fixed(later: str, earlier: str, failing: Collection[str] = ()) -> bool:
    """Returns True when the success of the later command shows that the failure of the earlier one is fixed.

    It is the same command, or its parts cover all that the earlier one checked.
    """
    return later == earlier or not pieces_left(later, check_pieces(earlier), failing)


def pieces_left(later: str, pieces: Collection[str], failing: Collection[str] = ()) -> list[str]:
    """Returns the parts of a failed command that the success of a later one says nothing of."""
    passed = check_pieces(later)
    pieces = [piece for piece in pieces if not _FORMATS.search(piece)] or pieces
    return [piece for piece in pieces if not any(_covers(one, piece, failing) for one in passed)]


def _covers(later: str, earlier: str, failing: Collection[str]) -> bool:
    """A part covers one for the same purpose if it checks all that the earlier one was narrowed to, or all that it
    named as ``failing``. A run of all tests covers every test, by whatever runner."""
    one, other = purpose_of(later), purpose_of(earlier)
    ranks = command_rank(later), command_rank(earlier)
    if ranks == (1, 1):
        return one.name == other.name or (one.name == "git commit" and other.name in _CONCLUDED_BY_COMMIT)
    if ranks == (0, 0) and one.filters and one.filters != other.filters:
        names = [name for value in one.filters for name in value.split("|")]
        return bool(failing) and all(any(_selects(name, test) for name in names) for test in failing)
    if one.name != other.name and not (ranks == (0, 0) and not one.targets):
        return False
    return not one.targets or (bool(other.targets) and all(_is_within(name, one.targets) for name in other.targets))


def _selects(pattern: str, test: str) -> bool:
    """Returns True when a filter runs a test: it is a pattern that finds its name, or a part of it."""
    pattern = pattern.strip("^$()'\"")
    try:
        return pattern in test or bool(re2.search(pattern, test))
    except re2.error:
        return False


def _is_within(target: str, wider: Collection[str]) -> bool:
    target = target.removesuffix("/...").rstrip("/")
    folders = [one.removesuffix("/...").rstrip("/") for one in wider]
    return any(target == one or target.startswith((f"{one}/", f"{one}::")) for one in folders)
