"""Events and whoever listens to them."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import pytest

import clew
from clew.engine.engine import Engine
from clew.errors import UsageError
from clew.telemetry.events import EVENTS, Bus, Event


def test_listeners_hear_events_of_their_name_and_those_of_all_hear_each() -> None:
    bus, heard = Bus(), list[str]()
    bus.on("recorded", lambda event: heard.append(f"own {event}"))
    bus.on("*", lambda event: heard.append(f"all {event}"))
    bus.emit("recorded", tokens=3)
    bus.emit("purged")
    assert heard == ["own recorded tokens=3", "all recorded tokens=3", "all purged"]


def test_a_name_that_no_event_is_near_to_suggests_none() -> None:
    with pytest.raises(UsageError) as error:
        Bus().on("foo", print)
    assert str(error.value) == "no event 'foo'; clew.telemetry.events.EVENTS has them all; '*' hears all"


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


@pytest.mark.parametrize(
    ("name", "close"),
    [("compacton.complete", "compaction.complete"), ("Recorded", "recorded"), ("critical", "critical.full")],
)
@pytest.mark.stores("memory")
def test_a_name_that_no_event_has_is_refused_with_close_ones(engine: Engine, name: str, close: str) -> None:
    with pytest.raises(UsageError, match=re.escape(close)) as raised:
        engine.on(name, print)
    assert repr(name) in str(raised.value)


def test_every_event_that_is_emitted_has_a_name_to_listen_to() -> None:
    source = "\n".join(path.read_text() for path in sorted(Path(clew.__file__).parent.rglob("*.py")))
    emitted = set(re.findall(r"\.emit\(\s*\"([a-z.]+)\"", source))
    emitted |= {f"compaction.{name}" for name in re.findall(r"self\._emit\(\s*\"([a-z]+)\"", source)}
    assert emitted == EVENTS.keys()


def test_events_that_are_held_are_told_when_their_block_has_ended() -> None:
    bus, heard = Bus(), list[str]()
    bus.on("*", lambda event: heard.append(event.name))
    with bus.held(), bus.held():
        bus.emit("recorded")
        assert heard == []
    assert heard == ["recorded"]


def test_events_of_a_block_that_raises_are_not_told() -> None:
    bus, heard = Bus(), list[str]()
    bus.on("*", lambda event: heard.append(event.name))
    with suppress(ValueError), bus.held():
        bus.emit("recorded")
        raise ValueError
    bus.emit("purged")
    assert heard == ["purged"]
