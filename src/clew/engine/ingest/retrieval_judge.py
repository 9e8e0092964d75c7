"""The judge of retrieval: says of each unit that was retrieved for a reply whether the reply used it.

It judges when the turn ends: with a reply that calls nothing, with the next request, or after so many messages. Its
judgement is one entry of the ledger, and everything that is made of it can be made again.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from clew.domain import EntryKind, Json, Message, RetrievedUnit, Role
from clew.domain.ids import BlobId, ChunkId, MessageId, SegmentId, SpanId, parse_id
from clew.engine.epochs.prompt_log import PromptLog
from clew.engine.ingest.open_retrievals import OpenRetrieval, OpenRetrievals
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.read.handed_out import HandoutMemory
from clew.engine.read.reader import SessionReader
from clew.history.user_requests import is_request
from clew.retrieval.use_evidence import Evidence, find_evidence

#: Messages after which a turn that goes on is judged: what is taken up later may come from anywhere.
_MOST_MESSAGES = 60
#: Messages that are looked at for a word.
_LOOKED_AT = 2_000
_KINDS = {MessageId: "message", SegmentId: "segment", SpanId: "segment", BlobId: "blob", ChunkId: "chunk"}


@dataclass(frozen=True, slots=True)
class Recorded:
    """What was just recorded: whether a person asked something, whether a reply ends its turn, and whether a caller
    said so, who may have been handed something.
    """

    request: bool = False
    end: bool = False
    by_caller: bool = False


class RetrievalJudge:
    """Judges the replies of one session."""

    def __init__(
        self, ledger: SessionLedger, reader: SessionReader, log: PromptLog, handouts: HandoutMemory | None = None
    ) -> None:
        self._ledger, self._reader, self._handouts = ledger, reader, handouts or HandoutMemory()
        self._open = OpenRetrievals(ledger, reader, log)

    def judge(self, recorded: Recorded) -> None:
        """Writes what the turn used of what was retrieved for it, if the turn has ended and anything was."""
        waiting = self._open.waiting()
        handed = self._handouts.current if recorded.by_caller else None
        places = [after for _, _, after in waiting] + ([handed.after] if handed and handed.units else [])
        last = self._ledger.info.messages
        if not places or not (recorded.request or recorded.end or last - min(places) > _MOST_MESSAGES):
            return
        messages = self._reader.read_prompt_view(min(places) + 1, last, shared=True)
        judged = [(retrieval, _turn(messages, retrieval, ended=recorded.end)) for retrieval in self._open.load(waiting)]
        if handed and handed.units:
            since = [message for message in messages if message.number > handed.after]
            retrieval = self._open.handed_out(handed, since)
            judged.append((retrieval, _turn(messages, retrieval, ended=recorded.end)))
        closed = [(retrieval, turn) for retrieval, turn in judged if turn is not None]
        if closed:
            self._write(closed)

    def _write(self, closed: Sequence[tuple[OpenRetrieval, Sequence[Message]]]) -> None:
        units: dict[str, Json] = {}
        for retrieval, turn in closed:
            used = self._used_units(retrieval, turn)
            for unit in retrieval.units:
                row = _as_json(unit, used.get(unit.id))
                if unit.id not in units or "used" in row:
                    units[unit.id] = row
            if retrieval.name is None:
                self._handouts.take()
        names = [list(retrieval.name) for retrieval, _ in closed if retrieval.name]
        if units or names:
            row = {"feedback": list(units.values()), "closes": names}
            self._ledger.append(EntryKind.FEEDBACK, row, project=False)

    def _used_units(self, retrieval: OpenRetrieval, turn: Sequence[Message]) -> dict[str, Evidence]:
        """The units that any reply of the turn shows to have been used. Each saw what came before it."""
        used: dict[str, Evidence] = {}
        is_talk = not self._reader.uses_tools()
        for reply in turn:
            left = [unit for unit in retrieval.units if unit.id not in used]
            if not left:
                break

            def new(words: Set[str], before: int = reply.number) -> dict[str, int]:
                return self._new(words, retrieval, before=before)

            used |= find_evidence(reply, left, new, is_talk=is_talk)
        return used

    def _new(self, words: Set[str], retrieval: OpenRetrieval, *, before: int) -> dict[str, int]:
        """Words that the rest of the prompt before a message does not have, and how many messages have each."""
        totals = dict.fromkeys(words - retrieval.standing, 0)
        for posting in self._ledger.find_words(list(totals), _LOOKED_AT):
            if any(n < before and n not in retrieval.hidden and retrieval.sees(n) for n in posting.numbers):
                del totals[posting.word]
            else:
                totals[posting.word] = posting.total
        return totals


def _turn(messages: Sequence[Message], retrieval: OpenRetrieval, *, ended: bool) -> list[Message] | None:
    """The replies that had the units before them, if the turn is over; None while it goes on."""
    replies: list[Message] = []
    for message in messages:
        if message.number <= retrieval.after or message.thread:
            continue
        if replies and is_request(message):
            return replies
        if message.role is Role.ASSISTANT:
            replies.append(message)
    is_long = bool(messages) and messages[-1].number - retrieval.after > _MOST_MESSAGES
    return replies if replies and (ended or is_long) else None


def _as_json(unit: RetrievedUnit, evidence: Evidence | None) -> Json:
    """What is written of a unit. One that was asked for by id and not used says nothing of a ranking."""
    row: Json = {"id": unit.id, "kind": _KINDS.get(type(parse_id(unit.id)), "other")}
    if unit.ranked and (evidence or not unit.asked):
        row["ranked"] = unit.ranked
    if evidence:
        row |= {"used": evidence.by} | ({"names": list(evidence.names)} if evidence.names else {})
    return row
