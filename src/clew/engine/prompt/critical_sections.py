"""Critical sections: the critical items that a prompt states word for word, within their cap."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate

from clew.domain import CriticalItem, Epoch
from clew.domain.ids import message_id, message_number
from clew.engine.session_core import SessionCore
from clew.knowledge.layout import Layout
from clew.packing.formats import PackSection
from clew.ports import TokenCounter
from clew.signals.critical.display import order_within_cap

#: Largest share of the room that critical items take, and tokens that each costs beside its words.
_SHARE, _ITEM_TOKENS = 0.2, 10
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class CriticalLines:
    """What one turn says of critical items: those ``stated`` now, and those ``withdrawn``, which an earlier part of the
    prompt states and which are out of force since.
    """

    section: PackSection
    stated: tuple[str, ...]
    withdrawn: tuple[str, ...]


class CriticalSections:
    """Renders the critical items of one session. Items of the system prompt and of rule files are left out: they are
    sent anyway.
    """

    def __init__(self, core: SessionCore) -> None:
        self._services, self._pins, self._log = core.services, core.pins, core.log

    def of_snapshot(self, room: int, count: TokenCounter, layout: Layout) -> list[tuple[str, str]]:
        """Returns id and text of the items that a snapshot states, in order, within their cap."""
        return [(item.id, _render(item, layout)) for item in self._within_cap(self._own_items(), room, count)]

    def of_turn(
        self, epoch: Epoch, stated: Collection[str], room: int, *, count: TokenCounter, layout: Layout
    ) -> CriticalLines | None:
        """Returns the items that nothing else in the prompt states, and those ``stated`` that no longer hold; None
        where there are neither.

        Items already ``stated`` count against the cap.
        """
        own = self._own_items()
        taken = sum(count(item.stated_text) + _ITEM_TOKENS for item in own if item.id in stated)
        shown = self._within_cap(self.unstated_items(epoch, stated), room, count, taken=taken)
        gone = self._withdrawn(stated, int(room * _SHARE), count)
        lines = [f"{item.id} {_render(item, layout)}" for item in shown]
        lines += [f"{item.id} [no longer in force] {_text(item)}" for item in gone]
        if not lines:
            return None
        new, old = (tuple(item.id for item in items) for items in (shown, gone))
        return CriticalLines(PackSection("critical", 0, "\n".join(lines), (*new, *old)), new, old)

    def unstated_items(self, epoch: Epoch, stated: Collection[str]) -> list[CriticalItem]:
        """Returns the items that the prompt states nowhere: neither among ``stated`` nor in a message that it sends."""
        return [item for item in self._own_items() if item.id not in stated and not _is_sent(item, epoch)]

    def _own_items(self) -> list[CriticalItem]:
        """Without those that cannot fade: of the system prompt, and of rule files, which assistants send themselves."""
        sent = {message_id(number) for number in self._log.state().system}
        return [item for item in self._pins.items() if item.by != "file" and item.source not in sent]

    def _withdrawn(self, stated: Collection[str], room: int, count: TokenCounter) -> list[CriticalItem]:
        """Items that ended by themselves, by hand or by words; what a file says as well holds on."""
        known = self._pins.all() if stated else ()
        ended = [item for item in known if item.id in stated and (item.has_ended or item.ended_in)]
        sizes = accumulate(count(item.text) + _ITEM_TOKENS for item in ended)
        return [item for item, size in zip(ended, sizes, strict=True) if size <= room]

    def _within_cap(
        self, items: Sequence[CriticalItem], room: int, count: TokenCounter, *, taken: int = 0
    ) -> Sequence[CriticalItem]:
        most = min(self._services.config.critical.cap_tokens - taken, int(room * _SHARE))
        return order_within_cap(items, most, lambda text: count(text) + _ITEM_TOKENS).items


def _is_sent(item: CriticalItem, epoch: Epoch) -> bool:
    """True when the message that says it is sent word for word."""
    number = message_number(item.source)
    return bool(number) and epoch.sends(number)


def _render(item: CriticalItem, layout: Layout) -> str:
    """With where it comes from, how it came to be said, and a label if it was not a person who said so; its lines
    cannot pass for items. What comes from the profile has a template."""
    if item.by == "profile":
        return layout.item(item, _text(item))
    label = [str(item.kind), item.source, "marked by the assistant" if item.by == "assistant" else "", item.occasion]
    return f"[{_CONTROL.sub('', ', '.join(filter(None, label)))}] {_text(item)}"


def _text(item: CriticalItem) -> str:
    return "\n    ".join(_CONTROL.sub("", line) for line in item.text.splitlines())
