"""Sessions that Clew hands back: the real clients open them, show them, and send all of it on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.builders import call, gives, output, says, user
from tests.resumed_session import HISTORY, PROMPT, REQUESTS, in_request, without_clients_own, without_ids, words

import clew
from clew import rules
from clew.codecs import registry
from clew.domain import Message
from clients.conftest import Machine
from clients.test_codex import FLAGS, SETTINGS

PROVIDERS = {"claude-code": "anthropic", "codex": "openai-responses"}
CLIENTS = list(PROVIDERS)
LONG = "".join(f"row {n} of the harbour's ledger\n" for n in range(3_000))


@pytest.fixture(autouse=True)
def settings(machine: Machine) -> None:
    path = machine.home / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text(SETTINGS.format(url=machine.upstream.url).replace("model_context_window = 20000", ""))


def handed(machine: Machine, client: str, history: list[Message], *more: str) -> dict[str, Any]:
    """A session of these messages, handed back."""
    store = machine.folder / "store.db"
    with clew.open(store) as engine:
        engine.session("s").record(history)
    return hand(machine, client, "s", "--store", str(store), *more)


def hand(machine: Machine, client: str, *arguments: str) -> dict[str, Any]:
    done: dict[str, Any] = json.loads(machine.clew("handback", "--to", client, "--write", "--json", *arguments))
    return done


def resumed(machine: Machine, client: str, session: str, text: str = PROMPT) -> dict[str, Any]:
    """The first request that the client sends when it goes on; no rule of the provider is broken."""
    before = len(machine.upstream.requests)
    if client == "codex":
        machine.run("codex", "exec", *FLAGS, "resume", session, text)
    else:
        machine.run("claude", "-p", "--dangerously-skip-permissions", "--resume", session, text)
    body = machine.upstream.requests[before]
    assert rules.check(body, PROVIDERS[client]) == []
    return body


def is_in_order(some: list[Any], all_of_it: list[Any]) -> bool:
    rest = iter(all_of_it)
    return all(one in rest for one in some)


@pytest.mark.parametrize("client", CLIENTS)
def test_every_message_is_sent_on(machine: Machine, client: str) -> None:
    done = handed(machine, client, HISTORY, "--whole")
    lines = without_ids(json.loads(line) for line in Path(done["out"]).read_text().splitlines())
    body = without_clients_own(resumed(machine, client, done["id"]), PROVIDERS[client])
    found = {"lines": lines, "request": body}
    if os.environ.get("CLEW_WRITE_REQUESTS"):
        known = json.loads(REQUESTS.read_text()) if REQUESTS.exists() else {}
        REQUESTS.write_text(json.dumps(known | {client: found}, indent=1) + "\n")
    assert found == json.loads(REQUESTS.read_text())[client]


@pytest.mark.parametrize("client", CLIENTS)
def test_long_outputs_are_sent_on_whole(machine: Machine, client: str) -> None:
    work = [user("Read."), says(call("c1")), gives(output("c1", LONG)), says("Read.")]
    body = resumed(machine, client, handed(machine, client, work, "--whole")["id"])
    assert is_in_order(words(work), in_request(body, PROVIDERS[client]))


@pytest.mark.parametrize("client", CLIENTS)
def test_a_compacted_session_is_sent_as_it_was_packed(machine: Machine, client: str) -> None:
    talk = [(user(f"Question {n}? " + "why " * 99), says(f"Answer {n}. " + "so " * 99)) for n in range(40)]
    done = handed(machine, client, [one for pair in talk for one in pair], "--budget", "3000")
    lines = Path(done["out"]).read_bytes().splitlines()
    packed = [one for line in lines if (one := registry.codec(client).read(line).message)]
    assert "clew show s ID" in packed[0].text
    sent = in_request(resumed(machine, client, done["id"]), PROVIDERS[client])
    assert is_in_order(words(packed), sent)
    assert len(sent) < 25


def test_a_session_goes_from_one_client_to_the_other_and_back(machine: Machine) -> None:
    machine.upstream.command = "echo the hull is dry"
    machine.run("codex", "exec", *FLAGS, "Look at the ferry. RUN it")
    rollout = next((machine.home / ".codex" / "sessions").rglob("*.jsonl"))
    there = hand(machine, "claude-code", str(rollout), "--whole")
    said = in_request(resumed(machine, "claude-code", there["id"], "Mend it. RUN it"), "anthropic")
    texts = [text for _, text in said]
    assert texts.count("Look at the ferry. RUN it") == 1
    back = hand(machine, "codex", there["out"], "--whole")
    texts = [text for _, text in in_request(resumed(machine, "codex", back["id"]), "openai-responses")]
    ends = [text for text in texts if "the hull is dry" in str(text)]
    assert len(ends) == 4  # a call and its output in each client
    for text in ("Look at the ferry. RUN it", "Mend it. RUN it", PROMPT):
        assert texts.count(text) == 1


def test_a_file_that_the_client_has_gone_on_with_is_not_replaced(machine: Machine) -> None:
    done = handed(machine, "claude-code", HISTORY)
    resumed(machine, "claude-code", done["id"])
    grown = Path(done["out"]).read_bytes()
    with pytest.raises(AssertionError, match="if it is this session"):
        hand(machine, "claude-code", "s", "--store", str(machine.folder / "store.db"))
    assert Path(done["out"]).read_bytes() == grown
    again = [registry.codec("claude-code").read(line).message for line in grown.splitlines()]
    assert words([one for one in again if one])[-2:] == [(False, PROMPT), (True, "Understood.")]
