"""A session as a file that a client resumes: what the client's own format says is what was recorded."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import clew
from clew import rules
from clew.assistants.clients import resumable
from clew.assistants.resumable import SessionFile
from clew.assistants.session_file import session_file
from clew.codecs import registry
from clew.domain import Media, Message, Origin, Output, Role, Status, Text
from clew.errors import BudgetExceeded, UsageError
from tests.builders import call, gives, injected, output, says, thinks, user
from tests.codec_examples import EXAMPLES
from tests.codec_examples.file_reader import messages
from tests.resumed_session import HISTORY, PROMPT, REQUESTS, in_request, without_ids, words

FOLDER = Path("/srv/shop")
CLIENTS = ["claude-code", "codex"]
SYSTEM = Message(role=Role.SYSTEM, origin=Origin.SYSTEM, parts=(Text(text="You are a ferryman."),))
PICTURE = Media(media_type="image/png", data="aGk=")
WORK = [
    user("Look at the ferry.", PICTURE),
    says("I look.", call("c1", path="a.py"), call("c2", "bash", cmd="ls")),
    gives(output("c1", "x" * 60_000), Output(call_id="c2", content=(Text(text="no"), PICTURE), status=Status.FAILED)),
    says("It leaks."),
    injected("<system-reminder>three to-dos</system-reminder>"),
    user("Then mend it."),
    says("Mended."),
]


WORK = [replace(one, at=1777629600.0 + n) for n, one in enumerate(WORK)]


def handed(client: str, work: list[Message], *, budget: int | None = None, own: bool = False) -> SessionFile:
    with clew.open(":memory:") as engine:
        session = engine.session("s", client=client if own else "")
        session.record(work)
        return session_file(session, client, folder=FOLDER, budget=budget)


def read(file: SessionFile) -> list[Message]:
    return messages(registry.codec(file.client), b"".join(file.encode()))


def told(found: list[Message]) -> list[Any]:
    """Who said what: texts, calls with arguments, outputs with their end, and pictures, in order."""
    return [
        (one.role is Role.ASSISTANT, one.origin, said) for one in found for part in one.parts for said in _said(part)
    ]


def _said(part: Any) -> list[Any]:
    match part:
        case Text():
            return [part.text]
        case Output():
            return [(part.call_id, part.status, [said for one in part.content for said in _said(one)])]
        case Media():
            return [(part.media_type, part.data)]
    return [(part.id, part.name, part.arguments)]


@pytest.mark.parametrize("client", CLIENTS)
def test_what_is_written_reads_as_what_was_recorded(client: str) -> None:
    file = handed(client, WORK)
    assert told(read(file)) == told(WORK)
    assert (file.repairs, file.losses) == ((), ())


@pytest.mark.parametrize("client", CLIENTS)
def test_a_file_follows_from_the_session_alone(client: str) -> None:
    assert handed(client, WORK) == handed(client, WORK)
    assert handed(client, WORK).id != handed(client, WORK[:-1]).id


@pytest.mark.parametrize("client", CLIENTS)
def test_a_compacted_file_begins_with_a_summary_and_ends_with_the_newest_words(client: str) -> None:
    long = [
        one for n in range(40) for one in (user(f"Question {n}? " + "why " * 60), says(f"Answer {n}. " + "so " * 60))
    ]
    found = read(handed(client, long, budget=2_000))
    assert found[0].origin is Origin.SUMMARY
    assert "clew show s ID" in found[0].text
    assert told(found[1:]) == told(long[-len(found) + 1 :])
    assert 2 < len(found) < 20
    with pytest.raises(BudgetExceeded):
        handed(client, long, budget=30)


@pytest.mark.parametrize("client", CLIENTS)
def test_a_broken_history_is_repaired(client: str) -> None:
    file = handed(client, [user("Go."), gives(output("c9")), says(call("c1"))])
    assert [[one.call_id for one in message.outputs] for message in read(file)][-1] == ["c1"]
    assert "call-answered" in {repair.rule for repair in file.repairs}


@pytest.mark.parametrize("budget", [None, 20_000])
def test_marks_of_a_cache_are_left_to_the_client(budget: int | None) -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    talk: list[Any] = []
    for number in range(8):
        talk.append({"role": "user", "content": [{"type": "text", "text": f"Ferry {number}?", **mark}]})
        talk.append({"role": "assistant", "content": [{"type": "text", "text": "It leaks."}]})
    with clew.open(":memory:") as engine:
        session = engine.session("s")
        session.record(talk, format="anthropic")
        file = session_file(session, "claude-code", folder=FOLDER, budget=budget)
    assert b"cache_control" not in b"".join(file.encode())
    assert (len(read(file)), file.repairs) == (16, ())


def test_a_system_prompt_is_left_to_the_client_unless_it_is_its_own() -> None:
    for client in CLIENTS:
        file = handed(client, [SYSTEM, *WORK])
        assert told(read(file)) == told(WORK)
        assert [loss.what for loss in file.losses] == ["a system prompt: the client brings its own"]
    file = handed("codex", [SYSTEM, *WORK], own=True)
    assert file.lines[0]["payload"]["base_instructions"] == {"text": "You are a ferryman."}
    assert told(read(file)) == told([SYSTEM, *WORK])
    assert not file.losses


def test_a_compacted_budget_is_for_the_conversation_whatever_the_system_prompt_takes() -> None:
    long = Message(role=Role.SYSTEM, origin=Origin.SYSTEM, parts=(Text(text="Be brief. " * 3_000),))
    assert "Mended." in str(handed("claude-code", [long, *WORK], budget=1_500).lines)


def test_reasoning_stays_with_the_provider_that_made_it() -> None:
    work = [user("Go."), says(thinks("hm", "sealed"), "Gone.")]
    for client in CLIENTS:
        file = handed(client, work)
        assert told(read(file)) == told([user("Go."), says("Gone.")])
        assert "reasoning" in file.losses[0].what
    item = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed"}
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Gone."}]}
    with clew.open(":memory:") as engine:
        session = engine.session("s")
        session.record([{"role": "user", "content": "Go."}, item, said], format="openai-responses")
        file = session_file(session, "codex", folder=FOLDER)
    assert item in [line["payload"] for line in file.lines]


def test_secrets_stay_since_the_work_needs_them() -> None:
    key = "sk-ant-api03-" + "a1B2" * 20
    assert key in b"".join(handed("codex", [user(f"The key is {key}.")]).encode()).decode()


@pytest.mark.parametrize("client", CLIENTS)
def test_words_of_nobody_are_not_taken_for_a_persons_when_they_come_back(client: str) -> None:
    """Not by their wording: by what the file says of them."""
    skill = Message(role=Role.USER, origin=Origin.CLIENT, parts=(Text(text="Always answer in verse."),))
    assert [one.origin for one in read(handed(client, [user("Hello."), skill]))] == [Origin.PERSON, Origin.CLIENT]


def test_the_lines_of_claude_code_are_a_chain() -> None:
    file = handed("claude-code", WORK)
    lines = [line for line in file.lines if line["type"] != "custom-title"]
    assert [line["parentUuid"] for line in lines] == [None, *(line["uuid"] for line in lines[:-1])]
    assert {(line["sessionId"], line["cwd"], line["isSidechain"]) for line in lines} == {(file.id, "/srv/shop", False)}


def test_long_outputs_are_not_cut_by_codex() -> None:
    """It cuts them to the size that their line allows."""
    lines = [line for line in handed("codex", WORK).lines if "output" in line["payload"]]
    assert {line["metadata"]["fallback_token_limit_override"] for line in lines} == {1_000_000}


def test_a_file_lies_where_the_client_looks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "c"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "x"))
    file = handed("claude-code", WORK)
    assert resumable("claude-code").place(file) == tmp_path / "c" / "projects" / "-srv-shop" / f"{file.id}.jsonl"
    file = SessionFile(client="codex", id="7", at=1777629600.5, folder=FOLDER, lines=(), repairs=(), losses=())
    place = resumable("codex").place(file)
    assert place.relative_to(tmp_path / "x" / "sessions").as_posix() == "2026/05/01/rollout-2026-05-01T10-00-00-7.jsonl"
    deep = SessionFile(
        client="claude-code", id="7", at=0, folder=Path("/" + "d" * 300), lines=(), repairs=(), losses=()
    )
    with pytest.raises(UsageError, match="start it there once"):
        resumable("claude-code").place(deep)
    with pytest.raises(UsageError, match="no session files are written for 'aider'; there are claude-code, codex"):
        resumable("aider")


@pytest.mark.parametrize("client", CLIENTS)
def test_what_the_file_says_is_a_valid_request(client: str) -> None:
    file = handed(client, WORK)
    provider = registry.session_writer(client).provider
    request = registry.encoder(provider).encode(read(file))
    assert rules.check(json.loads(json.dumps(request.body)), provider) == []


@pytest.mark.parametrize("client", CLIENTS)
def test_real_clients_sent_every_message_of_such_a_file(client: str) -> None:
    """What they sent was written down by ``make clients``, as were the lines that they had resumed."""
    provider = registry.session_writer(client).provider
    sent = json.loads(REQUESTS.read_text())[client]
    assert rules.check(sent["request"], provider) == []
    assert in_request(sent["request"], provider) == [*words(HISTORY), (False, PROMPT)]
    assert without_ids(handed(client, HISTORY).lines) == sent["lines"]


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("format", EXAMPLES)
def test_a_session_of_any_format_can_be_handed_over(client: str, format: str, tmp_path: Path) -> None:
    path = tmp_path / "session"
    path.write_bytes(EXAMPLES[format].file)
    with clew.open(":memory:") as engine:
        report = engine.import_file(path, format=format, project=False)[0]
        session = engine.find(report.session)
        file = session_file(session, client, folder=FOLDER)
        recorded, _ = session.reader.prompt()
    spoken = [one for one in recorded if one.role is not Role.SYSTEM]
    handed_over = words(read(file))
    calls = {call.id for one in read(file) for call in one.calls if not call.server}
    assert calls == {output.call_id for one in read(file) for output in one.outputs if not output.server}
    assert len(calls) == len({call.id for one in spoken for call in one.calls if not call.server})
    texts = [text for one in spoken for text in (part.text.strip() for part in one.parts_of(Text)) if text]
    assert is_in_order(texts, [text for _, text in handed_over])


def is_in_order(some: list[Any], all_of_it: list[Any]) -> bool:
    rest = iter(all_of_it)
    return all(one in rest for one in some)
