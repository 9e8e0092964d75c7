"""A pack is a value: built when it is asked for, and neither changed by what follows nor by how it is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import pytest

from clew import rules
from clew.codecs import jsonio, registry
from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.errors import BudgetExceeded, UsageError
from tests.builders import says, user
from tests.effort import first
from tests.recorded_store import open_recorded
from tests.work import work

ASKED = "Which module is next?"
#: That a look writes nothing to a file is shown by test_looking.
pytestmark = pytest.mark.stores("sqlite")


def long_session(engine: Engine) -> None:
    found = engine.session("s", model="claude-sonnet-4-5")
    found.record(work(40), system="Be brief.", tools=[{"name": "Read", "input_schema": {"type": "object"}}])


@pytest.fixture
def engine(store_url: Path | str) -> Iterator[Engine]:
    with open_recorded(store_url, long_session) as opened:
        yield opened


@pytest.fixture
def session(engine: Engine) -> Session:
    return engine.find("s")


def test_what_follows_does_not_change_a_pack(session: Session) -> None:
    pack = session.pack(ASKED, budget=9_000)
    before = deepcopy((pack.request(), pack.text, pack.tokens, pack.sections, pack.left_out, pack.epoch, pack.digest))
    session.record([user(ASKED), says("Module 41."), user("Good."), says("Fine.")])
    session.edit("m1", "Something else.")
    session.compact()
    assert (pack.request(), pack.text, pack.tokens, pack.sections, pack.left_out, pack.epoch, pack.digest) == before


@pytest.mark.parametrize("target", first(["text", *registry.PROVIDERS], 2))
def test_other_shapes_are_renderings_that_write_nothing(session: Session, target: str) -> None:
    pack = session.pack(ASKED, budget=9_000, target=target)
    entries = session.info.entries
    for provider in registry.PROVIDERS:
        body = pack.request(provider)
        assert rules.check(body, provider, final=True) == []
        written = jsonio.dumps(body).decode()
        assert ASKED in written
        assert "Be brief." in written
        assert pack.request(provider) == body
    assert ASKED in pack.text
    assert session.info.entries == entries


def test_asking_for_another_shape_first_changes_nothing(engine: Engine) -> None:
    found = []
    for name, asked_first in (("plain", None), ("turned", "gemini")):
        session = engine.session(name, model="claude-sonnet-4-5")
        session.record(work(40))
        packs = []
        for at in range(4):
            pack = session.pack(f"Step {at}?", budget=9_000)
            if asked_first:
                _ = (pack.request(asked_first), pack.text, pack.sections)
            packs.append(jsonio.dumps(pack.request()).replace(name.encode(), b""))
            session.reply(f"Step {at} is done.")
        found.append(packs)
    assert found[0] == found[1]


def test_the_target_is_the_sessions_provider_unless_it_is_named(engine: Engine) -> None:
    for model, target in (("gpt-5", "openai-chat"), ("gemini-2.5-pro", "gemini"), ("", "anthropic")):
        session = engine.session(f"of {target}", model=model)
        session.record([user("Hello.")])
        assert session.pack(ASKED).target == target
        assert session.pack(ASKED, target="openai-responses").target == "openai-responses"


def test_what_cannot_be_packed_says_so_at_once(session: Session) -> None:
    with pytest.raises(BudgetExceeded):
        session.pack(ASKED, budget=100)
    with pytest.raises(UsageError, match="openai-chat"):
        session.pack(ASKED, target="fax")
    with pytest.raises(UsageError, match=r"pack\.text"):
        session.pack(ASKED, target="text").request()


def test_a_pack_of_a_text_writes_nothing(session: Session) -> None:
    entries = session.info.entries
    assert session.pack(ASKED, budget=4_000, target="text").text
    assert session.info.entries == entries
