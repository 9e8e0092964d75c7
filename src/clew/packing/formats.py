"""How sections look to a model: tagged for Claude, headed for GPT, delimited for the rest.

What is inside a section is data from a transcript. It can neither close a section nor open one: whatever looks
like our own marks is changed visibly on the way in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_TAG = re.compile(r"<(/?)(clew[-:])", re.IGNORECASE)
_HEADING = re.compile(r"^(#{1,6} )", re.MULTILINE)
_RULE = re.compile(r"^(=== )", re.MULTILINE)


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
    body = _TAG.sub(r"< \1\2", section.text)
    return f'<clew-{section.name} priority="{section.priority}">\n{body}\n</clew-{section.name}>'


def headed(section: Section) -> str:
    body = _HEADING.sub(r" \1", section.text)
    return f"## {section.name}\n{body}"


def delimited(section: Section) -> str:
    body = _RULE.sub(r" \1", section.text)
    return f"=== {section.name} ===\n{body}"


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
