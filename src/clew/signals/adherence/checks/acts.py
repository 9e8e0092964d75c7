"""Acts that people want a say in: how rules and requests call them, and how a turn shows them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from clew.signals.adherence.checks.work import Ran, Work
from clew.text.tools.actions import ActionKind

Found = Iterator[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Act:
    """A deed by name: how rules and requests call it, and where a turn shows it."""

    called: str
    verbs: str
    shows: Callable[[Work], Found]


def _commands(test: Callable[[Ran], bool]) -> Callable[[Work], Found]:
    return lambda work: ((ran.call, " ".join(ran.words)) for ran in work.ran if test(ran))


def _git(ran: Ran) -> tuple[str, ...]:
    """The words of a git command from its verb on."""
    if ran.name != "git":
        return ()
    words = list(ran.words[1:])
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] in {"-C", "-c"} else words[1:]
    return tuple(words)


def _does(*verbs: str) -> Callable[[Ran], bool]:
    return lambda ran: _git(ran)[:1] != () and _git(ran)[0] in verbs


_FORCED = re.compile(r"-[a-zA-Z]*f[a-zA-Z]*\Z|--force|\+[^\s+]")


def _is_forced(ran: Ran) -> bool:
    """With a flag that says so, among others too (-uf), or with a plus before what is pushed."""
    words = _git(ran)
    return words[:1] == ("push",) and any(_FORCED.match(word) for word in words[1:])


def _is_hard_reset(ran: Ran) -> bool:
    words = _git(ran)
    return words[:1] == ("reset",) and "--hard" in words


_ADDERS = {
    **dict.fromkeys(("npm", "pnpm", "bun"), frozenset({"install", "i", "add"})),
    **dict.fromkeys(("pip", "pip3", "gem", "brew", "apt", "apt-get", "conda"), frozenset({"install"})),
    **dict.fromkeys(("yarn", "poetry"), frozenset({"add"})),
    "uv": frozenset({"add", "install"}),
    "cargo": frozenset({"add", "install"}),
    "go": frozenset({"get", "install"}),
    "composer": frozenset({"require"}),
}
_LISTS = (".", ".txt", ".toml")


def _installs(ran: Ran) -> bool:
    """A package by name; what the project lists already may be installed at any time."""
    words = [word for word in ran.words[1:] if not word.startswith("-")]
    if ran.name == "uv" and words[:1] == ["pip"]:
        words = words[1:]
    named = any(not word.endswith(_LISTS) for word in words[1:])
    return named and words[0] in _ADDERS.get(ran.name, frozenset())


_DEPLOY = re.compile(r"\b(?:deploy|publish|release)\b|\bterraform apply\b|\bkubectl apply\b|\btwine upload\b")
#: Programs that only speak of it.
_LOOKERS = frozenset({"echo", "grep", "rg", "cat", "ls", "git", "cd", "find", "sed", "head", "tail", "printf", "awk"})


def _deploys(ran: Ran) -> bool:
    return ran.name not in _LOOKERS and bool(_DEPLOY.search(" ".join(ran.words[:4])))


def _pushes_to_main(ran: Ran) -> bool:
    targets = {word.rsplit(":")[-1].lstrip("+").removeprefix("refs/heads/") for word in ran.words}
    return _git(ran)[:1] == ("push",) and bool({"main", "master"} & targets)


def _removes(work: Work) -> Found:
    for at, action in work.deeds:
        if action.kind is ActionKind.DELETE and not action.path.startswith("/tmp"):
            yield at, action.path


def _of_deed(deed: ActionKind) -> Callable[[Work], Found]:
    return lambda work: (
        (at, action.pattern or action.content or deed) for at, action in work.deeds if action.kind is deed
    )


_PR = r"pr\b|pull request"
ACTS: dict[str, Act] = {
    "force push": Act(r"force[ -]?push\w*|push\w* (?:with )?--force", r"force", _commands(_is_forced)),
    "hard reset": Act(r"(?:hard[ -]reset|reset --hard|git reset)\w*", r"reset", _commands(_is_hard_reset)),
    "amend": Act(r"amend\w*", r"amend", _commands(lambda ran: "--amend" in _git(ran))),
    "commit": Act(
        r"(?:git )?commit(?:s|ting)?(?! messages?)",
        rf"commit|check (?:it|this) in|ship|/commit|push|{_PR}",
        _commands(_does("commit")),
    ),
    "push to main": Act(
        r"(?:git )?push(?:es|ing)? (?:directly |straight )?(?:to|on|into) (?:the )?(?:main|master)(?: branch)?",
        r"push|ship|main\b|master",
        _commands(_pushes_to_main),
    ),
    "push": Act(
        r"(?:git )?push(?:es|ing)?(?! back)", rf"push|ship|{_PR}|publish|upload|open a", _commands(_does("push"))
    ),
    "merge": Act(
        r"merg(?:e|ing)",
        r"merg",
        _commands(lambda ran: _does("merge")(ran) or ran.words[:3] == ("gh", "pr", "merge")),
    ),
    "rebase": Act(r"rebas(?:e|ing)", r"rebas", _commands(_does("rebase"))),
    "pull request": Act(
        r"(?:open|creat|mak|submit)\w* (?:a |any |new )*(?:prs?|pull requests?)",
        _PR,
        _commands(lambda ran: ran.words[:3] == ("gh", "pr", "create")),
    ),
    "delete": Act(
        r"(?:delet|remov|eras)(?:e|ing) (?:any |the |my |existing |a )*(?:files?|folders?|director(?:y|ies)|data"
        r"|anything)",
        r"delet|remov|clean|rename|mov|drop|get rid|eras|replac|migrat|refactor|rm\b|revert|undo",
        _removes,
    ),
    "install": Act(
        r"(?:install|add|introduc)\w* (?:any |new |a |extra |third[- ]party |external |additional |more )*"
        r"(?:packages?|dependenc(?:y|ies)|librar(?:y|ies)|modules?)",
        r"install|add|dependenc|packag|librar|use\b|upgrade|setup|set up",
        _commands(_installs),
    ),
    "deploy": Act(r"(?:deploy|publish|releas)(?:e|ing|s)?", r"deploy|publish|releas|ship", _commands(_deploys)),
    "branch": Act(
        r"creat\w* (?:a |any |new )*branch(?:es)?|(?:switch|chang)\w* branch(?:es)?",
        rf"branch|checkout|switch|{_PR}|worktree",
        _commands(lambda ran: _git(ran)[:2] in {("checkout", "-b"), ("switch", "-c")}),
    ),
    "web": Act(
        r"(?:search(?:ing)? the web|web search\w*|brows(?:e|ing) the (?:web|internet)|us(?:e|ing) the internet"
        r"|go(?:ing)? online)",
        r"search|web|http|online|internet|look up|fetch|doc",
        _of_deed(ActionKind.FETCH),
    ),
    "subagents": Act(
        r"(?:us(?:e|ing)|spawn(?:ing)?|launch(?:ing)?|delegat\w+ to) (?:any )?(?:sub-?agents?|agents)",
        r"agent|parallel|delegat",
        _of_deed(ActionKind.DELEGATE),
    ),
}
