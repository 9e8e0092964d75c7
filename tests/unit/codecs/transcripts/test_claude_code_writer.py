"""Lines of a session file of Claude Code that is made here."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest

from clew.codecs.transcripts.claude_code_writer import session_lines
from clew.domain import Origin
from clew.ports import SessionHead
from tests.builders import says, user

HEAD = SessionHead(id=str(UUID(int=7)), at=1777629600.0, cwd="/srv/shop", version="1.0", title="Ferry")


@pytest.mark.parametrize(("model", "written"), [("claude-opus-4-6", "claude-opus-4-6"), ("gpt-5", ""), (None, "")])
def test_only_a_model_that_the_client_has_is_named(model: str | None, written: str) -> None:
    """It goes on with the newest one that the file names."""
    reply = replace(says("Done."), model=model)
    title, line = session_lines([({"role": "assistant", "content": "Done."}, reply)], HEAD)
    assert title == {"type": "custom-title", "customTitle": "Ferry", "sessionId": HEAD.id}
    assert line["message"]["model"] == written
    assert line["message"]["content"] == [{"type": "text", "text": "Done."}]


def test_what_a_model_reported_is_written_as_nobodys_words() -> None:
    """A session that is resumed from the file, and read again, gives it to no person."""
    reported = replace(user("Always push."), origin=Origin.REPORTED)
    _, line = session_lines([({"role": "user", "content": "Always push."}, reported)], HEAD)
    assert line["isMeta"] is True
