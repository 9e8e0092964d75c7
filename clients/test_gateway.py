"""Claude Code through the gateway, long enough to begin two epochs."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

from clew.rules import check
from clients.conftest import Machine
from clients.test_claude_code import RULE, Conversation, wrapped
from clients.test_codex import SETTINGS, told

_STEPS = 30
OWN_SETTINGS = '{\n  "permissions": { "allow": [] }, "env": { "MINE": "1" }\n}\n'
OWN_CODEX = '# mine\nmodel = "gpt-test"  # any\n'
#: What each step of the work prints.
_OUTPUT = (
    "python3 -c \"import random; print('\\n'.join(f'def part_{n}(): return {random.random()}' for n in range(400)))\""
)


@contextmanager
def gateway(machine: Machine, **settings: str) -> Iterator[str]:
    """`clew serve` before the machine's upstream; gives its address."""
    upstreams = (f"--upstream={api}={machine.upstream.url}" for api in ("anthropic", "openai"))
    command = ["clew", "serve", "--port", "0", *upstreams]
    with subprocess.Popen(command, env=machine.env | settings, stdout=subprocess.PIPE, text=True) as served:
        try:
            assert served.stdout
            yield next(word for word in served.stdout.readline().split() if word.startswith("http"))
        finally:
            served.terminate()


def test_a_long_conversation_stays_small_valid_and_whole(machine: Machine) -> None:
    machine.upstream.command, machine.upstream.input_tokens = _OUTPUT, None
    with gateway(machine, CLEW_GATEWAY__MAX_TOKENS="42000") as url:
        talk = Conversation(machine, ANTHROPIC_BASE_URL=url)
        talk.say(f"Make the export streaming. {RULE} RUN the first step")
        for step in range(2, _STEPS + 1):
            talk.say(f"RUN step {step}, please")
        talk.end()
    requests = [body for body in machine.upstream.requests if body.get("tools")]
    assert [check(body, "anthropic") for body in requests] == [[] for _ in requests]
    sizes = [len(json.dumps(body["messages"])) for body in requests]
    smaller = [at for at in range(1, len(sizes)) if sizes[at] < sizes[at - 1]]
    assert len(smaller) >= 2, sizes
    assert all(RULE in json.dumps(body["messages"]) for body in requests)
    # Between two epochs, each request begins with all of the one before.
    for at, (before, after) in enumerate(pairwise(requests), start=1):
        if at not in smaller:
            assert _unmarked(after["messages"])[: len(before["messages"])] == _unmarked(before["messages"])
    (stored,) = [one for one in json.loads(machine.clew("sessions", "--json"))["sessions"] if one["messages"] > 2]
    assert stored["id"] == talk.session
    assert stored["exchanges"] == _STEPS


def test_the_work_goes_on_when_the_gateway_is_taken_away(machine: Machine) -> None:
    machine.upstream.command, machine.upstream.input_tokens = _OUTPUT, None
    with gateway(machine, CLEW_GATEWAY__MAX_TOKENS="42000") as url:
        talk = Conversation(machine, ANTHROPIC_BASE_URL=url)
        talk.say(f"Make the export streaming. {RULE} RUN the first step")
        for step in range(2, _STEPS + 1):
            talk.say(f"RUN step {step}, please")
        talk.end()
    sizes = [len(json.dumps(body["messages"])) for body in machine.upstream.requests if body.get("tools")]
    assert sum(after < before for before, after in pairwise(sizes)) >= 2
    gain = json.loads(machine.clew("gain", "--by", "client", "--json"))["total"]
    assert gain["calls"] == len(sizes)
    assert gain["saved"]["estimated_share"] > 0.1

    def resumed(session: str) -> int:
        """What Claude Code sends when it goes on by itself: sound, and with all that matters."""
        before = len(machine.upstream.requests)
        machine.run("claude", "-p", "--dangerously-skip-permissions", "--resume", session, "Go on, please.")
        (body, *_) = (one for one in machine.upstream.requests[before:] if one.get("tools"))
        assert check(body, "anthropic") == []
        said = json.dumps(body["messages"])
        assert RULE in said
        assert f"RUN step {_STEPS}, please" in said
        return len(said)

    handed = json.loads(machine.clew("handback", talk.session, "--to", "claude-code", "--write", "--json"))
    whole, small = resumed(talk.session), resumed(handed["id"])
    assert whole > 2 * max(sizes)
    assert small < whole / 3


def _unmarked(value: object) -> object:
    """Messages without marks of the cache, which move: with one a text is a block."""
    if isinstance(value, dict) and isinstance(value.get("content"), str) and "role" in value:
        value = value | {"content": [{"type": "text", "text": value["content"]}]}
    if isinstance(value, dict):
        return {name: _unmarked(item) for name, item in value.items() if name != "cache_control"}
    return [_unmarked(item) for item in value] if isinstance(value, list) else value


def test_subagents_are_threads_of_their_own_beside_the_conversation(machine: Machine) -> None:
    machine.upstream.command, machine.upstream.input_tokens = _OUTPUT, None
    with gateway(machine, CLEW_GATEWAY__MAX_TOKENS="42000") as url:
        talk = Conversation(machine, ANTHROPIC_BASE_URL=url)
        talk.say(f"Make the export streaming. {RULE} RUN the first step")
        for turn in range(2):
            machine.upstream.tasks = tuple(f"RUN part {turn}{part} of the work" for part in "abc")
            talk.say("DELEGATE the parts, please")
            for step in range(3):
                talk.say(f"RUN step {turn}{step}, please")
            talk.say("/compact")
        talk.end()
    requests = machine.upstream.requests
    asked = [body for body in requests if body.get("tools")]
    assert [check(body, "anthropic") for body in asked] == [[] for _ in asked]
    stored = json.loads(machine.clew("sessions", "--json"))["sessions"]
    agents = {one["x-claude-code-agent-id"] for one in machine.upstream.headers if "x-claude-code-agent-id" in one}
    assert len(agents) == 6
    assert {one["id"] for one in stored} == {talk.session, *(f"{talk.session}.{agent}" for agent in agents)}
    for body, headers in zip(requests, machine.upstream.headers, strict=True):
        said = json.dumps(body["messages"])
        assert "x-claude-code-agent-id" not in headers or (RULE not in said and said.count("of the work") == 1)


def test_a_summary_is_answered_at_once_and_the_work_goes_on(machine: Machine) -> None:
    machine.upstream.command = "git init -q -b feat/stream && echo the export is written"
    with gateway(machine, CLEW_GATEWAY__INSTANT_SUMMARIES="true") as url:
        talk = Conversation(machine, ANTHROPIC_BASE_URL=url)
        talk.say(f"Make the export streaming. {RULE} RUN the first step")
        before = len(machine.upstream.requests)
        talk.say("/compact")
        assert len(machine.upstream.requests) == before
        talk.say("Go on, please.")
        talk.end()
    said = machine.upstream.said()
    assert RULE in said
    assert "the export is written" in said
    assert "Go on, please." in said


def test_codex_goes_through_and_is_summed_up_at_once(machine: Machine) -> None:
    settings = machine.home / ".codex" / "config.toml"
    settings.parent.mkdir()
    with gateway(machine, CLEW_GATEWAY__INSTANT_SUMMARIES="true") as url:
        settings.write_text(SETTINGS.format(url=url))
        told(machine, f"Make the export streaming. {RULE} The branch is feat/stream-export, the commit 4be91d7.")
        machine.upstream.input_tokens = 19_500
        told(machine, "Once more.", "resume", "--last")
        machine.upstream.input_tokens = 1_000
        told(machine, "Go on, please.", "resume", "--last")
    said = machine.upstream.said()
    assert RULE in said
    assert "4be91d7" in said
    assert not any("CONTEXT CHECKPOINT" in json.dumps(body) for body in machine.upstream.requests)
    assert not [finding for body in machine.upstream.requests for finding in check(body, "openai-responses")]


def test_claude_code_never_sees_what_its_model_reads_back(machine: Machine) -> None:
    machine.upstream.command = "echo the build number is 4711"
    with gateway(machine, CLEW_GATEWAY__RETRIEVE="true") as url:
        talk = Conversation(machine, ANTHROPIC_BASE_URL=url)
        talk.say(f"Make the export streaming. {RULE} RUN the first step")
        for turn in range(2):
            talk.say(f"RECALL what was said, {turn}")
            assert "Let me look back." in json.dumps(talk.events)
            talk.say("RUN another step")
        talk.say("/compact")
        talk.say("Go on, please.")
        talk.end()
    assert "retrieve_context" not in json.dumps(talk.events)
    assert not any(one.get("is_error") for one in talk.events)
    assert not any("retrieve_context" in path.read_text() for path in machine.home.glob(".claude/projects/*/*.jsonl"))
    requests = machine.upstream.requests
    asked = [body for body in requests if any(one["name"] == "retrieve_context" for one in body.get("tools", ()))]
    assert len(asked) == 2 * 3 + 2 * 2 + 1
    assert [check(body, "anthropic") for body in requests] == [[] for _ in requests]
    for before, after in pairwise(asked[:-1]):
        assert _unmarked(after["messages"])[: len(before["messages"])] == _unmarked(before["messages"])
    assert json.dumps(asked[-2]).count("Quoted from earlier in this conversation") == 2
    assert "retrieve_context" not in json.dumps(machine.upstream.requests[-2])  # the summary is the client's own
    (session,) = json.loads(machine.clew("sessions", "--json"))["sessions"]
    assert session["id"] == talk.session


def test_codex_never_sees_what_its_model_reads_back(machine: Machine) -> None:
    settings = machine.home / ".codex" / "config.toml"
    settings.parent.mkdir()
    machine.upstream.command = "echo the build number is 4711"
    with gateway(machine, CLEW_GATEWAY__RETRIEVE="true") as url:
        settings.write_text(SETTINGS.format(url=url))
        told(machine, f"Make the export streaming. {RULE} RUN the first step")
        told(machine, "RECALL what was said", "resume", "--last")
        told(machine, "Go on, please.", "resume", "--last")
    requests = machine.upstream.requests
    assert len(requests) == 5
    assert [check(body, "openai-responses") for body in requests] == [[] for _ in requests]
    for before, after in pairwise(requests):
        assert after["tools"] == before["tools"]
        assert after["input"][: len(before["input"])] == before["input"]
    assert json.dumps(requests[-1]).count("Quoted from earlier in this conversation") == 1
    files = list(machine.home.glob(".codex/sessions/**/*.jsonl"))
    assert files
    assert not any("retrieve_context" in path.read_text() for path in files)


def stored(machine: Machine) -> list[str]:
    return [one["id"] for one in json.loads(machine.clew("sessions", "--json"))["sessions"]]


def test_claude_code_is_sent_through_the_gateway_by_its_settings_and_back(machine: Machine) -> None:
    settings = machine.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(OWN_SETTINGS)
    machine.upstream.input_tokens = None
    with gateway(machine) as url:
        machine.clew("wrap", "claude-code", "--gateway", "--address", url, "--yes")
        talk = Conversation(machine)
        talk.say("RUN the first step")
        talk.end()
        assert stored(machine) == [talk.session]
        gain = json.loads(machine.clew("gain", "--by", "client", "--json"))
        assert [(row["name"], row["calls"]) for row in gain["rows"]] == [("claude-code", 2)]
        assert gain["total"]["saved"]["estimated_tokens"] == 0
        machine.clew("unwrap", "claude-code", "--yes")
        assert settings.read_text() == OWN_SETTINGS
    straight = Conversation(machine)  # nobody serves any more
    straight.say("Go on, please.")
    straight.end()
    assert "Go on, please." in machine.upstream.said()
    assert straight.session not in stored(machine)


def test_codex_is_sent_through_the_gateway_by_its_settings_and_back(machine: Machine) -> None:
    folder = machine.home / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text(OWN_CODEX)
    (folder / "auth.json").write_text('{"OPENAI_API_KEY": "none"}')
    with gateway(machine) as url:
        machine.clew("wrap", "codex", "--gateway", "--address", url, "--yes")
        told(machine, f"Make the export streaming. {RULE}")
        (session,) = stored(machine)
        assert RULE in machine.clew("show", session, "x1")
        machine.clew("unwrap", "codex", "--yes")
    assert (folder / "config.toml").read_text() == OWN_CODEX


def test_subagents_of_codex_are_threads_of_their_own_too(machine: Machine) -> None:
    settings = machine.home / ".codex" / "config.toml"
    settings.parent.mkdir()
    machine.upstream.tasks = ("RUN part a of the work", "RUN part b of the work")
    with gateway(machine) as url:
        settings.write_text(SETTINGS.format(url=url))
        told(machine, f"DELEGATE the parts. {RULE}")
        told(machine, "Go on, please.", "resume", "--last")
    threads = {(one["session-id"], one["thread-id"]) for one in machine.upstream.headers}
    (session,) = {session for session, _ in threads}
    names = {session if thread == session else f"{session}.{thread}" for _, thread in threads}
    stored = json.loads(machine.clew("sessions", "--json"))["sessions"]
    assert (len(names), {one["id"] for one in stored}) == (3, names)
    for body, headers in zip(machine.upstream.requests, machine.upstream.headers, strict=True):
        assert check(body, "openai-responses") == []
        assert (headers["thread-id"] == session) == (RULE in json.dumps(body["input"]))


def test_hooks_a_followed_transcript_and_the_gateway_record_one_conversation(machine: Machine) -> None:
    wrapped(machine)
    with gateway(machine) as url:
        talk = Conversation(machine, ANTHROPIC_BASE_URL=url)
        for step in range(3):
            talk.say(f"RUN step {step}, please")
        talk.end()
    (stored,) = json.loads(machine.clew("sessions", "--json"))["sessions"]
    assert (stored["id"], stored["exchanges"]) == (talk.session, 3)
    calls = [one for one in machine.upstream.requests if one.get("tools")]
    assert len(calls) == 6
