"""What reads, edits, writes and deletions leave in the row of a file."""

from __future__ import annotations

import pytest

from clew.domain import Message, Status
from clew.history.work_map.view import FileFacts
from clew.units.file_lines import file_lines
from clew.units.state_lines import state_lines
from tests.hash_seeds import outputs_over_seeds
from tests.unit.history.work_map.examples import edit_call, file_facts, tool_call, work_map_of


def test_reads_edits_and_writes_become_facts_of_the_file() -> None:
    work = work_map_of(
        *tool_call("Read", "10→def load_config():\n11→    pass", file_path="/w/app/a.py", offset=10, limit=2),
        *edit_call("/w/app/a.py", "    pass", "    return parse_text(1)"),
    )
    assert file_facts(work, "/w/app/a.py") == FileFacts(
        path="/w/app/a.py",
        weight=file_facts(work, "/w/app/a.py").weight,
        deed="edit",
        at=4,
        edits=1,
        edited=4,
        symbols=("parse_text",),
        names=("parse_text", "load_config"),
        reads=((10, 11, 2),),
        excerpts=((4, ("    return parse_text(1)",)),),
        definitions=((10, "def load_config():"),),
    )


def test_a_line_that_a_later_edit_removed_is_never_shown() -> None:
    work = work_map_of(
        *edit_call("a.py", "one = 1", "one = compute_one()\ntwo = compute_two()"),
        *edit_call("a.py", "two = compute_two()", "two = 2"),
    )
    assert [lines for _, lines in file_facts(work, "a.py").excerpts] == [("two = 2",), ("one = compute_one()",)]


def test_a_definition_that_was_removed_is_forgotten() -> None:
    work = work_map_of(
        *tool_call("Read", "1→def old_name():\n2→def kept_name():", file_path="a.py"),
        *edit_call("a.py", "def old_name():", "def new_name():"),
    )
    assert [line for _, line in file_facts(work, "a.py").definitions] == ["def new_name():", "def kept_name():"]


def test_of_many_definitions_the_names_that_come_first_are_kept_whatever_the_hash_seed() -> None:
    program = (
        "from tests.unit.history.work_map.examples import file_facts, tool_call, work_map_of;"
        "lines = [f'def load_part_{number}(): return read_part_{number}()' for number in range(90)];"
        "work = work_map_of(*tool_call('Write', 'done', file_path='a.py', content='\\n'.join(lines)));"
        "print(sorted(file_facts(work, 'a.py').names))"
    )
    found = outputs_over_seeds(program)
    assert len(found) == 1
    assert "load_part_0" in found.pop()


def test_a_change_that_nobody_saw_makes_kept_text_worthless() -> None:
    work = work_map_of(*edit_call("a.py", "x", "some_value = 1"), *tool_call("Bash", command="sed -i s,1,2, a.py"))
    assert (file_facts(work, "a.py").excerpts, file_facts(work, "a.py").edits) == ((), 2)


def test_a_write_replaces_all_that_was_kept() -> None:
    work = work_map_of(
        *edit_call("a.py", "x", "old_value = 1"),
        *tool_call("Write", "done", file_path="a.py", content="\nnew_value = 2\n"),
    )
    assert file_facts(work, "a.py").excerpts == ((4, ("new_value = 2",)),)


def test_an_edit_that_failed_did_not_happen() -> None:
    failed = tool_call("Edit", "not found", Status.FAILED, file_path="a.py", old_string="x", new_string="y")
    assert work_map_of(*failed).files == ()


def test_a_deleted_file_is_known_as_deleted() -> None:
    work = work_map_of(
        *tool_call("Write", "done", file_path="a.py", content="x"), *tool_call("Bash", command="rm a.py")
    )
    assert (file_facts(work, "a.py").deleted, file_facts(work, "a.py").created, file_facts(work, "a.py").excerpts) == (
        4,
        2,
        (),
    )


def test_a_file_that_was_there_before_is_not_created() -> None:
    made = tool_call("Write", "File created successfully at: /w/a.py", file_path="/w/a.py", content="x = 1")
    over = tool_call("Write", "The file /w/b.py has been updated.", file_path="/w/b.py", content="x = 1")
    read = tool_call("Read", "1→x", file_path="/w/c.py")
    work = work_map_of(*made, *over, *read, *tool_call("Write", "ok", file_path="/w/c.py", content="x = 2"))
    assert [file_facts(work, f"/w/{name}.py").created for name in "abc"] == [2, 0, 0]


def paths(*commands: str, edited: tuple[str, ...] = ("/w/src/a.py",)) -> dict[str, tuple[int, bool]]:
    """The files after commands run in /w, each with how often it was edited and whether it is gone."""
    edits = [message for path in edited for message in edit_call(path, "x", "some_value = 1")]
    ran = [message for command in commands for message in tool_call("Bash", "", command=command)]
    work = work_map_of(*edits, *ran, cwd="/w")
    return {facts.path: (facts.edits, bool(facts.deleted)) for facts in work.files if facts.edits or facts.deleted}


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("mv /w/src/a.py /w/lib/b.py", "/w/lib/b.py"),
        ("cd /w && git mv src/a.py lib/b.py", "/w/lib/b.py"),
        ("git mv src/a.py src/b.py", "/w/src/b.py"),
        ("mv src/a.py lib/; ls", "/w/lib/a.py"),
    ],
)
def test_what_is_known_of_a_file_goes_along_when_it_is_moved(command: str, wanted: str) -> None:
    assert paths(command) == {"/w/src/a.py": (1, True), wanted: (2, False)}


def test_a_moved_file_keeps_its_text() -> None:
    work = work_map_of(
        *edit_call("/w/a.py", "x", "some_value = 1"), *tool_call("Bash", "", command="mv /w/a.py /w/b.py")
    )
    assert file_facts(work, "/w/b.py").excerpts == ((2, ("some_value = 1",)),)


def test_a_file_moved_to_a_known_folder_keeps_its_name() -> None:
    found = paths("mv /w/src/a.py /w/lib", edited=("/w/src/a.py", "/w/lib/z.py"))
    assert found == {"/w/src/a.py": (1, True), "/w/lib/a.py": (1, False), "/w/lib/z.py": (1, False)}


def test_files_go_along_with_their_folder() -> None:
    found = paths("mv src/old src/new", edited=("/w/src/old/a.py", "/w/src/old/in/b.py", "/w/src/c.py"))
    assert found == {
        "/w/src/old": (0, True),
        "/w/src/new/a.py": (1, False),
        "/w/src/new/in/b.py": (1, False),
        "/w/src/c.py": (1, False),
    }


def test_files_of_a_folder_that_was_removed_are_no_longer_told() -> None:
    assert paths("rm -rf src", edited=("/w/src/a.py", "/w/lib/src/b.py")) == {
        "/w/src": (0, True),
        "/w/lib/src/b.py": (1, False),
    }


def test_a_removed_file_is_no_other_one_of_its_name_or_folder() -> None:
    found = paths("rm ./shop a.py", edited=("/w/cmd/shop/main.py", "/w/src/a.py"))
    assert found["/w/cmd/shop/main.py"] == found["/w/src/a.py"] == (1, False)


def test_a_file_that_only_left_the_index_is_still_there() -> None:
    assert paths("git rm --cached src/a.py") == {"/w/src/a.py": (1, False)}


def test_a_script_counts_as_an_edit() -> None:
    assert paths("python3 -c \"open('src/a.py', 'w').write('x')\"") == {"/w/src/a.py": (2, False)}


def test_a_file_that_git_put_back_is_not_edited() -> None:
    restored = tool_call("Bash", "Updated 1 path from the index", command="git checkout -- /shop/a.py")
    work = work_map_of(*edit_call("/shop/a.py", "x", "y"), *restored)
    assert file_facts(work, "/shop/a.py").edited == 0
    staged = tool_call("Bash", "", command="git restore --staged /shop/a.py")
    work = work_map_of(*edit_call("/shop/a.py", "x", "y"), *staged)
    assert file_facts(work, "/shop/a.py").edited == 2


def told(*messages: Message, cwd: str = "/w") -> list[str]:
    return file_lines(work_map_of(*messages, cwd=cwd), {}, chars=2_000)


def test_a_file_that_was_copied_to_its_place_is_not_told_as_created() -> None:
    copied = tool_call("Bash", "", command="cp /tmp/cart.py /w/src/cart.py && ls")
    listed = tool_call("Bash", "src/cart.py\nsrc/tax.py", command="git ls-files")
    assert told(*copied) == ["src/cart.py (changed, m2)"]
    assert told(*listed, *copied) == ["src/cart.py (changed, m4)"]


def test_a_file_that_a_listing_showed_is_not_created_by_writing_it_anew() -> None:
    write = tool_call("Bash", "", command="cat > src/cart.py <<'EOF'\nx = 1\nEOF")
    listed = tool_call("Bash", "src/cart.py\nsrc/tax.py", command="git ls-files")
    absent = tool_call("Bash", "ls: src/cart.py: No such file or directory", command="ls src/cart.py; true")
    assert told(*write)[0].startswith("src/cart.py (created")
    assert told(*listed, *write)[0].startswith("src/cart.py (edited")
    assert told(*absent, *write)[0].startswith("src/cart.py (created")


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("git checkout -- src/cart.py", ""),
        ("git checkout src/cart.py", "Updated 1 path from the index"),
        ("git restore src/cart.py", ""),
        ("git checkout .", "Updated 1 path from the index"),
        ("git restore .", ""),
        ("git restore src", ""),
        ("git reset --hard", "HEAD is now at 1a2b3c4 Begin"),
        ("git stash", "Saved working directory and index state WIP on main"),
        ("make test; git stash && make test", "Saved working directory and index state WIP on main"),
    ],
)
def test_a_file_that_git_puts_back_is_no_longer_told_as_changed(command: str, printed: str) -> None:
    edit, back = edit_call("/w/src/cart.py", "a", "b"), tool_call("Bash", printed, command=command)
    assert told(*edit, *back) == []
    assert "no commit seen in this session" not in state_lines(work_map_of(*edit, *back, cwd="/w"))


def test_what_comes_out_of_the_stash_is_changed_again() -> None:
    edit = edit_call("/w/src/cart.py", "a", "b")
    stashed = tool_call("Bash", "Saved working directory", command="git stash")
    popped = tool_call("Bash", "Dropped refs/stash@{0}", command="git stash pop")
    both = tool_call("Bash", "Saved working directory\nFAIL\n", command="git stash; go test ./...; git stash pop")
    assert told(*edit, *stashed, *popped) == told(*edit, *both) == ["src/cart.py (edited, m2)"]


@pytest.mark.parametrize("command", ["git checkout main", "git checkout -b fix.py", "git restore --staged src/cart.py"])
def test_a_branch_or_the_index_is_no_file_that_is_put_back(command: str) -> None:
    edit = edit_call("/w/src/cart.py", "a", "b")
    assert told(*edit, *tool_call("Bash", "", command=command)) == ["src/cart.py (edited, m2)"]


def test_new_files_stay_when_git_puts_all_back() -> None:
    new = tool_call("Write", "File created successfully", file_path="/w/src/new.py", content="x = 1\n")
    assert told(*new, *tool_call("Bash", "", command="git checkout ."))[0].startswith("src/new.py (created")
