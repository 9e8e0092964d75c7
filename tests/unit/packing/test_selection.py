"""The fit: most said for what it costs, the same every time, and smaller budgets take a prefix."""

from __future__ import annotations

from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from clew.packing.selection import Piece, choose_pieces, longest_fitting_prefix


def test_what_is_said_already_is_not_taken_again() -> None:
    pieces = [Piece(1.0, (0, 1)), Piece(1.0, (0, 1)), Piece(1.0, (2,))]
    assert choose_pieces(pieces, [5.0, 5.0, 1.0], [], room=2.0) == [0, 2]


def test_value_for_cost_decides_and_ties_fall_to_the_earlier() -> None:
    pieces = [Piece(4.0, (0,)), Piece(1.0, (1,)), Piece(1.0, (2,))]
    assert choose_pieces(pieces, [4.0, 3.0, 3.0], [], room=6.0) == [1, 2, 0]


def test_the_first_piece_of_a_group_pays_for_opening_it() -> None:
    pieces = [Piece(1.0, (0,), 0), Piece(1.0, (1,), 0)]
    assert choose_pieces(pieces, [1.0, 1.0], [2.0], room=3.0) == [0]
    assert choose_pieces(pieces, [1.0, 1.0], [2.0], room=4.0) == [0, 1]


pieces_and_weights = st.integers(1, 12).flatmap(
    lambda count: st.tuples(
        st.lists(
            st.builds(
                Piece,
                st.floats(0.5, 9.0),
                st.lists(st.integers(0, count - 1), max_size=4, unique=True).map(tuple),
                st.integers(-1, 1),
            ),
            max_size=15,
        ),
        st.lists(st.floats(0.0, 9.0), min_size=count, max_size=count),
    )
)


@given(pieces_and_weights, st.floats(0.0, 40.0))
def test_the_room_is_never_exceeded(given_: tuple[list[Piece], list[float]], room: float) -> None:
    pieces, weights = given_
    chosen = choose_pieces(pieces, weights, [1.5, 2.5], room=room)
    groups = {pieces[at].group for at in chosen} - {-1}
    assert sum(pieces[at].cost for at in chosen) + sum((1.5, 2.5)[group] for group in groups) <= room + 1e-9
    assert len(chosen) == len(set(chosen))
    assert chosen == choose_pieces(pieces, weights, [1.5, 2.5], room=room)


costs_and_sizes = st.lists(st.tuples(st.floats(0.5, 9.0), st.integers(0, 12)), max_size=60)


@given(costs_and_sizes, st.integers(0, 300))
def test_the_longest_prefix_that_fits_is_found_whatever_was_estimated(
    pieces: list[tuple[float, int]], limit: int
) -> None:
    sizes = [0, *accumulate(size for _, size in pieces)]
    found = longest_fitting_prefix([cost for cost, _ in pieces], sizes.__getitem__, limit)
    assert sizes[found] <= limit
    assert found == len(pieces) or sizes[found] == limit or sizes[found + 1] > limit


def test_good_estimates_need_few_measurements() -> None:
    measured: list[int] = []

    def size(number: int) -> int:
        measured.append(number)
        return number * 10

    assert longest_fitting_prefix([9.0] * 1_000, size, 5_003, slack=4) == 500
    assert len(measured) <= 5
