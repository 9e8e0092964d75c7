from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clew.codecs.origins import CONTINUATION_START
from clew.hooks.event import Event
from clew.hooks.gate import is_worth_asking
from tests.hook_events import post_tool_use, pre_compact, session_start, user_prompt

PATH = Path(__file__)


@pytest.mark.parametrize(
    ("about", "worth"),
    [
        (session_start(PATH, "startup"), False),
        (session_start(PATH, "clear"), False),
        (session_start(PATH, "compact"), True),
        (session_start(PATH, "resume"), True),
        (pre_compact(PATH), True),
        (user_prompt(PATH, "yes, go on"), False),
        (user_prompt(PATH, "/compact keep the tests"), False),
        (user_prompt(Path("/not/written/yet.jsonl"), "what was the export about?"), False),
        (post_tool_use(PATH, "short"), False),
        (post_tool_use(PATH, "x" * 5_000), True),
        (post_tool_use(PATH, "x" * 5_000) | {"tool_name": "Read"}, False),
        (post_tool_use(PATH, "") | {"tool_response": {"filenames": ["a" * 50] * 100}}, False),
        (post_tool_use(PATH, "") | {"tool_response": None}, False),
    ],
)
def test_most_events_need_no_answer(about: dict[str, Any], worth: bool) -> None:
    assert is_worth_asking(Event("claude-code", about["hook_event_name"], about)) is worth


@pytest.mark.parametrize(
    ("client", "lines", "worth"),
    [
        ("claude-code", b"", False),
        ("claude-code", b'{"type": "user", "message": {"content": "hello"}}\n', False),
        ("claude-code", b'{"type": "user", "isCompactSummary": true}\n{"type": "user"}\n', True),
        ("claude-code", f'{{"message": {{"content": "{CONTINUATION_START} that"}}}}\n'.encode(), True),
        ("codex", b'{"type":"response_item"}\n', False),
        ("codex", b'{"type":"compacted","payload":{}}\n', True),
    ],
)
def test_a_prompt_needs_an_answer_once_its_session_was_summed_up(
    tmp_path: Path, client: str, lines: bytes, worth: bool
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(lines)
    about = user_prompt(path, "what was the export about?")
    assert is_worth_asking(Event(client, "UserPromptSubmit", about)) is worth
