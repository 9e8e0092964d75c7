"""What an agent said that later work has overtaken: a fault that was edited since, a failure that has passed since."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clew.domain import Call, Message, Output, Role
from clew.engine.session import Session
from clew.text.tools.calls import call_actions
from clew.text.tools.outcomes import read_run
from clew.units.terms import NAME

#: What is older than so many messages is not followed up: of its failures nobody knows whether they still hold.
_MOST_MESSAGES = 200
#: Words that find a fault, and words that tell of a check that fails.
_FAULT = re.compile(
    r"(?i)\b(?:not|never|missing|lacks?|wrong|bug\w*|broken|errors?|fail\w*|issues?|still|stale|needs?|should)\b|n't\b"
)
_FAILURE = re.compile(
    r"(?i)\bfail(?:s|ed|ing|ures?)?\b|\b(?:does not|doesn't) (?:pass|compile|build)|\blint (?:errors?|issues?)\b"
)
_LINE = re.compile(r":\d+\Z")


def finds_fault(message: Message) -> bool:
    """Returns True for words of the agent that may tell of something that is wrong."""
    return message.role is Role.ASSISTANT and _FAULT.search(message.text) is not None


class LaterWork:
    """Edits and passed checks of a session's newest messages. Kept for long, it reads only what is new."""

    def __init__(self) -> None:
        self.seen, self._first, self._passed = 0, 0, 0
        self._edits: list[tuple[int, str]] = []
        self._calls: dict[str, Call] = {}

    def catch_up(self, session: Session) -> None:
        """Reads what came since the last time."""
        now = session.info.messages
        if now > self.seen:
            self._read(session.reader.recent_messages(min(now - self.seen, _MOST_MESSAGES)))
        self.seen = now

    def overtakes(self, message: Message) -> bool:
        """Returns True for words about a fault that an edit or a check that passed came after, and for a failure that
        is too old to tell."""
        is_over = message.number < max(self._first, self._passed)
        return (is_over and _FAILURE.search(message.text) is not None) or self._is_edited(message)

    def _is_edited(self, message: Message) -> bool:
        """Whether a name in the words stands in an edit that came after them."""
        found = (_LINE.sub("", name.strip("`")).rpartition(".")[2] for name in NAME.findall(message.text))
        names = {name for name in found if len(name) > 2}
        return any(number > message.number and name in text for number, text in self._edits for name in names)

    def _read(self, messages: Sequence[Message]) -> None:
        for message in messages:
            self._first = self._first or message.number
            self._calls.update((call.id, call) for call in message.calls)
            self._edits += ((message.number, text) for call in message.calls if (text := _edited_text(call)))
            if any(_is_pass(self._calls.pop(one.call_id, None), one) for one in message.outputs):
                self._passed = message.number


def _edited_text(call: Call) -> str:
    actions = [action for action in call_actions(call) if action.kind.changes_files]
    return "\n".join(text for action in actions for one in action.changes for text in (one.old, one.new))


def _is_pass(call: Call | None, output: Output) -> bool:
    command = call_actions(call)[0].command if call is not None else ""
    return bool(command) and read_run(command, output).ok is True
