"""Who openly chooses otherwise ends what they chose before, and nothing else."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from clew.codecs import jsonio
from clew.domain.critical import ItemState
from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.signals.critical.candidates import find_candidates
from clew.signals.critical.items import Items, hearing_act
from tests.builders import says, user


def states(*texts: str, every: int = 2) -> list[tuple[str, str]]:
    """The items after a person said these things, each so many messages after the last."""
    items = Items((), 0)
    for number, text in enumerate(texts):
        for candidate in find_candidates(replace(user(text), id=f"m{1 + number * every}")):
            items.apply(hearing_act(candidate, "person"))
    return [(item.text, item.state.value) for item in items.all()]


CHANGES = [
    ("Let's go with Flask for the API.", "Change of plan: FastAPI it is."),
    ("We'll go with PostgreSQL for storage.", "Actually let us use MySQL instead of PostgreSQL."),
    ("We're going with Kafka for the event bus.", "On second thought, RabbitMQ instead of Kafka."),
    ("We decided to keep the monolith.", "Let's not keep the monolith after all, we split it into services."),
    ("We've decided to use Auth0 for login.", "We are dropping Auth0 in favour of Keycloak."),
    ("Let's go with Terraform.", "We've switched from Terraform to Pulumi."),
    ("We'll stick with Mapbox for the maps.", "Let's go with Leaflet rather than Mapbox."),
    ("Let's go with Stripe for payments.", "We're no longer using Stripe, Adyen handles payments now."),
    ("We decided to target iOS 15.", "Change of plan: we target iOS 17."),
    ("We're going with Lambda for the workers.", "I've changed my mind, let's go with Fargate for the workers."),
    ("Let's go with Hugo for the site.", "Not Hugo but Astro."),
    ("We decided to use Svelte for the client.", "New plan: Solid for the client."),
    ("We're going with Celery for background jobs.", "Replace Celery with RQ."),
]
JUST_SAID = [
    ("We decided to use Redis for the cache.", "Scrap that, we'll use memcached."),
    ("Let's stick with Webpack.", "Actually, let's switch to Vite instead."),
    ("We've agreed to use GitHub Actions for CI.", "Scratch that, GitLab CI it is."),
    ("We decided to meet on Tuesdays.", "Change of plans, we meet on Thursdays."),
]


@pytest.mark.parametrize(("earlier", "later"), CHANGES)
@pytest.mark.parametrize("every", [2, 100])
def test_a_choice_that_is_openly_replaced_is_in_force_no_longer(earlier: str, later: str, every: int) -> None:
    assert states(earlier, later, every=every) == [(earlier, "superseded"), (later, "pinned")]


@pytest.mark.parametrize(("earlier", "later"), JUST_SAID)
def test_what_is_not_named_is_what_was_decided_just_before(earlier: str, later: str) -> None:
    assert states(earlier, later) == [(earlier, "superseded"), (later, "pinned")]
    assert (earlier, "pinned") in states(earlier, later, every=100)
    assert (earlier, "pinned") in states(earlier, "Never push to main.", later)


def test_scrap_that_takes_back_what_was_decided_just_before() -> None:
    assert states("We're sticking with Jenkins.", "Scrap that.") == [("We're sticking with Jenkins.", "unpinned")]


def test_of_several_that_choose_what_is_replaced_none_is_left() -> None:
    first, second = "Let's go with Redis for the cache.", "We decided to use Redis for the queue."
    later = "Use Valkey instead of Redis."
    assert states(first, second, later) == [(first, "superseded"), (second, "superseded"), (later, "pinned")]


def test_a_choice_of_a_known_table_is_one_whatever_was_said_before() -> None:
    later = "Actually let us use MySQL instead of PostgreSQL."
    assert states("We use PostgreSQL for storage.", later) == [(later, "pinned")]
    assert states("We use sed for that.", "Actually let us use awk instead of sed.") == []


def test_who_goes_back_has_the_first_choice_again() -> None:
    redis, memcached = "Let's go with Redis for the cache.", "Let's use memcached instead."
    assert states(redis, memcached, "We're back to Redis.") == [(redis, "pinned"), (memcached, "superseded")]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Let's go with Flask for the API.", "What would change if we used FastAPI instead of Flask?"),
        ("We decided to use Redis for the cache.", "Maybe we could use memcached instead of Redis at some point."),
        ("We'll go with PostgreSQL for storage.", "The tutorial uses MySQL instead of PostgreSQL."),
        ("We'll go with PostgreSQL for storage.", "We use SQLite instead of PostgreSQL for the tests."),
        ("We're going with Kafka for the event bus.", "Actually, use tabs in the Makefile."),
        ("Let's stick with Webpack.", "Change of plan: I'll be out on Friday."),
        ("We decided to host on Heroku.", "Scrap that test file, it's empty."),
        ("We've agreed to use GitHub Actions for CI.", "Let's use a for loop instead of map here."),
        ("Let's go with weekly releases.", "Let's go back to the failing test."),
        ("We decided to keep the monolith.", "Suppose we split it into services instead of keeping the monolith."),
        ("We settled on Material UI.", "My colleague says they replaced Material UI with Chakra."),
        ("We're going with Celery for background jobs.", "If Celery is too slow we'll replace Celery with RQ."),
        ("We've decided to use Sass.", "Replace the red in the banner with blue."),
        ("We decided to meet on Tuesdays.", "On second thought, rename the function to load_all."),
        ("Let's go with Stripe for payments.", "We used PayPal instead of Stripe in the old shop."),
        ("We're sticking with Jenkins.", "I thought about GitLab instead of Jenkins, but no."),
        ("Let's go with protobuf for the messages.", "Let's not use protobuf for the config files."),
        ("We're going with Lambda for the workers.", "Should we scrap that and go with Fargate?"),
        ("Let's go with Flask for the API.", "Actually, let's use pytest instead."),
        ("We decided to use Redis for the cache.", "Use port 8080 instead."),
        ("We decided to keep Python 3.9.", "ok use 2 workers instead"),
        ("Always document the Redis keys.", "Use Valkey instead of Redis."),
    ],
)
def test_who_only_speaks_of_another_choice_ends_none(earlier: str, later: str) -> None:
    assert (earlier, "pinned") in states(earlier, later)


FLASK, FASTAPI = CHANGES[0]


def talk(engine: Engine, *said: str) -> Session:
    session = engine.session("s", model="gpt-5")
    for text in said:
        session.record([user(text), says("Fine.")])
    return session


def read_pages(session: Session) -> None:
    for number in range(12):
        session.record([user(f"Read page {number}."), says(f"Page {number} tells of the sea. " * 80)])


def sent(session: Session) -> str:
    return jsonio.dumps(session.pack("And now?", budget=4_000).request()).decode()


@pytest.mark.stores("memory")
def test_it_holds_again_when_the_message_that_replaced_it_is_rolled_back(engine: Engine) -> None:
    session = talk(engine, FLASK, FASTAPI)
    (item,) = (item for item in session.pins(all=True) if item.state is ItemState.SUPERSEDED)
    assert (item.text, item.ended_in) == (FLASK, "m3")
    session.rollback(1)
    assert [item.text for item in session.pins(all=True) if item.is_in_force] == [FLASK]


@pytest.mark.stores("memory")
def test_a_prompt_that_states_it_already_says_that_it_holds_no_longer(engine: Engine) -> None:
    session = talk(engine, FLASK)
    read_pages(session)
    assert f"p1 [decision, m1] {FLASK}" in sent(session)
    session.record([user(FASTAPI), says("Fine.")])
    assert f"p1 [no longer in force] {FLASK}" in sent(session)
    session.record([user("We're back to Flask."), says("Fine.")])
    again = sent(session)
    assert f"p1 [decision, m1] {FLASK}" in again
    assert "no longer in force" not in again


@pytest.mark.stores("memory")
@pytest.mark.parametrize(("earlier", "later"), CHANGES + JUST_SAID)
def test_no_pack_states_both_as_rules(engine: Engine, earlier: str, later: str) -> None:
    session = talk(engine, earlier, later)
    read_pages(session)
    assert re.findall(r"\\np\d+ \[[^]]*\] (.*?)\\n", sent(session)) == [later]
