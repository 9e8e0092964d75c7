"""Work in the background gives way to what somebody waits for, but not for ever."""

from __future__ import annotations

from threading import Thread

import pytest

from clew import foreground
from clew.foreground import enter_background, give_way, in_foreground


def in_background(steps: list[str], *, to_commit: bool = False) -> Thread:
    def work() -> None:
        enter_background()
        give_way(to_commit=to_commit)
        steps.append("background, committed" if to_commit else "background")

    thread = Thread(target=work)
    thread.start()
    return thread


def test_background_work_waits_while_somebody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreground, "_MOST_SECONDS", 60)
    steps: list[str] = []

    @in_foreground
    def call() -> Thread:
        thread = in_background(steps)
        steps.append("foreground")
        return thread

    call().join()
    assert steps == ["foreground", "background"]


def test_background_work_goes_on_where_the_foreground_never_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreground, "_MOST_SECONDS", 0)
    steps: list[str] = []

    @in_foreground
    def call() -> None:
        in_background(steps).join()

    call()
    assert steps == ["background"]


def test_what_makes_the_foreground_begin_anew_waits_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreground, "_MOST_SECONDS", 0)
    steps: list[str] = []

    @in_foreground
    def call() -> Thread:
        thread = in_background(steps, to_commit=True)
        in_background(steps).join()
        steps.append("foreground")
        return thread

    call().join()
    assert steps == ["background", "foreground", "background, committed"]


def test_who_works_in_the_foreground_waits_for_nobody() -> None:
    @in_foreground
    @in_foreground
    def call() -> str:
        give_way()
        return "done"

    assert call() == "done"


def test_a_call_that_fails_no_longer_counts() -> None:
    @in_foreground
    def call() -> None:
        raise ValueError

    with pytest.raises(ValueError, match=r"^$"):
        call()
    steps: list[str] = []
    in_background(steps).join()
    assert steps == ["background"]
