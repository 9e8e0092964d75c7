"""What goes on for a client's request: its own bytes, or a request that is made of them, of packs, of what the model is
offered and of what its client never saw.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from clew.adapters.calls import ClientCall
from clew.adapters.session_state import ModelCall
from clew.codecs import jsonio
from clew.config import Config
from clew.domain import Json
from clew.engine.prompt.pack import Pack
from clew.engine.session import Session
from clew.gateway.hidden_turns import with_hidden_turns, with_results
from clew.gateway.offers import RETRIEVE, has_own_tool, with_offer
from clew.gateway.own_list import without_thinking
from clew.gateway.sessions import RETRIEVED_SHARE, Managed
from clew.packing.cache_breakpoints import with_breakpoints

#: The segment that holds the recorded system prompt, which a pack counts with its tools.
_BEFORE_FIRST_REQUEST = "x0"


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedRequest:
    """A request that goes on: ``content`` is what is sent, and ``body`` what it says. Its messages are the client's or
    those of a ``pack``; ``before`` and ``after`` are tokens of the conversation and of what is sent for it, ``history``
    what the provider would count of the client's own list; 0 where that is what is sent. ``hidden`` is the tool whose
    calls the client never sees, and ``quota`` the tokens that they may read.
    """

    call: ClientCall
    model_call: ModelCall
    content: bytes
    body: Json
    pack: Pack | None = None
    epoch: int = 0
    before: int = 0
    after: int = 0
    history: int = 0
    hidden: str = ""
    quota: int = 0

    def with_items(self, items: list[Any], name: str) -> Json:
        """Returns the body with other messages."""
        body = self.body | {name: items}
        if self.pack is not None and name == "messages" and self.pack.target == "anthropic":
            body = with_breakpoints(body, snapshot=self.pack.content.snapshot)
        return body


def prepare(managed: Managed, model_call: ModelCall, config: Config, *, is_refused: bool) -> PreparedRequest:
    """Records what a request brings, and makes what is sent: the client's own bytes until something of the
    conversation was compacted. The first request of a session goes as it is unless the provider has refused that:
    how much it takes may not be known here.
    """
    call = managed.calls.begin(managed.request, model_call)
    pack, body, content = call.pack, managed.request.body, managed.bytes
    if pack is None:
        return _with_hidden(PreparedRequest(call=call, model_call=model_call, content=content, body=body), managed)
    is_first = managed.is_new and not is_refused and not config.gateway.max_tokens
    before = after = _whole_tokens(call.conversation.session, pack)
    history = 0
    sent = None if pack.content.is_whole or is_first else pack
    if sent is not None:
        body = managed.request.with_pack(sent)
        content, after = jsonio.dumps(body), sent.tokens
        usage = call.conversation.session.reader.usage()
        history = usage.gain.history_tokens(usage.prompt) or before
    made = PreparedRequest(
        call=call,
        model_call=model_call,
        content=content,
        body=body,
        pack=sent,
        epoch=pack.epoch,
        before=before,
        after=after,
        history=history,
    )
    return _with_hidden(replace(made, quota=config.packing.retrieval_quota), managed)


def _with_hidden(made: PreparedRequest, managed: Managed) -> PreparedRequest:
    """The request with what the model is offered, and with what its client never saw in its place."""
    if not managed.offer.is_any:
        return made
    endpoint, conversation = managed.request.endpoint, made.call.conversation
    outlines = conversation.outlines()
    turns = managed.hidden.find(outlines, epoch=made.epoch if made.pack else None)
    if made.pack is not None:
        managed.hidden.end_epochs(outlines, before=made.epoch, hidden=RETRIEVE)
    given = items_of(made.body, endpoint.messages)
    items = managed.hidden.without_lost(given)
    if turns:
        items = with_hidden_turns(items, endpoint.format, turns, outlines, known=conversation.state.known)
    if managed.request.previous_response and made.pack is None:
        newest, results = managed.hidden.behind(managed.request.previous_response)
        items = with_results(items, results, endpoint.format)
        made = replace(made, body=made.body | {"previous_response_id": newest})
    if items != given:
        made = replace(made, body=made.with_items(items, endpoint.messages))
    if endpoint.format == "anthropic" and managed.hidden.is_taken_back(made.epoch):
        made = replace(made, body=without_thinking(made.body))
    own_tool = managed.offer.retrieve and has_own_tool(managed.request)
    offer = replace(managed.offer, retrieve=False) if own_tool else managed.offer
    body, read = with_offer(made.body, endpoint, offer), sum(turn.tokens for turn in turns.values())
    room = made.call.pack.budget // (RETRIEVED_SHARE - 1) - read if made.call.pack else 0
    return replace(
        made,
        body=body,
        content=jsonio.dumps(body),
        after=made.after + read,
        hidden=RETRIEVE if offer.retrieve else "",
        quota=max(min(made.quota, room), 0),
    )


def items_of(body: Json, name: str) -> list[Any]:
    """Returns the messages of a request as a list; a bare text is the user's."""
    given = body.get(name) or []
    return [{"role": "user", "content": given}] if isinstance(given, str) else list(given)


def _whole_tokens(session: Session, pack: Pack) -> int:
    """The tokens of a conversation as its client has it, with system prompt and tools. Those of the messages are the
    recorded ones, which are rather fewer than the provider counts.
    """
    system = sum(section.tokens for section in pack.sections if section.name == "system")
    segments = (one for one in session.reader.segments() if not one.rolled_back and one.id != _BEFORE_FIRST_REQUEST)
    return system + sum(one.tokens for one in segments)
