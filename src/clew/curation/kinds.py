"""Kinds of outputs: the tool and its arguments say what was asked for, the text what came."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

import re2

from clew.curation.envelopes import open_envelope
from clew.curation.line_rules import TASK_PREFIX
from clew.curation.lines import is_numbered, without_surrogates
from clew.curation.reducers import jsons, listings, logs, outlines, pages, prose, searches
from clew.domain import Call
from clew.text.tools.actions import LOOKS, Action, ActionKind
from clew.text.tools.calls import call_actions


class OutputKind(StrEnum):
    """What an output is; each kind has a reducer and a limit of its own."""

    FILE = "file"
    EDIT = "edit"
    SEARCH = "search"
    LISTING = "listing"
    TESTS = "tests"
    BUILD = "build"
    DIFF = "diff"
    JSON = "json"
    LOG = "log"
    PAGE = "page"
    PROSE = "prose"
    COMMAND = "command"
    OTHER = "other"


#: Lines looked at from either end.
_SAMPLE = 120
#: As many tell whether a search gave names of files alone.
_NAMES_SAMPLE = 40
_KIND_OF_ACTION = {
    ActionKind.SEARCH: OutputKind.SEARCH,
    ActionKind.LIST: OutputKind.LISTING,
    ActionKind.FETCH: OutputKind.PAGE,
    ActionKind.DELEGATE: OutputKind.PROSE,
    ActionKind.ASK: OutputKind.PROSE,
}
#: Where a command begins, and what may stand before the program's name.
_BEGIN = (
    r"(?:^|[;&|(\n])\s*(?:[A-Z_]{1,40}=\S*\s+){0,6}"
    r"(?:time |sudo |npx |bunx |uvx |uv run |poetry run |bundle exec |python3? -m |timeout \S+ |\S{0,200}/){0,3}"
)
_RUNS_TESTS = re2.compile(
    _BEGIN
    + r"(?:(?:pytest|unittest|nosetests|tox|nox|jest|vitest|mocha|ava|karma|cypress|playwright|rspec|phpunit|ctest|"
    r"gotestsum|busted|bats)\b|(?:go|cargo|npm|pnpm|yarn|bun|deno|mvn|gradlew?|dotnet|swift|mix|make|mise|rake|flutter|"
    r"dart|stack|sbt|zig|bazel|just)\b[^|;&\n]{0,60}\btests?\b)"
)
_BUILDS = re2.compile(
    _BEGIN
    + r"(?:(?:tsc|eslint|ruff|mypy|pyright|flake8|pylint|gcc|g\+\+|clang|cmake|ninja|javac|webpack|rollup|tsup|biome|"
    r"golangci-lint|shellcheck|rubocop|swiftlint|ktlint|stylelint|black|prettier|gofmt|staticcheck|phpstan)\b|make\s*$|"
    r"(?:make|go|cargo|npm|pnpm|yarn|bun|vite|mvn|gradlew?|dotnet|docker|next|swift|mise|just|bazel|zig|pip3?|uv)\b"
    r"[^|;&\n]{0,60}\b(?:build|compile|check|lint|vet|typecheck|type-check|install|ci|add|sync|clippy|fmt|assemble)\b)"
)
_TEST_LINES = (
    r"^=== RUN\b|^\s*--- (?:PASS|FAIL|SKIP): |^ok\s+\S+\s+(?:\(cached\)|[\d.]+s)",
    r"^FAIL\t\S|^\?\s+\S+\s+\[no test files\]",
    r"^=+ (?:test session starts|FAILURES|ERRORS|short test summary|\d+ (?:passed|failed)).*=+",
    r"^(?:FAILED|PASSED) \S+::|::\w+ (?:PASSED|FAILED)",
    r"^\s*(?:✓|√) .*\d ?m?s[\])]?$|^\s*(?:✕|✗|✘) |^\s*(?:PASS|FAIL) \S+\.\w+|^\s*\((?:pass|fail)\) ",
    r"^\s*(?:Tests|Test Suites|Test Files):?\s+\d+ |^\s*\d+ (?:passing|failing|pass|fail)\b",
    r"^test \S+ \.\.\. (?:ok|FAILED|ignored)|^test result: |^running \d+ tests?",
    r"^Ran \d+ tests? in |\(\w[\w.]*\) \.\.\. (?:ok|FAIL|ERROR)$|^\d+ examples?, \d+ failures?",
    r"Tests run: \d+, Failures: |\bTest +#\d+: |^\d+% tests passed|^(?:not )?ok \d+ ",
    r"^\[ +(?:OK|RUN|FAILED) +\]|^# (?:pass|fail) \d+",
)
#: One of these is enough: how runners end.
_TOTAL_LINES = (
    r"^=+ .*\b\d+ (?:passed|failed|errors?)\b.* in [\d.]+s.*=+$|^\d+ examples?, \d+ failures?|^test result: ",
    r"^Ran \d+ tests? in |^Tests run: \d+, Failures: |^\d+% tests passed|^\s*Tests:\s+\d+ .*\btotal$",
)
_BUILD_LINES = (
    r"^\s{0,2}\S[^:\s]{0,200}\.\w{1,10}:\d+:\d+:? (?:fatal )?(?:error|warning|note)?",
    r"\.\w{1,10}\(\d+,\d+\): (?:error|warning)|^\S+\.\w+:\d+: error: |\berror TS\d+",
    r"^error\[E\d+\]|^(?:error|warning): |^\s*--> \S+:\d+:\d+|^\s+\d+:\d+\s+(?:error|warning)\s",
    r"npm ERR!|^\s*(?:Compiling|Downloading|Downloaded|Checking) \S+ v?\d|^\[\s*\d+%\] (?:Building|Linking)",
    r"^\[ERROR\] |^make(?:\[\d+\])?: |^# [\w./-]+$|\bBuild success\b|^\S+:\d+:\d+: [A-Z]+\d+ |^(?:ESM|CJS|DTS|CLI) ",
)
#: What an editing tool says before it shows what it made.
_ECHO = re.compile(
    r"(?:The file|File) \S{1,400} (?:has been|was) (?:updated|edited|created|written)|(?:Successfully |Applied )"
)
_DIFF_START = re.compile(r"diff --(?:git|cc|combined) \S|(?:Index: |=== )\S")
#: What task runners put before each line.
_PREFIX = re.compile(rf"\[[\w:.@/-]{{1,40}}\] |{TASK_PREFIX}(?:{TASK_PREFIX})?")


class _LinePatterns:
    """Patterns of lines. Most texts have none of them, which is found in one go over all lines."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._any = re2.compile("(?m)" + "|".join(f"(?:{pattern})" for pattern in patterns))
        self._set = re2.Set.SearchSet()
        for pattern in patterns:
            self._set.Add(pattern)
        self._set.Compile()

    def count(self, lines: Sequence[str]) -> int:
        """How many lines have one of them."""
        if not self._any.search("\n".join(lines)):
            return 0
        return sum(1 for line in lines if line and self._set.Match(line))


_TESTS, _TOTALS, _BUILD = _LinePatterns(_TEST_LINES), _LinePatterns(_TOTAL_LINES), _LinePatterns(_BUILD_LINES)


def kind_of(call: Call | None, text: str) -> OutputKind:
    """The kind of a tool's output. Never raises; what nothing tells apart is OTHER, or COMMAND if one was run."""
    done = call_actions(call) if call is not None else ()
    kinds = {action.kind for action in done}
    if ActionKind.READ in kinds and kinds <= LOOKS:
        return OutputKind.LOG if _is_log(done) else OutputKind.FILE
    if done and done[0].kind.changes_files and not done[0].command:
        return OutputKind.EDIT
    body = open_envelope(text).body
    lines = _sample_lines(body) if done and kinds <= LOOKS else _without_task_prefix(_sample_lines(body))
    return _by_content(body, lines, done) or _by_first(done, lines)


def _sample_lines(body: str) -> list[str]:
    """The first lines and the last, cut to what a pattern needs."""
    head = without_surrogates(body[:40_000]).split("\n")[:_SAMPLE]
    tail = without_surrogates(body[-20_000:]).split("\n")[-_SAMPLE:] if len(body) > 40_000 else []
    return [line[:400] for line in head + tail]


def _without_task_prefix(lines: list[str]) -> list[str]:
    """Without what a task runner put before most of them."""
    prefixes = [_PREFIX.match(line) for line in lines]
    if sum(1 for match in prefixes if match) * 2 <= len(lines):
        return lines
    return [line[match.end() :] if match else line for line, match in zip(lines, prefixes, strict=True)]


def _is_log(done: Sequence[Action]) -> bool:
    return all(action.path.endswith(".log") for action in done if action.kind is ActionKind.READ)


def _by_content(body: str, lines: Sequence[str], done: Sequence[Action]) -> OutputKind | None:
    """Forms that nothing else looks like."""
    if _is_diff(lines):
        return OutputKind.DIFF
    if pages.is_html(body):
        return OutputKind.PAGE
    if jsons.parse(body) is not None:
        return OutputKind.JSON
    if is_numbered(lines):
        return OutputKind.EDIT if _ECHO.match(body[:600]) else OutputKind.FILE
    return None if done and all(action.kind in LOOKS for action in done) else _by_tools(lines, done)


def _by_tools(lines: Sequence[str], done: Sequence[Action]) -> OutputKind | None:
    """What test runners and compilers write; no search or listing is asked, whatever its lines speak of."""
    command = done[0].command if done else ""
    tested, built = _TESTS.count(lines) + 3 * _TOTALS.count(lines), _BUILD.count(lines)
    if tested >= (1 if _RUNS_TESTS.search(command) else 3) and tested * 2 >= built:
        return OutputKind.TESTS
    if built >= (1 if _BUILDS.search(command) else 3) and built * 4 >= len(lines):
        return OutputKind.BUILD
    return None


def _is_diff(lines: Sequence[str]) -> bool:
    """A header in the first lines, or a hunk under the names of both files."""
    for index, line in enumerate(lines[:60]):
        if _DIFF_START.match(line) or (
            line.startswith("--- ") and "\n".join(lines[index + 1 : index + 3]).startswith("+++ ")
        ):
            return any(row.startswith("@@ ") for row in lines[index:])
    return False


def _by_first(done: Sequence[Action], lines: Sequence[str]) -> OutputKind:
    first = done[0].kind if done else ActionKind.OTHER
    command = done[0].command if done else ""
    is_names = first is ActionKind.SEARCH and listings.share_of_paths(lines[:_NAMES_SAMPLE]) > 0.8
    if first in _KIND_OF_ACTION and not is_names:
        return _KIND_OF_ACTION[first]
    if first is ActionKind.SEARCH:
        return OutputKind.LISTING
    if kind := _by_shape(lines):
        return kind
    if _RUNS_TESTS.search(command):
        return OutputKind.TESTS
    if _BUILDS.search(command):
        return OutputKind.BUILD
    if outlines.looks_like_code(lines):
        return OutputKind.FILE
    return OutputKind.COMMAND if first is ActionKind.RUN else OutputKind.OTHER


def _by_shape(lines: Sequence[str]) -> OutputKind | None:
    """What most of the lines look like."""
    if logs.share_of_stamped(lines) > 0.6:
        return OutputKind.LOG
    if searches.share_of_hits(lines) > 0.6:
        return OutputKind.SEARCH
    if listings.share_of_paths(lines) > 0.8:
        return OutputKind.LISTING
    return OutputKind.PROSE if prose.share_of_prose(lines) > 0.4 else None
