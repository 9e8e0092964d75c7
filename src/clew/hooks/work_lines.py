"""What holds in a session, as lines: rules of its people, and the state of the work."""

from __future__ import annotations

from clew.domain import CriticalItem
from clew.engine.session import Session

#: The heading of the state, and of the files that were changed.
STATE, _FILES = "State of the work, as the records show it:", "Files changed in this session:"


def rule_lines(session: Session) -> list[str]:
    """Returns critical items in force, word for word; those of rule files are left out, as clients send these files.
    One that the assistant marked says so: it is nobody's order.
    """
    return [f"- {' '.join(item.text.split())} ({_label(item)})" for item in session.pins() if item.by != "file"]


def _label(item: CriticalItem) -> str:
    return f"{item.id}, marked by the assistant" if item.by == "assistant" else item.id


def state_section(session: Session) -> list[str]:
    """Returns the state of the work and the files that were changed, each under its heading; nothing where nothing is
    known of it.
    """
    texts = {section.name: section.text.strip() for section in session.story()}
    return [f"{heading}\n{texts[name]}" for name, heading in (("state", STATE), ("files", _FILES)) if texts.get(name)]
