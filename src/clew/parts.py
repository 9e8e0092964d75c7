"""The parts of a message, for messages made by hand: ``clew.assistant("I look.", clew.parts.Call(…))``."""

from clew.domain.parts import Call, Media, Opaque, Output, Part, Reasoning, Status, Text

__all__ = ["Call", "Media", "Opaque", "Output", "Part", "Reasoning", "Status", "Text"]
