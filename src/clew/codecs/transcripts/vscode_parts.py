"""The sides of a VS Code chat request, as messages."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from typing import Any

from clew.codecs.fields import list_of, object_of, parse_timestamp, text_of
from clew.codecs.origins import origin_of
from clew.codecs.providers.conversion import read_arguments
from clew.domain.messages import Message, Origin, Role, Usage
from clew.domain.parts import Call, Json, Media, Opaque, Output, Part, Reasoning, Status, Text, Wire
from clew.text.injected_text import as_reminder

_WIRE = "vscode-chat"
#: Kinds of parts that say something, and those that are for the screen alone.
_KNOWN = {
    *("", "markdownContent", "markdownVuln", "inlineReference", "thinking", "toolInvocationSerialized"),
    *("clearToPreviousToolInvocation", "codeblockUri", "command", "confirmation", "disabledClaudeHooks"),
    *("elicitationSerialized", "extensions", "hook", "mcpServersStarting", "multiDiffData", "notebookEditGroup"),
    *("planReview", "prepareToolInvocation", "progressMessage", "progressTask", "progressTaskSerialized"),
    *("pullRequest", "questionCarousel", "reference", "textEdit", "textEditGroup", "treeData", "undoStop"),
    *("warning", "workspaceEdit"),
}


def read_user(data: Json) -> Message | None:
    request = object_of(data, "request")
    message = request.get("message")
    text = message if isinstance(message, str) else text_of(object_of(request, "message"), "text")
    parts: list[Part] = [Text(text=text)] if text else []
    if not text and message not in (None, "", {}):
        parts.append(Opaque(kind="message", wire=Wire(_WIRE, message)))
    parts += _attached_parts(object_of(request, "variableData"))
    if not parts:
        return None
    origin = origin_of(Role.USER, parts)
    return Message(role=Role.USER, parts=tuple(parts), origin=origin, at=parse_timestamp(data.get("at")))


def _attached_parts(variables: Json) -> Iterator[Part]:
    """Pictures and pasted text are attached; files are named in the text, and read by the model itself."""
    for variable in list_of(variables, "variables"):
        if not isinstance(variable, dict):
            continue
        if variable.get("kind") == "image":
            value = variable.get("value")
            yield Media(
                media_type=text_of(variable, "mimeType") or "image",
                data=_picture(value),
                url=_address(value),
                name=text_of(variable, "name") or None,
            )
        elif variable.get("kind") == "paste" and text_of(variable, "code"):
            yield Text(text=as_reminder(variable["code"]))


def _picture(value: Any) -> str | None:
    """Bytes as they were written over time: in base64, or number by number, as a list or by their place."""
    if isinstance(value, dict) and isinstance(value.get("$base64"), str):
        return text_of(value, "$base64")
    listed = list(value.values()) if isinstance(value, dict) else value
    if isinstance(listed, list) and listed and all(isinstance(byte, int) and 0 <= byte < 256 for byte in listed):
        return base64.b64encode(bytes(listed)).decode()
    return value if isinstance(value, str) and "://" not in value[:20] else None


def _address(value: Any) -> str | None:
    if isinstance(value, str):
        return value if "://" in value[:20] else None
    scheme, path = (text_of(value, "scheme"), text_of(value, "path")) if isinstance(value, dict) else ("", "")
    return f"{scheme}://{text_of(value, 'authority')}{path}" if scheme else None


def read_step(data: Json) -> Message | None:
    parts = tuple(_of_round(data["round"]) if isinstance(data.get("round"), dict) else _of_response(_parts(data)))
    if not parts:
        return None
    return Message(
        role=Role.ASSISTANT,
        parts=parts,
        origin=Origin.MODEL,
        at=parse_timestamp(object_of(data, "round").get("timestamp")) or parse_timestamp(data.get("at")),
        model=text_of(data, "model") or None,
        usage=_usage(list_of(data, "usage")),
    )


def _usage(counts: list[Any]) -> Usage | None:
    whole = len(counts) == 2 and all(isinstance(count, int) for count in counts)
    return Usage(input_tokens=counts[0], output_tokens=counts[1]) if whole else None


def read_outputs(data: Json) -> Message | None:
    if isinstance(data.get("round"), dict):
        outputs = [_result(call_id, result) for call_id, result in object_of(data, "results").items()]
    else:
        outputs = [output for part in _parts(data) if (output := _shown_result(part))]
    if not outputs:
        return None
    return Message(role=Role.TOOL, parts=tuple(outputs), origin=Origin.TOOL, at=parse_timestamp(data.get("at")))


def _parts(data: Json) -> list[Json]:
    return [
        part if isinstance(part, dict) else {"value": part}
        for part in list_of(data, "parts")
        if isinstance(part, dict | str)
    ]


# ── a round, as the model had it ─────────────────────────────────────────────────────────────────────


def _of_round(round_: Json) -> Iterator[Part]:
    thinking = object_of(round_, "thinking")
    text, seal = _join_texts(thinking.get("text")), text_of(thinking, "encrypted")
    if text or seal:
        yield Reasoning(text=text, seal=seal or None)
    if said := text_of(round_, "response"):
        yield Text(text=said)
    for call in list_of(round_, "toolCalls"):
        if isinstance(call, dict) and text_of(call, "id"):
            yield Call(id=call["id"], name=text_of(call, "name"), arguments=read_arguments(call.get("arguments")))
        else:
            yield Opaque(kind="toolCall", wire=Wire(_WIRE, call))


def _join_texts(text: Any) -> str:
    pieces = text if isinstance(text, list) else [text]
    return "".join(piece for piece in pieces if isinstance(piece, str))


def _result(call_id: str, result: Any) -> Output:
    content = list_of(result, "content") if isinstance(result, dict) else []
    pieces = [text for item in content if isinstance(item, dict) and (text := _tree_text(item.get("value")))]
    return Output(call_id=call_id, content=tuple(Text(text=piece) for piece in pieces))


def _tree_text(value: Any) -> str:
    """The text of a result: itself, or all the texts of the tree of which it was rendered."""
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        return ""
    if isinstance(value.get("node"), dict):
        return _tree_text(value["node"]).lstrip("\n")
    line_break = "\n" if value.get("lineBreakBefore") else ""
    return line_break + text_of(value, "text") + "".join(map(_tree_text, list_of(value, "children")))


# ── the visible response, where nothing else is kept ─────────────────────────────────────────────────


def markdown(parts: Sequence[Any]) -> str:
    """The words among the parts, in order; files that are named within them stay in their sentence."""
    return "".join(map(_words, parts))


def _words(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    kind = text_of(part, "kind")
    if kind == "inlineReference":
        reference = object_of(part, "inlineReference")
        path = text_of(reference, "path") or text_of(object_of(reference, "uri"), "path")
        return text_of(part, "name") or path.rpartition("/")[2]
    if kind not in {"", "markdownContent", "markdownVuln"}:
        return ""
    inner = part.get("content", part.get("value"))
    return text_of(inner, "value") if isinstance(inner, dict) else _join_texts(inner)


def is_unknown(part: Any) -> bool:
    """True for a part of the response of a kind that no version of the client is known to write."""
    return isinstance(part, dict) and text_of(part, "kind") not in _KNOWN


def _of_response(parts: list[Json]) -> Iterator[Part]:
    words: list[str] = []
    for part in parts:
        kind = text_of(part, "kind")
        if words and (kind in {"thinking", "toolInvocationSerialized"} or is_unknown(part)):
            yield from _text(words)
            words = []
        if kind == "thinking" and (text := _join_texts(part.get("value"))):
            yield Reasoning(text=text)
        elif kind == "toolInvocationSerialized" and text_of(part, "toolCallId"):
            yield Call(id=part["toolCallId"], name=text_of(part, "toolId"), arguments=_shown_arguments(part))
        elif is_unknown(part):
            yield Opaque(kind=kind, wire=Wire(_WIRE, part))
        else:
            words.append(_words(part))
    yield from _text(words)


def _text(words: list[str]) -> Iterator[Part]:
    if text := "".join(words).strip():
        yield Text(text=text)


def _shown_arguments(part: Json) -> Any:
    specific = object_of(part, "toolSpecificData")
    if isinstance(specific.get("rawInput"), dict):
        return specific["rawInput"]
    command = text_of(object_of(specific, "commandLine"), "original") or text_of(specific, "command")
    return {"command": command} if command else read_arguments(object_of(part, "resultDetails").get("input"))


def _shown_result(part: Json) -> Output | None:
    call_id = text_of(part, "toolCallId")
    if not call_id or part.get("kind") != "toolInvocationSerialized":
        return None
    details = object_of(part, "resultDetails")
    pieces = [
        text for item in list_of(details, "output") if isinstance(item, dict) and (text := text_of(item, "value"))
    ]
    shown = pieces or [text for text in [_words_of(part.get("pastTenseMessage"))] if text]
    if _is_refused(part):
        return Output(call_id=call_id, content=tuple(Text(text=text) for text in shown), status=Status.CANCELED)
    status = Status.FAILED if details.get("isError") else Status.SUCCESS
    return Output(call_id=call_id, content=tuple(Text(text=text) for text in shown), status=status) if shown else None


def _words_of(message: Any) -> str:
    return message if isinstance(message, str) else text_of(message, "value") if isinstance(message, dict) else ""


def _is_refused(part: Json) -> bool:
    """Older files say no plainly, newer ones by a kind of confirmation, of which the first is no."""
    confirmed = part.get("isConfirmed")
    return confirmed is False or (isinstance(confirmed, dict) and confirmed.get("type") == 0)
