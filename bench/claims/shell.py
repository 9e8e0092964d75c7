"""Command lines taken apart: the programs they run, what joins them, and what each checks or does."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from functools import lru_cache

_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1[^\n]*\n.*?^\s*\2\s*$", re.M | re.S)
_QUIET = re.compile(r"[12&]?>{1,2}\s*(?:&[12]|/dev/null)")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=.*")
_WRAPPERS = {"sudo", "time", "nice", "env", "command", "exec", "npx", "bunx", "nohup", "stdbuf", "then", "do", "!", "("}
_LOOKS = frozenset(
    " ".join(
        [
            "cd ls cat head tail grep rg egrep find echo printf pwd which wc sort uniq cut tr awk sed jq true sleep",
            "test [ diff export set source . date ps env tee xargs file stat du df tree nl column kill pkill mkdir",
            "touch cp mv rm ln for while if do done fi then else read wait type command",
        ]
    ).split()
)
_RUNNERS = {"mise", "npm", "pnpm", "yarn", "bun", "make", "just", "task", "rake", "composer", "deno", "cargo", "go"}
_RUNNERS |= {"dotnet", "mvn", "gradle", "gradlew", "git", "gh", "docker", "poetry", "uv", "terraform", "kubectl"}
_TESTS = re.compile(
    r"^(?:pytest|tox|nox|jest|vitest|mocha|ava|rspec|phpunit|ctest|unittest|go test|cargo (?:test|nextest)|dotnet test"
    r"|mvn test|gradlew? test|(?:mise|npm|pnpm|yarn|bun|make|just|task|rake|composer|deno)\S* .*test\S*)$"
)
_CHECKS = re.compile(
    r"^(?:go (?:build|vet|install|generate)|golangci-lint|gofmt|cargo \w+|tsc|eslint|prettier|biome|ruff|flake8|black"
    r"|mypy|pyright|pylint|make.*|cmake|ninja|gradlew?.*|mvn.*|dotnet \w+|javac|gcc|clang|rustc|webpack|vite|next"
    r"|(?:mise|npm|pnpm|yarn|bun|just|task)\S* .*(?:lint|build|fmt|check|type|verify|validate)\S*)$"
)
_ACTS = re.compile(
    r"^git (?:commit|push|merge|rebase|cherry-pick|revert|pull|tag)$"
    r"|^gh \w+ (?:create|merge|edit|comment|close|review)$"
)
#: What ends a merge that stopped at a conflict.
_CONCLUDES = {"git commit": {"git merge", "git cherry-pick", "git revert", "git rebase"}}
#: Options of test runners that narrow a run to names, and options that take a value of no interest here.
_FILTERS = {"-run", "-k", "-t", "--filter", "--grep", "-g", "--test-name-pattern", "-m", "--testNamePattern"}
_VALUED = {
    "-timeout",
    "-count",
    "-tags",
    "-p",
    "-n",
    "-o",
    "-C",
    "-ldflags",
    "--config",
    "-c",
    "--cwd",
    "-coverprofile",
}
_VALUED |= {"--project", "--target", "-j", "--timeout", "--maxfail", "--tb", "-parallel", "--reporter", "-m"}


@dataclass(frozen=True, slots=True)
class Program:
    """One program of a command line. ``name`` is the program with its subcommand; ``after`` joins it to the next."""

    words: tuple[str, ...]
    name: str
    targets: frozenset[str]
    filters: frozenset[str]
    after: str

    @property
    def is_test(self) -> bool:
        return _TESTS.match(self.name) is not None

    @property
    def is_check(self) -> bool:
        return self.is_test or _CHECKS.match(self.name) is not None

    @property
    def is_act(self) -> bool:
        return _ACTS.match(self.name) is not None

    @property
    def only_looks(self) -> bool:
        return not self.words or self.words[0].rsplit("/", 1)[-1] in _LOOKS


@lru_cache(maxsize=4096)
def programs(command: str) -> tuple[Program, ...]:
    """The programs of a command line in order, without here-documents."""
    text = _QUIET.sub(" ", _HEREDOC.sub(" ", command).replace("\\\n", " "))
    found: list[Program] = []
    words: list[str] = []
    is_target = False
    for token in [*_tokens(text), "\n"]:
        if set(token) <= set(";&|\n()") and token:
            if words:
                found.append(_program(words, _joint(token)))
            words, is_target = [], False
        elif token and set(token) <= set("<>&|"):
            is_target = True
        elif is_target:
            is_target = False
        else:
            words.append(token)
    return tuple(found)


def _tokens(text: str) -> list[str]:
    lexer = shlex.shlex(text, posix=True, punctuation_chars=";&|\n()<>")
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    try:
        return list(lexer)
    except ValueError:
        return re.findall(r"[;&|\n()<>]+|[^\s;&|()<>]+", text)


def _joint(token: str) -> str:
    for sign in ("||", "&&", "|", "&"):
        if sign in token:
            return sign
    return ";"


def _program(words: list[str], after: str) -> Program:
    bare = list(words)
    while bare and (bare[0] in _WRAPPERS or _ASSIGNED.fullmatch(bare[0]) or bare[0] == "timeout"):
        bare = bare[2:] if bare[0] == "timeout" else bare[1:]
    if bare[:2] in (["uv", "run"], ["poetry", "run"], ["bundle", "exec"], ["bun", "x"], ["npm", "exec"]):
        bare = bare[2:]
        while bare and bare[0].startswith("-"):
            bare = bare[1:]
    if bare and re.fullmatch(r"(?:.*/)?python[\d.]*", bare[0]) and bare[1:2] == ["-m"]:
        bare = bare[2:]
    head = bare[0].rsplit("/", 1)[-1] if bare else ""
    rest = bare[1:]
    if head in _RUNNERS:
        head, rest = _with_subcommand(head, rest)
    targets, filters = _operands(rest)
    return Program(tuple(bare), head, targets, filters, after)


def _with_subcommand(head: str, rest: list[str]) -> tuple[str, list[str]]:
    """``npm run lint`` and ``go test``: the subcommand is the program; options before it are passed over."""
    rest = list(rest)
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in _VALUED else rest[1:]
    if rest[:1] == ["run"] and len(rest) > 1:
        rest = rest[1:]
        while rest and rest[0].startswith("-"):
            rest = rest[2:] if rest[0] in {"--filter", "-F"} else rest[1:]
    depth = 2 if head in {"gh", "docker"} else 1
    return " ".join([head, *rest[:depth]]), rest[depth:]


def _operands(words: list[str]) -> tuple[frozenset[str], frozenset[str]]:
    targets, filters = set[str](), set[str]()
    waiting = ""
    for word in words:
        option, _, value = word.partition("=")
        if waiting:
            if waiting in _FILTERS:
                filters.add(word)
            waiting = ""
        elif option in _FILTERS and value:
            filters.add(value)
        elif word in _FILTERS or word in _VALUED:
            waiting = word
        elif not word.startswith("-") and re.search(r"[./:]", word):
            targets.add(word.removeprefix("./").rstrip("/"))
    return frozenset(targets - {"", ".", "..."}), frozenset(filters)


def covers(later: Program, earlier: Program) -> bool:
    """Whether all that one program checked is checked by another: the same program, and no narrower."""
    if earlier.is_act:
        return later.name == earlier.name or earlier.name in _CONCLUDES.get(later.name, ())
    if later.name != earlier.name or (later.filters and not later.filters >= earlier.filters):
        return False
    if later.filters and not earlier.filters:
        return False
    if not later.targets:
        return True
    return bool(earlier.targets) and all(any(_within(one, wide) for wide in later.targets) for one in earlier.targets)


def _within(one: str, wide: str) -> bool:
    wide = wide.removesuffix("/...")
    narrow = one.removesuffix("/...")
    return narrow == wide or narrow.startswith((f"{wide}/", f"{wide}::"))


def may_cover(later: Program, earlier: Program) -> bool:
    """Whether another program may check the same: tests by another runner, or a task that runs the linter."""
    if later.name == earlier.name:
        shared = later.filters & earlier.filters or not earlier.filters
        return bool(shared or not later.filters)
    if later.is_test and earlier.is_test:
        return not later.filters or bool(earlier.filters)
    return later.is_check and earlier.is_check


def shows_exit(found: tuple[Program, ...], at: int) -> bool:
    """Whether an exit code of 0 of the whole line says that this program ended well."""
    return all(one.after == "&&" for one in found[at:-1])
