"""Lines on a session that goes on: its state, and what was changed."""

from __future__ import annotations

import pytest

from clew.engine.engine import Engine
from clew.hooks.work_lines import state_section
from tests.builders import call, gives, output, says, user


@pytest.mark.stores("memory")
def test_a_session_that_goes_on_is_told_the_files_that_it_changed(engine: Engine) -> None:
    session = engine.session("s", cwd="/harbor")
    edit = call("c1", "Edit", file_path="/harbor/src/berths.py", old_string="a", new_string="b")
    session.record([user("Rename it."), says(edit), gives(output("c1", "ok")), says("Renamed.")])
    told = "\n".join(state_section(session))
    assert "no commit seen" in told
    assert "Files changed in this session:\n- src/berths.py (edited, m3)" in told
