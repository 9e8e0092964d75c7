"""SWE-agent's trajectories: with function calls, with commands in the text, and with steps alone."""

from __future__ import annotations

import json
from typing import Any

from clew.codecs import registry
from clew.domain import Call, Json, Opaque, Origin, Output, Role, Text
from tests.codec_examples.file_reader import messages, read_all, said

CODEC = registry.codec("swe-agent")


def step(action: str, observation: str, thought: str = "", **more: Any) -> Json:
    response = f"{thought}\n```\n{action}\n```"
    return {
        "action": action,
        "observation": observation,
        "response": response,
        "state": {},
        "thought": thought,
        "execution_time": 0.5,
        **more,
    }


def item(role: str, content: Any, **more: Any) -> Json:
    return {"role": role, "content": content, "agent": "main", **more}


def traj(history: list[Any], *steps: Json, **more: Any) -> bytes:
    return json.dumps({"trajectory": list(steps), "history": history, "info": {}, **more}, indent=2).encode()


ASKED = [item("system", "Be brief."), item("user", "Fix the shop.", message_type="observation")]


def test_a_command_in_the_text_is_a_call_and_what_follows_is_its_output() -> None:
    acts = item("assistant", "Look first.\n```\nls\n```", thought="Look first.\n", action="ls\n", message_type="action")
    found = messages(CODEC, traj([*ASKED, acts, item("user", "a.py", message_type="observation")], step("ls", "a.py")))
    assert [(message.role, message.origin) for message in found] == [
        (Role.SYSTEM, Origin.SYSTEM),
        (Role.USER, Origin.PERSON),
        (Role.ASSISTANT, Origin.MODEL),
        (Role.TOOL, Origin.TOOL),
    ]
    assert found[2].parts == (
        Text(text="Look first."),
        Call(id="action-2", name="bash", arguments={"command": "ls"}),
    )
    assert [(output.call_id, output.text) for output in found[3].outputs] == [("action-2", "a.py")]


def test_demonstrations_and_hints_are_the_clients_words() -> None:
    history = [
        ASKED[0],
        item("user", "Here is how.", is_demo=True),
        ASKED[1],
        item("assistant", "Hm.", action=""),
        item("user", "Your output was no command.", message_type="user"),
    ]
    assert [(role, origin) for role, origin, _ in said(CODEC, traj(history))] == [
        ("system", "system"),
        ("user", "client"),
        ("user", "person"),
        ("assistant", "model"),
        ("user", "client"),
    ]


def test_a_file_without_a_history_is_read_from_its_steps() -> None:
    steps = [step("ls", "a.py", "Look.", query=ASKED), step("cat a.py", "x = 1", "Read.", query=[*ASKED, ASKED[1]])]
    for data in ({"trajectory": steps}, {"environment": "main", "trajectory": steps, "history": [], "info": {}}):
        found = messages(CODEC, json.dumps(data).encode())
        assert [message.text for message in found] == ["Be brief.", "Fix the shop.", "Look.", "", "Read.", ""]
        outputs = [part for message in found for part in message.parts if isinstance(part, Output)]
        calls = [call for message in found for call in message.calls]
        assert [(call.id, call.arguments["command"]) for call in calls] == [
            ("action-2", "ls"),
            ("action-4", "cat a.py"),
        ]
        assert [output.call_id for output in outputs] == ["action-2", "action-4"]


def test_steps_are_kept_beside_the_history_without_their_copies_of_it() -> None:
    bodies = [json.loads(raw.body) for raw in CODEC.split(_stream(traj(ASKED, step("ls", "a.py", query=ASKED))))]
    kept = next(body["step"] for body in bodies if "step" in body)
    assert (kept["observation"], kept["execution_time"], "query" in kept) == ("a.py", 0.5, False)


def test_odd_items_are_kept() -> None:
    odd = [item("assistant", None, tool_calls=[]), item("assistant", [{"type": "hologram"}]), item("robot", "x"), 7]
    records, skipped = read_all(CODEC, traj([*ASKED, *odd]))
    found = [record.message for record in records if record.message]
    assert [message.role for message in found[2:]] == [Role.ASSISTANT, Role.ASSISTANT]
    assert [part.kind for part in found[3].parts if isinstance(part, Opaque)] == ["hologram"]
    assert len(skipped) == 2


def test_the_model_is_found_in_the_configuration() -> None:
    config = json.dumps({"agent": {"model": {"name": "m-1"}}})
    records, _ = read_all(CODEC, traj(ASKED, replay_config=config))
    assert records[0].facts.model == "m-1"


def _stream(data: bytes) -> Any:
    from io import BytesIO

    return BytesIO(data)
