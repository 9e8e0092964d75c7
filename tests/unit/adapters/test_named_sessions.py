"""Sessions by name: one engine for the user's own store, closed when the process ends."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

import clew
from clew.adapters.named_sessions import session_of

CLOSES = """
from clew.adapters.named_sessions import session_of
import atexit, clew.adapters.named_sessions as named
first, second = session_of("a"), session_of("b")
first.record([__import__("clew").user("Hello.")])
engine, = named._engines.values()
atexit._run_exitfuncs()
try:
    engine.session("a").messages()
except __import__("clew").ClewError as error:
    print(error)
"""


def test_one_engine_serves_all_names_and_closes_with_the_process(tmp_path: Path) -> None:
    environment = {"CLEW_STORE": str(tmp_path / "own.db"), "PYTHONPATH": ":".join(sys.path), "HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", CLOSES], env=environment, capture_output=True, text=True, check=True)
    assert "has been closed" in done.stdout


def test_an_asynchronous_session_is_taken_and_its_engine_is_not() -> None:
    async def ask() -> None:
        async with clew.open_async(":memory:") as engine:
            session = await engine.session("s")
            assert session_of(session) is session
            with pytest.raises(clew.ClewError, match="AsyncEngine is no session"):
                session_of(engine)

    asyncio.run(ask())


def test_a_session_that_is_named_is_that_of_a_user() -> None:
    assert session_of("talk", "ana").key.user == "ana"
    assert session_of("talk").key.user == "default"
