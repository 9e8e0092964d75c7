"""A broken history made valid, for the prompt view only.

Each rule says what holds after it (``repair``) and where a history may be cut without breaking it
(``safe_cuts``). Rules run in the order of ``RULES``; every change is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from clew.domain import Call, Message, Origin, Output, Part, Reasoning, Repair, Role, Status, Text
from clew.history.pairing import paired, parts_at

Messages = tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """``repair`` gives a history in which the rule holds; ``safe_cuts`` where one may be cut in two."""

    name: str
    repair: Callable[[Messages, list[Repair]], Messages]
    safe_cuts: Callable[[Messages], frozenset[int]]


def normalised(messages: Iterable[Message], *, sealed_after: int | None = None) -> tuple[Messages, tuple[Repair, ...]]:
    """The history with all rules holding, and what was done for it. Valid histories come back unchanged.

    Replies numbered beyond ``sealed_after`` were made from this very history, repairs included.
    """
    history, repairs = tuple(messages), list[Repair]()
    given = history
    for rule in RULES:
        history = rule.repair(history, repairs)
    return without_unbound_reasoning(given, history, repairs, sealed_after), tuple(repairs)


def without_unbound_reasoning(
    given: Messages, history: Messages, repairs: list[Repair], sealed_after: int | None = None
) -> Messages:
    """Sealed reasoning is bound to every byte before it: after the first change, none can be shown again."""
    same = next((at for at, (a, b) in enumerate(zip(given, history, strict=False)) if a is not b), len(given))
    out = list(history[:same])
    for message in history[same:]:
        if sealed_after is not None and message.id and int(message.id[1:]) > sealed_after:
            out.append(message)
            continue
        parts = tuple(part for part in message.parts if not (isinstance(part, Reasoning) and part.seal))
        if len(parts) != len(message.parts):
            repairs.append(Repair("reasoning-bound", _place(message), "sealed reasoning after a repair left out"))
            message = _with_parts(message, parts)
        if parts:
            out.append(message)
    return tuple(out)


def safe_cuts(messages: Sequence[Message]) -> list[int]:
    """Indexes before which a history may be cut: where every rule says so."""
    history = tuple(messages)
    return sorted(frozenset.intersection(*(rule.safe_cuts(history) for rule in RULES)))


def without_calls(messages: Sequence[Message], ids: Collection[str]) -> Messages:
    """The history without these calls and without their outputs: one never goes without the other."""
    kept = []
    for message in messages:
        parts = tuple(part for part in message.parts if _call_id(part) not in ids)
        if len(parts) == len(message.parts):
            kept.append(message)
        elif parts:
            kept.append(_with_parts(message, parts))
    return tuple(kept)


def _call_id(part: Part) -> str | None:
    if isinstance(part, Call):
        return part.id
    return part.call_id if isinstance(part, Output) else None


def _with_parts(message: Message, parts: tuple[Part, ...]) -> Message:
    return replace(message, parts=parts, wire=None)


def _place(message: Message) -> str:
    return message.id or message.role


# ── outputs leave the reply ──────────────────────────────────────────────────────────────────────────


def split_replies(messages: Messages, repairs: list[Repair]) -> Messages:
    """No reply holds the outputs of its own calls: session files that keep both in one are cut into steps."""
    out: list[Message] = []
    for message in messages:
        if message.role is Role.ASSISTANT and any(isinstance(p, Output) and not p.server for p in message.parts):
            out += _steps_of(message)
            repairs.append(
                Repair("outputs-apart", _place(message), "outputs moved out of the reply that asked for them")
            )
        else:
            out.append(message)
    return tuple(out)


def _steps_of(message: Message) -> list[Message]:
    runs: list[tuple[bool, list[Part]]] = []
    for part in message.parts:
        is_output = isinstance(part, Output) and not part.server
        if not runs or runs[-1][0] != is_output:
            runs.append((is_output, []))
        runs[-1][1].append(part)
    return [
        _outputs_message(message, parts) if is_output else _with_parts(message, tuple(parts))
        for is_output, parts in runs
    ]


def _outputs_message(like: Message, parts: Sequence[Part]) -> Message:
    return Message(role=Role.TOOL, origin=Origin.TOOL, parts=tuple(parts), id=like.id, at=like.at, thread=like.thread)


# ── ids and orphans ──────────────────────────────────────────────────────────────────────────────────


def ensure_pairs_match(messages: Messages, repairs: list[Repair]) -> Messages:
    """Every call has an id of its own, and every output that is left answers exactly one call."""
    pairing = paired(messages)
    standing = set(pairing.answer.values())
    wanted: dict[tuple[int, int], Part | None] = {}
    for place, part in parts_at(messages):
        where = _place(messages[place[0]])
        new = pairing.ids.get(place)
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
    touched = {at for at, _ in wanted}
    out = []
    for at, message in enumerate(messages):
        if at not in touched:
            out.append(message)
            continue
        found = (wanted.get((at, position), part) for position, part in enumerate(message.parts))
        parts = tuple(part for part in found if part is not None)
        if parts:
            out.append(_with_parts(message, parts))
    return tuple(out)


# ── outputs stand right after their calls ────────────────────────────────────────────────────────────


def ensure_outputs_follow_calls(messages: Messages, repairs: list[Repair]) -> Messages:
    """After each reply with calls come their outputs, all of them, in the order of the calls."""
    outputs = {part.call_id: part for _, part in parts_at(messages) if isinstance(part, Output)}
    in_place = _steps_in_place(messages)
    last = max((at for at, message in enumerate(messages) if not message.outputs), default=-1)
    moved: set[str] = set()
    out: list[Message] = []
    for at, message in enumerate(messages):
        calls = _client_calls(message)
        if calls and at not in in_place:
            out += [message, _step_outputs(message, outputs, repairs, is_last=at == last)]
            moved.update(call.id for call in calls)
        else:
            rest = tuple(p for p in message.parts if not (isinstance(p, Output) and p.call_id in moved))
            if len(rest) == len(message.parts):
                out.append(message)
            elif rest:
                out.append(_with_parts(message, rest))
    return _without_outputs_before_calls(tuple(out))


def _client_calls(message: Message) -> list[Call]:
    return [part for part in message.parts if isinstance(part, Call) and not part.server]


def _steps_in_place(messages: Messages) -> set[int]:
    """Replies whose outputs already follow them, whole and in order."""
    found = set()
    for at, message in enumerate(messages):
        wanted = [call.id for call in _client_calls(message)]
        if wanted and _following_outputs(messages, at) == wanted:
            found.add(at)
    return found


def _following_outputs(messages: Messages, at: int) -> list[str]:
    """Ids of the outputs in the run of messages right after a reply; texts may only come after them."""
    ids: list[str] = []
    for after in range(at + 1, len(messages)):
        parts = messages[after].parts
        outputs = [part.call_id for part in parts if isinstance(part, Output)]
        in_front = all(isinstance(part, Output) for part in parts[: len(outputs)])
        if messages[after].role is Role.ASSISTANT or not outputs or not in_front:
            break
        ids += outputs
        if len(outputs) < len(parts):
            break
    return ids


def _step_outputs(message: Message, outputs: dict[str, Output], repairs: list[Repair], *, is_last: bool) -> Message:
    """The outputs of one reply as one message; a call without output is answered as aborted.

    A step that nothing follows may still be under way in another process; here it counts as interrupted. Once
    something follows, it is aborted, and stays so however the history grows.
    """
    status = Status.INTERRUPTED if is_last else Status.ABORTED
    missing = [call for call in _client_calls(message) if call.id not in outputs]
    for call in missing:
        repairs.append(Repair("call-answered", _place(message), f"call {call.id} had no output; {status}"))
    if not missing:
        repairs.append(Repair("outputs-follow", _place(message), "outputs moved to right after their calls"))
    found = [outputs.get(call.id) or missing_output(call, status) for call in _client_calls(message)]
    return _outputs_message(message, found)


def missing_output(call: Call, status: Status) -> Output:
    """A stand-in that is the same every time: nothing in it but the call and how it ended."""
    text = f"[no output: the call to {call.name} was {status}]"
    return Output(call_id=call.id, content=(Text(text=text),), status=status, name=call.name)


def _without_outputs_before_calls(messages: Messages) -> Messages:
    """An output that came before its call was copied to its place above; here the early one goes."""
    last = {part.call_id: place for place, part in parts_at(messages) if isinstance(part, Output)}
    early = {
        place: None for place, part in parts_at(messages) if isinstance(part, Output) and last[part.call_id] != place
    }
    return _with_changes(messages, dict(early)) if early else messages


def _cuts_between_steps(messages: Messages) -> frozenset[int]:
    """Cuts that leave no call without its output, and no output without its call."""
    pairing = paired(messages)
    blocked: set[int] = set()
    for call, output in pairing.answer.items():
        low, high = sorted((call[0], output[0]))
        blocked.update(range(low + 1, high + 1))
    open_calls = {
        place[0] for place, part in parts_at(messages) if isinstance(part, Call) and place not in pairing.answer
    }
    return frozenset(range(len(messages) + 1)) - blocked - {at + 1 for at in open_calls if at + 1 < len(messages)}


# ── server tools ─────────────────────────────────────────────────────────────────────────────────────


def ensure_server_pairs(messages: Messages, repairs: list[Repair]) -> Messages:
    """A server tool's call and output stand in one reply, or neither does (an unfinished last reply may wait)."""
    out: list[Message] = []
    for at, message in enumerate(messages):
        lonely = _lonely_server_parts(message)
        if not lonely or (at == len(messages) - 1 and all(isinstance(part, Call) for part in lonely)):
            out.append(message)
            continue
        parts = tuple(part for part in message.parts if not any(part is one for one in lonely))
        repairs.append(Repair("server-pairs", _place(message), f"{len(lonely)} unpaired server tool block(s) left out"))
        if parts:
            out.append(_with_parts(message, parts))
    return tuple(out)


def _lonely_server_parts(message: Message) -> list[Part]:
    asked: set[str] = set()
    answered: set[str] = set()
    lonely: list[Part] = []
    for part in message.parts:
        if isinstance(part, Call) and part.server:
            asked.add(part.id)
        elif isinstance(part, Output) and part.server:
            if part.call_id in asked:
                answered.add(part.call_id)
            else:
                lonely.append(part)
    return lonely + [p for p in message.parts if isinstance(p, Call) and p.server and p.id not in answered]


# ── nothing empty, no reasoning alone ────────────────────────────────────────────────────────────────


def without_empty_texts(messages: Messages, repairs: list[Repair]) -> Messages:
    """No text is blank, and no message is empty."""
    out: list[Message] = []
    for message in messages:
        parts = tuple(part for part in message.parts if not (isinstance(part, Text) and not part.text.strip()))
        if len(parts) == len(message.parts) and parts:
            out.append(message)
            continue
        repairs.append(Repair("no-empty-text", _place(message), "blank text left out"))
        if parts:
            out.append(_with_parts(message, parts))
    return tuple(out)


def without_lone_reasoning(messages: Messages, repairs: list[Repair]) -> Messages:
    """Reasoning goes with what it led to: a reply of nothing else leaves whole, except at the very end."""
    out: list[Message] = []
    for message in messages:
        if message.parts and all(isinstance(part, Reasoning) for part in message.parts):
            repairs.append(Repair("no-lone-reasoning", _place(message), "reasoning that led to nothing left out"))
        else:
            out.append(message)
    return tuple(out)


def _anywhere(messages: Messages) -> frozenset[int]:
    return frozenset(range(len(messages) + 1))


RULES = (
    Rule("outputs-apart", split_replies, _anywhere),
    Rule("server-pairs", ensure_server_pairs, _anywhere),
    Rule("pairs-match", ensure_pairs_match, _cuts_between_steps),
    Rule("outputs-follow", ensure_outputs_follow_calls, _cuts_between_steps),
    Rule("no-empty-text", without_empty_texts, _anywhere),
    Rule("no-lone-reasoning", without_lone_reasoning, _anywhere),
)
