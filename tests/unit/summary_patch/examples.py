"""Builders for patches: numbered messages, the lines of a patch, and the patch of a small session."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from clew.domain import Call, Message, Output, Part
from clew.history.work_map.view import WorkMap
from clew.summary_patch.patch import SummaryPatch, build_patch
from clew.units.already_said import SaidText
from clew.units.gather import GatheredUnits, gather_units
from clew.units.unit import Unit
from tests.unit.history.work_map.examples import work_map_of


def numbered(*messages: Message) -> list[Message]:
    """The messages with ids from m1 on; every call has an id of its own, and is answered by the next message."""
    return [
        replace(message, id=f"m{at}", parts=tuple(_with_own_id(part, at) for part in message.parts))
        for at, message in enumerate(messages, 1)
    ]


def _with_own_id(part: Part, at: int) -> Part:
    if isinstance(part, Call):
        return replace(part, id=f"c{at}")
    return replace(part, call_id=f"c{at - 1}") if isinstance(part, Output) else part


def work_of(*messages: Message) -> WorkMap:
    """The work map after the messages, in the folder /shop."""
    return replace(work_map_of(*messages, cwd="/shop"), root="/shop")


def texts(lines: Iterable[Unit]) -> list[str]:
    return [line.line for line in lines]


def gathered(*messages: Message) -> GatheredUnits:
    return gather_units(numbered(*messages), root="")


def summary_of(text: str) -> SaidText:
    return SaidText(text)


def patch(summary: str, *messages: Message, budget: int = 400) -> SummaryPatch:
    """The patch of a summary of these messages; words are tokens."""
    return build_patch(
        numbered(*messages),
        work_of(*messages),
        summary,
        session="s",
        budget=budget,
        count=lambda text: len(text.split()),
    )
