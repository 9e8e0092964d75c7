"""What a model is told about its blocks. The words are in prompts/, the limits come from the code."""

from __future__ import annotations

from pathlib import Path
from string import Template

from clew.replies import values

_PROMPTS = Path(__file__).with_name("prompts")


def instructions(quota_tokens: int, *, housekeeping: bool = True) -> str:
    """How to write housekeeping and context requests; without a quota nothing can be requested."""
    names = [*(["housekeeping"] if housekeeping else []), *(["request"] if quota_tokens > 0 else [])]
    return "\n\n".join(_prompt(name, quota_tokens) for name in [*names, "closing"]) if names else ""


def requesting(quota_tokens: int) -> str:
    """In one sentence: how to ask for what is not shown, and how much of it a turn brings."""
    return _prompt("asking", quota_tokens)


def _prompt(name: str, quota_tokens: int) -> str:
    template = Template((_PROMPTS / f"{name}.md").read_text("utf-8").strip())
    return template.substitute(quota=f"{quota_tokens:,}", items=values.MAX_ITEMS, requests=values.MAX_REQUESTS)
