"""What the summariser of a client is told in general: which things a summary must not lose."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def compact_prompt() -> str:
    """Returns the prompt for a client that takes one instead of its own."""
    return files("clew.hooks").joinpath("prompts/compact.md").read_text("utf-8").strip() + "\n"
