"""The focus of the work when it was summed up: what the next steps are about, and how close a text is to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from clew.history.work_map.view import WorkMap
from clew.units.already_said import SaidText
from clew.units.person_lines import StatementInContext

#: Headings of the parts of a summary that tell what is going on and what comes next.
_PRESENT = re.compile(
    r"(?i)\b(?:pending|current (?:work|state|task|status)|next steps?|remaining|in progress|to-?dos?"
    r"|open (?:items|tasks))"
)
_HEADING = re.compile(r"\s*(?:#{1,4}\s|\d{1,2}\.\s+\*{0,2}[A-Z]|\*\*[^*]+\*\*:?\s*$)")
#: What a text keeps of its value that has nothing to do with the present work, and what closeness adds.
_FAR, _CLOSE = 0.35, 1.3
#: A text with so much of its weight in the focus is as close as can be.
_FULL = 0.6


class Focus:
    """What the present work is about: by the summary's own words, the newest request, open to-dos, the last words."""

    def __init__(self, summary: str, known_text: SaidText, texts: Iterable[str]) -> None:
        self._known_text = known_text
        present_text = "\n".join((*_present_parts(summary), *texts))
        self._tokens = frozenset(known_text.weights(present_text))

    def closeness(self, text: str) -> float:
        """Returns the factor by which closeness to the present work changes the value of a text."""
        weights = self._known_text.weights(text)
        share = sum(weight for token, weight in weights.items() if token in self._tokens) / (sum(weights.values()) or 1)
        return _FAR + _CLOSE * min(1.0, share / _FULL)


def focus_texts(work: WorkMap, statements: Iterable[StatementInContext], last_words: str) -> Iterator[str]:
    """Yields what tells the focus beside the summary: the newest request, open to-dos, the agent's last words."""
    requests = [context.statement.text for context in statements if context.statement.is_message]
    yield from requests[-1:]
    yield from (todo.text for todo in work.todos if todo.status != "done")
    yield last_words


def _present_parts(summary: str) -> Iterator[str]:
    is_present = False
    for line in summary.split("\n"):
        if _HEADING.match(line):
            is_present = _PRESENT.search(line[:120]) is not None
        if is_present:
            yield line
