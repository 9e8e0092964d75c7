"""Shell commands, looked into a little: which files they read, search, change or delete.

What is not known is simply run. Nothing here raises.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
from itertools import pairwise

from clew.text.tools.actions import Action, ActionKind, Restore, TextEdit
from clew.text.tools.check_words import ASSIGNMENT, FEEDS, OPTION_PREFIXES, PREFIXES
from clew.text.tools.file_commands import file_command_actions, git_file_actions, is_powershell, script_edits
from clew.text.tools.patches import is_patch, patch_actions
from clew.text.tools.shell import SimpleCommand, git_words, parse_command
from clew.text.vocabulary import words as words_of

#: Commands are read this far; longer ones are scripts, and are run.
MAX_CHARS = 40_000
_VARIABLE = re.compile(r"[$*?{}`\n]")
_PERL_IN_PLACE = re.compile(r"-[a-z0-9]*i\S*")
_SED_RANGE = re.compile(r"(\d{1,7})(?:,(\d{1,7}|\$))?p")
#: Run what follows them.
_PREFIXES = PREFIXES | OPTION_PREFIXES | {FEEDS}
#: Say or prepare something, and tell nothing of the work.
_NEUTRAL = words_of(
    "cd echo printf true false : pwd set export source . sleep wait wc sort uniq cut tr column awk jq tac rev fold"
    " pushd popd unset alias local read test [ [[ fi done esac if for while then do date whoami basename dirname"
    " mkdir which type clear seq yes return exit shopt umask ulimit trap less more"
)
#: Commands after which the next one is run, unless they complain.
_GOES_ON = tuple([word] for word in ("cd", "mkdir", "set", "export", "echo", "printf", "pwd", "pushd", "popd"))
_READERS = frozenset({"cat", "bat", "batcat", "nl", "head", "tail", "less", "more", "type", "Get-Content", "gc"})
_SEARCHERS = frozenset({"rg", "grep", "egrep", "fgrep", "ag", "ack", "ugrep", "Select-String"})
_LISTERS = frozenset({"ls", "find", "tree", "fd", "fdfind", "dir", "eza", "exa", "Get-ChildItem"})
#: Options of search programs whose value is the next word.
_VALUED = words_of(
    "-A -B -C -m -g -t -T -f -d --glob --type --max-count --context --include --exclude -e --regexp -j -r"
)
#: A word that names a file and no branch; options by which git makes a branch.
_NAMES_FILE = re.compile(r"\.[A-Za-z]\w{0,7}$")
_MAKES_BRANCH = frozenset({"-b", "-B", "--orphan", "-t", "--track", "--detach"})


def command_actions(command: str, *, folder: str = "") -> list[Action]:
    """What a command does, run in a folder. What changes files comes before what only looks; where anything is
    neither, the first action is to run it all."""
    if is_patch(command) and "apply_patch" in command[:2000]:
        return [replace(action, path=_join_path(folder, action.path)) for action in patch_actions(command)]
    run = Action(kind=ActionKind.RUN, command=command, folder=folder)
    if len(command) > MAX_CHARS:
        return [run]
    actions: list[Action] = []
    runs = False
    simples = parse_command(command.replace("\\", "/") if is_powershell(command) else command)
    leads = len(simples) > 1 and "||" not in command
    for simple in simples:
        folder = _enter_folder(simple, folder)
        made = _command_actions(simple)
        runs = runs or made is None
        leads = leads and (_changes(made) or simple.words[:1] in _GOES_ON)
        for action in made or script_edits(simple) or _git_restores(simple.words):
            placed = replace(action, path=_join_path(folder, action.path), target=_join_path(folder, action.target))
            actions.append(replace(placed, command=command, leads=leads and action.kind.changes_files))
    actions = [action for action in actions if not _is_open(action)]
    actions.sort(key=lambda action: not action.kind.changes_files)
    return actions if actions and not runs else [run, *actions]


def with_places(action: Action, folder: str) -> Action:
    """An action that removes or moves files, with its paths seen from the folder it was done in: a file that is gone
    must not be taken for another of its name elsewhere."""
    if action.kind is not ActionKind.DELETE and not action.is_unseen_write:
        return action
    return replace(action, path=_join_path(folder, action.path), target=_join_path(folder, action.target))


def _changes(made: list[Action] | None) -> bool:
    return bool(made) and all(action.kind.changes_files for action in made or ())


def _enter_folder(simple: SimpleCommand, folder: str) -> str:
    """The folder in which the commands after this one run."""
    if simple.words[:1] == ["cd"] and len(simple.words) == 2 and not _VARIABLE.search(simple.words[1]):
        return _join_path(folder, simple.words[1])
    return folder


def _join_path(folder: str, path: str) -> str:
    """A path seen from the folder, with no steps up or in place left in it."""
    if not path or not folder or path.startswith(("/", "~")) or path[1:2] == ":":
        return path
    return posixpath.normpath(f"{folder}/{path}")


def _is_open(action: Action) -> bool:
    """A path with variables or wildcards names no file; looking around with one is fine."""
    return action.kind not in {ActionKind.SEARCH, ActionKind.LIST} and bool(_VARIABLE.search(action.path))


# ── meaning ──────────────────────────────────────────────────────────────────────────────────────────


def _command_actions(simple: SimpleCommand) -> list[Action] | None:
    """The actions of one simple command; None where it must be run to know."""
    words = _without_prefixes(simple.words)
    name = words[0].rsplit("/", 1)[-1] if words else ""
    files = _writes(simple, name, words)
    if files:
        return files if name in _NEUTRAL | {"cat", "tee"} or not name else None
    if name == "sed":
        return _sed_actions(words)
    if name in _READERS:
        return _reads(name, words)
    if name in _SEARCHERS:
        return [action for action in _searches(words[1:]) if action.path or not simple.piped]
    if name in _LISTERS:
        return [Action(kind=ActionKind.LIST, path=_first_plain(words[1:]))]
    if name == "git":
        return _git(words)
    if name == "perl" and any(_PERL_IN_PLACE.fullmatch(word) for word in words[1:]):
        return [Action(kind=ActionKind.EDIT, path=path) for path in _perl_files(words[1:])]
    if (made := file_command_actions(name, words[1:])) is not None:
        return made
    return [] if name in _NEUTRAL or not name else None


def _without_prefixes(words: list[str]) -> list[str]:
    nth = 0
    while nth < len(words):
        word = words[nth]
        if word == "timeout":
            nth += 2
        elif (
            word in _PREFIXES
            or ASSIGNMENT.match(word)
            or (nth and word.startswith("-") and words[nth - 1] in _PREFIXES)
        ):
            nth += 1
        else:
            break
    return words[nth:]


def _writes(simple: SimpleCommand, name: str, words: list[str]) -> list[Action]:
    """Files that a command fills by redirection; the text is known when it is a here-document or an echo."""
    text = simple.stdin if name in {"cat", "tee"} else None
    if name == "echo" and simple.written + simple.appended:
        text = " ".join(word for word in words[1:] if word not in {"-e", "-n"})
    files = list(simple.written)
    if name == "tee":
        (simple.appended if "-a" in words else files).extend(word for word in words[1:] if not word.startswith("-"))
    added = (TextEdit("", text),) if text is not None else ()
    return [Action(kind=ActionKind.WRITE, path=path, content=text) for path in files] + [
        Action(kind=ActionKind.EDIT, path=path, changes=added) for path in simple.appended
    ]


def _sed_actions(words: list[str]) -> list[Action]:
    plain = [word for word in words[1:] if word and not word.startswith("-")]
    if any(word.startswith(("-i", "--in-place")) for word in words[1:]):
        return [Action(kind=ActionKind.EDIT, path=path) for path in plain[1:]]
    match = _SED_RANGE.search(plain[0]) if plain else None
    last = match[2] or match[1] if match else ""
    lines = (int(match[1]), int(last)) if match and last.isdigit() else None
    return [Action(kind=ActionKind.READ, path=path, lines=lines) for path in plain[1:]]


def _perl_files(words: list[str]) -> list[str]:
    """The files after the options and the program of a Perl call."""
    files = []
    for before, word in zip(["", *words], words, strict=False):
        if not word.startswith("-") and not re.fullmatch(r"-[a-zA-Z0-9]*[eEI]", before):
            files.append(word)
    return files


def _reads(name: str, words: list[str]) -> list[Action]:
    count, files = 0, []
    for before, word in pairwise(words):
        if word.startswith("-"):
            digits = word.lstrip("-nc").removeprefix("lines=")
            count = int(digits[:7]) if digits.isascii() and digits.isdigit() else count
        elif before in {"-n", "-c", "--lines"}:
            count = int(word[:7]) if word.isascii() and word.isdigit() else count
        else:
            files.append(word)
    lines = (1, count) if name == "head" and count else None
    return [Action(kind=ActionKind.READ, path=path, lines=lines) for path in files]


def _searches(words: list[str]) -> list[Action]:
    if "--files" in words:
        return [Action(kind=ActionKind.LIST, path=_first_plain(words))]
    plain, pattern = [], ""
    for before, word in zip(["", *words], words, strict=False):
        if before in {"-e", "--regexp"}:
            pattern = pattern or word
        elif not word.startswith("-") and before not in _VALUED:
            plain.append(word)
    if not pattern:
        pattern, plain = (plain[0], plain[1:]) if plain else ("", [])
    return [Action(kind=ActionKind.SEARCH, path=plain[0] if len(plain) == 1 else "", pattern=pattern)]


def _git(words: list[str]) -> list[Action] | None:
    verb, *rest = git_words(words) or [""]
    files = rest[rest.index("--") + 1 :] if "--" in rest else []
    plain = [word for word in rest if not word.startswith("-")]
    if files and verb in {"checkout", "restore"}:
        return _git_restores(words)
    if verb == "grep":
        return _searches(rest)
    if verb == "ls-files":
        return [Action(kind=ActionKind.LIST)]
    if verb == "show" and plain and ":" in plain[0] and not plain[0].endswith(":"):
        return [Action(kind=ActionKind.READ, path=plain[0].split(":", 1)[1])]
    return git_file_actions(verb, rest)


def _git_restores(command: list[str]) -> list[Action]:
    """Files that git puts back to what was committed, or takes out of its stash; the path of all is ``.``."""
    verb, *words = (git_words(command) if command[:1] == ["git"] else []) or [""]
    files = words[words.index("--") + 1 :] if "--" in words else []
    plain = [word for word in words if not word.startswith("-")]
    if verb == "stash":
        how = Restore.POP if plain[:1] in (["pop"], ["apply"]) else Restore.STASH
        is_all = plain[:1] in ([], ["push"], ["save"], ["pop"], ["apply"])
        return [_restore_action(path, how) for path in files or ["."]] if is_all else []
    if verb == "reset":
        return [_restore_action(".")] if "--hard" in words else []
    if verb == "checkout" and not files:
        files = plain if plain and all(name == "." or _NAMES_FILE.search(name) for name in plain) else []
        files = [] if _MAKES_BRANCH & set(words) else files
    elif verb == "restore":
        is_index = "--staged" in words and "--worktree" not in words
        files = [] if is_index else files or plain
    return [_restore_action(path) for path in files] if verb in {"checkout", "restore"} else []


def _restore_action(path: str, how: Restore = Restore.FOR_GOOD) -> Action:
    return Action(kind=ActionKind.EDIT, path=path, restore=how)


def _first_plain(words: list[str]) -> str:
    return next((word for word in words if not word.startswith("-")), "")
