"""Five hundred steps through the gateway: valid, small, with a prefix that stands still, and nothing out of reach."""

from __future__ import annotations

import pytest

import clew
from tests.agent_loops.clients import run_client
from tests.agent_loops.script import FACT_QUESTION, Work, assert_all_went_well
from tests.strict_upstream import MODES, Mode, StrictUpstream

pytestmark = [pytest.mark.thorough, pytest.mark.stores("memory")]
LOOP = Work(steps=500, budget=6_000)


def run_loop(format: str, mode: Mode | None = None) -> None:
    with clew.open(":memory:", settings={"gateway.max_tokens": LOOP.budget}) as engine:
        upstream = StrictUpstream(mode) if mode else None
        run = run_client(engine, format, work=LOOP, upstream=upstream, by_gateway=True, streams=format == "anthropic")
        assert upstream is None or upstream.refused == []
        assert_all_went_well(run)
        looked = [f"src/part_{step}.py" for step in range(5, LOOP.steps, 23)]
        assert [path for path in looked if not _is_found(run.session, path, path)] == []
        assert _is_found(run.session, FACT_QUESTION, "tangerine-42")


def _is_found(session: clew.Session, query: str, words: str) -> bool:
    """Whether what was said can be searched for and read in full."""
    return any(words in session.recall(one.id)[0].text for one in session.search(query, limit=3, kind="message"))


@pytest.mark.parametrize("format", ["openai-chat", "openai-responses"])
def test_five_hundred_steps_stay_valid_small_and_within_reach(format: str) -> None:
    run_loop(format)


@pytest.mark.parametrize("mode", [MODES[0], MODES[3]], ids=str)
def test_so_do_five_hundred_that_think(mode: Mode) -> None:
    run_loop("anthropic", mode)
