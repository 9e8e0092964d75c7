"""A rule is taken back by saying so, and a ban by a permission for good."""

from __future__ import annotations

import pytest

from clew.signals.critical.candidates import found
from clew.signals.critical.revocation import permits
from tests.builders import user


@pytest.mark.parametrize(
    "text",
    [
        "You may push to main now.",
        "You can push to main again.",
        "Pushing to main is allowed from now on.",
        "ok, pushing to main is fine now",
        "Forget the rule about pushing to main.",
        "Pushing to main is no longer forbidden.",
    ],
)
def test_a_permission_for_good_takes_a_ban_back(text: str) -> None:
    assert [(one.lifts, one.subject) for one in found(user(text))] == [(True, "main push")]


@pytest.mark.parametrize("text", ["You may push now.", "You can run the tests now.", "The build is fine now."])
def test_a_permission_for_once_takes_nothing_back(text: str) -> None:
    assert found(user(text)) == ()


def test_only_a_ban_is_taken_back_by_a_permission() -> None:
    assert permits("You may push to main now.")
    assert not permits("Forget the rule about pushing to main.")
