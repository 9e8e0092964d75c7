"""Pydantic AI: a capability that packs each request of an agent and records what is said.

``Agent(model, capabilities=[PackedHistory(session)])``. The agent's own history stays whole. What a pack sends word for
word are the parts that came in, the rest is made of what the pack says.
"""

from __future__ import annotations

import asyncio
from base64 import b64decode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

import pydantic
from pydantic_ai import RunContext, Tool
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import (
    AudioUrl,
    BinaryContent,
    DocumentUrl,
    ImageUrl,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
    VideoUrl,
)

from clew.adapters.recall import DESCRIPTION, NAME, SCHEMA, RecallReader
from clew.adapters.run_sessions import (
    FrameworkConversation,
    Key,
    Keyed,
    Originals,
    RunSessions,
    SessionChoice,
    UserChoice,
)
from clew.adapters.session_state import ModelCall
from clew.codecs import jsonio
from clew.codecs.frameworks import pydantic_ai as codec
from clew.codecs.sdk_objects import plain
from clew.domain import Call, Json, Media, Message, Output, Part, Reasoning, Role, Status, Text
from clew.history.part_identity import identities
from clew.rules.thinking_modes import UNKNOWN, thinking_mode

_JSON = pydantic.ConfigDict(val_json_bytes="base64")
_RESPONSE_PART: pydantic.TypeAdapter[Any] = pydantic.TypeAdapter(ModelResponsePart, config=_JSON)
_USER_CONTENT: pydantic.TypeAdapter[Any] = pydantic.TypeAdapter(UserContent, config=_JSON)
_URLS = {"image": ImageUrl, "audio": AudioUrl, "video": VideoUrl}


@dataclass
class PackedHistory(AbstractCapability[Any]):
    """Sends the pack of a session in place of the run's history, and records requests and responses in it.

    ``session`` is a handle, or a name in the user's own store, for one conversation. An engine has a session for each
    ``conversation_id`` of Pydantic AI; without any it is that of the user's own store. A function is given the
    ``RunContext``, and gives a handle or a name. ``user`` is whose session it is, or a function of the ``RunContext``
    that says so; without one a session shares with no other. ``budget`` is the most tokens to send, by default the
    model's window less the reserve for the answer.
    """

    session: SessionChoice = None
    budget: int | None = None
    user: UserChoice = None
    _sessions: RunSessions = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._sessions = RunSessions(
            self.session, user=self.user, budget=self.budget, id_name="conversation_id", read=read_original
        )

    async def wrap_model_request(self, ctx: Any, *, request_context: Any, handler: Any) -> Any:
        """Packs what the run would send, and records the response."""
        given = request_context.messages
        if not given or not isinstance(given[-1], ModelRequest):  # a response that goes on has no other beginning
            return await handler(request_context)
        conversation = await asyncio.to_thread(self._conversation, ctx, given)
        with conversation.model_call() as call:
            messages = await asyncio.to_thread(_pack_request, conversation, request_context, call)
            response = await handler(replace(request_context, messages=messages))
        await asyncio.to_thread(conversation.reply, response)
        return response

    def _conversation(self, ctx: Any, given: list[Any]) -> FrameworkConversation:
        return self._sessions.conversation_of(ctx, ctx.conversation_id, given).for_list(given)

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Returns None: a session cannot be written into a specification."""
        return None


def _pack_request(conversation: FrameworkConversation, request: Any, call: ModelCall) -> list[Any]:
    given, about = request.messages, request.model_request_parameters
    tools = [_tool(tool) for tool in (*about.function_tools, *about.output_tools)]
    model = request.model.model_name
    pack = conversation.pack(given, call=call, tools=tools, model=model, thinking=_thinking(request))
    return packed_messages(pack.content.as_messages(), given, conversation.reader.originals(given))


def _thinking(request: Any) -> str:
    """The mode of thinking that the settings of model and run ask for. What ``thinking`` becomes, Pydantic AI decides
    later.
    """
    settings = {**(request.model.settings or {}), **(request.model_settings or {})}
    asked = settings.get("anthropic_thinking")
    if not asked and settings.get("thinking") is not None:
        return UNKNOWN
    return thinking_mode({"model": request.model.model_name, "thinking": asked, "max_tokens": 1})


def _tool(definition: Any) -> Json:
    return {
        "name": definition.name,
        "description": definition.description or "",
        "input_schema": definition.parameters_json_schema,
    }


def make_recall_tool(reader: RecallReader) -> Tool[Any]:
    """Returns the tool ``recall``; of many conversations it is that of the run's ``conversation_id``."""

    def recall(ctx: RunContext[Any], **arguments: Any) -> str:
        return reader.read(arguments, run=ctx, thread=ctx.conversation_id)

    return Tool.from_schema(recall, NAME, DESCRIPTION, SCHEMA, takes_ctx=True)


@dataclass(frozen=True, slots=True)
class _Original:
    """Parts of a message that came in, with the message."""

    parts: Sequence[Any]
    message: Any


def read_original(message: Any) -> list[Keyed]:
    """What a message of Pydantic AI says as a whole, and each of its parts; nothing for one that cannot be read."""
    try:
        keys = [_part_key(plain(part), message.kind) for part in message.parts]
    except (ValueError, RecursionError):
        return []
    whole = tuple(mark for key in keys for mark in key)
    ways = {whole, tuple(mark for mark in whole if not mark.startswith(b"system"))}
    single = [(key, [part]) for part, key in zip(message.parts, keys, strict=True) if key not in ways]
    return [
        (key, _Original(parts, message)) for key, parts in (*((way, message.parts) for way in ways), *single) if key
    ]


def _part_key(part: Any, kind: str) -> Key:
    return tuple(mark for message in codec.read_messages({"kind": kind, "parts": [part]}) for mark in _marks(message))


def _marks(message: Message) -> list[bytes]:
    """Who speaks is told of the system alone: the rest is told by what a part is."""
    side = b"system/" if message.role is Role.SYSTEM else b""
    return [side + mark for mark in identities(message)]


def packed_messages(messages: Sequence[Message], given: Sequence[Any], originals: Originals) -> list[Any]:
    """Returns the messages of a pack, in order: those of the user, of tools and the system that follow one another are
    one request, the last in place of the last that was given. System prompts that were given are all there.
    """
    names = {call.id: call.name for message in messages for call in message.calls}
    found = [_built(run, names, originals) for run in reversed(list(_runs(messages)))][::-1]
    if not found or not isinstance(found[-1], ModelRequest):  # the last request has nothing that is recorded
        found.append(given[-1])
    sent = {id(part) for message in found for part in message.parts}
    prompts = [part for message in given for part in message.parts if isinstance(part, SystemPromptPart)]
    if left := [part for part in prompts if id(part) not in sent]:
        found = _with_prompts(found, left)
    return [*found[:-1], replace(given[-1], parts=found[-1].parts)]


def _runs(messages: Sequence[Message]) -> Iterator[list[Message]]:
    for is_reply, group in groupby(messages, key=lambda message: message.role is Role.ASSISTANT):
        run = list(group)
        yield from [[one] for one in run] if is_reply else [run]


def _with_prompts(messages: list[Any], prompts: list[Any]) -> list[Any]:
    if isinstance(messages[0], ModelRequest):
        return [replace(messages[0], parts=[*prompts, *messages[0].parts]), *messages[1:]]
    return [ModelRequest(parts=prompts), *messages]


def _built(run: Sequence[Message], names: dict[str, str], originals: Originals) -> Any:
    """A request or response; what has an original is taken from the end, the longest first."""
    marks = [mark for message in run for mark in _marks(message)]
    parts = [(message.role, part) for message in run for part in message.parts]
    pieces: list[_Original] = []
    end = len(marks)
    while end:
        found, count = _original(marks[:end], originals)
        pieces.append(found or _Original([_make_part(*parts[end - 1], names)], None))
        end -= count
    is_reply = run[0].role is Role.ASSISTANT
    empty = ModelResponse(parts=[]) if is_reply else ModelRequest(parts=[])
    message = next((piece.message for piece in pieces if piece.message is not None), empty)
    return replace(message, parts=[part for piece in reversed(pieces) for part in piece.parts if part is not None])


def _original(marks: Sequence[bytes], originals: Originals) -> tuple[_Original | None, int]:
    for count in range(min(len(marks), originals.longest), 0, -1):
        if (found := originals.take(tuple(marks[-count:]))) is not None:
            return found, count
    return None, 1


# ── parts made of what the pack says ─────────────────────────────────────────────────────────────────


def _make_part(role: Role, part: Part, names: dict[str, str]) -> Any:
    if isinstance(part, Output) and not part.server:
        return _tool_return(part, names)
    if role is Role.ASSISTANT:
        return _original_part(part, _RESPONSE_PART) or _response_part(part)
    if role is Role.SYSTEM:
        return SystemPromptPart(content=part.text) if isinstance(part, Text) else None
    content = _content(part)
    return None if content is None else UserPromptPart(content=content if isinstance(content, str) else [content])


def _original_part(part: Part, adapter: pydantic.TypeAdapter[Any]) -> Any | None:
    """The object that a part was read from, in this process or an earlier one."""
    if part.wire is None or part.wire.format != codec.NAME:
        return None
    try:
        return adapter.validate_json(jsonio.dumps_exact(part.wire.data))
    except ValueError:
        return None


def _content(part: Part) -> Any | None:
    """A piece of a prompt or of what a tool returned; None for what Pydantic AI has no word for."""
    if (kept := _original_part(part, _USER_CONTENT)) is not None:
        return kept
    match part:
        case Text():
            return part.text
        case Media(data=str(data)):
            return BinaryContent(data=b64decode(data), media_type=part.media_type)
        case Media(url=str(url)):
            return _URLS.get(part.media_type.partition("/")[0], DocumentUrl)(url=url)
    return None


def _tool_return(output: Output, names: dict[str, str]) -> ToolReturnPart[Any]:
    pieces = [piece for part in output.content if (piece := _content(part)) is not None]
    is_text = all(isinstance(piece, str) for piece in pieces)
    return ToolReturnPart(
        tool_name=output.name or names.get(output.call_id, ""),
        content="\n".join(pieces) if is_text else pieces,
        tool_call_id=output.call_id,
        outcome="success" if output.status is Status.SUCCESS else "failed",
    )


def _response_part(part: Part) -> Any | None:
    match part:
        case Text():
            return TextPart(content=part.text)
        case Call(server=False):
            return ToolCallPart(tool_name=part.name, args=part.arguments, tool_call_id=part.id)
        case Reasoning():
            return _thinking_part(part)
    return None


def _thinking_part(thought: Reasoning) -> ThinkingPart:
    """A thought; its seal is told with the provider that made it, which alone takes it back."""
    data = thought.wire.data if thought.wire is not None and isinstance(thought.wire.data, dict) else {}
    match thought.wire.format if thought.wire is not None else "":
        case "anthropic":
            id = "redacted_thinking" if data.get("type") == "redacted_thinking" else None
            return ThinkingPart(content=thought.text, id=id, signature=thought.seal, provider_name="anthropic")
        case "openai-responses":
            return ThinkingPart(content=thought.text, id=data.get("id"), signature=thought.seal, provider_name="openai")
    return ThinkingPart(content=thought.text)
