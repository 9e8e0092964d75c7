"""Conversations of one wrapped client: the session's own, and branches for lists that are sent beside it.

A session is one thread. A list that goes its own way while a call of another is under way, or that another list has
been begun behind, gets a branch: each call is answered with a prompt of its own list, and its answer stands behind it.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from threading import Lock
from typing import Any, Protocol

from clew.adapters.alignment import Alignment
from clew.adapters.conversation import Conversation, SessionHandle
from clew.engine.session_branches import branches_of, new_branch


class OngoingCall(Protocol):
    """A call of a client."""

    @property
    def is_under_way(self) -> bool:
        """True until its answer is there, or nobody waits for it."""
        ...


class Branch:
    """One session of a wrapped client, and the calls that are under way in it."""

    def __init__(self, session: SessionHandle, budget: int | None) -> None:
        self.session, self._budget = session, budget
        self._conversations: dict[str, Conversation] = {}
        self._calls: list[weakref.ref[OngoingCall]] = []

    @property
    def is_busy(self) -> bool:
        """True while a call waits for its answer."""
        self._calls = [one for one in self._calls if (call := one()) and call.is_under_way]
        return bool(self._calls)

    @property
    def has_several_lists(self) -> bool:
        """True where a list was begun behind another one."""
        return any(one.begun for one in self._conversations.values())

    def conversation(self, format: str) -> Conversation:
        """Returns the conversation in a format."""
        if format not in self._conversations:
            self._conversations[format] = Conversation(self.session, format=format, budget=self._budget)
        return self._conversations[format]

    def add(self, call: OngoingCall) -> None:
        """Notes a call that is under way; one that nobody holds any more is over."""
        self._calls.append(weakref.ref(call))


class Branches:
    """The sessions of one wrapped client. The first is the one that the caller gave."""

    def __init__(self, session: SessionHandle, budget: int | None) -> None:
        self._budget = budget
        self._branches = [Branch(session, budget)]
        self._has_looked = False
        #: Held while a list finds its branch and is recorded there.
        self.lock = Lock()

    @property
    def own(self) -> Branch:
        """The session that the caller gave."""
        return self._branches[0]

    def find(self, format: str, messages: Sequence[Any]) -> Branch:
        """Returns the branch that a list goes on from."""
        own = self.own
        self._look_for_stored(own.conversation(format))
        if len(self._branches) == 1 and not own.is_busy and not own.has_several_lists:
            return own
        found = [(one, one.conversation(format).compare(messages)) for one in self._branches]
        best, alignment = max(found, key=lambda pair: pair[1].shared)
        if not alignment.shared:
            return own if not own.is_busy else self._add(own.conversation(format), with_history=False)
        if _goes_its_own_way(best, best.conversation(format), alignment):
            return self._add(best.conversation(format), with_history=True)
        return best

    def _look_for_stored(self, conversation: Conversation) -> None:
        """Branches that an earlier process has made are known in this one."""
        if not self._has_looked:
            self._has_looked = True
            stored = conversation.take_turn(lambda: branches_of(conversation.session))
            self._branches += [Branch(conversation.handle(one), self._budget) for one in stored]

    def _add(self, conversation: Conversation, *, with_history: bool) -> Branch:
        made = conversation.take_turn(lambda: new_branch(conversation.session, with_history=with_history))
        self._branches.append(Branch(conversation.handle(made), self._budget))
        return self._branches[-1]


def _goes_its_own_way(branch: Branch, conversation: Conversation, found: Alignment) -> bool:
    """Would following the list take something out that another list still has?"""
    dropped = {one.id for one in found.dropped}
    return bool(dropped & conversation.begun) or (found.rewrites and branch.is_busy)
