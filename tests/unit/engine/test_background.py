"""Background work ends with the program, also where nobody closes the engine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]

PROGRAM = """
import threading
from clew.engine.background import Background

begun, background = threading.Event(), Background(None)


def job(cancel):
    begun.set()
    print(cancel.wait(20), flush=True)


background.submit("job", job)
begun.wait()
"""


def test_a_job_is_called_off_and_waited_for_when_a_program_ends() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")
