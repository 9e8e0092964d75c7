"""Would the provider take this request? Each demand is a rule with an id, a check and, where it can be, a repair.

Rules judge an encoded request, in time linear in its size, whatever is in it; repairs are pure, repeatable and
leave a sound request alone. Pairing calls with outputs is left to ``history``, which knows what happened.
"""

from __future__ import annotations

from clew.domain import Finding, Json, Repair
from clew.errors import UsageError
from clew.rules import (
    anthropic_content,
    anthropic_media,
    anthropic_schema,
    anthropic_thinking,
    anthropic_tools,
    dialects,
    gemini,
    gemini_schema,
    openai_chat,
    openai_chat_schema,
    openai_responses,
    responses_schema,
)
from clew.rules.base import OUTSIDE, Case, ProviderRule

_ANTHROPIC = (anthropic_tools, anthropic_thinking, anthropic_media, anthropic_content, anthropic_schema)
RULES: tuple[ProviderRule, ...] = (
    *sorted((rule for finding in _ANTHROPIC for rule in finding.RULES), key=lambda rule: int(rule.id[1:])),
    *openai_chat.RULES,
    *openai_chat_schema.RULES,
    *openai_responses.RULES,
    *responses_schema.RULES,
    *gemini.RULES,
    *gemini_schema.RULES,
    *dialects.RULES,
)
PROVIDERS = tuple(dict.fromkeys(rule.provider for rule in RULES))

#: One repair may call for another (dropped thinking leaves an empty message); none needs more rounds than this.
_ROUNDS = 6


def rules_for(provider: str, dialect: str | None = None) -> tuple[ProviderRule, ...]:
    """The rules of a provider, and of a dialect of its format if one is named."""
    if provider not in PROVIDERS:
        raise UsageError(f"no rules for provider {provider!r}: choose one of {', '.join(PROVIDERS)}")
    rules = tuple(rule for rule in RULES if rule.provider == provider and rule.dialect in (None, dialect))
    if dialect is not None and all(rule.dialect is None for rule in rules):
        raise UsageError(f"no dialect {dialect!r} of {provider}: leave it out, or choose another provider")
    return rules


def check(
    request: Json, provider: str, *, final: bool = False, previous: Json | None = None, dialect: str | None = None
) -> list[Finding]:
    """What the provider would refuse, in the order of the request.

    The request is judged as one that goes on, unless it is ``final``. With ``previous``, an earlier request
    of the same conversation, signatures and sealed content are compared as well.
    """
    case = Case(request, final, previous, dialect)
    findings = [finding for rule in rules_for(provider, dialect) for finding in rule.check(case)]
    return sorted(findings, key=lambda finding: finding.at)


def repair(
    request: Json, provider: str, *, final: bool = False, dialect: str | None = None
) -> tuple[Json, tuple[Repair, ...]]:
    """The request made sound where its own content allows it, and what was done. A sound one comes back as it is."""
    rules = rules_for(provider, dialect)
    done: list[Repair] = []
    for _ in range(_ROUNDS):
        repairs: list[Repair] = []
        for rule in rules:
            if rule.repair is not None:
                request, made = rule.repair(Case(request, final, dialect=dialect))
                repairs += made
        done += repairs
        if not repairs:
            break
    return request, tuple(done)


__all__ = ["OUTSIDE", "PROVIDERS", "RULES", "Case", "ProviderRule", "check", "repair", "rules_for"]
