"""What a summary lost of the state of the work."""

from __future__ import annotations

from dataclasses import replace

from clew.domain import Message
from clew.summary_patch.state_losses import created_records, folder_loss, state_losses
from tests.unit.history.work_map.examples import edit_call, tool_call
from tests.unit.summary_patch.examples import gathered, numbered, summary_of, texts, work_of

COMMIT = tool_call("Bash", "[ana/tax 1a2b3c4] Round the total", command="git commit -am x")
PUSH = tool_call("Bash", "   0a2b3c4..1a2b3c4  ana/tax -> ana/tax", command="git push")


def lost(summary: str, *messages: Message, told: frozenset[int] = frozenset()) -> list[str]:
    work = work_of(*messages)
    return texts(state_losses(work, summary_of(summary), corrected=told))


def test_ids_that_the_summary_lacks_are_told() -> None:
    assert lost("Rounded the total.", *COMMIT, *PUSH) == [
        "branch ana/tax (m2)",
        "commits: 1a2b3c4 Round the total (m2)",
        "pushed: ana/tax (m4)",
    ]


def test_ids_that_the_summary_has_are_not_told_again() -> None:
    assert lost("Rounded the total: 1a2b3c4 on ana/tax.", *COMMIT, *PUSH) == []


def test_of_several_commits_those_that_are_lost_are_told() -> None:
    second = tool_call("Bash", "[ana/tax 5d6e7f8] Print the tax", command="git commit -am y")
    assert "commits: 5d6e7f8 Print the tax (m4)" in lost("1a2b3c4 on ana/tax", *COMMIT, *second)


def test_edits_that_no_check_has_seen_are_told_unless_the_summary_says_so() -> None:
    passed = tool_call("Bash", "3 passed", command="pytest -q")
    steps = [*passed, *edit_call("/shop/cart.py", "a line of it", "another line of it")]
    told = "no build or test run since the edits of cart.py (m4); last: `pytest -q` passed (m2)"
    assert told in lost("Edited cart.py.", *steps)
    assert told not in lost("Edited cart.py, not yet tested.", *steps)
    assert told not in lost("Edited cart.py.", *steps, told=frozenset({4}))


def test_edits_that_are_not_committed_are_told_unless_the_summary_says_so() -> None:
    steps = [*COMMIT, *edit_call("/shop/cart.py", "a line of it", "another line of it")]
    told = "no commit seen since the edits of: cart.py"
    assert told in lost("Edited cart.py. Tests are next.", *steps)
    assert told not in lost("Edited cart.py, not committed yet.", *steps)


def test_of_to_dos_those_that_are_open_and_lost_are_told() -> None:
    todos = [{"content": "Round the tax", "status": "completed"}, {"content": "Print receipts", "status": "pending"}]
    assert lost("Nothing.", *tool_call("TodoWrite", "ok", todos=todos)) == ["to-dos (m2): [open] Print receipts"]
    assert lost("Still to do: print receipts.", *tool_call("TodoWrite", "ok", todos=todos)) == []


def test_a_head_that_is_older_than_the_newest_log_is_out_of_date() -> None:
    log = tool_call("Bash", "36567f3 Merge it", command="git log --oneline -5")
    assert lost("Nothing.", *log) == ["HEAD 36567f3 Merge it (m2)"]
    other = tool_call("Bash", "36567f3 Merge it", command="git log --oneline main..HEAD")
    assert lost("Nothing.", *log, *other) == []


def test_the_folder_of_one_of_several_checkouts_is_told_unless_the_summary_has_a_path_in_it() -> None:
    def told(summary: str, folder: str) -> list[str]:
        messages = tool_call("Bash", "x", command="ls")
        work = replace(work_of(*messages), root=folder)
        return texts(folder_loss(numbered(*messages), work, summary_of(summary)))

    assert told("Nothing.", "/shop/.worktrees/2") == ["folder /shop/.worktrees/2 (m1)"]
    assert told("Edited /shop/.worktrees/2/tax.py.", "/shop/.worktrees/2") == []
    assert told("Nothing.", "/shop") == []


def test_a_record_that_a_tool_created_is_told_by_its_id_unless_the_summary_names_it() -> None:
    answer = '{"identifier": "ENT-241", "url": "https://linear.app/ENT-241"}'
    units = gathered(*tool_call("mcp__linear__create_issue", answer, title="Round the tax")).units
    assert texts(created_records(units, summary_of("Logged an issue."))) == [
        'm1 tool: create_issue "Round the tax" → ENT-241, https://linear.app/ENT-241'
    ]
    assert texts(created_records(units, summary_of("Logged ENT-241."))) == []
