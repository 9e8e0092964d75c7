"""The rules of the Anthropic Messages API, A1 to A19, in order."""

from __future__ import annotations

from clew.rules import anthropic_content, anthropic_media, anthropic_schema, anthropic_thinking, anthropic_tools
from clew.rules.base import ProviderRule

_ALL = (
    *anthropic_tools.RULES,
    *anthropic_thinking.RULES,
    *anthropic_media.RULES,
    *anthropic_content.RULES,
    *anthropic_schema.RULES,
)
RULES: tuple[ProviderRule, ...] = tuple(sorted(_ALL, key=lambda rule: int(rule.id[1:])))
