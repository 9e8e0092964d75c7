"""Reports of a compaction:
what it did or would do, which segments change, and which names would be lost from the prompt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from clew.compaction.candidates import SegmentCandidate
from clew.domain import (
    Balance,
    Compaction,
    CompactionRequest,
    CriticalItem,
    Message,
    MessageBalance,
    SectionReport,
    Size,
    Strategy,
    SummaryCounts,
    TokenBalance,
)
from clew.domain.ids import message_id, message_number
from clew.engine.epochs.turn import BuiltPrompt, PromptSizes
from clew.engine.health.monitor import HealthMonitor
from clew.engine.read.stories import Stories
from clew.engine.session_core import SessionCore
from clew.history.message_text import transcript_text
from clew.packing.formats import SUMMARY
from clew.text.names import name_counts

_AT_STAKE, _REMEMBERED, _STORY_TOKENS = 24, 12, 1_200
#: Sections of a snapshot whose sources are messages that it tells lines of; and all that stand for messages.
_LINES = ("user-said", "work", "newest-steps")
_STAND_INS = ("timeline", "chunks", "earlier-summary", *_LINES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """An estimate of a compaction:
    tokens by what may become of them, tokens saved, and how full the prompt would be.
    """

    critical: int
    summarizable: int
    removable: int
    tokens_saved: int
    utilization: float
    new_utilization: float
    segments: tuple[SegmentCandidate, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentChange:
    """A segment that would no longer be sent word for word, and what would stand for it."""

    id: str
    messages: str
    tokens: int
    becomes: str
    header: str
    relevance: float
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a compaction would do:
    the report, the segments that change, and names that no prompt would mention any more.

    ``written_tokens`` would be written to the provider's cache again, for ``cost`` dollars. ``snapshot`` is the text
    that would stand for what is no longer sent, ``sections`` what it is made of.
    """

    compaction: Compaction
    changes: tuple[SegmentChange, ...]
    at_stake: tuple[str, ...]
    written_tokens: int
    cost: float
    snapshot: str = ""
    sections: tuple[SectionReport, ...] = ()


class CompactionReporter:
    """Compares the prompt before a compaction with the one after it."""

    def __init__(self, core: SessionCore, monitor: HealthMonitor) -> None:
        self._reader, self._pins, self._monitor = core.reader, core.pins, monitor
        self._stories = Stories(core.reader, core.services)

    def compaction(
        self,
        request: CompactionRequest,
        before: BuiltPrompt,
        after: BuiltPrompt,
        *,
        messages: Sequence[Message],
        balance: Balance,
        undo: str,
    ) -> Compaction:
        """Returns the report of a compaction from the prompt ``before`` to the one ``after`` it, in a session with
        these ``messages``.
        """
        sent = {message.id for message in after.tail if message.id}
        shown = {section.name: section for section in after.epoch.sections}
        into = sum(len(shown[name].sources) for name in _STAND_INS if name in shown) + (SUMMARY in shown)
        gone = balance.messages.summarized
        return Compaction(
            before=Size(before.tokens, balance.messages.before),
            after=Size(after.tokens, balance.messages.after),
            preserved=self._preserved_counts(after, sent),
            summarized=SummaryCounts(messages=gone, into=into if gone else 0),
            remembers=(*map(_rule_line, self._stated_items(after)), *self._remembers(after, messages)),
            strategy=Strategy(after.epoch.strategy or request.strategy),
            rung=after.epoch.rung,
            undo=undo,
            reason=str(request.trigger),
            balance=balance,
            counted=after.counted,
            clipped=after.clipped,
        )

    def _remembers(self, after: BuiltPrompt, messages: Sequence[Message]) -> tuple[str, ...]:
        """What the prompt says of people's words and of the state of the work, as the story tells it."""
        plain = " ".join(_words(after).split())
        sections = self._stories.facts(_STORY_TOKENS, messages)
        lines = [line.removeprefix("- ") for section in sections for line in section.text.split("\n")]
        first = [line for line in lines if line and not line.startswith(" ")]  # the others go on with it
        return tuple(line for line in first if _is_in(line.partition(": ")[2] or line, plain))[:_REMEMBERED]

    def changes(self, before: BuiltPrompt, after: BuiltPrompt) -> list[SegmentChange]:
        """Returns segments that would no longer be sent word for word."""
        shown = {message.id for message in before.tail}
        sources = {section.name: section.sources for section in after.epoch.sections}
        stated = {source for name in _LINES for source in sources.get(name, ())}
        summarised = max(map(message_number, sources.get(SUMMARY, ())), default=0)
        digests, scores = self._reader.digests(), self._monitor.relevance()
        out = []
        for segment, id in self._reader.outline():
            numbers = range(segment.first, segment.last + 1)
            if segment.rolled_back or not any(message_id(n) in shown and not after.epoch.sends(n) for n in numbers):
                continue
            lines = any(message_id(n) in stated for n in numbers)
            becomes = "lines" if lines else "summary" if segment.last <= summarised else "header"
            trio = digests.trio(segment.id)
            relevance = scores.get(id)
            out.append(
                SegmentChange(
                    id=id,
                    messages=f"m{segment.first}–m{segment.last}",
                    tokens=segment.tokens,
                    becomes=becomes,
                    header=trio.header.line if trio else "",
                    relevance=relevance.score if relevance else 1.0,
                    because=relevance.explanation if relevance else "under way",
                )
            )
        return out

    def at_stake(self, before: BuiltPrompt, after: BuiltPrompt) -> list[str]:
        """Returns names from messages to be replaced that the prompt will no longer mention, most frequent first."""
        still, words = {message.id for message in after.tail}, _words(after)
        counts: dict[str, int] = {}
        for message in (message for message in before.tail if message.id not in still):
            for name, number in name_counts(_unescaped_text(message)).items():
                counts[name] = counts.get(name, 0) + number
        gone = [name for name, number in counts.items() if number > 1 and name not in words]
        return sorted(gone, key=lambda name: (-counts[name], name))[:_AT_STAKE]

    def _stated_items(self, after: BuiltPrompt) -> list[CriticalItem]:
        """Critical items that the prompt states, in whichever place: all in force but those without room."""
        unstated = {item.id for item in after.unstated}
        return [item for item in self._pins.items() if item.id not in unstated]

    def _preserved_counts(self, after: BuiltPrompt, sent: Collection[str]) -> dict[str, int]:
        """By kind, what stands in the prompt afterwards: critical items by their kind, decisions that nobody pinned,
        requests, older messages, and the newest.
        """
        recent = sum(message_number(id) >= after.epoch.tail_start for id in sent)
        words = " ".join(_words(after).split())
        decisions = self._reader.digests().decisions()
        shown = {section.name: section for section in after.epoch.sections}
        counts = {
            "request": len(shown["user-said"].sources) if "user-said" in shown else 0,
            "relevant_messages": len(sent) - recent,
        }
        stated = self._stated_items(after)
        kinds = Counter(str(item.kind) for item in stated)
        pinned = {item.text for item in stated}
        counts["unpinned_decisions"] = sum(" ".join(decision.split()) in words for decision in decisions - pinned)
        return {name: number for name, number in (kinds | counts).items() if number} | {"recent_messages": recent}


def _rule_line(item: CriticalItem) -> str:
    return f"{item.kind}: {item.text}"


def balance_of(before: tuple[BuiltPrompt, PromptSizes], after: tuple[BuiltPrompt, PromptSizes]) -> Balance:
    """Returns what became of the messages and tokens of one prompt in another."""
    sent, sends = (dict(sizes.messages) for _, sizes in (before, after))
    for unrecorded in (sent, sends):
        unrecorded.pop("", None)
    both, gone, again = sent.keys() & sends.keys(), sent.keys() - sends.keys(), sends.keys() - sent.keys()
    return Balance(
        messages=MessageBalance(
            before=len(sent), kept=len(both), summarized=len(gone), restored=len(again), after=len(sends)
        ),
        tokens_before=_token_balance(*before, kept=_sum(sent, both), summarized=_sum(sent, gone)),
        tokens_after=_token_balance(*after, kept=_sum(sends, both), restored=_sum(sends, again)),
    )


def _sum(sizes: dict[str, int], ids: Collection[str]) -> int:
    return sum(sizes[id] for id in ids)


def _token_balance(prompt: BuiltPrompt, sizes: PromptSizes, **messages: int) -> TokenBalance:
    named = {"system": sizes.system, "snapshot": sizes.snapshot, **messages}
    return TokenBalance(total=prompt.tokens, **named, repairs=prompt.tokens - sum(named.values()))


def _words(prompt: BuiltPrompt) -> str:
    return prompt.epoch.snapshot + "\n" + transcript_text(prompt.tail)


def _unescaped_text(message: Message) -> str:
    """Arguments of calls are shown as JSON, where a tab would become a letter of the name behind it."""
    return transcript_text([message]).replace("\\t", " ").replace("\\n", " ")


def _is_in(text: str, words: str) -> bool:
    """Longer texts are quoted by their beginning."""
    return " ".join(text.split())[:40] in words
