"""Commands that move, copy, remove and create files, of Unix shells and of PowerShell, and scripts that write."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Sequence

from clew.text.tools.actions import Action, ActionKind
from clew.text.tools.shell import SimpleCommand

#: Commands of PowerShell and their aliases that take files by position or by name.
_POWERSHELL_NAMES = {
    "move": "move-item mi move",
    "rename": "rename-item rni ren",
    "copy": "copy-item cpi copy",
    "remove": "remove-item ri del erase",
    "write": "set-content out-file new-item",
    "append": "add-content",
}
_POWERSHELL_VERBS = {name: verb for verb, names in _POWERSHELL_NAMES.items() for name in names.split()}
_POWERSHELL = re.compile(
    r"(?i)\b(?:(?:move|rename|copy|remove|new|get)-item|(?:set|add|get)-content|out-file|select-string)\b"
)
#: Parameters that name files, others that take a value, and those that take none.
_SOURCE, _TARGET = {"-path", "-literalpath", "-filepath", "-lp"}, {"-destination", "-newname"}
_VALUED = {"-value", "-encoding", "-itemtype", "-type", "-filter", "-include", "-exclude", "-erroraction", "-ea"}
_BRACES = re.compile(r"([^{}$]*)\{([^{}$]*,[^{}$]*)\}(.*)")
_MAX_BRACES_CHARS = 400
_INTO = ("-t", "--target-directory")
_PROGRAM = re.compile(r"(?:.*/)?(?:python[\d.]*|node|ruby|bun|deno)")
#: Scripts are read this far.
_MAX_CHARS = 20_000
_MAX_FILES = 20
_NAME = r"([A-Za-z_]\w*)"
_TEXT = r"""['"]([^'"\n]{1,300})['"]"""
_GIVEN = rf"(?:{_TEXT}|{_NAME})"
_ASSIGNED = re.compile(rf"\b{_NAME}\s*=\s*(?:(?:pathlib\.)?Path\(\s*)?{_TEXT}\s*\)?[ \t]*(?:$|[;#])", re.MULTILINE)
_WRITES = [
    re.compile(rf"\bopen\(\s*{_GIVEN}\s*,\s*(?:mode\s*=\s*)?['\"](?:w|a|r\+|w\+|x)[bt]?\+?['\"]"),
    re.compile(rf"\bPath\(\s*{_GIVEN}\s*\)\.write_(?:text|bytes)\("),
    re.compile(rf"()\b{_NAME}\.write_(?:text|bytes)\("),
    re.compile(rf"\b(?:writeFileSync|appendFileSync|writeFile|File\.write)\(\s*{_GIVEN}"),
]


def script_edits(simple: SimpleCommand) -> list[Action]:
    """Returns an edit for each file that a script given on the command line, or fed to the program, writes to."""
    if not simple.words or not _PROGRAM.fullmatch(simple.words[0]):
        return []
    script = "\n".join([*simple.words[1:], simple.stdin or ""])[:_MAX_CHARS]
    names = dict(_ASSIGNED.findall(script))
    paths = [path or names.get(name, "") for pattern in _WRITES for path, name in pattern.findall(script)]
    return [Action(kind=ActionKind.EDIT, path=path) for path in dict.fromkeys(paths) if path][:_MAX_FILES]


def is_powershell(command: str) -> bool:
    """Returns True for a command line of PowerShell, where a backslash parts the pieces of a path."""
    return _POWERSHELL.search(command) is not None


def remove_actions(files: Sequence[str]) -> list[Action]:
    """Files that are taken away."""
    return [Action(kind=ActionKind.DELETE, path=path) for path in files]


def move_actions(files: Sequence[str]) -> list[Action]:
    """All files but the last go to the last: each is gone from where it was, and written where it went."""
    places = list(zip(files[:-1], _places(files), strict=True))
    gone = [Action(kind=ActionKind.DELETE, path=path, target=place) for path, place in places]
    return [*gone, *touch_actions(place for _, place in places)]


def copy_actions(files: Sequence[str]) -> list[Action]:
    """All files but the last are written where the last says."""
    return touch_actions(_places(files))


def touch_actions(files: Iterable[str]) -> list[Action]:
    """Files that are there afterwards, whatever they hold."""
    return [Action(kind=ActionKind.WRITE, path=path) for path in files]


def _places(files: Sequence[str]) -> list[str]:
    """A single file gets a new name; several go to a folder, under their own."""
    if len(files) < 2:
        return []
    into = len(files) > 2 or files[-1].endswith("/") or files[-1] in {".", ".."}
    return (
        [posixpath.join(files[-1], posixpath.basename(path.rstrip("/"))) for path in files[:-1]]
        if into
        else [files[-1]]
    )


_UNIX: dict[str, Callable[[Sequence[str]], list[Action]]] = {
    "rm": remove_actions,
    "unlink": remove_actions,
    "trash": remove_actions,
    "rmdir": lambda _files: [],
    "mv": move_actions,
    "cp": copy_actions,
    "touch": touch_actions,
    "tee": lambda _files: [],
}


def file_command_actions(name: str, words: Sequence[str]) -> list[Action] | None:
    """What a command does to files, by its name and the words after it; None for one that is no file command."""
    if name in _UNIX:
        return _UNIX[name](_operands(words))
    verb = _POWERSHELL_VERBS.get(name.lower())
    return _powershell(verb, words) if verb else None


def git_file_actions(verb: str, words: Sequence[str]) -> list[Action] | None:
    """What ``git mv`` and ``git rm`` do to files; None for other verbs. What leaves only the index is still there."""
    if verb == "rm":
        return [] if "--cached" in words else remove_actions(_operands(words))
    return move_actions(_operands(words)) if verb == "mv" else None


def _operands(words: Sequence[str]) -> list[str]:
    """The files among the words, the folder that they go to last."""
    into = ""
    files: list[str] = []
    for before, word in zip(["", *words], words, strict=False):
        if before in _INTO:
            into = word
        elif word.startswith("--target-directory="):
            into = word.partition("=")[2]
        elif not word.startswith("-"):
            files += _expand_braces(word)
    return [*files, f"{into.rstrip('/')}/"] if into else files


def _expand_braces(word: str) -> list[str]:
    """A word with a list in braces as the words that a shell makes of it."""
    match = _BRACES.fullmatch(word)
    if not match or len(word) > _MAX_BRACES_CHARS:
        return [word]
    return [brace for piece in match[2].split(",") for brace in _expand_braces(f"{match[1]}{piece}{match[3]}")]


def _powershell(verb: str, words: Sequence[str]) -> list[Action]:
    sources, targets, plain = list[str](), list[str](), list[str]()
    for before, word in zip(["", *words], words, strict=False):
        named = before.lower()
        if word.startswith("-") or named in _VALUED:
            continue
        place = sources if named in _SOURCE else targets if named in _TARGET else plain
        place += [record for record in word.split(",") if record]
    takes_target = verb in {"move", "copy", "rename"}
    if takes_target and not targets and plain:
        targets = [plain.pop()]
    return _powershell_actions(verb, sources or plain, targets)


def _powershell_actions(verb: str, sources: list[str], targets: list[str]) -> list[Action]:
    if verb == "remove":
        return remove_actions(sources)
    if verb == "append":
        return [Action(kind=ActionKind.EDIT, path=path) for path in sources[:1]]
    if verb == "write":
        return touch_actions(sources[:1])
    if not sources or not targets:
        return []
    if verb == "rename":
        return move_actions([sources[0], posixpath.join(posixpath.dirname(sources[0]), targets[0])])
    return move_actions([*sources, targets[0]]) if verb == "move" else copy_actions([*sources, targets[0]])
