"""How fast the small model answers that journeys are tried with, on one thread: a note on the machine, not on Clew."""

from __future__ import annotations

import time
from statistics import median

from tests.journeys.local_model import LocalModel, is_installed, running

from bench.results import Figure
from clew.models import model_for
from clew.ports import Model, ModelReply, ModelRequest

ROUNDS, DEADLINE_SECONDS = 3, 600.0
_READ = "The boat lay at the quay, and the crane had been mended in the morning. "


def run() -> list[Figure]:
    if not is_installed():
        return [Figure("local model", "not installed: make local-llm", 0)]
    begin = time.perf_counter()
    with running() as local:
        started = time.perf_counter() - begin
        return [Figure("local model", "start", started, "s"), *_asked(local)]


def _asked(local: LocalModel) -> list[Figure]:
    model = model_for("local/smollm2", local.settings())
    # Each begins differently: what a server has read before, it does not read again.
    short = [_timed(model, ModelRequest("", f"{at}. Tell a story about the sea.", 64)) for at in range(ROUNDS)]
    long = [_timed(model, ModelRequest("", f"{at}. {_READ * 80} Say yes.", 1)) for at in range(ROUNDS)]
    return [
        Figure("local model", "a question of 64 tokens' answer", median(seconds for seconds, _ in short), "s"),
        Figure("local model", "written", median(_usage(said)[1] / seconds for seconds, said in short), "tokens/s"),
        Figure("local model", "read", median(_usage(said)[0] / seconds for seconds, said in long), "tokens/s"),
    ]


def _timed(model: Model, asked: ModelRequest) -> tuple[float, ModelReply]:
    begin = time.perf_counter()
    said = model.ask(asked, seconds=DEADLINE_SECONDS)
    return time.perf_counter() - begin, said


def _usage(said: ModelReply) -> tuple[int, int]:
    assert said.usage is not None
    return said.usage.input_tokens, said.usage.output_tokens
