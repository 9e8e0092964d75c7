"""Agents whose model thinks: an upstream that takes the strictest reading refuses none of their requests, though epochs
begin in the middle of their loops."""

from __future__ import annotations

import pytest

import clew

pytest.importorskip("langchain")
pytest.importorskip("pydantic_ai.models.anthropic")

from tests.agent_loops.thinking import LONG, LOOPS, SHORT
from tests.effort import THOROUGH
from tests.strict_upstream import MODES, SAMPLED, Mode, StrictUpstream

#: All ways in a thorough run; else each in one mode, and one in each mode.
PAIRS = (
    [(loop, mode) for loop in LOOPS for mode in MODES]
    if THOROUGH
    else [*((loop, MODES[0]) for loop in LOOPS), *(("session.pack", mode) for mode in SAMPLED[1:])]
)
BINDINGS = (True, False) if THOROUGH else (True,)


@pytest.mark.parametrize("preserved", BINDINGS)
@pytest.mark.parametrize(("loop", "mode"), PAIRS, ids=str)
def test_no_request_of_a_long_loop_is_refused(loop: str, mode: Mode, preserved: bool) -> None:
    upstream = StrictUpstream(mode, preserved)
    with clew.open(":memory:") as engine:
        run = LOOPS[loop](engine, upstream, LONG if THOROUGH else SHORT)
        assert (upstream.refused, upstream.requests) == ([], run.work.steps)
        assert (run.breaks, run.lost(), run.has_answered) == ([], [], True)
    assert len(run.starts) >= 4
    if mode.name != "unstated-unknown-model":  # of which `check` says the strictest: that it may be off
        assert run.invalid == []
