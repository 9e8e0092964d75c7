"""Rules about calls and outputs: ids match one to one, and outputs directly follow the calls they answer. Pairs are
found in a history where anything may have gone wrong.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from clew.domain import Call, Message, Origin, Output, Part, Reasoning, Repair, Role, Status, Text
from clew.history.repair.base import Messages, message_label, with_parts

#: A part's place: index of the message, index in its parts.
Place = tuple[int, int]

#: Outputs that a tool itself gave; a stand-in gives way to them.
_REAL = {Status.SUCCESS, Status.FAILED}


# ── each part in a message of its own side ───────────────────────────────────────────────────────────


def split_sides(messages: Messages, repairs: list[Repair]) -> Messages:
    """Splits messages that hold what another side says: outputs in the reply that asked for them, as some session
    files keep them, and calls or reasoning outside a reply.
    """
    out: list[Message] = []
    for message in messages:
        if all(_side_of(part, message) is message.role or _is_shared(part, message) for part in message.parts):
            out.append(message)
            continue
        out += _steps_of(message)
        text = "outputs moved out of the reply that asked for them"
        if message.role is not Role.ASSISTANT:
            text = "calls or reasoning moved into a reply of their own"
        repairs.append(Repair("outputs-apart", message_label(message), text))
    return tuple(out)


def _side_of(part: Part, message: Message) -> Role:
    if isinstance(part, Call | Reasoning) or (isinstance(part, Output) and part.server):
        return Role.ASSISTANT
    return Role.TOOL if isinstance(part, Output) else message.role


def _is_shared(part: Part, message: Message) -> bool:
    """Outputs may stand in a message of the user."""
    return isinstance(part, Output) and not part.server and message.role is not Role.ASSISTANT


def _steps_of(message: Message) -> list[Message]:
    runs: list[tuple[Role, list[Part]]] = []
    for part in message.parts:
        side = _side_of(part, message)
        if not runs or runs[-1][0] is not side:
            runs.append((side, []))
        runs[-1][1].append(part)
    return [_of_side(message, side, tuple(parts)) for side, parts in runs]


def _of_side(message: Message, side: Role, parts: tuple[Part, ...]) -> Message:
    if side is message.role:
        return with_parts(message, parts)
    if side is Role.TOOL:
        return _outputs_message(message, parts)
    return replace(with_parts(message, parts), role=side, origin=Origin.MODEL)


def _outputs_message(like: Message, parts: Sequence[Part]) -> Message:
    return Message(role=Role.TOOL, origin=Origin.TOOL, parts=tuple(parts), id=like.id, at=like.at, thread=like.thread)


# ── ids and orphans ──────────────────────────────────────────────────────────────────────────────────


def ensure_pairs_match(messages: Messages, repairs: list[Repair]) -> Messages:
    """Gives every call an id of its own, and removes outputs without a call and second outputs of the same call."""
    pairs = pair_calls(messages)
    standing = set(pairs.answer.values())
    wanted: dict[tuple[int, int], Part | None] = {}
    for place, part in client_parts(messages):
        where = message_label(messages[place[0]])
        new = pairs.ids.get(place)
        if isinstance(part, Call):
            if new is not None and new != part.id:
                wanted[place] = replace(part, id=new)
                repairs.append(Repair("unique-ids", where, f"call id {part.id} was used before; renamed {new}"))
        elif new is None:
            wanted[place] = None
            repairs.append(Repair("no-orphans", where, f"output for unknown call {part.call_id} left out"))
        elif place not in standing:
            wanted[place] = None
            repairs.append(Repair("one-output", where, f"second output for call {part.call_id} left out"))
        elif new != part.call_id:
            wanted[place] = replace(part, call_id=new)
    return _with_changes(messages, wanted)


def _with_changes(messages: Messages, wanted: dict[tuple[int, int], Part | None]) -> Messages:
    touched = {index for index, _ in wanted}
    out = []
    for index, message in enumerate(messages):
        if index not in touched:
            out.append(message)
            continue
        replaced = (wanted.get((index, position), part) for position, part in enumerate(message.parts))
        parts = tuple(part for part in replaced if part is not None)
        if parts:
            out.append(with_parts(message, parts))
    return tuple(out)


# ── outputs stand right after their calls ────────────────────────────────────────────────────────────


def ensure_outputs_follow_calls(messages: Messages, repairs: list[Repair]) -> Messages:
    """Puts the outputs of all calls of a reply directly after it, in the order of the calls;
    missing ones are made up.
    """
    outputs = {part.call_id: part for _, part in client_parts(messages) if isinstance(part, Output)}
    in_place = _steps_in_place(messages)
    moved: set[str] = set()
    out: list[Message] = []
    for index, message in enumerate(messages):
        calls = _client_calls(message)
        if calls and index not in in_place:
            out += [message, _step_outputs(message, outputs, repairs)]
            moved.update(call.id for call in calls)
        else:
            rest = tuple(p for p in message.parts if not (isinstance(p, Output) and p.call_id in moved))
            if len(rest) == len(message.parts):
                out.append(message)
            elif rest:
                out.append(with_parts(message, rest))
    return _without_outputs_before_calls(tuple(out))


def _client_calls(message: Message) -> list[Call]:
    return [part for part in message.parts if isinstance(part, Call) and not part.server]


def _steps_in_place(messages: Messages) -> set[int]:
    """Replies whose outputs already follow them, whole and in order."""
    indexes = set()
    for index, message in enumerate(messages):
        wanted = [call.id for call in _client_calls(message)]
        if wanted and _following_outputs(messages, index) == wanted:
            indexes.add(index)
    return indexes


def _following_outputs(messages: Messages, index: int) -> list[str]:
    """Ids of the outputs in the run of messages right after a reply; texts may only come after them."""
    ids: list[str] = []
    for after in range(index + 1, len(messages)):
        parts = messages[after].parts
        outputs = [part.call_id for part in parts if isinstance(part, Output)]
        in_front = all(isinstance(part, Output) for part in parts[: len(outputs)])
        if messages[after].role is Role.ASSISTANT or not outputs or not in_front:
            break
        ids += outputs
        if len(outputs) < len(parts):
            break
    return ids


def _step_outputs(message: Message, outputs: dict[str, Output], repairs: list[Repair]) -> Message:
    """The outputs of one reply as one message; a call without output is answered as aborted."""
    missing = [call for call in _client_calls(message) if call.id not in outputs]
    for call in missing:
        repairs.append(
            Repair("call-answered", message_label(message), f"call {call.id} had no output; {Status.ABORTED}")
        )
    if not missing:
        repairs.append(Repair("outputs-follow", message_label(message), "outputs moved to right after their calls"))
    answers = [outputs.get(call.id) or missing_output(call) for call in _client_calls(message)]
    return _outputs_message(message, answers)


def missing_output(call: Call) -> Output:
    """Returns the stand-in for a missing output. It depends on the call alone, so it is the same every time."""
    text = f"[no output: the call to {call.name} was {Status.ABORTED}]"
    return Output(call_id=call.id, content=(Text(text=text),), status=Status.ABORTED, name=call.name)


def _without_outputs_before_calls(messages: Messages) -> Messages:
    """An output that came before its call was copied to its place above; here the early one goes."""
    last = {part.call_id: place for place, part in client_parts(messages) if isinstance(part, Output)}
    early = {
        place: None
        for place, part in client_parts(messages)
        if isinstance(part, Output) and last[part.call_id] != place
    }
    return _with_changes(messages, dict(early)) if early else messages


def cuts_between_steps(messages: Messages) -> frozenset[int]:
    """Returns the cuts that leave no call without its output, and no output without its call."""
    parts = list(client_parts(messages))
    answer = _pair_parts(messages, parts).answer
    blocked = {place[0] + 1 for place, part in parts if isinstance(part, Call) and place not in answer}
    blocked.discard(len(messages))
    for call, output in answer.items():
        low, high = sorted((call[0], output[0]))
        blocked.update(range(low + 1, high + 1))
    return frozenset(range(len(messages) + 1)) - blocked


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
    for index, message in enumerate(messages):
        for position, part in enumerate(message.parts):
            if isinstance(part, (Call, Output)) and not part.server:  # a union would be made anew for each
                yield (index, position), part


def pair_calls(messages: Sequence[Message]) -> CallPairs:
    """Pairs calls with outputs in one pass.

    An output belongs to the nearest call before it with its id that has none yet; failing that it is a
    second output of that call; failing that it came too early and waits for a call to come. A call whose
    id was used before gets a new one, derived from it.
    """
    return _pair_parts(messages, list(client_parts(messages)))


def _pair_parts(messages: Sequence[Message], parts: Sequence[tuple[Place, Call | Output]]) -> CallPairs:
    pairs = CallPairs()
    calls: dict[str, list[Place]] = defaultdict(list)
    early: dict[str, list[Place]] = defaultdict(list)
    outputs: dict[Place, list[Place]] = defaultdict(list)
    taken = {part.id for _, part in parts if isinstance(part, Call)}
    for place, part in parts:
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
    if len(places) == 1:
        return places[0]
    real = [place for place in places if _status(messages, place) in _REAL]
    return (real or places)[-1]


def _status(messages: Sequence[Message], place: Place) -> Status:
    part = messages[place[0]].parts[place[1]]
    return part.status if isinstance(part, Output) else Status.ABORTED
