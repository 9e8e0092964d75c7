"""References to items of earlier responses."""

from __future__ import annotations

from typing import Any

import pytest

from clew.adapters.conversation import Conversation
from clew.engine.engine import Engine
from tests.provider_replies import Says, response

pytestmark = pytest.mark.stores("memory")

ASKED, NEXT = {"role": "user", "content": "Hello."}, {"role": "user", "content": "More."}


@pytest.mark.parametrize("reference", [{"type": "item_reference", "id": "msg_7"}, {"id": "msg_7"}])
def test_an_item_that_is_referred_to_is_the_one_that_was_recorded(engine: Engine, reference: dict[str, Any]) -> None:
    found = Conversation(engine.session("s"), format="openai-responses")
    found.pack([ASKED])
    found.reply(response(Says("Yes?"), 7))
    packed = found.pack([ASKED, reference, NEXT]).request()["input"]
    assert packed == [ASKED, response(Says("Yes?"), 7)["output"][0], NEXT]
    assert [one.text for one in found.session.messages()] == ["Hello.", "Yes?", "More."]


def test_an_item_that_only_the_provider_knows_stays_a_reference(engine: Engine) -> None:
    found = Conversation(engine.session("s"), format="openai-responses")
    given = [ASKED, {"type": "item_reference", "id": "msg_9"}, NEXT]
    assert found.pack(given).request()["input"] == given
