"""What every store promises of its index of words: it finds what is there, in its own session, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from clew.domain import SessionInfo
from clew.ports import WORDS, Postings, Store
from tests.conformance.test_stores import KEY, OTHERS, opener, store, undone

__all__ = ["opener", "store"]  # fixtures

ODD_WORDS = ["ärger", "日本", "naïve_name", "a.b-c_d", "0", "x" * 64, "or", "and", "not", "near", "\U0001f9f6", "held"]


def totals(store: Store, *words: str) -> dict[str, int]:
    return {one.word: one.total for one in store.find_words(KEY, words, 100)}


def test_nothing_is_found_in_a_session_that_was_never_indexed(store: Store) -> None:
    assert store.find_words(KEY, ["rope"], 10) == []


def test_a_word_is_found_in_the_messages_that_hold_it_in_order_of_number(store: Store) -> None:
    store.put_words(KEY, {7: ["rope", "knot"], 2: ["rope"], 12: ["knot"], 3: ["sail"]})
    assert store.find_words(KEY, ["rope"], 10) == [Postings("rope", 2, (2, 7))]


def test_the_rarest_word_comes_first_then_in_order_of_the_words(store: Store) -> None:
    store.put_words(KEY, {1: ["b", "c", "d"], 2: ["d", "c"], 3: ["d"], 4: ["a"]})
    assert store.find_words(KEY, ["d", "c", "b", "a"], 10) == [
        Postings("a", 1, (4,)),
        Postings("b", 1, (1,)),
        Postings("c", 2, (1, 2)),
        Postings("d", 3, (1, 2, 3)),
    ]


def test_words_that_nobody_holds_are_left_out_and_a_word_asked_twice_counts_once(store: Store) -> None:
    store.put_words(KEY, {1: ["rope"]})
    assert store.find_words(KEY, ["rope", "ropes", "rop", "rope"], 10) == [Postings("rope", 1, (1,))]
    assert store.find_words(KEY, [], 10) == []


def test_a_message_is_put_again_with_other_words(store: Store) -> None:
    store.put_words(KEY, {1: ["rope", "knot"], 2: ["rope"]})
    store.put_words(KEY, {1: ["rope", "sail"]})
    assert store.find_words(KEY, ["rope", "knot", "sail"], 10) == [
        Postings("sail", 1, (1,)),
        Postings("rope", 2, (1, 2)),
    ]


@pytest.mark.parametrize("nothing", [None, []])
def test_a_message_is_taken_out(store: Store, nothing: list[str] | None) -> None:
    store.put_words(KEY, {1: ["rope"], 2: ["rope"]})
    store.put_words(KEY, {1: nothing, 9: nothing})
    assert store.find_words(KEY, ["rope"], 10) == [Postings("rope", 1, (2,))]
    store.put_words(KEY, {1: ["rope"]})
    assert totals(store, "rope") == {"rope": 2}


@pytest.mark.parametrize("word", ODD_WORDS)
def test_words_of_every_kind_are_found_as_they_are(store: Store, word: str) -> None:
    store.put_words(KEY, {1: [word], 2: [word + "s", "s" + word]})
    assert store.find_words(KEY, [word], 10) == [Postings(word, 1, (1,))]


def test_large_numbers_are_found(store: Store) -> None:
    store.put_words(KEY, {999_999_999: ["rope"], 1: ["rope"]})
    assert store.find_words(KEY, ["rope"], 10) == [Postings("rope", 2, (1, 999_999_999))]


def test_common_words_are_told_only_of_messages_that_rarer_ones_found(store: Store) -> None:
    store.put_words(KEY, {number: ["common"] for number in range(1, 21)})
    store.put_words(KEY, {5: ["common", "rare"], 30: ["rare"], 8: ["common", "seldom"]})
    assert store.find_words(KEY, ["common", "seldom", "rare"], 10) == [
        Postings("seldom", 1, (8,)),
        Postings("rare", 2, (5, 30)),
        Postings("common", 20, (5, 8)),
    ]


def test_of_a_word_with_too_many_holders_the_newest_are_told(store: Store) -> None:
    store.put_words(KEY, {number: ["common", "wider"] for number in range(1, 21)} | {40: ["wider"]})
    assert store.find_words(KEY, ["common", "wider"], 3) == [
        Postings("common", 20, (18, 19, 20)),
        Postings("wider", 21, (18, 19, 20)),
    ]


def test_words_that_just_fit_are_told_in_full(store: Store) -> None:
    store.put_words(KEY, {1: ["a"], 2: ["a"], 3: ["b"], 4: ["b"], 5: ["b"]})
    found = [Postings("a", 2, (1, 2)), Postings("b", 3, (3, 4, 5))]
    assert store.find_words(KEY, ["a", "b"], 5) == found
    assert store.find_words(KEY, ["a", "b"], 4) == [found[0], Postings("b", 3, ())]


def test_sessions_users_and_tenants_are_apart(store: Store) -> None:
    for at, key in enumerate([KEY, *OTHERS], 1):
        store.put_words(key, {at: ["rope", f"own{at}"]})
    for at, key in enumerate([KEY, *OTHERS], 1):
        assert store.find_words(key, ["rope", "own1", "own2", "own3", "own4"], 10) == [
            Postings(f"own{at}", 1, (at,)),
            Postings("rope", 1, (at,)),
        ]


def test_deleting_a_session_takes_its_words_and_no_others(store: Store) -> None:
    for key in [KEY, *OTHERS]:
        store.save_session(SessionInfo(key=key))
        store.put_words(key, {1: ["rope"]})
    store.delete_session(KEY)
    assert store.find_words(KEY, ["rope"], 10) == []
    assert [store.find_words(key, ["rope"], 10) for key in OTHERS] == [[Postings("rope", 1, (1,))]] * 3
    fresh = KEY._replace(id="fresh")
    store.put_words(fresh, {2: ["sail"]})
    assert store.find_words(fresh, ["rope", "sail"], 10) == [Postings("sail", 1, (2,))]


def test_words_are_cleared_with_the_rows_of_their_projection(store: Store) -> None:
    for key in [KEY, *OTHERS]:
        store.put_words(key, {1: ["rope"]})
    store.put_rows(KEY, WORDS, {"a": b"row"})
    store.clear_rows(KEY, "story")
    assert totals(store, "rope") == {"rope": 1}
    store.clear_rows(KEY, WORDS)
    assert (store.rows(KEY, WORDS), store.find_words(KEY, ["rope"], 10)) == ([], [])
    assert store.find_words(OTHERS[0], ["rope"], 10) == [Postings("rope", 1, (1,))]


def test_what_is_written_in_a_transaction_is_found_inside_and_undone_when_it_raises(store: Store) -> None:
    store.put_words(KEY, {1: ["rope"], 2: ["rope", "sail"]})
    before = store.find_words(KEY, ["rope", "sail", "knot"], 10)
    with undone(store):
        store.put_words(KEY, {1: None, 2: ["knot"], 3: ["rope"]})
        assert store.find_words(KEY, ["rope", "knot"], 10) == [Postings("knot", 1, (2,)), Postings("rope", 1, (3,))]
    assert store.find_words(KEY, ["rope", "sail", "knot"], 10) == before
    with undone(store):
        store.clear_rows(KEY, WORDS)
        assert store.find_words(KEY, ["rope"], 10) == []
    with undone(store):
        store.delete_session(KEY)
    assert store.find_words(KEY, ["rope", "sail", "knot"], 10) == before


def test_an_inner_transaction_is_undone_alone(store: Store) -> None:
    with store.transaction():
        store.put_words(KEY, {1: ["rope"]})
        with undone(store):
            store.put_words(KEY, {1: ["sail"], 2: ["rope"]})
        store.put_words(KEY, {3: ["rope"]})
    assert store.find_words(KEY, ["rope", "sail"], 10) == [Postings("rope", 2, (1, 3))]


def test_many_threads_may_write_and_search(store: Store) -> None:
    def work(at: int) -> list[int]:
        key = KEY._replace(id=f"s{at}")
        seen = []
        for number in range(1, 11):
            store.put_words(key, {number: ["rope", f"w{number}"]})
            seen.append(store.find_words(key, ["rope"], 100)[0].total)
        return seen

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(4))) == [list(range(1, 11))] * 4


def test_another_connection_finds_what_was_written(opener: Callable[[], Store]) -> None:
    first = opener()
    first.put_words(KEY, {1: ["rope"]})
    second = opener()
    if type(second).__name__ == "MemoryStore":  # each is a store of its own
        assert second.find_words(KEY, ["rope"], 10) == []
    else:
        assert second.find_words(KEY, ["rope"], 10) == [Postings("rope", 1, (1,))]


def test_a_large_index_gives_the_same_answers_after_many_changes(store: Store) -> None:
    for first in range(0, 600, 50):
        store.put_words(KEY, {n: [f"m{n % 7}", f"k{n % 11}", "all"] for n in range(first + 1, first + 51)})
    store.put_words(KEY, dict.fromkeys(range(1, 301, 2)))
    kept = [n for n in range(1, 601) if n > 300 or n % 2 == 0]
    found = {one.word: one.numbers for one in store.find_words(KEY, ["m3", "k5", "all"], 1000)}
    assert found == {
        "m3": tuple(n for n in kept if n % 7 == 3),
        "k5": tuple(n for n in kept if n % 11 == 5),
        "all": tuple(kept),
    }


def test_several_sessions_are_asked_at_once_and_those_that_hold_nothing_are_left_out(store: Store) -> None:
    first, second = OTHERS[0], OTHERS[1]
    store.put_words(KEY, {1: ["rope"], 2: ["knot"]})
    store.put_words(first, {7: ["rope", "knot"]})
    store.put_words(second, {1: ["sail"]})
    found = store.find_words_in([KEY, first, second], ["rope", "knot"], 10)
    assert found == {key: store.find_words(key, ["rope", "knot"], 10) for key in (KEY, first)}
    assert store.find_words_in([], ["rope"], 10) == {}


def test_messages_that_hold_all_words_are_found_however_common_each_is(store: Store) -> None:
    store.put_words(KEY, {number: ["rope", "knot"] if number == 3 else ["rope"] for number in range(1, 21)})
    store.put_words(KEY, {number: ["knot"] for number in range(21, 61)})
    assert [3 in one.numbers for one in store.find_words(KEY, ["rope", "knot"], 5)] == [True, True]
    assert [3 in one.numbers for one in store.find_words(KEY, ["rope"], 5)] == [False]
