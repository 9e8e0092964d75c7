"""How sections look to a model: tagged for Claude, headed for GPT, delimited for the rest.

What is inside a section is data from a transcript. It can neither close a section nor open one: whatever looks
like our own marks is changed visibly on the way in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clew.text.forgery import UNSEEN, defused

#: Our marks begin with our name. In what a transcript says it becomes another, however it was hidden.
_NAME = UNSEEN.join(("[cC]", "[lL]", "[eE]", "[wW]"))
_TAG = re.compile(f"(<{UNSEEN}/?{UNSEEN}){_NAME}(?=[-:])")
#: A summary of the conversation stands in a tag that models know, in every format.
SUMMARY = "conversation-summary"
_SUMMARY_TAG = re.compile(f"(<{UNSEEN}/?{UNSEEN})[cC][oO][nN][vV][eE][rR][sS][aA][tT][iI][oO][nN](?={UNSEEN}[-_])")
_LINE = re.compile(rf"^([ \t]*[#=]+{UNSEEN}){_NAME}", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a pack: its name and layer, its text, and the ids it was drawn from."""

    name: str
    layer: int
    text: str
    sources: tuple[str, ...] = ()

    @property
    def priority(self) -> str:
        return "high" if self.layer == 0 else "medium"


def tagged(section: Section) -> str:
    if section.name == SUMMARY:
        return _summary(section)
    return f'<clew-{section.name} priority="{section.priority}">\n{_harmless(section.text)}\n</clew-{section.name}>'


def headed(section: Section) -> str:
    if section.name == SUMMARY:
        return _summary(section)
    return f"## clew {section.name}\n{_harmless(section.text)}"


def delimited(section: Section) -> str:
    if section.name == SUMMARY:
        return _summary(section)
    return f"=== clew {section.name} ===\n{_harmless(section.text)}"


def _summary(section: Section) -> str:
    return f"<{SUMMARY}>\n{_harmless(section.text)}\n</{SUMMARY}>"


def _harmless(text: str) -> str:
    """The text with nothing in it that could be a mark of ours, in any of the formats."""
    return _SUMMARY_TAG.sub(r"\1tool", _LINE.sub(r"\1tool", _TAG.sub(r"\1tool", defused(text))))


Format = Callable[[Section], str]
FORMATS: dict[str, Format] = {
    "anthropic": tagged,
    "openai-chat": headed,
    "openai-responses": headed,
    "gemini": delimited,
    "text": headed,
}


def written(sections: Sequence[Section], format: Format) -> str:
    return "\n".join(format(section) for section in sections if section.text)
