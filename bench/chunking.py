"""Chunking: of the characters that answer a question, how many are in what a turn would be given, and how many of those
given answer it. All corpora stand in one library; half of them were looked at while sizes and floor were chosen.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean

import clew
from bench.data import folder
from bench.late_encoder import LateEncoder
from bench.results import Figure
from clew.config import Config, ModelsConfig
from clew.engine.engine import Engine
from clew.engine.knowledge.chooser import KnowledgeChooser
from clew.knowledge.layout import layout
from clew.ports import Embedder
from clew.signals.learned.encoder import is_installed

#: Corpora that sizes and floor were mostly chosen by; figures of the others were seen on the way.
TUNED = frozenset({"state_of_the_union", "chatlogs"})
_ROOM = 1_000_000
_RECALL_GOAL, _PRECISION_GOAL = ">= 0.93", ">= 0.08"

Spans = dict[str, set[int]]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the corpus that answers it, and the places of the characters that do."""

    text: str
    corpus: str
    places: frozenset[int]


@dataclass(frozen=True, slots=True)
class Answer:
    """How one question was served."""

    corpus: str
    recall: float
    precision: float
    tokens: int


def run() -> Iterator[Figure]:
    """Measures the set ``chunking``; nothing without it."""
    home = folder("chunking")
    if home is None:
        return
    yield from measure(home, Config(models=ModelsConfig(embedder="none")), how="words")
    if is_installed():
        yield from measure(home, Config(models=ModelsConfig(embedder="encoder")), how="fused")
        yield from measure(home, Config(), how="fused, late chunking", embedder=LateEncoder())


def measure(home: Path, config: Config, *, how: str, embedder: Embedder | None = None) -> Iterator[Figure]:
    """Figures of all questions, and of each half of the corpora; by an embedder in place of that of the settings."""
    questions = read_questions(home / "questions.csv")
    with clew.open(":memory:", config=config) as opened:
        services = replace(opened.services, embedders=OneEmbedder(embedder)) if embedder else opened.services
        engine = Engine(opened._ledgers, services)
        engine.knowledge.add(*sorted(home.glob("*.md")))
        engine.wait()
        answers = [serve(engine, one) for one in questions]
    most = config.knowledge.turn_tokens
    yield from figures(answers, f"{how}, all", goals=True)
    yield from figures([one for one in answers if one.corpus in TUNED], f"{how}, tuned half")
    yield from figures([one for one in answers if one.corpus not in TUNED], f"{how}, other half")
    tokens = [one.tokens for one in answers]
    yield Figure("chunking", f"tokens given, at most ({how})", max(tokens), "tokens", f"<= {most}")
    yield Figure("chunking", f"tokens given, mean ({how})", mean(tokens), "tokens")


@dataclass(frozen=True, slots=True)
class OneEmbedder:
    """The only embedder there is."""

    embedder: Embedder

    def current(self) -> Embedder:
        return self.embedder

    def named(self, name: str) -> Embedder | None:
        return self.embedder if name == self.embedder.name else None


def figures(answers: Collection[Answer], name: str, *, goals: bool = False) -> Iterator[Figure]:
    """Recall and precision, each the mean over questions."""
    if not answers:
        return
    goal, other = (_RECALL_GOAL, _PRECISION_GOAL) if goals else ("", "")
    yield Figure("chunking", f"recall ({name})", mean(one.recall for one in answers), "", goal)
    yield Figure("chunking", f"precision ({name})", mean(one.precision for one in answers), "", other)


def read_questions(path: Path) -> list[Question]:
    """The questions of a set, with what answers them."""
    with path.open(encoding="utf-8", newline="") as file:
        return [_question(row) for row in csv.DictReader(file)]


def _question(row: dict[str, str]) -> Question:
    spans = [(one["start_index"], one["end_index"]) for one in json.loads(row["references"])]
    places = frozenset(at for start, end in spans for at in range(start, end))
    return Question(row["question"], row["corpus_id"], places)


def serve(engine: Engine, question: Question) -> Answer:
    """What a turn with this question would be given."""
    chooser = KnowledgeChooser(lambda: engine.knowledge, engine.services)
    chosen = chooser.choose(question.text, sent=(), room=_ROOM, count=engine.count, shown=layout())
    given: Spans = {}
    tokens = 0
    for id in chosen.sources if chosen else ():
        chunk = next(one for one in engine.knowledge.chunks(id.rpartition("#")[0]) if one.id == id)
        given.setdefault(chunk.module, set()).update(range(chunk.start, chunk.end))
        tokens += chunk.tokens
    right = len(given.get(question.corpus, set()) & question.places)
    size = sum(map(len, given.values()))
    return Answer(question.corpus, right / len(question.places), right / size if size else 0.0, tokens)
