"""What `clew.open` takes: settings by name, a function as summariser; what is of a wrong kind is refused at once."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import clew
from clew.errors import UsageError


def test_settings_are_given_by_name() -> None:
    given = {"compaction.target_tokens": 20_000, "packing": {"summaries": 3}, "packing.query_share": 0.1}
    with clew.open(":memory:", settings=given) as engine:
        config = engine.session("s").config
    assert (config.compaction.target_tokens, config.packing.summaries, config.packing.query_share) == (20_000, 3, 0.1)


def test_settings_beat_a_given_configuration() -> None:
    with clew.open(":memory:", config=clew.Config(tenant="t"), settings={"packing.summaries": 3}) as engine:
        assert (engine.session("s").config.tenant, engine.session("s").config.packing.summaries) == ("t", 3)


def test_an_asynchronous_engine_takes_them_too() -> None:
    async def work() -> int:
        async with clew.open_async(":memory:", settings={"packing.summaries": 3}) as engine:
            return (await engine.session("s")).config.packing.summaries

    assert asyncio.run(work()) == 3


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"settings": {"compaction.target_tokns": 1}}, "did you mean compaction.target_tokens?"),
        ({"settings": {"target_tokens": 1}}, "did you mean compaction.target_tokens?"),
        ({"settings": {"compaction.target_tokens": "many"}}, "must be of type int"),
        ({"settings": {"compaction": 7}}, "must be a table"),
        ({"settings": ["compaction"]}, "settings must be a mapping"),
        ({"settings": {7: 7}}, "settings must be a mapping"),
        ({"settings": {"models.embedder": "magic"}}, "unknown embedder 'magic'"),
        ({"config": {}}, "config is a dict"),
        ({"store": 7}, "store is a int"),
        ({"model": "gpt-5"}, "model is a str"),
        ({"summariser": "gpt-5"}, "summariser is a str"),
    ],
)
def test_what_is_wrong_is_refused_at_the_call(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told.replace("?", r"\?")):
        clew.open(**({"store": ":memory:"} | wrong))


def long_session(engine: clew.Engine) -> clew.Session:
    session = engine.session("s")
    talk = [(clew.user(f"Question {n}? {'why ' * 80}"), clew.assistant(f"Answer {n}. {'so ' * 80}")) for n in range(30)]
    session.record([message for pair in talk for message in pair])
    return session


def test_a_function_writes_the_summary() -> None:
    asked: list[str] = []

    def summarise(text: str) -> str:
        asked.append(text)
        return "The person asked thirty questions, Question 0? to Question 29?, and each was answered."

    with clew.open(":memory:", summariser=summarise) as engine:
        done = long_session(engine).compact(strategy="summarize", budget=3_000)
    assert asked
    assert "Question 3?" in "\n".join(asked)
    assert done.rung == "full"


def test_a_function_that_fails_costs_nothing_but_an_event() -> None:
    def fails(text: str) -> str:
        raise RuntimeError("no more paper")

    told: list[Any] = []
    with clew.open(":memory:", summariser=fails) as engine:
        engine.on("compaction.degraded", told.append)
        done = long_session(engine).compact(strategy="summarize", budget=3_000)
    assert "no more paper" in str(told)
    assert done.saved_tokens > 0


def test_a_package_brings_a_summariser_in(tmp_path: Path) -> None:
    """In a process of its own, as an installed package is found."""
    about = tmp_path / "harbour-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: harbour\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[clew.summarisers]\nharbour = harbour:make\n")
    (tmp_path / "harbour.py").write_text("def make(config):\n    return lambda text: 'All boats are in.'\n")
    code = """
        from clew.config import ModelsConfig
        from clew.models import model_for
        from clew.ports import ModelRequest
        print(model_for("harbour", ModelsConfig()).ask(ModelRequest("", "How many?", 10), seconds=9).text)
    """
    path = os.pathsep.join([str(tmp_path), *sys.path])
    command = [sys.executable, "-c", dedent(code)]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=True)
    assert done.stdout == "All boats are in.\n"
