"""Critical items: are labelled standing instructions and wishes found, how much else is, and how fast."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

import clew
from bench.data import CACHE, folder, transcripts
from bench.results import Figure
from clew.codecs import jsonio
from clew.domain import Message, Origin, Role, Text
from clew.domain.critical import Candidate, CriticalItem, ItemKind, ItemState
from clew.domain.ids import message_id, message_number
from clew.signals.critical.candidates import find_candidates
from clew.signals.critical.merge import merge_candidate

_GROUP = "critical"
_INSTRUCTIONS, _WISHES = "instruction_following", "preference_following"
#: What counts as a standing rule beside the labelled turns.
_RULE = re.compile(r"(?:^|[.!?:]\s+)(?:always|never)\s+[a-z]+|\bi prefer\b", re.IGNORECASE)
_PASTE_CHARS, _ROUNDS = 100_000, 5


@dataclass(frozen=True, slots=True)
class Talk:
    """One labelled conversation: a person's turns by id, and the turns that state an instruction or a wish."""

    turns: dict[int, str]
    instructions: frozenset[int]
    wishes: frozenset[int]


def run() -> list[Figure]:
    return [*label_figures(), *alarm_figures(), *speed_figures()]


# ── labelled conversations ───────────────────────────────────────────────────────────────────────────


def label_figures() -> list[Figure]:
    """A turn is found if an item in force comes from it; an item is right if its turn is labelled, or it is a rule."""
    talks = list(_talks())
    if not talks:
        return [Figure(_GROUP, "labelled conversations", 0, "no data")]
    heard = [(talk, _pinned(talk)) for talk in talks]
    items = [(talk, item) for talk, pinned in heard for item in pinned]
    right = [item for talk, item in items if _is_right(talk, item)]
    return [
        Figure(_GROUP, "labelled conversations", len(talks)),
        Figure(
            _GROUP, "instructions found", _recall([(talk.instructions, pinned) for talk, pinned in heard]), "", ">= 0.9"
        ),
        Figure(_GROUP, "preferences found", _recall([(talk.wishes, pinned) for talk, pinned in heard]), "", ">= 0.8"),
        Figure(_GROUP, "precision", len(right) / len(items), f"of {len(items)} items", ">= 0.75"),
    ]


def _talks() -> Iterator[Talk]:
    home = folder("beam")
    for path in sorted(home.glob("*/*/chat.json")) if home else []:
        batches = jsonio.loads(path.read_bytes())
        turns = [turn for batch in batches for exchange in batch["turns"] for turn in exchange]
        asked = jsonio.loads((path.parent / "probing_questions.json").read_bytes())
        labels = {
            kind: {id for one in asked[kind] for id in one["source_chat_ids"]} for kind in (_INSTRUCTIONS, _WISHES)
        }
        yield Talk(
            turns={turn["id"]: turn["content"] for turn in turns if turn["role"] == "user"},
            instructions=frozenset(labels[_INSTRUCTIONS]),
            wishes=frozenset(labels[_WISHES]),
        )


def _pinned(talk: Talk) -> list[CriticalItem]:
    """The items of a conversation that were ever in force, with those that a later word took the place of. What people
    are is none of the labels.
    """
    items: dict[str, CriticalItem] = {}
    for id, text in talk.turns.items():
        for candidate in find_candidates(_said(text, message_id(id))):
            items |= {item.id: item for item in merge_candidate(list(items.values()), candidate)}
    return [
        item for item in items.values() if item.state is not ItemState.PROPOSED and item.kind is not ItemKind.CUSTOM
    ]


def _recall(pairs: list[tuple[frozenset[int], list[CriticalItem]]]) -> float:
    got = sum(
        len(gold & {message_number(id) for item in items for id in (item.source, *item.repeats)})
        for gold, items in pairs
    )
    return got / sum(len(gold) for gold, _ in pairs)


def _is_right(talk: Talk, item: CriticalItem) -> bool:
    return message_number(item.source) in talk.instructions | talk.wishes or _RULE.search(item.text) is not None


def _said(text: str, id: str = "") -> Message:
    return Message(role=Role.USER, origin=Origin.PERSON, parts=(Text(text=text),), id=id)


# ── real work ────────────────────────────────────────────────────────────────────────────────────────


def alarm_figures() -> list[Figure]:
    """What people said in coding sessions that would be pinned: few, and every one is in ``.bench/alarms.txt``."""
    said = dict.fromkeys(message.text for path in transcripts() for message in _people(path))
    found_in = {
        text: [one for one in find_candidates(_said(text)) if not one.doubtful and not one.lifts] for text in said
    }
    lines = [_line(one) for found_here in found_in.values() for one in found_here]
    CACHE.mkdir(exist_ok=True)
    (CACHE / "alarms.txt").write_text("".join(f"{line}\n" for line in lines))
    return [
        Figure(_GROUP, "messages of people", len(said)),
        Figure(_GROUP, "pinned per 100 of them", 100 * len(lines) / len(said), "right and wrong"),
    ]


def _people(path: Path) -> list[Message]:
    with clew.open(":memory:") as engine:
        sessions = [engine.find(report.session) for report in engine.import_file(path, project=False)]
        views = [session.reader.history().record_view() for session in sessions]
    return [message for view in views for message in view if message.origin is Origin.PERSON and message.text.strip()]


def _line(one: Candidate) -> str:
    return f"{one.kind} ({one.scope}): {one.text}"


# ── speed ────────────────────────────────────────────────────────────────────────────────────────────


def speed_figures() -> list[Figure]:
    typical = "The login fails since yesterday, can you look at it? Please always add a test for what you fix."
    paste = "\n".join(f"line {n}: we never keep what you should always prefer from now on" for n in range(2_000))
    return [
        Figure(_GROUP, "a message", _milliseconds(typical), "ms", "< 1"),
        Figure(_GROUP, "a paste of 100 KB", _milliseconds(paste[:_PASTE_CHARS]), "ms", "< 50"),
    ]


def _milliseconds(text: str) -> float:
    message = _said(text)
    best = float("inf")
    for number in range(_ROUNDS):
        fresh = replace(message, parts=(Text(text=f"{text} {number}"),))
        began = perf_counter()
        find_candidates(fresh)
        best = min(best, perf_counter() - began)
    return 1000 * best
