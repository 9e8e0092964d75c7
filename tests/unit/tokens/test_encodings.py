"""The encodings are exact, offline, built once, and linear on the worst of texts."""

from __future__ import annotations

import hashlib
import socket
import subprocess
import sys
from binascii import a2b_base64
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
import tiktoken_ext.openai_public as published

from clew.text.memo import forget_all
from clew.tokens import encodings
from clew.tokens.encodings import CL100K, CUT_TOKENS, O200K, PIECE_CHARS
from tests.effort import first

BOTH = pytest.mark.parametrize("name", [O200K, CL100K])


def published_recipe(name: str, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """The pattern and the digest that tiktoken itself pins, read without its downloader."""
    digests: list[str] = []

    def load(_address: str, expected_hash: str) -> dict[bytes, int]:
        digests.append(expected_hash)
        return {}

    monkeypatch.setattr(published, "load_tiktoken_bpe", load)
    recipe: dict[str, Any] = getattr(published, name)()
    return recipe["pat_str"], digests[0]


@BOTH
def test_pattern_and_digest_are_those_that_tiktoken_pins(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = encodings._RECIPES[name]
    assert (recipe.pattern, recipe.sha256) == published_recipe(name, monkeypatch)


def test_a_damaged_table_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    another = replace(encodings._RECIPES[O200K], sha256=hashlib.sha256(b"another").hexdigest())
    monkeypatch.setitem(encodings._RECIPES, O200K, another)
    with pytest.raises(encodings.ClewError, match="o200k_base"):
        encodings._words.__wrapped__(O200K)


def test_tables_are_built_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_kwargs: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    words = encodings._words.__wrapped__(CL100K)
    ranks = {a2b_base64(word): rank for rank, word in enumerate(words)}
    assert encodings._build(CL100K, ranks).encode_ordinary("hello world") == [15339, 1917]


def test_importing_the_package_loads_no_table_and_no_tiktoken() -> None:
    code = (
        "import sys, clew.tokens as t; t.quick_count('x'); t.tokenizer_for('gpt-5'); print('tiktoken' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_all_threads_get_one_encoding() -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: id(encodings.encoding(O200K)), range(32)))
    assert len(set(found)) == 1


@pytest.mark.parametrize(
    ("text", "o200k", "cl100k"),
    [
        ("", 0, 0),
        ("hello world", 2, 2),
        ("The quick brown fox jumps over the lazy dog.", 10, 10),
        ("def f(x):\n    return x + 1\n", 11, 11),
        ("1234567", 3, 3),
        ("日本語のテキスト", 6, 8),
    ],
)
def test_known_counts(text: str, o200k: int, cl100k: int) -> None:
    assert (encodings.count(text, O200K), encodings.count(text, CL100K)) == (o200k, cl100k)


@BOTH
def test_the_name_of_a_special_token_is_ordinary_text(name: str) -> None:
    assert encodings.count("<|endoftext|>", name) == 7
    assert encodings.count("<|fim_prefix|><|endofprompt|>", name) > 2


@BOTH
def test_lone_surrogates_are_counted(name: str) -> None:
    assert encodings.count("a\ud800b", name) > 0


def test_words_are_never_cut_apart() -> None:
    text = "the quick brown fox, it's 42 steps\n" * 40
    parts, cuts = encodings.pieces(text, limit=50)
    assert ("".join(parts), cuts, max(map(len, parts)) <= 50) == (text, 0, True)


def test_a_run_that_is_too_long_is_cut_and_costs_a_little_more() -> None:
    assert encodings.pieces("a" * 25, limit=10) == (["a" * 10, "a" * 10, "a" * 5], 2)
    run = "a" * (3 * PIECE_CHARS)
    whole = len(encodings.encoding(O200K).encode_ordinary(run))
    assert encodings.count(run) == whole + 2 * CUT_TOKENS


@BOTH
@pytest.mark.parametrize("unit", first(["a", " ", "漢", "👩\u200d👧", "\t ", "\n", "\u00a0", "😀", "-", "'"], 4))
def test_a_million_characters_without_a_break_are_counted(unit: str, name: str) -> None:
    text = (unit * 1_000_000)[:1_000_000]
    sample = encodings.count(text[:8_000], name)
    assert 120 * sample <= encodings.count(text, name) <= 130 * (sample + CUT_TOKENS)


@BOTH
def test_many_texts_count_as_one_by_one(name: str) -> None:
    texts = ["", "one two", "x" * 20_000, "Some words. " * 3_000, "日本語"] * 3
    assert encodings.count_many(texts, name) == [encodings.count(text, name) for text in texts]


@BOTH
def test_a_text_is_counted_once_until_all_is_forgotten(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "The limit of part \ud800 stays as it is, whatever is counted beside it; " * 4
    counted: list[str] = []

    def tokens(text: str, table: Any) -> int:
        counted.append(table.name)
        return len(text)

    monkeypatch.setattr(encodings, "_tokens", tokens)
    forget_all()
    assert [encodings.count(text, name), encodings.count(text, name)] == [len(text)] * 2
    other = O200K if name == CL100K else CL100K
    assert encodings.count(text, other) == len(text)
    forget_all()
    encodings.count(text, name)
    forget_all()
    assert counted == [name, other, name]


def test_no_more_counts_are_remembered_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encodings, "_MOST_REMEMBERED", 3)
    texts = [f"{at} words of a text that is long enough to be worth remembering, and more." for at in range(8)]
    assert [encodings.count(text) for text in texts] == [encodings.count_many([text])[0] for text in texts]
    assert len(encodings._remembered) <= 3


@BOTH
def test_a_text_counts_by_its_lines_as_it_counts_whole(name: str) -> None:
    ends = ["", ".", ":", ")", "'", "é", " "]
    lines = [f"{'  ' * (at % 4)}line {at} of a text that is counted again{ends[at % 7]}" for at in range(99)]
    for text in ("\n".join(lines), "\n\n" + "\r\n".join(lines), "\n \n".join(lines) + "\n", "", "\n", "a\n" * 9_000):
        for again in (text, f"{text}\nand one more", f"one before\n{text}"):
            assert encodings.count_by_lines(again, name) == encodings.count(again, name)


def test_a_long_text_that_was_counted_with_others_is_not_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    forget_all()
    text = "A sentence that was recorded. " * 4_000
    counted = encodings.count_many([text, "short"])[0]
    monkeypatch.setattr(encodings, "_tokens", None)
    assert encodings.count(text) == counted
