"""The source of a summary as checks need it: the words that it was made from, and who wrote them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from clew.domain import Call, Message, Origin, Role
from clew.history.person_words import person_statements
from clew.summaries.history_text import message_blocks
from clew.summaries.values import SummaryMaterial

#: Letters of any script; scripts without blanks come one character at a time.
_RUN = re.compile(r"[^\W\d_]+")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
#: Two words that begin alike are forms of one; shorter words are in every text.
_STEM, _MIN_WORD = 5, 4
#: A sentence of fewer words, or twice as many characters where words have no blanks between them, tells little.
_INFORMATIVE_WORDS, _INFORMATIVE_CHARS = 5, 200
#: More than this of one text tells nothing new about which words it uses.
_MAX_CHARS = 2_000_000


def replace_surrogates(text: str) -> str:
    """Returns the text with question marks for lone surrogates, which not every pattern can read."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def words_in(text: str, *, pattern: re.Pattern[str] = _RUN) -> Iterator[str]:
    """Words in order, in lower case; where there are no blanks between them, single characters."""
    for run in pattern.finditer(text[:_MAX_CHARS].casefold()):
        word = run[0]
        if word.isascii() or not _UNSPACED.search(word):
            yield word
        else:
            yield from word


def stems_in(text: str) -> set[str]:
    """What the content words of a text begin with; pairs of characters where words have no blanks between them."""
    found = list(words_in(text))
    pairs = {one + other for one, other in pairwise(found) if len(one) == len(other) == 1}
    return {word[:_STEM] for word in found if len(word) >= _MIN_WORD} | pairs


def is_informative(text: str) -> bool:
    """False for "Good." and "Go on, please": they say nothing without what they answer."""
    unspaced = len(_UNSPACED.findall(text[:_INFORMATIVE_CHARS]))
    return len(text.split()) >= _INFORMATIVE_WORDS or unspaced >= 2 * _INFORMATIVE_WORDS


@dataclass(frozen=True)
class Source:
    """The material as checks look at it; each view is made when it is first asked for."""

    material: SummaryMaterial

    @cached_property
    def stems(self) -> set[str]:
        told = message_blocks(self.material.messages)
        return stems_in("\n".join([self.material.before, *self.material.keep, *told]))

    @cached_property
    def persons_words(self) -> str:
        """What people wrote; where nobody did, the earlier summary or the assistant's words."""
        calls: dict[str, Call] = {}
        said: list[str] = []
        for message in self.material.messages:
            said += [statement.text for statement in person_statements(message, calls)]
            calls.update((call.id, call) for call in message.calls)
        return "\n".join(said) or self.material.before or self.assistant_words

    @cached_property
    def assistant_words(self) -> str:
        """What the assistant wrote."""
        return "\n".join(message.text for message in self.material.messages if message.role is Role.ASSISTANT)

    @cached_property
    def foreign_lines(self) -> tuple[str, ...]:
        """Lines that tools, files and clients gave; whatever they say, nobody asked for it."""
        return tuple(line for message in self.material.messages for line in _foreign_text(message).split("\n"))


def _foreign_text(message: Message) -> str:
    outputs = "\n".join(output.text for output in message.outputs)
    return f"{outputs}\n{message.text}" if message.origin in {Origin.TOOL, Origin.CLIENT, Origin.REPORTED} else outputs
