"""Which output answers which call, in a history where anything may have gone wrong."""

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
class Pairing:
    """``ids`` has the id that each call and each paired output should carry; outputs not in it are orphans.

    ``answer`` leads from a call's place to that of the output that stands for it.
    """

    ids: dict[Place, str] = field(default_factory=dict)
    answer: dict[Place, Place] = field(default_factory=dict)


def parts_at(messages: Sequence[Message]) -> Iterator[tuple[Place, Call | Output]]:
    """Calls and outputs that a client runs, with their places; those of server tools stay where they are."""
    for at, message in enumerate(messages):
        for position, part in enumerate(message.parts):
            if isinstance(part, Call | Output) and not part.server:
                yield (at, position), part


def paired(messages: Sequence[Message]) -> Pairing:
    """Pairs in one pass.

    An output belongs to the nearest call before it with its id that has none yet; failing that it is a
    second output of that call; failing that it came too early and waits for a call to come. A call whose
    id was used before gets a new one, derived from it.
    """
    pairing = Pairing()
    calls: dict[str, list[Place]] = defaultdict(list)
    early: dict[str, list[Place]] = defaultdict(list)
    outputs: dict[Place, list[Place]] = defaultdict(list)
    taken = {part.id for _, part in parts_at(messages) if isinstance(part, Call)}
    for place, part in parts_at(messages):
        if isinstance(part, Call):
            new = part.id if not calls[part.id] else _free_id(part.id, len(calls[part.id]) + 1, taken)
            pairing.ids[place] = new
            outputs[place] += early.pop(part.id, [])
            calls[part.id].append(place)
        elif calls[part.call_id]:
            outputs[_asker(calls[part.call_id], outputs)].append(place)
        else:
            early[part.call_id].append(place)
    for call, places in outputs.items():
        if places:
            pairing.answer[call] = _standing(messages, places)
            pairing.ids.update(dict.fromkeys(places, pairing.ids[call]))
    return pairing


def _free_id(id: str, count: int, taken: set[str]) -> str:
    while (candidate := f"{id}_{count}") in taken:
        count += 1
    taken.add(candidate)
    return candidate


def _asker(calls: list[Place], outputs: dict[Place, list[Place]]) -> Place:
    return next((call for call in reversed(calls) if not outputs[call]), calls[-1])


def _standing(messages: Sequence[Message], places: list[Place]) -> Place:
    """The last real output; where there is none, the last."""
    real = [place for place in places if _status(messages, place) in _REAL]
    return (real or places)[-1]


def _status(messages: Sequence[Message], place: Place) -> Status:
    part = messages[place[0]].parts[place[1]]
    return part.status if isinstance(part, Output) else Status.ABORTED
