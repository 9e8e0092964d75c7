"""Patches, blocks of search and replace, and diffs are read as edits of files."""

from __future__ import annotations

from typing import Any

from clew.text.tools.actions import Action, ActionKind, TextEdit
from clew.text.tools.calls import call_actions
from clew.text.tools.patches import edits_in_prose
from tests.builders import call


def meant(name: str, **arguments: Any) -> tuple[Action, ...]:
    return call_actions(call("c1", name, **arguments))


def test_blocks_of_search_and_replace_are_changes() -> None:
    diff = "<<<<<<< SEARCH\n:start_line:12\n-------\nold\n=======\nnew\n>>>>>>> REPLACE"
    assert meant("apply_diff", path="a.py", diff=diff) == (
        Action(kind=ActionKind.EDIT, path="a.py", changes=(TextEdit("old", "new"),), lines=(12, 12)),
    )
    plain = "------- SEARCH\nold\n=======\nnew\n+++++++ REPLACE"
    assert meant("replace_in_file", path="a.py", diff=plain) == (
        Action(kind=ActionKind.EDIT, path="a.py", changes=(TextEdit("old", "new"),)),
    )


def test_edits_that_a_reply_spells_out_belong_to_the_file_named_above() -> None:
    text = "I fix it:\n\nsrc/a.py\n```python\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n```\n"
    assert edits_in_prose(text) == [Action(kind=ActionKind.EDIT, path="src/a.py", changes=(TextEdit("old", "new"),))]


def test_a_unified_diff_is_an_edit_with_its_line() -> None:
    diff = "--- a/src/a.py\n+++ b/src/a.py\n@@ -3,2 +4,2 @@\n one\n-two\n+three\n"
    assert meant("apply_patch", patch=diff) == (
        Action(kind=ActionKind.EDIT, path="src/a.py", lines=(4, 4), changes=(TextEdit("one\ntwo\n", "one\nthree\n"),)),
    )
