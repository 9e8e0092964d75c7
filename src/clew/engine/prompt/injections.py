"""Injections: messages that Clew adds beside a turn's input: retrieved parts, reminders and critical items."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from clew.domain import CriticalItem, Epoch, Message, Origin, RetrievedSpan, Role, SectionReport, Text, UnitUse
from clew.engine.epochs.message_renderer import MessageRenderer
from clew.engine.epochs.turn import Turn
from clew.engine.health.monitor import HealthMonitor, reminder
from clew.engine.knowledge.chooser import KnowledgeChooser
from clew.engine.prompt.critical_sections import CriticalSections
from clew.engine.prompt.retriever import Retrieval, Retriever, requests_in
from clew.engine.read.feedback import FeedbackReader
from clew.engine.session_core import SessionCore
from clew.packing.allocation import Demands
from clew.packing.formats import FORMATS, PackSection
from clew.ports import TokenCounter

#: Most tokens that the message around an injected section costs.
FRAME_TOKENS = 24
#: The newest reply is looked for in this many newest messages.
_REPLY_LOOK_BACK = 12
#: Share of the budget that one turn injects in an epoch that grows: it stays in the prompt until the epoch ends.
_GROWING_SHARE = 0.1
#: How much of its share the conversation takes where nothing but a talk is told, beside what is looked up in it.
_TALK_SHARE = 0.6
_REMINDING = "These rules of the user still hold:"


class Injections:
    """Chooses what is injected into the turns of one stream."""

    def __init__(
        self,
        core: SessionCore,
        *,
        stream: str,
        target: str,
        renderer: MessageRenderer,
        monitor: HealthMonitor,
        retriever: Retriever,
        critical: CriticalSections,
        knowledge: KnowledgeChooser,
        feedback: FeedbackReader,
    ) -> None:
        self._reader, self._services, self._log = core.reader, core.services, core.log
        self._stream, self._target, self._renderer, self._monitor = stream, target, renderer, monitor
        self._retriever, self._critical, self._knowledge = retriever, critical, knowledge
        self._feedback = feedback

    def allowance(self, turn: Turn, *, system: int, input: int, grows: bool) -> int:
        """Returns the tokens that a turn may inject:
        the share of knowledge, or a little in every turn of an epoch that grows.

        In a session without tools there is no work to map, so the query gets the room that the conversation's own share
        leaves. What the model asked to read may take the quota of a turn; knowledge modules, where there are any, get
        the share of knowledge besides.
        """
        config = self._services.config.packing
        shares, budget = turn.budget, turn.budget.total
        asked = min(config.retrieval_quota, int(budget * shares.knowledge)) if self._asking() else 0
        if not turn.query:
            return asked
        if grows:
            modules = int(budget * shares.knowledge) if self._knowledge.has_modules else 0
            return modules + max(asked, min(config.retrieval_quota, int(budget * _GROWING_SHARE)))
        talk = None if self._reader.uses_tools() else int(budget * shares.conversation * _TALK_SHARE)
        query = min(input, max(budget - system, 0))  # what is too large is found out when all of it is counted
        demands = Demands(system=min(system, budget), query=query, knowledge=None, conversation=talk)
        return max(asked, shares.allocate(demands).knowledge)

    def feedback(self) -> dict[str, UnitUse]:
        """Returns what is known now of the use of units, for an epoch that begins."""
        return self._feedback.for_epoch(chunks=self._knowledge.has_modules)

    def add_retrieved(self, turn: Turn, epoch: Epoch, room: int, stated: Collection[str] = ()) -> Turn:
        """Returns the turn with knowledge, with retrieved parts from before the epoch's tail and with reminders, within
        ``room`` tokens. Chunks ``stated`` in the prompt are not sent again. Units are ranked by the feedback that was
        known when the epoch began.

        If the same input was sent at this place before, it gets the same injections again.
        """
        sent = self._log.sent_at(self._stream, self._reader.info.messages) if turn.input else None
        if sent and sent.input == turn.recorded_input and self._renderer.total_tokens(sent.injected) <= room:
            return turn.with_sent(sent)
        if room <= FRAME_TOKENS:
            return turn
        count = self._renderer.tokenizer.count
        turn = self._add_knowledge(turn, epoch, room - FRAME_TOKENS, stated, count)
        room -= self._renderer.total_tokens(turn.injected)
        quota = self._services.config.packing.retrieval_quota
        task = Retrieval(
            query=turn.query,
            asking=self._asking(),
            tail_start=epoch.tail_start,
            room=room - FRAME_TOKENS,
            quota=quota,
            uses=epoch.feedback,
        )
        taken = len(turn.injected)
        section = self._retriever.section(task, count)
        if section:
            turn = self._with(turn, section)
        left = task.room - self._renderer.total_tokens(turn.injected[taken:])
        if turn.input and (due := self._reminders(left, count)):
            turn = replace(self._with(turn, due[0]), reminders=due[1])
        return turn

    def _add_knowledge(self, turn: Turn, epoch: Epoch, room: int, stated: Collection[str], count: TokenCounter) -> Turn:
        if turn.input is None or turn.answers_call or not self._knowledge.has_modules:
            return turn
        chosen = self._knowledge.choose(
            turn.query,
            sent=stated,
            room=room - FRAME_TOKENS,
            count=count,
            has_system=self._target != "text",
            uses=epoch.feedback,
            shown=turn.layout,
        )
        if chosen is None:
            return turn
        turn = replace(turn, knowledge=chosen.sources, unfit=chosen.left_out)
        section = PackSection("knowledge", 5, chosen.text, chosen.sources, chosen.units)
        return self._with(turn, section) if chosen.text else turn

    def add_critical(self, turn: Turn, epoch: Epoch, stated: set[str], room: int) -> Turn:
        """Returns the turn with critical items that nothing in the prompt states, and word of those ``stated`` in it
        that no longer hold.
        """
        now = turn.states(stated)
        count = self._renderer.tokenizer.count
        lines = self._critical.of_turn(epoch, now, room, count=count, layout=turn.layout)
        if lines is None:
            return turn
        pinned, withdrawn = (*turn.pinned, *lines.stated), (*turn.withdrawn, *lines.withdrawn)
        return replace(self._with(turn, lines.section), pinned=pinned, withdrawn=withdrawn)

    def unstated_items(self, turn: Turn, epoch: Epoch, stated: set[str]) -> tuple[CriticalItem, ...]:
        """Returns the critical items that the prompt of this turn has no room for."""
        return tuple(self._critical.unstated_items(epoch, turn.states(stated)))

    def _with(self, turn: Turn, section: PackSection) -> Turn:
        text = FORMATS[self._target](section)
        message = Message(role=Role.USER, origin=Origin.CLEW, parts=(Text(text=text),))
        size = self._renderer.tokens(message)
        report = SectionReport(name=section.name, layer=section.layer, tokens=size, sources=section.sources)
        spans = (*turn.retrieved, *_spans(section, text, at=len(turn.injected)))
        return replace(turn, injected=(*turn.injected, message), sections=(*turn.sections, report), retrieved=spans)

    def _asking(self) -> Message | None:
        """The newest reply, if it asks to read something that this stream has not brought in since."""
        newest = self._reader.recent_messages(_REPLY_LOOK_BACK, shared=True, with_notes=True)
        messages = [message for message in newest if message.role is Role.ASSISTANT]
        if not messages or not requests_in(messages[-1]):
            return None
        here = self._reader.info.messages
        sent = self._log.sent_since(self._stream, messages[-1].number)
        return None if any(message.injected for place, message in sent if place != here) else messages[-1]

    def _reminders(self, room: int, count: TokenCounter) -> tuple[PackSection, tuple[tuple[str, str], ...]] | None:
        """Rules to bring back to mind, with the occasion of each; None when there are none, or nobody asked for it."""
        if not self._services.config.health.reminders:
            return None
        due = self._monitor.reminders()
        lines = [_REMINDING, *(f"- {reminder(item, how)}" for item, how, _ in due)]
        if not due or count("\n".join(lines)) > room:
            return None
        section = PackSection("reminders", 0, "\n".join(lines), tuple(item.id for item, _, _ in due))
        return section, tuple((item.id, lapse) for item, _, lapse in due)


def _spans(section: PackSection, text: str, *, at: int) -> Iterator[RetrievedSpan]:
    """Where the units of a section stand in its text as it is sent; one that the format had to change is left out."""
    start = 0
    for unit in section.units:
        position = text.find(unit.text, start)
        if position >= 0:
            start = position + len(unit.text)
            yield RetrievedSpan(id=unit.id, at=at, start=position, end=start, asked=unit.asked)
