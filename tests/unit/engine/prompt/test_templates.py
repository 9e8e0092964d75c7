"""Templates of a user's own: how the profile, modules and the input are laid out, frozen with the epoch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.config import Config, KnowledgeConfig
from clew.domain.modules import Module
from clew.engine.engine import Engine
from clew.engine.prompt.pack import Pack
from clew.engine.session import Session


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "templates" / "anthropic").mkdir(parents=True)
    put(tmp_path / "templates", "profile", "user said ({kind}): {text}")
    put(tmp_path / "templates", "module", "M {id}: {text}")
    put(tmp_path / "templates" / "anthropic", "input", "<question>\n{text}\n</question>")
    return tmp_path / "templates"


def put(folder: Path, name: str, text: str) -> None:
    (folder / f"{name}.txt").write_text(f"version: 1\n---\n{text}\n", "utf-8")


@pytest.fixture
def own_engine(folder: Path, tmp_path: Path) -> Iterator[Engine]:
    config = Config(knowledge=KnowledgeConfig(templates=str(folder)))
    with clew.open(tmp_path / "a.db", config=config, person="default") as engine:
        engine.knowledge.add(Module(id="rules", name="Rules", content="No Fridays.", usage_scope="always"))
        engine.profile().set("Call me Ana.")
        yield engine


def opened(engine: Engine) -> Session:
    session = engine.session("a", model="claude-sonnet-5", window=200_000)
    session.record([clew.user("hello"), clew.assistant("hi")], system="You are a clerk.")
    return session


def texts(pack: Pack, target: str = "anthropic") -> list[str]:
    messages: Any = pack.request(target)["messages"]
    return [part["text"] for one in messages for part in one["content"]]


def test_profile_module_and_input_are_laid_out_as_the_templates_say(own_engine: Engine) -> None:
    session = opened(own_engine)
    pack = session.pack("why?", budget=8_000)
    told = json.dumps(pack.request("anthropic"))
    assert "p1 user said (preference): Call me Ana." in told
    assert "M rules: No Fridays." in told
    assert texts(pack)[-1] == "<question>\nwhy?\n</question>"
    assert [one.reason for one in pack.left_out] == []
    plain = session.pack("why?", budget=8_000, target="openai-chat", record=False).request("openai-chat")
    assert plain["messages"][-1]["content"][-1]["text"].endswith("why?")
    assert "<question>" not in json.dumps(plain)


def test_an_epoch_keeps_its_templates_and_what_was_sent_stays(own_engine: Engine, folder: Path, tmp_path: Path) -> None:
    session = opened(own_engine)
    first = texts(session.pack("why?", budget=40_000))
    session.record([clew.user("why?"), clew.assistant("because")])
    put(folder / "anthropic", "input", "Q: {text}")
    put(folder, "module", "N {id}: {text}")
    again = session.pack("and how?", budget=40_000)
    assert texts(again)[: len(first)] == first
    assert texts(again)[-1] == "<question>\nand how?\n</question>"
    config = Config(knowledge=KnowledgeConfig(templates=str(folder)))
    session.record([clew.user("and how?"), clew.assistant("so")])
    with clew.open(tmp_path / "a.db", config=config) as other:
        later = other.find("a")
        told = texts(later.pack("where?", budget=40_000))
        assert told[: len(texts(again))] == texts(again)
        assert told[-1] == "<question>\nwhere?\n</question>"
        other.rebuild(later.info)  # which ends epochs
        assert texts(later.pack("when?", budget=40_000))[-1] == "Q: when?"


def test_what_a_person_said_is_recorded_without_the_template(own_engine: Engine) -> None:
    session = opened(own_engine)
    session.pack("why?", budget=8_000)
    session.reply("because")
    assert [message.text for message in session.messages()][-2:] == ["why?", "because"]
    assert session.pack("why?", budget=8_000, record=False).digest


def test_an_input_too_large_for_its_room_is_clipped_as_ever(own_engine: Engine) -> None:
    pack = opened(own_engine).pack("long " * 4_000, budget=2_000)
    assert pack.tokens <= 2_000
    assert any(one.shown_as == "clipped" for one in pack.left_out)


def test_the_same_input_again_is_the_same_bytes(own_engine: Engine) -> None:
    session = opened(own_engine)
    assert session.pack("why?", budget=8_000).digest == session.pack("why?", budget=8_000).digest
