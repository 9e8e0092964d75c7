"""A changed file comes with what was done and why; plans that say nothing are no reason."""

from __future__ import annotations

from clew.text.tools.actions import Action, ActionKind, TextEdit
from clew.units.file_lines import FileChange, changed_again, file_lines
from tests.unit.history.work_map.examples import edit_call, work_map_of


def line(reason: str) -> str:
    work = work_map_of(*edit_call("/shop/a.py", "x", "y"), *edit_call("/shop/b.py", "x", "y"))
    return file_lines(work, {"/shop/b.py": FileChange(reason)}, chars=400)[-1]


def test_a_plan_that_only_says_what_comes_next_is_no_reason() -> None:
    assert line("Let me fix it:").endswith("(edited, m4)")
    assert line("Let me read that function").endswith("(edited, m4)")


def test_a_finding_or_a_plan_that_names_something_is() -> None:
    assert line("The lock is never released. Let me fix it:").endswith("The lock is never released.")
    assert line("Now I'll update `total` to round").endswith("Now I'll update `total` to round")


def test_names_that_changes_defined_are_told_as_long_as_they_stand() -> None:
    added = Action(
        kind=ActionKind.EDIT, path="/shop/b.py", changes=(TextEdit("", "def total():\n    def inner(): ..."),)
    )
    first = changed_again(None, added, "")
    assert first.adds == ("total", "inner")
    renamed = Action(kind=ActionKind.EDIT, path="/shop/b.py", changes=(TextEdit("def total():", "def sum_up():"),))
    assert changed_again(first, renamed, "").adds == ("sum_up", "inner")
    work = work_map_of(*edit_call("/shop/a.py", "x", "y"), *edit_call("/shop/b.py", "x", "y"))
    assert file_lines(work, {"/shop/b.py": first}, chars=400)[-1] == "/shop/b.py (edited, m4) defines total, inner"


def test_hooks_of_git_are_files_and_the_rest_of_its_folder_is_not() -> None:
    work = work_map_of(*edit_call("/shop/.git/hooks/pre-push", "x", "y"), *edit_call("/shop/.git/config", "x", "y"))
    assert [facts.path for facts in work.files] == ["/shop/.git/hooks/pre-push"]


def test_a_reason_that_says_nothing_is_left_out_and_one_is_told_once() -> None:
    assert line("I can see the pattern.").endswith("(edited, m4)")
    work = work_map_of(*edit_call("/shop/a.py", "x", "y"), *edit_call("/shop/b.py", "x", "y"))
    why = FileChange("Prices are kept in cents from now on.")
    told = file_lines(work, {"/shop/a.py": why, "/shop/b.py": why}, chars=400)
    assert told == ["/shop/a.py (edited, m2)", "/shop/b.py (edited, m4) Prices are kept in cents from now on."]


def test_words_about_something_else_are_no_reason() -> None:
    change = Action(kind=ActionKind.EDIT, path="/shop/b.py", changes=(TextEdit("a = 1", "a = 2"),))
    assert changed_again(None, change, "The call of `drop_cart` goes first.").words == ""
    assert changed_again(None, change, "The value of `a` was too small in `b.py`.").words
