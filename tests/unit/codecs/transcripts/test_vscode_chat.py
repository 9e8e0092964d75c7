"""Chat sessions of VS Code: documents of three versions, and the log of changes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clew.codecs import registry
from clew.codecs.transcripts.vscode_chat import VSCodeChat
from clew.domain import Call, Media, Message, Opaque, Origin, Output, Reasoning, Role, SessionFacts, Status, Text, Usage
from tests.codec_examples.file_reader import broken, jsonl, messages, read_all, said

CODEC = VSCodeChat()
AT = 1777629600000
SECONDS = 1777629600.0


def session(*requests: Any, **more: Any) -> dict[str, Any]:
    about = {"version": 3, "responderUsername": "GitHub Copilot", "initialLocation": "panel"}
    return {**about, "requests": list(requests), "sessionId": "s1", "creationDate": AT, **more}


def request(text: str, *response: Any, id: str = "r1", **more: Any) -> dict[str, Any]:
    asked = {"requestId": id, "timestamp": AT, "modelId": "copilot/gpt-x", "message": {"text": text, "parts": []}}
    return {**asked, "response": list(response), **more}


def document(*requests: Any, **more: Any) -> bytes:
    return json.dumps(session(*requests, **more)).encode()


def result(*rounds: dict[str, Any], **results: Any) -> dict[str, Any]:
    return {"metadata": {"toolCallRounds": list(rounds), "toolCallResults": results}}


def tool_round(text: str, *calls: str) -> dict[str, Any]:
    asked = [{"id": call, "name": "read_file", "arguments": '{"path": "a"}'} for call in calls]
    return {"id": "x", "response": text, "toolCalls": asked}


def invocation(**fields: Any) -> dict[str, Any]:
    return {"kind": "toolInvocationSerialized", "toolCallId": "c1", "toolId": "read_file", "isComplete": True, **fields}


def test_a_plain_exchange_is_two_messages() -> None:
    assert messages(CODEC, document(request("why?", {"value": "because "}, {"value": "it is"}))) == [
        Message(role=Role.USER, parts=(Text(text="why?"),), origin=Origin.PERSON, at=SECONDS),
        Message(
            role=Role.ASSISTANT,
            parts=(Text(text="because it is"),),
            origin=Origin.MODEL,
            at=SECONDS,
            model="gpt-x",
        ),
    ]


def test_rounds_are_steps_with_their_outputs() -> None:
    tree = {
        "node": {"type": 1, "children": [{"type": 2, "text": "x"}, {"type": 2, "text": "= 1", "lineBreakBefore": 1}]}
    }
    rounds = [
        tool_round("look", "c1", "c2") | {"thinking": {"id": "t", "text": ["h", "m"], "encrypted": "seal"}},
        tool_round("done") | {"timestamp": AT + 5000},
    ]
    told = result(*rounds, c1={"content": [{"$mid": 21, "value": "one"}]}, c2={"content": [{"value": tree}]})
    told["metadata"] |= {"promptTokens": 30, "outputTokens": 4, "resolvedModel": "gpt-x-1"}
    assert messages(CODEC, document(request("go", {"value": "look"}, {"value": "done"}, result=told)))[1:] == [
        Message(
            role=Role.ASSISTANT,
            parts=(
                Reasoning(text="hm", seal="seal"),
                Text(text="look"),
                Call(id="c1", name="read_file", arguments={"path": "a"}),
                Call(id="c2", name="read_file", arguments={"path": "a"}),
            ),
            origin=Origin.MODEL,
            at=SECONDS,
            model="gpt-x-1",
        ),
        Message(
            role=Role.TOOL,
            parts=(
                Output(call_id="c1", content=(Text(text="one"),)),
                Output(call_id="c2", content=(Text(text="x\n= 1"),)),
            ),
            origin=Origin.TOOL,
            at=SECONDS,
        ),
        Message(
            role=Role.ASSISTANT,
            parts=(Text(text="done"),),
            origin=Origin.MODEL,
            at=SECONDS + 5,
            model="gpt-x-1",
            usage=Usage(30, 4),
        ),
    ]


def test_what_is_said_after_the_last_round_is_kept() -> None:
    told = result(tool_round("look", "c1"), c1={"content": [{"value": "one"}]})
    asked = request("go", {"value": "look"}, invocation(), {"value": "all done"}, result=told)
    assert [text for _, _, text in said(CODEC, document(asked))] == ["go", "look", "", "all done"]


def test_steps_are_read_off_the_response_where_nothing_else_is_kept() -> None:
    asked = request(
        "go",
        {"kind": "thinking", "value": "hm"},
        {"value": "see "},
        {"kind": "inlineReference", "inlineReference": {"path": "/srv/shop/a.py"}},
        {"kind": "progressMessage", "content": {"value": "working"}},
        invocation(toolSpecificData={"kind": "terminal", "commandLine": {"original": "ls"}}, pastTenseMessage="Ran ls"),
        {"kind": "undoStop", "id": "x"},
        invocation(toolCallId="c2", resultDetails={"input": '{"q": 1}', "output": [{"value": "no"}], "isError": True}),
        {"kind": "markdownContent", "content": {"value": "sorry"}},
    )
    found = messages(CODEC, document(asked))[1:]
    assert [message.parts for message in found] == [
        (
            Reasoning(text="hm"),
            Text(text="see a.py"),
            Call(id="c1", name="read_file", arguments={"command": "ls"}),
            Call(id="c2", name="read_file", arguments={"q": 1}),
        ),
        (
            Output(call_id="c1", content=(Text(text="Ran ls"),)),
            Output(call_id="c2", content=(Text(text="no"),), status=Status.FAILED),
        ),
        (Text(text="sorry"),),
    ]


def test_a_call_that_was_refused_is_canceled() -> None:
    (output,) = messages(CODEC, document(request("go", invocation(isConfirmed={"type": 0}))))[-1].outputs
    assert output.status is Status.CANCELED


def test_a_picture_is_attached() -> None:
    picture = {"kind": "image", "name": "a.png", "mimeType": "image/png", "value": "AAAA"}
    asked = request("look", variableData={"variables": [picture, {"kind": "file", "name": "a.py"}]})
    assert messages(CODEC, document(asked))[0].parts == (
        Text(text="look"),
        Media(media_type="image/png", data="AAAA", name="a.png"),
    )


@pytest.mark.parametrize("value", [{"$base64": "iVBO"}, [137, 80, 78], {"0": 137, "1": 80, "2": 78}], ids=type)
def test_a_picture_is_read_however_its_bytes_were_written(value: Any) -> None:
    asked = request("look", variableData={"variables": [{"kind": "image", "name": "a.png", "value": value}]})
    assert messages(CODEC, document(asked))[0].parts[1:] == (Media(media_type="image", data="iVBO", name="a.png"),)


def test_a_picture_at_an_address_is_named_by_it() -> None:
    variables = [{"kind": "image", "value": one} for one in ("https://x/a.png", {"scheme": "file", "path": "/a.png"})]
    parts = messages(CODEC, document(request("look", variableData={"variables": variables})))[0].parts_of(Media)
    assert [(part.data, part.url) for part in parts] == [(None, "https://x/a.png"), (None, "file:///a.png")]


def test_pasted_text_is_attached_and_gives_no_orders() -> None:
    paste = {"kind": "paste", "name": "a.py", "code": "always()", "language": "python", "pastedLines": "Pasted 1 Line"}
    (message,) = messages(CODEC, document(request("look", variableData={"variables": [paste]})))
    assert message.parts[1] == Text(text="<system-reminder>\nalways()\n</system-reminder>")


def test_parts_of_an_unknown_kind_are_opaque_and_those_for_the_screen_are_bookkeeping() -> None:
    asked = request("go", {"value": "a"}, {"kind": "hologram", "x": 1}, {"kind": "progressMessage"}, {"value": "b"})
    reply = messages(CODEC, document(asked))[1]
    assert [getattr(part, "kind", None) or part.text for part in reply.parts] == ["a", "hologram", "b"]  # type: ignore[attr-defined]
    odd = request("go", result={"metadata": {"toolCallRounds": [{"response": "x", "toolCalls": [7]}]}})
    assert [part.kind for part in messages(CODEC, document(odd))[1].parts_of(Opaque)] == ["toolCall"]


def test_a_message_of_an_odd_shape_is_not_lost() -> None:
    asked = request("", {"value": "yes"}) | {"message": {"words": ["go"]}}
    assert [part.kind for part in messages(CODEC, document(asked))[0].parts_of(Opaque)] == ["message"]


@pytest.mark.parametrize("version", [None, 2, 3])
def test_documents_of_each_version_are_known_and_read(version: int | None) -> None:
    about = {"requesterUsername": "me", "responderUsername": "GitHub Copilot", "creationDate": AT, "sessionId": "s1"}
    old: dict[str, Any] = {"message": "why?", "response": [{"value": "because"}], "isCanceled": False}
    new = request("why?", {"value": "because", "supportThemeIcons": False}, modelState={"value": 1})
    if version is None:
        whole: dict[str, Any] = about | {"providerId": "copilot", "requests": [old], "isImported": False}
    else:
        title = {"computedTitle": "Shop"} if version == 2 else {"customTitle": "Shop"}
        whole = {"version": version, **about, **title, "requests": [new], "initialLocation": "panel"}
    data = json.dumps(whole, indent=2).encode()
    assert registry.detect(data).name == "vscode-chat"
    assert [text for _, _, text in said(CODEC, data)] == ["why?", "because"]


def test_the_first_versions_had_plain_strings() -> None:
    old = {"sessionId": "s1", "requesterUsername": "me", "requests": [{"message": "why?", "response": ["because"]}]}
    assert said(CODEC, json.dumps(old).encode()) == [
        ("user", "person", "why?"),
        ("assistant", "model", "because"),
    ]


def test_sides_are_known_by_request_and_place() -> None:
    told = result(tool_round("look", "c1"), tool_round("done"), c1={"content": [{"value": "one"}]})
    records, _ = read_all(CODEC, document(request("go", result=told)))
    assert [(record.group, record.revises) for record in records if record.message] == [
        ("vscode-chat:r1:user:0", True),
        ("vscode-chat:r1:step:0", True),
        ("vscode-chat:r1:outputs:0", True),
        ("vscode-chat:r1:step:1", True),
    ]


def test_facts_come_first() -> None:
    records, _ = read_all(CODEC, document(request("go"), customTitle="Shop"))
    assert records[0].facts == SessionFacts(session="s1", title="Shop", client="vscode-chat")
    assert records[0].at == SECONDS


def test_a_log_is_replayed_into_the_document() -> None:
    log = jsonl(
        {"kind": 0, "v": session()},
        {
            "kind": 2,
            "k": ["requests"],
            "v": [request("one", id="r1"), request("two", id="r2"), request("oops", id="r3")],
        },
        {"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": "first"}, {"value": " wrong"}]},
        {"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": " right"}], "i": 1},
        {"kind": 2, "k": ["requests"], "i": 2},
        {"kind": 1, "k": ["requests", 1, "result"], "v": result(tool_round("second"))},
        {"kind": 1, "k": ["customTitle"], "v": "Shop"},
        {"kind": 1, "k": ["hasPendingEdits"], "v": True},
        {"kind": 3, "k": ["hasPendingEdits"]},
    )
    records, skipped = read_all(CODEC, log)
    assert skipped == []
    assert records[0].facts.title == "Shop"
    assert said(CODEC, log) == [
        ("user", "person", "one"),
        ("assistant", "model", "first right"),
        ("user", "person", "two"),
        ("assistant", "model", "second"),
    ]


def test_a_log_and_its_document_give_the_same_messages() -> None:
    whole = session(request("why?", {"value": "because"}))
    assert read_all(CODEC, jsonl({"kind": 0, "v": whole})) == read_all(CODEC, json.dumps(whole).encode())


def test_changes_that_do_not_fit_are_reported_and_the_rest_kept() -> None:
    log = jsonl(
        {"kind": 0, "v": session(request("one", {"value": "first"}))},
        {"kind": 1, "k": ["requests", 7, "result"], "v": 1},
        {"kind": 2, "k": ["requests", 0, "message", "text", "deep"], "v": [1]},
        {"kind": 9, "k": ["requests"]},
        {"kind": 1, "k": [], "v": 1},
        {"kind": [], "k": "requests"},
        b'{"kind": 1, "k": ["custom',
    )
    records, skipped = read_all(CODEC, log)
    assert [skip.line for skip in skipped] == [2, 3, 4, 5, 6, 7]
    assert [record.message.text for record in records if record.message] == ["one", "first"]


def test_changes_before_the_document_are_reported() -> None:
    log = jsonl({"kind": 0, "v": None}, {"kind": 1, "k": ["customTitle"], "v": "x"})
    assert [skip.line for skip in read_all(CODEC, log)[1]] == [2]


def test_a_log_may_not_nest_without_end() -> None:
    deep: Any = "x"
    for _ in range(150):
        deep = {"a": deep}
    path = ["requests", 0, "deep"]
    log = [{"kind": 0, "v": session(request("one"))}]
    for _ in range(20):
        log.append({"kind": 1, "k": path, "v": deep})
        path = [*path, *["a"] * 150]
    _, skipped = read_all(CODEC, jsonl(*log))
    assert skipped


def test_a_log_is_read_up_to_the_limit_of_what_is_held_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    first = jsonl({"kind": 0, "v": session(request("one"))})
    monkeypatch.setattr("clew.codecs.jsonio.MAX_RECORD_BYTES", len(first) + 10)
    records, skipped = read_all(CODEC, first + jsonl({"kind": 2, "k": ["requests"], "v": [request("two")]}))
    assert [record.message.text for record in records if record.message] == ["one"]
    assert [skip.line for skip in skipped] == [2]


def test_a_torn_document_gives_what_stands_whole_in_it() -> None:
    data = document(request("one", {"value": "first"}), request("two", {"value": "second"}, id="r2"))
    records, skipped = read_all(CODEC, data[: data.index(b'"two"') + 20])
    assert [record.message.text for record in records if record.message] == ["one", "first"]
    assert len(skipped) == 1


def test_wrong_shapes_are_read_or_refused_but_never_break() -> None:
    told = result(tool_round("look", "c1"), c1={"content": [{"value": {"node": {"children": [{"text": "x"}]}}}]})
    told["metadata"] |= {"promptTokens": 3}
    samples = [
        session(request("go", {"value": "look"}, {"kind": "thinking", "value": "hm"}, result=told)),
        session(request("go", invocation(resultDetails={"input": "{}", "output": [{"value": "x"}]}), {"value": "ok"})),
        session(request("go", variableData={"variables": [{"kind": "image", "value": "AA"}]})),
    ]
    for sample in samples:
        shapes = broken(sample)
        for shape in shapes:
            read_all(CODEC, json.dumps(shape).encode())
            CODEC.sniff(json.dumps(shape).encode())
        assert shapes


def test_it_claims_its_own_files_only() -> None:
    long = request("x" * 99_000)
    assert CODEC.sniff(document(request("go")))
    assert CODEC.sniff(json.dumps(session(request("go")), indent=2).encode())
    assert CODEC.sniff(document(long)[:65_536])
    assert CODEC.sniff(jsonl({"kind": 0, "v": session()}))
    assert CODEC.sniff(jsonl({"kind": 0, "v": session(request("a"), long)})[:65_536])
    assert not CODEC.sniff(b'{"sessionId": "s", "messages": []}')
    assert not CODEC.sniff(b'{"kind": 0, "v": {"a": 1}}\n')
    assert not CODEC.sniff(b'{"kind": false, "v": {"requests": [], "sessionId": "s"}}\n')
    assert not CODEC.sniff(jsonl({"type": "user", "sessionId": "s", "isSidechain": False}))
    assert not CODEC.sniff(b"[]")
    assert not CODEC.sniff(b"")
