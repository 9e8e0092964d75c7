"""How relevant the parts of a session are: near, picked up later, on topic, critical; and why."""

from __future__ import annotations

from clew.signals.relevance import Relevance, SessionPart, relevances


def part(id: str, last: int, *names: str, topic: float = 0.0, is_critical: bool = False) -> SessionPart:
    return SessionPart(id=id, last=last, tokens=100, names=frozenset(names), topic=topic, is_critical=is_critical)


def scores(*parts: SessionPart, now: int = 100, **newest: int) -> dict[str, float]:
    return {one.id: one.score for one in relevances(parts, now=now, newest=newest)}


def test_what_is_nearer_is_more_relevant() -> None:
    found = scores(part("x1", 10), part("x2", 50), part("x3", 95))
    assert found["x1"] < found["x2"] < found["x3"]


def test_what_later_messages_pick_up_is_more_relevant_than_what_nobody_speaks_of() -> None:
    found = scores(part("x1", 10, "login_token"), part("x2", 11, "dead_code"), login_token=99)
    assert found["x1"] > found["x2"]


def test_a_part_that_picks_up_another_counts_as_a_later_message() -> None:
    found = scores(part("x1", 10, "login_token"), part("x2", 11, "dead_code"), part("x3", 90, "login_token"))
    assert found["x1"] > found["x2"]


def test_a_rare_name_tells_more_than_one_that_stands_everywhere() -> None:
    everywhere = [part(f"x{at}", at, "main") for at in range(3, 9)]
    found = scores(part("x1", 1, "main"), part("x2", 1, "rare_name"), *everywhere, main=99, rare_name=99)
    assert found["x2"] > found["x1"]


def test_closeness_to_the_topic_and_what_is_critical_count() -> None:
    found = scores(part("x1", 10), part("x2", 10, topic=1.0), part("x3", 10, is_critical=True))
    assert found["x1"] < found["x2"] < found["x3"] == 1.0


def test_why_is_told() -> None:
    (one,) = relevances([part("x1", 80, "a.py", "b.py", topic=0.5)], now=100, newest={"a.py": 100})
    assert one == Relevance(
        id="x1", tokens=100, score=0.4343, recency=0.5743, references=0.083, topic=0.5, picked_up=("a.py",)
    )
    assert one.explanation == "recency 0.57; picked up later 0.08 (a.py); topic 0.50"


def test_nothing_is_weighed_where_there_is_nothing() -> None:
    assert relevances([], now=0, newest={}) == []
