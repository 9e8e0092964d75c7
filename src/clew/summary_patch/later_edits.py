"""What later edits have overtaken: words that found something wrong with code that was changed afterwards."""

from __future__ import annotations

import re
from collections.abc import Iterable

from clew.domain import Message
from clew.text.telling_tokens import NAME, telling_tokens
from clew.text.tools.calls import call_actions

_FINDS_FAULT = re.compile(
    r"(?i)\b(?:not|never|no longer|missing|lacks?|fail\w*|wrong|bug\w*|broken"
    r"|errors?|unused|undefined|still|stale|incorrect\w*|issues?|problem|needs?|should|ineffectual|conflicts?)\b|n't\b"
)


class LaterEdits:
    """Knows the newest edit in which each name was taken out, put in or stood in the path."""

    def __init__(self, messages: Iterable[Message]) -> None:
        self._newest: dict[str, int] = {}
        for message in messages:
            for call in message.calls:
                for action in call_actions(call):
                    touched = [text for change in action.changes for text in (change.old, change.new)]
                    names = _names("\n".join(touched)) if action.kind.changes_files else ()
                    self._newest.update(dict.fromkeys(names, message.number))

    def overtake(self, text: str, number: int) -> bool:
        """Returns True for words of a message that found a fault with something that was edited after it."""
        if not _FINDS_FAULT.search(text):
            return False
        return any(self._newest.get(name, 0) > number for name in _names(text))


def _names(text: str) -> list[str]:
    return [token for token, weight in telling_tokens(text).items() if weight == NAME]
