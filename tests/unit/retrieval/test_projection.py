"""The index of words follows a session as it grows, changes and shrinks."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from clew.domain import Call, Message, Origin, Role, SessionKey
from clew.engine.ledger.rows import SessionRows
from clew.history.overview import OverviewProjection
from clew.ports import WORDS, LedgerEvent, MessageChange, Rollback, Store
from clew.retrieval.projection import MAY_GROW, SHARED, SIZES, WordIndexProjection, figures_in, message_words
from clew.retrieval.words import words_of
from clew.storage.memory import MemoryStore
from tests.builders import call, gives, injected, output, says, thinks, user

KEY = SessionKey("t", "u", "s")


def change(number: int, message: Message, *, grows: bool = False, replaces: int = 0) -> MessageChange:
    return MessageChange(number, message, (1,) * len(message.parts), grows, replaces)


class Indexed:
    """A session whose overview and index are brought up to date."""

    def __init__(self, *runs: Sequence[LedgerEvent]) -> None:
        self.store: Store = MemoryStore()
        self.states: dict[str, object] = {}
        for run in runs:
            self.tell(*run)

    def tell(self, *news: LedgerEvent) -> None:
        for projection in (OverviewProjection(), WordIndexProjection()):
            rows = SessionRows(self.store, KEY, projection.name)
            self.states[projection.name] = projection.apply(self.states.get(projection.name), news, rows)
            rows.flush()

    def numbers(self, word: str) -> tuple[int, ...]:
        found = self.store.find_words(KEY, words_of(word)[:1], 10_000)
        return found[0].numbers if found else ()

    @property
    def sizes(self) -> list[int]:
        return figures_in(SessionRows(self.store, KEY, WORDS).scan(SIZES, SIZES + "~"))


def test_a_message_is_found_by_its_text_its_calls_and_its_outputs() -> None:
    asks = says("Reading it.", call("c1", "read_file", path="src/dock.py", limits=[{"note": "anchor"}], count=3))
    assert message_words(user("tie the knots")) == ["tie", "the", "knot"]
    assert message_words(asks) == [
        "read", "it", "read_file", "fil", "src", "dock.py", "dock", "py", "anchor",
    ]  # fmt: skip
    assert message_words(gives(output("c1", "def moor(): pass"))) == ["def", "moor", "pass"]


def test_thoughts_and_names_of_arguments_are_not_indexed() -> None:
    assert message_words(says(thinks("perhaps"), call("c1", "run", command="make"))) == ["run", "mak"]


def test_a_long_output_is_indexed_whole() -> None:
    text = "first " + "x " * 2000 + "middle " + "x " * 2000 + "last"
    assert message_words(gives(output("c1", text))) == ["first", "x", "middl", "last"]


def test_arguments_that_are_no_object_are_indexed_as_the_text_they_are() -> None:
    patch = Call(id="c1", name="apply", arguments="*** Update File: dock.py")
    assert message_words(says(patch)) == ["apply", "updat", "fil", "dock.py", "dock", "py"]


@pytest.mark.parametrize("together", [True, False])
def test_a_message_that_grows_is_found_by_all_of_its_words(together: bool) -> None:
    news = [
        change(1, user("rope")),
        change(2, says("knot")),
        change(3, user("sail")),
        change(2, says(call("c1", "splice")), grows=True),
    ]
    index = Indexed(news) if together else Indexed(*([one] for one in news))
    assert [index.numbers(word) for word in ("rope", "knot", "sail", "splice")] == [(1,), (2,), (3,), (2,)]
    assert index.sizes == [0, 1, 2, 1]


def test_a_message_that_begins_empty_is_found_when_it_has_grown() -> None:
    index = Indexed([change(1, says())], [change(1, says("knot"), grows=True)])
    assert (index.numbers("knot"), index.sizes) == ((1,), [0, 1])


def test_an_edit_takes_the_place_of_what_was_there() -> None:
    index = Indexed([change(1, user("rope")), change(2, says("knot"))], [change(3, user("chain"), replaces=1)])
    assert [index.numbers(word) for word in ("rope", "knot", "chain")] == [(), (2,), (3,)]
    assert index.sizes == [0, 0, 1, 1]


def test_an_old_version_does_not_come_back_when_it_grows() -> None:
    index = Indexed([change(1, says("rope"))], [change(2, says("chain"), replaces=1)])
    index.tell(change(1, says("late"), grows=True))
    assert (index.numbers("late"), index.numbers("chain")) == ((), (2,))


@pytest.mark.parametrize("together", [True, False])
def test_what_was_rolled_back_is_not_found(together: bool) -> None:
    news: list[LedgerEvent] = [
        change(1, user("rope")),
        change(2, says("knot")),
        change(3, user("sail")),
        change(4, says("mast")),
        Rollback(1),
        change(5, user("anchor")),
        change(4, says("late"), grows=True),
    ]
    index = Indexed(news) if together else Indexed(*([one] for one in news))
    found = [index.numbers(word) for word in ("rope", "knot", "sail", "mast", "anchor", "late")]
    assert found == [(1,), (2,), (), (), (5,), ()]
    assert index.sizes == [0, 1, 1, 0, 0, 1]


def test_what_is_never_sent_or_sent_in_any_case_is_not_found() -> None:
    index = Indexed(
        [
            change(1, Message(role=Role.SYSTEM, origin=Origin.SYSTEM, parts=user("rope").parts)),
            change(2, Message(role=Role.USER, thread="helper", parts=user("rope").parts)),
            change(3, Message(role=Role.ASSISTANT, origin=Origin.CLIENT, parts=user("rope").parts)),
            change(4, injected("rope")),
        ]
    )
    assert index.numbers("rope") == (4,)


def test_an_old_message_keeps_the_words_it_had_however_it_is_told() -> None:
    news = [
        change(1, says("rope")),
        *(change(number, user("sail")) for number in range(2, MAY_GROW + 2)),
        change(1, says("late"), grows=True),
        change(2, says("just"), grows=True),
    ]
    for index in (Indexed(news), Indexed(*([one] for one in news))):
        assert [index.numbers(word) for word in ("rope", "late", "just")] == [(1,), (), (2,)]


def test_words_are_kept_apart_only_while_their_message_may_grow() -> None:
    index = Indexed(*([change(number, user("sail"))] for number in range(1, MAY_GROW + 50)))
    kept = index.store.rows(KEY, WORDS, start="held/", stop="held0")
    assert len(kept) == MAY_GROW


def test_figures_in_many_messages_stand_at_their_numbers() -> None:
    index = Indexed([change(1, user("rope")), change(3 * SHARED + 5, user("sail knot"))])
    assert index.sizes == [0, 1] + [0] * (3 * SHARED + 3) + [2]
