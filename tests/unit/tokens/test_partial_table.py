"""A few short texts count as by the whole table, and more than that asks for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from clew.tokens import encodings
from clew.tokens.encodings import CL100K, O200K
from clew.tokens.partial_table import PartialTable

CODE = "\n".join(
    f"    if self._value_{number} >= {number * 37}:  # it's the {number}th, naïve — “so”\n\t\treturn {{'b': -{number}}}"
    for number in range(12)
)
TEXTS = [
    "",
    "fix the login",
    CODE,
    "日本語のテキスト",
    "<|endoftext|>",
    "=" * 70,
    "I'LL they've\r\n\r\n  x",
    "é😀👩\u200d",
]


def partial_table(name: str = O200K) -> PartialTable:
    return PartialTable(lambda: encodings._words(name), lambda ranks: encodings._build(name, ranks))


@pytest.mark.parametrize("name", [O200K, CL100K])
def test_texts_have_the_tokens_of_the_whole_table(name: str) -> None:
    table, whole = partial_table(name), encodings.encoding(name)
    for text in TEXTS:
        found = table.encoding([text])
        assert found is not None
        assert found.encode_ordinary(text) == whole.encode_ordinary(text)


def test_an_encoding_serves_all_texts_of_the_same_words() -> None:
    table = partial_table()
    first = table.encoding(["the login fails, the test fails"])
    assert table.encoding(["the login"]) is first
    assert table.encoding(["the logout"]) is not first


@pytest.mark.parametrize("text", ["a\ud800b", "漢" * 1_000, "word " * 60_000])
def test_what_takes_long_or_is_no_text_asks_for_the_whole_table(text: str) -> None:
    assert partial_table().encoding([text]) is None


def test_many_texts_ask_for_the_whole_table() -> None:
    table = partial_table()
    assert [table.encoding([f"number {number}"]) is None for number in (1, 2, 3)] == [False] * 3
    assert any(table.encoding([f"number {number}"]) is None for number in range(4, 20))


def test_a_short_text_builds_no_whole_table_and_a_long_one_does() -> None:
    code = (
        "from clew.tokens import encodings as e; few = e.count('fix the login'), list(e._built);"
        "print(few, e.count('a b ' * 80_000), list(e._built), e.count('fix the login'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "(3, []) 160001 ['o200k_base'] 3"
