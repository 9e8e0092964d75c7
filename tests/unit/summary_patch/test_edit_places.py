"""Where edits were made, and which texts a command replaced afterwards."""

from __future__ import annotations

from clew.domain import Message, Status
from clew.summary_patch.edit_places import EditHistory, read_edit_history
from tests.unit.history.work_map.examples import edit_call, tool_call
from tests.unit.summary_patch.examples import numbered

CART = "/shop/cart.py"
SHOWN = "    10→def total(cart):\n    11→    rate = 2\n    12→    return cart * rate\n"


def history(*messages: Message, commits: tuple[int, ...] = ()) -> EditHistory:
    return read_edit_history(numbered(*messages), root="/shop", commits=commits)


def read(text: str = SHOWN) -> list[Message]:
    return tool_call("Read", text, file_path=CART)


def places(*messages: Message) -> list[tuple[str, int, str]]:
    return [(one.name, one.line, one.fresh) for one in history(*messages).files[CART].places]


def test_a_place_is_the_definition_above_it_in_what_was_read() -> None:
    assert places(*read(), *edit_call(CART, "    rate = 2", "    rate = 3")) == [("total", 11, "rate = 3")]


def test_later_places_are_known_by_what_earlier_edits_left() -> None:
    first = edit_call(CART, "    rate = 2", "    rate = 3\n    rate += fee")
    second = edit_call(CART, "    return cart * rate", "    return round(cart * rate)")
    assert places(*read(), *first, *second)[1] == ("total", 13, "return round(cart * rate)")


def test_where_lines_between_are_not_known_no_definition_is_named() -> None:
    shown = read("    10→def total(cart):\n    40→    rate = 2\n")
    assert places(*shown, *edit_call(CART, "    rate = 2", "    rate = 3")) == [("", 40, "rate = 3")]


def test_names_are_added_and_taken_out() -> None:
    found = history(
        *edit_call(CART, "x = 1", "x = 1\n\ndef tax(): ...\n\ndef fee(): ..."), *edit_call(CART, "def fee(): ...", "")
    )
    assert (found.files[CART].added, found.files[CART].removed) == ({"tax": 1}, {"fee": 3})


def test_an_edit_that_failed_is_none() -> None:
    failed = tool_call("Edit", "no match", Status.FAILED, file_path=CART, old_string="a", new_string="def tax(): ...")
    assert not history(*failed).files


def test_a_command_that_puts_a_file_back_takes_what_no_commit_has() -> None:
    steps = [*edit_call(CART, "x = 1", "def tax(): ..."), *tool_call("Bash", "", command="git checkout -- cart.py")]
    (one,) = history(*steps).replacements
    assert (one.path, one.number, dict(one.names)) == (CART, 3, {"tax": 1})
    assert not history(*steps, commits=(2,)).replacements


def test_a_file_made_of_the_first_lines_keeps_all_but_what_was_appended() -> None:
    steps = [
        *edit_call(CART, "x = 1", "def tax(): ..."),
        *tool_call("Bash", "", command="cat >> cart.py << 'EOF'\ndef fee(): ...\nEOF"),
        *tool_call("Bash", "", command="head -20 cart.py > /tmp/cart.py"),
        *tool_call("Bash", "", command="mv /tmp/cart.py cart.py"),
    ]
    (one,) = history(*steps).replacements
    assert (one.number, dict(one.names)) == (7, {"fee": 3})
