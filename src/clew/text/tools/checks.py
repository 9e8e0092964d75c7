"""Which tests, builds and linters a command line runs, however they are started, and when one run covers another.

``npx playwright test X``, ``cd e2e && CI=1 timeout 60 npm test X`` and ``pnpm --filter e2e test -- X`` run the same
tests. What a command is narrowed to are its targets (files, packages, folders), its filters (names of tests), and
other options that leave something out.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import re2

from clew.text.memo import remember
from clew.text.tools.shell import SimpleCommand, parse_command, without_written_texts
from clew.text.vocabulary import words as words_of

#: Longer commands are scripts; what they are for stands at their beginning.
_MAX_CHARS, _MAX_DEPTH = 2_000, 3
_MAX_REMEMBERED = 512


class CheckKind(IntEnum):
    """What a program is run for."""

    TEST = 0
    BUILD = 1
    PROGRAM = 2


@dataclass(frozen=True, slots=True)
class Check:
    """A program that checks something, or any other that must be run to know what it does (a PROGRAM).

    ``tool`` is its name, ``task`` the name of a task that may run any tool; ``place`` the folder or package it is run
    in, as far as the command says. The exit code of the whole line is its own where it ``is_visible``; where it
    ``is_implied``, another check is run only after it ended well.
    """

    kind: CheckKind
    tool: str
    task: str = ""
    place: str = ""
    targets: frozenset[str] = frozenset()
    filters: frozenset[str] = frozenset()
    narrowed: frozenset[str] = frozenset()
    only_failed: bool = False
    is_quiet: bool = False
    is_format: bool = False
    is_visible: bool = True
    is_implied: bool = False


_PREFIXES = words_of("sudo time nice nohup env command exec stdbuf xvfb-run then do else ! cross-env dotenv builtin {")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
#: Starters of other programs, by their first words; options may stand behind them.
_STARTERS = (
    *(("npx",), ("bunx",), ("pnpx",), ("npm", "exec"), ("pnpm", "exec"), ("pnpm", "dlx"), ("yarn", "exec")),
    *(("yarn", "dlx"), ("bun", "x"), ("uv", "run"), ("uvx",), ("poetry", "run"), ("pipenv", "run"), ("pdm", "run")),
    *(("rye", "run"), ("hatch", "run"), ("bundle", "exec"), ("coverage", "run"), ("mise", "exec"), ("mise", "x")),
    *(("rtk",), ("doppler", "run"), ("direnv", "exec", "."), ("nix", "develop", "-c"), ("conda", "run")),
)
_STARTER_VALUES = words_of("-p --package -n --name --python --with --extra --group --env-file --project -c --call")
_CONTAINERS = re.compile(r"(?:docker(?:-compose)?|podman)")
#: Options by which a shell stops at the first failure, and what then joins commands as ``&&`` does.
_STOPS, _NEXT = re.compile(r"-\w*e|pipefail"), frozenset({";", "\n", "|", "|&"})
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*(?:\.exe)?")
_SCRIPT_RUNTIMES = frozenset({"node", "bun", "deno", "tsx", "ts-node", "php", "ruby"})
_SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
#: Programs that run the tasks of a project.
_TASK_RUNNERS = words_of("npm pnpm yarn bun make gmake just mise task rake composer nx turbo poe invoke inv deno lerna")
_TESTS = words_of(
    "pytest py.test unittest doctest jest vitest mocha ava karma jasmine rspec minitest phpunit pest ctest gotestsum"
    " tox nox nose2 bats busted tap c8"
)
_BUILDS = words_of(
    "golangci-lint staticcheck gofmt goimports tsc vue-tsc svelte-check eslint oxlint stylelint prettier"
    " flake8 black isort mypy pyright basedpyright pylint rubocop shellcheck hadolint cmake ninja javac"
    " gcc g++ cc clang"
    " clang++ rustc swiftc webpack rollup esbuild tsup py_compile compileall pre-commit yamllint markdownlint ktlint"
    " detekt rustfmt"
)
#: Programs with a subcommand that tells what they do: of tests, of builds.
_SUBCOMMANDS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "go": (words_of("test"), words_of("build vet")),
    "cargo": (words_of("test nextest t"), words_of("build check clippy b c fmt doc")),
    "dotnet": (words_of("test"), words_of("build publish")),
    "swift": (words_of("test"), words_of("build")),
    "mix": (words_of("test"), words_of("compile credo dialyzer")),
    "deno": (words_of("test"), words_of("check lint")),
    "bun": (words_of("test"), words_of("build")),
    "playwright": (words_of("test"), frozenset()),
    "cypress": (words_of("run"), frozenset()),
    "flutter": (words_of("test"), words_of("build analyze")),
    "dart": (words_of("test"), words_of("analyze compile")),
    "zig": (words_of("test"), words_of("build")),
    "bazel": (words_of("test"), words_of("build")),
    "rails": (words_of("test"), frozenset()),
    "sbt": (words_of("test"), words_of("compile")),
    "vite": (frozenset(), words_of("build")),
    "next": (frozenset(), words_of("build lint")),
    "ng": (words_of("test"), words_of("build lint")),
    "docker": (frozenset(), words_of("build")),
    "terraform": (words_of("test"), words_of("validate")),
    "xcodebuild": (words_of("test"), words_of("build")),
    "mvn": (words_of("test verify integration-test"), words_of("compile package install")),
    "gradle": (words_of("test check connectedCheck"), words_of("build assemble compileJava compileKotlin lint")),
    "ruff": (frozenset(), words_of("check format")),
    "biome": (frozenset(), words_of("check lint ci format")),
    "react-scripts": (words_of("test"), words_of("build")),
}
_SAME_PROGRAM = {"py.test": "pytest", "gradlew": "gradle", "mvnw": "mvn", "gmake": "make", "cc": "gcc", "inv": "invoke"}
_SAME_PROGRAM |= {"@playwright/test": "playwright", "manage.py": "django", "mocha.js": "mocha", "jest.js": "jest"}
_TEST_TASK = re.compile(r"(?:^|[:_.-])(?:tests?|specs?|e2e|unit|t|integration)(?:$|[:_.\d-])|test$")
_BUILD_TASK = re.compile(
    r"(?:^|[:_.-])(?:lint|build|check|checks|types?|typecheck|tsc|compile|verify|validate|ci|vet|all"
    r"|typing)(?:$|[:_.-])"
)
#: Tasks that run all there is of their kind.
_GENERAL_TASKS = words_of("test tests check checks verify ci all t test:all")
_WATCH = re.compile(r"(?:^|[:_-])(?:watch|dev|serve|start)(?:$|[:_-])")
#: Options whose value names tests, those whose value leaves something out, and those whose value is of no interest.
_FILTERS = words_of(
    "-run -k -t --filter --grep -g --test-name-pattern --testNamePattern -R --tests -Dtest --tests-regex -e --example"
    " --only --spec-name"
)
_NARROWING = words_of(
    "-m --project --shard -pl -p --package --features --ignore --deselect --exclude -skip --testPathPattern -E"
    " --testPathIgnorePatterns --tag -l --suite --testsuite --group --skip --workspace -w --select --ignore-glob"
)
_VALUED = words_of(
    "-timeout --timeout -count -tags -n --numprocesses -o -C -ldflags --config -c --cwd -coverprofile"
    " --target -j --jobs"
    " --maxfail --tb -parallel --reporter --reporters --prefix --manifest-path --profile --retries"
    " --workers -W --rootdir"
    " --cov --cov-report --color --durations --max-warnings --ext --format -f --output --outDir --line-length --dir -r"
    " --require --seed --globals --env --browser --log-level --output-on-failure --test-dir -B --build -G --filter-out"
)
_PLACES = words_of("-C --prefix --cwd --dir --filter -F --workspace -w --test-dir --manifest-path --project-directory")
_ONLY_FAILED = words_of("--lf --last-failed --onlyFailures --only-failures --last-failed-no-failures --rerun-failed -f")
_EVERYTHING = frozenset({".", "...", "./...", "", "--", "*"})
#: Tools whose plain words are parts of the names of files.
_PATTERN_TOOLS = frozenset({"jest", "vitest", "playwright", "cypress", "bun test"})
_WORD_FILTER_TOOLS = frozenset({"cargo test", "cargo nextest", "ctest"})
#: Programs that print nothing when all is well.
_SILENT = words_of(
    "tsc vue-tsc eslint flake8 py_compile compileall gcc g++ clang clang++ javac shellcheck rustc swiftc"
)
_SILENT |= {"go build", "go vet", "gofmt", "staticcheck", "yamllint"}
_FORMATS = words_of("gofmt prettier black rustfmt isort goimports")
_FORMAT_TASK = re.compile(r"(?:^|[:_-])(?:fmt|format|prettier)(?:$|[:_-])")
_SHOWS = words_of(
    "cd echo printf cat head tail grep egrep fgrep rg ls find wc sort uniq cut tr sed awk jq tee xargs"
    " export sleep true"
    " false exit set source . test [ [[ diff read pushd popd mkdir touch cp mv rm ln chmod kill pkill"
    " wait date pwd which"
    " type unset alias local if fi for while done return trap ps du df stat file tree nl column less more env uname"
    " whoami basename dirname seq : git gh glab curl wget ssh scp rsync nl xxd od strings hexdump lsof clear"
)
_HELP = frozenset({"--help", "--version", "-h", "-V", "help", "--list", "--collect-only", "--co", "--dry-run", "-N"})
#: Options after which a program stands on the command line: it asks something, and checks nothing.
_INLINE = frozenset({"-e", "-c", "-p", "-r", "-pe", "--eval", "--print", "-"})
_TASK_NAME = re.compile(r"[\w:.@/+-]+")
#: A line with which a task runner says what a task runs, and how far into an output it stands.
_ECHO_CHARS = 4_000
_ECHOED = re.compile(r"^(?:\[[\w:./@-]{1,40}\] )?[>$] (\S.{1,300})$", re.MULTILINE)


def checks_of(command: str) -> tuple[Check, ...]:
    """Returns the checks of a command line in order, and the programs that are none but must be run."""
    return _checks(without_written_texts(command)[:_MAX_CHARS])


@remember(_MAX_REMEMBERED)
def _checks(text: str) -> tuple[Check, ...]:
    return tuple(_found(parse_command(text), "", 0))


def _found(simples: Sequence[SimpleCommand], place: str, depth: int, *, is_last: bool = True) -> Iterator[Check]:
    stops_at_failure = False
    for at, simple in enumerate(simples):
        words = simple.words
        stops_at_failure = stops_at_failure or (words[:1] == ["set"] and any(map(_STOPS.match, words[1:])))
        after = [one.joint for one in simples[at:-1]]
        is_visible = is_last and all(joint == "&&" or (stops_at_failure and joint in _NEXT) for joint in after)
        if words[:1] in (["cd"], ["pushd"]) and len(words) > 1:
            place = _joined(place, words[1])
            continue
        inner, words, place_of = _unwrapped(words)
        if inner and depth < _MAX_DEPTH:
            yield from _found(parse_command(inner), place, depth + 1, is_last=is_visible)
        elif words and (check := _check(words, _joined(place, place_of) if place_of else place)):
            yield replace(check, is_visible=is_visible, is_implied=simple.joint == "&&")


def _joined(place: str, path: str) -> str:
    path = path.strip("\"'")
    if path.startswith(("/", "~", "$")) or not place:
        return posixpath.normpath(path) if path else ""
    return posixpath.normpath(f"{place}/{path}")


def _unwrapped(words: Sequence[str]) -> tuple[str, list[str], str]:
    """The words of a program without what starts it; or a command line that a shell is given; and the place."""
    left, place = list(words), ""
    for _ in range(8):
        before = len(left)
        while left and (left[0] in _PREFIXES or _ASSIGNMENT.match(left[0])):
            left = left[1:]
        if left[:1] == ["timeout"] or left[:1] == ["gtimeout"]:
            left = _without_options(left[1:], _STARTER_VALUES | {"-k", "-s"})[1:]
        for start in _STARTERS:
            if tuple(left[: len(start)]) == start:
                left = _without_options(left[len(start) :], _STARTER_VALUES)
        if left and _CONTAINERS.fullmatch(left[0]) and {"exec", "run"} & set(left[1:4]):
            left, place = _in_container(left)
        if left and left[0].rsplit("/", 1)[-1] in _SHELLS and len(left) > 2 and re.fullmatch(r"-\w*c", left[1]):
            return left[2], [], place
        if left and _PYTHON.fullmatch(left[0].rsplit("/", 1)[-1]):
            left = _module(left)
        if len(left) == before:
            break
    return "", left, place


def _without_options(words: list[str], valued: Collection[str]) -> list[str]:
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] in valued else words[1:]
    return words


def _in_container(words: list[str]) -> tuple[list[str], str]:
    """What is run in a container, and the container as its place."""
    at = next(at for at, word in enumerate(words) if word in {"exec", "run"})
    rest = _without_options(words[at + 1 :], words_of("-e -w -u -v --env --workdir --user --name -p --entrypoint"))
    return rest[1:], rest[0] if rest else ""


def _module(words: list[str]) -> list[str]:
    """A Python module as the program that it is; any other script stays what it was."""
    rest = _without_options(words[1:], frozenset({"-W", "-X"})) if "-m" not in words[1:4] else words[1:]
    if "-m" in rest[:4]:
        return rest[rest.index("-m") + 1 :] or words
    return words


def _check(words: list[str], place: str) -> Check | None:
    name = words[0].rsplit("/", 1)[-1]
    rest = words[1:]
    if name in _SCRIPT_RUNTIMES and rest and (inner := _known_script(rest)):
        name, rest = inner, rest[1:]
    name = "python" if _PYTHON.fullmatch(name) else _SAME_PROGRAM.get(name, name)
    if name in _SHOWS or name.endswith("()") or not name:
        return None
    if name == "node" and "--test" in rest:
        return _narrowed(CheckKind.TEST, "node test", "", [w for w in rest if w != "--test"], place)
    if _INLINE & set(rest[:3]) and (name in _SCRIPT_RUNTIMES or name == "python"):
        return _narrowed(CheckKind.PROGRAM, name, " ".join(rest), [], place)
    if _HELP & set(rest) and not (name == "make" and "-N" in rest):
        return _narrowed(CheckKind.PROGRAM, " ".join(words), "", [], place)
    if name == "manage.py" or (name == "django" and rest[:1] == ["test"]):
        return _narrowed(CheckKind.TEST, "django test", "", rest[1:], place)
    if name in _SUBCOMMANDS and (found := _subcommand(name, rest, place)):
        return found
    if name in _TASK_RUNNERS:
        return _task(name, rest, place)
    if name in _TESTS or name in _BUILDS:
        return _narrowed(CheckKind.TEST if name in _TESTS else CheckKind.BUILD, name, "", rest, place)
    return _narrowed(CheckKind.PROGRAM, name, "", rest, place)


def _known_script(rest: Sequence[str]) -> str:
    """A tool that a runtime is given as a file: node_modules/.bin/jest, vendor/bin/phpunit."""
    name = rest[0].rsplit("/", 1)[-1].removesuffix(".js").removesuffix(".mjs")
    return name if name in _TESTS | _BUILDS or name in {"playwright", "vite", "next"} else ""


def _subcommand(name: str, rest: list[str], place: str) -> Check | None:
    tests, builds = _SUBCOMMANDS[name]
    plain = _without_options(list(rest), _VALUED | _PLACES)
    tasks = [word for word in rest if not word.startswith("-")] if name in {"mvn", "gradle", "sbt"} else plain[:1]
    verbs = [word.rsplit(":", 1)[-1] for word in tasks]
    verb = next((word for word in verbs if word in tests), "") or next((word for word in verbs if word in builds), "")
    if not verb:
        return None
    kind = CheckKind.TEST if verb in tests else CheckKind.BUILD
    words = [word for word in rest if word.rsplit(":", 1)[-1] not in tests | builds or ":" in word.strip(":")]
    tool = f"{name} {'test' if verb in {'t', 'nextest'} else verb}" if name not in {"playwright", "cypress"} else name
    if name == "cargo" and words[:1] == ["run"]:
        words = words[1:]
    return _narrowed(kind, tool, "", words, place)


def _task(runner: str, rest: list[str], place: str) -> Check | None:
    """A task of the project, or a tool that a package manager starts."""
    words = list(rest)
    while words and (words[0].startswith("-") or words[0] in {"workspace", "-r", "recursive"}):
        option, _, value = words[0].partition("=")
        if option in _PLACES or option == "workspace":
            place = _joined(place, (value or (words[1] if len(words) > 1 else "")).strip("@./").rsplit("/", 1)[-1])
            words = words[1:] if value else words[2:]
        else:
            words = words[2:] if option in {"-j", "-f", "-d"} and not value else words[1:]
    if words[:1] in (["run"], ["run-script"]):
        words = _without_options(words[1:], _PLACES)
    elif words[:1] == ["ci"] and runner != "make":
        return _narrowed(CheckKind.PROGRAM, runner, "ci", [], place)
    task, words = (words[0], words[1:]) if words else ("", [])
    known = _SAME_PROGRAM.get(task, task)
    if known in _TESTS | _BUILDS or known in {"playwright", "cypress", "vite", "next", "ng", "react-scripts"}:
        return _check([known, *words], place)
    if runner == "make":
        task, words = task or "all", [word for word in words if "=" not in word]
    kind = _task_kind(task)
    return _narrowed(kind, runner if kind is CheckKind.PROGRAM else "task", task, words, place)


def _task_kind(task: str) -> CheckKind:
    if not _TASK_NAME.fullmatch(task):
        return CheckKind.PROGRAM
    if _WATCH.search(task) or _FORMAT_TASK.search(task):
        return CheckKind.PROGRAM if not _FORMAT_TASK.search(task) else CheckKind.BUILD
    if _TEST_TASK.search(task):
        return CheckKind.TEST
    return CheckKind.BUILD if _BUILD_TASK.search(task) else CheckKind.PROGRAM


def _narrowed(kind: CheckKind, tool: str, task: str, words: Sequence[str], place: str) -> Check:
    """A check with what its words narrow it to."""
    targets, filters, narrowed, flags = set[str](), set[str](), set[str](), set[str]()
    waiting = ""
    for word in words:
        option, sign, value = word.partition("=")
        if waiting:
            _take_value(waiting, word, filters, narrowed)
            waiting = ""
        elif word.startswith("-") and len(word) > 1 and option in _FILTERS | _NARROWING | _VALUED:
            if sign:
                _take_value(option, value, filters, narrowed)
            elif not (option in {"-f", "-c", "-p", "-e", "-l", "-o", "-w"} and kind is CheckKind.PROGRAM):
                waiting = option
        elif word.startswith("-"):
            flags.add(word)
        elif word not in _EVERYTHING and not word.isdigit():
            targets.add(word)
    if tool in _WORD_FILTER_TOOLS:
        filters, targets = filters | targets, set()
    joined = {_joined(place, name.removeprefix("./")) for name in targets} if kind is not CheckKind.PROGRAM else targets
    is_format = (tool in _FORMATS and not {"--check", "-l", "-d", "-c", "--list-different"} & flags) or (
        (tool == "task" and bool(_FORMAT_TASK.search(task)))
        or (tool in {"ruff format", "biome format", "cargo fmt"} and "--check" not in flags)
    )
    return Check(
        kind,
        tool,
        task,
        place,
        frozenset(joined) - _EVERYTHING,
        frozenset(filters),
        frozenset(narrowed),
        only_failed=bool(_ONLY_FAILED & flags),
        is_quiet=tool in _SILENT or bool({"-q", "--quiet", "--silent"} & flags and kind is CheckKind.BUILD),
        is_format=is_format,
    )


def _take_value(option: str, value: str, filters: set[str], narrowed: set[str]) -> None:
    value = value.strip("'\"")
    if option in _FILTERS:
        filters.add(value)
    elif option in _NARROWING:
        narrowed.add(f"{option} {value}")


def is_test(command: str) -> bool:
    """Returns True for a command that runs tests."""
    return any(check.kind is CheckKind.TEST for check in checks_of(command))


def echoed_commands(text: str) -> list[str]:
    """Returns the checks that a task runner says its tasks run: npm writes ``> jest`` before what jest prints."""
    return [line for line in _ECHOED.findall(text[:_ECHO_CHARS]) if any(map(_is_of_tool, checks_of(line)))]


def _is_of_tool(check: Check) -> bool:
    return check.kind is not CheckKind.PROGRAM and check.tool != "task"


# ── one run covers another ───────────────────────────────────────────────────────────────────────────


def covers(later: Check, earlier: Check, failing: Collection[str] = ()) -> bool:
    """Returns True when all that the earlier check was narrowed to, or all that it named as ``failing``, is checked by
    the later one too."""
    if later.kind is not earlier.kind or not _is_same_tool(later, earlier):
        return False
    if later.only_failed and later.kind is CheckKind.TEST:
        return bool(failing) or earlier.only_failed
    if later.narrowed - earlier.narrowed:
        return False
    if later.filters and later.filters != earlier.filters:
        names = [name for value in later.filters for name in re.split(r"\||\bor\b", value)]
        return bool(failing) and all(any(_selects(name, test) for name in names) for test in failing)
    if later.targets:
        return bool(earlier.targets) and all(_is_within(one, later) for one in earlier.targets)
    if later.kind is CheckKind.PROGRAM:
        return not earlier.targets
    return _lies_in(earlier.place, later.place) or any(_is_path_in(one, later.place) for one in earlier.targets)


def _is_same_tool(later: Check, earlier: Check) -> bool:
    """The same program or task. A task may run any tool: it does where both are given the same files, and a general one
    runs all there is."""
    if later.tool == earlier.tool:
        return later.task == earlier.task or later.task in _GENERAL_TASKS or bool(later.targets & earlier.targets)
    if later.kind is CheckKind.PROGRAM or "task" not in {later.tool, earlier.tool}:
        return False
    is_general = later.tool == "task" and later.task in _GENERAL_TASKS and not later.targets and not later.filters
    return is_general or bool(later.targets) or bool(later.filters)


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
    starts = ("".join(pieces[: at + 1]) for at in range(len(pieces)))
    return any(one == wide or one.endswith(f"/{wide}") or wide.endswith(f"/{one}") for one in starts if one)


def _lies_in(place: str, wide: str) -> bool:
    """Returns True when a place is another, lies in it, or one of them is not known."""
    return not place or not wide or _is_path_in(place, wide) or place.rsplit("/", 1)[-1] == wide.rsplit("/", 1)[-1]
