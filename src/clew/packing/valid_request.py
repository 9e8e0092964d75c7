"""Valid requests: repairs a history, encodes it for a provider, and repairs what only that provider demands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from clew.codecs import registry
from clew.domain import Message, Origin, Repair, Role, Text, Tool
from clew.history.fold import History
from clew.history.repair.rules import repair_history
from clew.packing.model_switch import as_another_models, newest_model
from clew.packing.told_steps import open_loop, thinks, with_told_loop, without_bound_thinking
from clew.ports import Request
from clew.rules import repair as repair_request
from clew.rules.base import NOT_SHOWN
from clew.rules.thinking_modes import may_be_manual

#: Providers that refuse a history that begins with a reply, and the message that then stands before it.
_USER_FIRST = frozenset({"anthropic", "gemini"})
_STAND_IN = Message(role=Role.USER, origin=Origin.CLEW, parts=(Text(text=NOT_SHOWN),))


def encode_valid(
    messages: Sequence[Message],
    provider: str,
    *,
    system: Sequence[Message] = (),
    tools: Sequence[Tool] = (),
    sealed_after: int | None = None,
    tells_loop: bool = False,
) -> tuple[Request, tuple[Message, ...], tuple[Repair, ...]]:
    """Returns the request, the messages as they stand in it, and the repairs that were needed.

    ``system`` comes before the messages. A repair invalidates sealed thinking after it; replies after number
    ``sealed_after`` keep theirs, as they were made from the repaired history. With ``tells_loop`` a loop of calls under
    way that does not begin with thinking is told as text, as manual thinking demands.
    """
    sent, repairs = repair_history(messages, sealed_after=sealed_after)
    if tells_loop and (told := with_told_loop(sent)) != sent:
        sent, repairs = told, (*repairs, Repair("A7", "messages", "told the steps under way as text"))
    if provider in _USER_FIRST and _begins_with_reply(sent):
        sent, repairs = (_STAND_IN, *sent), (*repairs, Repair("user-first", "m1", "put a message of the user first"))
    request = registry.encoder(provider).encode((*system, *sent), tools=tools)
    body, more = repair_request(request.body, provider)
    return replace(request, body=body), sent, (*repairs, *more)


def encode_history(
    history: History, provider: str, *, model: str, was_compacted: bool
) -> tuple[Request, tuple[Repair, ...]]:
    """Returns the prompt view of a history as a valid request, and the repairs. Replies ``was_compacted`` before were
    made from snapshots: what their thinking is bound to is not the history.
    """
    view = history.prompt_view()
    replied = newest_model(reversed(view))
    messages = [
        without_bound_thinking(message) if was_compacted or message.number in history.transcribed else message
        for message in (as_another_models(each, replied) for each in view)
    ]
    loop = open_loop(view)
    tells = loop is not None and any(map(thinks, view[loop:])) and may_be_manual("", model or replied)
    tells_loop = tells and provider == "anthropic"
    request, _, repairs = encode_valid(messages, provider, tools=history.tools, tells_loop=tells_loop)
    return request, repairs


def _begins_with_reply(messages: Sequence[Message]) -> bool:
    """A message of the system is no beginning: it is moved to where the provider wants it."""
    first = next((message for message in messages if message.role is not Role.SYSTEM), None)
    return first is not None and first.role is Role.ASSISTANT
