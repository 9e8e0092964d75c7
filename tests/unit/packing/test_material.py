"""What a history offers to a snapshot: lines that still hold, names by file, files by how near they are."""

from __future__ import annotations

from dataclasses import replace

from clew.domain import Message
from clew.packing import material as module
from clew.packing.material import SnapshotMaterial, collect_material
from tests.builders import call, gives, injected, output, says, user


def history(*messages: Message) -> list[Message]:
    return [replace(message, id=f"m{at}") for at, message in enumerate(messages, start=1)]


def edit(id: str, path: str, old: str, new: str) -> Message:
    return says(call(id, "Edit", file_path=path, old_string=old, new_string=new))


def read(id: str, path: str) -> Message:
    return says(call(id, "Read", file_path=path))


def texts(material: SnapshotMaterial) -> list[str]:
    return list(material.lines)


def test_lines_that_an_edit_removed_are_no_candidates() -> None:
    material = collect_material(
        history(
            read("c1", "/shop/src/cart.py"),
            gives(output("c1", "total = price * count\nname = 'cart'")),
            edit("c2", "/shop/src/cart.py", "total = price * count", "total = sum(prices)"),
        ),
        "/shop",
    )
    assert texts(material) == ["name = 'cart'", "total = sum(prices)"]


def test_a_line_that_was_put_back_is_a_candidate_again() -> None:
    material = collect_material(
        history(
            edit("c1", "/shop/cart.py", "total = price * count", "total = sum(prices)"),
            edit("c2", "/shop/cart.py", "total = sum(prices)", "total = price * count"),
        )
    )
    assert texts(material) == ["total = price * count"]


def test_line_numbers_and_reminders_of_the_client_are_no_part_of_a_file() -> None:
    shown = "  1→first_line = 1\n  2→second_line = 2\n<system-reminder>\nBe careful with this.\n</system-reminder>"
    material = collect_material(history(read("c1", "/shop/cart.py"), gives(output("c1", shown))))
    assert texts(material) == ["first_line = 1", "second_line = 2"]


def test_what_an_assistant_puts_around_an_output_is_no_candidate() -> None:
    shown = "Chunk ID: 12ab34\nWall time: 0.2 seconds\nProcess exited with code 0\nall went well"
    material = collect_material(history(says(call("c1", "exec_command", cmd="make all")), gives(output("c1", shown))))
    assert texts(material) == ["make all", "all went well"]


def test_a_request_is_no_candidate_but_what_a_client_put_in_is() -> None:
    material = collect_material(history(user("please mend the cart"), injected("Summary: the cart was mended")))
    assert texts(material) == ["Summary: the cart was mended"]


def test_names_are_bound_to_the_file_they_were_used_with() -> None:
    material = collect_material(history(edit("c1", "/shop/src/cart.py", "", "def total_price(itemList):")), "/shop")
    assert set(material.bound_names) == {("src/cart.py", "total_price"), ("src/cart.py", "itemList")}


def test_folders_on_the_way_are_no_names_of_a_file() -> None:
    material = collect_material(
        history(edit("c1", "/home/shopOwner/src/cart.py", "", "# shopOwner itemList")), "/home/shopOwner"
    )
    assert set(material.bound_names) == {("src/cart.py", "itemList")}


def test_a_folder_that_was_searched_is_no_file() -> None:
    material = collect_material(history(says(call("c1", "Grep", pattern="total_price", path="/shop/src"))), "/shop")
    assert dict(material.files) == {}
    assert texts(material) == ["total_price"]


def test_a_file_counts_more_when_changed_than_when_read_than_when_printed() -> None:
    material = collect_material(
        history(
            says(
                call("c1", "Edit", file_path="/shop/a/one.py", old_string="", new_string="one"),
                call("c2", "Read", file_path="/shop/a/two.py"),
            ),
            gives(output("c1", "done"), output("c2", "see a/three.py")),
        ),
        "/shop",
    )
    assert sorted(material.files, key=material.files.__getitem__, reverse=True) == [
        "a/one.py",
        "a/two.py",
        "a/three.py",
    ]


def test_what_is_near_counts_more_than_what_is_far() -> None:
    filler = [says("nothing to tell of here") for _ in range(40)]
    material = collect_material(history(says("use oldName now"), *filler, says("use newName now")))
    assert material.names["newName"] > material.names["oldName"]


def test_only_the_newest_part_of_a_long_history_is_read_closely() -> None:
    many = 2 * module._FAR_MESSAGES
    material = collect_material(history(*(says(f"the step number {at} is done") for at in range(many))))
    assert len(material.lines) == module._FAR_MESSAGES
    assert f"the step number {many - 1} is done" in material.lines


def test_files_are_known_from_further_back_than_lines() -> None:
    long = "\n".join(f"line {at} of a very long answer" for at in range(1_000))
    closely = module._CLOSE_CHARS // len(long) + 1
    material = collect_material(
        history(edit("c1", "/shop/src/cart.py", "", "itemList = []"), *(says(f"{at}{long}") for at in range(closely))),
        "/shop",
    )
    assert list(material.files) == ["src/cart.py"]
    assert "itemList = []" not in material.lines
