"""What all packs of a session share: the caller's system prompt and tools, what is known of the whole, and what was
written down of epochs and inputs."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from clew.codecs import jsonio
from clew.codecs.clew_format import NAME, message_from_json, message_to_json
from clew.curation import curate
from clew.curation.projection import Forms, form_row
from clew.digests.reading import Digested
from clew.digests.stored import restored, stored
from clew.digests.story import render_story
from clew.digests.trio import within
from clew.domain import Entry, Epoch, Header, Item, Json, Kind, Message, Order, Role, Sent, Tool
from clew.engine.projecting import SessionRows
from clew.engine.retrieving import requests_in
from clew.engine.tail import Tail
from clew.engine.turns import Turn
from clew.engine.watching import Watching, reminder
from clew.errors import NotFound
from clew.history.segments import Segments, segment_of
from clew.history.sending import SENT, Lead, Sending, epoch_row, sent_row
from clew.packing.allocation import Demands
from clew.packing.formats import Section
from clew.packing.inputs import Input, InputKind
from clew.packing.snapshot import Told
from clew.replies import requesting
from clew.signals.critical_listing import ordered
from clew.summaries import Written
from clew.text.secrets import mask

if TYPE_CHECKING:
    from clew.engine.session import Session

#: Headers never take more of a budget than this: the oldest roll up into eras. Nor does the story.
_HEADERS_SHARE, _STORY_SHARE = 0.05, 0.1
#: Repeated outputs shrink to a line, but never a session to less than this part.
_LARGER = 2
#: From this budget on there is room for summaries, in their share, and for telling how more can be read.
_ROOMY, _SUMMARIES_SHARE, _RECENT_SEGMENTS = 8_000, 0.04, 60
#: Critical items never take more of the room than this; each costs some tokens beside its words.
_CRITICAL_SHARE, _ITEM_TOKENS = 0.2, 10
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_REMINDING = "These rules of the user still hold:"
#: Messages among which the call is found that a tool's response answers.
_LOOK_BACK = 12
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

    def form(self, message: Message, blob: str) -> Json | None:
        """What was decided of an output when it was recorded."""
        rows = SessionRows(self._session.engine.store, self._session.key, Forms.name)
        found: Json = (rows.get(form_row(int(message.id[1:]))) if message.id else None) or {}
        return found.get(blob)

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

    def words(self, input: Input | None, *, record: bool) -> tuple[Message, ...]:
        """The messages of an input as they are sent: a tool's response in the form it will be recorded in, and secrets
        masked where the store does that, so that what is read back is what was sent."""
        if input is None:
            return ()
        config, rows = self._session.engine.config, self.rows()
        if config.storage.mask_secrets:
            input = replace(input, text=mask(input.text), errors=tuple(map(mask, input.errors)))
        if input.kind is InputKind.TOOL_RESPONSE:
            calls = {call.id: call for message in self._session.newest(_LOOK_BACK) for call in message.calls}
            made = curate(input.text, calls.get(input.tool_id), config.curation)
            if made is not None and made.blob and record:
                rows.put_blob(input.text)
            input = replace(input, text=made.text) if made is not None else input
        return input.messages()

    # ── what is known of the whole ───────────────────────────────────────────────────────────────────

    def everything(self) -> Tail:
        """The whole prompt view, kept in memory while the handle lives: the next epoch reads only what is new."""
        if self._everything is None:
            self._everything = Tail(self._session, 1)
        return self._everything

    def asking(self, line: str) -> Message | None:
        """The newest reply, if it asks to read something that this line has not brought in since."""
        found = [message for message in self._session.newest(_LOOK_BACK) if message.role is Role.ASSISTANT]
        if not found or not requests_in(found[-1]):
            return None
        rows = self.rows().scan(sent_row(line, int(found[-1].id[1:])), f"{SENT}{line}/~")
        here = self._session.info.messages
        given = any(self.sent(seq).added for name, seq in rows if not name.endswith(f"/{here:09d}"))
        return None if given else found[-1]

    def may_fit(self, budget: int) -> bool:
        """False when the session is so much larger than the budget that no curation makes it fit."""
        engine, key = self._session.engine, self._session.key
        forms = engine.state(key, Forms.name) or {}
        live = sum(segment.tokens for segment in self._session.segments() if not segment.left)
        return live - int(forms.get("saved", 0)) <= _LARGER * budget

    def knowledge(self, line: str, turn: Turn, *, system: int, input: int, grows: bool) -> int:
        """Tokens for what a turn brings in: knowledge's share; of an epoch that grows, a little in every turn.

        Where no tools were used there is no work to map: beside its own share, the conversation leaves its room to
        what belongs to the query. What the model asked for may take the quota of a turn.
        """
        config = self._session.engine.config.packing
        text, kind = (turn.input.text, turn.input.kind) if turn.input else ("", InputKind.TOOL_RESPONSE)
        shares, budget = turn.budget, turn.budget.total
        asked = min(config.retrieval_quota, int(budget * shares.knowledge)) if self.asking(line) else 0
        if not text or kind is InputKind.TOOL_RESPONSE:
            return asked
        if grows:
            return max(asked, min(config.retrieval_quota, int(budget * _ADDED_SHARE)))
        talk = None if self._session.uses_tools() else int(budget * shares.conversation)
        demands = Demands(system=system, query=input, knowledge=None, conversation=talk)
        return max(asked, shares.allocate(demands).knowledge)

    def told(self, budget: int, target: str, *, cut: int) -> Told:
        """What is known beside the messages before the cut; most of it is worked out once for each state."""
        now = (self._session.info.entries, budget)
        if self._told is None or self._told[0] != now:
            self._told = (now, self._tell(budget))
        if budget < _ROOMY:
            return self._told[1]
        quota = self._session.engine.config.packing.retrieval_quota
        asking = requesting(quota) if target != "text" and quota else ""
        return replace(self._told[1], summaries=self._summaries(budget, cut), asking=asking)

    def _summaries(self, budget: int, cut: int) -> list[tuple[str, str]]:
        """The newest segments before the cut, each in its summary, as far as their share goes."""
        config, room = self._session.engine.config.packing, int(budget * _SUMMARIES_SHARE)
        rows = self._session.engine.store.rows(self._session.key, Segments.name, start="0", last=_RECENT_SEGMENTS)
        known = [segment_of(name, orjson.loads(row)) for name, row in rows]
        digested = self._session.digested()
        found: list[tuple[str, str]] = []
        for segment in [one for one in reversed(known) if one.last < cut and not one.left][: config.summaries]:
            trio = digested.trio(segment.id)
            room -= self._session.engine.count(trio.summary.text) + 4 if trio else 0
            if trio is None or room < 0:
                break
            found.append((trio.header.id, trio.summary.text.replace("\n", "\n  ")))
        return found[::-1]

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

    def critical(self, room: int, count: Callable[[str], int]) -> list[tuple[str, str]]:
        """Critical items in force, word for word, by kind and age, within their cap."""
        return [(item.id, _told_item(item)) for item in self._listed(self._own_items(), room, count)]

    def pinned(self, epoch: Epoch, told: Collection[str], room: int, count: Callable[[str], int]) -> Section | None:
        """Critical items that stand nowhere in what is sent, within what those ``told`` by us leave of the cap."""
        own = [item for item in self._own_items() if item.is_in_force]
        new = [item for item in own if item.id not in told and not _is_said(item, epoch)]
        if not new:
            return None
        taken = sum(count(item.text) + _ITEM_TOKENS for item in own if item.id in told)
        found = self._listed(new, room, count, taken=taken)
        lines = [f"{item.id} {_told_item(item)}" for item in found]
        return Section("critical", 0, "\n".join(lines), tuple(item.id for item in found)) if found else None

    def _own_items(self) -> list[Item]:
        """Without those that cannot fade: of the system prompt, and of rule files, which assistants send themselves."""
        sent = {f"m{number}" for number in self.lead().system}
        return [item for item in self._session.pins() if item.by != "file" and item.source not in sent]

    def _listed(
        self, items: Sequence[Item], room: int, count: Callable[[str], int], *, taken: int = 0
    ) -> Sequence[Item]:
        most = min(self._session.engine.config.critical.cap_tokens - taken, int(room * _CRITICAL_SHARE))
        listed = ordered(items, most, lambda text: count(text) + _ITEM_TOKENS)
        if listed.left_out:
            left = ", ".join(item.id for item in listed.left_out)
            self._session.engine.events.emit("critical.full", session=self._session.id, left_out=left)
        return listed.items

    def reminders(self, room: int, count: Callable[[str], int]) -> tuple[Section, tuple[tuple[str, str], ...]] | None:
        """Rules to bring back to mind, with the occasion of each; None when there are none, or nobody asked for it."""
        if not self._session.engine.config.health.reminders:
            return None
        due = Watching(self._session).reminders()
        lines = [_REMINDING, *(f"- {reminder(item, how)}" for item, how, _ in due)]
        if not due or count("\n".join(lines)) > room:
            return None
        section = Section("reminders", 0, "\n".join(lines), tuple(item.id for item, _, _ in due))
        return section, tuple((item.id, lapse) for item, _, lapse in due)

    def order(self, row: Json | None) -> Order | None:
        """The compaction by hand that a line has yet to follow, going by its row."""
        seq = self.lead().order
        if not seq or (row is not None and row["order"] != seq):
            return None
        return restored(Order, self.about(seq)["compaction"])

    def summary(self) -> Written | None:
        """The newest summary that a model wrote and that still holds."""
        seq = self.lead().summary
        return restored(Written, self.about(seq)["summary"]["written"]) if seq else None

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
            words, added = (tuple(map(message_from_json, data[name])) for name in ("words", "added"))
            reminders = tuple((id, lapse) for id, lapse in data.get("reminders", ()))
            self._sent[seq] = Sent(
                line=data["line"],
                after=data["after"],
                words=words,
                added=added,
                reminders=reminders,
                pinned=tuple(data.get("pinned", ())),
            )
        return self._sent[seq]

    def write_epoch(self, epoch: Epoch, *, before: int) -> bool:
        """Writes an epoch down, unless another process began one of this line since entry ``before``."""
        with self._session.engine.store.transaction():
            self._session.engine.catch_up(self._session.info)
            row = self.rows().get(epoch_row(epoch.line))
            if (row["seq"] if row else 0) != before:
                return False
            self.write(Kind.EPOCH, {"epoch": stored(epoch)})
            return True

    def write(self, kind: Kind, body: Json) -> None:
        engine = self._session.engine
        with engine.store.transaction():
            info = self._session.info
            if info.entries and engine.store.session(info.key) is None:
                raise NotFound(f"session {info.key.id} has been purged; nothing more is written of it")
            entry = Entry(seq=info.entries + 1, kind=kind, format=NAME, body=jsonio.dumps(body), at=engine.clock.now())
            engine.ledger.write(info.key, [entry])
            changed = replace(info, entries=entry.seq)
            engine.store.save_session(changed)
            engine.catch_up(changed)


def _is_said(item: Item, epoch: Epoch) -> bool:
    """True when the message that says it is sent word for word."""
    return item.source[:1] == "m" and epoch.sends(int(item.source[1:]))


def _told_item(item: Item) -> str:
    """With where it comes from, and a label if it was not a person who said so; its lines cannot pass for items."""
    label = [str(item.kind), item.source, "marked by the assistant" if item.by == "assistant" else ""]
    lines = (_CONTROL.sub("", line) for line in item.text.splitlines())
    return f"[{', '.join(filter(None, label))}] " + "\n    ".join(lines)


def _before(first: Header, digested: Digested) -> list[Header]:
    """One header for everything older than the newest few hundred: how much there is, and how it began."""
    count = int(first.id[1:].partition(".")[0]) - 1
    oldest = digested.trio("x1")
    if count < 1 or oldest is None:
        return []
    span = f"x1–x{count}" if count > 1 else "x1"
    return [replace(oldest.header, id=span, segments=count)]


def sent_json(sent: Sent) -> Json:
    words, added = ([message_to_json(message) for message in found] for found in (sent.words, sent.added))
    told = {name: getattr(sent, name) for name in ("reminders", "pinned") if getattr(sent, name)}
    return {"line": sent.line, "after": sent.after, "words": words, "added": added} | told
