"""What a rule is, and what all rules share: tolerant reading, and ids made anew."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from clew.domain import Finding, Json, Repair
from clew.text.vocabulary import words

#: Where a finding stands that belongs to no message: the system prompt, the tools, the body as a whole.
OUTSIDE = -1
#: What a repair lets the user say where a provider wants their words and there are none: first, and last.
NOT_SHOWN = "(Earlier messages are not shown.)"
GO_ON = "Continue."


@dataclass(frozen=True, slots=True)
class Case:
    """A request to judge.

    ``final`` says that it is sent as it stands, so an assistant's turn or a pending call at its end counts.
    ``previous`` is an earlier request of the same conversation, known to be as the provider wants it.
    ``dialect`` names who speaks the provider's format, where that is another.
    """

    request: Json
    final: bool = False
    previous: Json | None = None
    dialect: str | None = None


Check = Callable[[Case], Iterator[Finding]]
RepairFunction = Callable[[Case], tuple[Json, list[Repair]]]


#: The provider whose format a rule is about, by the letter of its id, and who speaks that format in a way of their own.
_PROVIDERS = {"A": "anthropic", "B": "anthropic", "R": "openai-responses", "G": "gemini"}
_PROVIDERS |= dict.fromkeys("OMD", "openai-chat")
_DIALECTS = {"B": "bedrock", "M": "mistral", "D": "deepseek"}


@dataclass(frozen=True, slots=True)
class ProviderRule:
    """One thing a provider demands. Neither function changes what it is given.

    ``repair`` gives the very same object back when there is nothing to do.
    """

    id: str
    title: str
    check: Check
    repair: RepairFunction | None = None

    @property
    def provider(self) -> str:
        """The provider whose format it is about."""
        return _PROVIDERS[self.id[0]]

    @property
    def dialect(self) -> str | None:
        """Whose demand it is where only one of those who speak the format makes it."""
        return _DIALECTS.get(self.id[0])


def string(value: Any) -> str:
    """The value, when it is text; else an empty one."""
    return value if isinstance(value, str) else ""


def objects(value: Any) -> list[Json]:
    """The elements of a list, in their places; what is no object counts as an empty one."""
    return [item if isinstance(item, dict) else {} for item in value] if isinstance(value, list) else []


def omit(data: Json, *names: str) -> Json:
    """The object without these members."""
    return {name: value for name, value in data.items() if name not in names}


#: Kinds of blocks that belong to a format known here. Where they stand in another's, the provider refuses them.
_KINDS = words(
    "text image document search_result container_upload compaction thinking redacted_thinking tool_use"
    " server_tool_use mcp_tool_use tool_result tool_reference image_url input_audio refusal audio file function custom"
    " input_text input_image input_file output_text summary_text computer_screenshot message reasoning function_call"
    " function_call_output custom_tool_call custom_tool_call_output item_reference"
)


def is_new_kind(kind: str) -> bool:
    """True for a kind that no format known here has. Its provider may have it since, or a server that speaks the
    format may, so it is sent as it came.
    """
    return bool(kind) and kind not in _KINDS


def words_for(block: Any) -> str:
    """What stands for a block that the provider would refuse: its own text, or what it was."""
    if isinstance(block, str) and block.strip():
        return block
    if not isinstance(block, dict):
        return "[unknown block: not shown here]"
    kind = block.get("type") or next(iter(block), "")
    return string(block.get("text")) if string(block.get("text")).strip() else f"[{kind} block: not shown here]"


#: What others call the side of the model.
_MODEL_ROLES = frozenset({"assistant", "model", "ai", "bot", "agent", "chatbot"})


def is_model_role(role: Any) -> bool:
    """True for a role by which some format or other means the model."""
    return isinstance(role, str) and role.lower() in _MODEL_ROLES


def digest(text: str, *, digits: int) -> str:
    """Hexadecimal digits that depend on the text alone, so that they are the same every time."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:digits]


_UNSAFE = re.compile(r"[^a-zA-Z0-9_-]")


def portable_id(identity: str, *, longest: int | None = None) -> str:
    """An id that any provider takes. It depends on the old id alone: both sides of a pair get the same,
    different ids stay different, and a request that grows renames nothing anew.
    """
    readable = _UNSAFE.sub("_", identity)
    kept = readable if longest is None else readable[: longest - 13]
    return f"{kept}_{digest(identity, digits=12)}"
