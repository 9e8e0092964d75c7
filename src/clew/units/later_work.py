"""What later work has overtaken: words about a fault that was edited since, or a failure that has passed since."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from clew.domain import Call, Message, Output
from clew.text.telling_tokens import NAME, telling_tokens
from clew.text.tools.calls import call_actions
from clew.text.tools.outcomes import read_run

#: Words that find a fault, and words that tell of a check that fails.
_FAULT = re.compile(
    r"(?i)\b(?:not|never|no longer|missing|lacks?|fail\w*|wrong|bug\w*|broken"
    r"|errors?|unused|undefined|still|stale|incorrect\w*|issues?|problem|needs?|should|ineffectual|conflicts?)\b|n't\b"
)
_FAILURE = re.compile(
    r"(?i)\bfail(?:s|ed|ing|ures?)?\b|\b(?:does not|doesn't) (?:pass|compile|build)|\blint (?:errors?|issues?)\b"
)
_QUOTED = re.compile(r"`([^`\n]{2,80})`")


class LaterWork:
    """Knows the newest edit in which each name stood, and the newest check that passed. Messages are read once, in
    order: of what was said before the first of them, nobody knows whether its failures still hold."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._edited: dict[str, int] = {}
        self._calls: dict[str, Call] = {}
        self._first, self._passed = 0, 0
        self.read(messages)

    def read(self, messages: Iterable[Message]) -> None:
        """Reads messages that came since the last ones."""
        for message in messages:
            self._first = self._first or message.number
            for call in message.calls:
                self._calls[call.id] = call
                self._edited.update(dict.fromkeys(_edited_tokens(call), message.number))
            if any(_is_pass(self._calls.pop(output.call_id, None), output) for output in message.outputs):
                self._passed = message.number

    def overtakes(self, text: str, number: int) -> bool:
        """Returns True for words of a message that find a fault with something that was edited after it, or tell of a
        failure that a check which passed came after."""
        if not finds_fault(text):
            return False
        is_over = number < max(self._first, self._passed) and _FAILURE.search(text) is not None
        return is_over or any(self._edited.get(name, 0) > number for name in _names(text))


def finds_fault(text: str) -> bool:
    """Returns True for words that may tell of something that is wrong."""
    return _FAULT.search(text) is not None


def _names(text: str) -> Iterator[str]:
    """Names, and what else is set off as code."""
    yield from (token for token, weight in telling_tokens(text).items() if weight == NAME)
    for quoted in _QUOTED.findall(text):
        yield from telling_tokens(quoted)


def _edited_tokens(call: Call) -> Iterator[str]:
    for action in call_actions(call):
        for change in action.changes if action.kind.changes_files else ():
            yield from telling_tokens(change.old)
            yield from telling_tokens(change.new)


def _is_pass(call: Call | None, output: Output) -> bool:
    command = call_actions(call)[0].command if call is not None else ""
    return bool(command) and read_run(command, output).ok is True
