"""Compacting by hand: it shrinks the prompt, loses nothing, can be looked at first and taken back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clew import BudgetExceeded, rules
from clew.cancellation import Cancel
from clew.codecs import registry
from clew.compaction.presets import target_tokens
from clew.config import CompactionConfig, Config
from clew.domain import Compaction, Origin, Strategy, Trigger
from clew.engine.engine import Engine
from clew.engine.prompt.epoch_planner import EpochPlanner
from clew.engine.session import Session
from clew.errors import ModelCancelled, UsageError, VersionConflict
from tests.builders import says, user
from tests.effort import first
from tests.recorded_store import open_recorded
from tests.work import work

STRATEGIES = list(Strategy)
#: What becomes of a prompt is the same on every store; both are asked where something written is read back.
pytestmark = pytest.mark.stores("sqlite")
both_stores = pytest.mark.stores(*first(("sqlite", "memory")))


@pytest.fixture
def engine(store_url: Path | str) -> Iterator[Engine]:
    """Compacts only when it is told to."""
    config = replace(Config(), compaction=replace(CompactionConfig(), auto=False, preset="thrifty"))
    with open_recorded(store_url, long_session, config=config) as opened:
        yield opened


def long_session(engine: Engine) -> None:
    session = engine.session("s", model="claude-sonnet-4-5")
    session.record([], system="Be brief.")
    session.record(work(60))


@pytest.fixture
def session(engine: Engine) -> Session:
    return engine.find("s")


def request(session: Session, provider: str = "anthropic", **about: Any) -> Any:
    return session.pack(None, **about, target=provider).request()


@pytest.mark.parametrize("strategy", first(STRATEGIES, 2))
def test_every_strategy_leaves_a_small_valid_prompt(session: Session, strategy: str) -> None:
    whole = session.pack(None, record=False, target="anthropic")
    whole.request("anthropic")
    done = session.compact(strategy)
    assert done.before.tokens == whole.tokens
    assert done.after.tokens < 0.5 * done.before.tokens
    assert done.saved_tokens == done.before.tokens - done.after.tokens
    assert done.summarized.messages > 100
    for provider in registry.PROVIDERS:
        pack = session.pack(None, record=False, target=provider)
        assert rules.check(pack.request(provider), provider) == []
        assert pack.tokens <= target_tokens(session.config.compaction, session.limit()) + 500


@pytest.mark.parametrize("strategy", first(STRATEGIES, 2))
def test_the_report_is_what_the_next_pack_is(session: Session, strategy: str) -> None:
    done = session.compact(strategy)
    pack = session.pack(None, record=False, target="anthropic")
    pack.request("anthropic")
    assert pack.tokens == done.after.tokens
    recorded = session.pack(None, target="anthropic")
    recorded.request("anthropic")
    assert recorded.tokens == done.after.tokens


@both_stores
def test_history_is_untouched_and_everything_left_out_can_be_read(session: Session) -> None:
    before = session.messages()
    session.compact("aggressive")
    pack = session.pack(None, target="anthropic")
    pack.request("anthropic")
    assert session.messages() == before
    for left in pack.left_out:
        assert session.recall(left.id)


@both_stores
def test_undo_gives_the_very_same_bytes_back(session: Session) -> None:
    before = request(session)
    session.compact()
    assert request(session) != before
    session.undo()
    assert request(session) == before


@both_stores
def test_undo_keeps_what_was_recorded_meanwhile(session: Session) -> None:
    before = request(session)
    session.compact()
    request(session)
    session.record([user("And the port?"), says("It is 8080.")])
    session.undo()
    after = request(session)
    count = len(before["messages"])
    assert len(after["messages"]) > count
    assert "8080" in str(after["messages"][count - 1 :])


@both_stores
def test_two_compactions_are_taken_back_one_after_the_other(session: Session) -> None:
    first = request(session)
    session.compact("chunked")
    second = request(session)
    session.record([user("Go on."), says("Yes.")])
    session.compact("aggressive")
    third = request(session)
    session.undo()
    assert request(session) != third
    session.undo()
    kept = len(first["messages"]) - 3  # the marks for the cache have moved on since
    assert request(session)["messages"][:kept] == first["messages"][:kept]
    assert second != first
    with pytest.raises(UsageError, match="no compaction"):
        session.undo()


def test_a_preview_tells_what_would_go_and_changes_nothing(session: Session, engine: Engine) -> None:
    before = request(session, record=False)
    found = session.compactor.preview("summarize")
    assert found.compaction.undo == ""
    assert found.compaction.after.tokens < found.compaction.before.tokens
    assert {change.becomes for change in found.changes} <= {"header", "lines", "summary"}
    assert found.changes[0].id.startswith("x1")
    assert found.written_tokens > 0
    assert found.cost > 0
    assert request(session, record=False) == before
    assert engine.find("s").info.entries == session.info.entries


def test_what_a_compaction_remembers_is_what_people_said_and_how_the_work_stands(session: Session) -> None:
    done = session.compact("aggressive")
    assert done.remembers[1] == "m2 (x1) user: Task 0: make module_0 accept dates before 1970, please."
    assert "no commit seen in this session" in done.remembers
    assert done.preserved["request"] >= 1


def test_segments_of_which_people_are_quoted_become_lines(session: Session) -> None:
    session.record([user("And now tell me how far you are with all of the modules."), says("All of them are done.")])
    session.record(work(9))
    assert {change.id: change.becomes for change in session.compactor.preview("aggressive").changes}["x9"] == "lines"


def test_a_suggestion_sorts_segments_by_what_may_become_of_them(session: Session) -> None:
    found = session.compactor.suggest()
    total = sum(piece.tokens for piece in found.segments)
    assert found.critical + found.summarizable + found.removable == total
    assert found.tokens_saved == total - target_tokens(session.config.compaction, session.limit())
    assert found.new_utilization < found.utilization


@pytest.mark.parametrize("keep", first([6, 2, 20]))
def test_as_many_recent_messages_stay_as_were_asked_for(session: Session, keep: int) -> None:
    done = session.compact(keep_recent=keep, budget=30_000)
    assert keep <= done.preserved["recent_messages"] <= keep + 3
    pack = request(session)
    assert pack["messages"][-1]["content"][0]["text"] == "Done."


def test_a_budget_is_for_the_whole_prompt(session: Session) -> None:
    done = session.compact(budget=5_000)
    assert 3_000 < done.after.tokens <= 5_000


def test_a_budget_that_the_system_prompt_fills_is_refused(session: Session) -> None:
    with pytest.raises(BudgetExceeded):
        session.compact(budget=3)


@pytest.mark.parametrize("given", [{"strategy": "best"}, {"keep_recent": -1}, {"budget": 0}])
def test_what_cannot_be_meant_is_said(session: Session, given: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        session.compact(**given)


def test_a_short_session_is_left_as_it_is(engine: Engine) -> None:
    session = engine.session("short")
    session.record([user("Hello."), says("Hello!")])
    done = session.compact()
    assert (done.saved_tokens, done.undo, done.summarized.messages) == (0, "", 0)
    assert "too little" in done.reason


@both_stores
def test_of_two_compactions_at_once_only_one_is_written(session: Session, engine: Engine) -> None:
    other = engine.find("s")
    compactor, log = session._components.compactor, session._components.compactor._log
    request = compactor.request("auto", keep_recent=None, budget=None)
    version, known = session.info.version, log.state().compaction
    other.compact("chunked")
    with pytest.raises(VersionConflict):
        log.write_compaction(request, after=1, at=0.0, version=version, known=known)


@both_stores
def test_a_cancelled_compaction_leaves_nothing_behind(session: Session, engine: Engine) -> None:
    entries, said = session.info.entries, []
    engine.on("*", lambda event: said.append(event.name))
    cancel = Cancel()
    cancel.cancel()
    with pytest.raises(ModelCancelled):
        session.compact(cancel=cancel)
    assert session.info.entries == entries
    assert said == ["compaction.started", "compaction.failed"]


def test_events_tell_of_what_happens(session: Session, engine: Engine) -> None:
    said: list[Any] = []
    engine.on("*", said.append)
    done = session.compact()
    assert [event.name for event in said] == ["compaction.started", "compaction.complete"]
    assert said[0].data["reason"] == "hand"
    assert said[1].data["compaction"] == done


@both_stores
def test_a_fork_has_no_compaction_of_its_origin(session: Session) -> None:
    session.compact()
    fork = session.fork("other")
    pack = fork.pack(None, record=False, target="anthropic")
    pack.request("anthropic")
    assert pack.tokens > 20_000


def test_what_was_rewritten_is_not_brought_back_by_undo(session: Session) -> None:
    request(session)
    session.compact()
    request(session)
    session.edit("m2", "Task 0: forget the dates.")
    session.undo()
    assert "before 1970" not in request(session)["messages"][0]["content"][0].get("text", "")


def test_a_provider_that_refuses_for_length_brings_a_compaction(session: Session) -> None:
    assert session.compactor.compact_on_overflow("invalid key", status=401) is None
    done = session.compactor.compact_on_overflow(
        '{"error": {"message": "prompt is too long: 210000 tokens > 200000 maximum"}}'
    )
    assert done is not None
    assert done.saved_tokens > 0
    assert done.reason == Trigger.OVERFLOW


@both_stores
def test_a_new_session_goes_on_from_where_another_stands(session: Session, engine: Engine) -> None:
    fresh = engine.session("next")
    fresh.resume("s", budget=3_000)
    fresh.record([user("Go on with module_59, please."), says("Yes.")])
    told = str(request(fresh)["messages"])
    assert "clew show s" in told
    assert "module_59" in told
    assert [item.text for item in fresh.recall("x1", "header")] == ["x1 Go on with module_59, please."]
    assert fresh.pack(None, target="text", record=False).tokens < 4_000


def test_undo_with_nothing_to_undo_says_so(session: Session) -> None:
    with pytest.raises(UsageError, match="nothing to undo: session"):
        session.undo()
    session.compact()
    session.undo()
    with pytest.raises(UsageError, match="nothing to undo: session"):
        session.undo()


def assert_adds_up(done: Compaction) -> None:
    messages, before, after = done.balance.messages, done.balance.tokens_before, done.balance.tokens_after
    assert (messages.before, messages.after) == (done.before.messages, done.after.messages)
    assert messages.before == messages.kept + messages.summarized
    assert messages.after == messages.kept + messages.restored
    assert done.summarized.messages == messages.summarized
    stay = done.preserved["recent_messages"] + done.preserved.get("relevant_messages", 0)
    assert stay == messages.after
    for side, size in ((before, done.before), (after, done.after)):
        parts = (side.system, side.snapshot, side.kept, side.summarized, side.restored, side.repairs)
        assert sum(parts) == side.total == size.tokens
    assert (before.restored, after.summarized) == (0, 0)
    assert before.system == after.system > 0


@pytest.mark.parametrize("strategy", first(STRATEGIES, 2))
def test_the_counts_add_up_and_the_preview_says_the_same(session: Session, strategy: str) -> None:
    seen = session.compactor.preview(strategy).compaction
    done = session.compact(strategy)
    assert replace(done, undo="") == seen
    assert_adds_up(done)
    assert done.balance.messages.summarized > 100
    assert done.balance.tokens_after.snapshot > 0


def test_the_counts_of_a_second_compaction_add_up(session: Session) -> None:
    session.compact("aggressive")
    request(session)
    session.record([user("And now the tests, please."), *work(20, lines=80)])
    request(session)
    seen = session.compactor.preview("selective").compaction
    done = session.compact("selective")
    assert replace(done, undo="") == seen
    assert done.balance.tokens_before.snapshot > 0
    assert_adds_up(done)


def test_what_was_never_sent_and_is_too_large_counts_whole(engine: Engine) -> None:
    session = engine.session("small", model="claude-sonnet-4-5", window=30_000)
    session.record([], system="Be brief.")
    session.record(work(60))
    seen = session.compactor.preview().compaction
    done = session.compact()
    assert replace(done, undo="") == seen
    assert (done.before.messages, done.before.tokens > session.limit()) == (session.info.messages - 1, True)
    assert_adds_up(done)


def test_what_a_client_has_put_a_summary_in_place_of_is_not_counted_before(engine: Engine) -> None:
    session = engine.session("summed", model="claude-sonnet-4-5", window=30_000, client="claude-code")
    session.record(work(60))
    summed = replace(user("This session is being continued. The parser is done."), origin=Origin.SUMMARY)
    session.record([summed, *work(30)])
    done = session.compactor.preview().compaction
    assert done.before.messages == session.info.messages - len(work(60))


def test_what_is_not_worth_it_is_said_beforehand_as_well(engine: Engine) -> None:
    session = engine.session("short")
    session.record([], system="Be brief.")
    session.record([user("Hello."), says("Hi.")])
    seen, done = session.compactor.preview().compaction, session.compact()
    assert done == seen
    assert (done.before, done.summarized.messages) == (done.after, 0)
    assert "budget" not in done.reason, "none would do: the rule and the newest words are guaranteed"
    assert_adds_up(done)


def test_the_budget_that_a_refusal_names_does(engine: Engine) -> None:
    session = engine.session("short")
    rules = "Never use semicolons. Never use tabs. Never touch the schema. Always run the linter before every commit."
    session.record([user(rules), says("Yes."), user("What of the parser?"), says("It reads lines. " * 20)])
    named = re.search(r"of ([\d,]+) tokens .* a budget of ([\d,]+) does$", session.compact().reason)
    assert named
    total, budget = (int(one.replace(",", "")) for one in named.groups())
    with pytest.raises(BudgetExceeded):
        session.compact(budget=total // 2)
    assert session.compact(budget=budget).after.tokens <= budget


def test_a_window_full_of_system_prompt_says_what_it_would_take(engine: Engine) -> None:
    session = engine.session("full", window=8_000)
    session.record([], system="Mind the gap. " * 1_000)
    session.record([user("Hello."), says("Hi.")])
    assert "are system prompt and tools" in session.compact().reason


@pytest.mark.parametrize("steps", [10, 40])
def test_a_window_that_is_nearly_full_is_compacted_by_hand(engine: Engine, steps: int) -> None:
    session = engine.session("full", model="gpt-5")
    session.record(work(steps))
    session = engine.session("full", window=int(session.reader.tokens() / 0.84))
    done = session.compact()
    assert done.after.tokens < 0.5 * done.before.tokens
    assert done.undo


def test_a_compaction_leaves_room_in_the_budget_that_packs_are_made_with(engine: Engine) -> None:
    session = engine.session("roomy", model="claude-sonnet-5")
    session.record(work(60))
    session.pack(None, budget=14_000, target="anthropic")
    session.record([user("And now?"), *work(20)])
    session.compact()
    assert session.health().tokens_used < 0.7 * 14_000


def test_what_no_pack_has_followed_is_not_planned_again_to_be_compared_with(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned: list[int] = []
    plan = EpochPlanner.plan_epoch

    def counted(self: EpochPlanner, *args: Any, **options: Any) -> Any:
        planned.append(1)
        return plan(self, *args, **options)

    session.compact()
    monkeypatch.setattr(EpochPlanner, "plan_epoch", counted)
    session.compact(budget=6_000)
    assert len(planned) == 1
    assert not session.compact(budget=6_001).undo
    assert len(planned) == 2
    session.record([user("One more thing.")])
    session.compact(budget=4_000)
    assert len(planned) == 4


def test_a_handle_that_has_compacted_reports_the_same_as_one_that_has_not(engine: Engine, session: Session) -> None:
    session.compact()
    session.record([user("One more thing."), says("Noted.")])
    for budget in (9_000, 5_000):
        assert session.compactor.preview(budget=budget) == engine.find("s").compactor.preview(budget=budget)
        session.compact(budget=budget)
        assert session.compactor.preview(budget=4_000) == engine.find("s").compactor.preview(budget=4_000)
