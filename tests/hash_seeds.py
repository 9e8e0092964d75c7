"""Running a piece of code in processes with different hash seeds."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.effort import first


def outputs_over_seeds(program: str) -> set[str]:
    """What the program prints under each of several hash seeds; one text if the order of sets reaches no output."""
    return {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in first(("1", "2", "3"), 2)
    }
