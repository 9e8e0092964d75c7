"""Files that commits left out."""

from __future__ import annotations

from clew.domain import Message
from clew.summary_patch.left_out_files import left_out_files
from tests.unit.history.work_map.examples import tool_call
from tests.unit.summary_patch.examples import numbered, summary_of, texts, work_of

STATUS = tool_call(
    "Bash",
    "On branch main\nChanges not staged for commit:\n\tmodified:   tax.py\n\tmodified:   settings.json\n\n"
    'Untracked files:\n  (use "git add")\n\tstate.lock\n',
    command="git status",
)
LEFT = "not in any commit since git status (m2): changed settings.json; untracked state.lock"


def commit(add: str) -> list[Message]:
    return tool_call("Bash", "[main 1a2b3c4] Round the total", command=f"{add} && git commit -m x")


def lost(summary: str, *messages: Message) -> list[str]:
    return texts(left_out_files(numbered(*messages), work_of(*messages), summary_of(summary)))


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
