"""Pairs calls with outputs, in a history where anything may have gone wrong."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from clew.domain import Call, Message, Output, Status

#: A part's place: index of the message, index in its parts.
Place = tuple[int, int]

#: Outputs that a tool itself gave; a stand-in gives way to them.
_REAL = {Status.SUCCESS, Status.FAILED}


@dataclass(slots=True)
class CallPairs:
    """The pairs of a history.

    ``ids`` has the id that each call and each paired output should carry; outputs not in it are orphans. ``answer``
    maps the place of a call to the place of the output that answers it.
    """

    ids: dict[Place, str] = field(default_factory=dict)
    answer: dict[Place, Place] = field(default_factory=dict)


def client_parts(messages: Sequence[Message]) -> Iterator[tuple[Place, Call | Output]]:
    """Yields the calls and outputs of tools that a client runs, with their places; server tools are left alone."""
    for at, message in enumerate(messages):
        for position, part in enumerate(message.parts):
            if isinstance(part, Call | Output) and not part.server:
                yield (at, position), part


def pair_calls(messages: Sequence[Message]) -> CallPairs:
    """Pairs calls with outputs in one pass.

    An output belongs to the nearest call before it with its id that has none yet; failing that it is a
    second output of that call; failing that it came too early and waits for a call to come. A call whose
    id was used before gets a new one, derived from it.
    """
    pairs = CallPairs()
    calls: dict[str, list[Place]] = defaultdict(list)
    early: dict[str, list[Place]] = defaultdict(list)
    outputs: dict[Place, list[Place]] = defaultdict(list)
    taken = {part.id for _, part in client_parts(messages) if isinstance(part, Call)}
    for place, part in client_parts(messages):
        if isinstance(part, Call):
            new = part.id if not calls[part.id] else _free_id(part.id, len(calls[part.id]) + 1, taken)
            pairs.ids[place] = new
            outputs[place] += early.pop(part.id, [])
            calls[part.id].append(place)
        elif calls[part.call_id]:
            outputs[_waiting_call(calls[part.call_id], outputs)].append(place)
        else:
            early[part.call_id].append(place)
    for call, places in outputs.items():
        if places:
            pairs.answer[call] = _answer_of(messages, places)
            pairs.ids.update(dict.fromkeys(places, pairs.ids[call]))
    return pairs


def _free_id(id: str, count: int, taken: set[str]) -> str:
    while (candidate := f"{id}_{count}") in taken:
        count += 1
    taken.add(candidate)
    return candidate


def _waiting_call(calls: list[Place], outputs: dict[Place, list[Place]]) -> Place:
    return next((call for call in reversed(calls) if not outputs[call]), calls[-1])


def _answer_of(messages: Sequence[Message], places: list[Place]) -> Place:
    """The last real output; where there is none, the last."""
    real = [place for place in places if _status(messages, place) in _REAL]
    return (real or places)[-1]


def _status(messages: Sequence[Message], place: Place) -> Status:
    part = messages[place[0]].parts[place[1]]
    return part.status if isinstance(part, Output) else Status.ABORTED
