"""What git printed when it was looked at last."""

from __future__ import annotations

from clew.domain import Message
from clew.summary_patch.repository_looks import read_repository_looks, repository_losses
from tests.unit.history.work_map.examples import tool_call
from tests.unit.summary_patch.examples import numbered, summary_of, texts, work_of

LOG = "36567f3 Merge the harbour\nedbba29 Older"


def lost(summary: str, *messages: Message) -> list[str]:
    looks = read_repository_looks(numbered(*messages), home="/shop")
    return texts(repository_losses(looks, work_of(*messages), summary_of(summary)))


def test_commits_of_the_branch_are_told_with_what_they_are_compared_with() -> None:
    log = tool_call("Bash", LOG, command="git log --oneline origin/main..HEAD")
    assert lost("Nothing.", *log) == ["origin/main..HEAD has 2 commits (m1): 36567f3 Merge the harbour; edbba29 Older"]
    assert lost("On 36567f3 and edbba29.", *log) == []


def test_the_commit_below_those_of_the_session_is_told() -> None:
    commit = tool_call("Bash", "[main 1a2b3c4] Round the total", command="git commit -am x")
    log = tool_call("Bash", f"1a2b3c4 Round the total\n{LOG}", command="git log --oneline -3")
    assert lost("Nothing.", *commit, *log) == ["git log (m3), below this session's commits: 36567f3 Merge the harbour"]


def test_logs_of_other_branches_files_and_checkouts_are_none_of_the_work() -> None:
    for command in ("git log --oneline main", "git log --oneline -- a.py", "cd /tmp/x && git log --oneline -3"):
        assert lost("Nothing.", *tool_call("Bash", LOG, command=command)) == []


def test_where_the_branch_stands_is_told_until_something_is_committed() -> None:
    status = tool_call("Bash", "Your branch is behind 'origin/main' by 7 commits.", command="git status")
    commit = tool_call("Bash", "[main 1a2b3c4] Round the total", command="git commit -am x")
    assert lost("Nothing.", *status) == ["git status (m1): Your branch is behind 'origin/main' by 7 commits."]
    assert lost("Nothing.", *status, *commit) == []
