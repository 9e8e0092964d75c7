"""Headers of what nothing else names; the oldest roll up into eras that say what is in them, and none is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.domain import Header
from clew.packing.timeline import era_line, timeline_lines


def headers(amount: int) -> list[Header]:
    return [Header(id=f"x{at}", line=f"rename table {at}", tokens=10) for at in range(1, amount + 1)]


def words(text: str) -> int:
    return len(text.split())


def test_headers_that_fit_stay_as_they_are() -> None:
    lines = timeline_lines(headers(2), (), room=100, count=words)
    assert lines == [("x1", "rename table 1"), ("x2", "rename table 2")]


def test_exchanges_that_are_named_elsewhere_have_no_header() -> None:
    assert timeline_lines(headers(3), {1, 3}, room=100, count=words) == [("x2", "rename table 2")]


def test_the_oldest_headers_roll_up_into_an_era_and_the_newest_stay() -> None:
    lines = timeline_lines(headers(9), (), room=40, count=words)
    assert lines[0][0].startswith("x1–")
    assert lines[-1] == ("x9", "rename table 9")
    assert sum(words(f"{id} {line}") + 1 for id, line in lines) <= 40


TALK = (
    "I'm trying to raise the berth prices for August",
    "go on",
    "go on",
    "the berth prices are wrong again",
    "why is CI red on Windows?",
    "can you look at this?",
    "CI is red on Windows again",
    "add a waitlist for the north pier",
    "does the waitlist send mails?",
)


def talk() -> list[Header]:
    return [Header(id=f"x{at}", line=line, topic=line) for at, line in enumerate(TALK, 1)]


def test_an_era_says_how_many_it_stands_for_and_what_is_in_them() -> None:
    span, line = era_line(talk())
    assert (span, line.split(":")[0]) == ("x1–x9", "9 segments")
    assert all(topic in line for topic in ("berth prices", "CI red", "waitlist"))


def test_an_era_says_a_topic_once_and_no_stubs() -> None:
    _, line = era_line(talk())
    assert line.count("berth") == line.count("waitlist") == 1
    assert not any(stub in line for stub in ("go on", "look", "trying"))


def test_eras_tell_what_sets_them_apart() -> None:
    lines = timeline_lines(talk() * 9, (), room=160, count=lambda text: len(text) // 4 + 1)
    eras = [line for _, line in lines if "segments: " in line]
    assert len(eras) == 2


def test_headers_that_say_the_same_stand_once() -> None:
    lines = timeline_lines(talk()[:4], (), room=100, count=words)
    assert [id for id, _ in lines] == ["x1", "x2–x3", "x4"]


@given(st.integers(0, 60), st.integers(12, 200))
def test_every_segment_stands_under_some_id(amount: int, room: int) -> None:
    lines = timeline_lines(headers(amount), (), room=room, count=words)
    spans = [id.removeprefix("x").split("–x") for id, _ in lines]
    covered = [at for span in spans for at in range(int(span[0]), int(span[-1]) + 1)]
    assert covered == list(range(1, amount + 1))
