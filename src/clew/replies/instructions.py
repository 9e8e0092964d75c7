"""Instructions for a model on its blocks. The words are in prompts/, the limits come from the code."""

from __future__ import annotations

from pathlib import Path
from string import Template

from clew.replies import values

_PROMPTS = Path(__file__).with_name("prompts")


def reply_instructions(quota_tokens: int, *, housekeeping: bool = True) -> str:
    """Says how to write housekeeping and context requests; without a quota requests are not mentioned."""
    names = [*(["housekeeping"] if housekeeping else []), *(["request"] if quota_tokens > 0 else [])]
    return "\n\n".join(_prompt(name, quota_tokens) for name in [*names, "closing"]) if names else ""


def _prompt(name: str, quota_tokens: int) -> str:
    template = Template((_PROMPTS / f"{name}.md").read_text("utf-8").strip())
    return template.substitute(quota=f"{quota_tokens:,}", items=values.MAX_ITEMS, requests=values.MAX_REQUESTS)
