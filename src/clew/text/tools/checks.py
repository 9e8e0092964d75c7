"""Which tests, builds and linters a command line runs, however they are started.

``npx playwright test X``, ``cd e2e && CI=1 timeout 60 npm test X`` and ``pnpm --filter e2e test -- X`` run the same
tests. What a command is narrowed to are its targets (files, packages, folders), its filters (names of tests), and
other options that leave something out.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from clew.text.memo import remember
from clew.text.tools import check_words as known
from clew.text.tools.shell import SimpleCommand, parse_command, without_options, without_written_texts

#: Longer commands are scripts; what they are for stands at their beginning.
_MAX_CHARS, _MAX_DEPTH = 2_000, 3
_MAX_REMEMBERED = 2_048


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
    ``is_implied``, another check is run only after it ended well. ``stricter`` are options that ask for more.
    """

    kind: CheckKind
    tool: str
    task: str = ""
    place: str = ""
    targets: frozenset[str] = frozenset()
    filters: frozenset[str] = frozenset()
    narrowed: frozenset[str] = frozenset()
    stricter: frozenset[str] = frozenset()
    only_failed: bool = False
    is_quiet: bool = False
    is_format: bool = False
    is_visible: bool = True
    is_implied: bool = False


def checks_of(command: str) -> tuple[Check, ...]:
    """Returns the checks of a command line in order, and the programs that are none but must be run."""
    return _checks(without_written_texts(command)[:_MAX_CHARS])


@remember(_MAX_REMEMBERED)
def _checks(text: str) -> tuple[Check, ...]:
    return tuple(_find_checks(parse_command(text), "", 0))


def _find_checks(simples: Sequence[SimpleCommand], place: str, depth: int, *, is_last: bool = True) -> Iterator[Check]:
    stops_at_failure = False
    for index, simple in enumerate(simples):
        words = simple.words
        stops_at_failure = stops_at_failure or (words[:1] == ["set"] and any(map(known.STOPS.match, words[1:])))
        after = [simple.joint for simple in simples[index:-1]]
        is_visible = is_last and all(joint == "&&" or (stops_at_failure and joint in known.NEXT) for joint in after)
        if words[:1] in (["cd"], ["pushd"]) and len(words) > 1:
            place = _join_path(place, words[1])
            continue
        if words[:1] == ["ssh"] and depth < _MAX_DEPTH:
            yield from _on_host(words, depth, is_visible=is_visible)
            continue
        fed, words = _fed_files(simples[: index + 1])
        inner, words, place_of = _unwrap(words)
        if inner and depth < _MAX_DEPTH:
            yield from _find_checks(parse_command(inner), place, depth + 1, is_last=is_visible)
        elif words and (check := _check(words, _join_path(place, place_of) if place_of else place)):
            check = replace(
                check, narrowed=check.narrowed | fed, is_quiet=check.is_quiet or _drops_passes(simples[index + 1 :])
            )
            yield replace(check, is_visible=is_visible, is_implied=simple.joint == "&&")


def _drops_passes(after: Sequence[SimpleCommand]) -> bool:
    """Returns True where the first of some commands takes out of what is piped to it the lines that tell of passes."""
    words = after[0].words if after and after[0].piped else []
    return words[:1] in (["grep"], ["egrep"], ["rg"]) and known.DROPS_PASSES.search(" ".join(words[1:])) is not None


def _fed_files(simples: Sequence[SimpleCommand]) -> tuple[frozenset[str], list[str]]:
    """What the last of some commands is narrowed to by the names that are piped to it, and its own words. All files
    that git knows are all there is."""
    words = simples[-1].words
    if words[:1] != [known.FEEDS]:
        return frozenset(), words
    first = next((index for index in range(len(simples) - 1, -1, -1) if not simples[index].piped), 0)
    feeders = [" ".join(word for word in simple.words if not word.startswith("-")) for simple in simples[first:-1]]
    fed = frozenset() if feeders == ["git ls-files"] else frozenset({f"files of {' | '.join(feeders)}"})
    return fed, without_options(words[1:], known.FEED_VALUES)


def _on_host(words: list[str], depth: int, *, is_visible: bool) -> Iterator[Check]:
    """What is run on another machine: it says nothing of other machines, nor of this one."""
    host, *rest = without_options(words[1:], known.SSH_VALUES) or [""]
    place = frozenset({f"on {host.rsplit('@', 1)[-1]}"})
    for check in _find_checks(parse_command(" ".join(rest)), "", depth + 1, is_last=is_visible):
        yield replace(check, narrowed=check.narrowed | place)


def _join_path(place: str, path: str) -> str:
    path = path.strip("\"'")
    if path.startswith(("/", "~", "$")) or not place:
        return posixpath.normpath(path) if path else ""
    return posixpath.normpath(f"{place}/{path}")


def _unwrap(words: Sequence[str]) -> tuple[str, list[str], str]:
    """The words of a program without what starts it; or a command line that a shell is given; and the place."""
    left, place = list(words), ""
    for _ in range(8):
        before = len(left)
        while left and (left[0] in known.PREFIXES or known.ASSIGNMENT.match(left[0])):
            left = left[1:]
        if left and left[0] in known.OPTION_PREFIXES:
            left = without_options(left[1:], known.PREFIX_VALUES)
        if left[:1] == ["timeout"] or left[:1] == ["gtimeout"]:
            left = without_options(left[1:], known.STARTER_VALUES | {"-k", "-s"})[1:]
        for start in known.STARTERS:
            if tuple(left[: len(start)]) == start:
                left = without_options(left[len(start) :], known.STARTER_VALUES)
        if left and known.CONTAINERS.fullmatch(left[0]) and {"exec", "run"} & set(left[1:8]):
            left, place = _in_container(left)
        if left and left[0].rsplit("/", 1)[-1] in known.SHELLS and len(left) > 2 and re.fullmatch(r"-\w*c", left[1]):
            return left[2], [], place
        if left and known.PYTHON.fullmatch(left[0].rsplit("/", 1)[-1]):
            left = _module(left)
        if len(left) == before:
            break
    return "", left, place


def _in_container(words: list[str]) -> tuple[list[str], str]:
    """What is run in a container, and the container as its place."""
    verb = next(index for index, word in enumerate(words) if word in {"exec", "run"})
    rest = without_options(words[verb + 1 :], known.CONTAINER_VALUES)
    return without_options(rest[1:], frozenset()), rest[0] if rest else ""


def _module(words: list[str]) -> list[str]:
    """A Python module as the program that it is; any other script stays what it was."""
    rest = without_options(words[1:], frozenset({"-W", "-X"})) if "-m" not in words[1:4] else words[1:]
    if "-m" in rest[:4]:
        return rest[rest.index("-m") + 1 :] or words
    return words


def _check(words: list[str], place: str) -> Check | None:
    name = re.sub(r"(?<=\w)@[\w.^~-]+$", "", words[0].rsplit("/", 1)[-1])
    rest = words[1:]
    script = without_options(rest, known.SCRIPT_VALUES)
    if name in known.SCRIPT_RUNTIMES and script and (inner := _known_script(script)):
        name, rest = inner, script[1:]
    name = "python" if known.PYTHON.fullmatch(name) else known.SAME_PROGRAM.get(name, name)
    if known.TEST_SCRIPT.fullmatch(words[0]) and not known.HELP & set(rest):
        return _narrow_check(CheckKind.TEST, words[0].removeprefix("./"), "", rest, place)
    if name in known.SHOWS or name.endswith("()") or not name:
        return None
    if name == "node" and "--test" in rest:
        return _narrow_check(CheckKind.TEST, "node test", "", [w for w in rest if w != "--test"], place)
    if known.INLINE & set(rest[:3]) and (name in known.SCRIPT_RUNTIMES or name == "python"):
        return _narrow_check(CheckKind.PROGRAM, name, " ".join(rest), [], place)
    if known.HELP & set(rest) and not (name == "make" and "-N" in rest):
        return _narrow_check(CheckKind.PROGRAM, " ".join(words), "", [], place)
    if name == "manage.py" or (name == "django" and rest[:1] == ["test"]):
        return _narrow_check(CheckKind.TEST, "django test", "", rest[1:], place)
    if name in known.SUBCOMMANDS and (check := _subcommand(name, rest, place)):
        return check
    if name in known.TASK_RUNNERS:
        return _task(name, rest, place)
    if name in known.TESTS or name in known.BUILDS:
        return _narrow_check(CheckKind.TEST if name in known.TESTS else CheckKind.BUILD, name, "", rest, place)
    return _narrow_check(CheckKind.PROGRAM, name, "", rest, place)


def _known_script(rest: Sequence[str]) -> str:
    """A tool that a runtime is given as a file: node_modules/.bin/jest, vendor/bin/phpunit."""
    name = rest[0].rsplit("/", 1)[-1].removesuffix(".js").removesuffix(".mjs")
    return name if name in known.TESTS | known.BUILDS or name in {"playwright", "vite", "next"} else ""


def _subcommand(name: str, rest: list[str], place: str) -> Check | None:
    tests, builds = known.SUBCOMMANDS[name]
    rest = [word for word in rest if word not in known.CLEANS and not (name == "cargo" and word.startswith("+"))]
    plain = without_options(list(rest), known.VALUED | known.PLACES)
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
    return _narrow_check(kind, tool, "", words, place)


def _task(runner: str, rest: list[str], place: str) -> Check | None:
    """A task of the project, or a tool that a package manager starts."""
    words = list(rest)
    while words and (words[0].startswith("-") or words[0] in {"workspace", "-r", "recursive"}):
        option, _, value = words[0].partition("=")
        if option in known.PLACES or option == "workspace":
            place = _join_path(place, (value or (words[1] if len(words) > 1 else "")).strip("@./").rsplit("/", 1)[-1])
            words = words[1:] if value else words[2:]
        else:
            words = words[2:] if option in {"-j", "-f", "-d"} and not value else words[1:]
    if words[:1] in (["run"], ["run-script"]):
        words = without_options(words[1:], known.PLACES)
    elif words[:1] == ["ci"] and runner != "make":
        return _narrow_check(CheckKind.PROGRAM, runner, "ci", [], place)
    task, words = (words[0], words[1:]) if words else ("", [])
    tool = known.SAME_PROGRAM.get(task, task)
    if tool in known.TESTS | known.BUILDS or tool in known.PACKAGE_TOOLS - {runner}:
        return _check([tool, *words], place)
    if runner == "nx" and ":" in task:
        project, task = task.split(":", 1)
        words = [project, *words]
    if runner == "make":
        task, words = task or "all", [word for word in words if "=" not in word]
    kind = _task_kind(task)
    return _narrow_check(kind, runner if kind is CheckKind.PROGRAM else "task", task, words, place)


def _task_kind(task: str) -> CheckKind:
    if not known.TASK_NAME.fullmatch(task):
        return CheckKind.PROGRAM
    if known.WATCH.search(task) or known.FORMAT_TASK.search(task):
        return CheckKind.PROGRAM if not known.FORMAT_TASK.search(task) else CheckKind.BUILD
    if known.TEST_TASK.search(task):
        return CheckKind.TEST
    return CheckKind.BUILD if known.BUILD_TASK.search(task) else CheckKind.PROGRAM


def _narrow_check(kind: CheckKind, tool: str, task: str, words: Sequence[str], place: str) -> Check:
    """A check with what its words narrow it to."""
    targets, filters, narrowed, flags, stricter = set[str](), set[str](), set[str](), set[str](), set[str]()
    waiting = ""
    for word in words:
        option, sign, value = word.partition("=")
        if waiting in known.STRICTER_VALUES and kind is CheckKind.BUILD:
            stricter.add(f"{waiting} {word}")
            waiting = ""
        elif waiting:
            _take_value(waiting, word, filters, narrowed)
            waiting = ""
        elif option in known.STRICTER and kind is CheckKind.BUILD:
            waiting = option if option in known.STRICTER_VALUES and not sign else ""
            stricter |= set() if waiting else {word.replace("=", " ")}
        elif (
            len(word) > 1
            and option in known.FILTERS | known.NARROWING | known.VALUED
            and not (
                tool == "go test" and option == "-c"  # which compiles only
            )
        ):
            if sign:
                _take_value(option, value, filters, narrowed)
            elif not (option in {"-f", "-c", "-p", "-e", "-l", "-o", "-w"} and kind is CheckKind.PROGRAM):
                waiting = option
        elif word.startswith("-"):
            flags.add(word)
        elif word not in known.EVERYTHING and not word.isdigit():
            targets.add(word)
    if tool in known.WORD_FILTER_TOOLS:
        filters, targets = filters | targets, set()
    narrowed |= {word for word in words if known.NOT_RUN.fullmatch(word) or (tool == "go test" and word == "-c")}
    if kind is CheckKind.BUILD and known.OTHER_RULES.search(" ".join(words)):
        kind = CheckKind.PROGRAM
    joined = (
        {_join_path(place, name.removeprefix("./")) for name in targets} if kind is not CheckKind.PROGRAM else targets
    )
    is_format = (tool in known.FORMATS and not {"--check", "-l", "-d", "-c", "--list-different"} & flags) or (
        (tool == "task" and bool(known.FORMAT_TASK.search(task)))
        or (tool in {"ruff format", "biome format", "cargo fmt"} and "--check" not in flags)
    )
    return Check(
        kind,
        tool,
        task,
        place,
        frozenset(joined) - known.EVERYTHING,
        frozenset(filters),
        frozenset(narrowed),
        frozenset(stricter),
        only_failed=bool(known.ONLY_FAILED & flags),
        is_quiet=tool in known.SILENT or bool({"-q", "--quiet", "--silent"} & flags and kind is CheckKind.BUILD),
        is_format=is_format,
    )


def _take_value(option: str, value: str, filters: set[str], narrowed: set[str]) -> None:
    value = value.strip("'\"")
    if option in known.FILTERS:
        filters.add(value)
    elif option in known.NARROWING and value not in known.WHOLE_VALUES:
        narrowed.add(f"{known.SHORT_OPTION.get(option, option)} {value}")


def is_test(command: str) -> bool:
    """Returns True for a command that runs tests."""
    return any(check.kind is CheckKind.TEST for check in checks_of(command))


def echoed_commands(text: str) -> list[str]:
    """Returns the checks that a task runner says its tasks run: npm writes ``> jest`` before what jest prints."""
    return [line for line in known.ECHOED.findall(text[: known.ECHO_CHARS]) if any(map(_is_of_tool, checks_of(line)))]


def _is_of_tool(check: Check) -> bool:
    return check.kind is not CheckKind.PROGRAM and check.tool != "task"
