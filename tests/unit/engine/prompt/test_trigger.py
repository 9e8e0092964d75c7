"""Compacting by itself: when it pays, once, and never for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.compaction.presets import target_tokens
from clew.config import CompactionConfig, Config
from clew.domain import Message, Strategy, Trigger
from clew.engine.engine import Engine
from clew.engine.epochs.turn import Turn
from clew.engine.prompt.stream import PromptStream
from clew.engine.session import Session
from clew.history.prompt_state import StreamEpochs
from clew.packing.allocation import Budget
from tests.builders import user
from tests.conftest import HandClock
from tests.effort import first
from tests.work import work

BUDGET = 180_000


def opened(store: Path | str = ":memory:", clock: HandClock | None = None, **compaction: Any) -> Engine:
    config = replace(Config(), compaction=replace(CompactionConfig(), **compaction))
    return clew.open(store, config=config, clock=clock or HandClock())


def stream_of(session: Session) -> tuple[PromptStream, Turn]:
    """The stream of these tests' packs, and a turn without an input."""
    prompts = session._components.packer._prompts
    return prompts.stream("openai-chat", BUDGET), prompts.turn_without_input(Budget(BUDGET))


def told(session: Session, messages: list[Message]) -> Iterator[tuple[int, int]]:
    """Records message by message, as an agent does; gives epoch and tokens before every reply."""
    for message in messages:
        session.record([message])
        if message.role != "assistant":
            pack = session.pack(None, budget=BUDGET, target="openai-chat")
            pack.request("openai-chat")
            yield pack.epoch, pack.tokens


def test_a_long_session_is_compacted_long_before_the_window_is_full_and_not_at_every_turn() -> None:
    with opened(background=False) as engine:
        packs = list(told(engine.session("s", model="gpt-5"), work(160)))
    assert max(tokens for _, tokens in packs) < 0.5 * BUDGET
    assert 3 <= packs[-1][0] <= 10
    epochs = [epoch for epoch, _ in packs]
    begins = [at for at in range(1, len(epochs)) if epochs[at] != epochs[at - 1]]
    assert all(after - before > 2 for before, after in pairwise(begins))


@pytest.mark.parametrize("given", first([{"auto": False}, {"preset": "late"}, {"on_price": False}]))
def test_switched_off_everything_is_sent_while_it_fits(given: dict[str, Any]) -> None:
    with opened(background=False, **given) as engine:
        packs = list(told(engine.session("s", model="gpt-5"), work(80)))
    assert {epoch for epoch, _ in packs} == {1}


def test_a_short_session_is_left_alone() -> None:
    with opened(background=False) as engine:
        packs = list(told(engine.session("s", model="gpt-5"), work(20)))
    assert {epoch for epoch, _ in packs} == {1}


def test_a_cold_cache_is_a_reason_to_compact(clock: HandClock) -> None:
    with opened(clock=clock, background=False, on_price=False, preset="thrifty") as engine:
        session = engine.session("s", model="gpt-5")
        epochs = [epoch for epoch, _ in told(session, work(60))]
        assert set(epochs) == {1}
        clock.time += 3_600
        session.record([user("Back from lunch: go on.")])
        pack = session.pack(None, budget=BUDGET, target="openai-chat")
        pack.request("openai-chat")
        assert (pack.epoch, pack.tokens < 12_000) == (2, True)


def test_what_was_taken_back_is_not_done_again_at_once() -> None:
    with opened(background=False) as engine:
        session = engine.session("s", model="gpt-5")
        packs = list(told(session, work(80)))
        assert packs[-1][0] > 1
        session.undo()
        session.record([user("Go on.")])
        pack = session.pack(None, budget=BUDGET, target="openai-chat")
        pack.request("openai-chat")
        assert pack.tokens > 1.5 * packs[-1][1]


def test_a_compaction_by_itself_is_told_with_its_reason() -> None:
    said: list[Any] = []
    with opened(background=False) as engine:
        engine.on("*", said.append)
        list(told(engine.session("s", model="gpt-5"), work(80)))
    done = [event for event in said if event.name == "compaction.complete"]
    assert {event.data["reason"] for event in done} == {"pays"}
    assert all(event.data["after"] < 0.9 * event.data["before"] for event in done)
    begun = [event for event in said if event.name == "compaction.started"]
    assert len(begun) == len(done)


def test_what_would_free_too_little_is_not_done_and_not_tried_at_every_turn(clock: HandClock) -> None:
    """The newest message is nearly all there is: nothing can be freed, and nothing becomes larger."""
    said: list[Any] = []
    with opened(clock=clock, background=False, floor_tokens=1_000, target_tokens=500) as engine:
        engine.on("*", said.append)
        session = engine.session("s", model="gpt-5")
        session.record([user("Read this: " + "one two three four five " * 2_000)])
        for _ in range(5):
            clock.time += 3_600
            pack = session.pack(None, budget=BUDGET, target="openai-chat")
            pack.request("openai-chat")
            assert pack.epoch == 1
    names = [event.name for event in said if event.name.startswith("compaction.")]
    assert names == ["compaction.started", "compaction.skipped"]


def test_after_two_that_freed_little_the_strategy_changes_and_then_it_stops_with_a_word(clock: HandClock) -> None:
    said: list[Any] = []
    with opened(clock=clock, background=False) as engine:
        engine.on("compaction.stopped", said.append)
        session = engine.session("s", model="gpt-5")
        session.record(work(80))
        clock.time += 3_600
        stream, turn = stream_of(session)
        prompt, trigger, view = stream.build(turn, record=False), stream._trigger, stream._builder.view
        little, enough = (StreamEpochs(seq=1, freed=freed) for freed in ((0.05, 0.02), (0.05, 0.8)))
        assert trigger.request(Trigger.EXCEEDED, little).strategy is Strategy.AGGRESSIVE
        assert trigger.due(prompt, view, enough) is not None
        assert trigger.due(prompt, view, little) is None
        assert trigger.due(prompt, view, little) is None
    assert len(said) == 1
    assert "less than a tenth" in said[0].data["reason"]


def test_after_reading_the_same_files_again_more_is_kept() -> None:
    with opened(background=False) as engine:
        session = engine.session("s", model="gpt-5")
        session.record(work(8))
        trigger = stream_of(session)[0]._trigger
        usual, wider = (trigger.request(Trigger.PAYS, None, read_again=again) for again in (False, True))
        assert wider.tokens == 8_500 + usual.tokens


def test_the_next_epoch_is_ready_before_it_is_needed() -> None:
    with opened() as engine:
        session, ready = engine.session("s", model="gpt-5"), 0
        last = 1
        for message in work(80):
            session.record([message])
            engine.wait()
            if message.role != "assistant":
                held = stream_of(session)[0]._preparer._prepared
                pack = session.pack(None, budget=BUDGET, target="openai-chat")
                pack.request("openai-chat")
                ready += pack.epoch > last and held is not None
                last = pack.epoch
        assert last > 2
        assert ready == last - 1
        use = engine.cache_use()["prepared_epochs"]
        assert (use.hits, use.misses) == (ready, 0)


def test_an_epoch_made_ready_leaves_nothing_out() -> None:
    """Whatever came between making ready and switching is sent word for word."""
    with opened() as engine:
        session = engine.session("s", model="gpt-5")
        for message in work(80):
            session.record([message])
            if message.role != "assistant":
                pack = session.pack(None, budget=BUDGET, target="openai-chat")
                body = pack.request("openai-chat")
                told = str(body["messages"][-3:])
                assert all(output.text[:40] in told or "[clew:" in told for output in message.outputs)
                left = {one.id for one in pack.left_out}
                assert all(session.recall(id) for id in left)


def test_background_work_is_off_when_it_is_switched_off() -> None:
    with opened(background=False) as engine:
        *_, (epoch, _) = told(engine.session("s", model="gpt-5"), work(60))
        assert epoch > 1
        assert engine.services.background._thread is None


@pytest.mark.parametrize("given", [{}, {"auto": False}])
def test_the_first_pack_of_a_session_over_the_limit_is_a_compaction_like_any_other(given: dict[str, Any]) -> None:
    """It aims at the preset's target and not at half of the window, and whoever listens hears of it."""
    heard: list[tuple[str, Any]] = []
    with opened(background=False, **given) as engine:
        for name in ("started", "complete"):
            engine.on(f"compaction.{name}", lambda event: heard.append((event.name, event.data)))
        session = engine.session("s", model="gpt-5")
        session.record(work(120))
        budget = session.reader.tokens() * 3 // 4
        pack = session.pack(None, budget=budget, target="openai-chat")
        target = target_tokens(session.config.compaction, budget)
        assert pack.tokens <= 1.2 * target < 0.4 * budget
        again = engine.find("s").pack(None, budget=budget, target="openai-chat")
    assert (again.epoch, again.digest) == (1, pack.digest)
    assert [name for name, _ in heard] == ["compaction.started", "compaction.complete"]
    done = heard[1][1]
    assert (done["reason"], done["epoch"], done["after"]) == ("exceeded", 1, pack.tokens)
    assert done["before"] > budget
