"""Hidden turns: what a model was told and said that its client never saw. It stands with the session, and is sent again
in its place, byte for byte, until the epoch ends.

A row belongs to a reply as the client has it, and is named by a hash of all that was said up to there. So it is found
by any process, in a branch of the session too, and not found once the client says something else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from typing import Any

import orjson

from clew.adapters.alignment import GivenMessages, GivenRecord, KnownList, Outline
from clew.codecs.joined_reply import without_lone_reasoning
from clew.domain import Role, SessionKey
from clew.gateway.list_names import chain
from clew.gateway.own_list import without_thoughts
from clew.ports import Store

#: Where the store keeps them, among the rows of a session.
_SPACE = "gateway"
_OFFER, _REPLY, _RESPONSE, _LOST, _ENDED = "offer", "reply/", "response/", "lost/", "ended"
#: What names a block or item of thinking, in each API; some clients leave ids out.
_SEALS = ("signature", "data", "encrypted_content", "id")


@dataclass(frozen=True, slots=True)
class Offer:
    """What a session's model is offered from its first request on: to ``retrieve`` parts of the session, and to write
    ``notes`` behind its replies.
    """

    retrieve: bool = False
    notes: bool = False

    @property
    def is_any(self) -> bool:
        """True where something is offered."""
        return self.retrieve or self.notes


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenTurn:
    """What stands in the place of a reply: ``items`` of a request, and ``results`` that the next message of the client
    begins with. ``tokens`` is what results took, and ``epoch`` that of the pack they were sent in. ``response`` is the
    id of the reply as the client has it, where a request may go on from that.
    """

    items: list[Any]
    results: list[Any] = field(default_factory=list)
    epoch: int = 0
    tokens: int = 0
    response: str = ""


class HiddenTurns:
    """The hidden turns of one session."""

    def __init__(self, store: Store, key: SessionKey) -> None:
        self._store, self._key = store, key

    def offer(self) -> Offer | None:
        """Returns what the session's model is offered; None in a session that began without."""
        found = self._store.row(self._key, _SPACE, _OFFER)
        return Offer(**orjson.loads(found)) if found else None

    def begin(self, offer: Offer) -> None:
        """Notes what is offered from the first request on."""
        self._store.put_rows(self._key, _SPACE, {_OFFER: orjson.dumps(asdict(offer))})

    def put(self, outlines: Sequence[Outline], turn: HiddenTurn, *, newest: str = "") -> None:
        """Notes what is behind the last reply of a conversation. A request that goes on from its response goes on from
        the ``newest`` one of the turn.
        """
        found = list(_reply_names(outlines))
        if found:
            rows = {_row_name(turn.epoch, found[-1][0]): orjson.dumps(asdict(turn))}
            if turn.response:
                rows[_RESPONSE + turn.response] = orjson.dumps([newest, turn.results])
            self._store.put_rows(self._key, _SPACE, rows)

    def end_epochs(self, outlines: Sequence[Outline], *, before: int, hidden: str) -> None:
        """Deletes what was ``hidden`` by calls of a tool in a conversation's epochs before one: nothing of it is sent
        again unless a compaction is taken back, and then the replies of those epochs go without.
        """
        stored = self._store.rows(self._key, _SPACE, start=_REPLY, stop=_row_name(before))
        names = {name for name, _ in _reply_names(outlines)} if stored else set()
        ended = {name: HiddenTurn(**orjson.loads(row)) for name, row in stored if name.rpartition("/")[2] in names}
        if not ended:
            return
        for turn in ended.values():
            self.lose(one for one in turn.items if one not in without_lone_reasoning(turn.items, hidden))
        gone = [*ended, *(_RESPONSE + turn.response for turn in ended.values() if turn.response)]
        self._store.put_rows(self._key, _SPACE, {_ENDED: orjson.dumps(before), **dict.fromkeys(gone)})

    def is_taken_back(self, epoch: int) -> bool:
        """Returns True where what was hidden in an epoch, or before it, is gone: thinking may be bound to it."""
        found = self._store.row(self._key, _SPACE, _ENDED)
        return found is not None and epoch < orjson.loads(found)

    def lose(self, thoughts: Iterable[Any]) -> None:
        """Notes thinking of a turn that broke off: its client may have it, and what it was bound to is gone."""
        if rows := {_LOST + name: b"" for one in thoughts if (name := _thought_name(one))}:
            self._store.put_rows(self._key, _SPACE, rows)

    def without_lost(self, items: Sequence[Any]) -> list[Any]:
        """Returns the items of a request without thinking that was lost."""
        lost = {name for name, _ in self._store.rows(self._key, _SPACE, start=_LOST, stop=_LOST + "~")}
        if not lost:
            return list(items)
        return without_thoughts(items, lambda thought: _LOST + _thought_name(thought) in lost)

    def behind(self, response: str) -> tuple[str, list[Any]]:
        """Returns the id of the response that a client's stands for, and the results that a request begins with which
        goes on from it.
        """
        found = self._store.row(self._key, _SPACE, _RESPONSE + response)
        newest, results = orjson.loads(found) if found else (response, [])
        return newest, results

    def find(self, outlines: Sequence[Outline], *, epoch: int | None) -> dict[int, HiddenTurn]:
        """Returns the hidden turns of a conversation, by the place of their reply among all replies, from the end; of
        one ``epoch``, or all of them.
        """
        start = _REPLY if epoch is None else _row_name(epoch)
        stored = self._store.rows(self._key, _SPACE, start=start, stop=start + "~")
        if not stored:
            return {}
        rows = {name.rpartition("/")[2]: row for name, row in stored}
        names = enumerate(name for name, _ in reversed(list(_reply_names(outlines))))
        return {at: HiddenTurn(**orjson.loads(rows[name])) for at, name in names if name in rows}


def _thought_name(thought: Any) -> str:
    seal = next((str(thought[name]) for name in _SEALS if thought.get(name)), "")
    return blake2b(seal.encode(), digest_size=16).hexdigest() if seal else ""


def _row_name(epoch: int, name: str = "") -> str:
    return f"{_REPLY}{epoch:09d}/{name}"


def with_hidden_turns(
    items: Sequence[Any],
    format: str,
    turns: Mapping[int, HiddenTurn],
    outlines: Sequence[Outline],
    *,
    known: Mapping[str, KnownList],
) -> list[Any]:
    """Returns the items of a request with hidden turns in the places of their replies. ``outlines`` are of the
    conversation that they were found in, and ``known`` has what need not be decoded again.
    """
    places = _places(GivenMessages(items, format, known=known.get(format)).as_known().records, outlines)
    made = list(items)
    for at, (first, last) in sorted(places.items()):  # from the end, so that places before it stay
        if at in turns:
            made[first:] = [*turns[at].items, *with_results(made[last + 1 :], turns[at].results, format)]
    return made


def with_results(items: Sequence[Any], results: Sequence[Any], format: str) -> list[Any]:
    """Returns items that begin with results; for one API these stand in the user's own message."""
    if not results:
        return list(items)
    first = items[0] if items else None
    if format != "anthropic" or not isinstance(first, dict) or first.get("role") != "user":
        return [*results, *items]
    content = first.get("content")
    own = [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ())
    return [first | {"content": [*(block for one in results for block in one["content"]), *own]}, *items[1:]]


def _places(records: Sequence[GivenRecord], outlines: Sequence[Outline]) -> dict[int, tuple[int, int]]:
    """Where the replies of a conversation stand in a list of items: first and last, by their place from the end. Of
    replies that say the same, the newest is the newest.
    """
    given: defaultdict[tuple[bytes, ...], list[tuple[int, int]]] = defaultdict(list)
    for group in _replies((one.outline, one) for one in records):
        given[_marks(one.outline for one in group)].append((group[0].place, group[-1].place))
    found: dict[int, tuple[int, int]] = {}
    for at, (_, marks) in enumerate(reversed(list(_reply_names(outlines)))):
        if given[marks]:
            found[at] = given[marks].pop()
    return found


def _reply_names(outlines: Sequence[Outline]) -> Iterator[tuple[str, tuple[bytes, ...]]]:
    """The name of each reply, and its marks."""
    begun = b""
    for group in _groups((one, one) for one in outlines):
        begun = chain(begun, group)
        if group[0].role is Role.ASSISTANT and (marks := _marks(group)):
            yield begun.hex(), marks


def _replies(pairs: Iterable[tuple[Outline, GivenRecord]]) -> Iterator[list[GivenRecord]]:
    for group in _groups(pairs):
        if group[0].outline.role is Role.ASSISTANT and _marks(one.outline for one in group):
            yield group


def _groups(pairs: Iterable[tuple[Outline, Any]]) -> Iterator[list[Any]]:
    """What one side says before the other does. Words of the system are of no side."""
    group: list[Any] = []
    side: bool | None = None
    for outline, value in pairs:
        if outline.role is Role.SYSTEM:
            continue
        is_reply = outline.role is Role.ASSISTANT
        if group and is_reply is not side:
            yield group
            group = []
        side = is_reply
        group.append(value)
    if group:
        yield group


def _marks(outlines: Iterable[Outline]) -> tuple[bytes, ...]:
    return tuple(mark for one in outlines for mark in one.marks)
