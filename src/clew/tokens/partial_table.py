"""An encoding of the tokens that a few short texts can hold: they count as by the whole table, which takes longer.

Merging looks up nothing but parts of the text, and no token reaches across a break. So a table of all tokens that
stand between two breaks of a text gives that text the tokens of the whole table.
"""

from __future__ import annotations

import re
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

#: Where no token of either encoding can reach across: after an ASCII letter or digit, before something that
#: is neither letter, digit nor apostrophe; and between letters and digits.
BREAK = r"(?:[A-Za-z0-9](?=[\x00-&(-/:-@\[-`{-\x7f])|[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z]))"
_RUN = re.compile(rf"(?s).+?(?:{BREAK}|\Z)")

#: Steps of a quarter of a microsecond that all this may take, a third of what the whole table takes to build:
#: one for each character and for each part of a run, and so many for each encoding.
_MOST_STEPS, _ENCODING_STEPS = 240_000, 16_000


class PartialTable:
    """The tokens that can occur in the texts seen so far.

    ``words`` gives the Base64 of all tokens of the whole table by rank; ``build`` makes an encoding of some.
    """

    def __init__(self, words: Callable[[], list[bytes]], build: Callable[[dict[bytes, int]], Encoding]) -> None:
        self._words, self._build = words, build
        self._steps = 0
        self._runs: set[str] = set()
        self._tokens: dict[bytes, int] = {}
        self._encoding: Encoding | None = None

    def encoding(self, texts: Sequence[str]) -> Encoding | None:
        """An encoding that counts these texts as the whole table does; None when it is time to build that."""
        self._steps += sum(map(len, texts))
        if self._steps > _MOST_STEPS:
            return None
        runs = {run for text in texts for run in _RUN.findall(text)} - self._runs
        if not runs and self._encoding is not None:
            return self._encoding
        self._steps += _ENCODING_STEPS + sum(len(run) ** 2 // 2 for run in runs)
        return None if self._steps > _MOST_STEPS or any(map(_has_surrogate, runs)) else self._extend(runs)

    def _extend(self, runs: set[str]) -> Encoding:
        self._tokens |= self._among(_parts(runs) if self._tokens else _parts(runs) | _BYTES)
        self._runs |= runs
        self._encoding = self._build(self._tokens)
        return self._encoding

    def _among(self, parts: Iterable[bytes]) -> dict[bytes, int]:
        words = {b2a_base64(part, newline=False) for part in parts}
        return {a2b_base64(word): self._ranks[word] for word in words & self._ranks.keys()}

    @cached_property
    def _ranks(self) -> dict[bytes, int]:
        words = self._words()
        return dict(zip(words, range(len(words)), strict=True))


_BYTES = {bytes([byte]) for byte in range(256)}


def _has_surrogate(run: str) -> bool:
    """Whether a lone surrogate is in it, for which the encoder puts something else."""
    return not run.isascii() and any("\ud800" <= char <= "\udfff" for char in run)


def _parts(runs: Iterable[str]) -> set[bytes]:
    encoded = map(str.encode, runs)
    return {run[start:end] for run in encoded for start, end in combinations(range(len(run) + 1), 2)}
