"""Limits on what models may cost."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from clew.cancellation import Cancel
from clew.config import ModelsConfig
from clew.domain import Usage
from clew.errors import (
    ModelCancelled,
    ModelError,
    ModelTimeout,
    ModelUnauthorized,
    ModelUnavailable,
    SpendLimitReached,
    StoreFull,
)
from clew.models import Guard, MemorySpendLog, Scripted, SpendLog, StoreSpendLog
from clew.models.guard import Spending, Spent
from clew.ports import Model, ModelReply, ModelRequest
from clew.storage.stores import open_store
from tests.conftest import HandClock

ASKED = ModelRequest(system="", user="x" * 300, max_tokens=100)
#: A hundred for the question (three bytes to a token), a hundred for the answer.
AT_MOST = 200
UNLIMITED = {"calls_per_session": 0, "tokens_per_session": 0, "calls_per_hour": 0, "tokens_per_hour": 0}


def limits(**given: int) -> ModelsConfig:
    return ModelsConfig(**{**UNLIMITED, **given})  # type: ignore[arg-type]


def used(tokens: int) -> ModelReply:
    return ModelReply("ok", usage=Usage(tokens - 10, 10))


def ask(model: Model) -> str:
    return model.ask(ASKED, seconds=30).text


def spending(book: SpendLog, session: str = "s") -> Spending:
    seen = []

    def look(now: Spending) -> Spending:
        seen.append(now)
        return now

    book.change(session, look)
    return seen[0]


@pytest.fixture(params=["memory", "store", "file"])
def book(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SpendLog]:
    if request.param == "memory":
        yield MemorySpendLog()
        return
    store = open_store(
        ":memory:" if request.param == "store" else str(tmp_path / "clew.db"),
        durability="normal",
        busy_timeout_seconds=5,
    )
    yield StoreSpendLog(store, tenant="t", user="u")
    store.close()


def test_a_session_may_ask_so_often_and_another_again(book: SpendLog, clock: HandClock) -> None:
    guard, model = Guard(limits(calls_per_session=2), clock, book), Scripted(lambda _: used(20))
    mine = guard.watch(model, "mine")
    assert [ask(mine), ask(mine)] == ["ok", "ok"]
    with pytest.raises(SpendLimitReached, match=r"models\.calls_per_session is 2: 2 used") as raised:
        ask(mine)
    assert (raised.value.limit, raised.value.frees_at, len(model.requests)) == ("calls_per_session", None, 2)
    assert ask(guard.watch(model, "other")) == "ok"


def test_a_session_may_use_so_many_tokens_as_the_provider_counts_them(book: SpendLog, clock: HandClock) -> None:
    model = Guard(limits(tokens_per_session=250), clock, book).watch(Scripted(lambda _: used(30)), "s")
    assert [ask(model), ask(model)] == ["ok", "ok"]
    with pytest.raises(SpendLimitReached, match=r"tokens_per_session is 250: 60 used, 200 more asked for"):
        ask(model)
    assert spending(book) == Spending((Spent(clock.time, 30),) * 2, 2, 60)


def test_calls_within_an_hour_are_limited_over_all_sessions_and_free_up_one_by_one(
    book: SpendLog, clock: HandClock
) -> None:
    guard, model = Guard(limits(calls_per_hour=2), clock, book), Scripted(lambda _: used(20))
    ask(guard.watch(model, "a"))
    clock.time += 600
    ask(guard.watch(model, "b"))
    clock.time += 600
    with pytest.raises(SpendLimitReached, match="room again at 2027-01-15 09:00:00 UTC") as raised:
        ask(guard.watch(model, "c"))
    assert (raised.value.limit, raised.value.frees_at) == ("calls_per_hour", 1_800_003_600.0)
    clock.time = raised.value.frees_at
    assert ask(guard.watch(model, "c")) == "ok"
    with pytest.raises(SpendLimitReached):
        ask(guard.watch(model, "c"))


def test_tokens_within_an_hour_free_up_when_enough_have_passed(book: SpendLog, clock: HandClock) -> None:
    model = Guard(limits(tokens_per_hour=500), clock, book).watch(Scripted(lambda _: used(120)), "s")
    for _ in range(3):
        ask(model)
        clock.time += 60
    with pytest.raises(SpendLimitReached, match="360 used") as raised:
        ask(model)
    assert raised.value.frees_at == 1_800_000_000.0 + 3_600
    clock.time = raised.value.frees_at
    assert ask(model) == "ok"


def test_a_question_larger_than_the_limit_never_frees_up(book: SpendLog, clock: HandClock) -> None:
    model = Guard(limits(tokens_per_hour=AT_MOST - 1), clock, book).watch(Scripted(["never"]), "s")
    with pytest.raises(SpendLimitReached) as raised:
        ask(model)
    assert (raised.value.limit, raised.value.frees_at) == ("tokens_per_hour", None)
    assert spending(book) == Spending()


@pytest.mark.parametrize(("error", "stays"), [(ModelTimeout("late"), AT_MOST), (ModelUnavailable("away"), 0)])
def test_what_may_have_been_charged_stays_counted(
    book: SpendLog, clock: HandClock, error: ModelError, stays: int
) -> None:
    model = Guard(limits(), clock, book).watch(Scripted([error]), "s")
    with pytest.raises(type(error)):
        ask(model)
    assert spending(book) == Spending((Spent(clock.time, stays),), 1, stays)


def test_a_question_without_a_key_is_no_call(book: SpendLog, clock: HandClock) -> None:
    model = Guard(limits(calls_per_session=2), clock, book).watch(
        Scripted(["ok", *[ModelUnauthorized("no key")] * 5]), "s"
    )
    ask(model)
    for _ in range(5):
        with pytest.raises(ModelUnauthorized):
            ask(model)
    assert spending(book) == Spending((Spent(clock.time, AT_MOST),), 1, AT_MOST)


def test_what_is_cancelled_beforehand_costs_nothing(book: SpendLog, clock: HandClock) -> None:
    cancel = Cancel()
    cancel.cancel()
    with pytest.raises(ModelCancelled):
        Guard(limits(), clock, book).watch(Scripted(["never"]), "s").ask(ASKED, seconds=30, cancel=cancel)
    assert spending(book) == Spending()


def test_without_a_count_the_most_it_may_have_been_stays_counted(book: SpendLog, clock: HandClock) -> None:
    ask(Guard(limits(), clock, book).watch(Scripted(["no usage"]), "s"))
    assert spending(book).tokens == AT_MOST


def test_questions_at_the_same_time_cannot_pass_a_limit_together(book: SpendLog, clock: HandClock) -> None:
    model = Guard(limits(calls_per_session=3), clock, book).watch(Scripted(lambda _: used(20)), "s")

    def outcome(_: int) -> str:
        try:
            return ask(model)
        except SpendLimitReached:
            return "no"

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(outcome, range(8))) == ["no"] * 5 + ["ok"] * 3


def test_a_clock_that_is_set_back_does_not_lock_anybody_out(book: SpendLog, clock: HandClock) -> None:
    model = Guard(limits(calls_per_hour=1), clock, book).watch(Scripted(lambda _: used(20)), "s")
    ask(model)
    clock.time -= 86_400
    assert ask(model) == "ok"


def test_what_was_spent_is_known_to_the_next_process(tmp_path: Path, clock: HandClock) -> None:
    for outcome in ("ok", "limit"):
        store = open_store(str(tmp_path / "clew.db"), durability="normal", busy_timeout_seconds=5)
        book = StoreSpendLog(store, tenant="t", user="u")
        model = Guard(limits(calls_per_session=1), clock, book).watch(Scripted(["ok"]), "s")
        if outcome == "ok":
            assert ask(model) == "ok"
        else:
            with pytest.raises(SpendLimitReached):
                ask(model)
        store.close()


def test_an_answer_that_was_paid_for_outlives_a_full_disk(clock: HandClock) -> None:
    class FullAfterwards(MemorySpendLog):
        changes = 0

        def change(self, session: str, turn: object) -> None:
            self.changes += 1
            if self.changes > 1:
                raise StoreFull("no space left")

    model = Guard(limits(calls_per_hour=5), clock, FullAfterwards()).watch(Scripted(lambda _: used(20)), "s")
    assert ask(model) == "ok"


def test_what_cannot_be_written_down_is_not_asked(clock: HandClock) -> None:
    class Full(MemorySpendLog):
        def change(self, session: str, turn: object) -> None:
            raise StoreFull("no space left")

    model = Scripted(["never"])
    with pytest.raises(ModelUnavailable, match=r"scripted is not asked: .* cannot be written down \(no space left\)"):
        ask(Guard(limits(), clock, Full()).watch(model, "s"))
    assert model.requests == []


def test_the_hour_and_sessions_are_their_users_own(clock: HandClock) -> None:
    store = open_store(":memory:")
    for user in ("anna", "ben"):
        book = StoreSpendLog(store, tenant="t", user=user)
        ask(Guard(limits(calls_per_session=1, calls_per_hour=1), clock, book).watch(Scripted(["ok"]), "s"))
    with pytest.raises(SpendLimitReached, match=r"calls_per_hour is 1: 1 used"):
        ask(Guard(limits(calls_per_hour=1), clock, book).watch(Scripted(["ok"]), "another"))
    assert {user: sorted(store.values("t", user, "spending")) for user in ("anna", "ben")} == {
        "anna": ["hour", "session s"],
        "ben": ["hour", "session s"],
    }


def test_an_answer_for_a_session_that_is_gone_does_not_bring_its_name_back(clock: HandClock) -> None:
    store = open_store(":memory:")
    book = StoreSpendLog(store, tenant="t", user="u")

    def purged_meanwhile(_asked: ModelRequest) -> ModelReply:
        book.forget("s")
        return used(1_000)

    ask(Guard(limits(), clock, book).watch(Scripted(purged_meanwhile), "s"))
    assert sorted(store.values("t", "u", "spending")) == ["hour"]
    assert spending(book, "other").hour == (Spent(clock.time, 1_000),)


def test_limits_that_are_off_let_everything_pass(book: SpendLog, clock: HandClock) -> None:
    model = Guard(limits(), clock, book).watch(Scripted(lambda _: used(1_000_000)), "s")
    assert {ask(model) for _ in range(10)} == {"ok"}


def test_the_watched_model_keeps_its_name(clock: HandClock) -> None:
    assert Guard(limits(), clock).watch(Scripted([], name="demo"), "s").name == "demo"
