"""The words of a text, as learned models see them."""

from __future__ import annotations

import re

#: A word, a number, a sign; of scripts that set no spaces, each character.
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\d_]+(?:'[^\W\d_]+)?|\d+|_|[^\w\s]")


def words_of(text: str) -> list[str]:
    """Words and signs in small letters; all numbers are one."""
    return ["0" if token[0].isdigit() else token for token in _TOKEN.findall(text.lower().replace("’", "'"))]
