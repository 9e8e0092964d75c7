"""What a text shows of files."""

from __future__ import annotations

from tests.unit.history.work_map.examples import tool_call, work_map_of


def test_files_seen_in_a_search_keep_line_and_names() -> None:
    work = work_map_of(*tool_call("Grep", "src/a.py\n12:open_index()\n\nlib/b.py", pattern="open_index"))
    assert [(facts.path, facts.line, facts.names) for facts in work.files] == [
        ("lib/b.py", 0, ("open_index",)),
        ("src/a.py", 12, ("open_index",)),
    ]
