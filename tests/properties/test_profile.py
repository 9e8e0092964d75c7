"""What one user says of themselves never stands in anything of another user's."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import clew
from tests.builders import says, user
from tests.effort import examples

USERS = ("ana", "ben")
SAYINGS = st.sampled_from(
    [
        "I live in {}.",
        "My name is {}.",
        "I prefer {} over spaces.",
        "I work at {} on the payments team.",
        "I'm allergic to {}.",
        "Never show me {}, I hate it.",
    ]
)
TURNS = st.lists(st.tuples(st.sampled_from(USERS), st.integers(0, 2), SAYINGS), min_size=1, max_size=8)


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TURNS, st.lists(st.sampled_from(USERS), max_size=2))
def test_a_profile_stands_in_packs_of_its_user_alone(turns: list[tuple[str, int, str]], by_hand: list[str]) -> None:
    with clew.open(":memory:") as engine:
        for who in by_hand:
            engine.profile(who).set(f"I like {who}tea.")
        for who, session, saying in turns:
            engine.session(f"{who}{session}", user=who).record([user(saying.format(f"{who}land")), says("Yes.")])
        for who, other in (USERS, USERS[::-1]):
            fresh = engine.session(f"{who}-new", user=who)
            fresh.record([user("Hello."), says("Hi.")])
            told = fresh.pack("Go on.", budget=4_000, target="text").text
            assert f"{other}land" not in told
            assert f"{other}tea" not in told
            assert all(other not in item.text for item in engine.profile(who).show())
            assert all(item.text in told for item in engine.profile(who).show())
