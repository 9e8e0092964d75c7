"""Events and whoever listens to them."""

from __future__ import annotations

import pytest

from clew.telemetry.events import Bus, Event


def test_listeners_hear_events_of_their_name_and_those_of_all_hear_each() -> None:
    bus, heard = Bus(), list[str]()
    bus.on("pack.done", lambda event: heard.append(f"own {event}"))
    bus.on("*", lambda event: heard.append(f"all {event}"))
    bus.emit("pack.done", tokens=3)
    bus.emit("other")
    assert heard == ["own pack.done tokens=3", "all pack.done tokens=3", "all other"]


def test_a_listener_that_is_taken_off_hears_nothing_more() -> None:
    bus, heard = Bus(), list[Event]()
    off = bus.on("pack.done", heard.append)
    assert (bus.has("pack.done"), bus.has("other")) == (True, False)
    off()
    off()
    bus.emit("pack.done")
    assert (heard, bus.has("pack.done")) == ([], False)


def test_a_listener_that_fails_stops_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    bus, heard = Bus(), list[str]()

    def fails(_event: Event) -> None:
        raise RuntimeError("a listener's fault")

    bus.on("pack.done", fails)
    bus.on("pack.done", lambda event: heard.append(event.name))
    bus.emit("pack.done")
    assert heard == ["pack.done"]
    assert "a listener's fault" in capsys.readouterr().err
