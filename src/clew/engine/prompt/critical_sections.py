"""Critical sections: the critical items that a prompt states word for word, within their cap."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from clew.domain import CriticalItem, Epoch
from clew.domain.ids import message_id, message_number
from clew.engine.epochs.prompt_log import PromptLog
from clew.engine.health.pins import Pins
from clew.engine.services import Services
from clew.packing.formats import PackSection
from clew.ports import TokenCounter
from clew.signals.critical.display import ordered

#: Largest share of the room that critical items take, and tokens that each costs beside its words.
_SHARE, _ITEM_TOKENS = 0.2, 10
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class CriticalSections:
    """Renders the critical items of one session. Items of the system prompt and of rule files are left out: they are
    sent anyway. Items beyond the cap are emitted as ``critical.full``.
    """

    def __init__(self, services: Services, *, session: str, pins: Pins, log: PromptLog) -> None:
        self._services, self._session, self._pins, self._log = services, session, pins, log

    def of_snapshot(self, room: int, count: TokenCounter) -> list[tuple[str, str]]:
        """Returns id and text of the items that a snapshot states, in order, within their cap."""
        return [(item.id, _render(item)) for item in self._within_cap(self._own_items(), room, count)]

    def of_turn(self, epoch: Epoch, stated: Collection[str], room: int, count: TokenCounter) -> PackSection | None:
        """Returns a section with the items that nothing else in the prompt states; None where there are none.

        Items already ``stated`` count against the cap.
        """
        own = [item for item in self._own_items() if item.is_in_force]
        new = [item for item in own if item.id not in stated and not _is_sent(item, epoch)]
        if not new:
            return None
        taken = sum(count(item.text) + _ITEM_TOKENS for item in own if item.id in stated)
        found = self._within_cap(new, room, count, taken=taken)
        lines = [f"{item.id} {_render(item)}" for item in found]
        return PackSection("critical", 0, "\n".join(lines), tuple(item.id for item in found)) if found else None

    def _own_items(self) -> list[CriticalItem]:
        """Without those that cannot fade: of the system prompt, and of rule files, which assistants send themselves."""
        sent = {message_id(number) for number in self._log.state().system}
        return [item for item in self._pins.items() if item.by != "file" and item.source not in sent]

    def _within_cap(
        self, items: Sequence[CriticalItem], room: int, count: TokenCounter, *, taken: int = 0
    ) -> Sequence[CriticalItem]:
        most = min(self._services.config.critical.cap_tokens - taken, int(room * _SHARE))
        listed = ordered(items, most, lambda text: count(text) + _ITEM_TOKENS)
        if listed.left_out:
            left = ", ".join(item.id for item in listed.left_out)
            self._services.events.emit("critical.full", session=self._session, left_out=left)
        return listed.items


def _is_sent(item: CriticalItem, epoch: Epoch) -> bool:
    """True when the message that says it is sent word for word."""
    number = message_number(item.source)
    return bool(number) and epoch.sends(number)


def _render(item: CriticalItem) -> str:
    """With where it comes from, and a label if it was not a person who said so; its lines cannot pass for items."""
    label = [str(item.kind), item.source, "marked by the assistant" if item.by == "assistant" else ""]
    lines = (_CONTROL.sub("", line) for line in item.text.splitlines())
    return f"[{', '.join(filter(None, label))}] " + "\n    ".join(lines)
