"""How long a pack takes in a session of a million tokens, on a handle that is warm, against one of a hundredth of it.

Recording is not part of it. A pack that begins an epoch reads everything, and is told apart from one that goes on.
What a compaction, a pack at another budget and a message take of the calling thread is told for half that session.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory

import clew
from bench.results import Figure
from clew.codecs import jsonio
from clew.domain import Json
from clew.engine.engine import Engine
from clew.engine.session import Session

_QUERY = "Which tests failed, and what was done about them?"
_LONG, _SHORT = 20_000, 200
_ROUNDS, _BEGINNINGS = 40, 3
_WARM_BUDGETS = (8_000, 100_000)
_STEPS = 9


def run(long: int = _LONG, rounds: int = _ROUNDS) -> list[Figure]:
    """One message more, then a pack, over and over; without a query, then with one."""
    with TemporaryDirectory() as home, clew.open(Path(home) / "bench.db") as engine:
        sizes = {"long": grow_session(engine, long), "short": grow_session(engine, long * _SHORT // _LONG)}
        totals = {listed.id: listed for listed in engine.sessions()}[sizes["long"].id]
        figures = [
            Figure("warm", "messages", totals.messages),
            Figure("warm", "tokens", totals.tokens),
        ]
        for budget in _WARM_BUDGETS:
            times = {name: _times(session, budget, rounds) for name, session in sizes.items()}
            figures += _time_figures(budget, times["long"], times["short"], rounds=rounds)
        figures += _processor_figures(grow_session(engine, long // 2))
    return figures


def _processor_figures(session: Session) -> Iterator[Figure]:
    """What the calling thread works: a busy machine, and what reads in the background, do not count."""
    group = f"warm, {session.info.messages:,} messages"
    first = _worked(session.compact)
    _pack(session, None, _WARM_BUDGETS[1])
    recorded = median([_worked(partial(_one_more, session, replies=False)) for _ in range(_ROUNDS)])
    again = median([_worked(partial(session.compact, budget=30_000 + at)) for at in range(_BEGINNINGS)])
    other = median([_worked(partial(_pack, session, None, 60_000 + at)) for at in range(_BEGINNINGS)])
    _pack(session, None, _WARM_BUDGETS[1])
    loop = [_worked(partial(session.record, [one], format="openai-chat")) for one in made_up_exchange(_LONG)]
    later = _worked(session.compact)
    yield Figure(group, "first compaction", first, "ms; CPU")
    yield Figure(group, "compacting again", again, "ms; CPU", "< 500")
    yield Figure(group, "pack at another budget", other, "ms; CPU", "< 1000")
    yield Figure(group, f"compacting after a pack and {len(loop)} messages", later, "ms; CPU", "< 500")
    yield Figure(group, "recording a message", recorded, "ms; CPU", "<= 5")
    yield Figure(group, "recording a message of a loop, mean", mean(loop), "ms; CPU", "<= 5")


def _worked(call: Callable[[], object]) -> float:
    """Milliseconds of CPU in this thread."""
    begin = time.thread_time()
    call()
    return (time.thread_time() - begin) * 1000


_Times = dict[str, list[float]]


def _time_figures(budget: int, long: _Times, short: _Times, *, rounds: int) -> Iterator[Figure]:
    group, has_goal = f"warm, {budget:,}", budget == _WARM_BUDGETS[0]
    for name in ("goes on", "goes on, query"):
        yield Figure(group, f"{name}, packs that did", len(long[name]), f"of {rounds}")
        if long[name] and short[name]:
            slow, quick = median(long[name]), median(short[name])
            yield Figure(group, name, slow, "ms", "< 20" if has_goal else "")
            yield Figure(group, f"{name}, a hundredth", quick, "ms")
            yield Figure(group, f"{name}, ratio", slow / quick, "×", "<= 2" if has_goal else "")
    for name in ("first", "begins", "begins, query", "text, query"):
        yield Figure(group, name, median(long[name]), f"ms; a hundredth {median(short[name]):,.0f}")


def _times(session: Session, budget: int, rounds: int) -> _Times:
    """Milliseconds, by what a pack did."""
    times: _Times = {"first": [_pack(session, None, budget)[0]]}
    for name, query in (("", None), (", query", _QUERY)):
        begins, goes_on = times.setdefault(f"begins{name}", []), times.setdefault(f"goes on{name}", [])
        epoch = _pack(session, query, budget)[1]
        for _ in range(rounds):
            _one_more(session, replies=query is not None)
            taken, now = _pack(session, query, budget)
            (goes_on if now == epoch else begins).append(taken)
            epoch = now
        # A budget that was not asked for yet begins an epoch of its own.
        begins += [_pack(session, query, budget + at + 1 + bool(query) * _BEGINNINGS)[0] for at in range(_BEGINNINGS)]
    times["text, query"] = [_text(session, budget) for _ in range(_BEGINNINGS)]
    return times


def _pack(session: Session, query: str | None, budget: int) -> tuple[float, int]:
    """Milliseconds, and the epoch."""
    begin = time.perf_counter()
    pack = session.pack(query, budget=budget, target="anthropic")
    pack.request("anthropic")
    return (time.perf_counter() - begin) * 1000, pack.epoch


def _text(session: Session, budget: int) -> float:
    begin = time.perf_counter()
    assert session.pack(_QUERY, budget=budget, target="text").text
    return (time.perf_counter() - begin) * 1000


def _one_more(session: Session, *, replies: bool) -> None:
    at = session.info.messages
    role = "assistant" if replies or at % 2 else "user"
    session.record([{"role": role, "content": f"Note {at}: the limit of part {at % 89} stays."}], format="openai-chat")


# ── a long session, the same every time ──────────────────────────────────────────────────────────────

_AREAS = ("billing", "search", "upload", "login", "report", "mailer", "cache", "queue", "export", "import")
_VERBS = ("load", "store", "check", "merge", "split", "render", "parse", "drop", "retry", "sort")
_NOUNS = ("invoice", "token", "index", "batch", "user", "record", "header", "window", "cursor", "event")


def grow_session(engine: Engine, messages: int) -> Session:
    session = engine.session(f"warm-{messages}", model="claude-sonnet-4-5", window=200_000)
    batch: list[Json] = []
    exchange = told = 0
    while told < messages:
        batch += list(made_up_exchange(exchange))[: messages - told - len(batch)]
        exchange += 1
        if len(batch) >= 2_000 or told + len(batch) >= messages:
            session.record(batch, format="openai-chat")
            told, batch = told + len(batch), []
    return session


def made_up_exchange(at: int) -> Iterator[Json]:
    """A request, nine steps of one call each, and the last word: 20 messages, about 1,000 tokens."""
    path, name = _file(at), _name(at)
    yield {"role": "user", "content": f"Request {at}: {name} in {path} fails for input {at * 37 % 1009}; mend it."}
    for step in range(_STEPS):
        call, text = _step(at, step)
        id = f"call_{at}_{step}"
        function = {"name": call.pop("tool"), "arguments": jsonio.dumps(call).decode()}
        said = f"Looking at {_name(at + step)} now."
        yield {
            "role": "assistant",
            "content": said,
            "tool_calls": [{"id": id, "type": "function", "function": function}],
        }
        yield {"role": "tool", "tool_call_id": id, "content": text}
    yield {"role": "assistant", "content": f"{name} in {path} now takes {at * 37 % 1009}; its tests pass."}


def _step(at: int, step: int) -> tuple[Json, str]:
    path, name = _file(at + step), _name(at + step)
    if step % 3 == 0:
        rows = [f"{line:>4}\tdef {_name(at * 7 + line)}(value, limit={line * at % 97}):" for line in range(1, 11)]
        return {"tool": "Read", "file_path": path, "offset": at % 50}, "\n".join(rows)
    if step % 3 == 1:
        new = f"    return {name}(value, {at * 31 % 997})"
        return {"tool": "Edit", "file_path": path, "old_string": "    return value", "new_string": new}, "edited"
    rows = [f"{_test(at + one)} {'FAILED' if (at + one) % 11 == 0 else 'PASSED'}" for one in range(6)]
    return {"tool": "Bash", "command": f"pytest {_test(at)}"}, "\n".join([*rows, f"6 run in {at % 60}.{step} s"])


def _file(at: int) -> str:
    return f"src/{_AREAS[at % 10]}/{_NOUNS[at // 10 % 10]}_{at % 37}.py"


def _name(at: int) -> str:
    return f"{_VERBS[at % 10]}_{_NOUNS[at // 3 % 10]}_{at % 61}"


def _test(at: int) -> str:
    return f"tests/{_AREAS[at % 10]}/test_{_NOUNS[at // 10 % 10]}.py::test_{_name(at)}"
