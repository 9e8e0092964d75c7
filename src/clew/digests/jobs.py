"""Commands by what they are for: which ones a reader wants to hear of, and when one makes good another's failure."""

from __future__ import annotations

import re
from typing import NamedTuple

import re2

from clew.domain import Ran

#: Longer commands are scripts; what they are for stands at their beginning.
_MAX_CHARS = 2_000

_TESTS = re2.compile(
    r"\b(?:pytest|tox|nox|unittest|doctest|jest|vitest|mocha|ava|playwright|cypress|rspec|minitest|phpunit|pest|ctest"
    r"|karma|go test|cargo (?:test|nextest)|dotnet test|mvn test|gradlew? test|swift test|mix test|deno test|bun test"
    r"|(?:npm|pnpm|yarn|make|mise|just|rake|bundle exec|composer|task)(?: run)? [\w:-]*test[\w:-]*)\b"
)
_BUILDS = re2.compile(
    r"\b(?:go (?:build|vet|run|install|generate)|golangci-lint|gofmt|cargo \w+|tsc|eslint|prettier|biome|ruff|flake8"
    r"|black|mypy|pyright|pylint|rubocop|make|cmake|ninja|gradlew?|mvn|dotnet|javac|gcc|g\+\+|clang|rustc|swiftc?|xcodebuild"
    r"|webpack|vite|next build|docker (?:build|compose)|terraform|npx|npm (?:ci|install|run [\w:-]+)|pnpm [\w:-]+"
    r"|yarn [\w:-]+|pip install|uv (?:sync|run|pip)|mise run [\w:-]+|just [\w:-]+|python3?|node|ruby|php|bash|sh)\b"
)
_KEEPS = re2.compile(
    r"\bgit (?:commit|push|merge|rebase|revert|tag|cherry-pick|reset)\b|\bgh (?:pr|release) (?:create|merge)\b"
)
_LEADING = re.compile(
    r"\s*(?:cd [^&;|\n]{1,400}(?:&&|;)|export [^&;|\n]{1,400}(?:&&|;)|[A-Z_][A-Z0-9_]{0,60}=\S{0,200}(?=\s))\s*"
)
_TARGET = re.compile(r"[\w@][\w@./:\[\]-]*[./:][\w./:\[\]-]*")


class Job(NamedTuple):
    """What a command is for, and the files or tests it was told to take; none means all."""

    name: str
    targets: frozenset[str]


def plain(command: str) -> str:
    """A command without the change of folder and settings before it, first line only."""
    text = command[:_MAX_CHARS]
    for _ in range(4):
        lead = _LEADING.match(text)
        if not lead:
            break
        text = text[lead.end() :]
    return text.strip().split("\n", 1)[0].strip()


def rank(command: str) -> int:
    """0 for tests, 1 for what keeps or publishes work, 2 for builds and programs, 3 for looking around."""
    text = plain(command)
    if _TESTS.search(text):
        return 0
    if _KEEPS.search(text):
        return 1
    return 2 if _BUILDS.search(text) else 3


def is_check(command: str) -> bool:
    """True for tests, builds and programs: what they print tells whether they failed, whatever a pipe returned."""
    return rank(command) in {0, 2}


def newest(runs: list[Ran], limit: int) -> list[Ran]:
    """The runs without one, where there are more than the limit: looking around is forgotten before the work."""
    if len(runs) <= limit:
        return runs
    worst = max(range(len(runs) - 1), key=lambda at: (rank(runs[at].text), -at))
    return runs[:worst] + runs[worst + 1 :]


def job(command: str) -> Job:
    text = plain(command)
    known = _TESTS.search(text) or _KEEPS.search(text) or _BUILDS.search(text)
    words = text.split()
    name = known[0] if known else " ".join(words[:2])
    rest = text[known.end() :] if known else " ".join(words[2:])
    rest = re.split(r"[|;&<>]", rest, maxsplit=1)[0]
    targets = {word for word in rest.split() if _TARGET.fullmatch(word) and word not in {".", "./..."}}
    return Job(name, frozenset(targets))


def makes_good(later: str, earlier: str) -> bool:
    """True when the later command, having succeeded, shows that what failed in the earlier one is mended.

    The same kind of job, and one of the two took all or they share a target: agents narrow a run down to what
    failed, or widen it again once that is mended.
    """
    if later == earlier:
        return True
    one, other = job(later), job(earlier)
    same = one.name == other.name and bool(one.name)
    return same and (not one.targets or not other.targets or bool(one.targets & other.targets))
