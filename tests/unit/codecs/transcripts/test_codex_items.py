"""Items in the shapes that Codex reads back; it passes over lines of any other."""

from __future__ import annotations

from typing import Any

import pytest

from clew.codecs.providers.responses_items import read_item
from clew.codecs.transcripts.codex_writer import readable_item

PDF = {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERg=="}
NAMED = {"type": "input_text", "text": "[application/pdf a.pdf, 6 bytes: not shown here]"}
SEEN = {"type": "input_text", "text": "seen"}


CASES = [
    (
        {"role": "user", "content": "Go."},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go."}]},
    ),
    (
        {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "No."}]},
    ),
    (
        {"role": "user", "content": [SEEN, PDF]},
        {"type": "message", "role": "user", "content": [SEEN, NAMED]},
    ),
    (
        {"type": "function_call_output", "call_id": "c1", "output": [SEEN, PDF]},
        {"type": "function_call_output", "call_id": "c1", "output": [SEEN, NAMED]},
    ),
    (
        {"type": "function_call_output", "call_id": "c1", "output": "ok"},
        {"type": "function_call_output", "call_id": "c1", "output": "ok"},
    ),
    (
        {"type": "local_shell_call", "call_id": "c1", "action": {"type": "exec"}},
        {"type": "local_shell_call", "call_id": "c1", "action": {"type": "exec"}, "status": "completed"},
    ),
    (
        {"type": "apply_patch_call", "call_id": "c1", "operation": {"path": "x"}},
        {"type": "function_call", "call_id": "c1", "name": "apply_patch", "arguments": '{"path":"x"}'},
    ),
    (
        {"type": "apply_patch_call_output", "call_id": "c1", "status": "completed", "output": "done"},
        {"type": "function_call_output", "call_id": "c1", "output": "done"},
    ),
]


@pytest.mark.parametrize(("item", "readable"), CASES)
def test_an_item_says_the_same_in_a_shape_that_codex_knows(item: dict[str, Any], readable: dict[str, Any]) -> None:
    assert readable_item(item, read_item(item)) == readable
