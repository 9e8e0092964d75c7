"""What git printed when it was looked at last: the commits of the branch, and how it stands to another one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from clew.domain import Message
from clew.domain.ids import message_id
from clew.history.work_map.repository import is_elsewhere
from clew.history.work_map.view import WorkMap
from clew.text.plurals import pluralise
from clew.text.tools import git_lines as git
from clew.text.tools.calls import call_actions
from clew.text.trim import cut_at_word
from clew.units.already_said import SaidText
from clew.units.unit import Section, Unit, nearness

_STANDING = re.compile(
    r"^Your branch (?:is (?:ahead|behind)|and '[^'\n]+' have diverged)[^\n]{0,160}(?:\nand have [^\n]{0,80})?",
    re.MULTILINE,
)
_HASH, _HASH_CHARS = re.compile(r"[0-9a-f]{12,40}"), 10
_MAX_COMMITS, _SUBJECT_CHARS = 4, 80
_LOG_VALUE, _STANDING_VALUE = 2.0, 2.2


@dataclass(frozen=True, slots=True)
class RepositoryLooks:
    """The newest log of the branch, the branch it was compared with, if any, and what git said last of where it stands;
    each with the number of its message, 0 where there is none."""

    log: str = ""
    base: str = ""
    logged: int = 0
    standing: str = ""
    stood: int = 0


def read_repository_looks(messages: Sequence[Message], *, home: str) -> RepositoryLooks:
    """Reads what git printed of the checkout at ``home``."""
    outputs = {output.call_id: output.text for message in messages for output in message.outputs}
    found = RepositoryLooks()
    for message in reversed(messages):
        for call in message.calls:
            command, text = call_actions(call)[0].command, outputs.get(call.id, "")
            if not command or not text or is_elsewhere(command, home):
                continue
            if not found.logged and (asked := git.ASKS_LOG.search(command)):
                found = replace(found, log=text, base=asked[2] or "", logged=message.number)
            if not found.stood and git.ASKS_STATUS.search(command) and (stands := _STANDING.search(text)):
                found = replace(found, standing=" ".join(stands[0].split()), stood=message.number)
    return found


def repository_losses(looks: RepositoryLooks, work: WorkMap, summary: SaidText) -> Iterator[Unit]:
    """Yields what git printed last and neither the summary nor the work map tells."""
    known = work.repository
    if looks.logged:
        yield from _log(looks, work, summary)
    if looks.stood > max((known.settled_at, *(push.at for push in known.pushes))):
        line = f"git status ({message_id(looks.stood)}): {looks.standing}"
        value = _STANDING_VALUE * nearness(looks.stood, work.now)
        yield Unit(section=Section.STATE, number=looks.stood, text=line, value=value)


def _log(looks: RepositoryLooks, work: WorkMap, summary: SaidText) -> Iterator[Unit]:
    """The commits of the branch that are not told, or the one that this session's commits were put upon."""
    known, logged = work.repository, git.LOGGED.findall(looks.log)
    made = {one.hash[:7] for one in known.commits}
    if known.head and known.head.at >= looks.logged:
        made.add(known.head.hash[:7])
    others = [(hash, subject) for hash, subject in logged if hash[:7] not in made]
    shown = others[: _MAX_COMMITS if looks.base else 1]
    lost = [f"{hash} {cut_at_word(subject, _SUBJECT_CHARS)}" for hash, subject in shown if not summary.has(hash)]
    if not lost or (known.head and not looks.base and not known.commits and len(others) < len(logged)):
        return
    base = looks.base[:_HASH_CHARS] if _HASH.fullmatch(looks.base) else looks.base
    of = f"{base}..HEAD has {pluralise(len(logged), 'commit')}" if base else "git log"
    below = ", below this session's commits" if len(others) < len(logged) else ""
    line = f"{of} ({message_id(looks.logged)}){below}: {'; '.join(lost)}"
    value = _LOG_VALUE * nearness(looks.logged, work.now)
    yield Unit(section=Section.STATE, number=looks.logged, text=line, value=value)
