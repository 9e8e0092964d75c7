"""Budgets that are no number of tokens are refused where they are given."""

from __future__ import annotations

from typing import Any

import pytest
from anthropic import Anthropic

import clew
from clew.adapters.openai_agents import FORMAT, Conversation
from clew.adapters.run_sessions import RunSessions
from clew.engine.engine import Engine
from clew.errors import UsageError


@pytest.mark.parametrize("budget", ["x", 0, -1, True, 1.5])
def test_a_wrong_budget_is_refused_at_once(engine: Engine, budget: Any) -> None:
    session = engine.session("s")
    for door in (
        lambda: clew.wrap(Anthropic(api_key="none"), session=session, budget=budget),
        lambda: Conversation(session, format=FORMAT, budget=budget),
        lambda: RunSessions(session, budget=budget, id_name="thread_id"),
    ):
        with pytest.raises(UsageError, match="budget must be a whole number of tokens"):
            door()
