"""What the gateway itself offers a model: a tool with which it reads back parts of the session, and notes behind its
replies. Its calls of the tool are answered here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clew.adapters.requests import ConversationRequest, Endpoint
from clew.codecs import registry
from clew.codecs.joined_reply import is_call_of
from clew.domain import Call, Json, Message, Origin, Output, Role, Status, Text, Tool
from clew.engine.session import Session
from clew.errors import ClewError
from clew.gateway.hidden_turns import Offer
from clew.replies.instructions import reply_instructions
from clew.replies.values import MAX_ITEMS, Format, Priority

RETRIEVE = "retrieve_context"
#: Replies of one turn that may call the tool, and calls that are answered in it.
MOST_ROUNDS, MOST_CALLS = 4, 8
_TOOL = Tool(
    name=RETRIEVE,
    description=(
        "Reads back parts of this conversation that are no longer shown in full: anything that was said, done or "
        "found. Give ids as they stand in the conversation, such as x7, x7.2, m12 or b0123456789ab."
    ),
    schema={
        "type": "object",
        "properties": {
            "conversation_ids": {
                "type": "array",
                "items": {"type": "string"},
                "description": f"What to read, up to {MAX_ITEMS} ids; none is needed with recent and relevant.",
            },
            "format": {
                "type": "string",
                "enum": [str(one) for one in Format],
                "description": "mixed is full first, and smaller as the quota runs out; default: summary.",
            },
            "priority": {
                "type": "string",
                "enum": [str(one) for one in Priority],
                "description": "specific, the default, keeps your order.",
            },
            "offset": {
                "type": "integer",
                "description": "Of one id, the character to begin with: a long part comes in pieces.",
            },
            "limit": {"type": "integer", "description": "Of one id, the most characters."},
        },
    },
)
_QUOTED = "Quoted from earlier in this conversation:"
_USED_UP = "Nothing more can be read in this turn; go on with what you have."
_NO_TOOLS: dict[str, Any] = {"anthropic": {"type": "none"}, "openai-chat": "none", "openai-responses": "none"}
_SYSTEM_ROLES = ("system", "developer")


def has_own_tool(request: ConversationRequest) -> bool:
    """Returns True where the client has a tool of the same name: that one is called, and ours is not offered."""
    tools = request.tools if isinstance(request.tools, list) else []
    return any(is_call_of({**one, "type": "function"}, RETRIEVE) for one in tools if isinstance(one, dict))


def with_offer(body: Json, endpoint: Endpoint, offer: Offer) -> Json:
    """Returns a request that offers the tool behind the client's own, and tells of notes behind its system prompt."""
    if offer.retrieve:
        own = body.get("tools")
        made = registry.encoder(endpoint.format).encode([], tools=[_TOOL]).body["tools"]
        body = body | {"tools": [*(own if isinstance(own, list) else []), *made]}
    return _with_instructions(body, endpoint, reply_instructions(0)) if offer.notes else body


def without_tools(body: Json, format: str) -> Json:
    """Returns a request whose reply calls nothing. The tools stay, since they are the head of the cache."""
    return body | {"tool_choice": _NO_TOOLS[format]}


def _with_instructions(body: Json, endpoint: Endpoint, text: str) -> Json:
    if endpoint.system:
        return body | {endpoint.system: _with_text(body.get(endpoint.system), text)}
    messages = list(body[endpoint.messages])
    head = [at for at, one in enumerate(messages) if isinstance(one, dict) and one.get("role") in _SYSTEM_ROLES]
    if head[:1] == [0]:
        last = next(at for at in range(len(messages)) if at + 1 not in head)
        messages[last] = messages[last] | {"content": _with_text(messages[last].get("content"), text)}
    else:
        messages.insert(0, {"role": "system", "content": text})
    return body | {endpoint.messages: messages}


def _with_text(content: Any, text: str) -> Any:
    if isinstance(content, list):
        return [*content, {"type": "text", "text": text}]
    return f"{content}\n\n{text}" if content else text


class RetrievalAnswers:
    """Answers the calls of one turn, within its quota of tokens. A model that asks in a wrong form is told so."""

    def __init__(self, session: Session, *, quota: int) -> None:
        self._session, self._quota = session, quota
        self._calls = 0
        #: Tokens of what was answered.
        self.tokens = 0

    def answer(self, calls: Sequence[Call]) -> Message:
        """Returns the message with the outputs of calls."""
        parts = []
        for call in calls:
            text, status = self._answer(call)
            parts.append(Output(call_id=call.id, content=(Text(text=text),), status=status))
        return Message(role=Role.TOOL, origin=Origin.TOOL, parts=tuple(parts))

    def _answer(self, call: Call) -> tuple[str, Status]:
        self._calls += 1
        if self._calls > MOST_CALLS or self.tokens >= self._quota:
            return _USED_UP, Status.FAILED
        given: Any = call.arguments if isinstance(call.arguments, dict) else {}
        ids, names = given.get("conversation_ids") or [], ("format", "priority", "offset", "limit")
        asked = {name: given[name] for name in names if given.get(name) is not None}
        try:
            found = self._session.retrieve(
                [ids] if isinstance(ids, str) else ids, quota=self._quota - self.tokens, **asked
            )
        except (ClewError, TypeError) as error:
            return f"{RETRIEVE}: {error}", Status.FAILED
        self.tokens += sum(one.tokens for one in found.sent)
        shown = [f"{one.id} ({one.size}):\n{one.text}" for one in found.sent]
        return "\n\n".join([*([_QUOTED, *shown] if shown else []), *found.notes]), Status.SUCCESS
