"""The providers' formats: what came in one leaves in it as it came, whole or in part."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from clew.codecs import registry
from clew.domain import Call, Json, Loss, Media, Message, Opaque, Origin, Output, Part, Reasoning, Role, Status, Text
from tests.builders import call, gives, output, says, user
from tests.unit.codecs.api_examples import CHAT, EXAMPLES, GEMINI, LISTS, PNG, RESPONSES, decoded, round_trip
from tests.unit.codecs.reading import broken

FORMATS = list(EXAMPLES)


def bare(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """The parts without their wires, for comparing what they say."""
    return tuple(
        replace(part, wire=None, content=bare(part.content)) if isinstance(part, Output) else replace(part, wire=None)
        for part in parts
    )


def read(format: str, data: Any) -> Message:
    message = registry.codec(format).read(json.dumps(data).encode()).message
    assert message is not None
    return message


# ── the way back ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("format", FORMATS)
def test_a_request_comes_back_as_it_was(format: str) -> None:
    assert round_trip(format, EXAMPLES[format]) == EXAMPLES[format]


@pytest.mark.parametrize("format", FORMATS)
def test_a_request_comes_back_when_no_message_was_kept_whole(format: str) -> None:
    codec = registry.codec(format)
    messages, _ = decoded(codec, EXAMPLES[format])
    apart = [replace(message, wire=None, id=f"m{at}") for at, message in enumerate(messages)]
    again, _ = decoded(codec, registry.encoder(format).encode(apart).body)
    assert [bare(message.parts) for message in again] == [bare(message.parts) for message in messages]


@pytest.mark.parametrize("format", FORMATS)
def test_a_changed_text_leaves_all_else_alone(format: str) -> None:
    messages, tools = decoded(registry.codec(format), EXAMPLES[format])
    at, old = next((at, m) for at, m in enumerate(messages) if m.role is Role.USER and m.of(Text))
    parts = tuple(replace(part, text="Changed.") if isinstance(part, Text) else part for part in old.parts)
    messages[at] = replace(old, parts=parts)
    body = registry.encoder(format).encode(messages, tools=tools).body
    name = LISTS[format]
    changed = [(a, b) for a, b in zip(EXAMPLES[format][name], body[name], strict=True) if a != b]
    assert len(changed) == 1
    assert "Changed." in json.dumps(changed[0][1])


@pytest.mark.parametrize("format", FORMATS)
def test_a_shortened_output_keeps_its_call_and_its_place(format: str) -> None:
    messages, _ = decoded(registry.codec(format), EXAMPLES[format])

    def shortened(part: Part) -> Part:
        return replace(part, content=(Text(text="short"),)) if isinstance(part, Output) and not part.server else part

    short = [replace(m, parts=tuple(map(shortened, m.parts)), wire=None) if m.outputs else m for m in messages]
    again, _ = decoded(registry.codec(format), registry.encoder(format).encode(short).body)
    assert [(o.call_id, o.text, o.status) for m in again for o in m.outputs if not o.server] == [
        (o.call_id, "short", o.status) for m in messages for o in m.outputs if not o.server
    ]


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_not_as_it_should_be_is_refused_or_kept(format: str) -> None:
    codec, encoder = registry.codec(format), registry.encoder(format)
    for item in EXAMPLES[format][LISTS[format]]:
        for data in broken(item):
            try:
                message = codec.read(json.dumps(data).encode()).message
            except ValueError:
                continue
            if message is not None and message.role is not Role.SYSTEM and message.parts:
                assert encoder.encode([message]).body[LISTS[format]] == [data]


@pytest.mark.parametrize("format", FORMATS)
def test_tools_of_a_wrong_shape_do_no_harm(format: str) -> None:
    codec, encoder = registry.codec(format), registry.encoder(format)
    for data in broken({"tools": EXAMPLES[format]["tools"]}):
        try:
            record = codec.read(json.dumps(data).encode())
        except ValueError:
            continue
        encoder.encode([], tools=record.tools or ())


@pytest.mark.parametrize("format", FORMATS)
def test_a_single_tool_of_many_can_be_left_out(format: str) -> None:
    _, tools = decoded(registry.codec(format), EXAMPLES[format])
    for at in range(len(tools)):
        rest = tools[:at] + tools[at + 1 :]
        body = registry.encoder(format).encode([], tools=rest).body
        _, again = decoded(registry.codec(format), body)
        assert [replace(tool, wire=None) for tool in again] == [replace(tool, wire=None) for tool in rest]


@pytest.mark.parametrize("format", FORMATS)
def test_a_system_prompt_handed_over_beside_the_messages_goes_where_the_format_has_it(format: str) -> None:
    codec = registry.codec(format)
    record = codec.read(codec.system_body("Be brief."))  # type: ignore[attr-defined]
    assert record.message is not None
    assert (record.message.role, record.message.origin, record.message.text) == (
        Role.SYSTEM,
        Origin.SYSTEM,
        "Be brief.",
    )
    expected: dict[str, Json] = {
        "anthropic": {"system": "Be brief.", "messages": []},
        "openai-chat": {"messages": [{"role": "system", "content": "Be brief."}]},
        "openai-responses": {"instructions": "Be brief.", "input": []},
        "gemini": {"systemInstruction": "Be brief.", "contents": []},
    }
    assert registry.encoder(format).encode([record.message]).body == expected[format]


# ── what is read ─────────────────────────────────────────────────────────────────────────────────────


def test_arguments_are_decoded_where_they_are_an_object() -> None:
    message = decoded(registry.codec("openai-chat"), CHAT)[0][2]
    assert [(one.id, one.arguments) for one in message.calls] == [
        ("call_1", {"at": [1, 2.5]}),
        ("call_2", "not json"),
        ("call_3", "*** Begin"),
        ("call_4", {}),
    ]


def test_a_line_that_says_how_a_tool_ended_becomes_its_status() -> None:
    message = read("openai-chat", {"role": "tool", "tool_call_id": "c", "content": "[timeout]\nafter 9 s"})
    assert bare(message.parts) == (output("c", "after 9 s", Status.TIMEOUT),)


def test_a_reply_is_one_message_of_many_items() -> None:
    messages, _ = decoded(registry.codec("openai-responses"), RESPONSES)
    kinds = [type(part) for part in messages[4].parts]
    assert kinds == [Reasoning, Text, Text, Text, Call, Opaque, Opaque, Call, Call]
    assert [one.name for one in messages[4].calls] == ["look", "apply_patch", "local_shell"]


def test_every_call_of_a_responses_request_has_its_output() -> None:
    messages, _ = decoded(registry.codec("openai-responses"), RESPONSES)
    calls = [one.id for message in messages for one in message.calls]
    assert sorted(one.call_id for message in messages for one in message.outputs) == sorted(calls)


def test_input_that_is_one_text_stays_one_text() -> None:
    assert round_trip("openai-responses", {"input": "Hello?"}) == {"input": "Hello?"}


def test_an_output_made_here_answers_in_the_kind_of_its_call() -> None:
    item = {"type": "custom_tool_call", "call_id": "c1", "name": "apply_patch", "input": "x"}
    body = (
        registry.encoder("openai-responses").encode([read("openai-responses", item), gives(output("c1", "done"))]).body
    )
    assert body["input"] == [item, {"type": "custom_tool_call_output", "call_id": "c1", "output": "done"}]


def test_gemini_calls_without_ids_pair_with_their_responses_by_name_and_order() -> None:
    messages, _ = decoded(registry.codec("gemini"), GEMINI)
    ids = [one.id for one in messages[3].calls]
    assert ids == [one.call_id for one in messages[4].outputs]
    assert len(set(ids)) == 3
    assert [(one.text, one.status) for one in messages[4].outputs] == [
        ("a cat", Status.SUCCESS),
        ("blurred", Status.FAILED),
        ('{"hour":12,"minute":5}', Status.SUCCESS),
    ]


def test_gemini_parts_renamed_since_are_sent_as_they_came() -> None:
    messages, _ = decoded(registry.codec("gemini"), GEMINI)

    def renamed(part: Part) -> Part:
        if isinstance(part, Call) and part.id != "id-3":
            return replace(part, id=f"{part.id}-2")
        return (
            replace(part, call_id=f"{part.call_id}-2") if isinstance(part, Output) and part.call_id != "id-3" else part
        )

    later = [replace(message, parts=tuple(map(renamed, message.parts))) for message in messages]
    assert registry.encoder("gemini").encode(later).body["contents"] == GEMINI["contents"]


def test_reminders_of_the_client_are_not_the_words_of_a_person() -> None:
    reminder = "<system-reminder>\nUse the todo list.\n</system-reminder>"
    result = {"type": "tool_result", "tool_use_id": "t", "content": "ok"}
    assert read("anthropic", {"role": "user", "content": reminder}).origin is Origin.CLIENT
    mixed = [result, {"type": "text", "text": reminder}]
    assert read("anthropic", {"role": "user", "content": mixed}).origin is Origin.TOOL
    assert (
        read("anthropic", {"role": "user", "content": [result, {"type": "text", "text": "go on"}]}).origin
        is Origin.PERSON
    )


def test_how_a_call_ended_may_be_learned_elsewhere_without_changing_what_is_sent() -> None:
    data = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "stopped"}]}
    message = read("anthropic", data)
    known = tuple(replace(part, status=Status.INTERRUPTED) for part in message.outputs)
    body = registry.encoder("anthropic").encode([replace(message, parts=known, wire=None)]).body
    assert body == {"messages": [data]}


# ── losses ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("format", FORMATS)
def test_sealed_reasoning_of_another_provider_is_a_loss(format: str) -> None:
    reply = replace(says(Reasoning(text="hm", seal="sealed"), "Yes."), id="m2")
    request = registry.encoder(format).encode([user("Well?"), reply])
    assert request.losses == (Loss("m2", "reasoning of another provider, or not as its provider wrote it"),)
    assert decoded(registry.codec(format), request.body)[0][1].text == "Yes."


@pytest.mark.parametrize("format", FORMATS)
def test_media_that_cannot_travel_are_named_and_lost(format: str) -> None:
    film = Media(media_type="video/x-unheard-of", name="film.xyz")
    request = registry.encoder(format).encode([user("See?", film)])
    assert request.losses == (Loss("user", "video/x-unheard-of content, named in its place"),)
    text = "[video/x-unheard-of film.xyz: not shown here]"
    assert decoded(registry.codec(format), request.body)[0][0].text == f"See?\n{text}"


@pytest.mark.parametrize("format", FORMATS)
def test_pictures_travel(format: str) -> None:
    picture = Media(media_type="image/png", data=PNG)
    request = registry.encoder(format).encode([user("See?", picture)])
    assert request.losses == ()
    assert bare(decoded(registry.codec(format), request.body)[0][0].parts) == (Text(text="See?"), picture)


@pytest.mark.parametrize("format", ["anthropic", "openai-responses", "gemini"])
def test_pictures_in_outputs_travel_where_they_can(format: str) -> None:
    picture = Media(media_type="image/png", data=PNG)
    seen = Output(call_id="c1", content=(Text(text="seen"), picture))
    request = registry.encoder(format).encode([user("Look."), says(call("c1")), gives(seen)])
    assert request.losses == ()
    (found,) = decoded(registry.codec(format), request.body)[0][2].outputs
    assert bare(found.content) == seen.content


def test_pictures_in_outputs_are_named_where_tools_answer_in_words() -> None:
    seen = Output(call_id="c1", content=(Text(text="seen"), Media(media_type="image/png", data=PNG)))
    request = registry.encoder("openai-chat").encode([says(call("c1")), gives(seen)])
    assert request.losses == (Loss("tool", "image/png content, named in its place"),)
    assert request.body["messages"][1]["content"] == "seen\n[image/png, 9 bytes: not shown here]"


@pytest.mark.parametrize("format", FORMATS)
def test_tools_that_another_provider_runs_are_lost(format: str) -> None:
    for other in FORMATS:
        _, tools = decoded(registry.codec(other), EXAMPLES[other])
        request = registry.encoder(format).encode([], tools=tools)
        theirs = [tool for tool in tools if not tool.schema and other != format]
        assert request.losses == tuple(Loss("tools", f"the tool {tool.name} of another provider") for tool in theirs)
