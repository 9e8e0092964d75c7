"""Memory of the gateway, without the encoder: a thousand sessions, ten thousand requests, then some minutes at a low
rate. ``python -m bench soak`` takes ten minutes; `make bench` leaves the minutes out.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import linear_regression
from tempfile import TemporaryDirectory

from bench.gateway import PASSING, Target, clew_server, long_talk, request_body, upstream_server
from bench.results import Figure
from bench.warm_packs import made_up_exchange
from clew.domain import Json

_SESSIONS, _REQUESTS = 1_000, 10_000
_MINUTES, _RATE = 10.0, 10.0
#: Who talks most: so many sessions, and a conversation that has become longer begins anew.
_BUSY, _MOST_MESSAGES = 12, 400
_WITHOUT_ENCODER = {"CLEW_CRITICAL__ENCODER": "false", "CLEW_MODELS__EMBEDDER": "none"}


def run(sessions: int = _SESSIONS, requests: int = _REQUESTS, minutes: float = 0) -> list[Figure]:
    """Each session is opened, then all are asked on until there were so many requests."""
    with TemporaryDirectory() as home, _server(Path(home)) as clew:
        talks = _Talks(clew)
        for at in range(sessions):
            talks.go_on(at)
        figures = [Figure("soak", f"{sessions:,} sessions open", _megabytes(clew), "MB", "< 200")]
        for _ in range(requests - sessions):
            talks.go_on_somewhere(sessions)
        figures.append(Figure("soak", f"after {requests:,} requests", _megabytes(clew), "MB", "< 200"))
        return [*figures, *_slope(talks, sessions, minutes)]


@contextmanager
def _server(home: Path) -> Iterator[Target]:
    with upstream_server() as upstream, clew_server(home / "own", upstream.port, **_WITHOUT_ENCODER) as clew:
        yield clew


def soak() -> list[Figure]:
    """All of it."""
    return run(minutes=_MINUTES)


def _slope(talks: _Talks, sessions: int, minutes: float) -> Iterator[Figure]:
    """Memory by time, a sample every ten seconds. The first third does not count."""
    begin, rows, asked = time.monotonic(), list[tuple[float, float]](), 0
    while (passed := time.monotonic() - begin) < minutes * 60:
        talks.go_on_somewhere(sessions)
        asked += 1
        if passed >= 10 * len(rows):
            rows.append((passed / 60, _megabytes(talks.clew)))
        time.sleep(max(0.0, asked / _RATE - (time.monotonic() - begin)))
    if len(late := rows[len(rows) // 3 :]) > 1:
        slope = linear_regression(*zip(*late, strict=True)).slope
        yield Figure("soak", f"growth over {minutes:g} minutes", slope, f"MB a minute; {late[-1][1]:.0f} MB at the end")


class _Talks:
    """Conversations of many sessions that grow, and requests that pass."""

    def __init__(self, clew: Target) -> None:
        self.clew, self._chance = clew, random.Random(1)
        self._talks: dict[int, list[Json]] = {}
        self._long = request_body(long_talk())

    def go_on_somewhere(self, sessions: int) -> None:
        """One request: two of three in a conversation, most often one of the busy ones."""
        if self._chance.random() < 1 / 3:
            Target("clew", self.clew.port, self.clew.process, PASSING).connect()(self._long)
        else:
            self.go_on(self._chance.randrange(_BUSY if self._chance.random() < 0.8 else sessions))

    def go_on(self, at: int) -> None:
        """One request of a conversation; its answer and an exchange of work are added to it."""
        talk = self._talks.setdefault(at, list(made_up_exchange(at))[:1])
        Target("clew", self.clew.port, self.clew.process, {"x-clew-session": f"s{at}"}).connect()(request_body(talk))
        talk.append({"role": "assistant", "content": "word0 word1 word2 word3 word4 "})
        talk += [*made_up_exchange(1_000 * len(talk) + at), *list(made_up_exchange(len(talk)))[:1]]
        if len(talk) > _MOST_MESSAGES:
            self._talks[at] = talk[:1]


def _megabytes(target: Target) -> float:
    """What the process has in memory; 0 where the system does not tell."""
    try:
        lines = Path(f"/proc/{target.process.pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0.0)
