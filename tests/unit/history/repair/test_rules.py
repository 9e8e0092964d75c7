"""All repair rules together, and where a history may be cut."""

from __future__ import annotations

from clew.history.repair.rules import repair_history, safe_cuts
from tests.builders import call, gives, output, says, user


def test_a_valid_history_comes_back_as_it_was() -> None:
    history = (user("go"), says("on it", call("c1"), call("c2")), gives(output("c1"), output("c2")), says("done"))
    assert repair_history(history) == (history, ())


def test_the_stand_in_is_the_same_every_time() -> None:
    broken = [user("go"), says(call("c1", "bash")), user("and?")]
    assert repair_history(broken) == repair_history(broken)


def test_a_history_is_never_cut_between_a_call_and_its_output() -> None:
    history = [user("go"), says(call("c1"), call("c2")), gives(output("c1")), gives(output("c2")), says("ok")]
    assert safe_cuts(history) == [0, 1, 4, 5]
