"""A sample coding session to try Clew on: an afternoon's work on an invented booking service.

It is a Claude Code session file with everything such files bring: rules and a change of mind, parallel
calls, noisy outputs, a subagent, an interruption, a compaction, a fake secret, and work left over.
Everything in it is invented; ``scripts/make_sample.py`` makes it from a readable story.
"""

from __future__ import annotations

from pathlib import Path


def sample() -> Path:
    """The session file, inside the installed package; read it, never write to it."""
    return Path(__file__).with_name("harbor.jsonl")


__all__ = ["sample"]
