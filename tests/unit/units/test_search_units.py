"""What searches found and listings showed."""

from __future__ import annotations

from clew.domain import Call
from clew.text.tools.calls import call_actions
from clew.units.search_units import search_unit
from clew.units.unit import Unit
from tests.builders import call

MANY = "\n".join(f"/shop/src/tax/module_{at}.py:{at}:    value = round_tax(price, {at})" for at in range(1, 30))


def found(one: Call, text: str, **edited: int) -> Unit | None:
    known = {path.replace("__", "/"): at for path, at in edited.items()}
    return search_unit(call_actions(one)[0], text, 5, root="/shop", edited=known)


def line(one: Call, text: str, **edited: int) -> str:
    return unit.line if (unit := found(one, text, **edited)) else ""


SEARCH = call("c", "Grep", pattern="round_tax", path="/shop/src")


def test_a_search_tells_where_something_was_found() -> None:
    told = line(SEARCH, "/shop/src/cart.py:12:x = round_tax(1)")
    assert told == "m5 agent searched: `round_tax` in src → src/cart.py:12 x = round_tax(1)"
    told = line(call("c", "Bash", command="cd /shop && grep -rn 'round_tax' src"), "src/cart.py:12:x = round_tax(1)")
    assert told == "m5 agent ran: `grep -rn 'round_tax' src` → src/cart.py:12 x = round_tax(1)"


def test_files_that_were_edited_since_are_left_out() -> None:
    told = search_unit(
        call_actions(SEARCH)[0], "src/a.py\nsrc/b.py\nsrc/c.py", 5, root="/shop", edited={"src/a.py": 9, "src/b.py": 3}
    )
    assert told is not None
    assert told.printed == "src/b.py; src/c.py"
    assert "in files not edited since" in told.text
    assert search_unit(call_actions(SEARCH)[0], "src/a.py", 5, root="/shop", edited={"src/a.py": 9}) is None


def test_many_files_are_listed_by_name_and_all_of_them_where_there_is_room() -> None:
    told = found(SEARCH, MANY)
    assert told is not None
    assert told.printed.startswith("29 files in src/tax/: module_1.py, module_10.py, ")
    assert told.printed.endswith(" more")
    assert told.longer.count("module_") == 29
    assert len(told.paths) == 29


def test_a_listing_tells_the_names() -> None:
    plain = call("c", "Bash", command="ls src")
    assert line(plain, "cart.py\ntax.py\nREADME.md") == "m5 agent ran: `ls src` → cart.py; tax.py; README.md"
    row = "-rw-r--r--  1 ana ana  416 Jan 28 05:19"
    told = line(call("c", "Bash", command="ls -la src"), f"total 8\n{row} .\n{row} cart.py\n{row} tax.py")
    assert told == "m5 agent ran: `ls -la src` → cart.py; tax.py"


def test_a_number_or_a_record_of_data_is_no_find() -> None:
    assert found(call("c", "Bash", command="grep -r 'round_tax' src | wc -l"), "23") is None
    assert found(SEARCH, 'logs/a.log:12:{"time": 1, "msg": "round_tax"}') is None
    assert found(call("c", "Bash", command="make all"), "src/cart.py") is None
