"""What a model is told can be done, and is short."""

from __future__ import annotations

import pytest

from clew.domain import Housekeeping
from clew.replies.instructions import reply_instructions
from clew.replies.parsing import parse_reply
from clew.replies.values import RetrievalRequest
from clew.tokens import tokenizer_for


def blocks(text: str) -> str:
    """The examples in a text of instructions, as a model would repeat them."""
    lines = text.splitlines()
    inside = False
    found = []
    for line in lines:
        inside = inside or line.startswith("<clew-")
        found += [line] if inside else []
        inside = inside and not line.startswith("</clew-")
    return "\n".join(found)


def test_a_model_that_repeats_the_examples_is_understood():
    reply = parse_reply("Done.\n\n" + blocks(reply_instructions(2000)))
    assert (reply.content, reply.findings) == ("Done.", ())
    assert reply.requests == (RetrievalRequest(("x4", "x9.2")),)
    assert isinstance(reply.housekeeping, Housekeeping)
    assert all(getattr(reply.housekeeping, name) for name in Housekeeping.__slots__)


def test_the_quota_is_named():
    assert "2,500 tokens" in reply_instructions(2500)


@pytest.mark.parametrize(
    ("quota", "housekeeping", "expected"),
    [
        (100, True, {"housekeeping", "request"}),
        (0, True, {"housekeeping"}),
        (100, False, {"request"}),
        (0, False, set()),
    ],
)
def test_only_what_may_be_written_is_asked_for(quota: int, housekeeping: bool, expected: set[str]):
    text = reply_instructions(quota, housekeeping=housekeeping)
    assert {name for name in ("housekeeping", "request") if f"<clew-{name}>" in text} == expected
    assert bool(text) is bool(expected)


def test_the_instructions_are_short():
    assert tokenizer_for("text").count(reply_instructions(2000)) < 500
