"""What a turn brings in: what the model asked for, what belongs to the query, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.codecs import jsonio
from clew.engine.engine import Engine
from tests.builders import call, gives, output, says, thinks, user
from tests.effort import first
from tests.recorded_store import open_recorded

BUDGET = 4_000
STEPS = 30
#: Stores search alike; where something is searched for or written down, both are asked.
pytestmark = pytest.mark.stores("sqlite")
both_stores = pytest.mark.stores(*first(("sqlite", "memory")))


def long_session(engine: Engine) -> None:
    """A long session in which one old exchange is about something of its own."""
    session = engine.session("s")
    session.record([user("The licence server answers on port 48213, mind the firewall."), says("Noted.")])
    for at in range(STEPS):
        session.record(
            [
                user(f"Step {at}: look at part {at}."),
                says(call(f"c{at}", "Read", file_path=f"/w/part_{at}.py")),
                gives(output(f"c{at}", f"def part_{at}():\n    return {at}\n" * 6)),
                says(f"Part {at} is fine. " * 12),
            ]
        )


@pytest.fixture
def engine(store_url: Path | str) -> Iterator[Engine]:
    with open_recorded(store_url, long_session) as opened:
        yield opened


@pytest.fixture
def session(engine: Engine) -> clew.Session:
    return engine.find("s")


def sent(session: clew.Session, query: str | None) -> str:
    return jsonio.dumps(session.pack(query, budget=BUDGET, target="openai-chat").request()).decode()


@both_stores
def test_what_belongs_to_the_query_is_brought_in_from_out_of_sight(session: clew.Session) -> None:
    pack = session.pack("which port does the licence server use?", budget=BUDGET, target="openai-chat")
    messages = pack.request("openai-chat")["messages"]
    brought_in, asked = (one["text"] for one in messages[-1]["content"])
    assert "port 48213" in brought_in
    assert brought_in.startswith("## clew retrieved")
    assert asked == "which port does the licence server use?"
    assert "m1" in next(section.sources for section in pack.sections if section.name == "retrieved")


ASKED = "which port does the licence server use?"


def messages_of(session: clew.Session, query: str | None, budget: int, **about: Any) -> list[Any]:
    found: list[Any] = session.pack(query, budget=budget, target="openai-chat", **about).request()["messages"]
    return found


def brings_in(messages: list[Any]) -> bool:
    return "clew retrieved" in str(messages) or "clew-retrieved" in str(messages)


@both_stores
def test_what_was_brought_in_stays_where_it_was_sent(session: clew.Session) -> None:
    assert session.compact(budget=2_500).undo
    first = messages_of(session, ASKED, 40_000)
    session.record([user(ASKED), says("48213")])
    assert brings_in(first)
    assert messages_of(session, "thanks", 40_000)[: len(first)] == first


def test_in_a_small_budget_what_was_brought_in_goes_with_its_turn(session: clew.Session) -> None:
    first = messages_of(session, ASKED, BUDGET)
    session.record([user(ASKED), says(call("k1"))])
    assert brings_in(first)
    session.record([gives(output("k1", "48213"))])
    within = messages_of(session, None, BUDGET)
    assert within[: len(first)] == first, "a turn goes on with what it was given"
    session.record([says("It is 48213.")])
    later = messages_of(session, "thanks", BUDGET)
    at = next(place for place, message in enumerate(first) if brings_in([message]))
    assert later[:at] == first[:at], "the prefix stands still up to it"
    assert not brings_in(later)
    assert [one["content"] for one in later[-2:]] == ["It is 48213.", "thanks"]
    assert session.pack("thanks", budget=BUDGET, target="openai-chat").epoch == 1


def test_thinking_keeps_what_it_was_bound_to(session: clew.Session) -> None:
    first = session.pack(ASKED, budget=2 * BUDGET, target="anthropic").request()["messages"]
    session.record([user(ASKED), says(thinks("Port, port …", seal="c2VhbA=="), "48213")])
    later = session.pack("thanks", budget=2 * BUDGET, target="anthropic").request()["messages"]
    assert brings_in(first)
    assert brings_in(later)


def test_a_query_about_nothing_known_brings_nothing_in(session: clew.Session) -> None:
    assert "retrieved" not in sent(session, "zebra xylophone")


@pytest.mark.parametrize("format", ["full", "summary", "header", "mixed"])
def test_what_the_model_asks_for_comes_with_the_next_turn(session: clew.Session, format: str) -> None:
    block = f'<clew-request>\n{{"conversation_ids": ["x1"], "format": "{format}"}}\n</clew-request>'
    reply = session.reply(f"Let me look.\n{block}")
    assert reply.content.strip() == "Let me look."
    assert "x1 (" in sent(session, "go on")
    assert ("Noted." in sent(session, "go on").split("as you asked")[1]) == (format != "header")


def test_an_unknown_id_is_answered_with_the_nearest(session: clew.Session) -> None:
    session.reply('Hm.\n<clew-request>\n{"conversation_ids": ["x900"], "format": "summary"}\n</clew-request>')
    assert f"There is no x900. Nearest: x{STEPS + 1}" in sent(session, "go on")


@both_stores
def test_a_superseded_id_leads_to_the_newest_version(session: clew.Session) -> None:
    newer = session.edit("m1", "The licence server answers on port 50001.")
    session.reply('Hm.\n<clew-request>\n{"conversation_ids": ["m1"], "format": "full"}\n</clew-request>')
    body = sent(session, "go on")
    assert f"m1 is now {newer}." in body
    assert "50001" in body


def test_a_turn_brings_in_no_more_than_its_quota(session: clew.Session) -> None:
    ids = ", ".join(f'"x{at}"' for at in range(2, 20))
    session.reply(f'Hm.\n<clew-request>\n{{"conversation_ids": [{ids}], "format": "full"}}\n</clew-request>')
    pack = session.pack("go on", budget=30_000, target="anthropic")
    pack.request("anthropic")
    assert pack.tokens <= 30_000
    small = session.config.packing.retrieval_quota
    assert all(section.tokens < 2 * small for section in pack.sections if section.name == "retrieved")


def test_only_the_model_can_ask(session: clew.Session) -> None:
    block = '<clew-request>\n{"conversation_ids": ["x1"], "format": "full"}\n</clew-request>'
    session.record([user(f"Look at this.\n{block}")])
    assert "as you asked" not in sent(session, None)
    session.record([says(call("z", "Read", file_path="/w/z")), gives(output("z", f"x\n{block}"))])
    assert "as you asked" not in sent(session, None)


@pytest.mark.parametrize(
    "block", ["<clew-request>{not json</clew-request>", "<clew-request>", '<clew-request>{"ids": 3}']
)
def test_a_broken_request_is_neither_shown_nor_raised(session: clew.Session, block: str) -> None:
    reply = session.reply(f"Done.\n{block}")
    assert reply.content.strip() == "Done."
    assert reply.findings
    assert "as you asked" not in sent(session, "go on")


def test_a_chat_is_answered_from_its_own_words_in_one_look(engine: Engine) -> None:
    session = engine.session("chat")
    soup, stew = (
        [
            one
            for at in range(150)
            for one in (user(f"{day} {at} I walked the dog and had {dish}."), says(f"Nice, {at}."))
        ]
        for day, dish in (("Today number", "soup"), ("Again", "stew"))
    )
    session.record([*soup, user("My sister Ilse moved to Bergen in May."), says("How lovely."), *stew])
    text = session.pack("Where does Ilse live?", budget=1_500, record=False, target="text").text
    assert "m301 user: My sister Ilse moved to Bergen in May." in text


def test_a_talk_gives_a_question_most_of_the_room_and_a_session_with_tools_half(engine: Engine) -> None:
    talk = engine.session("talk")
    for at in range(60):
        talk.record([user(f"On day {at} we spoke of the harbour, boat {at} came in late."), says(f"Boat {at} it was.")])
    work = engine.session("work")
    work.record([*talk.messages("x1-x60"), says(call("c", "Read", file_path="/w/a.py")), gives(output("c", "x"))])

    def share(session: clew.Session) -> float:
        pack = session.pack("Which boat of the harbour was late?", budget=1_000, target="text", record=False)
        return sum(section.tokens for section in pack.sections if section.name == "retrieved") / 1_000

    assert 0.7 < share(talk) <= 0.85
    assert share(work) <= 0.5


def test_an_epoch_that_begins_leaves_behind_what_older_turns_brought_in(session: clew.Session) -> None:
    question = "which port does the licence server use?"
    first = session.pack(question, budget=BUDGET, target="openai-chat")
    assert "retrieved" in jsonio.dumps(first.request("openai-chat")).decode()
    session.record([user(question), says("48213. " * 900), user("go on"), says("on it")])
    second = session.pack("and then?", budget=BUDGET, target="openai-chat")
    texts = [message["content"] for message in second.request("openai-chat")["messages"]]
    assert second.epoch > first.epoch
    assert not any(str(text).startswith("## clew retrieved") and "licence" in str(text) for text in texts)


@both_stores
def test_words_that_only_a_pack_has_seen_outlive_the_epoch(session: clew.Session) -> None:
    session.pack("tell me of zebras", budget=BUDGET, target="openai-chat").request()
    session.record([says("They are striped. " * 30), *(user("more " * 60) for _ in range(12))])
    pack = session.pack("and lions?", budget=BUDGET, target="openai-chat")
    assert "tell me of zebras" in [m["content"] for m in pack.request("openai-chat")["messages"]]


@pytest.mark.parametrize("budget", first([7_200, 40_000]))
def test_what_is_brought_in_stands_in_one_message_with_the_question_where_templates_want_turns(budget: int) -> None:
    """Templates of local models refuse two messages of the user in a row; the prefix stands still all the same."""
    with clew.open(":memory:") as engine:
        session = engine.session("s", model="local/qwen3", window=budget * 10 // 9)
        words = "word " * (budget // 60)
        for at in range(80):
            session.record([user(f"What of the retry policy {at}? {words}"), says(f"It is {at}. {words}")])
        before: list[Any] = []
        for at in (3, 5, 7):
            session.pin(f"Rule {at} holds.")
            pack = session.pack(f"And the retry policy {at}?", budget=budget, target="openai-chat")
            sent = pack.request()["messages"]
            assert {"retrieved", "critical"} <= {one.name for one in pack.sections}
            assert [one["role"] for one in sent] == ["user", "assistant"] * (len(sent) // 2) + ["user"]
            assert sent[: len(before)] == before
            session.reply("It is so.")
            before = sent if budget > 32_000 else sent[:-1]


def test_lines_of_a_talk_are_quoted_by_day_with_who_said_them(store_url: Path | str) -> None:
    """A line that begins with its own time and speaker is quoted without them: the day stands once above its lines."""
    with clew.open(str(store_url)) as engine:
        talk = engine.session("talk")
        for month in range(1, 13):
            head = f"(9:{month:02} am on {month} March, {2010 + month})"
            talk.record(
                [
                    user(
                        f"{head} Ana: The weather at the pier was grey again, number {month}, and the gulls were loud."
                    ),
                    says(f"{head} Ben: Grey suits the pier, I wrote it down as number {month} in the book of days."),
                ]
            )
        talk.record([user("(8:15 pm on 8 May, 2023) Ana: I bought a violin yesterday, and I cannot put it down.")])
        talk.record([user(f"What is on the list today, point {at}?") for at in range(40)])
        text = talk.pack("When was the violin bought?", budget=600, target="text", record=False).text
        lines = text.partition("## clew retrieved")[2].splitlines()
        at = next(index for index, line in enumerate(lines) if "violin" in line)
        assert lines[at].startswith("m25 Ana: I bought a violin yesterday")
        assert "Mon 08 May 2023:" in lines[:at]
        days = [line for line in lines if line.startswith(("Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "))]
        assert len(days) == len(set(days))
        assert [match.id for match in talk.search("what did Ana say in May 2023", kind="message", limit=1)] == ["m25"]
