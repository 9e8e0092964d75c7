"""Events and whoever listens to them."""

from __future__ import annotations

import pytest

from clew.telemetry.events import Bus, Event


def test_listeners_hear_events_of_their_name_and_those_of_all_hear_each() -> None:
    bus, heard = Bus(), list[str]()
    bus.on("recorded", lambda event: heard.append(f"own {event}"))
    bus.on("*", lambda event: heard.append(f"all {event}"))
    bus.emit("recorded", tokens=3)
    bus.emit("purged")
    assert heard == ["own recorded tokens=3", "all recorded tokens=3", "all purged"]


def test_a_listener_that_is_taken_off_hears_nothing_more() -> None:
    bus, heard = Bus(), list[Event]()
    off = bus.on("recorded", heard.append)
    assert (bus.has("recorded"), bus.has("purged")) == (True, False)
    off()
    off()
    bus.emit("recorded")
    assert (heard, bus.has("recorded")) == ([], False)


def test_a_listener_that_fails_stops_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    bus, heard = Bus(), list[str]()

    def fails(_event: Event) -> None:
        raise RuntimeError("a listener's fault")

    bus.on("recorded", fails)
    bus.on("recorded", lambda event: heard.append(event.name))
    bus.emit("recorded")
    assert heard == ["recorded"]
    assert "a listener's fault" in capsys.readouterr().err
