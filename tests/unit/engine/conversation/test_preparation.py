"""Which model is asked where none is named, and limits that allow nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

import clew
from clew.config import Config, ModelsConfig
from clew.engine.conversation.preparation import turn_limits
from clew.errors import UsageError
from clew.models import Scripted
from tests.provider_replies import Says, reply
from tests.provider_server import provider


def test_the_model_of_the_settings_answers_before_the_sessions_own() -> None:
    with provider(lambda path, _: reply(path, Says("hi"), stream=False)) as served:
        models = ModelsConfig(base_url=served.url, model="local/of-the-settings")
        for config, asked in ((models, "of-the-settings"), (replace(models, model=""), "of-the-session")):
            engine = clew.open(":memory:", config=replace(Config(), models=config))
            assert engine.session("s", model="local/of-the-session").ask("hello").text == "hi"
            assert served.requests[-1]["model"] == asked


def test_no_model_one_that_only_writes_summaries_and_empty_limits_are_refused() -> None:
    class Summariser:
        name = "summariser"
        ask = Scripted(["x"]).ask

    session = clew.open(":memory:", config=Config()).session("s")
    with pytest.raises(UsageError, match="no model to ask"):
        session.ask("hello")
    with pytest.raises(UsageError, match="lacks the methods respond and stream"):
        session.ask("hello", model=Summariser())  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="unknown model"):
        session.ask("hello", model="nobody")
    with pytest.raises(UsageError, match="rounds must be 1 or more"):
        session.ask("hello", model="claude-x", rounds=0)
    assert not session.messages()


def test_a_model_that_reads_little_is_asked_for_no_notes() -> None:
    given = {"budget": None, "max_tokens": 100, "rounds": 1, "cancel": None}
    assert [turn_limits(given, Config(), limit=limit).notes for limit in (3_700, 8_000)] == [False, True]
