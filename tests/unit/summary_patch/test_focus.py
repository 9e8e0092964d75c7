"""How close a text is to the present work."""

from __future__ import annotations

from clew.history.work_map.view import WorkMap
from clew.summary_patch.focus import Focus, focus_texts
from tests.builders import says, user
from tests.unit.summary_patch.examples import gathered, summary_of

SUMMARY = (
    "1. Files:\n   - `receipts.py` prints\n2. Current Work:\n   - `round_tax` in cart.py\n3. All messages:\n   - hello"
)


def test_what_the_summary_says_of_the_present_work_is_close() -> None:
    focus = Focus(SUMMARY, summary_of(SUMMARY), ())
    assert focus.closeness("`round_tax` is in cart.py") > focus.closeness("`receipts.py` prints")


def test_the_newest_request_is_close() -> None:
    said = gathered(user("Mend `old_thing`."), says("Done."), user("Now mend `print_tax`.")).statements
    focus = Focus("", summary_of(""), focus_texts(WorkMap(), said, ""))
    assert focus.closeness("`print_tax`") > focus.closeness("`old_thing`")
