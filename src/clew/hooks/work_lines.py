"""What holds in a session, as lines: rules of its people, and the state of the work."""

from __future__ import annotations

from clew.domain import CriticalItem
from clew.engine.session import Session

#: The heading of the state.
STATE = "State of the work, as the records show it:"


def rule_lines(session: Session) -> list[str]:
    """Returns critical items in force, word for word; those of rule files are left out, as clients send these files.
    One that the assistant marked says so: it is nobody's order.
    """
    return [f"- {' '.join(item.text.split())} ({_label(item)})" for item in session.pins() if item.by != "file"]


def _label(item: CriticalItem) -> str:
    return f"{item.id}, marked by the assistant" if item.by == "assistant" else item.id


def state_section(session: Session) -> list[str]:
    """Returns the state of the work under its heading; nothing where nothing is known of it."""
    found = next((section.text.strip() for section in session.story() if section.name == "state"), "")
    return [f"{STATE}\n{found}"] if found else []
