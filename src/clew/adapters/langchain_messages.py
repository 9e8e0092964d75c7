"""Messages of LangChain for a pack: what it sends word for word is the message that came in, the rest is made of
what the pack says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from clew.adapters.originals import Key, Keyed, Originals
from clew.codecs.frameworks.langchain import SIGNATURES, message_fields, read_message, write_block
from clew.codecs.sdk_objects import plain
from clew.domain import Call, Json, Message, Output, Part, Reasoning, Role, Status, Text
from clew.history.part_identity import identities


def read_original(message: Any) -> list[Keyed]:
    """What a message of LangChain says; nothing for one that cannot be read."""
    try:
        fields = message_fields(plain(message)) if isinstance(message, BaseMessage) else None
        return [] if fields is None else [(_key(read_message(fields)), message)]
    except (ValueError, RecursionError):
        return []


def packed_messages(messages: Sequence[Message], originals: Originals) -> list[BaseMessage]:
    """Returns the messages of a pack, in order. The newest find their originals first, since a pack is cut behind."""
    single = [one for message in messages for one in _split(message)]
    return [_built(one, originals) for one in reversed(single)][::-1]


def _key(message: Message) -> Key:
    return (message.role.encode(), *identities(message))


def _split(message: Message) -> Iterator[Message]:
    """Outputs are messages of their own, before all else, as every provider wants them."""
    for output in message.outputs:
        if not output.server:
            yield Message(role=Role.TOOL, parts=(output,))
    rest = tuple(part for part in message.parts if not isinstance(part, Output) or part.server)
    if rest:
        yield message if rest == message.parts else replace(message, role=Role.USER, parts=rest, wire=None)


def _built(message: Message, originals: Originals) -> BaseMessage:
    found: BaseMessage | None = originals.take(_key(message))
    if found is not None:
        return found
    match message.role:
        case Role.SYSTEM:
            return SystemMessage(content=message.text)
        case Role.ASSISTANT:
            return _reply(message)
        case Role.TOOL if message.outputs:
            return _tool_message(message.outputs[0])
    return _with_text_before(message, originals) or HumanMessage(content=_content(message.parts))


def _with_text_before(message: Message, originals: Originals) -> BaseMessage | None:
    """The message that came in, behind text that the pack has put before it."""
    for count in range(1, len(message.parts)):
        before, rest = message.parts[:count], replace(message, parts=message.parts[count:])
        found: BaseMessage | None = originals.take(_key(rest))
        if found is not None:
            own = [{"type": "text", "text": found.content}] if isinstance(found.content, str) else found.content
            return found.model_copy(update={"content": [*_blocks(before), *own]})
    return None


def _reply(message: Message) -> AIMessage:
    calls = [call for call in message.calls if not call.server]
    content = [part for part in message.parts if part not in calls and not _is_beside(part)]
    made = [{"name": call.name, "args": _arguments(call), "id": call.id, "type": "tool_call"} for call in calls]
    return AIMessage(content=_content(content), tool_calls=made, additional_kwargs=_additional_kwargs(message))


def _additional_kwargs(message: Message) -> Json:
    """What LangChain keeps beside the content: signatures of calls, and thoughts that a server tells there."""
    seals = {call.id: seal for call in message.calls if (seal := _seal(call))}
    thoughts = "\n".join(one.text for one in message.parts_of(Reasoning) if _is_beside(one))
    found = {SIGNATURES: seals, "reasoning_content": thoughts}
    return {name: value for name, value in found.items() if value}


def _seal(call: Call) -> str | None:
    return call.wire.data.get("signature") if call.wire is not None and call.wire.format == "langchain" else None


def _is_beside(part: Part) -> bool:
    """True for thoughts that a server tells beside the content."""
    return isinstance(part, Reasoning) and part.wire is not None and part.wire.format == "openai-chat"


def _arguments(call: Call) -> Json:
    return call.arguments if isinstance(call.arguments, dict) else {"input": call.arguments}


def _tool_message(output: Output) -> ToolMessage:
    status = "success" if output.status is Status.SUCCESS else "error"
    return ToolMessage(
        content=_content(output.content), tool_call_id=output.call_id, name=output.name or None, status=status
    )


def _content(parts: Sequence[Part]) -> Any:
    """One text is a text; anything else is a list of blocks."""
    if len(parts) == 1 and isinstance(parts[0], Text) and parts[0].wire is None:
        return parts[0].text
    return _blocks(parts) or ""


def _blocks(parts: Sequence[Part]) -> list[Json]:
    return [block for part in parts if (block := write_block(part)) is not None]
