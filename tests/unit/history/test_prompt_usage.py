"""How large the prompt is: the numbers of assistants and providers are believed, through compactions and rollbacks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.domain import Message, Usage
from clew.engine.engine import Engine
from clew.engine.session import Session
from tests.builders import says, user
from tests.codec_examples.file_reader import jsonl
from tests.conftest import HandClock
from tests.work import work

AT = "2026-05-01T10:00:00.000Z"
LONG = "The parser reads one record after the other and keeps what it cannot read. " * 200


def codex(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": AT, "type": kind, "payload": payload}


def codex_message(role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return codex("response_item", type="message", role=role, content=[{"type": kind, "text": text}])


def token_count(total: int, **usage: int) -> dict[str, Any]:
    info = {"last_token_usage": {"total_tokens": total, **usage}, "model_context_window": 258_400}
    return codex("event_msg", type="token_count", info=info)


START = (codex("session_meta", id="s1", cwd="/srv/shop"), codex("turn_context", model="gpt-5.5"))
TURN = (codex_message("user", "Go on. " + LONG), codex_message("assistant", "Done. " + LONG))
NEXT = (codex_message("user", "And on. " + LONG), codex_message("assistant", "So it is. " + LONG))


def claude(kind: str, uuid: str, content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content, **more.pop("message", {})}
    return {"type": kind, "uuid": uuid, "sessionId": "s1", "isSidechain": False, "message": message, **more}


def replied(uuid: str, text: str, used: int, output: int = 1) -> dict[str, Any]:
    usage = {"input_tokens": 5, "cache_read_input_tokens": used - 5, "output_tokens": output}
    about = {"id": f"msg_{uuid}", "model": "claude-opus-4-6", "usage": usage}
    return claude("assistant", uuid, [{"type": "text", "text": text}], message=about)


def boundary(trigger: str, before: int) -> dict[str, Any]:
    about = {"trigger": trigger, "preTokens": before}
    return {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": "b",
        "isSidechain": False,
        "compactMetadata": about,
    }


def imported(engine: Engine, folder: Path, *records: dict[str, Any]) -> Session:
    file = folder / "session.jsonl"
    file.write_bytes(jsonl(*records))
    engine.import_file(file)
    return engine.find("s1")


@pytest.mark.stores("memory")
def test_what_codex_last_counted_is_in_use_of_the_window_it_states(engine: Engine, tmp_path: Path) -> None:
    found = imported(engine, tmp_path, *START, *TURN, token_count(20_000), *NEXT, token_count(214_334)).health()
    assert (found.tokens_used, found.used_source) == (214_334, "provider")
    assert (found.tokens_limit, found.limit_source) == (258_400, "client")
    assert (found.health, found.utilization, found.compaction_needed) == ("warning", 0.8295, True)
    assert found.turns_left is not None


@pytest.mark.stores("memory")
def test_what_came_since_the_last_count_is_added(engine: Engine, tmp_path: Path) -> None:
    session = imported(engine, tmp_path, *START, *TURN, token_count(20_000), codex_message("user", "And the tests?"))
    assert 20_000 < session.health().tokens_used < 20_020


@pytest.mark.stores("memory")
@pytest.mark.parametrize("summary", ["", "What happened so far."])
def test_after_codex_compacted_only_what_it_still_sends_counts(engine: Engine, tmp_path: Path, summary: str) -> None:
    before = (*START, *TURN, token_count(9_000), *NEXT, token_count(240_000))
    compacted = codex("compacted", message=summary, replacement_history=[])
    session = imported(engine, tmp_path, *before, compacted)
    hidden = 9_000 - session.reader.tokens() // 2  # the first of two equal turns
    assert abs(session.health().tokens_used - hidden) <= 20
    again = imported(engine, tmp_path, *before, compacted, token_count(9_162), codex_message("user", "Go on."))
    assert 9_162 < again.health().tokens_used < 9_180
    assert again.health().tokens_recorded > 9_180


@pytest.mark.stores("memory")
def test_the_window_is_the_smallest_of_claude_code_that_holds_what_was_seen(engine: Engine, tmp_path: Path) -> None:
    started = (claude("user", "u1", "Go on."), replied("u2", "Done.", 20_000), replied("u3", "Done too.", 167_455))
    found = imported(engine, tmp_path, *started, boundary("manual", 167_854)).health()
    assert (found.tokens_limit, found.window, found.limit_source) == (180_000, 200_000, "assumed")
    session = imported(engine, tmp_path, *started, replied("u4", "And done.", 202_000))
    found = session.health()
    assert (found.tokens_limit, found.limit_source, session.limit()) == (900_000, "model", 900_000)


@pytest.mark.stores("memory")
def test_a_session_of_claude_code_that_is_nearly_full_is_said_to_be(engine: Engine, tmp_path: Path) -> None:
    session = imported(engine, tmp_path, claude("user", "u1", "Go on."), replied("u2", "Done.", 167_000, 100))
    found = session.health()
    assert (found.health, found.tokens_used, found.tokens_limit) == ("critical", 167_100, 180_000)
    assert (found.utilization, found.compaction_needed) == (0.9283, True)


@pytest.mark.stores("memory")
def test_what_codex_states_holds_even_where_it_has_sent_more(engine: Engine, tmp_path: Path) -> None:
    told = token_count(23_000)
    told["payload"]["info"]["model_context_window"] = 19_000
    found = imported(engine, tmp_path, *START, *TURN, told).health()
    assert (found.tokens_used, found.tokens_limit, found.limit_source) == (23_000, 19_000, "client")


@pytest.mark.stores("memory")
def test_after_claude_code_compacted_only_what_it_still_sends_counts(engine: Engine, tmp_path: Path) -> None:
    """System prompt and tools are not in the file: the first reply tells what they take."""
    summary = claude("user", "u4", "This session is being continued. We fixed it.", isCompactSummary=True)
    started = (claude("user", "u1", "Go on."), replied("u2", "Done.", 20_000), replied("u3", LONG, 167_455))
    session = imported(engine, tmp_path, *started, boundary("auto", 167_854), summary)
    assert 20_000 < session.health().tokens_used < 20_050
    assert session.health().used_source == "pack"
    later = imported(engine, tmp_path, *started, boundary("auto", 167_854), summary, replied("u5", "Done.", 47_027, 10))
    assert (later.health().tokens_used, later.health().used_source) == (47_037, "provider")


@pytest.mark.stores("memory")
def test_a_reply_whose_tokens_are_told_too_early_counts_as_it_was_recorded(engine: Engine, tmp_path: Path) -> None:
    session = imported(engine, tmp_path, claude("user", "u1", "Go on."), replied("u2", LONG, 20_000, output=1))
    assert session.health().tokens_used == 20_000 + session.reader.count(LONG)


@pytest.mark.stores("memory")
def test_what_a_subagent_counts_is_not_the_prompt_of_the_session(engine: Engine, tmp_path: Path) -> None:
    aside = replied("u3", "Found it.", 90_000) | {"isSidechain": True}
    session = imported(engine, tmp_path, claude("user", "u1", "Go on."), replied("u2", "Done.", 20_000), aside)
    assert session.health().tokens_used == 20_002


def test_after_a_rollback_the_prompt_is_what_it_was_before(engine: Engine) -> None:
    session = engine.session("s", model="gpt-5")
    session.record([user("Hello."), replace(says("Hi."), usage=Usage(input_tokens=50_000, output_tokens=20))])
    before = session.health()
    session.record([user("Fix it."), replace(says("Fixed."), usage=Usage(input_tokens=90_000, output_tokens=20))])
    session.rollback(1)
    assert session.health().tokens_used == before.tokens_used == 50_020


def test_a_stored_session_is_counted_anew_from_its_notes(engine: Engine, tmp_path: Path) -> None:
    session = imported(engine, tmp_path, *START, *TURN, token_count(20_000))
    before = session.health()
    engine.rebuild(session.info)
    assert session.health() == before


# ── after a compaction of Clew's own ─────────────────────────────────────────────────────────────────


def counted(text: str, tokens: int, at: float | None = None) -> Message:
    return replace(says(text), usage=Usage(input_tokens=tokens, output_tokens=20), at=at)


def worked(engine: Engine, **about: Any) -> Session:
    """A session whose provider has just counted a long prompt."""
    session = engine.session("s", model="claude-opus-4-5", **about)
    session.record([user("Mend the login."), *work(60), counted("It is mended.", 150_000)])
    return session


def test_after_a_compaction_what_would_be_sent_next_is_in_use(engine: Engine) -> None:
    session = worked(engine)
    before = session.health()
    assert (before.tokens_used, before.used_source) == (150_020, "provider")
    done = session.compact()
    after = session.health()
    assert (after.tokens_used, after.used_source, after.health) == (done.after.tokens, "pack", "good")
    assert session.pack(None, record=False).tokens == after.tokens_used
    assert engine.find("s").health() == after
    (listed,) = engine.sessions()
    assert (listed.tokens_used, listed.used_source, listed.utilization) == (
        after.tokens_used,
        "pack",
        after.utilization,
    )
    session.undo()
    assert session.health() == before == engine.find("s").health()


def test_what_came_between_a_compaction_and_its_undo_is_added(engine: Engine) -> None:
    session = worked(engine)
    done = session.compact()
    session.record([user("And the logout.")])
    added = session.health().tokens_used - done.after.tokens
    assert 0 < added < 20
    session.undo()
    assert session.health().tokens_used == 150_020 + added


def test_what_the_provider_counts_after_a_compaction_is_believed(engine: Engine) -> None:
    session = worked(engine)
    session.compact()
    session.record([user("And the logout."), counted("Done.", 30_000)])
    assert (session.health().tokens_used, session.health().used_source) == (30_020, "provider")
    session.undo()
    assert session.health().tokens_used > 150_020


def test_a_reply_from_before_a_compaction_that_is_recorded_after_it_counts_nothing(clock: HandClock) -> None:
    with clew.open(":memory:", clock=clock) as engine:
        session = worked(engine)
        done = session.compact()
        session.record([user("And the logout."), counted("Done.", 160_000, at=clock.time - 60)])
        assert session.health().tokens_used < done.after.tokens + 50
        session.record([user("And then?"), counted("Rest.", 40_000, at=clock.time + 60)])
        assert session.health().tokens_used == 40_020


def test_an_epoch_that_begins_by_itself_is_told_at_once_and_taken_back(engine: Engine) -> None:
    session = worked(engine)
    session.pack("What now?", budget=60_000)
    session.record([counted("Tests.", 59_000), *work(40), counted("They pass.", 59_900)])
    before = session.health().tokens_used
    pack = session.pack("And now?", budget=60_000)
    assert pack.epoch > 1
    found = engine.find("s").health()
    assert (found.tokens_used, found.used_source) == (pack.tokens, "pack")
    session.undo()
    assert session.health().tokens_used >= before


def test_after_a_rollback_past_a_compaction_the_prompt_is_the_compacted_one(engine: Engine) -> None:
    session = worked(engine)
    session.record([user("And the logout."), counted("Done.", 151_000)])
    done = session.compact()
    session.rollback(1)
    assert session.health().tokens_used <= done.after.tokens


def test_the_size_after_a_compaction_survives_a_rebuild(engine: Engine) -> None:
    session = worked(engine)
    session.compact()
    before = session.health()
    engine.rebuild(session.info)
    assert session.health() == before


@pytest.mark.stores("memory")
def test_growth_is_that_of_the_newest_replies_since_the_last_compaction(engine: Engine) -> None:
    session = engine.session("s", model="gpt-5", window=100_000)
    for at in range(12):
        session.record([user(f"Read part {at}. {LONG}"), says(f"It says {at}. {LONG}")])
    before = session.health().growth_rate
    assert before > 2_000
    session.compact(budget=8_000)
    assert session.health().growth_rate == before  # nothing else is known yet
    for at in range(3):
        session.record([user(f"Is {at} even?"), says("It is so.")])
    after = session.health()
    assert 5 < after.growth_rate < 40
    assert after.turns_left is not None
    assert after.turns_left > 1_000


@pytest.mark.stores("memory")
def test_growth_is_what_the_provider_counted_from_reply_to_reply(engine: Engine) -> None:
    session = engine.session("s", model="gpt-5")
    for at, asked in enumerate((9_000, 9_100, 9_350, 9_300)):
        reply = replace(says(f"Done with {at}."), usage=Usage(input_tokens=asked, output_tokens=9))
        session.record([user(f"Go on with {at}. {LONG}"), reply])
    assert session.health().growth_rate == 100
    session.rollback(1)
    session.record([user("Once more."), says("Done.")])
    assert session.health().growth_rate == 175
