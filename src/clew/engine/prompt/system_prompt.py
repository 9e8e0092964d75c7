"""The system prompt of a session's packs: kept in the ledger, and the same bytes for as long as an epoch lasts."""

from __future__ import annotations

from clew.engine.session_core import SessionCore
from clew.packing.system_prompt import SystemParts
from clew.text.secrets import mask


class SystemPrompt:
    """Says which system prompt an epoch begins with. A function that makes it is known to this handle alone."""

    def __init__(self, core: SessionCore) -> None:
        self._services, self._log = core.services, core.log
        self._asked: SystemParts | None = None

    def set(self, parts: SystemParts) -> None:
        """The next epochs begin with these parts. What is known of them now is written to the ledger."""
        self._asked = parts if callable(parts.base) else None
        if self._asked is None:
            self._log.write_system(self._stored_form(parts.text()))

    @property
    def is_set(self) -> bool:
        """Whether there is one. A function that makes it is not asked."""
        return self._asked is not None or bool(self._log.system_text())

    @property
    def text(self) -> str:
        """What it says; empty where none was set."""
        return self.for_new_epoch(record=False)

    def hand_over(self, other: SystemPrompt) -> None:
        """Sets the same for the epochs of another session. A function that makes it is asked when one begins there."""
        if self._asked is not None:
            other.set(self._asked)
        elif text := self._log.system_text():
            other._log.write_system(text)

    def ask_same(self, other: SystemPrompt) -> None:
        """Asks the function that another handle of the session asks, if it asks one."""
        self._asked = other._asked

    def for_new_epoch(self, *, record: bool) -> str:
        """Returns the text for an epoch that begins now; empty where none was set.

        A function that makes it is asked if the epoch is to be recorded; whoever only looks sees what it last said.
        """
        recorded = self._log.system_text()
        return self._stored_form(self._asked.text()) if self._asked and (record or not recorded) else recorded

    def _stored_form(self, text: str) -> str:
        """Secrets are masked where the store does that, so that every handle sends the same."""
        return mask(text) if self._services.config.storage.mask_secrets else text
