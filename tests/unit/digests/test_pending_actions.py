"""Actions that wait for their output are kept under the names that stores know."""

from __future__ import annotations

from clew.digests.pending_actions import PendingAction
from clew.domain.values import from_json, to_json
from clew.text.tools.actions import ActionKind


def test_an_action_is_kept_under_the_name_that_stores_know() -> None:
    kept = {"deed": "read", "source": "m4", "path": "a.py"}
    action = PendingAction(kind=ActionKind.READ, source="m4", path="a.py")
    assert to_json(action) == kept
    assert from_json(PendingAction, kept) == action
