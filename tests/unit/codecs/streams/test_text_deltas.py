"""The words of a stream are those of the whole answer, without thoughts and calls."""

from __future__ import annotations

import pytest

from clew.codecs.streams.assembler import text_delta
from tests import stream_examples
from tests.stream_examples import WORDS


@pytest.mark.parametrize("name", ["anthropic", "openai_chat", "gemini"])
def test_words_alone_are_shown(name: str) -> None:
    example = getattr(stream_examples, name)()
    assert "".join(text_delta(event, example.format) for event in example.events) == "".join(WORDS)
    assert text_delta({}, example.format) == ""
