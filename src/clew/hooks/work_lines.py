"""What holds in a session, as lines: rules of its people, the state of the work, and its files."""

from __future__ import annotations

from collections.abc import Iterable

from clew.domain import CriticalItem
from clew.engine.session import Session

#: Sections of the story, in the order in which they are told, and the heading of each.
_TOLD = {
    "user-said": "What the user asked and said (m12 names the message):",
    "state": "State of the work, as the records show it:",
    "files": "Files at hand:",
    "findings": "Findings:",
}


def rule_lines(session: Session) -> list[str]:
    """Returns critical items in force, word for word; those of rule files are left out, as clients send these files.
    One that the assistant marked says so: it is nobody's order.
    """
    return [f"- {' '.join(item.text.split())} ({_label(item)})" for item in session.pins() if item.by != "file"]


def _label(item: CriticalItem) -> str:
    return f"{item.id}, marked by the assistant" if item.by == "assistant" else item.id


def work_sections(session: Session, names: Iterable[str] = _TOLD) -> list[str]:
    """Returns parts of the story, each under its heading."""
    texts = {section.name: section.text.strip() for section in session.story()}
    return [f"{_TOLD[name]}\n{texts[name]}" for name in names if texts.get(name)]
