"""Search over conversations of two published sets: are the turns found that bear the answer, and kept in a small pack.

Half of the conversations was used to settle the weights of the ranking; the figures of the other half stand apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import mean
from typing import Any

import clew
from bench.data import folder
from bench.results import Figure
from clew.codecs import jsonio
from clew.config import Config, ModelsConfig
from clew.domain import Message, Origin, Role, Text
from clew.engine.session import Session
from clew.signals.learned.encoder import is_installed

#: A pack of this share of the conversation's tokens.
_PACK_SHARE = 0.1
_LEAST_BUDGET = 1_000
#: Questions of a conversation that are packed: each builds a pack anew.
_PACKED = 40
_SEGMENTS, _QUERIES = 100_000, 20
#: Which conversations settled the weights, by their places.
_TUNED: dict[str, Callable[[int], bool]] = {"locomo": lambda at: at < 3, "beam": lambda at: at % 2 == 0}
_GOALS = {
    ("locomo", 5): ">= 0.72",
    ("locomo", 10): ">= 0.82",
    ("beam", 10): ">= 0.55",
    ("locomo", "pack"): ">= 0.9",
    ("beam", "pack"): ">= 0.75",
}


@dataclass(frozen=True, slots=True)
class Turn:
    id: str
    speaker: str
    text: str
    role: Role
    at: float | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    turns: Sequence[Turn]
    questions: Sequence[tuple[str, tuple[str, ...]]]


def run() -> list[Figure]:
    """Recall by words alone and with vectors where they can be made, evidence in packs, and speed."""
    figures: list[Figure] = []
    sets: dict[str, Callable[[Path], Iterator[Conversation]]] = {"locomo": _locomo, "beam": _beam}
    for name, read in sets.items():
        home = folder(name)
        if home is None:
            figures.append(Figure(f"retrieval {name}", "conversations", 0, "no data"))
            continue
        conversations = list(read(home))
        is_tuned = _TUNED[name]
        halves = {
            "tuned on": [talk for at, talk in enumerate(conversations) if is_tuned(at)],
            "held out": [talk for at, talk in enumerate(conversations) if not is_tuned(at)],
        }
        for with_vectors in [False, *([True] if is_installed() else [])]:
            for half, chosen in halves.items():
                figures += _figures(name, f"{'fused' if with_vectors else 'words'}, {half}", chosen, with_vectors)
    return [*figures, *speed()]


def _figures(name: str, how: str, conversations: Sequence[Conversation], with_vectors: bool) -> Iterator[Figure]:
    measured = [one for talk in conversations for one in measure(talk, with_vectors=with_vectors)]
    for at, k in enumerate((5, 10)):
        value = mean(one[at] for one in measured)
        yield Figure(f"retrieval {name}", f"recall@{k} ({how})", value, "", _GOALS.get((name, k), ""))
    kept = [one[2] for one in measured if one[2] is not None]
    yield Figure(f"retrieval {name}", f"kept in 10 % ({how})", mean(kept), "", _GOALS[name, "pack"])


def measure(talk: Conversation, *, with_vectors: bool) -> list[tuple[float, float, float | None]]:
    """Of each question: recall at 5 and at 10, and, of some, the share of the evidence that a pack holds."""
    config = Config(models=ModelsConfig(embedder="auto" if with_vectors else "none"))
    with clew.open(":memory:", config=config) as engine:
        session = engine.session("talk")
        session.record([_message(turn) for turn in talk.turns])
        engine.wait()
        places = {turn.id: f"m{number}" for number, turn in enumerate(talk.turns, 1)}
        budget = max(_LEAST_BUDGET, int(session.reader.tokens() * _PACK_SHARE))
        step = max(1, len(talk.questions) // _PACKED)
        return [
            _measured(session, question, [places[one] for one in evidence], budget if at % step == 0 else 0)
            for at, (question, evidence) in enumerate(talk.questions)
        ]


def _measured(session: Session, question: str, evidence: list[str], budget: int) -> tuple[float, float, float | None]:
    found = [match.id for match in session.search(question, limit=10, kind="message")]
    recalls = [sum(one in found[:k] for one in evidence) / len(evidence) for k in (5, 10)]
    if not budget:
        return recalls[0], recalls[1], None
    text = _squeezed(session.pack(question, budget=budget, target="text", record=False).text)
    kept = [_squeezed(session.messages(one)[0].text)[:200] in text for one in evidence]
    return recalls[0], recalls[1], mean(kept)


def _squeezed(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip()


def _message(turn: Turn) -> Message:
    origin = Origin.PERSON if turn.role is Role.USER else Origin.MODEL
    text = f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text
    return Message(role=turn.role, origin=origin, at=turn.at, parts=(Text(text=text),))


# ── the sets ─────────────────────────────────────────────────────────────────────────────────────────


def _locomo(home: Path) -> Iterator[Conversation]:
    for talk in jsonio.loads((home / "locomo.json").read_bytes()):
        said = talk["conversation"]
        turns = [
            Turn(
                id=turn["dia_id"],
                speaker=turn["speaker"],
                text=turn["text"] + (f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""),
                role=Role.USER if turn["speaker"] == said["speaker_a"] else Role.ASSISTANT,
                at=_time(said.get(f"session_{number}_date_time", "")),
            )
            for number in range(1, 100)
            for turn in said.get(f"session_{number}", [])
        ]
        known = {turn.id for turn in turns}
        asked = ((one["question"], re.findall(r"D\d+:\d+", " ".join(one.get("evidence", [])))) for one in talk["qa"])
        yield Conversation(turns, list(_answerable(asked, known)))


def _beam(home: Path) -> Iterator[Conversation]:
    for place in sorted((home / "100K").iterdir(), key=lambda one: int(one.name)):
        turns = [
            Turn(str(turn["id"]), "", turn["content"], Role(turn["role"]))
            for batch in jsonio.loads((place / "chat.json").read_bytes())
            for group in batch["turns"]
            for turn in group
        ]
        known = {turn.id for turn in turns}
        questions = jsonio.loads((place / "probing_questions.json").read_bytes())
        asked = (
            (one["question"], [str(id) for id in _numbers(one.get("source_chat_ids"))])
            for kind in questions.values()
            for one in kind
        )
        yield Conversation(turns, list(_answerable(asked, known)))


def _answerable(asked: Iterator[tuple[str, list[str]]], known: set[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for question, evidence in asked:
        if there := tuple(one for one in dict.fromkeys(evidence) if one in known):
            yield question, there


def _numbers(value: Any) -> list[int]:
    if isinstance(value, dict | list):
        return [one for inner in (value.values() if isinstance(value, dict) else value) for one in _numbers(inner)]
    return [value] if isinstance(value, int) else []


def _time(text: str) -> float | None:
    try:
        return datetime.strptime(text + " +0000", "%I:%M %p on %d %B, %Y %z").timestamp()
    except ValueError:
        return None


# ── speed ────────────────────────────────────────────────────────────────────────────────────────────


def speed(segments: int = _SEGMENTS) -> list[Figure]:
    """One session of many segments: search by words and fused, and what indexing a message adds to recording it."""
    from bench.retrieval_speed import search_seconds

    words, fused, indexing = search_seconds(segments, queries=_QUERIES)
    found = [
        Figure("retrieval speed", f"search by words, {segments:,} segments", words * 1000, "ms", "< 30"),
        Figure("retrieval speed", "indexing one message", indexing * 1000, "ms", "< 2"),
    ]
    if fused is not None:
        found.insert(1, Figure("retrieval speed", "search fused", fused * 1000, "ms", "< 60"))
    return found
