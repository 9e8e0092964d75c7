"""What is remembered of users' texts is bounded, and is forgotten at once when asked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import clew
from clew.text.memo import forget_all, remember, remember_by_object, remember_latest, remember_until_full

ROOT = Path(clew.__file__).parent


def test_a_result_is_worked_out_once_until_all_is_forgotten() -> None:
    asked: list[str] = []

    @remember(8)
    def length(text: str) -> int:
        asked.append(text)
        return len(text)

    assert [length("rope"), length("rope")] == [4, 4]
    assert asked == ["rope"]
    forget_all()
    assert length("rope") == 4
    assert asked == ["rope", "rope"]


def test_no_more_is_kept_than_was_allowed() -> None:
    asked: list[int] = []

    @remember(2)
    def same(number: int) -> int:
        asked.append(number)
        return number

    for number in (1, 2, 3, 1):
        same(number)
    assert asked == [1, 2, 3, 1]


def test_lists_that_are_equal_are_worked_out_once() -> None:
    asked: list[list[int]] = []

    @remember_latest(2)
    def total(numbers: list[int]) -> int:
        asked.append(numbers)
        return sum(numbers)

    assert [total([1, 2]), total([1, 2]), total([3]), total([4]), total([3]), total([1, 2])] == [3, 3, 3, 4, 3, 3]
    assert asked == [[1, 2], [3], [4], [1, 2]]
    forget_all()
    total([1, 2])
    assert len(asked) == 5


def test_every_cache_of_words_is_emptied() -> None:
    """Bounded caches are those keyed by texts; those keyed by what stands in the code have no bound."""
    program = (
        "import gc, functools;"
        "from clew.text.memo import forget_all;"
        "import clew.retrieval.words as words, clew.text.names as names, clew.signals.critical.subjects as subjects;"
        "words.words_of('secretword'), list(names.names_in('secretName')), subjects.subject_of('never use secretword');"
        "full = lambda: sum(one.cache_info().currsize for one in gc.get_objects()"
        " if isinstance(one, functools._lru_cache_wrapper) and one.__module__.startswith('clew.')"
        " and one.cache_parameters()['maxsize']);"
        "assert full() > 2; forget_all(); assert full() == 0, full()"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT.parent)


def test_what_is_known_of_an_object_is_known_of_no_other() -> None:
    asked: list[list[int]] = []

    @remember_by_object(2)
    def total(numbers: list[int]) -> int:
        asked.append(numbers)
        return sum(numbers)

    one, same = [1, 2], [1, 2]
    assert [total(one), total(one), total(same)] == [3, 3, 3]
    assert [id(held) for held in asked] == [id(one), id(same)]
    assert [total([4]), total(one)] == [4, 3]  # full: it began anew
    assert len(asked) == 4
    forget_all()
    assert total(one) == 3
    assert len(asked) == 5


def test_what_is_full_begins_anew() -> None:
    asked: list[str] = []

    @remember_until_full(2, longest=3)
    def length(text: str) -> int:
        asked.append(text)
        return len(text)

    assert [length(text) for text in ("a", "bb", "a", "ccc", "a")] == [1, 2, 1, 3, 1]
    assert asked == ["a", "bb", "ccc", "a"]
    forget_all()
    assert [length(text) for text in ("a", "dddd", "a", "dddd")] == [1, 4, 1, 4]
    assert asked[4:] == ["a", "dddd", "dddd"]  # a long one is not kept
