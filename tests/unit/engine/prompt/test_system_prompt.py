"""The system prompt of a session's packs: put together in a fixed form, and the same bytes until an epoch ends."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import clew
from clew.config import Config, StorageConfig
from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.errors import BudgetExceeded, UsageError
from tests.builders import says, user
from tests.conftest import HandClock

BUDGET = 12_000
FORM = """You fix boats.

<environment>
Working folder: /srv/boats
Platform: linux
Date: 2026-01-02
Shell: zsh
</environment>

<guardrails>
- Never push to main.
- Ask before deleting.
</guardrails>"""


def environment(date: str = "2026-01-02") -> dict[str, str]:
    return {"shell": "zsh", "date": date, "cwd": "/srv/boats", "platform": "linux"}


def talk(session: Session, words: str = "go on") -> None:
    session.record([user(words), says("done")])


def work(session: Session) -> None:
    """Enough to be worth compacting."""
    for number in range(20):
        session.record([user(f"plank {number}"), says(f"I looked at plank {number}. " + "It is of oak. " * 40)])


def system_of(session: Session, budget: int = BUDGET, **options: Any) -> str:
    return text_of(session.pack(budget=budget, target="anthropic", **options).request())


def text_of(body: Any) -> str:
    (block,) = body["system"]
    text: str = block["text"]
    return text


@pytest.fixture
def session(engine: Engine) -> Session:
    found = engine.session("s")
    talk(found)
    return found


def test_base_environment_and_guardrails_stand_in_a_fixed_order_and_form(session: Session) -> None:
    session.system(
        "You fix boats.\n", environment=environment(), guardrails=["Never push to main.", "Ask before deleting."]
    )
    assert system_of(session) == FORM
    chat = session.pack(budget=BUDGET, target="openai-chat").request()
    assert chat["messages"][0] == {"role": "system", "content": FORM}
    assert session.pack(budget=BUDGET, target="text", record=False).request("openai-chat")["messages"][0] == {
        "role": "system",
        "content": FORM,
    }


@pytest.mark.stores("memory")
def test_an_environment_may_be_an_object_and_nothing_is_read_from_the_machine(session: Session) -> None:
    session.system("Be brief.", environment=SimpleNamespace(cwd=Path("/a"), platform="", date=None, home="/root"))
    assert system_of(session) == "Be brief.\n\n<environment>\nWorking folder: /a\n</environment>"


@pytest.mark.stores("memory")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"base": ""}, "the system prompt is empty; give it a base, an environment or guardrails"),
        ({"base": 7}, "the base of a system prompt must be a text, not a int"),
        ({"base": "x", "environment": 7}, "an environment is a mapping, or has cwd, platform, date; a int has none"),
        ({"base": "x", "guardrails": [7]}, "guardrails must be texts"),
        (
            {"base": "x", "guardrails": None},
            "is of type NoneType; give a string, or a list of them",
        ),
    ],
)
def test_what_is_no_system_prompt_is_refused(session: Session, given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        session.system(**given)


def test_a_change_waits_for_the_next_epoch(session: Session) -> None:
    session.system("Be brief.", environment=environment())
    first = session.pack("one?", budget=BUDGET).request()
    session.record([says("one")])
    session.system("Be long.", environment=environment("2026-01-03"))
    second = session.pack("two?", budget=BUDGET).request()
    assert second["system"] == first["system"]
    assert system_of(session, record=False).startswith("Be brief.")
    session.record([says("two")])
    work(session)
    session.compact("aggressive", keep_recent=1, budget=4_000)
    assert system_of(session).startswith("Be long.")
    assert "2026-01-03" in system_of(session)
    session.undo()
    assert system_of(session).startswith("Be brief.")


def test_another_handle_packs_the_same_bytes_and_begins_epochs_with_what_was_set(
    tmp_path: Path, clock: HandClock
) -> None:
    with clew.open(tmp_path / "s.db", config=Config(), clock=clock) as engine:
        session = engine.session("s")
        session.system("Be brief.", environment=environment())
        talk(session)
        mine = session.pack("one?", budget=BUDGET)
        session.system("Be long.")
    with clew.open(tmp_path / "s.db", config=Config(), clock=clock) as engine:
        other = engine.find("s")
        assert other.pack("one?", budget=BUDGET).digest == mine.digest
        assert system_of(other, BUDGET + 1) == "Be long."  # a stream that begins now
        talk(other, "and the mast?")
        assert system_of(other.fork("t")) == "Be long."


def test_a_base_that_is_a_function_is_asked_when_an_epoch_begins(session: Session, engine: Engine) -> None:
    asked: list[str] = []

    def base() -> str:
        asked.append("?")
        return f"It is hour {len(asked)}."

    session.system(base)
    packs = []
    for _ in range(3):
        packs.append(session.pack("and?", budget=BUDGET).request())
        session.record([says("so")])
    assert len(asked) == 1
    assert set(map(text_of, packs)) == {"It is hour 1."}
    assert system_of(engine.find("s")) == "It is hour 1."
    work(session)
    session.compactor.preview("aggressive", keep_recent=1, budget=4_000)
    session.compact("aggressive", keep_recent=1, budget=4_000)
    assert len(asked) == 1
    hour = system_of(session)
    assert hour == "It is hour 2."
    assert len(asked) == 2
    assert [system_of(session), system_of(engine.find("s"))] == [hour, hour]
    assert system_of(engine.find("s"), BUDGET + 1) == hour


def test_a_function_that_fails_is_named_with_what_it_raised(session: Session) -> None:
    def clock() -> str:
        raise RuntimeError("no time")

    session.system(clock)
    with pytest.raises(UsageError, match="clock that makes the system prompt failed: RuntimeError: no time") as raised:
        session.pack("Hello.")
    assert isinstance(raised.value.__cause__, RuntimeError)


def test_a_function_that_has_to_be_awaited_is_refused(session: Session) -> None:
    async def clock() -> str:
        return "noon"

    with pytest.raises(UsageError, match="cannot be asynchronous"):
        session.system(clock)  # type: ignore[arg-type]


def test_prompts_grow_by_appending_through_changes_and_epochs(session: Session) -> None:
    before: list[Any] = []
    epoch = begun = 0
    for number in range(40):
        session.system(f"Be brief, for the {number}th time.")
        session.record([user(f"step {number}: " + "look at the rope again " * 20), says("I did. " * 20)])
        pack = session.pack(budget=3_000, target="openai-chat")
        messages = pack.request()["messages"]
        if pack.epoch == epoch:
            assert messages[: len(before)] == before
        else:
            assert messages[0]["content"] == f"Be brief, for the {number}th time."
            begun += 1
        before, epoch = messages, pack.epoch
    assert 1 < begun < 20


@pytest.mark.stores("memory")
def test_it_counts_within_the_budget(session: Session) -> None:
    session.system("Be brief. " * 3_000)
    with pytest.raises(BudgetExceeded, match="system"):
        session.pack(budget=4_000)


@pytest.mark.stores("memory")
def test_looking_writes_nothing_of_it(session: Session) -> None:
    session.system(lambda: "Be brief.")
    entries = session.info.entries
    assert system_of(session, record=False) == "Be brief."
    assert session.info.entries == entries


def test_secrets_are_masked_where_the_store_masks_them(tmp_path: Path) -> None:
    config = Config(storage=StorageConfig(mask_secrets=True))
    with clew.open(tmp_path / "s.db", config=config) as engine:
        session = engine.session("s")
        talk(session)
        session.system("Use ghp_" + "a1B2" * 9 + " to push.")
        mine = session.pack(budget=BUDGET)
        assert "a1B2" not in system_of(session)
        assert engine.find("s").pack(budget=BUDGET).digest == mine.digest
