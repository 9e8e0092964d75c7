"""Sessions of requests: which of them the gateway manages, and the session that each belongs to."""

from __future__ import annotations

import logging
import secrets
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from threading import Lock
from typing import Any

from clew.adapters.calls import ClientCall, ClientCalls
from clew.adapters.requests import ENDPOINTS, ConversationRequest, Endpoint
from clew.codecs import jsonio
from clew.engine.engine import Engine
from clew.engine.ledger.known_lists import KnownLists
from clew.engine.session import Session
from clew.errors import ClewError
from clew.gateway.failures import LOGGER
from clew.gateway.hidden_turns import HiddenTurns, Offer
from clew.gateway.list_names import ListName, ListNames
from clew.gateway.offers import has_own_tool
from clew.gateway.own_list import has_thinking, without_thinking
from clew.gateway.session_names import assistant_of, session_name
from clew.gateway.side_work import is_side_work, is_summary_request
from clew.tokens.models import with_large_window

_log = logging.getLogger(LOGGER)
_BYPASS = "x-clew-bypass"
#: How the header for features to come asks for a window of a million tokens.
_LARGE_WINDOW = "context-1m"
#: Lists of which no answer is known yet, the newest: a client that tries again goes on in the same session.
_MOST_UNANSWERED = 1_000
#: Of what may be sent, one part in so many is for what models read back.
RETRIEVED_SHARE = 10


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sends a request: its headers, under whom its sessions are kept, and whether these are of one person: what is
    said in one then holds in all. Without a user they are nobody's.
    """

    headers: Mapping[str, str]
    user: str = ""
    is_person: bool = False

    @property
    def client(self) -> str:
        """The coding assistant that sends it; empty for any other client."""
        return assistant_of(self.headers)


@dataclass(slots=True)
class Managed:
    """A request of a conversation: what it asks, the session it belongs to, the name of its list where it gives no
    other, its bytes, whether it begins its session, what the model is offered in it, and its headers of ours.
    """

    request: ConversationRequest
    session: Session
    lists: KnownLists
    name: ListName | None
    bytes: bytes
    calls: ClientCalls
    is_new: bool
    hidden: HiddenTurns
    offer: Offer
    reply_headers: list[tuple[str, str]] = field(default_factory=list)


class RequestSessions:
    """Finds the sessions of requests."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._config = engine, engine.config.gateway
        self._unanswered: OrderedDict[bytes, str] = OrderedDict()
        self._naming = Lock()
        self._names = {one.format: ListNames(one.format) for one in ENDPOINTS}

    def find(self, caller: Caller, endpoint: Endpoint, body: Any, sent: bytes) -> Managed | None:
        """Returns a request with its session; None where it passes as it is."""
        asked_of = body.get(endpoint.messages) if isinstance(body, dict) else None
        is_asked = bool(asked_of) and isinstance(asked_of, list | str)
        if not self._config.manage or caller.headers.get(_BYPASS) == "1" or not is_asked:
            return None
        asked = ConversationRequest(endpoint, body)
        if is_side_work(asked, has_tools=bool(caller.client)):
            return None
        try:
            return self._find(caller, asked, sent)
        except ClewError as error:  # a client is served whatever is wrong here
            _log.warning("a request passes as it came: %s", type(error).__name__)
            return None

    def note_failed(self, managed: Managed, call: ClientCall) -> None:
        """Notes a list that got no answer: who sends it again goes on in the same session. One that never had an answer
        is deleted: nobody has said anything there that its client does not say again.
        """
        if call.conversation.has_no_answer():
            self._engine.discard(call.conversation.session.key)
        with self._naming:
            if managed.name is not None:
                self._unanswered[managed.name.whole] = managed.session.id
            while len(self._unanswered) > _MOST_UNANSWERED:
                self._unanswered.popitem(last=False)

    def summary(self, caller: Caller, endpoint: Endpoint, body: Any) -> str:
        """Returns the text that answers an assistant's own request for a summary, where settings ask for that; empty
        for any other request, and for a session that is not known.
        """
        is_asked = self._config.instant_summaries and caller.client and isinstance(body, dict)
        asked = ConversationRequest(endpoint, body) if is_asked else None
        if asked is None or caller.headers.get(_BYPASS) == "1" or not is_summary_request(asked):
            return ""
        try:
            return self._summary(caller, asked)
        except ClewError as error:
            _log.warning("a summary is left to the model: %s", type(error).__name__)
            return ""

    def own_list(self, caller: Caller, endpoint: Endpoint, body: Any, sent: bytes) -> bytes:
        """Returns the bytes with which a request passes that is not packed: the client's own, but without thinking that
        the provider would refuse, because replies of its session were made from packs, or from more than the client
        knows of.
        """
        if endpoint.format != "anthropic" or not has_thinking(body):
            return sent
        try:
            session = self._known_session(caller, ConversationRequest(endpoint, body), by_list=True)
            if session is None:
                return sent
            offer = HiddenTurns(self._engine.store, session.key).offer()
            is_bound = offer is not None or session.reader.was_compacted()
            return jsonio.dumps(without_thinking(body)) if is_bound else sent
        except ClewError as error:
            _log.warning("a request passes as it came: %s", type(error).__name__)
            return sent

    def _find(self, caller: Caller, asked: ConversationRequest, sent: bytes) -> Managed | None:
        """The session of a request: the one it names, or whose list it goes on from, or a new one. None for one that
        goes on from what the provider alone has.
        """
        lists = self._lists(caller)
        name = self._list_name(caller, asked)
        id = "" if asked.is_kept_by_provider else session_name(caller.headers, asked.body)
        if asked.is_kept_by_provider:
            id = lists.find_response(asked.previous_response) if asked.previous_response else ""
            if not id:  # what the provider has of it is not known here: it passes, and is valid
                return None
        elif name is not None and not id:
            known = lists.find(*name.answers[-1:])
            id = known or self._failed_before(name) or f"gateway-{secrets.token_hex(8)}"
        about = {"model": asked.model or None, "client": caller.client or None}
        session = self._engine.session(id, user=caller.user or None, alone=not caller.is_person, **about)
        hidden, is_new = HiddenTurns(self._engine.store, session.key), not session.info.messages
        offer = hidden.offer() or (self._offer(asked) if is_new else Offer())
        if is_new and offer.is_any and not asked.wants_several:  # before anything is recorded: others may begin with it
            hidden.begin(offer)
        offer = Offer() if asked.wants_several else offer  # one list cannot go on from all of them
        most = self._most_tokens(session, caller, asked)
        if offer.retrieve:  # no pack counts what models read back
            most = (most or session.limit(asked.model)) * (RETRIEVED_SHARE - 1) // RETRIEVED_SHARE
        calls = ClientCalls(session, most, sent_whole=True)
        return Managed(asked, session, lists, name, sent, calls, is_new=is_new, hidden=hidden, offer=offer)

    def _lists(self, caller: Caller) -> KnownLists:
        place = self._engine.key("any", user=caller.user or None)
        return KnownLists(self._engine.store, tenant=place.tenant, user=place.user)

    def _offer(self, asked: ConversationRequest) -> Offer:
        """What is offered in a session that begins. What the client never sees could not be masked: it is sent again as
        it was.
        """
        config = self._engine.config
        retrieve = self._config.retrieve and config.packing.retrieval_quota > 0 and not has_own_tool(asked)
        return Offer() if config.storage.mask_secrets else Offer(retrieve, self._config.notes)

    def _most_tokens(self, session: Session, caller: Caller, asked: ConversationRequest) -> int | None:
        """The most tokens that go on, where a setting or the request says so: a header may choose a larger window."""
        if self._config.max_tokens or _LARGE_WINDOW not in caller.headers.get("anthropic-beta", ""):
            return self._config.max_tokens or None
        return session.limit(with_large_window(asked.model))

    def _list_name(self, caller: Caller, asked: ConversationRequest) -> ListName | None:
        """The name of a request's list, where it gives no other; of one whose conversation the provider has, none."""
        by_response = asked.endpoint.format == "openai-responses" and asked.body.get("store") is not False
        if session_name(caller.headers, asked.body) and not by_response:
            return None
        key = next((value for name, value in caller.headers.items() if name in {"authorization", "x-api-key"}), "")
        about = jsonio.dumps([asked.system, caller.is_person, blake2b(key.encode(), digest_size=16).hexdigest()])
        return self._names[asked.endpoint.format].name(asked.messages, about=about)

    def _failed_before(self, name: ListName) -> str:
        """The session of a list that was sent before and got no answer; empty where there is none."""
        with self._naming:
            return self._unanswered.pop(name.whole, "")

    def _summary(self, caller: Caller, asked: ConversationRequest) -> str:
        session = self._known_session(caller, asked)
        if session is None:
            return ""
        return session.pack(None, budget=self._config.summary_tokens, target="text", record=False).text

    def _known_session(self, caller: Caller, asked: ConversationRequest, *, by_list: bool = False) -> Session | None:
        """The session that a request names, or, if it may be known ``by_list``, that ends within its list; where it is
        stored.
        """
        user, name = caller.user or None, session_name(caller.headers, asked.body)
        if not name and by_list and (listed := self._list_name(caller, asked)):
            name = self._lists(caller).find(*listed.answers)
        if not name or self._engine.store.session(self._engine.key(name, user=user)) is None:
            return None
        return self._engine.session(name, user=user)
