from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.config import Config, KnowledgeConfig
from clew.domain.modules import Module, ModuleKind, Priority
from clew.engine.engine import Engine
from clew.engine.prompt.pack import Pack
from clew.engine.session import Session
from tests.embedders import SynonymEmbedder, opened_with

BASE = Module(id="base", name="Base", content="The shop runs on three machines in Oslo.")
DEPLOY = Module(
    id="deploy",
    name="Deploying",
    content="# Release\nRun the release script.\n\n# Rollback\nRun the rollback script.",
    dependencies=("base",),
    priority=Priority.HIGH,
    usage_scope="release or rollback",
)
TONE = Module(id="tone", name="Tone", content="Answer in short sentences.", usage_scope="system")
RULES = Module(id="rules", name="Rules", content="Never push on Fridays.", usage_scope="always")
SKILL = Module(
    id="forms",
    name="PDF forms",
    description="fills forms",
    content="Use qpdf to fill forms, then flatten the file.",
    kind=ModuleKind.SKILL,
)
LAW = Module(id="law", name="Law", content="Contracts are void without a stamp.", usage_scope="on request")


def opened(engine: Engine) -> Session:
    session = engine.session("a", model="claude-sonnet-5", window=200_000)
    session.record([clew.user("hello"), clew.assistant("hi")], system="You are a clerk.")
    return session


def knowledge(pack: Pack) -> tuple[str, ...]:
    return next((one.sources for one in pack.sections if one.name == "knowledge"), ())


def body(pack: Pack) -> str:
    return json.dumps(pack.request("anthropic"), ensure_ascii=False)


def test_required_modules_come_whole_and_after_what_they_build_on(engine: Engine) -> None:
    engine.knowledge.add(BASE, DEPLOY, RULES, LAW)
    pack = opened(engine).pack("how do I do a rollback of the release?", budget=8_000)
    assert knowledge(pack) == ("base#1", "deploy#1", "deploy#2", "rules#1")
    assert "[deploy] Deploying (priority high)" in body(pack)
    assert "void without a stamp" not in body(pack)


def test_system_modules_stand_behind_the_callers_prompt_until_the_epoch_ends(engine: Engine) -> None:
    engine.knowledge.add(TONE)
    session = opened(engine)
    first: Any = session.pack("one question", budget=8_000).request("anthropic")["system"]
    assert [one["text"] for one in first] == [
        "You are a clerk.",
        "[tone] Tone (priority medium)\nAnswer in short sentences.",
    ]
    engine.knowledge.add(Module(id="tone", name="Tone", content="Answer at length.", usage_scope="system"))
    session.record([clew.user("one question"), clew.assistant("yes")])
    assert session.pack("another", budget=8_000).request("anthropic")["system"] == first
    engine.rebuild(session.info)  # which ends epochs
    later: Any = session.pack("another", budget=8_000).request("anthropic")["system"]
    assert [one["text"] for one in later] == ["You are a clerk.", "[tone] Tone (priority medium)\nAnswer at length."]


def test_what_stands_in_the_prompt_is_not_sent_again_and_keeps_its_bytes(engine: Engine) -> None:
    engine.knowledge.add(BASE, RULES)
    session = opened(engine)
    first = session.pack("which machines does the shop have?", budget=40_000)
    assert knowledge(first) == ("rules#1", "base#1")
    session.record([clew.user("which machines does the shop have?"), clew.assistant("three")])
    engine.knowledge.add(Module(id="base", name="Base", content="The shop runs on nine machines in Oslo."))
    second = session.pack("and which machines in Oslo?", budget=40_000)
    assert knowledge(second) == ()
    sent: Any = first.request("anthropic")["messages"]
    again: Any = second.request("anthropic")["messages"]
    assert [one["content"][0]["text"] for one in again[: len(sent)]] == [one["content"][0]["text"] for one in sent]


def test_the_same_pack_again_is_the_same_bytes(engine: Engine) -> None:
    engine.knowledge.add(BASE, DEPLOY, RULES, SKILL)
    session = opened(engine)
    first = session.pack("rollback?", budget=8_000)
    engine.knowledge.remove("rules")
    assert session.pack("rollback?", budget=8_000).digest == first.digest


def test_a_skill_is_one_line_until_the_work_turns_to_it(engine: Engine) -> None:
    engine.knowledge.add(SKILL)
    session = opened(engine)
    first = session.pack("good morning to everyone", budget=40_000)
    assert knowledge(first) == ("forms#0",)
    assert "[forms#0] skill PDF forms: fills forms" in body(first)
    session.record([clew.user("good morning to everyone"), clew.assistant("morning")])
    second = session.pack("please fill these forms", budget=40_000)
    assert knowledge(second) == ("forms#1",)
    assert "Use qpdf" in body(second)


def test_the_model_may_ask_for_a_module_by_its_line(engine: Engine) -> None:
    engine.knowledge.add(SKILL)
    session = opened(engine)
    session.pack("good morning to everyone", budget=8_000)
    session.record([clew.user("good morning to everyone")])
    asked = json.dumps({"conversation_ids": ["forms#0"], "format": "full", "priority": "specific"})
    session.reply(f"One moment.\n<clew-request>{asked}</clew-request>")
    assert "forms#0 (full), as you asked" in body(session.pack("go on", budget=8_000))
    assert session.recall(["forms#1"])[0].text == SKILL.content


def test_chunks_below_the_floor_and_queries_about_something_else_bring_nothing(engine: Engine) -> None:
    engine.knowledge.add(BASE, Module(id="cats", name="Cats", content="Cats sleep in the shop."))
    session = opened(engine)
    assert knowledge(session.pack("machines in Oslo for the shop", budget=8_000, record=False)) == ("base#1",)
    other = "explain monads, functors and applicatives with lenses for a shop"
    assert knowledge(session.pack(other, budget=8_000, record=False)) == ()


def test_with_vectors_a_paraphrase_finds_its_chunk_and_a_common_word_is_not_enough(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    embedder = SynonymEmbedder(same={"computers": "machines", "located": "runs", "branch": "shop"})
    cats = Module(id="cats", name="Pets", content="The cat sleeps all day near warm pipes.")
    paraphrase, other = "located computers, branch?", "cat monads, lenses, functors"
    with clew.open(tmp_path / "clew.db", config=Config()) as engine:
        engine.knowledge.add(BASE, cats)
        assert knowledge(opened(engine).pack(other, budget=8_000, record=False)) == ("cats#1",)
    with opened_with(tmp_path / "clew.db", embedder) as engine:
        engine.knowledge.search("have vectors made")
        engine.wait()
        told = engine.find("a").pack(paraphrase, budget=8_000, record=False)
        assert knowledge(told) == ("base#1",)
        assert knowledge(engine.find("a").pack(other, budget=8_000, record=False)) == ()
    with opened_with(tmp_path / "clew.db", embedder) as engine:
        assert engine.find("a").pack(paraphrase, budget=8_000, record=False).digest == told.digest


def test_a_required_module_without_room_is_cut_and_listed(engine: Engine) -> None:
    text = "\n\n".join(f"Paragraph {number} says {'a lot ' * 40}." for number in range(60))
    engine.knowledge.add(Module(id="long", name="Long", content=text, usage_scope="always"))
    pack = opened(engine).pack("hello again", budget=4_000, record=False)
    assert pack.tokens <= 4_000
    assert knowledge(pack)[0] == "long#1"
    left = [one for one in pack.left_out if one.id == "long"]
    assert len(left) == 1
    assert "no room" in left[0].reason


def test_a_text_has_the_system_modules_too(engine: Engine) -> None:
    engine.knowledge.add(TONE)
    assert "Answer in short sentences." in opened(engine).pack("hello", budget=2_000, target="text").text


def test_a_tool_response_and_a_pack_without_input_bring_nothing(engine: Engine) -> None:
    engine.knowledge.add(RULES)
    assert knowledge(opened(engine).pack(None, budget=8_000)) == ()


def test_priority_decides_between_chunks_that_match_alike(engine: Engine) -> None:
    for priority in (Priority.LOW, Priority.HIGH, Priority.MEDIUM):
        engine.knowledge.add(Module(id=f"m-{priority}", name="N", content="Rotate the keys.", priority=priority))
    assert [one.module for one in engine.knowledge.search("rotate keys")] == ["m-high", "m-medium", "m-low"]


def test_the_turns_own_limit_holds(tmp_path: Any) -> None:
    config = Config(knowledge=KnowledgeConfig(turn_tokens=60, chunk_tokens=30))
    with clew.open(tmp_path / "a.db", config=config) as engine:
        text = "\n\n".join(
            f"The key number {number} is rotated every {number} days by the guard." for number in range(40)
        )
        engine.knowledge.add(Module(id="keys", name="Keys", content=text))
        pack = opened(engine).pack("how is the key rotated?", budget=8_000)
        assert 2 <= len(knowledge(pack)) <= 3


def test_units_are_handed_out_as_they_are_known(engine: Engine) -> None:
    engine.knowledge.add(BASE, DEPLOY, TONE, RULES, SKILL)
    found = engine.knowledge.load("which machines does the shop have?", budget=2_000)
    first = next(found)
    engine.knowledge.remove("base", "deploy")  # what is required was ready before anything was looked for
    assert (first.module, first.sources, first.why) == ("rules", ("rules#1",), "required")
    assert [(one.module, one.why) for one in found] == [("tone", "required"), ("forms", "a skill")]


def test_more_is_loaded_on_request(engine: Engine) -> None:
    text = "\n\n".join(f"The key number {number} is rotated every {number} days by the guard." for number in range(40))
    engine.knowledge.add(Module(id="keys", name="Keys", content=text))
    taken: list[str] = []
    for _ in range(2):
        more = [id for one in engine.knowledge.load("key rotated", budget=300, sent=taken) for id in one.sources]
        assert more
        assert not set(more) & set(taken)
        taken += more
    units = list(engine.knowledge.load("key rotated", budget=300))
    assert sum(one.tokens for one in units) <= 300
    assert units[0].why == "matches"


def test_a_session_reads_on_in_a_module(engine: Engine) -> None:
    engine.knowledge.add(BASE, DEPLOY)
    session = opened(engine)
    assert [one.text for one in session.recall(["deploy#1", "deploy#2"])] == [
        "# Release\nRun the release script.",
        "# Rollback\nRun the rollback script.",
    ]


def test_what_vectors_find_comes_when_they_are_made(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    with clew.open(tmp_path / "clew.db", config=Config()) as engine:
        engine.knowledge.add(BASE, RULES)
    embedder = SynonymEmbedder(same={"computers": "machines", "located": "runs", "branch": "shop"})
    with opened_with(tmp_path / "clew.db", embedder) as engine:
        found = engine.knowledge.load("located computers, branch three?", budget=500, wait=60)
        assert next(found).module == "rules"
        assert embedder.texts == []
        assert [one.module for one in found] == ["base"]


def test_a_model_reads_on_by_the_ids_that_it_sees(engine: Engine) -> None:
    engine.knowledge.add(BASE, DEPLOY)
    answer = opened(engine).retrieve(["deploy#2"], format="full", quota=500)
    assert "Run the rollback script." in str(answer)
