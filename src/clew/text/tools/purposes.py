"""Purposes of commands: which ones matter to a reader, and when a success resolves an earlier failure."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from clew.domain import CommandRun
from clew.text.memo import remember
from clew.text.tools.checks import Check, CheckKind, checks_of, echoed_commands
from clew.text.tools.coverage import covers, shows_passed
from clew.text.tools.shell import SimpleCommand, git_words, parse_command, split_pieces, without_written_texts
from clew.text.vocabulary import words

#: Longer commands are scripts; what they are for stands at their beginning.
_MAX_CHARS = 2_000
#: Commands of which rank and purpose are remembered: a session runs the same few over and over.
_MAX_REMEMBERED = 2_048

#: Verbs that keep work, or show it to others.
_KEEPS = {
    "git": words("commit push pull merge rebase revert tag cherry-pick reset"),
    "gh": words("create merge edit comment close review"),
    "glab": words("create merge edit comment close review"),
}
#: Programs whose end is worth telling, though it proves nothing.
_PROGRAMS = words(
    "python node ruby php bash sh npm pnpm yarn bun npx pip pip3 uv docker docker-compose terraform just mise make go"
    " cargo deno dotnet tsx ts-node java task mvn gradle swift rake composer poetry"
)
#: What stops at a conflict, and ends with a commit.
_CONCLUDED_BY_COMMIT = frozenset(f"git {verb}" for verb in ("merge", "rebase", "cherry-pick", "revert"))
#: How runners of tasks say that one failed.
_TASK_FAILED = re.compile(r"(?m)\bERROR task failed|^make(?:\[\d+\])?: \*\*\* |^npm (?:ERR!|error) |\bELIFECYCLE\b")
#: Where things are put for a trial.
_TRIAL_PLACE = re.compile(r"(?:/private)?/tmp/|(?:/private)?/var/folders/|\$\(mktemp|\$\{?TMP|/(?:private/)?tmp$")
_LEADING = re.compile(
    r"\s*(?:(?:cd|export) [^&;|\n]{1,400}(?:&&|;|\n)|set -[a-z]{1,6}(?: pipefail)?[ ]*(?:&&|;|\n)"
    r"|#[^\n]{0,400}\n|[A-Z_][A-Z0-9_]{0,60}=\S{0,200}(?=\s))\s*"
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


def acts_in(command: str) -> list[str]:
    """Returns what a command line keeps or shows to others: ``git commit``, ``gh pr create``."""
    return list(_acts(without_written_texts(command)[:_MAX_CHARS]))


@remember(_MAX_REMEMBERED)
def _acts(text: str) -> tuple[str, ...]:
    return tuple(act for simple in parse_command(text) if (act := act_of(simple)))


def act_of(simple: SimpleCommand) -> str:
    """Returns what one simple command keeps or shows to others; "" for nothing."""
    name = simple.words[0].rsplit("/", 1)[-1] if simple.words else ""
    plain = git_words(simple.words)
    verb = (plain[1:2] if name in {"gh", "glab"} else plain[:1]) if name in _KEEPS else []
    return " ".join((name, *plain[: 2 if name != "git" else 1])) if verb and verb[0] in _KEEPS[name] else ""


def command_rank(command: str) -> int:
    """Ranks a command by what it is for: 0 tests, 1 commits and the like, 2 builds and programs, 3 looking around."""
    checks = checks_of(command)
    if any(check.kind is CheckKind.TEST for check in checks):
        return 0
    if acts_in(command):
        return 1
    return 2 if any(map(_is_told, checks)) else 3


def _is_told(check: Check) -> bool:
    return check.kind is not CheckKind.PROGRAM or check.tool in _PROGRAMS


def is_check(command: str) -> bool:
    """Returns True for tests, builds and programs, whose output says whether they failed even if a pipe hid their exit
    code.
    """
    return command_rank(command) in {0, 2}


def checks_work(command: str) -> bool:
    """Returns True for a command that runs tests, a build, a linter or a type checker on the work: no other program,
    and nothing that was written for a trial."""
    known = (check for check in checks_of(command) if check.kind is not CheckKind.PROGRAM and not check.is_format)
    return any(not _is_trial(check) for check in known)


def _is_trial(check: Check) -> bool:
    places = check.targets or {check.place}
    return all(_TRIAL_PLACE.match(place) for place in places)


def cap_runs(runs: list[CommandRun], limit: int) -> list[CommandRun]:
    """Drops one run where there are more than the limit: the oldest of the least important rank, never the newest."""
    if len(runs) <= limit:
        return runs
    worst = max(range(len(runs) - 1), key=lambda index: (command_rank(runs[index].text), -index))
    return runs[:worst] + runs[worst + 1 :]


def purpose_of(command: str) -> CommandPurpose:
    """Finds what a command is for by the check it runs, else by what it keeps, else by its first words."""
    shown = sorted(filter(_is_told, checks_of(command)), key=lambda check: check.kind)
    if shown and (shown[0].kind is CheckKind.TEST or not acts_in(command)):
        check = shown[0]
        name = " ".join(filter(None, (check.tool.replace("task", ""), check.task))).strip()
        return CommandPurpose(name, check.targets, check.filters)
    if acts := acts_in(command):
        return CommandPurpose(acts[0], frozenset())
    return CommandPurpose(" ".join(bare_command(command).split()[:2]), frozenset())


def failed_pieces(command: str, printed: str) -> list[str]:
    """Returns the parts of a failed command that must pass: of one task, what it said that it runs. Where a task says
    that it failed, what had to pass before it has passed."""
    pieces, echoed = told_pieces(command), echoed_commands(printed)
    tasks = [piece for piece in pieces if [check.tool for check in checks_of(piece)] == ["task"]]
    if len(tasks) == 1 and pieces[-1] == tasks[0] and "||" not in command and _TASK_FAILED.search(printed):
        pieces = tasks
    return echoed if pieces == tasks and len(pieces) == len(echoed) == 1 else pieces


def told_pieces(command: str) -> list[str]:
    """Returns the parts of a command line that check or keep something; the whole line where there is none.
    Each says in which folder it is run, if the line does."""
    pieces, place = list[str](), ""
    for piece in split_pieces(without_written_texts(command)[:_MAX_CHARS]):
        if piece.startswith(("cd ", "pushd ")):
            place = f"{piece} && "
        elif command_rank(piece) < 3:
            pieces.append(place + piece)
    return pieces or [bare_command(command)]


def proves_fixed(later: str, earlier: str, failing: Collection[str] = ()) -> bool:
    """Returns True when the success of the later command shows that the failure of the earlier one is fixed.

    It is the same command, or its parts cover all that the earlier one checked.
    """
    return later == earlier or not pieces_left(later, told_pieces(earlier), failing)


def unshown_pieces(later: str, pieces: Collection[str], passing: Collection[str]) -> list[str]:
    """Returns the parts of a failed command that a later one does not name as ``passing``, by test, package or file.
    A package passes where no test of it was left out."""
    if any(check.filters or check.narrowed for check in checks_of(later)):
        return list(pieces)
    return [piece for piece in pieces if not all(_is_shown(check, passing) for check in checks_of(piece))]


def _is_shown(check: Check, passing: Collection[str]) -> bool:
    is_narrowed = check.kind is CheckKind.TEST and bool(check.targets)
    return is_narrowed and all(shows_passed(target, passing) for target in check.targets)


def pieces_left(
    later: str, pieces: Collection[str], failing: Collection[str] = (), printed: str = "", *, compiles: bool = False
) -> list[str]:
    """Returns the parts of a failed command that the success of a later one, which ``printed`` a text, says nothing
    of. Of one that could not be compiled, a test shows that it ``compiles``."""
    passed = [check for command in (later, *echoed_commands(printed)) for check in checks_of(command)]
    acts = acts_in(later)
    matter = [piece for piece in pieces if not _only_formats(piece)] or list(pieces)
    return [piece for piece in matter if not _is_covered(piece, passed, acts, failing, compiles=compiles)]


def _only_formats(piece: str) -> bool:
    checks = checks_of(piece)
    return bool(checks) and all(check.is_format for check in checks)


def _is_covered(
    piece: str, passed: Collection[Check], acts: Collection[str], failing: Collection[str], *, compiles: bool
) -> bool:
    if kept := acts_in(piece):
        return all(item in acts or (item in _CONCLUDED_BY_COMMIT and "git commit" in acts) for item in kept)
    checks = checks_of(piece)
    return bool(checks) and all(
        any(covers(item, check, failing, compiles=compiles) for item in passed) for check in checks
    )
