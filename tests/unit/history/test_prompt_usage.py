"""How large the prompt is: the numbers of assistants and providers are believed, through compactions and rollbacks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clew.domain import Usage
from clew.engine.engine import Engine
from clew.engine.session import Session
from tests.builders import says, user
from tests.codec_examples.file_reader import jsonl

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
    hidden = 9_000 - session.tokens() // 2  # the first of two equal turns
    assert abs(session.health().tokens_used - hidden) <= 20
    again = imported(engine, tmp_path, *before, compacted, token_count(9_162), codex_message("user", "Go on."))
    assert 9_162 < again.health().tokens_used < 9_180
    assert again.health().tokens_recorded > 9_180


@pytest.mark.stores("memory")
def test_the_window_is_learned_from_where_claude_code_compacted_by_itself(engine: Engine, tmp_path: Path) -> None:
    started = (claude("user", "u1", "Go on."), replied("u2", "Done.", 20_000), replied("u3", "Done too.", 167_455))
    by_hand = imported(engine, tmp_path, *started, boundary("manual", 167_854))
    assert (by_hand.health().tokens_limit, by_hand.health().limit_source) == (900_000, "assumed")
    session = imported(engine, tmp_path, *started, boundary("auto", 167_854) | {"uuid": "b2"})
    found = session.health()
    assert (found.tokens_limit, found.limit_source, session.limit()) == (180_000, "assumed", 180_000)


@pytest.mark.stores("memory")
def test_after_claude_code_compacted_only_what_it_still_sends_counts(engine: Engine, tmp_path: Path) -> None:
    """System prompt and tools are not in the file: the first reply tells what they take."""
    summary = claude("user", "u4", "This session is being continued. We fixed it.", isCompactSummary=True)
    started = (claude("user", "u1", "Go on."), replied("u2", "Done.", 20_000), replied("u3", LONG, 167_455))
    session = imported(engine, tmp_path, *started, boundary("auto", 167_854), summary)
    assert 20_000 < session.health().tokens_used < 20_050
    later = imported(engine, tmp_path, *started, boundary("auto", 167_854), summary, replied("u5", "Done.", 47_027, 10))
    assert later.health().tokens_used == 47_037


@pytest.mark.stores("memory")
def test_a_reply_whose_tokens_are_told_too_early_counts_as_it_was_recorded(engine: Engine, tmp_path: Path) -> None:
    session = imported(engine, tmp_path, claude("user", "u1", "Go on."), replied("u2", LONG, 20_000, output=1))
    assert session.health().tokens_used == 20_000 + session.count(LONG)


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
