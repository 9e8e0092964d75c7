"""Agents whose model thinks: an upstream that takes the strictest reading refuses none of their requests, though epochs
begin in the middle of their loops."""

from __future__ import annotations

import pytest

import clew

pytest.importorskip("langchain_openai")
pytest.importorskip("agents")
pytest.importorskip("pydantic_ai.models.anthropic")

from tests.agent_loops.script import AgentRun, Work
from tests.agent_loops.thinking import LONG, LOOPS, OTHER_LOOPS, SHORT, Loop
from tests.effort import THOROUGH
from tests.strict_reasoning import REASONING, upstream
from tests.strict_upstream import MODES, SAMPLED, Mode, StrictUpstream, Upstream

#: All ways in a thorough run, 200 steps of one of them and 40 of the others; else some in one mode, and one in each
#: mode that has broken before.
_SOME = ("wrap", "wrap, async streaming", "langchain", "pydantic_ai")
PAIRS = (
    [(loop, mode) for loop in LOOPS for mode in MODES]
    if THOROUGH
    else [*((loop, MODES[0]) for loop in _SOME), *(("session.pack", mode) for mode in SAMPLED)]
)
BINDINGS = (True, False) if THOROUGH else (True,)
#: Pydantic AI sends no reasoning back that is only stored: a strict provider refuses it without Clew as well.
OTHERS = [
    (name, loop)
    for name, (kind, _) in REASONING.items()
    for loop in OTHER_LOOPS[kind.format]
    if (name, loop) != ("responses, stored", "pydantic_ai")
]
QUICK = [("responses, sealed", "session.pack"), ("responses, sealed", "pydantic_ai"), ("deepseek", "session.pack")]


@pytest.mark.parametrize("preserved", BINDINGS)
@pytest.mark.parametrize(("loop", "mode"), PAIRS, ids=str)
def test_no_request_of_a_long_loop_is_refused(loop: str, mode: Mode, preserved: bool) -> None:
    is_long = THOROUGH and loop == "session.pack" and preserved
    run = _works(LOOPS[loop], StrictUpstream(mode, preserved=preserved), LONG if is_long else SHORT)
    assert (run.breaks, len(run.starts) >= (4 if is_long else 1)) == ([], True)


@pytest.mark.parametrize(("name", "loop"), OTHERS if THOROUGH else [*QUICK, ("gemini", "session.pack")])
def test_no_request_with_reasoning_of_another_provider_is_refused(name: str, loop: str) -> None:
    asked = upstream(name)
    run = _works(OTHER_LOOPS[asked.format][loop], asked, SHORT)
    assert (run.breaks_in_turns, len(run.starts) >= 1) == ([], True)


def _works(loop: Loop, asked: Upstream, work: Work) -> AgentRun:
    with clew.open(":memory:") as engine:
        run: AgentRun = loop(engine, asked, work)
        assert (asked.refused, asked.requests) == ([], run.work.steps)
        assert (run.invalid, run.lost(), run.has_answered) == ([], [], True)
        return run
