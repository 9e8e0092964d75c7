"""Formats of sections: tags for Claude, headings for GPT, delimiters for the rest.

The content of a section is data from a transcript.
It can neither close a section nor open one: whatever looks like Clew's own marks is changed visibly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clew.text.markers import UNSEEN, neutralise_markers

#: Clew's marks begin with its name. In text from a transcript that name is changed, however it was hidden.
_NAME = UNSEEN.join(("[cC]", "[lL]", "[eE]", "[wW]"))
_SECTION_TAG = re.compile(f"(<{UNSEEN}/?{UNSEEN}){_NAME}(?=[-:])")
#: A summary of the conversation stands in a tag that models know, in every format.
SUMMARY = "conversation-summary"
_SUMMARY_TAG = re.compile(f"(<{UNSEEN}/?{UNSEEN})[cC][oO][nN][vV][eE][rR][sS][aA][tT][iI][oO][nN](?={UNSEEN}[-_])")
_HEADING_LINE = re.compile(rf"^([ \t]*[#=]+{UNSEEN}){_NAME}", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SectionUnit:
    """A retrieved unit as it stands in a section's text; ``asked`` for one that was asked for by id."""

    id: str
    text: str
    asked: bool = False


@dataclass(frozen=True, slots=True)
class PackSection:
    """A part of a pack: its name and layer, its text, the ids it was made from, and the units in it that were retrieved
    for a query, in order.
    """

    name: str
    layer: int
    text: str
    sources: tuple[str, ...] = ()
    units: tuple[SectionUnit, ...] = ()

    @property
    def priority(self) -> str:
        """The priority that the section states to the model, derived from its layer."""
        return "high" if self.layer == 0 else "medium"


def format_tagged(section: PackSection) -> str:
    """Renders the section in a tag of its own, with its priority."""
    if section.name == SUMMARY:
        return _format_summary(section)
    return (
        f'<clew-{section.name} priority="{section.priority}">\n{_without_markers(section.text)}\n</clew-{section.name}>'
    )


def format_headed(section: PackSection) -> str:
    """Renders the section under a Markdown heading."""
    if section.name == SUMMARY:
        return _format_summary(section)
    return f"## clew {section.name}\n{_without_markers(section.text)}"


def format_delimited(section: PackSection) -> str:
    """Renders the section under a line of equals signs."""
    if section.name == SUMMARY:
        return _format_summary(section)
    return f"=== clew {section.name} ===\n{_without_markers(section.text)}"


def _format_summary(section: PackSection) -> str:
    return f"<{SUMMARY}>\n{_without_markers(section.text)}\n</{SUMMARY}>"


def _without_markers(text: str) -> str:
    return without_section_marks(neutralise_markers(text))


def without_section_marks(text: str) -> str:
    """Returns the text with nothing in it that could be a section mark of ours, in any of the formats."""
    return _SUMMARY_TAG.sub(r"\1tool", _HEADING_LINE.sub(r"\1tool", _SECTION_TAG.sub(r"\1tool", text)))


Format = Callable[[PackSection], str]
FORMATS: dict[str, Format] = {
    "anthropic": format_tagged,
    "openai-chat": format_headed,
    "openai-responses": format_headed,
    "gemini": format_delimited,
    "text": format_headed,
}


def render_sections(sections: Sequence[PackSection], format: Format) -> str:
    """Renders all sections that have a text, in order."""
    return "\n".join(format(section) for section in sections if section.text)
