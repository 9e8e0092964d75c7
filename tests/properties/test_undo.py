"""A compaction that is taken back gives the same bytes again, whatever happened to other sessions meanwhile."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import clew
from clew.config import CompactionConfig, Config
from clew.domain import Message, Role, Usage
from clew.engine.engine import Engine
from clew.samples import sample
from tests.conftest import HandClock
from tests.effort import THOROUGH
from tests.work import work

MODEL = "claude-sonnet-4-5"
CONFIG = replace(Config(), compaction=replace(CompactionConfig(), background=False))


def measured(steps: int, ratio: float) -> list[Message]:
    """Work whose replies report usage, as a model would that makes ``ratio`` tokens of one of ours."""
    total, out = 1_000.0, []
    for message in work(steps, lines=90):
        total += ratio * sum(len(output.text) for output in message.outputs) / 3
        if message.role is Role.ASSISTANT:
            message = replace(message, model=MODEL, usage=Usage(input_tokens=int(total), output_tokens=50))
        out.append(message)
    return out


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with three sessions, two of which have learned how their model counts."""
    path = tmp_path_factory.mktemp("filled") / "clew.db"
    with clew.open(path, config=CONFIG, clock=HandClock()) as engine:
        for name, ratio in (("one", 1.1), ("two", 1.6)):
            engine.session(name, model=MODEL).record(measured(24, ratio))
        engine.import_file(sample(), session="harbor")
    return path


def copied(filled: Path) -> Engine:
    copy = filled.with_name(f"{uuid4().hex}.db")
    shutil.copy(filled, copy)
    return clew.open(copy, config=CONFIG, clock=HandClock())


def digests(engine: Engine, name: str) -> list[str]:
    packs = [
        engine.find(name).pack("What is next?", budget=budget, target=target, record=False)
        for target, budget in (("anthropic", 6_000), ("openai-chat", 20_000), ("text", 4_000))
    ]
    return [pack.digest for pack in packs]


COMMANDS: dict[str, Callable[[Engine, str], object]] = {
    "pack": lambda engine, name: engine.find(name).pack(budget=9_000, record=False),
    "health": lambda engine, name: engine.find(name).health(),
    "sessions": lambda engine, name: engine.sessions(),
    "preview": lambda engine, name: engine.find(name).compactor.preview("aggressive"),
    "compact another": lambda engine, name: engine.find("two" if name != "two" else "one").compact("chunked"),
    "record in another": lambda engine, name: engine.find("two" if name != "two" else "one").record(
        [replace(message, id="") for message in measured(4, 1.9)]
    ),
    "undo another": lambda engine, name: _undo(engine, "two" if name != "two" else "one"),
    "rebuild another": lambda engine, name: engine.rebuild(engine.find("two" if name != "two" else "one").info),
    "search": lambda engine, name: engine.find(name).search("module dates", kind="message"),
}


def _undo(engine: Engine, name: str) -> None:
    try:
        engine.find(name).undo()
    except clew.ClewError:  # there is nothing to take back
        return


@given(
    st.sampled_from(["one", "two", "harbor"]),
    st.sampled_from(["auto", "summarize", "selective", "chunked", "aggressive"]),
    st.lists(st.sampled_from(sorted(COMMANDS)), max_size=4),
    st.lists(st.sampled_from(sorted(COMMANDS)), max_size=3),
)
@settings(max_examples=6 if THOROUGH else 3, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_undo_gives_the_same_bytes_back(
    filled: Path, name: str, strategy: str, between: list[str], after: list[str]
) -> None:
    with copied(filled) as engine:
        before = digests(engine, name)
        done = engine.find(name).compact(strategy)
        for command in between:
            COMMANDS[command](engine, name)
        if done.undo:
            assert digests(engine, name) != before
            engine.find(name).undo()
        for command in after:
            COMMANDS[command](engine, name)
        assert digests(engine, name) == before


def test_undo_in_an_epoch_gives_the_same_bytes_back(filled: Path) -> None:
    with copied(filled) as engine:
        session = engine.find("one")
        session.pack(None, budget=24_000)
        before = session.pack("What is next?", budget=24_000, record=False)
        session.compact()
        engine.find("two").record(measured(6, 2.0))
        assert engine.find("one").pack(None, budget=24_000).epoch == 2
        engine.find("one").undo()
        assert engine.find("one").pack("What is next?", budget=24_000, record=False).digest == before.digest
