"""Which messages say the same as others: a file that was read again, an error that came back.

People and models are taken at their word: theirs is the same only when all its words are. Outputs of tools are the same
when nearly all words at their beginnings and ends are, for times and counts differ from run to run.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from clew.domain import Message
from clew.retrieval.words import words_of

#: The share of all words of two outputs that both hold.
_ALIKE = 0.8
#: What is compared of an output's beginning and end, in characters.
_HEAD_CHARS, _TAIL_CHARS = 1_500, 500


@dataclass(slots=True)
class DistinctMessages:
    """Messages that were seen, each saying something else than all others."""

    _said: dict[str, int] = field(default_factory=dict)
    _outputs: dict[int, frozenset[str]] = field(default_factory=dict)

    def add(self, message: Message) -> int | None:
        """Takes a message in. Returns the number of the one seen before that says the same; None where none does."""
        return self._add_output(message) if message.outputs else self._add_said(message)

    def _add_said(self, message: Message) -> int | None:
        calls = [f"{call.name} {call.arguments}" for call in message.calls]
        first = self._said.setdefault(" ".join("\n".join([message.text, *calls]).split()), message.number)
        return None if first == message.number else first

    def _add_output(self, message: Message) -> int | None:
        ends = (f"{output.text[:_HEAD_CHARS]}\n{output.text[-_TAIL_CHARS:]}" for output in message.outputs)
        words = frozenset(words_of("\n".join(ends)))
        for number, others in self._outputs.items():
            if _is_alike(words, others):
                return number
        self._outputs[message.number] = words
        return None


def _is_alike(words: frozenset[str], others: frozenset[str]) -> bool:
    smaller, larger = sorted((len(words), len(others)))
    return smaller >= _ALIKE * larger and len(words & others) >= _ALIKE * len(words | others)
