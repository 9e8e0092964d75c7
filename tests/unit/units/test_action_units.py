"""Of what was done, that which cannot be looked up again counts most."""

from __future__ import annotations

from clew.domain import Call, Status
from clew.units.action_units import action_unit, picked_lines
from clew.units.code_lines import command_line
from clew.units.terms import TermUse
from clew.units.unit import Unit
from tests.builders import call, output

NOBODY = TermUse(())


def unit_of(one: Call, text: str = "ok", status: Status = Status.SUCCESS, uses: TermUse = NOBODY) -> Unit | None:
    given = output(one.id, text, status)
    return action_unit(
        one, given, number=5, newest=10, uses=uses, removed=frozenset(), edited={}, is_newest_of_file=True, root="/shop"
    )


def test_a_hunk_comes_with_its_path_from_the_root() -> None:
    unit = unit_of(call("c", "Edit", file_path="/shop/cart.py", old_string="a", new_string="total = sum(prices)"))
    assert unit is not None
    assert unit.text == "cart.py: total = sum(prices)"


def test_a_change_that_failed_or_was_refused_is_none() -> None:
    edit = call("c", "Edit", file_path="/shop/cart.py", old_string="a", new_string="b")
    assert unit_of(edit, status=Status.FAILED) is None
    assert unit_of(edit, status=Status.CANCELED) is None


def test_what_changes_something_elsewhere_is_worth_more_than_a_look() -> None:
    made = unit_of(call("c", "mcp__linear__create_issue", title="Gc breaks the index"), '{"identifier": "ENT-241"}')
    looked = unit_of(call("c", "Bash", command="git log -1"), "On branch main")
    assert made is not None
    assert looked is not None
    assert made.value > looked.value
    assert "ENT-241" in made.text


def test_of_a_long_output_the_lines_that_later_work_uses_are_kept() -> None:
    uses = TermUse([(20, "open store_index.py")])
    text = "\n".join([*(f"noise number {at} of many" for at in range(60)), "src/store_index.py:12: class Store"])
    assert picked_lines(text, 5, uses, limit=120) == "…\nsrc/store_index.py:12: class Store"


def test_a_read_that_nobody_used_is_left_out() -> None:
    assert unit_of(call("c", "Read", file_path="/shop/cart.py"), "x\n" * 400) is None


def test_a_failed_check_tells_what_failed_and_what_was_found() -> None:
    printed = "--- FAIL: TestTotal (0.01s)\n    cart_test.go:12: got 3, want 4\nFAIL"
    unit = unit_of(call("c", "Bash", command="go test ./cart"), printed)
    assert unit is not None
    assert unit.text == "`go test ./cart` failed: --- FAIL: TestTotal (0.01s)\ncart_test.go:12: got 3, want 4"


def test_a_check_that_passed_is_told_by_the_state() -> None:
    assert unit_of(call("c", "Bash", command="pytest -q"), "12 passed in 0.2s") is None


def test_a_hunk_of_which_little_is_left_is_left_out() -> None:
    edit = call("c", "Edit", file_path="/shop/cart.py", old_string="a", new_string="# totals\nreturn sum(self.prices)")
    gone = frozenset({"return sum(self.prices)"})
    made = action_unit(
        edit,
        output("c", "ok", Status.SUCCESS),
        number=5,
        newest=10,
        uses=NOBODY,
        removed=gone,
        edited={},
        is_newest_of_file=True,
        root="",
    )
    assert made is None


def test_a_command_is_shown_from_the_root() -> None:
    assert command_line("cd /shop && make test", "/shop") == "make test"
    assert command_line("cd /other && make test", "/shop") == "cd /other && make test"


def test_of_an_edit_only_what_it_put_in_is_shown() -> None:
    before = "def total(items):\n    found = sum(items)\n    return found"
    after = "def total(items):\n    found = sum(items)\n    return round(found)"
    edit = call("c", "Edit", file_path="/shop/cart.py", old_string=before, new_string=after)
    assert (unit := unit_of(edit)) is not None
    assert unit.text == "cart.py: found = sum(items)\n    return round(found)"
    assert unit_of(call("c", "Edit", file_path="/shop/cart.py", old_string=before, new_string=before[:17])) is None


def test_what_the_state_of_the_repository_tells_is_not_told_twice() -> None:
    assert unit_of(call("c", "Bash", command="git add . && git push -u origin fix"), "branch 'fix' set up") is None
    assert unit_of(call("c", "Bash", command="git checkout -- cart.py"), "Updated 1 path") is not None
    assert unit_of(call("c", "Bash", command='git commit -m "round prices"'), "[main 1ab2c3d] round prices") is None


def test_of_a_commit_its_reasons_are_kept() -> None:
    message = "Round prices\n\nCents were lost in sums.\n\nCo-Authored-By: A <a@b.c>"
    command = f"git add a.py && git commit -m \"$(cat <<'EOF'\n{message}\nEOF\n)\""
    assert (unit := unit_of(call("c", "Bash", command=command), "[main 1ab2c3d] Round prices")) is not None
    assert unit.text == "git commit: Round prices\nCents were lost in sums."


def test_only_a_commit_that_was_made_is_told_as_one() -> None:
    described = "gh pr edit 7 --body \"$(cat <<'EOF'\nRound prices\n\nFixes `git commit --amend`.\nEOF\n)\""
    refused = "git commit -m \"$(cat <<'EOF'\nRound prices\n\nCents were lost.\nEOF\n)\""
    for command, status in ((described, Status.SUCCESS), (refused, Status.FAILED)):
        unit = unit_of(call("c", "Bash", command=command), "hook: 3 problems", status=status)
        assert unit is not None
        assert not unit.text.startswith("git commit:")


def test_of_files_that_were_read_only_prose_is_shown() -> None:
    uses = TermUse([(20, "see checkout_flow")])
    text = "The checkout_flow begins with the cart and ends with the bill."
    assert unit_of(call("c", "Read", file_path="/shop/flow.md"), text, uses=uses) is not None
    assert unit_of(call("c", "Read", file_path="/shop/flow.py"), text, uses=uses) is None


def test_what_is_put_into_a_test_is_worth_less() -> None:
    code, test = (
        unit_of(call("c", "Edit", file_path=path, old_string="a", new_string="total = sum(prices)"))
        for path in ("/shop/cart.py", "/shop/tests/test_cart.py")
    )
    assert code is not None
    assert test is not None
    assert code.value > test.value


def test_of_what_only_looks_short_facts_are_kept() -> None:
    assert unit_of(call("c", "Bash", command="git rev-parse HEAD"), "1ab2c3d4") is not None
    assert unit_of(call("c", "Bash", command="cat cart.py"), "total = 1\n" * 60) is None


def test_what_a_tool_created_elsewhere_is_told_by_its_id() -> None:
    answer = '{"id": "3ecc-99", "identifier": "ENT-241", "url": "https://linear.app/ENT-241", "team": {"id": "t1"}}'
    unit = unit_of(call("c", "mcp__linear__create_issue", title="Round the tax"), answer)
    assert unit is not None
    assert unit.line == 'm5 tool: create_issue "Round the tax" → ENT-241, https://linear.app/ENT-241'
    assert unit.record == "ENT-241"
    page = unit_of(call("c", "mcp__x__create_page", title="Round the tax"), "no data")
    assert page is not None
    assert not page.record
