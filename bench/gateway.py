"""What a gateway adds to a request with a body of 200 KB, before a provider that answers at once.

All are asked in turn within one run: the provider itself, `clew serve`, and Headroom's and LiteLLM's proxies, where
``CLEW_BENCH_HEADROOM`` and ``CLEW_BENCH_LITELLM`` name folders of virtual environments that have them. What is added
is each time less the median of the provider's own; the CPU of each server's process stands beside it.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from itertools import chain, count
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.request import urlopen

from bench.results import Figure
from bench.warm_packs import made_up_exchange
from clew.domain import Json

_BODY_BYTES = 200_000
_PATH, _MODEL = "/v1/chat/completions", "gpt-5"
_ROUNDS, _STEPS, _CLIENTS, _STARTS, _TURNS = 40, 40, 20, 3, 2
#: Rounds before anything is counted: connections are made, and modules loaded when they are first used.
_WARM_UP = 5
_READY_SECONDS = 120
_KEY = f"sk-{secrets.token_hex(32)}"
PASSING = {"x-clew-bypass": "1"}
#: What a request of a conversation does, the sessions whose first epoch is timed, and requests until it begins.
_WHOLE, _BEGINS, _GOES_ON = "nothing compacted", "new epoch", "within an epoch"
_EPOCHS, _MOST_STEPS, _PAUSE_SECONDS = 5, 20, 0.1


class Asked(NamedTuple):
    """One request: milliseconds to the first byte of the reply's body and to its last, and the epoch that it was in."""

    first: float
    whole: float
    epoch: str


@dataclass
class Target:
    """Who is asked: its address, the process that answers, the headers it is sent, and what it took."""

    name: str
    port: int
    process: subprocess.Popen[str]
    headers: dict[str, str] = field(default_factory=dict)

    def connect(self) -> Callable[[bytes], Asked]:
        """Returns what asks on one connection."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"content-type": "application/json", "authorization": f"Bearer {_KEY}", **self.headers}

        def ask(body: bytes) -> Asked:
            begin = time.perf_counter()
            connection.request("POST", _PATH, body, headers)
            response = connection.getresponse()
            said = response.read(1)
            first = time.perf_counter() - begin
            said += response.read()
            taken = time.perf_counter() - begin
            assert response.status == 200, (self.name, said[:500])
            return Asked(first * 1000, taken * 1000, response.headers.get("x-clew-epoch", ""))

        return ask

    @property
    def cpu(self) -> float:
        """Milliseconds of CPU that the process has used."""
        return _cpu_ms(self.process.pid)


def run(rounds: int = _ROUNDS, steps: int = _STEPS, starts: int = _STARTS) -> list[Figure]:
    """Passing and streaming in turn with the others, many clients at once, then conversations that are managed."""
    with TemporaryDirectory() as home, ExitStack() as stack:
        upstream = stack.enter_context(upstream_server())
        ready = [_seconds_until_ready(Path(home) / f"ready{at}", upstream.port) for at in range(starts)]
        clew = stack.enter_context(clew_server(Path(home) / "own", upstream.port))
        passing = Target("clew", clew.port, clew.process, PASSING)
        rivals = [stack.enter_context(one) for one in _rivals(Path(home), upstream.port)]
        targets = [upstream, passing, *rivals]
        figures = [Figure("gateway", "ready", median(ready), f"s; {max(ready):.2f} at most", "< 2")]
        figures += _passing_figures(targets, rounds)
        figures += _stream_figures(targets, rounds)
        figures += _throughput_figures(targets, rounds)
        figures += _managed_figures(upstream, clew, steps)
        return figures


# ── passing ──────────────────────────────────────────────────────────────────────────────────────────


def _passing_figures(targets: Sequence[Target], rounds: int) -> Iterator[Figure]:
    """Whole replies, everybody in turn."""
    times, cpu = _in_turn(targets, request_body(long_talk()), rounds)
    yield from _added_figures("passing", times, cpu, lambda one: one.whole)


def _stream_figures(targets: Sequence[Target], rounds: int) -> Iterator[Figure]:
    times, cpu = _in_turn(targets, request_body(long_talk(), stream=True), rounds)
    yield from _added_figures("first token", times, cpu, lambda one: one.first, most=10)


def _in_turn(targets: Sequence[Target], body: bytes, rounds: int) -> tuple[dict[str, list[Asked]], dict[str, float]]:
    """What each took, and the CPU of one request in each."""
    asks = {one.name: one.connect() for one in targets}
    for _ in range(_WARM_UP):
        for ask in asks.values():
            ask(body)
    before = {one.name: one.cpu for one in targets}
    found: dict[str, list[Asked]] = {name: [] for name in asks}
    for _ in range(rounds):
        for name, ask in asks.items():
            found[name].append(ask(body))
    return found, {one.name: (one.cpu - before[one.name]) / rounds for one in targets}


def _added_figures(
    what: str,
    times: dict[str, list[Asked]],
    cpu: dict[str, float],
    part: Callable[[Asked], float],
    most: float = 0,
) -> Iterator[Figure]:
    """What each adds to the provider's own time; of ours, also as a share of the others'."""
    straight = median(part(one) for one in times["provider"])
    added = {name: [part(one) - straight for one in found] for name, found in times.items()}
    for name, values in added.items():
        goal = f"< {most:g}" if most and name == "clew" else ""
        yield Figure(f"gateway, {what}", f"{name}, median", median(values), f"ms; CPU {cpu[name]:.1f}")
        yield Figure(f"gateway, {what}", f"{name}, p99", _p99(values), "ms", goal)
    for name, share in (("headroom", 0.5), ("litellm", 0.1)):
        if name in added and not most:
            ratio = _p99(added["clew"]) / _p99(added[name])
            yield Figure(f"gateway, {what}", f"p99 against {name}", ratio, "×", f"<= {share}")


def _throughput_figures(targets: Sequence[Target], rounds: int) -> Iterator[Figure]:
    """Many clients at once; everybody has two turns."""
    rates: dict[str, list[float]] = {one.name: [] for one in targets}
    with ThreadPoolExecutor(_CLIENTS) as pool:
        for target in [*targets] * _TURNS:
            rates[target.name].append(_requests_per_second(target, pool, max(1, rounds // _CLIENTS)))
    found = {name: median(values) for name, values in rates.items()}
    for name, rate in found.items():
        yield Figure(f"gateway, {_CLIENTS} clients", name, rate, "requests/s")
    if "headroom" in found:
        yield Figure(
            f"gateway, {_CLIENTS} clients", "against headroom", found["clew"] / found["headroom"], "×", ">= 1.5"
        )


def _requests_per_second(target: Target, pool: ThreadPoolExecutor, each: int) -> float:
    """Connections are made before, as servers close those that nobody uses for a while."""
    body, asks = request_body(long_talk()), [target.connect() for _ in range(_CLIENTS)]

    def ask_often(ask: Callable[[bytes], Asked]) -> None:
        for _ in range(each):
            ask(body)

    list(pool.map(lambda ask: ask(body), asks))
    begin = time.perf_counter()
    list(pool.map(ask_often, asks))
    return each * _CLIENTS / (time.perf_counter() - begin)


# ── managed ──────────────────────────────────────────────────────────────────────────────────────────


def _managed_figures(upstream: Target, clew: Target, steps: int) -> Iterator[Figure]:
    """Conversations of 200 KB go on: before anything is compacted, and in the epoch that begins then."""
    straight = median(one.whole for one in _in_turn([upstream], request_body(long_talk()), steps)[0]["provider"])
    named = Target("named", clew.port, clew.process, {"x-clew-session": "named"})
    for target in (named, Target("nameless", clew.port, clew.process)):
        before = target.cpu
        times = _conversation(target, steps)
        cpu, group = (target.cpu - before) / steps, f"gateway, {target.name}"
        for what, found in times.items():
            goals = ("< 30", "< 100") if what == _GOES_ON else ("", "")
            if found and what != _BEGINS:
                yield Figure(group, f"{what}, median", median(found) - straight, f"ms; CPU of all {cpu:.1f}", goals[0])
                yield Figure(group, f"{what}, p99", _p99([*found, found[-1]]) - straight, "ms", goals[1])
    others = [Target("", clew.port, clew.process, {"x-clew-session": f"epoch-{at}"}) for at in range(_EPOCHS)]
    begun = [one for target in others for one in _conversation(target, _MOST_STEPS, until_begun=True)[_BEGINS]]
    if begun:
        about = f"ms; {len(begun)} of them, {max(begun) - straight:,.0f} at most"
        yield Figure("gateway, named", "new epoch, median", median(begun) - straight, about, "< 150")


def _conversation(target: Target, steps: int, *, until_begun: bool = False) -> dict[str, list[float]]:
    """Milliseconds of requests by what they did; the first does not count, which records all of it. Between them the
    client does its work, and the server has time for what it does in the background.
    """
    ask, messages, epoch = target.connect(), long_talk(), ""
    times: dict[str, list[float]] = {_WHOLE: [], _BEGINS: [], _GOES_ON: []}
    for at in range(steps):
        asked = ask(request_body(messages))
        is_new = bool(epoch) and asked.epoch != epoch
        if epoch:
            times[_BEGINS if is_new else _GOES_ON if times[_BEGINS] else _WHOLE].append(asked.whole)
        if until_begun and is_new:
            break
        epoch = asked.epoch
        messages += [{"role": "assistant", "content": "word0 word1 word2 word3 word4 "}]
        messages += list(made_up_exchange(10_000 + at))[:1]
        time.sleep(_PAUSE_SECONDS)
    return times


# ── who is asked ─────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def upstream_server() -> Iterator[Target]:
    with _started([sys.executable, "-m", "bench.scripted_upstream"]) as process:
        assert process.stdout
        yield Target("provider", int(process.stdout.readline()), process)


@contextmanager
def clew_server(home: Path, upstream: int, **settings: str) -> Iterator[Target]:
    home.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "clew.cli", "serve", "--port", "0", "--store", str(home / "bench.db")]
    env = {name: value for name, value in os.environ.items() if not name.startswith("CLEW_")}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # installed modules are compiled
    env |= {"HOME": str(home), "PYTHONPYCACHEPREFIX": str(home.parent / "compiled"), **settings}
    with _started([*command, "--upstream", f"openai=http://127.0.0.1:{upstream}"], env) as process:
        assert process.stdout
        found = re.search(r":(\d+) ", process.stdout.readline())
        assert found
        _wait_for(process, int(found[1]), "/healthz")
        yield Target("clew", int(found[1]), process)


@contextmanager
def _headroom(home: Path, upstream: int, folder: str) -> Iterator[Target]:
    """As it passes requests on, without its cache of replies, which would answer all but the first."""
    port, env = _free_port(), os.environ | {"HOME": str(home), "HEADROOM_TELEMETRY": "off"}
    options = ["--no-optimize", "--no-cache", "--no-rate-limit", "--openai-api-url", f"http://127.0.0.1:{upstream}/v1"]
    with _started([f"{folder}/bin/headroom", "proxy", "--port", str(port), *options], env) as process:
        _wait_for(process, port, "/livez")
        yield Target("headroom", port, process)


@contextmanager
def _litellm(home: Path, upstream: int, folder: str) -> Iterator[Target]:
    port, config = _free_port(), home / "litellm.yaml"
    parameters = {"model": f"openai/{_MODEL}", "api_base": f"http://127.0.0.1:{upstream}/v1", "api_key": _KEY}
    config.write_text(json.dumps({"model_list": [{"model_name": _MODEL, "litellm_params": parameters}]}))
    env = os.environ | {"HOME": str(home), "LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MASTER_KEY": _KEY}
    with _started([f"{folder}/bin/litellm", "--config", str(config), "--port", str(port)], env) as process:
        _wait_for(process, port, "/health/liveliness")
        yield Target("litellm", port, process)


_RIVALS = {"CLEW_BENCH_HEADROOM": _headroom, "CLEW_BENCH_LITELLM": _litellm}


def _rivals(home: Path, upstream: int) -> list[AbstractContextManager[Target]]:
    """Those that are installed; of the others it is said that they are left out."""
    for name in _RIVALS:
        if not os.environ.get(name):
            print(f"{name} names no virtual environment: its figures are left out", file=sys.stderr)
    return [open(home, upstream, os.environ[name]) for name, open in _RIVALS.items() if os.environ.get(name)]


def _seconds_until_ready(home: Path, upstream: int) -> float:
    begin = time.perf_counter()
    with clew_server(home, upstream):
        return time.perf_counter() - begin


@contextmanager
def _started(command: list[str], env: Mapping[str, str] | None = None) -> Iterator[subprocess.Popen[str]]:
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, env=env, stdin=quiet, stdout=subprocess.PIPE, stderr=quiet, text=True) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait_for(process: subprocess.Popen[str], port: int, path: str) -> None:
    """Returns once a server answers."""
    end = time.monotonic() + _READY_SECONDS
    while True:
        try:
            with urlopen(f"http://127.0.0.1:{port}{path}", timeout=10):
                return
        except OSError:
            if time.monotonic() > end or process.poll() is not None:
                raise
            time.sleep(0.01)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def _cpu_ms(pid: int) -> float:
    """Milliseconds of CPU that a process has used; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


# ── what is asked ────────────────────────────────────────────────────────────────────────────────────


def long_talk() -> list[Json]:
    """A conversation of 200 KB that waits for its next answer."""
    messages, size = list[Json](), 0
    for message in chain.from_iterable(map(made_up_exchange, count())):
        messages.append(message)
        size += len(json.dumps(message)) + 2
        if size > _BODY_BYTES and message["role"] == "user":
            return messages
    raise AssertionError("there is no end to it")


def request_body(messages: list[Json], *, stream: bool = False) -> bytes:
    return json.dumps({"model": _MODEL, "max_tokens": 5, "stream": stream, "messages": messages}).encode()


def _p99(values: Sequence[float]) -> float:
    return quantiles(values, n=100, method="inclusive")[-1]
