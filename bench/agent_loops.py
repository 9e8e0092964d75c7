"""Agents that work for two hundred steps at a small budget, through each adapter, with a scripted model.

Counted are requests, those that the provider would refuse, what was given and is not in the ledger, and prefixes that
moved within an epoch; and whether the agent knows late what it was told in step 3. Times are CPU of the whole process,
work in the background included, while an adapter recognises, records and packs: for a wrapped client all that it adds
to a call, for a framework all but making objects of the framework's own. Calls that begin an epoch are left out.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from tests.agent_loops.script import AgentRun

import clew
from bench.reference import run_round
from bench.results import Figure
from clew.adapters.calls import ClientCall, ClientCalls
from clew.adapters.conversation import Conversation
from clew.engine.engine import Engine

Loop = Callable[[Engine], AgentRun]

_FORMATS = ("anthropic", "openai-chat", "openai-responses")
#: Where an adapter does its work.
_TIMED = ((ClientCalls, "begin"), (ClientCall, "receive"), (Conversation, "take_turn"))
_REFERENCE_ROUNDS = 9


def run() -> list[Figure]:
    """Every loop whose packages are installed, each in a store of its own."""
    return [figure for name, loop in loops().items() for figure in judge(name, loop)]


def loops() -> dict[str, Loop]:
    """Returns the loops that can be run here, by adapter."""
    found: dict[str, Loop] = {}
    if find_spec("anthropic") and find_spec("openai"):
        from tests.agent_loops.clients import run_client

        for format in _FORMATS:
            found[f"wrap {format}"] = partial(run_client, format=format)
            found[f"wrap {format}, async"] = partial(run_client, format=format, is_async=True)
    if find_spec("langchain"):
        from tests.agent_loops.langchain import run_langchain

        found["LangChain"] = run_langchain
    if find_spec("pydantic_ai"):
        from tests.agent_loops.pydantic_ai import run_pydantic_ai

        found["Pydantic AI"] = run_pydantic_ai
    if find_spec("agents"):
        from tests.agent_loops.openai_agents import run_openai_agents

        found["OpenAI Agents"] = run_openai_agents
    if find_spec("google") and find_spec("google.adk"):
        from tests.agent_loops.google_adk import run_google_adk

        found["Google ADK"] = run_google_adk
    return found


def judge(name: str, loop: Loop) -> list[Figure]:
    """Returns the figures of one loop."""
    with TemporaryDirectory() as home, clew.open(Path(home) / "bench.db") as engine, added_times() as spent:
        before = _round_ms()
        done = loop(engine)
        times = [ms for place, ms in sorted(spent(done).items()) if place not in done.starts]
        lost, reference = len(done.lost()), (before + _round_ms()) / 2
    return [
        Figure(name, "requests", len(done.requests), "", "= 200"),
        Figure(name, "invalid", len(done.invalid), "", "= 0"),
        Figure(name, "lost messages", lost, "", "= 0"),
        Figure(name, "prefix breaks within an epoch", len(done.breaks), f"of {len(done.starts)} epochs", "= 0"),
        Figure(name, "fact of step 3 is known", done.has_answered, "", "= 1"),
        Figure(name, "added to a call, median", median(times), "ms; CPU", "< 10"),
        Figure(name, "added to a call, p95", quantiles(times, n=20)[-1], "ms; CPU"),
        Figure(name, "added to a call, median", median(times) / reference, "reference rounds; CPU"),
    ]


Spent = Callable[[AgentRun], dict[int, float]]


@contextmanager
def added_times() -> Iterator[Spent]:
    """Measures the milliseconds that adapters take, by the place of the request that follows."""
    marks: list[tuple[float, float]] = []
    depth = [0]

    def timed(function: Callable[..., Any]) -> Callable[..., Any]:
        def measured(*args: Any, **kwargs: Any) -> Any:
            depth[0] += 1
            begin, cpu = time.perf_counter(), time.process_time()
            try:
                return function(*args, **kwargs)
            finally:
                depth[0] -= 1
                if not depth[0]:
                    marks.append((begin, (time.process_time() - cpu) * 1000))

        return measured

    def spent(run: AgentRun) -> dict[int, float]:
        found: dict[int, float] = defaultdict(float)
        for begin, ms in marks:
            found[sum(seen <= begin for seen in run.seen_at)] += ms
        return {place: ms for place, ms in found.items() if place < len(run.requests)}

    with ExitStack() as stack:
        for owner, name in _TIMED:
            stack.enter_context(patch.object(owner, name, timed(getattr(owner, name))))
        yield spent


def _round_ms() -> float:
    """CPU of one round of the reference loop."""
    times = []
    for _ in range(_REFERENCE_ROUNDS):
        begin = time.thread_time()
        run_round()
        times.append((time.thread_time() - begin) * 1000)
    return median(times)
