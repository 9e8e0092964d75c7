"""What ``generate_content`` takes is recorded as the user's."""

from __future__ import annotations

from typing import Any

import pytest

from clew.domain import Role
from clew.engine.engine import Engine
from clew.errors import UsageError

types = pytest.importorskip("google.genai").types

pytestmark = pytest.mark.stores("memory")
FILE = types.File(name="files/a", uri="https://example.org/files/a", mime_type="application/pdf")
FILE_PART = {"fileData": {"fileUri": "https://example.org/files/a", "mimeType": "application/pdf"}}


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        ([FILE, "What is this?"], [FILE_PART, {"text": "What is this?"}]),
        (FILE, [FILE_PART]),
        (types.Part(text="Hello."), [{"text": "Hello."}]),
        (["See:", types.Part.from_bytes(data=b"x", mime_type="image/png")], None),
    ],
)
def test_parts_and_files_are_what_the_user_says(engine: Engine, given: Any, parts: list[Any] | None) -> None:
    session = engine.session("s")
    session.record(given)
    (message,) = session.messages()
    assert message.role is Role.USER
    picture = [{"text": "See:"}, {"inlineData": {"data": "eA==", "mimeType": "image/png"}}]
    assert session.reader.request("gemini")[0].body["contents"] == [{"role": "user", "parts": parts or picture}]


def test_they_stand_among_contents_in_their_order(engine: Engine) -> None:
    session = engine.session("s")
    said = types.Content(role="model", parts=[types.Part(text="A boat.")])
    session.record([FILE, "What is this?", said, types.Part(text="And its name?")])
    assert [one.role.value for one in session.messages()] == ["user", "assistant", "user"]


def test_a_text_alone_says_nothing_of_who_speaks(engine: Engine) -> None:
    with pytest.raises(UsageError, match="does not say who speaks"):
        engine.session("s").record(["Hello."])
