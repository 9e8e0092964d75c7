"""Blocks at the end of a recorded reply: the ledger keeps them, digests take in what they note, no other is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import orjson
import pytest

from clew.curation.projection import CuratedFormsProjection
from clew.digests.projection import DigestsProjection
from clew.domain import Digest, Message, Text
from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.history.overview import OverviewProjection
from clew.history.work_map.projection import WorkMapProjection
from tests.builders import call, gives, output, says, user
from tests.unit.replies.words import NOTES, asks, notes

REQUEST = "Please find out why nobody can log in since this morning."
WORDS = "Logging in works again: the tokens had expired."


def exchange(reply: str, *, request: str = REQUEST, result: str = "The file was updated.") -> list[Message]:
    """A request, an edit of src/login.py, and the reply."""
    edit = call("c1", "Edit", file_path="src/login.py", old_string="now()", new_string="utcnow()")
    return [user(request), says(edit), gives(output("c1", result)), says(reply)]


def recorded(engine: Engine, messages: Sequence[Message], id: str = "s") -> Session:
    session = engine.session(id)
    session.record(messages)
    return session


def digest_of(session: Session, id: str = "x1") -> Digest:
    found = session.reader.digests().digest(id)
    assert found is not None
    return found


def derived(session: Session) -> list[Any]:
    """What is kept of a session beside its ledger, but for the sizes of messages."""
    names = (DigestsProjection.name, WorkMapProjection.name, CuratedFormsProjection.name)
    rows = [session._factory.ledgers.store.rows(session.key, name, start="\x01") for name in names]
    return [[(name, _sizeless(orjson.loads(row))) for name, row in found] for found in rows]


def _sizeless(row: Any) -> Any:
    return {name: _sizeless(value) for name, value in row.items() if name != "tokens"} if isinstance(row, dict) else row


def test_header_summary_and_digest_tell_what_the_model_noted(engine: Engine) -> None:
    session = recorded(engine, [*exchange(f"{WORDS}\n\n{notes()}"), user("Thanks"), says("You are welcome.")])
    header, summary, digest = (session.recall("x1", size)[0].text for size in ("header", "summary", "digest"))
    assert header == "x1 Login fails → Login fixed"
    assert summary == (
        f"m1 user: {REQUEST}\n"
        "m4 agent noted: Tokens now expire after an hour.\n"
        f"m4 agent: {WORDS}\n"
        "m4 agent noted of login.py: expiry in UTC\n"
        "m4 agent: Use UTC everywhere\n"
        "changed: src/login.py"
    )
    assert "  intent: Fix the login (m4)" in digest.split("\n")


def test_what_is_under_way_tells_its_notes_as_well(engine: Engine) -> None:
    session = recorded(engine, exchange(f"{WORDS}\n{notes()}"))
    (trio,) = session.reader.digests().trios()
    assert (trio.header.line, trio.header.topic) == ("Login fails → Login fixed", "Login fails")


CLAIMS = {"model": {"code_changes": [{"path": "src/login.py", "what": "UTC"}, {"path": "cfg.toml", "what": "ttl = 1"}]}}


def test_a_file_that_is_only_claimed_is_listed_as_noted(engine: Engine) -> None:
    session = recorded(engine, exchange(f"{WORDS}\n{notes(CLAIMS)}"))
    found, shown = digest_of(session), session.recall("x1", "digest")[0].text.split("\n")
    assert [file.text for file in found.files] == ["src/login.py"]
    assert "  files: src/login.py (m2) agent noted (m4): UTC" in shown
    assert "  changes: cfg.toml: ttl = 1 (m4)" in shown
    assert "m4 agent noted of cfg.toml: ttl = 1" in session.recall("x1", "summary")[0].text


@pytest.mark.parametrize("by", ["reply", "report"])
def test_changes_that_a_model_notes_stand_in_story_pack_and_map(engine: Engine, by: str) -> None:
    session = recorded(engine, exchange(f"{WORDS}\n{notes(CLAIMS)}" if by == "reply" else WORDS))
    if by == "report":
        session.channels.note(CLAIMS)
    (files,) = (section.text for section in session.story() if section.name == "files")
    assert files.split("\n") == [
        "- src/login.py (edited, m3) agent noted: UTC",
        "- cfg.toml (noted by the agent, m4) ttl = 1",
    ]
    assert session.reader.work_map().files[-1].noted == (4, "ttl = 1")
    assert session.reader.work_map().files[-1].edits == 0
    session.record([user("More? " + "words " * 900), says("No. " + "answer " * 900)])
    assert "cfg.toml (noted by the agent, m4)" in session.pack(None, budget=1_500, target="text", record=False).text


def test_the_ledger_keeps_every_word_and_the_model_gets_its_own_back(engine: Engine) -> None:
    reply = f"{WORDS}\n\n{notes()}\n{asks('x1')}"
    session = recorded(engine, exchange(reply))
    assert orjson.loads(list(session.reader.entries())[-1].body)["message"]["parts"][0]["text"] == reply
    sent = session.pack("And now?", budget=20_000, target="anthropic").request()
    assert {"type": "text", "text": reply} in [part for one in sent["messages"] for part in one["content"]]


def test_no_block_stands_in_what_is_shown_of_a_session(engine: Engine) -> None:
    """Whatever is read of it, or stands in place of messages. The model alone gets its own words back as they were."""
    call_and_words = (Text(text=f"I look. {notes()}"), call("c9", "Read", file_path="a.py"))
    session = engine.session("s")
    session.record([*exchange(f"{WORDS}\n\n{notes()}\n{asks('x1')}"), user("And a.py?"), says(*call_and_words)])
    session.record([gives(output("c9", "x = 1")), says(asks("x1")), user("Thanks " * 300)])
    for at in range(12):
        session.record([user(f"what of thing {at}? " + "words " * 80), says(f"it is {at} " + "answer " * 90)])
    shown: list[Any] = [session.messages(), session.reader.history().messages, session.reader.prompt(), session.story()]
    shown += [session.recall(id, size) for id in ("m4", "m6", "x1", "x1-x2") for size in ("full", "summary", "digest")]
    shown += [session.search("Logging tokens", kind=kind) for kind in ("segment", "message")]
    shown += [session.reader.request("anthropic"), session.reader.recent_messages(40), session.reader.digests().trios()]
    shown += [session.pack("login tokens", budget=size, target="text", record=False).text for size in (2_000, 9_000)]
    for target in ("anthropic", "openai-chat", "openai-responses", "gemini"):
        shown.append(session.pack("login tokens", budget=1_600, target=target, record=False).request())
    assert [str(one) for one in shown if "-housekeeping" in str(one) or "-request" in str(one)] == []
    assert session.messages()[7].parts == ()


def test_a_conversation_that_is_handed_in_as_the_user_saw_it_is_not_recorded_twice(engine: Engine) -> None:
    session = recorded(engine, [user(REQUEST)])
    seen = session.reply(f"{WORDS}\n{notes()}").content
    done = session.record([user(REQUEST), says(seen), user("Thanks")])
    assert (done.ids, seen) == (("m3",), WORDS)


def test_tokens_are_those_of_the_reply_as_it_came(engine: Engine) -> None:
    reply = f"{WORDS}\n\n{notes()}"
    session = recorded(engine, exchange(reply))
    assert session.recall("m4")[0].tokens == engine.count(reply) == _row(session, 4)["tokens"]


def _row(session: Session, number: int) -> Any:
    raw = session._factory.ledgers.store.row(session.key, OverviewProjection.name, f"{number:09d}")
    return orjson.loads(raw or b"{}")


def test_no_word_of_a_block_is_taken_for_the_assistant_s(engine: Engine) -> None:
    reply = f"{WORDS}\n\n{notes()}"
    found = digest_of(recorded(engine, exchange(reply)))
    assert found.final is not None
    assert found.final.text == WORDS
    assert not any("clew" in fact.text or "header" in fact.text for fact in found.names)


@pytest.mark.parametrize(
    "block",
    [
        "<clew-housekeeping>{not json</clew-housekeeping>",
        "<clew-housekeeping>" + "[" * 5_000 + "</clew-housekeeping>",
        '<clew-housekeeping>{"model": {"response_header": 7}}</clew-housekeeping>',
        '<clew-housekeeping>{"critical": ["never test"]}</clew-housekeeping>',
        '<clew-housekeeping priority="high">{}</clew-housekeeping>',
        '<clew-housekeeping>{"model": {"response_header": "Login fixed"}}',
        "</clew-housekeeping>",
        "<clew-housekee",
        asks("x4"),
    ],
)
def test_a_malformed_block_changes_nothing(engine: Engine, block: str) -> None:
    plain = recorded(engine, exchange(WORDS), "plain")
    broken = recorded(engine, exchange(f"{WORDS}\n\n{block}"), "broken")
    assert derived(broken) == derived(plain)
    assert broken.messages()[-1].text == WORDS


def test_a_block_that_is_shown_is_text(engine: Engine) -> None:
    for at, shown in enumerate((f"```\n{notes()}\n```", f"> {notes()}", f"{notes()}\nThat is how it looks to me.")):
        found = digest_of(recorded(engine, exchange(f"Write it so:\n\n{shown}"), f"s{at}"))
        assert (found.query, found.intent, found.response, found.gist) == (None,) * 4
        assert all(file.what is None for file in found.files)


def test_a_block_planted_in_a_tool_output_is_never_read(engine: Engine) -> None:
    plain = recorded(engine, exchange(WORDS), "plain")
    planted = recorded(engine, exchange(WORDS, result=f"The file was updated.\n{notes()}"), "planted")
    assert digest_of(planted) == replace(digest_of(plain), tokens=digest_of(planted).tokens)


def test_a_block_planted_in_a_user_s_message_is_never_read(engine: Engine) -> None:
    found = digest_of(recorded(engine, exchange(WORDS, request=f"{REQUEST}\n{notes()}")))
    assert (found.query, found.intent, found.response, found.gist) == (None,) * 4
    assert found.requests[0].text.startswith(REQUEST)
    assert notes()[:40] in recorded(engine, []).messages()[0].text


def test_notes_before_calls_are_read_and_the_calls_stay(engine: Engine) -> None:
    edit = call("c1", "Edit", file_path="src/login.py", old_string="now()", new_string="utcnow()")
    reply = says(f"I will use UTC from here on.\n{notes()}", edit)
    session = recorded(engine, [user(REQUEST), reply, gives(output("c1", "The file was updated."))])
    found = digest_of(session)
    assert [(file.text, file.what and file.what.text) for file in found.files] == [("src/login.py", "expiry in UTC")]
    assert _row(session, 2)["calls"] == [["c1", "Edit"]]


def test_a_reply_of_nothing_but_notes_keeps_its_place(engine: Engine) -> None:
    session = recorded(engine, [*exchange(WORDS), user("And now?"), says(notes()), user("Go on"), says("Gone on.")])
    found = digest_of(session, "x2")
    assert (found.final, found.outcome.value, found.query and found.query.source) == (None, "completed", "m6")


def test_a_new_version_of_a_reply_takes_the_notes_of_the_old_one_away(engine: Engine) -> None:
    session = recorded(engine, exchange(f"{WORDS}\n{notes()}"))
    session.edit("m4", WORDS)
    found = digest_of(session)
    assert (found.query, found.gist, [fact.text for fact in found.decisions]) == (None, None, [])
    session.edit("m4", f"{WORDS}\n{notes()}")
    again = digest_of(session)
    assert again.query is not None
    assert (again.query.text, again.query.source) == ("Login fails", "m6")


def test_a_rebuild_reads_the_same_notes(engine: Engine) -> None:
    session = recorded(engine, [*exchange(f"{WORDS}\n{notes()}"), user("Thanks"), says("You are welcome.")])
    before = derived(session)
    engine.rebuild(session.info)
    assert derived(session) == before


def test_a_reply_that_comes_line_by_line_is_read_as_one(engine: Engine) -> None:
    def line(uuid: str, role: str, *content: dict[str, Any]) -> dict[str, Any]:
        message = {"role": role, "content": list(content)} | (
            {"id": "r1", "type": "message"} if role == "assistant" else {}
        )
        return {"type": role, "uuid": uuid, "sessionId": "s", "timestamp": "2027-01-15T08:00:00Z", "message": message}

    edit = {"file_path": "src/login.py", "old_string": "now()", "new_string": "utcnow()"}
    session = engine.session("s")
    session.record(
        [
            line("u1", "user", {"type": "text", "text": REQUEST}),
            line("u2", "assistant", {"type": "text", "text": f"UTC it is.\n{notes()}"}),
            line("u3", "assistant", {"type": "tool_use", "id": "c1", "name": "Edit", "input": edit}),
            line("u4", "user", {"type": "tool_result", "tool_use_id": "c1", "content": "The file was updated."}),
        ],
        format="claude-code",
    )
    found = digest_of(session)
    assert (found.query and found.query.text, [file.what is not None for file in found.files]) == (
        "Login fails",
        [True],
    )
    assert isinstance(session.messages()[1].parts[0], Text)


def test_the_notes_of_the_last_reply_of_an_exchange_count(engine: Engine) -> None:
    first = notes({"model": {"response_header": "Cause unknown so far", "context_summary": "Nothing found yet."}})
    look = call("c0", "Read", file_path="src/login.py")
    before = [user(REQUEST), says(f"Let me look.\n{first}", look), gives(output("c0", "1→now()"))]
    found = digest_of(recorded(engine, [*before, *exchange(f"{WORDS}\n{notes(NOTES)}")[1:]]))
    assert (found.response and found.response.text, found.gist and found.gist.source) == ("Login fixed", "m6")
