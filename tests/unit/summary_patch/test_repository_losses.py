"""What git printed when it was looked at last, and files that commits left out."""

from __future__ import annotations

from clew.domain import Message
from clew.summary_patch.repository_losses import repository_losses
from tests.unit.history.work_map.examples import tool_call
from tests.unit.summary_patch.examples import summary_of, texts, work_of

STATUS = tool_call(
    "Bash",
    "On branch main\nChanges not staged for commit:\n\tmodified:   tax.py\n\tmodified:   settings.json\n\n"
    'Untracked files:\n  (use "git add")\n\tstate.lock\n',
    command="git status",
)
LEFT = "not in any commit since git status (m2): changed settings.json; untracked state.lock"
LOG = "36567f3 Merge the harbour\nedbba29 Older"


def commit(add: str) -> list[Message]:
    return tool_call("Bash", "[main 1a2b3c4] Round the total", command=f"{add} && git commit -m x")


def lost(summary: str, *messages: Message) -> list[str]:
    return texts(repository_losses(work_of(*messages), summary_of(summary)))


def test_commits_of_the_branch_are_told_with_what_they_are_compared_with() -> None:
    log = tool_call("Bash", LOG, command="git log --oneline origin/main..HEAD")
    assert lost("Nothing.", *log) == ["origin/main..HEAD has 2 commits (m2): 36567f3 Merge the harbour; edbba29 Older"]
    assert lost("On 36567f3 and edbba29.", *log) == []


def test_the_commit_below_those_of_the_session_is_told() -> None:
    commit = tool_call("Bash", "[main 1a2b3c4] Round the total", command="git commit -am x")
    log = tool_call("Bash", f"1a2b3c4 Round the total\n{LOG}", command="git log --oneline -3")
    assert lost("Nothing.", *commit, *log) == ["git log (m4), below this session's commits: 36567f3 Merge the harbour"]


def test_logs_of_other_branches_files_and_checkouts_are_none_of_the_work() -> None:
    for command in ("git log --oneline main", "git log --oneline -- a.py", "cd /tmp/x && git log --oneline -3"):
        assert lost("Nothing.", *tool_call("Bash", LOG, command=command)) == []


def test_where_the_branch_stands_is_told_until_something_is_committed() -> None:
    status = tool_call("Bash", "Your branch is behind 'origin/main' by 7 commits.", command="git status")
    commit = tool_call("Bash", "[main 1a2b3c4] Round the total", command="git commit -am x")
    assert lost("Nothing.", *status) == ["git status (m2): Your branch is behind 'origin/main' by 7 commits."]
    assert lost("Nothing.", *status, *commit) == []


def test_what_was_not_added_by_name_is_told() -> None:
    assert lost("Nothing.", *STATUS, *commit("git add tax.py")) == [LEFT]
    assert lost("Nothing.", *STATUS, *commit("git add ./tax.py /shop/settings.json")) == [
        "not in any commit since git status (m2): untracked state.lock"
    ]
    assert lost("Left out: settings.json and state.lock.", *STATUS, *commit("git add tax.py")) == []


def test_nothing_is_told_where_more_may_have_been_taken_in() -> None:
    for add in ("git add -A", "git add .", "git add '*.py'", "git stash", "git add 'tax.py", "git commit -am y"):
        assert lost("Nothing.", *STATUS, *commit(add)) == []


def test_a_status_that_still_holds_is_told_as_it_is() -> None:
    assert lost("Nothing.", *commit("git add tax.py"), *STATUS) == []
    assert lost("Nothing.", *STATUS) == []
