"""Same input, same bytes: also in another process, with another hash seed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from clew.samples import sample

_EXPORT = """
import sys, hashlib, clew
from clew.engine.importing import Importer
from clew.codecs import jsonio
with clew.open(":memory:") as engine:
    report = Importer(engine, sys.argv[1]).run()[0]
    session = engine.find(report.session)
    for provider in ("anthropic", "openai-chat", "openai-responses", "gemini"):
        print(hashlib.sha256(jsonio.dumps(session.request(provider)[0].body)).hexdigest())
    print(session.segments(), session.tools_used())
"""


@pytest.mark.parametrize("seed", ["1", "2"])
def test_requests_are_the_same_bytes_in_every_process(seed: str) -> None:
    def run(hash_seed: str) -> str:
        env = os.environ | {"PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", _EXPORT, str(sample())]
        return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout

    assert run(seed) == run("0")
