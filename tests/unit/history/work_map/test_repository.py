"""The repository is known by what git and forges printed, never by what was merely tried."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.domain import Message, Status
from clew.engine.ledger.rows import SessionRows
from clew.history.work_map.projection import WorkMapProjection
from clew.history.work_map.repository_facts import Commit, GitStatus, Push, RepositoryFacts
from clew.history.work_map.view import load_work_map
from clew.ports import MessageChange
from clew.storage.memory import MemoryStore
from clew.units.state_lines import state_lines
from tests.builders import says, user
from tests.unit.history.work_map.examples import KEY, changes_of, edit_call, tool_call, work_map_of

COMMITTED = "[fix/login 1a2b3c4] Trim the name\n 1 file changed"
_TRIMMED = Commit("1a2b3c4", "Trim the name", 2, "fix/login")


def test_a_commit_is_known_by_the_line_that_confirms_it() -> None:
    work = work_map_of(*tool_call("Bash", COMMITTED, command="git add -A && git commit -m 'Trim the name'"))
    assert work.repository == RepositoryFacts(branch=("fix/login", 2), commits=(_TRIMMED,))


def test_a_commit_that_was_refused_or_failed_is_none() -> None:
    work = work_map_of(
        *tool_call("Bash", "The user doesn't want to proceed", Status.CANCELED, command="git commit -m x"),
        *tool_call("Bash", "nothing to commit, working tree clean", Status.FAILED, command="git commit -m x"),
    )
    assert work.repository == RepositoryFacts()


def test_a_log_that_shows_commits_makes_none() -> None:
    work = work_map_of(*tool_call("Bash", "cat notes:\n[main 1a2b3c4] old news", command="cat notes.txt"))
    assert work.repository == RepositoryFacts()


def test_the_branch_is_the_one_seen_last() -> None:
    work = work_map_of(
        *tool_call("Bash", "Switched to a new branch 'fix/login'", command="git checkout -b fix/login"),
        *tool_call("Bash", "On branch main\nnothing to commit", command="git status"),
    )
    assert work.repository.branch == ("main", 4)


def test_pushes_and_what_was_opened_come_with_their_message() -> None:
    pushed = "To github.com:a/b.git\n   1a2b3c4..5d6e7f8  fix/login -> fix/login"
    opened = "https://github.com/a/b/pull/12"
    work = work_map_of(
        *tool_call("Bash", pushed, command="git push"),
        *tool_call("Bash", opened, command="gh pr create --fill"),
        *tool_call("Bash", "https://github.com/a/b/pull/9", command="gh pr view 9"),
    )
    assert (work.repository.pushes, work.repository.opened) == ((Push("fix/login", 2, "fix/login"),), ((opened, 4),))


def test_the_newest_commit_is_also_known_from_a_log() -> None:
    shown = "4f87ccc (HEAD -> main) waitlist: a stay is offered\n7e970b8 waitlist: guests get in line"
    work = work_map_of(*tool_call("Bash", shown, command="git status --short && git log --oneline -2"))
    assert work.repository.head == Commit("4f87ccc", "waitlist: a stay is offered", 2)
    other = work_map_of(*tool_call("Bash", shown, command="git log --oneline main..feature"))
    assert other.repository.head is None


def test_a_status_lists_what_is_changed_and_what_is_not_tracked() -> None:
    printed = (
        'On branch main\nChanges not staged for commit:\n  (use "git add")\n\tmodified:   a.py\n\tdeleted:    b.py\n\n'
        'Untracked files:\n  (use "git add")\n\tnotes.md\n\nno changes added to commit'
    )
    work = work_map_of(*tool_call("Bash", printed, command="git status"))
    assert work.repository.status == GitStatus(("a.py", "b.py"), ("notes.md",), 2)


def test_a_repository_made_for_a_trial_is_not_the_one_worked_on() -> None:
    trial = "cd /tmp && mkdir t && cd t && git init && git commit -am initial"
    work = work_map_of(*tool_call("Bash", "[main (root-commit) 5dffb3a] initial\nOn branch main", command=trial))
    assert work.repository == RepositoryFacts()


def test_a_repository_that_is_begun_where_the_work_is_done_is_the_one() -> None:
    begun = "git init -q -b feat/stream && git commit -q -m 'export: rows' && git log --oneline"
    work = work_map_of(*tool_call("Bash", "f53c1a2 export: rows", command=begun))
    assert state_lines(work) == ["branch feat/stream (m2)", "HEAD f53c1a2 export: rows (m2)"]
    for elsewhere in ("git init demo && cd demo", "cd demo && git init", "git init --bare ../origin.git"):
        told = work_map_of(*tool_call("Bash", "On branch main", command=f"{elsewhere} && git status"))
        assert told.repository == RepositoryFacts()


def test_a_commit_made_without_a_word_counts() -> None:
    work = work_map_of(*tool_call("Bash", "", command="git commit -q -m x"))
    assert work.repository.committed_at == 2


def test_a_commit_that_was_amended_or_reset_away_is_none() -> None:
    first = tool_call("Bash", "[main 1a2b3c4] one", command="git commit -m one")
    amended = tool_call("Bash", "[main 5d6e7f8] two", command="git commit --amend -m two")
    reset = tool_call("Bash", "", command="git reset --soft HEAD~1")
    assert [one.hash for one in work_map_of(*first, *amended).repository.commits] == ["5d6e7f8"]
    assert work_map_of(*first, *reset).repository.commits == ()


def test_a_commit_takes_the_place_of_the_head_that_a_log_showed() -> None:
    logged = tool_call("Bash", "4f87ccc old", command="git log --oneline -1")
    made = tool_call("Bash", "[main 1a2b3c4] one", command="git commit -m one")
    assert work_map_of(*logged, *made).repository.head is None


def test_a_rebase_settles_edits_and_is_no_commit() -> None:
    work = work_map_of(
        *tool_call("Bash", COMMITTED, command="git commit -m 'Trim the name'"),
        *tool_call(
            "Bash", "Rebasing (3/4)\rSuccessfully rebased and updated refs/heads/fix/login.", command="git rebase main"
        ),
    )
    known = work.repository
    assert (known.commits, known.committed_at, known.settled_at) == ((), 2, 4)


def test_a_commit_away_from_all_branches_is_one_until_a_rebase_moves_it() -> None:
    printed = "[detached HEAD 3ec0053] sessions"
    work = work_map_of(*tool_call("Bash", printed, command="git commit -m sessions"))
    assert work.repository == RepositoryFacts(commits=(Commit("3ec0053", "sessions", 2),))
    moved = f"{printed}\nRebasing (3/4)\rSuccessfully rebased and updated refs/heads/main."
    known = work_map_of(*tool_call("Bash", moved, command="git add a.py && git rebase --continue")).repository
    assert (known.commits, known.committed_at) == ((), 2)


def test_a_status_says_nothing_of_another_branch() -> None:
    status = tool_call(
        "Bash", "On branch fix/login\nChanges to be committed:\n\tmodified:   a.py\n", command="git status"
    )
    assert work_map_of(*status, branches={1: "fix/login"}).repository.status is not None
    assert work_map_of(*status, says("bye"), branches={1: "fix/login", 3: "main"}).repository.status is None


def test_the_branch_that_a_client_writes_with_its_records_counts_where_it_changes() -> None:
    checkout = tool_call("Bash", "Switched to a new branch 'fix/login'", command="git checkout -b fix/login")
    assert work_map_of(*checkout, branches={1: "main", 2: "main", 3: "main"}).repository.branch == ("fix/login", 2)
    assert work_map_of(*checkout, says("done"), branches={1: "fix/login", 3: "main"}).repository.branch == ("main", 3)
    assert work_map_of(*checkout, says("done"), branches={3: "HEAD"}).repository.branch == ("", 3)


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("git checkout 1a2b3c4", "Note: switching to '1a2b3c4'.\n\nYou are in 'detached HEAD' state."),
        ("git branch -m fix/sign-in", ""),
    ],
)
def test_no_branch_is_named_after_it_was_left_or_renamed(command: str, printed: str) -> None:
    checkout = tool_call("Bash", "Switched to a new branch 'fix/login'", command="git checkout -b fix/login")
    assert work_map_of(*checkout, *tool_call("Bash", printed, command=command)).repository.branch == ("", 0)


def test_of_another_checkout_what_was_made_counts_and_its_branch_and_head_do_not() -> None:
    log = "ad1db90 Add fireworks\na051b81 Add a feed"
    elsewhere = work_map_of(*tool_call("Bash", log, command="cd /other/site && git log --oneline -5"), cwd="/shop")
    assert elsewhere.repository.head is None
    inside = work_map_of(*tool_call("Bash", log, command="cd /shop/web && git log --oneline -5"), cwd="/shop")
    assert inside.repository.head == Commit("ad1db90", "Add fireworks", 2)
    made = work_map_of(*tool_call("Bash", COMMITTED, command="cd /shop__worktrees/a && git commit -am x"), cwd="/shop")
    assert (made.repository.branch[0], [one.hash for one in made.repository.commits]) == ("", ["1a2b3c4"])


LOGGED = "1a2b3c4 (HEAD -> main) Trim the name\n0a2b3c4 Begin"


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("git add -A; git commit -m 'Trim the name'; git log --oneline -2", f"{COMMITTED}\n{LOGGED}"),
        ("git add -A && git commit -qm 'Trim the name'; git log --oneline -2", LOGGED),
        ("git commit -qam 'Trim the name'", ""),
        ("git add . && git commit -m 'Trim the name' >/dev/null && git log --oneline -2", LOGGED),
        ("(cd web && git add . && git commit -am 'Trim the name')", COMMITTED),
        ("git commit -q -F - <<'EOF'\nTrim the name\n\nIt was too long.\nEOF\ngit log --oneline -1", LOGGED),
        ("git add -A && git commit -m \"$(cat <<'EOF'\nTrim the name\nEOF\n)\" | tail -1", " 1 file changed, 2 +"),
        ("npm test && git commit -am 'Trim the name'", "line\n" * 4_000 + COMMITTED),
    ],
)  # fmt: skip
def test_a_commit_among_other_commands_holds_what_was_edited_before(command: str, printed: str) -> None:
    work = work_map_of(*edit_call("/shop/a.py", "x", "y"), *tool_call("Bash", printed, command=command))
    assert work.repository.settled_at == 4


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("git add -A; git commit -m 'Trim'; git log --oneline -1", "nothing to commit\n0a2b3c4 Begin"),
        ("git add -A; git commit -m 'Trim'; git log --oneline -1", "husky - pre-commit hook failed\n0a2b3c4 Begin"),
        ("git commit -m 'Trim'; git log --oneline -1", "no changes added to commit\n0a2b3c4 Begin"),
        ("git commit --dry-run -m 'Trim'", ""),
        ("git commit -m 'Trim' | tail -1", ""),
        ("echo \"git commit -m x\"", ""),
    ],
)  # fmt: skip
def test_a_commit_that_failed_or_was_not_seen_commits_nothing(command: str, printed: str) -> None:
    work = work_map_of(*edit_call("/shop/a.py", "x", "y"), *tool_call("Bash", printed, command=command))
    assert work.repository.settled_at == 0


def test_a_quiet_commit_is_known_by_the_push_that_waited_for_it() -> None:
    pushed = "To github.com:ana/boats.git\n   c1a49bf0..7e1ba229  main -> main"
    said = '"Round prices; again\n\nCents were lost."'
    waited = (
        "git commit -q -m x && git push",
        f"git add a && git commit -q -m {said} && bd close 7 | tail -1 && git push",
    )
    apart = (
        "git commit -q -m x; git push",
        "git commit -q -m x | tail -1 && git push",
        "git commit -qm x && ls; git push",
    )
    for commands, at in ((waited, 2), (apart, 0)):
        for command in commands:
            work = work_map_of(*tool_call("Bash", pushed, command=f"{command} 2>&1 | tail -2"))
            assert (command, work.repository.committed_at) == (command, at)


@pytest.mark.parametrize(
    ("command", "folder"),
    [
        ("cd /other/repo && git checkout -b trial", ""),
        ("cd ../other && git checkout -b trial", ""),
        ("cd ~/other && git checkout -b trial", ""),
        ("git fetch && git -C /other/repo checkout -b trial", ""),
        ("cd /home/me/shop && make; cd /other && git checkout -b trial", ""),
        ("cd .worktrees/trial && git checkout -b trial", ""),
        ("git checkout -b trial", "/other/repo"),
    ],
)
def test_no_branch_is_taken_from_another_repository(command: str, folder: str) -> None:
    at_home = tool_call("Bash", "On branch main", command="git status")
    away = tool_call("Bash", "Switched to a new branch 'trial'", command=command, workdir=folder)
    assert work_map_of(*at_home, *away, cwd="/home/me/shop").repository.branch == ("main", 2)
    near = tool_call("Bash", "Switched to a new branch 'next'", command="cd src && git -C .. checkout -b next")
    assert work_map_of(*at_home, *near, cwd="/home/me/shop").repository.branch == ("next", 4)


def test_a_client_that_goes_to_another_checkout_leaves_its_branch_behind() -> None:
    messages = [*tool_call("Bash", "On branch main", command="git status"), *tool_call("Bash", "ok", command="ls")]
    told = [one for one in changes_of(*messages) if isinstance(one, MessageChange)]
    changes = [replace(one, cwd="/home/me/shop" if one.number < 3 else "/home/me/api") for one in told]
    rows = SessionRows(MemoryStore(), KEY, "workmap")
    WorkMapProjection().apply(None, changes, rows)
    assert load_work_map(rows.scan()).repository.branch == ("", 0)


STATUS = tool_call("Bash", " M cart.py\n", command="git status --short")


@pytest.mark.parametrize(
    ("command", "printed", "is_told"),
    [
        ("git commit -qam 'Add tax' && git push -q", "", False),
        ("git commit -qm x 2>&1 | tail -1; git push 2>&1 | tail -1", "main -> main", False),
        ("git stash", "Saved working directory and index state", False),
        ("git add -A && git status --short", "M  cart.py", True),
        ("git log --oneline -3", "1a2b3c4 Begin", True),
    ],
)
def test_a_status_is_told_until_git_changes_something(command: str, printed: str, is_told: bool) -> None:
    edited = edit_call("/w/cart.py", "a", "b")
    lines = state_lines(work_map_of(*edited, *STATUS, *tool_call("Bash", printed, command=command), cwd="/w"))
    assert any(line.startswith("git status") for line in lines) is is_told


def test_an_edit_after_a_status_makes_it_stale_and_a_clean_status_settles_edits() -> None:
    edited = edit_call("/w/src/cart.py", "a", "b")
    clean = tool_call("Bash", "On branch main\nnothing to commit, working tree clean", command="git status")
    after, before = work_map_of(*edited, *clean, cwd="/w"), work_map_of(*clean, *edited, cwd="/w")
    assert state_lines(after) == ["branch main (m4)", "git status (m4): clean"]
    assert state_lines(before) == ["branch main (m2)", "no commit seen since the edits of: src/cart.py"]
    quiet = tool_call("Bash", "", command="git status --porcelain")
    assert state_lines(work_map_of(*edited, *quiet, cwd="/w")) == ["git status (m4): clean"]


def test_on_another_branch_the_newest_commit_is_another() -> None:
    logged = tool_call("Bash", "1a2b3c4 Begin\n", command="git log --oneline -3")
    switched = tool_call("Bash", "Switched to branch 'next'", command="git checkout next")
    on_main = tool_call("Bash", "On branch main", command="git status")
    assert work_map_of(*on_main, *logged).repository.head == Commit("1a2b3c4", "Begin", 4)
    assert work_map_of(*on_main, *logged, *switched).repository.head is None


def test_a_file_that_was_added_between_two_looks_is_no_longer_untracked() -> None:
    command = "git status --short && git add cart.py && git status --short"
    work = work_map_of(*tool_call("Bash", "?? cart.py\nA  cart.py\n", command=command))
    assert work.repository.status == GitStatus(("cart.py",), (), 2)


def test_commits_and_pushes_are_told_with_the_branch_that_they_were_made_on() -> None:
    first = tool_call("Bash", "[tax 1a2b3c4] Round the tax", command="git commit -am x")
    second = tool_call(
        "Bash", "Switched to branch 'menu'\n[menu 5d6e7f8] Sort the menu", command="git switch menu; git commit -am y"
    )
    pushed = tool_call("Bash", "   0a2b3c4..5d6e7f8  menu -> menu", command="git push")
    assert state_lines(work_map_of(*first, *second, *pushed)) == [
        "branch menu (m4)",
        "commits: 5d6e7f8 Sort the menu (m4)",
        "commits on tax: 1a2b3c4 Round the tax (m2)",
        "pushed: menu (m6); no push seen since the last commit on tax",
    ]
    both = tool_call("Bash", "   0a2b3c4..1a2b3c4  tax -> main", command="git push origin tax:main")
    assert state_lines(work_map_of(*first, *second, *pushed, *both))[-1] == "pushed: menu (m6); main (m8)"


def test_who_commits_and_leaves_the_branch_is_on_the_other_one() -> None:
    left = "[tax 1a2b3c4] Round the tax\nSwitched to branch 'main'"
    work = work_map_of(*tool_call("Bash", left, command="git commit -am x && git switch main"))
    assert work.repository.branch == ("main", 2)


def test_what_is_amended_reset_or_rebased_takes_no_commit_of_another_branch_away() -> None:
    kept = tool_call("Bash", "[tax 1a2b3c4] Round the tax", command="git commit -am x")
    first = tool_call("Bash", "[menu 5d6e7f8] Sort the menu", command="git switch menu && git commit -am y")
    for command, printed, left in (
        ("git commit --amend -m z", "[menu 9a8b7c6] Sort it well", ["1a2b3c4", "9a8b7c6"]),
        ("git reset --hard HEAD~2", "HEAD is now at 0a0b0c0 Begin", ["1a2b3c4"]),
        ("git rebase main", "Successfully rebased and updated refs/heads/menu.", ["1a2b3c4"]),
    ):
        known = work_map_of(*kept, *first, *tool_call("Bash", printed, command=command)).repository
        assert [one.hash for one in known.commits] == left


@pytest.mark.parametrize(
    "since",
    [
        edit_call("/elsewhere/notes.md", "x", "y"),
        tool_call("Bash", "", command="git read-tree HEAD"),
        tool_call("Bash", "fatal: unable to read 1a2b3c4", Status.FAILED, command="git status"),
        tool_call("Bash", "[fmt] gofmt -w .", command="mise run fmt"),
        [user("it is broken again:\n> git status\nfatal: unable to read 1a2b3c4")],
        [user("On branch main\nChanges not staged for commit:\n\tmodified: a.py")],
    ],
)
def test_a_status_is_over_once_anything_was_changed_or_looked_at_again(since: list[Message]) -> None:
    status = tool_call("Bash", " M a.py", command="git status --short")
    assert "git status (m2): changed a.py" in state_lines(work_map_of(*status, user("and now the menu")))
    assert not any(line.startswith("git status") for line in state_lines(work_map_of(*status, *since)))


def test_git_s_own_files_are_nothing_to_commit() -> None:
    work = work_map_of(*edit_call("/shop/.git/hooks/pre-push", "x", "y"), cwd="/shop")
    assert state_lines(work) == []


def test_of_many_branches_that_were_pushed_none_is_told_as_not_pushed() -> None:
    steps = [
        tool_call(
            "Bash", f"[b{n} {n}a2b3c4] Step\n   0a2b3c4..{n}a2b3c4  b{n} -> b{n}", command="git commit && git push"
        )
        for n in range(6)
    ]
    told = state_lines(work_map_of(*(message for step in steps for message in step)))
    assert told[-1] == "pushed: b2 (m6); b3 (m8); b4 (m10); b5 (m12)"
