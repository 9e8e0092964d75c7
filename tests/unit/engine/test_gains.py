"""What was saved: what was sent is what the provider counted, and what would have been is what it counts without us."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
import pytest

import clew
from clew.compaction.prices import known_price
from clew.curation.markers import with_command
from clew.domain import ContextReport, Message, Usage
from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.server.access_tokens import AccessTokens
from tests.agent_loops.clients import client
from tests.builders import call, gives, output, says, user
from tests.codec_examples.file_reader import jsonl
from tests.conftest import HandClock
from tests.counting_upstream import CountingUpstream
from tests.gateway_server import gateway
from tests.provider_server import provider

MODEL = "claude-sonnet-5"
TURNS = 40


def converse(client: Any, turns: int = TURNS, heard: list[Usage] | None = None) -> None:
    """Asks about one harbour after the other, and sends the whole list each time. What it has ``heard`` of usage."""
    said: list[dict[str, Any]] = []
    for number in range(turns):
        words = f"Harbour {number}: which of its berths are free in winter, and which in summer? " * (10 + number % 7)
        said.append({"role": "user", "content": words})
        found = client.messages.create(model=MODEL, max_tokens=99, system="You look after harbours.", messages=said)
        said.append({"role": "assistant", "content": found.content[0].text})
        told = found.usage
        cached = (told.cache_read_input_tokens or 0) + (told.cache_creation_input_tokens or 0)
        if heard is not None:
            heard.append(Usage(told.input_tokens + cached, told.output_tokens))


@pytest.fixture
def straight() -> CountingUpstream:
    """What the provider counts of the conversation without Clew."""
    upstream = CountingUpstream()
    with provider(upstream) as server:
        converse(client("anthropic", server.url))
    return upstream


@pytest.fixture
def packing(store_url: Path | str) -> Iterator[Engine]:
    with clew.open(store_url, settings={"gateway.max_tokens": 5_000}) as engine:
        yield engine


def assert_true(engine: Engine, through: CountingUpstream, straight: CountingUpstream) -> None:
    total = engine.gain().total
    sent, would = through.total, straight.total
    assert total.sums.calls == len(through.counts)
    assert total.sums.usage == sent
    assert total.sums.would_send == pytest.approx(would.input_tokens, rel=0.03)
    price = known_price(MODEL, {})
    assert price
    assert total.dollars == pytest.approx(price.cost(sent))
    assert total.would_dollars == pytest.approx(price.cost(would), rel=0.05)
    assert total.saved_tokens > would.input_tokens / 2


def test_what_the_gateway_saves_is_what_the_provider_counts_without_it(
    packing: Engine, straight: CountingUpstream
) -> None:
    through = CountingUpstream()
    with provider(through) as server, gateway(packing, server.url) as url:
        converse(client("anthropic", url))
        assert_true(packing, through, straight)
        told = httpx2.get(f"{url}/api/gain?by=model").json()
        assert told["total"]["measured"]["input_tokens"] == through.total.input_tokens
        assert [row["name"] for row in told["rows"]] == [MODEL]
        assert httpx2.get(f"{url}/api/gain?by=weather").status_code == 400


def test_a_client_that_hears_of_its_history_hears_what_the_provider_counts_without_clew(
    store_url: Path | str, straight: CountingUpstream
) -> None:
    """From one request to the next, too: nothing jumps where a compaction begins."""
    heard: list[Usage] = []
    settings = {"gateway.max_tokens": 5_000, "gateway.usage": "history"}
    opened = clew.open(store_url, settings=settings)
    with opened as engine, provider(CountingUpstream()) as server, gateway(engine, server.url) as url:
        converse(client("anthropic", url), heard=heard)
        assert max(one.usage.input_tokens for one in engine.find("latest").messages() if one.usage) < 5_500
    assert [one.input_tokens for one in heard] == pytest.approx([one.input_tokens for one in straight.counts], rel=0.03)


def test_what_a_wrapped_client_saves_is_what_the_provider_counts_without_it(
    packing: Engine, straight: CountingUpstream
) -> None:
    through = CountingUpstream()
    with provider(through) as server:
        session = packing.session("s", model=MODEL, client="harbour-bot", project="/srv/harbour")
        converse(clew.wrap(client("anthropic", server.url), session=session, budget=5_000))
    assert_true(packing, through, straight)
    before = packing.gain().as_json()
    for by, name in {"client": "harbour-bot", "project": "/srv/harbour", "model": MODEL}.items():
        assert [line.name for line in packing.gain(by=by).lines] == [name]
    packing.rebuild(session.info)
    assert packing.gain().as_json() == before


LONG = "The parser reads one record after the other and keeps what it cannot read. " * 200


def asked(session: Session, usage: Usage | None, text: str = "", **pack: Any) -> None:
    """One call by a pack, and a reply of which the provider counts this."""
    session.record([user(text or f"Go on. {LONG}")])
    session.pack(None, **{"target": "anthropic", "budget": 100_000} | pack)
    session.record([Message(role=clew.assistant("").role, parts=says("Done.").parts, model=MODEL, usage=usage)])


def test_a_session_that_was_only_imported_has_saved_nothing(engine: Engine, tmp_path: Path) -> None:
    numbers = count()

    def line(kind: str, text: str, **more: Any) -> dict[str, Any]:
        message = {"role": kind, "content": [{"type": "text", "text": text}], **more}
        about = {"sessionId": "s1", "isSidechain": False, "timestamp": "2026-05-01T10:00:00.000Z"}
        return {"type": kind, "uuid": f"u{next(numbers)}", "message": message, **about}

    def replied(text: str, tokens: int) -> dict[str, Any]:
        usage = {"input_tokens": tokens, "output_tokens": 9}
        return line("assistant", text, id=f"msg_{next(numbers)}", model=MODEL, usage=usage)

    path = tmp_path / "s1.jsonl"
    lines = [line("user", LONG), replied(LONG, 9_000), line("user", "more"), replied("so", 12_000)]
    path.write_bytes(jsonl(*lines))
    engine.import_file(path)
    session = engine.find("s1")
    session.health()
    assert not engine.gain().lines
    # Nor do packs that somebody made of it, where its client goes on by itself.
    session.compact(budget=2_000)
    session.pack(None, target="anthropic", budget=2_000)
    path.write_bytes(jsonl(*lines, line("user", LONG), replied("so", 16_000)))
    engine.import_file(path)
    assert engine.gain().total.sums.calls == 0


def test_more_that_was_paid_is_shown_as_such(engine: Engine, clock: HandClock) -> None:
    session = engine.session("s", model=MODEL)
    asked(session, Usage(20_000, 10, 0, 20_000))
    asked(session, Usage(23_000, 10, 20_000, 3_000))
    session.compact(budget=6_000)
    clock.time += 60
    asked(session, Usage(19_000, 10, 0, 19_000))  # the cache is written anew
    line = engine.gain().total
    assert line.saved_tokens > 0
    assert line.saved_dollars < 0
    assert engine.gain().as_json()["total"]["saved"]["estimated_dollars"] < 0


def test_a_cold_cache_would_have_been_written_anew_without_clew_too(engine: Engine, clock: HandClock) -> None:
    session = engine.session("s", model=MODEL)
    asked(session, Usage(20_000, 10, 0, 20_000))
    asked(session, Usage(23_000, 10, 20_000, 3_000))
    session.compact(budget=6_000)
    clock.time += 900
    asked(session, Usage(6_000, 10, 0, 6_000))
    sums = engine.gain().total.sums
    assert sums.would_read == 20_000
    assert sums.would_write == sums.would_send - 20_000


def test_a_conversation_that_would_have_outgrown_the_window_is_compacted_without_clew_too(engine: Engine) -> None:
    session = engine.session("s", model=MODEL)
    asked(session, Usage(990_000, 10))
    asked(session, Usage(995_000, 10))
    session.compact(budget=6_000)
    asked(session, Usage(5_000, 10), "One word.")
    first = engine.gain().total.saved_tokens
    assert first == pytest.approx(990_000, rel=0.01)
    asked(session, Usage(20_000, 10), LONG * 5)  # more than the window has room for
    asked(session, Usage(21_000, 10), "One word.")
    assert engine.gain().total.saved_tokens == pytest.approx(first, rel=0.01)


def test_calls_that_no_provider_has_counted_are_told_apart(engine: Engine) -> None:
    session = engine.session("s", model=MODEL)
    asked(session, Usage(20_000, 10))
    asked(session, None)
    sums = engine.gain().total.sums
    assert (sums.calls, sums.uncounted, sums.sent, sums.would_send) == (2, 1, 20_000, 20_000)


def test_models_without_a_price_cost_nothing_and_are_named(engine: Engine) -> None:
    session = engine.session("s", model="house-model")
    session.record([user("hi")])
    session.pack(None, target="anthropic", budget=9_000)
    session.record([Message(role=clew.assistant("").role, parts=says("a").parts, model="house/m 1", usage=Usage(9, 1))])
    report = engine.gain(by="model")
    assert (report.unpriced, report.total.dollars, report.total.unpriced) == (("house/m 1",), 0.0, 1)
    assert [line.name for line in report.lines] == ["house/m 1"]


def test_what_had_to_be_fetched_back_is_counted(engine: Engine) -> None:
    session = engine.session("s", model=MODEL)
    listing = "\n".join(f"part {number} of the hull is {number * 7} years old" for number in range(200))
    look = says(call("c1", "Bash", command="cat hull.txt"))
    session.record([user("Look."), look, gives(output("c1", listing)), says("Seen."), user(LONG), says(LONG)])
    asked(session, Usage(20_000, 10))
    session.compact(budget=3_000)
    asked(session, Usage(4_000, 10), "And now?")
    fetch, again = call("c2", "mcp__clew__retrieve_context", ids=["x1"]), call("c3", "Bash", command="cat hull.txt")
    session.record([user("What was it?"), says(fetch, again), gives(output("c2", "b " * 500), output("c3", listing))])
    asked(session, Usage(8_000, 10), "And then?")
    sums = engine.gain().total.sums
    assert sums.fetches == 1
    assert 400 < sums.fetched < 700
    assert sums.reread > 2_000


def test_what_hooks_keep_out_of_outputs_is_saved_by_every_later_request(engine: Engine, tmp_path: Path) -> None:
    session = engine.session("s1", client="claude-code")
    session.record([user("hi")])
    log = "\n".join(f"2026-05-01 10:00:{number % 60:02d} INFO request {number} took 5 ms" for number in range(2_000))
    smaller = session.channels.shorten_output(log, tool="Bash", arguments={"command": "make test"})
    assert smaller
    shown = with_command(smaller, "s1")
    usage = {"input_tokens": 9_000, "output_tokens": 9}
    block = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make test"}}
    lines = [
        ("assistant", [block], {"id": "a1", "model": MODEL, "usage": usage}),
        ("user", [{"type": "tool_result", "tool_use_id": "t1", "content": shown}], {}),
        ("assistant", [{"type": "text", "text": "so"}], {"id": "a2", "model": MODEL, "usage": usage}),
    ]
    about = {"sessionId": "s1", "isSidechain": False, "timestamp": "2026-05-01T10:00:00.000Z"}
    told = [
        {"type": kind, "uuid": f"u{at}", "message": {"role": kind, "content": content, **more}, **about}
        for at, (kind, content, more) in enumerate(lines)
    ]
    path = tmp_path / "s1.jsonl"
    path.write_bytes(jsonl(*told))
    engine.import_file(path)
    report = engine.gain(by="client")
    assert [(line.name, line.sums.calls, line.sums.sent) for line in report.lines] == [("claude-code", 1, 9_000)]
    kept_out = session.reader.count(log) - session.reader.count(shown)
    assert report.total.saved_tokens == pytest.approx(kept_out, rel=0.01)


def test_gains_are_each_users_own_and_go_with_their_session(engine: Engine) -> None:
    for name in ("ana", "ben"):
        asked(engine.session("s", user=name, model=MODEL), Usage(20_000, 10))
    assert engine.gain().total.sums.calls == 2
    assert engine.gain(user="ana").total.sums.calls == 1
    assert engine.for_user("ana").gain().total.sums.calls == 1
    engine.purge(engine.key("s", user="ana"))
    assert engine.gain(user="ana").total.sums.calls == 0
    assert engine.gain().total.sums.calls == 1


def test_a_token_tells_of_the_sessions_of_its_user_alone(engine: Engine) -> None:
    _, secret = AccessTokens(engine.store, engine.services.clock).make("laptop", user="ana")
    for name in ("ana", "ben"):
        asked(engine.session("s", user=name, model=MODEL), Usage(20_000, 10))
    with gateway(engine, "http://127.0.0.1:1") as url:
        whole = httpx2.get(f"{url}/api/gain").json()
        own = httpx2.get(f"{url}/api/gain", headers={"authorization": f"Bearer {secret}"}).json()
    assert (whole["total"]["calls"], own["total"]["calls"]) == (2, 1)


def test_days_are_told_apart_and_chosen(engine: Engine, clock: HandClock) -> None:
    session = engine.session("s", model=MODEL)
    asked(session, Usage(20_000, 10))
    clock.time += 86_400
    asked(session, Usage(23_000, 10))
    days = [line.name for line in engine.gain().lines]
    assert days == ["2027-01-15", "2027-01-16"]
    assert [line.name for line in engine.gain(since=clock.time).lines] == days[1:]


def test_what_clew_answered_for_the_model_is_paid_and_would_not_have_been(engine: Engine) -> None:
    def answered(session: Session, asked: Usage, fetched: int) -> None:
        used = asked.input_tokens + fetched
        session.channels.report(ContextReport(used=used, asked=asked, fetches=2, fetched=fetched))

    session = engine.session("s", model=MODEL)
    asked(session, Usage(20_000, 10, 0, 20_000))
    asked(session, Usage(23_000 + 24_000, 20, 43_000, 4_000))  # two requests, the second with what was fetched
    answered(session, Usage(23_000, 10, 20_000, 3_000), 1_000)
    sums = engine.gain().total.sums
    assert (sums.sent, sums.would_send, sums.fetches, sums.fetched) == (67_000, 43_000, 2, 1_000)
    assert (sums.would_read, sums.would_write) == (20_000, 23_000)
    assert engine.gain().total.saved_dollars < 0
    assert session.health().tokens_used == pytest.approx(24_000, rel=0.01)
    asked(session, Usage(27_000, 10, 24_000, 3_000))
    assert engine.gain().total.sums.would_send == pytest.approx(43_000 + 26_000, rel=0.01)
    session.compact(budget=6_000)
    asked(session, Usage(9_000 + 10_000, 20))
    before = engine.gain().total.sums
    answered(session, Usage(9_000, 10), 1_000)
    after = engine.gain().total.sums
    assert (after.would_send, after.sent) == (before.would_send, before.sent)
    assert after.fetches == 4


def test_what_a_client_was_told_of_usage_does_not_count_where_the_provider_was_heard(
    engine: Engine, tmp_path: Path
) -> None:
    session = engine.session("s1", model=MODEL)
    session.record([user("hi")])
    session.pack(None, target="anthropic", budget=100_000)
    usage = {"input_tokens": 500, "output_tokens": 9}
    said = {"role": "assistant", "model": MODEL, "content": [{"type": "text", "text": "so"}], "id": "msg_1"}
    session.reply(said | {"type": "message", "usage": usage}, format="anthropic")
    told = said | {"usage": {"input_tokens": 90_000, "output_tokens": 9}}
    about = {"sessionId": "s1", "isSidechain": False, "timestamp": "2027-01-15T10:00:00.000Z"}
    path = tmp_path / "s1.jsonl"
    path.write_bytes(jsonl({"type": "assistant", "uuid": "u1", "message": told, **about}))
    engine.import_file(path)
    assert engine.gain().total.sums.sent == 500
