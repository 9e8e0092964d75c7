"""Files in, however broken: what is readable is kept, the rest is reported, nothing is stored twice."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import Any

import pytest

import clew
from clew import rules
from clew.codecs import registry
from clew.config import Config, StorageConfig
from clew.domain import Opaque
from clew.engine.engine import Engine
from clew.engine.ingest.importer import ImportReport
from clew.engine.ingest.recorder import Recorder
from clew.engine.ledger.session_ledger import SessionLedger
from clew.errors import NoConversation, NotFound, UnreadableSource, UsageError
from clew.retrieval.words import query_words, whole_word
from tests.lines import CONVERSATION, SESSION, call, jsonl, line, result

TEXTS = ["Why does the login fail?", "", "", "The session cookie is never set.", "Fix it, please."]


def write(folder: Path, content: bytes | list[Any], name: str = "session.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else jsonl(content))
    return path


def load(engine: Engine, path: Path, **options: Any) -> ImportReport:
    return engine.import_file(path, **options)[0]


def texts(engine: Engine, id: str = SESSION) -> list[str]:
    return [message.text for message in engine.find(id).messages()]


def test_a_session_file_becomes_a_session(engine: Engine, tmp_path: Path) -> None:
    report = load(engine, write(tmp_path, CONVERSATION))
    assert (report.format, report.session, report.messages, report.new_messages) == ("claude-code", SESSION, 5, 5)
    assert (report.repairs, report.skipped) == (0, [])
    assert texts(engine) == TEXTS
    info = engine.find(SESSION).info
    assert (info.client, info.cwd, info.model, info.title) == (
        "claude-code",
        "/home/ana/harbor",
        "claude-sonnet-4-5",
        "Why does the login fail?",
    )


def test_the_same_file_twice_stores_nothing_twice(engine: Engine, tmp_path: Path) -> None:
    path = write(tmp_path, CONVERSATION)
    load(engine, path)
    before = engine.find(SESSION).info
    report = load(engine, path)
    assert (report.new_messages, report.messages) == (0, 5)
    assert engine.find(SESSION).info == before


def test_of_two_imports_at_once_only_one_says_that_messages_are_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, reports = write(tmp_path, CONVERSATION), list[ImportReport]()
    record = Recorder.record

    def record_second(self: Recorder, *given: Any, **named: Any) -> Any:
        monkeypatch.setattr(Recorder, "record", record)
        with clew.open(tmp_path / "clew.db") as other:
            reports.append(load(other, path))
        return record(self, *given, **named)

    with clew.open(tmp_path / "clew.db") as engine:
        monkeypatch.setattr(Recorder, "record", record_second)
        reports.append(load(engine, path))
    assert [(one.new_messages, one.messages) for one in reports] == [(5, 5), (0, 5)]


def test_a_copy_of_the_file_stores_nothing_twice(engine: Engine, tmp_path: Path) -> None:
    load(engine, write(tmp_path, CONVERSATION))
    assert load(engine, write(tmp_path, CONVERSATION, "copy.jsonl")).new_messages == 0


def test_a_file_that_grew_is_read_on(engine: Engine, tmp_path: Path) -> None:
    path = write(tmp_path, CONVERSATION[:3])
    load(engine, path)
    write(tmp_path, CONVERSATION)
    assert load(engine, path).new_messages == 2
    assert texts(engine) == TEXTS


def test_a_file_that_was_cut_or_replaced_is_read_from_the_start(engine: Engine, tmp_path: Path) -> None:
    path = write(tmp_path, CONVERSATION)
    load(engine, path)
    other = [line(1, "user", "Something else.", uuid="v1", sessionId="other")]
    write(tmp_path, other)
    assert load(engine, path).session == "other"
    assert texts(engine) == TEXTS


def test_a_follower_reports_only_what_is_new(engine: Engine, tmp_path: Path) -> None:
    path = write(tmp_path, CONVERSATION[:2])
    follower = engine.follow_file(path)
    assert [report.new_messages for report in follower.poll()] == [2]
    assert follower.poll() == []
    with path.open("ab") as file:
        file.write(jsonl(CONVERSATION[2:]))
    assert [report.new_messages for report in follower.poll()] == [3]
    path.unlink()
    assert follower.poll() == []


def test_a_torn_last_line_is_reported_and_read_when_it_is_whole(engine: Engine, tmp_path: Path) -> None:
    whole = jsonl(CONVERSATION)
    path = write(tmp_path, whole[:-20])
    report = load(engine, path)
    assert report.new_messages == 4
    assert [(one.line, one.reason[:14]) for one in report.skipped] == [(5, "torn last line")]
    path.write_bytes(whole)
    assert load(engine, path).skipped == []
    assert texts(engine) == TEXTS


def test_broken_json_in_the_middle_is_reported_and_kept_as_it_stands(engine: Engine, tmp_path: Path) -> None:
    broken = b'{"type": "user", "uuid": \n'
    path = write(tmp_path, [*CONVERSATION[:2], broken, *CONVERSATION[2:]])
    report = load(engine, path)
    assert [one.line for one in report.skipped] == [3]
    assert texts(engine) == TEXTS
    kept = [entry.body for entry in engine.find(SESSION).reader.entries()]
    assert broken.strip() in [body.strip() for body in kept]


def test_a_broken_line_among_api_messages_is_reported_and_kept(engine: Engine, tmp_path: Path) -> None:
    broken = b'{"role": "user", "content": \n'
    lines = [{"role": "user", "content": "one"}, broken, {"role": "assistant", "content": "two"}]
    report = load(engine, write(tmp_path, lines, "chat.jsonl"))
    assert ([one.line for one in report.skipped], texts(engine, report.session)) == ([2], ["one", "two"])
    kept = [entry.body.strip() for entry in engine.find(report.session).reader.entries()]
    assert broken.strip() in kept


def test_unknown_record_types_are_kept_and_never_sent(engine: Engine, tmp_path: Path) -> None:
    strange = {"type": "hologram", "uuid": "h1", "sessionId": SESSION, "payload": {"deep": [1, 2]}}
    load(engine, write(tmp_path, [strange, *CONVERSATION]))
    session = engine.find(SESSION)
    assert [message.text for message in session.reader.prompt()[0]] == TEXTS
    assert session.info.entries == 6


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"nul\\u0000byte", "nul\x00byte"),
        (b"nul\x00byte", "nulbyte"),
        (b"lone \\ud83d surrogate", "lone \ufffd surrogate"),
    ],
)
def test_odd_characters_do_not_stop_a_line(engine: Engine, tmp_path: Path, raw: bytes, text: str) -> None:
    odd = json.dumps(line(6, "user", "ODD")).encode().replace(b"ODD", raw) + b"\n"
    load(engine, write(tmp_path, [*CONVERSATION, odd]))
    assert texts(engine)[-1].replace("\x00", "") == text.replace("\x00", "")
    for provider in registry.PROVIDERS:
        assert rules.check(engine.find(SESSION).reader.request(provider)[0].body, provider, final=True) == []


def test_nesting_of_a_thousand_levels_is_kept_and_reported(engine: Engine, tmp_path: Path) -> None:
    deep = json.dumps(call(6, "toolu_9", tree="DEEP")).encode().replace(b'"DEEP"', b"[" * 1000 + b"]" * 1000) + b"\n"
    report = load(engine, write(tmp_path, [*CONVERSATION[:4], deep, CONVERSATION[4]]))
    assert [(one.line, "nested deeper" in one.reason) for one in report.skipped] == [(5, True)]
    assert texts(engine) == TEXTS


def test_numbers_that_no_number_holds_do_not_stop_a_line(engine: Engine, tmp_path: Path) -> None:
    odd = json.dumps(call(6, "toolu_9", n="ODD")).encode()
    odd = (
        odd.replace(b'"ODD"', b"[NaN, -Infinity, 1e999, " + b"9" * 5000 + b", 123456789012345678901234567890]") + b"\n"
    )
    report = load(engine, write(tmp_path, [*CONVERSATION, odd, result(7, "toolu_9", "ok")]))
    assert report.skipped == []
    arguments = engine.find(SESSION).messages()[5].calls[0].arguments["n"]
    assert arguments[4] == 123456789012345678901234567890
    assert arguments[3] == "9" * 5000
    for provider in registry.PROVIDERS:
        assert rules.check(engine.find(SESSION).reader.request(provider)[0].body, provider, final=True) == []


def test_duplicate_lines_count_once(engine: Engine, tmp_path: Path) -> None:
    doubled = [one for one in CONVERSATION for _ in range(2)]
    assert load(engine, write(tmp_path, doubled)).messages == 5
    assert texts(engine) == TEXTS


def test_two_outputs_an_early_output_and_equal_ids_are_repaired_in_the_view(engine: Engine, tmp_path: Path) -> None:
    messy = [
        line(1, "user", "go"),
        result(2, "toolu_a", "came early"),
        call(3, "toolu_a", file_path="a"),
        call(4, "toolu_b", file_path="b"),
        result(5, "toolu_b", "first"),
        result(6, "toolu_b", "second"),
        call(7, "toolu_b", file_path="b again"),
        result(8, "toolu_b", "third"),
        call(9, "toolu_c", file_path="never answered"),
        line(10, "user", "next"),
    ]
    report = load(engine, write(tmp_path, messy))
    session = engine.find(SESSION)
    assert report.repairs > 0
    assert len(session.messages()) == 10
    outputs = [part.text for message in session.reader.prompt()[0] for part in message.outputs]
    assert outputs[:3] == ["came early", "second", "third"]
    for provider in registry.PROVIDERS:
        assert rules.check(session.reader.request(provider)[0].body, provider, final=True) == []


@pytest.mark.thorough
@pytest.mark.stores("sqlite")
def test_a_line_of_twenty_megabytes_is_kept(engine: Engine, tmp_path: Path) -> None:
    path = write(tmp_path, [*CONVERSATION[:2], result(3, "toolu_1", "x" * 20_000_000), *CONVERSATION[3:]])
    report = load(engine, path)
    assert (report.messages, report.skipped) == (5, [])
    assert len(engine.find(SESSION).messages()[2].outputs[0].text) == 20_000_000


def test_a_line_beyond_the_limit_is_reported_and_passed_over(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.codecs.jsonio.MAX_RECORD_BYTES", 1 << 20)
    path = write(tmp_path, [*CONVERSATION[:2], result(3, "toolu_1", "x" * 3_000_000), *CONVERSATION[3:]])
    report = load(engine, path)
    assert [one.line for one in report.skipped] == [3]
    assert report.messages == 4


@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b"\x7fELF\x02\x01\x01\x00" + bytes(range(256)) * 4, b"just some prose\n"]
)
def test_what_is_no_transcript_is_a_clear_error_and_stores_nothing(
    engine: Engine, tmp_path: Path, content: bytes
) -> None:
    with pytest.raises(UnreadableSource):
        load(engine, write(tmp_path, content, "odd.bin"))
    assert engine.infos() == []


def test_a_folder_and_a_missing_file_are_clear_errors(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match="folder"):
        load(engine, tmp_path)
    with pytest.raises((UnreadableSource, NotFound), match="no file"):
        load(engine, tmp_path / "nope.jsonl")


def test_a_wrong_format_name_names_the_nearest(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="claude-code"):
        load(engine, write(tmp_path, CONVERSATION), format="claude-cod")


BOOKKEEPING = {"type": "summary", "summary": "Logins", "leafUuid": "l1"}


@pytest.mark.parametrize(
    ("lines", "format", "said"),
    [
        ([BOOKKEEPING, {"type": "hologram", "uuid": "h1"}], "auto", "looks like claude-code, but no message"),
        ([BOOKKEEPING, b"{broken\n", b"\n"], "auto", r"line 2: .*name its format"),
        (CONVERSATION, "codex", "no message that codex understands; it looks like claude-code"),
        ([BOOKKEEPING], "claude-code", "looks like claude-code, but no message"),
    ],
)
def test_a_file_of_which_nothing_is_understood_is_an_error_and_stores_nothing(
    engine: Engine, tmp_path: Path, lines: list[Any], format: str, said: str
) -> None:
    with pytest.raises(NoConversation, match=said):
        load(engine, write(tmp_path, lines), format=format)
    assert engine.infos() == []


def test_a_file_that_stays_silent_is_given_up(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.engine.ingest.importer._SILENT_BYTES", 10_000)
    monkeypatch.setattr("clew.engine.ingest.importer.BATCH_RECORDS", 10)
    path = write(tmp_path, [BOOKKEEPING | {"leafUuid": f"l{at}"} for at in range(1000)])
    read: list[int] = []
    with pytest.raises(NoConversation):
        load(engine, path, progress=read.append)
    assert max(read) < path.stat().st_size / 2


def test_bookkeeping_waits_for_the_first_message_and_may_follow_the_last(engine: Engine, tmp_path: Path) -> None:
    path = write(tmp_path, [BOOKKEEPING])
    follower = engine.follow_file(path)
    with pytest.raises(NoConversation):
        follower.poll()
    write(tmp_path, [BOOKKEEPING, *CONVERSATION])
    assert follower.poll()[0].new_messages == 5
    write(tmp_path, [BOOKKEEPING, *CONVERSATION, BOOKKEEPING | {"leafUuid": "l2"}])
    assert follower.poll()[0].new_messages == 0
    assert engine.find(SESSION).info.entries == 7


def test_a_chat_in_which_nobody_spoke_makes_no_session(engine: Engine, tmp_path: Path) -> None:
    chats = "# aider chat started at 2026-03-04 05:06:07\n\n# aider chat started at 2026-03-05 05:06:07\n\n#### one  \n"
    reports = engine.import_file(write(tmp_path, chats.encode(), "chats.md"))
    assert [(report.conversation, report.messages) for report in reports] == [("2026-03-05T05-06-07", 1)]
    assert len(engine.infos()) == 1


def test_a_file_of_many_conversations_gives_a_session_each(engine: Engine, tmp_path: Path) -> None:
    runs = [
        {"task_id": at, "messages": [{"role": "user", "content": f"task {at}"}, {"role": "assistant", "content": "ok"}]}
        for at in range(3)
    ]
    reports = engine.import_file(write(tmp_path, json.dumps(runs).encode(), "runs.json"))
    ids = [report.session for report in reports]
    assert [(id.split("-")[0], id.split("-")[2]) for id in ids] == [("runs", "0"), ("runs", "1"), ("runs", "2")]
    assert texts(engine, ids[1]) == ["task 1", "ok"]


def test_what_clew_exports_comes_back_with_every_number_as_it_was(engine: Engine, tmp_path: Path) -> None:
    from clew.codecs.clew_format import write_entry, write_header

    load(engine, write(tmp_path, [{"type": "progress", "uuid": "p"}, *CONVERSATION]))
    session = engine.find(SESSION)
    session.edit("m1", "Why does logout fail?")
    session.rollback(1)
    entries = list(session.reader.entries())
    path = write(tmp_path, write_header(session.info) + b"".join(map(write_entry, entries)), "copy.jsonl")
    report = load(engine, path, session="copy")
    copy = engine.find("copy")
    assert list(copy.reader.entries()) == entries
    assert (copy.messages(), copy.reader.prompt(), copy.reader.segments()) == (
        session.messages(),
        session.reader.prompt(),
        session.reader.segments(),
    )
    assert report.format == "clew"
    assert load(engine, path, session="copy").new_messages == 0


def test_a_path_inside_a_transcript_is_never_followed(engine: Engine, tmp_path: Path) -> None:
    secret = write(tmp_path, b"top secret", "secret.txt")
    pointing = line(
        1,
        "user",
        [{"type": "image", "source": {"type": "file", "path": str(secret)}}, {"type": "text", "text": f"@{secret}"}],
    )
    load(engine, write(tmp_path, [pointing]))
    stored = b"".join(entry.body for entry in engine.find(SESSION).reader.entries())
    assert b"top secret" not in stored


@pytest.mark.parametrize("masking", [False, True])
def test_bytes_that_are_no_utf8_stay_in_the_ledger_and_are_reported(tmp_path: Path, masking: bool) -> None:
    damaged = jsonl(CONVERSATION).replace(b"is never set", b"is n\xe9ver set")
    with clew.open(":memory:", config=Config(storage=StorageConfig(mask_secrets=masking))) as engine:
        report = load(engine, write(tmp_path, damaged))
        said = texts(engine)[3]
        bodies = b"\n".join(entry.body for entry in engine.find(SESSION).reader.entries())
        sent = json.dumps(engine.find(SESSION).reader.request("anthropic")[0].body)
    assert [(skip.line, "no UTF-8" in skip.reason) for skip in report.skipped] == [(4, True)]
    assert said == "The session cookie is n\ufffdver set."
    assert b"is n\xe9ver set" in bodies
    assert "\\ufffdver set" in sent


@pytest.mark.parametrize("is_header_there", [True, False], ids=["whole", "without its header"])
@pytest.mark.parametrize("unknown", [b'"kind":"hologram"', b'"format":"hologram"'])
def test_an_entry_of_an_unknown_kind_or_format_is_kept_and_reported(
    engine: Engine, tmp_path: Path, unknown: bytes, is_header_there: bool
) -> None:
    load(engine, write(tmp_path, CONVERSATION))
    header, first, second, *rest = _exported(engine)
    known = b'"kind":"message"' if b"kind" in unknown else b'"format":"claude-code"'
    lines = [*([header] if is_header_there else []), first, second.replace(known, unknown, 1), *rest]
    with clew.open(":memory:") as other:
        report = load(other, write(tmp_path, b"".join(lines), "copy.clew"), format="clew")
        kept = [entry.body for entry in other.find(report.session).reader.entries()]
        said = texts(other, report.session)
    assert [(skip.line, "hologram" in skip.reason) for skip in report.skipped] == [(2 + is_header_there, True)]
    assert said == [TEXTS[0], *TEXTS[2:]]
    assert len(kept) == len(lines) - is_header_there


def _exported(engine: Engine) -> list[bytes]:
    from clew.codecs.clew_format import write_entry, write_header

    session = engine.find(SESSION)
    return [write_header(session.info), *map(write_entry, session.reader.entries())]


def test_parts_of_unknown_kinds_are_kept_and_reported_once_by_kind(engine: Engine, tmp_path: Path) -> None:
    odd = [line(at, "assistant", [{"type": "hologram", "at": at}]) for at in (7, 8, 9)]
    report = load(engine, write(tmp_path, [*CONVERSATION, *odd]))
    assert [(skip.line, skip.reason) for skip in report.skipped] == [
        (len(CONVERSATION) + 1, "'hologram' is a kind that is not read here: 3 parts, kept as they are")
    ]
    assert [part.kind for message in engine.find(SESSION).messages() for part in message.parts_of(Opaque)] == [
        "hologram"
    ] * 3


ODD_MESSAGES = [
    {"role": "assistant", "content": "kept", "tool_calls": []},
    {"role": "assistant", "content": None, "tool_calls": []},
    {"role": "assistant", "content": None, "tool_calls": {"name": "ls"}},
    {"role": "assistant", "content": {"words": "kept"}},
    {"role": "assistant", "content": [7, {"type": "hologram"}], "tool_calls": [None, {"id": 7}]},
    {"role": "assistant", "content": None, "audio": {"id": "audio_1"}},
]


@pytest.mark.parametrize("odd", ODD_MESSAGES, ids=str)
def test_no_message_is_lost_however_odd(engine: Engine, tmp_path: Path, odd: dict[str, Any]) -> None:
    chat = [{"role": "user", "content": "one"}, odd, {"role": "user", "content": "two"}]
    report = load(engine, write(tmp_path, json.dumps({"messages": chat}).encode(), "chat.json"), format="openai-chat")
    found = engine.find(report.session).messages()
    assert [message.role.value for message in found] == ["user", "assistant", "user"]
    assert len(report.skipped) == len({part.kind for part in found[1].parts_of(Opaque)})
    assert bool(found[1].parts) == (odd != ODD_MESSAGES[1])


def test_a_file_that_is_done_leaves_nothing_in_memory(engine: Engine, tmp_path: Path) -> None:
    def alive(count: int) -> int:
        for at in range(count):
            lines = [one | {"sessionId": f"{count}-{at}"} for one in CONVERSATION]
            engine.import_file(write(tmp_path, lines, f"{count}-{at}.jsonl"))
        gc.collect()
        return sum(isinstance(one, SessionLedger) for one in gc.get_objects())

    assert alive(2) == alive(5)


def test_a_record_is_decoded_once_to_be_stored_and_to_be_derived_from(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.engine.ingest.importer.BATCH_RECORDS", 4)
    codec = type(registry.codec("claude-code"))
    whole, decoded = codec.read, list[bytes]()

    def read(self: Any, body: bytes) -> Any:
        decoded.append(body)
        return whole(self, body)

    monkeypatch.setattr(codec, "read", read)
    load(engine, write(tmp_path, [line(at, "user", f"Note {at} of eleven.") for at in range(11)]), repairs=False)
    assert len(decoded) == 11
    assert engine.find(SESSION).reader.work_map().request == "Note 10 of eleven."
    assert len(decoded) == 11


def found(engine: Engine, *words: str) -> list[tuple[int, ...]]:
    """Numbers of the messages that the index has for each word."""
    held = [engine.store.find_words(engine.key(SESSION), query_words(word), 1_000) for word in words]
    return [one[0].numbers if one else () for one in held]


def is_made(engine: Engine, projection: str) -> bool:
    ledger = engine.find(SESSION)._ledger
    return ledger._projector.state(ledger.key, projection) is not None


def test_words_are_found_at_once_and_the_rest_is_left_to_the_first_reader(engine: Engine, tmp_path: Path) -> None:
    load(engine, write(tmp_path, CONVERSATION), project=False)
    assert found(engine, "cookie", "login") == [(4,), (1, 2, 3)]
    assert not is_made(engine, "messages")
    engine.find(SESSION).reader.tokens()
    assert is_made(engine, "messages")
    assert found(engine, "cookie", "login") == [(4,), (1, 2, 3)]


def test_without_the_index_not_even_words_are_made(engine: Engine, tmp_path: Path) -> None:
    load(engine, write(tmp_path, CONVERSATION), project=False, index=False)
    assert found(engine, "cookie") == [()]
    assert engine.find(SESSION).search("cookie")[0].messages[0] == "m4"


def test_masked_words_are_not_found_by_what_was_masked(tmp_path: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    said = [line(0, "user", f"Use {token} for the harbor."), line(1, "user", "And the ferry, too.")]
    config = Config(storage=StorageConfig(mask_secrets=True))
    with clew.open(tmp_path / "clew.db", config=config) as engine:
        load(engine, write(tmp_path, said), project=False)
        assert found(engine, "harbor", "ferry") == [(1,), (2,)]
        assert engine.store.find_words(engine.key(SESSION), [whole_word(token)], 10) == []


def test_what_a_file_rolls_back_is_not_found(engine: Engine, tmp_path: Path) -> None:
    def said(role: str, text: str) -> dict[str, Any]:
        kind = "input_text" if role == "user" else "output_text"
        content = [{"type": kind, "text": text}]
        return {"type": "response_item", "payload": {"type": "message", "role": role, "content": content}}

    back = {"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}}
    talk = [said("user", "Paint the gate."), said("assistant", "Painted."), said("user", "Sink the ferry."), back]
    head = {"type": "session_meta", "payload": {"id": SESSION, "cwd": "/home/ana/harbor"}}
    load(engine, write(tmp_path, [head, *talk]), format="codex", session=SESSION, project=False)
    assert found(engine, "gate", "ferry") == [(1,), ()]


def test_an_import_is_completed_later_with_the_same_result(engine: Engine, tmp_path: Path) -> None:
    path = write(tmp_path, [*CONVERSATION, call(9, "c9", command="ls")])
    early = load(engine, path, project=False, repairs=False)
    assert (early.repairs, is_made(engine, "messages")) == (None, False)
    engine.complete_import(early)
    assert is_made(engine, "messages")
    assert early.repairs == load(engine, path).repairs
