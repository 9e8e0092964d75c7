"""The budget is a hard cap: the least that an error names works, and much less does not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import rules
from clew.codecs import registry
from clew.codecs.providers import anthropic_blocks
from clew.domain import Message, Part
from clew.errors import BudgetExceeded
from tests.builders import call, gives, output, says, user
from tests.effort import examples, first
from tests.strict_upstream import MODES, Mode

#: A larger story may quote what else would stand beside it, so a little less than what is named may do.
SLACK_TOKENS = 48

words = st.integers(1, 120).map(lambda count: " ".join(f"quay_{n % 17} holds" for n in range(count)))
exchanges = st.lists(st.tuples(words, words, st.booleans()), min_size=1, max_size=6)
TOOL = {"name": "Read", "description": "Reads a file.", "input_schema": {"type": "object"}}


#: What a model has thought before it calls.
ANTHROPIC_THINKING = (anthropic_blocks.read_part({"type": "thinking", "thinking": "So.", "signature": "s" * 90}),)


def talk(found: list[tuple[str, str, bool]], *, is_open: bool, thoughts: tuple[Part, ...] = ()) -> list[Message]:
    out: list[Message] = []
    for at, (asked, said, uses_tool) in enumerate(found):
        out.append(user(f"Request {at}: {asked}"))
        if uses_tool:
            out += [
                says(*thoughts, call(f"c{at}", "Read", file_path=f"src/quay_{at}.py")),
                gives(output(f"c{at}", said)),
            ]
        out.append(says(f"Done: {said}"))
    return [*out, user("Look."), says(*thoughts, call("open", "Read", file_path="src/last.py"))] if is_open else out


@pytest.mark.parametrize("target", first(["text", *registry.PROVIDERS], 3))
@given(
    found=exchanges,
    query=st.one_of(st.none(), words),
    system=st.sampled_from([None, "Be brief. " * 12]),
    has_pin=st.booleans(),
    is_open=st.booleans(),
    record=st.booleans(),
    mode=st.sampled_from(MODES),
)
@settings(max_examples=examples(8), deadline=None)
def test_the_least_that_is_named_works_and_much_less_does_not(
    target: str,
    found: list[tuple[str, str, bool]],
    query: str | None,
    system: str | None,
    *,
    has_pin: bool,
    is_open: bool,
    record: bool,
    mode: Mode,
) -> None:
    thinks = ANTHROPIC_THINKING if mode.thinks(0) else ()
    with clew.open(":memory:") as engine:
        session = engine.session("s")
        session.record(talk(found, is_open=is_open, thoughts=thinks), system=system, tools=[TOOL] if system else None)
        if has_pin:
            session.pin("Never push to the main branch of the harbor", kind="constraint")
        kind, tool = ("tool_response", "open") if is_open and query else ("user_query", None)

        def pack(budget: int) -> clew.Pack:
            how = {
                "kind": kind,
                "tool_id": tool,
                "record": record,
                "thinking": mode.settings.get("thinking", {}),
                "model": mode.model,
            }
            return session.pack(query, budget=budget, target=target, **how)

        with pytest.raises(BudgetExceeded) as caught:
            pack(20)
        least = sum(caught.value.needed.values())
        with pytest.raises(BudgetExceeded):
            pack(max(least - SLACK_TOKENS, 1))
        made = pack(least)
        assert made.tokens <= least
        if target != "text":
            body = mode.whole(made.request()) if target == "anthropic" else made.request()
            assert rules.check(body, target) == []
        for budget in (least + 1, least + 37, 2 * least):
            assert pack(budget).tokens <= budget


def test_a_short_request_is_named_without_the_long_report_it_replies_to() -> None:
    report = " ".join(f"quay_{n % 17} holds" for n in range(30))
    with clew.open(":memory:") as engine:
        session = engine.session("s")
        session.record(talk([("quay_0 holds", report, False)], is_open=True))
        with pytest.raises(BudgetExceeded) as caught:
            session.pack(budget=20, target="gemini")
        least = sum(caught.value.needed.values())
        with pytest.raises(BudgetExceeded):
            session.pack(budget=least - SLACK_TOKENS, target="gemini")
        assert session.pack(budget=least, target="gemini").tokens <= least


def test_a_compaction_by_hand_names_the_least_that_works() -> None:
    with clew.open(":memory:") as engine:
        session = engine.session("s")
        session.record(talk([("rename it", "words " * 80, True)] * 8, is_open=False), system="Be brief. " * 12)
        for budget in (5, 150):
            with pytest.raises(BudgetExceeded) as caught:
                session.compactor.preview(budget=budget)
            assert caught.value.budget == budget
        session.compact(budget=sum(caught.value.needed.values()))
