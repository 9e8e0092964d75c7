"""One truth from many tellers, and a view that is rewritten: the places where words could be lost or doubled."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.config import Config, StorageConfig
from clew.domain import Media
from clew.engine.engine import Engine
from clew.errors import UsageError
from tests.builders import user
from tests.lines import CONVERSATION, SESSION, jsonl, line


def u(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def a(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


def sent(session: clew.Session) -> list[str]:
    return [message.text for message in session.reader.prompt()[0]]


def kept(session: clew.Session) -> list[str]:
    return [message.text for message in session.messages()]


def told(engine: Engine, *messages: dict[str, Any], **more: Any) -> clew.Session:
    session = engine.session("s")
    session.record(list(messages), format="openai-chat", **more)
    return session


def test_the_conversation_so_far_with_a_system_message_is_not_doubled(engine: Engine) -> None:
    system = {"role": "system", "content": "Be brief."}
    told(engine, system, u("one"))
    session = told(engine, system, u("one"), a("two"))
    assert kept(session) == ["Be brief.", "one", "two"]


def test_a_system_prompt_that_changes_every_time_doubles_nothing(engine: Engine) -> None:
    talk = [u("1"), a("2"), u("3"), a("4"), u("5"), a("6")]
    for count in range(1, 7):
        session = told(engine, *talk[:count], system=f"The time is {count}.")
    assert [text for text in sent(session) if not text.startswith("The time")] == ["1", "2", "3", "4", "5", "6"]


def test_the_conversation_so_far_after_an_edit_is_not_doubled(engine: Engine) -> None:
    session = told(engine, u("one"), a("two"))
    session.edit("m1", "ONE")
    session.record([u("ONE"), a("two"), u("three")], format="openai-chat")
    assert sent(session) == ["ONE", "two", "three"]


def test_what_is_said_again_after_a_rollback_counts(engine: Engine) -> None:
    session = told(engine, u("one"), a("two"), u("three"), a("four"))
    session.rollback(1)
    session.record([u("three"), a("four")], format="openai-chat")
    assert sent(session) == ["one", "two", "three", "four"]


def test_a_channel_that_tells_everything_again_after_a_rollback_brings_its_words_back(engine: Engine) -> None:
    talk = [u("one"), a("two"), u("three"), a("four")]
    session = told(engine, *talk, channel="gateway", whole=True)
    session.rollback(1)
    session.record([*talk[:3], a("another four")], format="openai-chat", channel="gateway", whole=True)
    assert sent(session) == ["one", "two", "three", "another four"]


def test_a_rollback_after_an_edit_takes_the_last_exchange(engine: Engine) -> None:
    session = told(engine, u("one"), a("two"), u("three"), a("four"))
    session.edit("m1", "ONE")
    session.rollback(1)
    assert sent(session) == ["ONE", "two"]


def test_a_fork_before_a_rollback_has_what_was_there(engine: Engine) -> None:
    session = told(engine, u("one"), a("two"), u("three"), a("four"))
    session.rollback(1)
    assert sent(session.fork("f", at="m2")) == ["one", "two"]


def test_a_fork_keeps_the_newest_version_of_what_it_has(engine: Engine) -> None:
    session = told(engine, u("one"), a("two"), u("three"))
    session.edit("m1", "ONE")
    assert sent(session.fork("f", at="m2")) == ["ONE", "two"]


def test_an_exchange_is_recalled_with_its_newest_versions(engine: Engine) -> None:
    session = told(engine, u("one"), a("two"))
    session.edit("m1", "ONE")
    assert "ONE" in session.recall("x1")[0].text
    assert "one" not in session.recall("x1")[0].text


def test_a_reply_with_the_id_and_words_of_an_earlier_one_is_new_after_another_question(engine: Engine) -> None:
    session = engine.session("s")
    response = {"id": "same", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Done."}}]}
    for _ in range(2):
        session.record([user("Go.")])
        session.reply(response, format="openai-chat")
        session.reply(response, format="openai-chat")
    assert [message.text for message in session.messages()] == ["Go.", "Done.", "Go.", "Done."]


def test_a_reply_with_an_id_counts_again_after_a_rollback(engine: Engine) -> None:
    session = engine.session("s")
    response = {"id": "same", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Done."}}]}
    session.record([user("Go.")])
    session.reply(response, format="openai-chat")
    session.rollback()
    session.record([user("Go.")])
    session.reply(response, format="openai-chat")
    assert [message.text for message in session.reader.recent_messages(9)] == ["Go.", "Done."]


def test_an_id_used_again_for_other_words_loses_nothing(engine: Engine, tmp_path: Path) -> None:
    lines = [line(1, "user", "first"), line(2, "user", "second", uuid="u1")]
    (tmp_path / "s.jsonl").write_bytes(jsonl(lines))
    engine.import_file(tmp_path / "s.jsonl")
    assert kept(engine.find(SESSION)) == ["first", "second"]


def test_a_growing_file_of_messages_without_ids_keeps_repeats(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in [u("continue"), a("step 1")]))
    first = engine.import_file(path)[0]
    with path.open("a") as file:
        file.write("".join(json.dumps(one) + "\n" for one in [u("continue"), a("step 2")]))
    assert engine.import_file(path)[0].new_messages == 2
    assert kept(engine.find(first.session)) == ["continue", "step 1", "continue", "step 2"]


def test_a_file_cut_and_grown_again_is_read_from_the_start(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    long = line(1, "user", "x" * 5000)
    path.write_bytes(jsonl([long, line(2, "user", "old two"), line(3, "user", "old three")]))
    engine.import_file(path)
    path.write_bytes(
        jsonl([long, line(4, "user", "new two is longer"), line(5, "user", "new three"), line(6, "user", "4")])
    )
    assert engine.import_file(path)[0].new_messages == 3


def test_two_files_of_one_name_are_two_sessions(engine: Engine, tmp_path: Path) -> None:
    for folder, text in (("a", "fix the login"), ("b", "write docs")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "chat.json").write_text(json.dumps([u(text), a("ok")]))
        engine.import_file(tmp_path / folder / "chat.json")
    assert sorted(kept(engine.find(info.key.id))[0] for info in engine.infos()) == ["fix the login", "write docs"]


def test_ids_that_look_alike_when_made_safe_stay_apart(engine: Engine) -> None:
    ids = ["a/b", "a b", "会议1", "项目1", "x" * 200, "x" * 201, ".hidden"]
    assert len({engine.key(id).id for id in ids}) == len(ids)
    assert engine.key("fix-login_2.1").id == "fix-login_2.1"


def test_two_clients_with_one_session_id_never_mix(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "claude.jsonl").write_bytes(jsonl(CONVERSATION))
    meta = {"timestamp": "2026-03-01T10:00:00Z", "type": "session_meta", "payload": {"id": SESSION, "cwd": "/w"}}

    def item(text: str) -> dict[str, Any]:
        content = [{"type": "input_text", "text": text}]
        return {
            "timestamp": "2026-03-01T10:00:01Z",
            "type": "response_item",
            "payload": {"type": "message", "role": "user", "content": content},
        }

    codex = tmp_path / "codex.jsonl"
    codex.write_bytes(jsonl([meta, item("from codex")]))
    engine.import_file(tmp_path / "claude.jsonl")
    other = engine.import_file(codex)[0].session
    codex.write_bytes(jsonl([meta, item("from codex"), item("more from codex")]))
    assert engine.import_file(codex)[0].session == other
    assert kept(engine.find(other)) == ["from codex", "more from codex"]
    assert "more from codex" not in kept(engine.find(SESSION))


def test_an_export_of_ours_over_its_own_session_changes_nothing(engine: Engine, tmp_path: Path) -> None:
    from clew.codecs.clew_format import write_entry, write_header

    session = told(engine, u("one"), a("two"), u("three"))
    session.rollback(1)
    lines = write_header(session.info) + b"".join(map(write_entry, session.reader.entries()))
    (tmp_path / "s.clew").write_bytes(lines)
    before = session.info
    assert engine.import_file(tmp_path / "s.clew")[0].new_messages == 0
    assert (session.info, sent(session)) == (before, ["one", "two"])
    session.record([u("here only")], format="openai-chat")
    told_otherwise = lines.replace(b'"content":"one"', b'"content":"eno"')
    (tmp_path / "s.clew").write_bytes(told_otherwise)
    with pytest.raises(UsageError, match="differs"):
        engine.import_file(tmp_path / "s.clew")


def test_a_session_row_is_never_set_back_by_a_second_handle(engine: Engine) -> None:
    stale = engine.session("s")
    told(engine, u("one"), a("two"))
    engine.session("s", title="Renamed")
    stale.record([u("three")], format="openai-chat")
    assert kept(engine.session("s")) == ["one", "two", "three"]


def test_a_byte_order_mark_costs_nothing(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_bytes(b"\xef\xbb\xbf" + jsonl(CONVERSATION))
    assert engine.import_file(tmp_path / "s.jsonl")[0].messages == 5


def test_masking_at_rest_reaches_the_title_and_still_matches_what_is_told_again(tmp_path: Path) -> None:
    key = "sk-ant-api03-" + "Zk3" * 30
    config = Config(storage=StorageConfig(mask_secrets=True))
    with clew.open(tmp_path / "m.db", config=config) as engine:
        talk = [u(f"my key is {key}"), a("noted")]
        session = engine.session("s")
        session.record(talk, format="openai-chat")
        session.record([*talk, u("go on")], format="openai-chat")
        assert key not in session.info.title
        assert len(session.messages()) == 3


def test_rebuilding_under_other_settings_renames_nothing(tmp_path: Path) -> None:
    from clew.config import SegmentConfig

    with clew.open(tmp_path / "s.db", config=Config()) as engine:
        engine.import_file(_sample())
        before = engine.find("latest").reader.segments()
    with clew.open(tmp_path / "s.db", config=Config(segments=SegmentConfig(max_tokens=500))) as engine:
        engine.rebuild(engine.find("latest").info)
        assert engine.find("latest").reader.segments() == before


def _sample() -> Path:
    from clew.samples import sample

    return sample()


def test_two_media_of_different_types_are_two_however_alike_their_bytes(engine: Engine) -> None:
    session = engine.session("s")
    for media_type in ("image/png", "application/pdf"):
        session.record([user(Media(media_type=media_type, data="aGk="))])
    assert session.info.messages == 2


def test_a_prompt_that_a_hook_tells_late_or_again_is_not_doubled(engine: Engine, tmp_path: Path) -> None:
    prompt, path = [u("Why does the login fail?")], tmp_path / "s.jsonl"
    path.write_bytes(jsonl(CONVERSATION))
    session = engine.session(SESSION)
    session.record(prompt, format="openai-chat", channel="hook")
    engine.import_file(path)
    session.record(prompt, format="openai-chat", channel="hook")
    session.record([u("Fix it, please.")], format="openai-chat", channel="hook")
    session.record(prompt, format="openai-chat", channel="hook")
    assert session.info.messages == 5


def test_a_transcript_read_again_from_the_start_adds_nothing_to_what_a_hook_told(
    engine: Engine, tmp_path: Path
) -> None:
    session = engine.session(SESSION)
    session.record([u("Why does the login fail?")], format="openai-chat", channel="hook")
    for name in ("s.jsonl", "copy.jsonl", "another.jsonl"):
        (tmp_path / name).write_bytes(jsonl(CONVERSATION))
        engine.import_file(tmp_path / name)
    assert session.info.messages == 5


def test_who_says_yes_twice_is_kept_twice(engine: Engine, tmp_path: Path) -> None:
    lines = [line(1, "user", "yes"), line(2, "assistant", [{"type": "text", "text": "ok"}]), line(3, "user", "yes")]
    session = engine.session(SESSION)
    for count in (1, 2, 3):
        session.record([u("yes")], format="openai-chat", channel="hook")
        (tmp_path / "s.jsonl").write_bytes(jsonl(lines[:count]))
        engine.import_file(tmp_path / "s.jsonl")
    assert kept(session) == ["yes", "ok", "yes"]
    alone = engine.session("alone")
    for one in (u("yes"), a("ok"), u("yes")):
        alone.record([one], format="openai-chat", channel="hook")
    assert kept(alone) == ["yes", "ok", "yes"]


def test_a_caller_who_goes_on_with_an_imported_session_says_what_is_new(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_bytes(jsonl(CONVERSATION))
    engine.import_file(tmp_path / "s.jsonl")
    session = engine.find(SESSION)
    session.record([a("Done."), u("Why does the login fail?")], format="openai-chat")
    assert session.info.messages == 7
