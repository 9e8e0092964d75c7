"""What an adapter remembers from call to call saves work and changes nothing: the requests of a handle that has served
every call are byte for byte those of one that has just been opened, with every cache empty.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.adapters.conversation import Conversation
from clew.config import CompactionConfig, Config
from clew.rules import check
from clew.rules.thinking_modes import thinking_mode
from clew.text.memo import forget_all
from tests.effort import examples, first
from tests.provider_replies import Says
from tests.strict_upstream import MODES, Mode, StrictUpstream

BUDGET = 2_500
_WORDS = st.text(alphabet="abc é\n`", min_size=1, max_size=30).map(lambda text: f"word {text}")
_SAYS = st.tuples(st.just("says"), _WORDS, st.integers(1, 30))
_CALLS = st.tuples(st.just("calls"), _WORDS, st.integers(1, 30))
#: What the model does in each step: it says something, or calls a tool with an output of so many lines.
steps = st.lists(st.one_of(_SAYS, _CALLS, _CALLS), min_size=4, max_size=24)


def answer(
    at: int, step: tuple[str, str, int], thoughts: list[dict[str, Any]]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """A reply, and what the caller sends next."""
    kind, words, lines = step
    if kind == "says":
        said = {"type": "text", "text": words}
        return {"role": "assistant", "content": [*thoughts, said]}, _message(
            "user", f"Go on after {at}: {words * lines}"
        )
    use = {"type": "tool_use", "id": f"call {at % 11}", "name": "look", "input": {"path": words}}
    output = "\n".join(f"line {line} of {words}" for line in range(lines))
    result = {"type": "tool_result", "tool_use_id": use["id"], "content": output}
    return {"role": "assistant", "content": [*thoughts, use]}, {"role": "user", "content": [result]}


def _message(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


@pytest.mark.parametrize("target", first(["anthropic", "openai-chat"]))
@given(steps, st.sampled_from(MODES), st.booleans())
@settings(max_examples=examples(8), deadline=None)
def test_a_handle_that_served_every_call_sends_what_a_new_one_would(
    target: str, steps: list[tuple[str, str, int]], mode: Mode, preserved: bool
) -> None:
    """In every mode of thinking; an upstream that takes the strictest reading would refuse none of the requests."""
    upstream, thinking = StrictUpstream(mode, preserved=preserved), thinking_mode(mode.whole({}))
    config = Config(compaction=CompactionConfig(background=False))
    with clew.open(":memory:", config=config) as engine:
        conversation = Conversation(engine.session("s"), format="anthropic", budget=BUDGET)
        messages = [_message("user", "Look at every file.")]
        for at, step in enumerate(steps):
            pack = conversation.pack(messages, model=mode.model, thinking=thinking)
            about = {"budget": BUDGET, "target": target, "model": mode.model, "thinking": thinking}
            warm = conversation.session.pack(**about)
            forget_all()
            cold = engine.session("s").pack(record=False, **about)
            assert (warm.request(), warm.epoch) == (cold.request(), cold.epoch)
            assert check(warm.request(), target, final=True) == []
            body = mode.whole(pack.request())
            upstream.requests += 1
            assert list(upstream.faults(body)) == []
            reply, following = answer(at, step, list(upstream.thoughts(body, Says())))
            conversation.reply(reply)
            messages += [reply, following]
