"""Promotion: writes a critical item into a project's rule file, after showing the change and asking."""

from __future__ import annotations

import sys
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

from clew.cli.output import confirm, display_text, print_json, say
from clew.errors import UsageError

if TYPE_CHECKING:
    from clew.domain import CriticalItem
    from clew.engine.health.rule_files import Promotion
    from clew.engine.session import Session


def promote_item(session: Session, id: str, *, yes: bool, as_json: bool) -> None:
    """Shows the change to the rule file and writes it if ``yes`` is set or a person agrees.

    Raises UsageError for an item that is not in force, was marked by the assistant, or holds a secret.
    """
    from clew.engine.health.rule_files import place_for_promotion, promote, write

    item = session.monitor.critical_item(id)
    _ensure_promotable(item)
    if not session.info.cwd:
        raise UsageError(f"session {session.id} does not say in which folder it is; write {id} into the file by hand")
    promotion = promote(place_for_promotion(session.info.cwd), item.text)
    changes = _changes(promotion)
    if not as_json:
        say("".join(changes).rstrip("\n") or f"{promotion.path} says so already")
    if is_written := promotion.is_change and (yes or (not as_json and _is_agreed(promotion.path))):
        write(promotion)
        session.channels.load_rule_files(Path.home())
    if as_json:
        print_json({"promoted": id, "path": str(promotion.path), "written": is_written, "diff": "".join(changes)})
    elif promotion.is_change:
        say(f"written to {promotion.path}" if is_written else "nothing written; --yes writes it")


def _ensure_promotable(item: CriticalItem) -> None:
    """Only what holds, what a person said, and what can be read as it is written."""
    if not item.is_in_force:
        raise UsageError(f"{item.id} is {item.state}; only what is in force is promoted")
    if item.by == "assistant":
        raise UsageError(f"{item.id} was marked by the assistant; pin its words yourself first")
    if display_text(item.text) != item.text or not all(
        letter.isprintable() or letter in "\n\t" for letter in item.text
    ):
        raise UsageError(f"{item.id} holds a secret or invisible characters; write it into the file by hand")


def _changes(promotion: Promotion) -> list[str]:
    before, after = (text.splitlines(keepends=True) for text in (promotion.before, promotion.after))
    return list(unified_diff(before, after, str(promotion.path), str(promotion.path)))


def _is_agreed(path: Path) -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty() and confirm(f"write this to {path}?")
