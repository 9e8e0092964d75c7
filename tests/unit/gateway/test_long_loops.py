"""Five hundred steps through the gateway: valid, small, with a prefix that stands still, and nothing out of reach."""

from __future__ import annotations

import pytest

import clew
from tests.agent_loops.clients import run_client
from tests.agent_loops.script import FACT_QUESTION, Work, assert_all_went_well

pytestmark = [pytest.mark.thorough, pytest.mark.stores("memory")]
LOOP = Work(steps=500, budget=6_000)


def _is_found(session: clew.Session, query: str, words: str) -> bool:
    """Whether what was said can be searched for and read in full."""
    return any(words in session.recall(one.id)[0].text for one in session.search(query, limit=3, kind="message"))


@pytest.mark.parametrize("format", ["anthropic", "openai-chat", "openai-responses"])
def test_five_hundred_steps_stay_valid_small_and_within_reach(format: str) -> None:
    with clew.open(":memory:", settings={"gateway.max_tokens": LOOP.budget}) as engine:
        run = run_client(engine, format, work=LOOP, by_gateway=True)
        assert_all_went_well(run)
        looked = [f"src/part_{step}.py" for step in range(5, LOOP.steps, 23)]
        assert [path for path in looked if not _is_found(run.session, path, path)] == []
        assert _is_found(run.session, FACT_QUESTION, "tangerine-42")
