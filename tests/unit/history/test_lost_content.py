"""What stands in the place of lost content is a text, and passes for nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.domain import Media, Message, Opaque, Part, Reasoning, Text, Wire
from clew.history.body_blobs import lost_text
from clew.history.lost_content import without_lost_content
from tests.builders import call, output, says, user

LOST = lost_text("ab" * 32, 5000)
WIRE = Wire("anthropic", {"type": "image", "data": LOST})


@pytest.mark.parametrize(
    ("part", "left"),
    [
        (Media(media_type="image/png", data=LOST, wire=WIRE), Text(text=LOST)),
        (Opaque(kind="search", wire=WIRE), Text(text="[missing: lost when the store was damaged]")),
        (Reasoning(text="so", seal=LOST, wire=WIRE), Reasoning(text="so")),
        (Text(text=LOST, wire=WIRE), Text(text=LOST)),
        (call("c1", text=LOST), call("c1", text=LOST)),
        (replace(output("c1", LOST), wire=WIRE), output("c1", LOST)),
    ],
)
def test_a_lost_part_can_be_sent(part: Part, left: Part) -> None:
    message = replace(says(part), wire=Wire("anthropic", {}))
    assert without_lost_content(message) == replace(says(left), wire=None)


@pytest.mark.parametrize("message", [user("whole"), says("whole", call("c1", path="x"))])
def test_a_whole_message_stays_the_very_same(message: Message) -> None:
    assert without_lost_content(message) is message
