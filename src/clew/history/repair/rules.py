"""Runs every repair rule over a history, in the order of ``RULES``, and says where a history may be cut."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from clew.domain import Message, Repair
from clew.history.repair.base import Messages, RepairRule, cuts_anywhere
from clew.history.repair.content_rules import (
    ensure_server_pairs,
    without_empty_texts,
    without_lone_reasoning,
    without_unbound_reasoning,
)
from clew.history.repair.output_rules import (
    cuts_between_steps,
    ensure_outputs_follow_calls,
    ensure_pairs_match,
    split_sides,
)

RULES = (
    RepairRule(split_sides, cuts_anywhere),
    RepairRule(ensure_server_pairs, cuts_anywhere),
    RepairRule(ensure_pairs_match, cuts_between_steps),
    RepairRule(ensure_outputs_follow_calls, cuts_between_steps),
    RepairRule(without_empty_texts, cuts_anywhere),
    RepairRule(without_lone_reasoning, cuts_anywhere),
)


def repair_history(
    messages: Iterable[Message], *, sealed_after: int | None = None
) -> tuple[Messages, tuple[Repair, ...]]:
    """Returns the history with all rules holding, and the repairs made; a valid history comes back unchanged.

    Sealed reasoning after a repair is removed, except in replies after number ``sealed_after``:
    they were made from the repaired history.
    """
    history, repairs = tuple(messages), list[Repair]()
    original = history
    for rule in RULES:
        history = rule.repair(history, repairs)
    return without_unbound_reasoning(original, history, repairs, sealed_after), tuple(repairs)


def safe_cuts(messages: Sequence[Message]) -> list[int]:
    """Returns the indexes before which a history may be cut, according to every rule."""
    history, kinds = tuple(messages), dict.fromkeys(rule.safe_cuts for rule in RULES)
    return sorted(frozenset.intersection(*(cuts(history) for cuts in kinds)))
