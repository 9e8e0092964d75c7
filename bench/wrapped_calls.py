"""What a wrapped client adds to a call in a long conversation, in a store on disk.

The caller sends its whole list with each call. Measured is the thread that calls, from the caller's request to the
packed one and from the response to the recorded one. Its CPU stands beside rounds of the reference loop between the
calls: so many rounds, at what a round takes on a quiet machine. What is prepared in the background is ready before a
call, as while a model answers. Calls that begin an epoch are left out.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

import clew
from bench.reference import QUIET_SECONDS, ROUNDS, run_round
from bench.results import Figure
from bench.warm_packs import made_up_exchange
from clew.adapters.clients import ClientCalls
from clew.adapters.requests import ENDPOINTS, ConversationRequest
from clew.adapters.session_state import ModelCall
from clew.domain import Json
from clew.engine.engine import Engine

_ENDPOINT = next(one for one in ENDPOINTS if one.format == "openai-chat")
_BUDGET = 8_000
_LONG, _SHORT, _CALLS = 400, 40, 60
_QUIET_ROUND_MS = QUIET_SECONDS / ROUNDS * 1000


def run(long: int = _LONG, calls: int = _CALLS) -> list[Figure]:
    """A conversation of so many messages goes on for some calls, and one of a tenth of it."""
    if not find_spec("openai"):
        return []
    slow, quick = (_measured(messages, calls) for messages in (long, long * _SHORT // _LONG))
    return [
        Figure("wrapped", "messages", long),
        Figure("wrapped", "calls that went on", len(slow.times), f"of {calls}"),
        Figure("wrapped", "added to a call, median", slow.in_rounds * _QUIET_ROUND_MS, "ms of a quiet machine", "< 10"),
        Figure("wrapped", "added to a call, median", median(slow.times), "ms"),
        Figure("wrapped", "added to a call, p95", quantiles(slow.times, n=20)[-1], "ms"),
        Figure("wrapped", "against a tenth of the messages", slow.in_rounds / quick.in_rounds, "×", "< 1.5"),
    ]


@dataclass
class _Times:
    """Milliseconds of calls: as they passed, of CPU, and the CPU of one round of the reference loop after each."""

    times: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    rounds: list[float] = field(default_factory=list)

    @property
    def in_rounds(self) -> float:
        return median(self.cpu) / median(self.rounds)


def _measured(messages: int, calls: int) -> _Times:
    with TemporaryDirectory() as home, clew.open(Path(home) / "bench.db") as engine:
        return _calls(engine, messages, calls)


def _calls(engine: Engine, messages: int, calls: int) -> _Times:
    session, epochs, found = engine.session("s"), list[object](), _Times()
    engine.on("compaction.complete", epochs.append)
    talk = _talk()
    given = [next(talk) for _ in range(messages)]
    session.record(given, format="openai-chat")
    client = ClientCalls(session, _BUDGET)
    for number in range(calls):
        while (said := next(talk))["role"] != "assistant" or given[-1]["role"] == "assistant":
            given.append(said)
        response = _response(said, number)
        engine.services.background.wait()
        before, begin, cpu = len(epochs), time.perf_counter(), time.thread_time()
        _call(client, list(given), response)
        taken, used = time.perf_counter() - begin, time.thread_time() - cpu
        given.append(said)
        if number and len(epochs) == before:
            found.times.append(taken * 1000)
            found.cpu.append(used * 1000)
            found.rounds.append(_round_ms())
    return found


def _talk() -> Iterator[Json]:
    return (message for at in count() for message in made_up_exchange(at))


def _call(client: ClientCalls, messages: list[Json], response: Any) -> None:
    data = {"model": "gpt-5", "messages": messages}
    request = ConversationRequest(_ENDPOINT, data)
    call = client.begin(request, ModelCall())
    request.with_pack(call.pack)
    call.receive(response)


def _response(said: Json, number: int) -> Any:
    """What the client's package returns."""
    from openai.types.chat import ChatCompletion

    choice = {"index": 0, "finish_reason": "stop", "message": said}
    about = {"id": f"reply-{number}", "object": "chat.completion", "created": 1, "model": "gpt-5"}
    return ChatCompletion.model_validate(about | {"choices": [choice]})


def _round_ms() -> float:
    begin = time.thread_time()
    run_round()
    return (time.thread_time() - begin) * 1000
