"""What a line tells."""

from __future__ import annotations

from clew.summary_patch.patch_lines import PatchLine, PatchSection


def test_a_line_tells_what_it_is_about_or_all_of_its_text() -> None:
    line = PatchLine(section=PatchSection.WORK, number=1, text="m1 agent: it works", value=1.0, about="it works")
    assert line.content == "it works"
    assert PatchLine(section=PatchSection.STATE, number=1, text="branch x", value=1.0).content == "branch x"
