"""Objects that all handles of a session share."""

from __future__ import annotations

import gc

import pytest

from clew.domain import SessionKey
from clew.engine import shared_objects
from clew.engine.shared_objects import SharedObjects


class Thing:
    """Something that is shared."""


def key(id: str) -> SessionKey:
    return SessionKey("t", "u", id)


def test_each_session_has_one_object_of_a_class() -> None:
    shared = SharedObjects()
    first = shared.get_or_make(key("a"), Thing, make=Thing)
    assert shared.get_or_make(key("a"), Thing, make=Thing) is first
    assert shared.get_or_make(key("b"), Thing, make=Thing) is not first


def test_what_somebody_holds_is_not_made_a_second_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_objects, "_MOST_KEPT", 1)
    shared = SharedObjects()
    held = shared.get_or_make(key("a"), Thing, make=Thing)
    shared.get_or_make(key("b"), Thing, make=Thing)
    assert shared.get_or_make(key("a"), Thing, make=Thing) is held


def test_what_is_forgotten_is_made_again() -> None:
    shared, made = SharedObjects(), list[str]()

    def make(name: str) -> Thing:
        made.append(name)
        return Thing()

    for _ in range(2):
        shared.get_or_make(key("a"), Thing, make=lambda: make("a"))
        shared.get_or_make(key("b"), Thing, make=lambda: make("b"))
        shared.forget(key("a"))
        gc.collect()
    assert made == ["a", "b", "a"]
