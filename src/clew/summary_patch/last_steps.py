"""The last steps before a summary, which it was written too early or too broadly to tell: finds and last words."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from clew.domain import Call, Message, Output, Role, Status
from clew.domain.ids import message_id
from clew.history.work_map.commands import command_key
from clew.history.work_map.view import WorkMap
from clew.summary_patch.focus import Focus
from clew.text.injected_text import without_reminders
from clew.text.names import is_path
from clew.text.sentences import sentences
from clew.text.terminal import safe
from clew.text.tools.actions import Action, ActionKind
from clew.text.tools.calls import call_actions
from clew.text.tools.noise import without_noise
from clew.units.action_units import command_line, relative
from clew.units.already_said import SaidText
from clew.units.code_lines import TEST_PATH
from clew.units.report_units import announces
from clew.units.terms import says_little
from clew.units.unit import Section, Unit, clip_middle

#: So many of the newest messages are looked at, from the newest request on.
_MAX_MESSAGES = 120
#: What the last step is worth, and what each step before it keeps of that.
_NEWEST, _EARLIER = 1.1, 0.965
_MISSING = 0.35
#: A search that tells which files something is in spares the next one; one that found one place is soon done again.
_FILES, _FEW_FILES = 1.3, 0.6
#: Steps before the newest request must be so close to the present work, and are worth less.
_CLOSE, _BEFORE = 0.9, 0.6
_LAST_WORDS, _WORDS_MISSING = 1.9, 0.2
_COMMAND_CHARS, _FOUND_CHARS, _WORDS_CHARS = 150, 260, 260
#: Characters of the files that a search found, where a patch has room left.
_ALL_CHARS = 900
#: Commands that search, where a line that was found begins with its place, and what tools say of how much it was.
_SEARCHES = re.compile(r"(?:\A|[|;&]\s*)(?:git )?(?:grep|rg|find|ag)\b")
_STILL_TO_DO = re.compile(r"(?i)\b(?:need(?:s)? to|have to|must|next|now (?:add|fix|update)|still)\b")
_QUOTED = re.compile(r"[\"']([^\"'*]{3,200})[\"']")
_PLACE = re.compile(r"((?:[\w.@~+-]*/)*[\w.@~+-]+\.\w{1,8})(:\d{1,6})?:")
_CONTEXT = re.compile(r"(?:[\w./@~+-]+\.\w{1,8})?-?\d{1,6}-")
#: From so many files on, their names are listed instead of lines.
_SEVERAL = 3
#: A search for one definition is done again as quickly as its result is read.
_SEEKS_DEFINITION = re.compile(r"[\W]*(?:func|def|class|type|interface|struct|fn|function|const|var|import)\b")
#: What a search found that says nothing alone: a number, a record of data.
_NO_FIND = re.compile(r"\d+|.{0,120}?[{\[][\"'].*")
_COUNTS = re.compile(
    r"(?:<|\.\.\.|\[Showing|Output too large|Preview|Shell cwd|Found \d+|No (?:files|matches) found|\d+ matches)"
)


@dataclass(frozen=True, slots=True)
class _Step:
    """A search in one line, also with all files it found something in, what it searched for and how many they are."""

    number: int
    text: str
    longer: str
    asked: str
    pattern: str
    files: int


@dataclass(frozen=True, slots=True)
class _Files:
    """Where files were edited last, by the path as seen from the root."""

    root: str
    edited: Mapping[str, int]

    def edited_after(self, path: str, number: int) -> bool:
        return self.edited.get(path, 0) > number


def last_steps(
    messages: Sequence[Message], work: WorkMap, summary: SaidText, focus: Focus, *, request: int
) -> Iterator[Unit]:
    """Yields what was found last and left to do, if not told; the newest request is the message ``request``."""
    files = _Files(work.root, {work.relative_path(facts.path): facts.edited for facts in work.files if facts.edited})
    yield from _last_words(messages, summary)
    steps = messages[-_MAX_MESSAGES:]
    outputs = {output.call_id: output for message in steps for output in message.outputs}
    found = [
        step
        for message in reversed(steps)
        for call in reversed(message.calls)
        if (step := _step(call, outputs.get(call.id), files, message.number))
    ]
    for age, step in enumerate(_widest_searches(found)):
        missing, closeness = summary.missing(step.text), focus.closeness(step.asked)
        is_present = step.number > request
        if missing >= _MISSING and (is_present or step.files >= _SEVERAL):
            value = _NEWEST * _EARLIER**age * missing * closeness * (_FILES if step.files >= _SEVERAL else _FEW_FILES)
            value *= 1.0 if is_present else _BEFORE * min(1.0, closeness / _CLOSE) ** 2
            id = message_id(step.number)
            yield Unit(
                section=Section.LAST,
                number=step.number,
                text=f"{id} {step.text}",
                value=value,
                about=step.text,
                is_compared=True,
                longer=f"{id} {step.longer}" if step.longer != step.text else "",
            )


def _widest_searches(steps: Sequence[_Step]) -> list[_Step]:
    """The steps without searches for what another one searched for in more files."""
    most: dict[str, int] = {}
    for step in steps:
        most[step.pattern] = max(step.files, most.get(step.pattern, 0))
    return [step for step in steps if not step.pattern or step.files == most[step.pattern]]


def _last_words(messages: Sequence[Message], summary: SaidText) -> Iterator[Unit]:
    """What the agent said last and what it called after that: where the work was left."""
    last = next((one for one in reversed(messages) if one.role is Role.ASSISTANT and one.text.strip()), None)
    if last is None:
        return
    words = sentences(last.text)[-1:] or (last.text.strip(),)
    after = [call for one in messages if one.number >= last.number for call in one.calls]
    then = f"then {len(after)} calls" if len(after) > 1 else "then one call" if after else "no call after that"
    said = clip_middle(words[0], _WORDS_CHARS)
    is_open = said.endswith("?") or (not after and (announces(said) or _STILL_TO_DO.search(said)))
    if is_open and not says_little(said) and summary.missing(said) >= _WORDS_MISSING:
        text = f'{last.id} agent, last words: "{said}" ({then})'
        yield Unit(section=Section.LAST, number=last.number, text=text, value=_LAST_WORDS, about=said)


def _step(call: Call, output: Output | None, state: _Files, number: int) -> _Step | None:
    action = call_actions(call)[0]
    if output is None or output.status is not Status.SUCCESS:
        return None
    if action.kind is ActionKind.SEARCH or (action.command and _SEARCHES.search(command_key(action.command))):
        return _search(action, safe(without_reminders(output.text)).strip(), state, number)
    return None


def _search(action: Action, text: str, state: _Files, number: int) -> _Step | None:
    """What a search found in files that were not edited since, all of it if it is little, else the first of it."""
    where = relative(action.path, state.root)
    if where and state.edited_after(where, number):
        return None
    if action.command:
        command = command_line(action.command, state.root)
        command = command.replace(f"{state.root}/", "") if state.root else command
        asked = f"ran `{clip_middle(command, _COMMAND_CHARS)}`"
    else:
        asked = f"searched `{clip_middle(action.pattern, 80)}`{f' in {where}' if where else ''}"
    lines = [line.strip() for line in without_noise(text).split("\n") if line.strip(" -")]
    lines = [line.replace(f"{state.root}/", "") if state.root else line for line in lines if not _COUNTS.match(line)]
    found = [one for line in lines if (one := _Found.from_line(line))]
    kept = [one for one in found if not state.edited_after(one.path, number)]
    if not kept or _SEEKS_DEFINITION.match(_asked_for(action)) or all(_NO_FIND.fullmatch(one.text) for one in kept):
        return None
    since = "in files not edited since: " if len(kept) < len(found) else ""
    files = len({one.path for one in kept})
    told = f"agent {asked} → {since}"
    return _Step(
        number,
        f"{told}{_list_found(kept, _FOUND_CHARS)}",
        f"{told}{_list_found(kept, _ALL_CHARS)}",
        asked=_asked_for(action),
        pattern=action.pattern,
        files=files,
    )


def _asked_for(action: Action) -> str:
    """The words that were searched for: of a command, those in quotes."""
    return action.pattern or " ".join(_QUOTED.findall(action.command)) or action.command


@dataclass(frozen=True, slots=True)
class _Found:
    """A line that a search printed, and the file it stands in, if the line names it."""

    text: str
    path: str = ""

    @classmethod
    def from_line(cls, line: str) -> _Found | None:
        """Returns None for a line that was printed for its neighbour's sake."""
        if _CONTEXT.match(line):
            return None
        place = _PLACE.match(line)
        if place is None or not is_path(place[1]):
            return cls(line, line.removeprefix("./") if is_path(line) else "")
        return cls(f"{place[1]}{place[2] or ''} {line[place.end() :].strip()}".strip(), place[1].removeprefix("./"))


def _list_found(found: Sequence[_Found], limit: int) -> str:
    """All of what was found if it is little, else the files it was found in, or the first of it, within a limit."""
    whole = "; ".join(one.text for one in found)
    if len(whole) <= _FOUND_CHARS:
        return whole
    paths = list(dict.fromkeys(one.path for one in found if one.path))
    if len(paths) < _SEVERAL:
        return f"{clip_middle(whole, _FOUND_CHARS)} ({len(found)} lines)"
    folder = _common_folder(paths)
    names = [path[len(folder) :] for path in sorted(paths, key=lambda path: (TEST_PATH.search(path) is not None, path))]
    few = [name for at, name in enumerate(names) if len(", ".join(names[: at + 1])) <= limit]
    more = f" and {len(names) - len(few)} more" if len(few) < len(names) else ""
    return f"{len(paths)} files{f' in {folder}' if folder else ''}: {', '.join(few)}{more}"


def _common_folder(paths: Sequence[str]) -> str:
    """The folder that all paths stand in, with the slash after it."""
    return (
        posixpath.commonprefix([f"{posixpath.dirname(path)}/" for path in paths]).rpartition("/")[0] + "/"
        if all("/" in path for path in paths)
        else ""
    )
