"""When a run covers another: all that the earlier one checked is checked by the later one too."""

from __future__ import annotations

import re
from collections.abc import Collection

import re2

from clew.text.tools.checks import Check, CheckKind
from clew.text.vocabulary import words as words_of

#: Tasks that run all there is of their kind.
_GENERAL_TASK = re.compile(
    r"(?:t|tests?|checks?|verify|ci|all)(?:[:_-](?:all|ci|full))?|(?:all|ci|full)[:_-](?:tests?|checks?)"
)
#: What the success of other tools shows too: what could not be compiled or typed cannot be tested.
_SHOWN_BY = {
    "go build": words_of("golangci-lint staticcheck") | {"go test", "go vet"},
    "go vet": words_of("golangci-lint") | {"go test"},
    "cargo build": {"cargo test", "cargo nextest", "cargo check", "cargo clippy"},
    "cargo check": {"cargo test", "cargo nextest", "cargo build", "cargo clippy"},
    "dotnet build": {"dotnet test"},
    "swift build": {"swift test"},
    "mvn test": {"mvn verify", "mvn integration-test"},
    "mvn compile": {"mvn test", "mvn verify", "mvn package", "mvn install"},
    "gradle compileJava": {"gradle test", "gradle check", "gradle build"},
    "mypy": words_of("pyright basedpyright"),
    "pyright": words_of("mypy basedpyright"),
    "tsc": words_of("vue-tsc"),
}
#: A filter that says what is not to be run, or joins several conditions.
_LEAVES_OUT = re.compile(r"\b(?:not|and)\b|!")
#: Tools whose plain words are parts of the names of files.
_PATTERN_TOOLS = frozenset({"jest", "vitest", "playwright", "cypress", "bun test"})


def covers(later: Check, earlier: Check, failing: Collection[str] = (), *, compiles: bool = False) -> bool:
    """Returns True when all that the earlier check was narrowed to, or all that it named as ``failing`` (tests, or
    files), is checked by the later one too. Where the earlier one could not be compiled, any test of the same shows
    that it ``compiles``."""
    if later.is_format > earlier.is_format or not _is_same_tool(later, earlier):
        return False
    if later.only_failed and later.kind is CheckKind.TEST:
        return bool(failing) or earlier.only_failed
    if later.narrowed - earlier.narrowed or earlier.stricter - later.stricter:
        return False
    if later.filters and not _holds_filters(later, earlier) and not compiles:
        names = _names_in(later.filters)
        return bool(failing) and all(any(_selects(name, test) for name in names) for test in failing)
    if later.targets:
        wanted = earlier.targets or {re.split(r" [>›] ", one)[0] for one in failing}
        return bool(wanted) and all(_is_within(one, later) for one in wanted)
    if later.kind is CheckKind.PROGRAM:
        return not earlier.targets
    return _lies_in(earlier.place, later.place) or any(_is_path_in(target, later.place) for target in earlier.targets)


def _is_same_tool(later: Check, earlier: Check) -> bool:
    """The same program or task, or one whose success shows the same. A task may run any tool: it does where both are
    given the same files, and a general one runs all there is. So do other tests of the same files."""
    if later.tool in _SHOWN_BY.get(earlier.tool, ()):
        return True
    if later.kind is not earlier.kind:
        return False
    is_general = _GENERAL_TASK.fullmatch(later.task) is not None
    if later.tool == earlier.tool:
        return later.task == earlier.task or is_general or bool(later.targets & earlier.targets)
    if later.kind is CheckKind.TEST and earlier.targets and earlier.targets <= later.targets:
        return True
    if later.kind is CheckKind.PROGRAM or "task" not in {later.tool, earlier.tool}:
        return False
    is_whole = later.tool == "task" and is_general and not later.targets and not later.filters
    return is_whole or bool(later.targets) or bool(later.filters)


def shows_passed(place: str, passing: Collection[str]) -> bool:
    """Returns True when a package, a file or a test is among those that a report names as passed, wherever either is
    seen from; of a folder with all that is in it (``./store/...``), when anything in it is."""
    if place in passing:
        return True
    whole = place.removeprefix("./")
    if whole.endswith("/..."):
        inside = f"/{whole.removesuffix('...')}"
        return any(inside in f"/{name}/" for name in passing)
    return any(name.endswith(f"/{whole}") or whole.endswith(f"/{name}") for name in passing)


def _holds_filters(later: Check, earlier: Check) -> bool:
    """Returns True when the filters of a run select all that those of another do: a part of a name selects more."""
    if later.filters == earlier.filters or any(map(_LEAVES_OUT.search, later.filters | earlier.filters)):
        return later.filters == earlier.filters
    names, wanted = _names_in(later.filters), _names_in(earlier.filters)
    return bool(wanted) and all(any(name in filter_text for name in names) for filter_text in wanted)


def _names_in(filters: Collection[str]) -> list[str]:
    return [name.strip().strip("()'\"") for value in filters for name in re.split(r"\||\bor\b", value)]


def _selects(pattern: str, test: str) -> bool:
    """Returns True when a filter runs a test: it is a pattern that finds its name, or a part of it."""
    pattern = pattern.strip().strip("^$()'\"")
    try:
        return bool(pattern) and (pattern in test or bool(re2.search(pattern, test)))
    except re2.error:
        return False


def _is_within(target: str, later: Check) -> bool:
    is_pattern = later.tool in _PATTERN_TOOLS or later.tool == "task"
    return any(_is_path_in(target, wide) or (is_pattern and wide in target) for wide in later.targets)


def _is_path_in(target: str, folder: str) -> bool:
    """Returns True when a path is another one or lies in it, wherever either is seen from."""
    whole = target.removesuffix("/...").rstrip("/")
    wide = folder.removesuffix("/...").rstrip("/")
    if not wide or wide == "...":
        return True
    whole = re.sub(r":\d+$", "", whole) if not re.search(r":\d+$", wide) else whole
    pieces = re.split(r"(?<=[^:])(?=::)|(?=/)", whole)
    starts = ("".join(pieces[: index + 1]) for index in range(len(pieces)))
    return any(start == wide or start.endswith(f"/{wide}") or wide.endswith(f"/{start}") for start in starts if start)


def _lies_in(place: str, wide: str) -> bool:
    """Returns True when a place is another, lies in it, or one of them is not known."""
    return not place or not wide or _is_path_in(place, wide) or place.rsplit("/", 1)[-1] == wide.rsplit("/", 1)[-1]
