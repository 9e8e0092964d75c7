"""What we send is valid: any history, however broken, for every provider."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import rules
from clew.codecs import registry
from clew.domain import Json, Message
from clew.errors import BudgetExceeded
from clew.history.repair.rules import repair_history, safe_cuts
from tests.effort import examples
from tests.properties.strategies import histories
from tests.strict_upstream import MODES, Mode


@pytest.mark.parametrize("provider", registry.PROVIDERS)
@given(histories)
@settings(max_examples=examples(150), deadline=None)
def test_any_history_becomes_a_valid_request(provider: str, history: list[Message]) -> None:
    messages, _ = repair_history(history)
    request = registry.encoder(provider).encode(messages)
    body, _ = rules.repair(request.body, provider)
    assert rules.check(body, provider) == []


@pytest.mark.parametrize("provider", registry.PROVIDERS)
@given(histories, st.sampled_from(MODES), st.booleans())
@settings(max_examples=examples(30), deadline=None)
def test_any_history_becomes_a_valid_pack_at_every_budget(
    provider: str, history: list[Message], mode: Mode, is_told: bool
) -> None:
    """In every mode of thinking, told or not. That it is off after some thinking has to be told, and that it is
    demanded where nothing may have been thought.
    """
    has_to_know = is_told or mode.is_off or mode.demands
    told = {"thinking": mode.settings.get("thinking", {}), "model": mode.model} if has_to_know else {}
    with clew.open(":memory:") as engine:
        session = engine.session("s")
        session.record(history)
        for budget in (120, 400, 1_000, 50_000):
            with suppress(BudgetExceeded):
                pack = session.pack(budget=budget, target=provider, **told)
                built: Any = pack.body  # of an empty history, no request can be made of it
                body = mode.whole(built) if provider == "anthropic" else built
                assert rules.check(body, provider) == []
                assert pack.tokens <= budget
                assert first_role(body, provider) in {"user", "tool", None}


def first_role(body: Json, provider: str) -> str | None:
    """Of the first message; for providers that take a reply there as well it does not matter."""
    items = body[registry.MESSAGE_LISTS[provider]]
    return items[0]["role"] if items and provider in {"anthropic", "gemini"} else None


@given(histories)
@settings(max_examples=examples(150), deadline=None)
def test_normalising_twice_changes_nothing_more(history: list[Message]) -> None:
    once, _ = repair_history(history)
    assert repair_history(once) == (once, ())


@given(histories)
@settings(max_examples=examples(100), deadline=None)
def test_no_word_of_a_person_is_lost_by_normalising(history: list[Message]) -> None:
    def said(messages: list[Message]) -> list[str]:
        return [text for m in messages if m.role == "user" for text in m.text.split("\n") if text.strip()]

    assert said(list(repair_history(history)[0])) == said(history)


@given(histories, st.data())
@settings(max_examples=examples(100), deadline=None)
def test_a_safe_cut_leaves_both_sides_as_they_were(history: list[Message], data: st.DataObject) -> None:
    messages, _ = repair_history(history)
    at = data.draw(st.sampled_from(safe_cuts(messages)))
    assert repair_history(messages[:at])[0] == messages[:at]
    assert repair_history(messages[at:])[0] == messages[at:]
