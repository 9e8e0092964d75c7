"""The figures of one session agree in every command, each says what it counts, and numbers of tokens can be hidden."""

from __future__ import annotations

import re

import clew
from clew.config import Config
from clew.domain import Usage
from tests.builders import call, says, user
from tests.conftest import HandClock
from tests.journeys.program import Program
from tests.work import work


def stored(program: Program) -> str:
    """A session whose provider has counted its prompt once."""
    with clew.open(program.store, config=Config()) as engine:
        session = engine.session("work", model="claude-opus-4-5", title="A long day")
        session.record([user("Hello."), _counted("Hi.", 19_000), *work(30)])
    return "work"


def _counted(text: str, tokens: int) -> clew.Message:
    from dataclasses import replace

    return replace(says(text), usage=Usage(input_tokens=tokens, output_tokens=100))


def test_every_command_tells_of_a_session_alike(clew_program: Program) -> None:
    id = stored(clew_program)
    (listed,) = clew_program("sessions", "--json").json["sessions"]
    shown, health = clew_program("show", id, "--json").json, clew_program("health", id, "--json").json
    assert listed["tokens"] == sum(item["tokens"] for item in shown["items"]) == health["tokens_recorded"]
    assert listed["tokens_source"] == "record"
    now = ("health", "tokens_used", "used_source", "tokens_limit", "limit_source", "utilization")
    assert [listed[name] for name in now] == [health[name] for name in now]
    pack = clew_program("pack", id, "--for", "anthropic", "--json").json
    assert pack["budget"] == health["tokens_limit"]
    assert sum(section["tokens"] for section in pack["sections"]) == pack["tokens"]
    preview, done = (clew_program("compact", id, *look, "--json").json for look in (["--preview"], []))
    same = ("before", "after", "preserved", "summarized", "balance", "counted", "saved_tokens", "strategy")
    assert [preview[name] for name in same] == [done[name] for name in same]
    assert (preview["before"]["tokens"], preview["counted"]) == (pack["tokens"], pack["counted"])
    after = clew_program("pack", id, "--for", "anthropic", "--json").json
    assert (after["tokens"], after["counted"]) == (done["after"]["tokens"], done["counted"])


def test_every_figure_says_what_it_counts(clew_program: Program) -> None:
    id = stored(clew_program)
    listing, outline = clew_program("sessions", COLUMNS="120").out, clew_program("show", id).out
    assert re.search(r"recorded +in use", listing)
    assert re.search(r"messages +in use", clew_program("sessions").out)
    assert re.search(r"id +messages +recorded +request", outline)
    assert outline.splitlines()[-1] == re.search(r"[\d.]+k(?= )", listing)[0] + " tokens recorded"  # type: ignore[index]
    health = clew_program("health", id).out
    assert re.search(r"\(.*k/180\.0k\) as the provider counted .*\n.*of the model's window, 200\.0k less", health)
    how = "upper estimate for claude-opus-4-5: 1.35 times o200k_base"
    assert f"counted:    {how}" in clew_program("compact", id, "--preview").out
    assert f"tokens for anthropic ({how})" in clew_program("pack", id, "--for", "anthropic", "--explain").out
    assert "(by o200k_base)" in clew_program("pack", id, "--explain").out


def test_numbers_of_tokens_are_shown_only_where_the_settings_want_them(clew_program: Program) -> None:
    id = stored(clew_program)
    commands = (
        ("sessions",),
        ("show", id),
        ("show", id, "--as", "tools"),
        ("health", id),
        ("compact", id, "--preview"),
        ("pack", id, "--explain"),
    )
    number = re.compile(r"tokens|\d+\.\dk\b|recorded")
    for command in commands:
        assert number.search(clew_program(*command).out), command
        hidden = clew_program(*command, CLEW_DISPLAY__TOKENS="false")
        assert hidden.code == 0
        assert not number.search(hidden.out), hidden.out
    assert "tokens_used" in clew_program("health", id, "--json", CLEW_DISPLAY__TOKENS="false").json


def test_runs_of_tools_are_shown_with_their_longest_time_failures_and_size(clew_program: Program) -> None:
    clock = HandClock()
    with clew.open(clew_program.store, config=Config(), clock=clock) as engine:
        session = engine.session("boats")
        session.record([user("look"), says(call("c1", "find"), call("c2", "find"))])
        with session.tool("c1") as run:
            clock.time += 75
            run.output("rope " * 2_000)
        with session.tool("c2") as run:
            clock.time += 2.5
            run.output("no such boat", status="failed")
    head, *_, row = clew_program("show", "boats", "--as", "tools").out.splitlines()
    assert head.split() == ["tool", "calls", "succeeded", "failed", "seconds", "longest", "output", "tokens", "largest"]
    assert row.split()[:6] == ["find", "2", "1", "1", "78", "75"]
    (tool,) = clew_program("show", "boats", "--as", "tools", "--json").json["tools"]
    assert {name: tool[name] for name in ("runs", "seconds", "longest", "failed", "output_chars")} == {
        **{"runs": 2, "seconds": 77.5, "longest": 75.0},
        **{"failed": 1, "output_chars": 10_012},
    }


def test_a_preview_says_why_health_tells_of_another_size(clew_program: Program) -> None:
    told = clew_program("compact", stored(clew_program), "--preview").err
    assert re.fullmatch(
        r"clew: `clew health` tells of \S+ tokens, as the provider counted; \S+ are what Clew would send\n", told
    )
