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


def test_the_oldest_are_dropped_where_all_weigh_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    class Heavy(Thing):
        weight = 0

    monkeypatch.setattr(shared_objects, "_MOST_WEIGHT", 10)
    shared, made = SharedObjects(), list[str]()

    def get(name: str) -> Heavy:
        def make() -> Heavy:
            made.append(name)
            return Heavy()

        return shared.get_or_make(key(name), Heavy, make=make)

    for name in ("a", "b", "a", "c", "a", "b", "c"):  # each has grown when the next is asked for
        get(name).weight = 5
        gc.collect()
    assert made == ["a", "b", "c", "b"]
    get("d").weight = 50
    assert get("d").weight == 50
