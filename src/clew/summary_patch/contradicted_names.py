"""Names and numbers of a summary that no record has, where the records have others in their place.

A branch, a path or a number is corrected only where it stands nowhere in the session, and the records name one that it
stands for: the branch that the work is on, the only file of that name, the number in the person's own sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from clew.domain import Message
from clew.domain.ids import message_id, message_number
from clew.history.message_text import message_text
from clew.history.work_map.view import WorkMap
from clew.summary_patch.corrections import correction, is_claim
from clew.summary_patch.edit_places import EditHistory, Replacement
from clew.text.sentences import sentences
from clew.units.already_said import SaidText, shows
from clew.units.code_lines import command_line
from clew.units.person_lines import StatementInContext
from clew.units.unit import Unit, clip_middle

#: Ways to say which branch the work is on. Others are named in many more.
_BRANCH = re.compile(
    r"(?i)(?:\b(?:are|is|currently|now|working|checked out) on (?:the |git )*branch:?"
    r"|\b(?:current|working|active) (?:git )?branch\W{0,4}(?:is)?|^\W*(?:git )?branch\**:)"
    r"[ *`'\"]+([a-z][\w./-]*\w)"
)
_PATH = re.compile(r"(?<![\w/.:@~-])(?:\./)?((?:[\w.-]+/)+[\w.-]*\.\w{1,8})(?![\w/])")
_NUMBER = re.compile(r"(?<!\d)(?<!\d\.)\d+(?:\.\d+)*(?!\d)")
_WORD = re.compile(r"[^\W\d_]{3,}")
#: A sentence of the summary tells what a person said if it holds so much of their words, of so many at least.
_SAME, _LEAST_WORDS = 0.8, 4
_SAID_CHARS = 160
_COMMAND_CHARS, _MAX_NAMES = 110, 6


def replaced_texts(
    messages: Sequence[Message], history: EditHistory, summary: SaidText, work: WorkMap
) -> Iterator[Unit]:
    """Yields what the summary names though a command took its file's text away, and no output has shown it since."""
    for replacement in history.replacements:
        file_edits = history.files.get(replacement.path)
        names = [
            name
            for name in replacement.names
            if summary.has(name) and (file_edits is None or name not in file_edits.added)
        ]
        seen = [
            output.text for message in messages if message.number > replacement.number for output in message.outputs
        ]
        lost = [name for name in names if not any(name in text for text in seen)]
        if file_edits is not None and lost:
            claim = next((sentence for sentence in reversed(summary.sentences) if lost[0] in sentence), lost[0])
            yield correction(claim, _replacement_text(replacement, lost, work), replacement.number)


def _replacement_text(replacement: Replacement, lost: Sequence[str], work: WorkMap) -> str:
    command = clip_middle(command_line(replacement.command, work.root), _COMMAND_CHARS)
    path, names = work.relative_path(replacement.path), ", ".join(lost[:_MAX_NAMES])
    numbers = ", ".join(dict.fromkeys(message_id(replacement.names[name]) for name in lost[:_MAX_NAMES]))
    replaced_in = message_id(replacement.number)
    return f"`{command}` ({replaced_in}) replaced {path}, and nothing has shown {names} ({numbers}) since"


class _Records:
    """What stands anywhere in a session."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages

    @cached_property
    def _text(self) -> str:
        return "\n".join(map(message_text, self._messages))

    def has(self, name: str) -> bool:
        """Returns True where a name stands by itself, or at the end of a longer one."""
        return shows(self._text, (name,))


def contradicted_names(
    messages: Sequence[Message], work: WorkMap, statements: Sequence[StatementInContext], summary: SaidText
) -> Iterator[Unit]:
    """Yields what the summary names wrongly, beside what the records name."""
    records = _Records(messages)
    yield from _branch(work, summary, records)
    yield from _paths(work, summary, records)
    yield from _numbers(statements, summary, records)


def _branch(work: WorkMap, summary: SaidText, records: _Records) -> Iterator[Unit]:
    branch, seen_in = work.repository.branch
    if not branch or not seen_in or summary.names_branch(branch):
        return
    for sentence in reversed(summary.sentences):
        named = _BRANCH.search(sentence)
        if named and is_claim(sentence) and not records.has(named[1]):
            yield correction(sentence, f"branch {branch} ({message_id(seen_in)})", seen_in)
            return


def _paths(work: WorkMap, summary: SaidText, records: _Records) -> Iterator[Unit]:
    known: dict[str, set[str]] = {}
    for facts in work.files:
        known.setdefault(facts.path.rpartition("/")[2], set()).add(facts.path)
    edited = {facts.path: facts.edited for facts in work.files if facts.edited}
    for sentence in summary.sentences:
        for path in _PATH.findall(sentence) if is_claim(sentence) else ():
            there = known.get(path.rpartition("/")[2], set())
            right = next(iter(there)) if len(there) == 1 else ""
            if right in edited and not right.endswith(f"/{path}") and not records.has(path):
                shown = f"{work.relative_path(right)} ({message_id(edited[right])})"
                yield correction(sentence, shown, edited[right])


def _numbers(statements: Sequence[StatementInContext], summary: SaidText, records: _Records) -> Iterator[Unit]:
    claims = [(sentence, _words(sentence), set(_NUMBER.findall(sentence))) for sentence in summary.sentences]
    claims = [number for number in claims if number[2]]
    for statement in (context.statement for context in statements if claims and not context.withdrawn):
        for sentence in sentences(statement.text):
            words, numbers = _words(sentence), set(_NUMBER.findall(sentence))
            if len(words) < _LEAST_WORDS or not numbers:
                continue
            for claim, other, claimed in claims:
                is_same = len(words & other) >= _SAME * len(words)
                if is_same and numbers - claimed and any(not records.has(number) for number in claimed - numbers):
                    shown = f'the user said "{clip_middle(sentence, _SAID_CHARS)}" ({statement.source})'
                    yield correction(claim, shown, message_number(statement.source))
                    return


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
