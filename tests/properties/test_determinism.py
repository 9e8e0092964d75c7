"""Same input, same bytes: also in another process, with another hash seed."""

from __future__ import annotations

import os
import subprocess
import sys

from clew.samples import sample
from tests.effort import first

_EXPORT = """
import sys, hashlib, clew
from clew.codecs import jsonio
with clew.open(":memory:") as engine:
    report = engine.import_file(sys.argv[1])[0]
    session = engine.find(report.session)
    for provider in ("anthropic", "openai-chat", "openai-responses", "gemini"):
        print(hashlib.sha256(jsonio.dumps(session.reader.request(provider)[0].body)).hexdigest())
    print(session.reader.segments(), session.reader.tools_used())
"""


def test_requests_are_the_same_bytes_in_every_process() -> None:
    def run(hash_seed: str) -> str:
        env = os.environ | {"PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", _EXPORT, str(sample())]
        return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout

    once = run("0")
    assert once.count("\n") == 5
    assert {run(seed) for seed in first(("1", "2"))} == {once}
