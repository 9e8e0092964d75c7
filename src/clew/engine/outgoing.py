"""What all packs of a session share: the caller's system prompt and tools, what is known of the whole, and what was
written down of epochs and inputs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from clew.codecs import jsonio
from clew.codecs.clew_format import NAME, message_from_json, message_to_json
from clew.digests.reading import Digested
from clew.digests.story import render_story
from clew.digests.trio import within
from clew.domain import Entry, Header, Json, Kind, Message, Sent, Tool
from clew.engine.projecting import SessionRows
from clew.engine.retrieving import requests_in
from clew.engine.tail import Tail
from clew.engine.turns import Turn
from clew.history.overview import Overview
from clew.history.sending import Lead, Sending
from clew.packing.allocation import Demands
from clew.packing.inputs import InputKind
from clew.packing.snapshot import Told

if TYPE_CHECKING:
    from clew.engine.session import Session

#: Headers never take more of a budget than this: the oldest roll up into eras. Nor does the story.
_HEADERS_SHARE, _STORY_SHARE = 0.05, 0.1
#: Outputs shrink when they are recorded, but never a session to less than this part.
_LARGER = 3
#: What a query brings in stays until the epoch ends, so a turn of one that grows takes no more than this.
_ADDED_SHARE = 0.1


class Outgoing:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: dict[int, Any] = {}
        self._sent: dict[int, Sent] = {}
        self._everything: Tail | None = None
        self._told: tuple[tuple[int, int], Told] | None = None
        self._led: tuple[Lead, tuple[Message, ...], tuple[Tool, ...]] | None = None

    def rows(self) -> SessionRows:
        return SessionRows(self._session.engine.store, self._session.key, Sending.name)

    # ── the caller's part ────────────────────────────────────────────────────────────────────────────

    def lead(self) -> Lead:
        state = self._session.engine.state(self._session.key, Sending.name)
        return Lead(**state) if state else Lead()

    def system_and_tools(self) -> tuple[tuple[Message, ...], tuple[Tool, ...]]:
        """As the caller last gave them; read again only when they changed."""
        lead = self.lead()
        if self._led is None or self._led[0] != lead:
            system = tuple(message for number in lead.system for message in self._session.read_range(number, number))
            self._led = (lead, system, self._tools(lead.tools))
        return self._led[1], self._led[2]

    def _tools(self, seq: int) -> tuple[Tool, ...]:
        if not seq:
            return ()
        found = next(iter(self._session.engine.read(self._session.key, seq - 1, seq)), None)
        return (found[1].tools or ()) if found else ()

    # ── what is known of the whole ───────────────────────────────────────────────────────────────────

    def everything(self) -> Tail:
        """The whole prompt view, kept in memory while the handle lives: the next epoch reads only what is new."""
        if self._everything is None:
            self._everything = Tail(self._session, 1)
        return self._everything

    def newest(self) -> Message | None:
        """The last message of the conversation."""
        found = self._session.newest(1)
        return found[-1] if found else None

    def may_fit(self, budget: int) -> bool:
        """False when the session is so much larger than the budget that no curation makes it fit."""
        totals = self._session.engine.state(self._session.key, Overview.name) or {}
        return int(totals.get("tokens", 0)) <= _LARGER * budget

    def knowledge(self, turn: Turn, *, system: int, input: int, grows: bool) -> int:
        """Tokens for what a turn brings in: knowledge's share; of an epoch that grows, a little in every turn.

        Where no tools were used there is no work to map: beside its own share, the conversation leaves its room to
        what belongs to the query. What the model asked for may take the quota of a turn.
        """
        config = self._session.engine.config.packing
        text, kind = (turn.input.text, turn.input.kind) if turn.input else ("", InputKind.TOOL_RESPONSE)
        shares, budget = turn.budget, turn.budget.total
        newest = self.newest()
        asked = min(config.retrieval_quota, int(budget * shares.knowledge)) if newest and requests_in(newest) else 0
        if not text or kind is InputKind.TOOL_RESPONSE:
            return asked
        if grows:
            return max(asked, min(config.retrieval_quota, int(budget * _ADDED_SHARE)))
        talk = None if self._session.uses_tools() else int(budget * shares.conversation)
        demands = Demands(system=system, query=input, knowledge=None, conversation=talk)
        return max(asked, shares.allocate(demands).knowledge)

    def told(self, budget: int) -> Told:
        """Worked out once for each state of the session."""
        now = (self._session.info.entries, budget)
        if self._told is None or self._told[0] != now:
            self._told = (now, self._tell(budget))
        return self._told[1]

    def _tell(self, budget: int) -> Told:
        config, digested = self._session.engine.config.digests, self._session.digested()
        story = render_story(digested.story(), min(config.story_tokens, int(budget * _STORY_SHARE)))
        headers = [one.header for one in digested.trios(last=config.max_headers)]
        if len(headers) == config.max_headers:
            headers = [*_before(headers[0], digested), *headers]
        room = int(budget * _HEADERS_SHARE)
        shown = within(headers, max_headers=config.max_headers, max_tokens=room)
        lines = [(one.id, one.line) for one in shown]
        return Told(session=self._session.id, root=self._session.info.cwd, story=story, headers=lines)

    # ── what was written down ────────────────────────────────────────────────────────────────────────

    def about(self, seq: int) -> Json:
        """What an entry of ours says; entries never change, so each is read once."""
        if seq not in self._known:
            entry = next(iter(self._session.engine.ledger.entries(self._session.key, after=seq - 1, until=seq)))
            self._known[seq] = jsonio.loads(entry.body)
        known: Json = self._known[seq]
        return known

    def sent(self, seq: int) -> Sent:
        if seq not in self._sent:
            data = self.about(seq)["sent"]
            messages = tuple(message_from_json(message) for message in data["messages"])
            self._sent[seq] = Sent(line=data["line"], after=data["after"], added=data["added"], messages=messages)
        return self._sent[seq]

    def write(self, kind: Kind, body: Json) -> None:
        engine = self._session.engine
        with engine.store.transaction():
            info = self._session.info
            entry = Entry(seq=info.entries + 1, kind=kind, format=NAME, body=jsonio.dumps(body), at=engine.clock.now())
            engine.ledger.write(info.key, [entry])
            changed = replace(info, entries=entry.seq)
            engine.store.save_session(changed)
            engine.catch_up(changed)


def _before(first: Header, digested: Digested) -> list[Header]:
    """One header for everything older than the newest few hundred: how much there is, and how it began."""
    count = int(first.id[1:].partition(".")[0]) - 1
    oldest = digested.trio("x1")
    if count < 1 or oldest is None:
        return []
    span = f"x1–x{count}" if count > 1 else "x1"
    return [replace(oldest.header, id=span, segments=count)]


def sent_json(sent: Sent) -> Json:
    messages = [message_to_json(message) for message in sent.messages]
    return {"line": sent.line, "after": sent.after, "added": sent.added, "messages": messages}
