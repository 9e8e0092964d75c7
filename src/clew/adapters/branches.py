"""Conversations of wrapped clients: the session's own, and branches for lists that are sent beside it.

A session is one thread. A list that goes its own way while a call of another is under way, or that another list has
been begun behind, gets a branch: each call is answered with a prompt of its own list, and its answer stands behind it.
A list that shares nothing with a session whose call waits for its output is a side list: most often a question that the
tool itself asks. Side lists are kept in the branch ``s.side``, where each takes the place of the one before it.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol

from clew.adapters.alignment import Alignment
from clew.adapters.conversation import Conversation
from clew.adapters.session_state import SessionHandle, behind_handle, state_of
from clew.engine.session_branches import branches_of, has_branch, new_branch
from clew.engine.session_handles import shared_object

#: The branch for lists beside a session whose call waits for its output.
_SIDE = "side"


class Opener(Protocol):
    """Makes the conversation of a session."""

    def __call__(self, session: SessionHandle, *, format: str, whole_lists: bool = False) -> Conversation:
        """Returns the conversation in a format."""
        ...


class OngoingCall(Protocol):
    """A call of a client."""

    @property
    def is_under_way(self) -> bool:
        """True until its answer is there, or nobody waits for it."""
        ...


class Branch:
    """One session of wrapped clients, and the calls that are under way in it."""

    def __init__(self, session: SessionHandle, open: Opener) -> None:
        self.session, self._open, self._state = session, open, state_of(session)
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
        return bool(self._state.begun)

    def conversation(self, format: str) -> Conversation:
        """Returns the conversation in a format."""
        if format not in self._conversations:
            self._conversations[format] = self._open(self.session, format=format)
        return self._conversations[format]

    def add(self, call: OngoingCall) -> None:
        """Notes a call that is under way; one that nobody holds any more is over."""
        self._calls.append(weakref.ref(call))


class Branches:
    """The sessions of all wrapped clients that were given the same one, which is the first."""

    def __init__(self, session: SessionHandle, open: Opener) -> None:
        """``open`` makes the conversation of a session in a format."""
        self._open = open
        self._branches = [Branch(session, open)]
        self._side: Branches | None = None
        self._has_looked = False

    @property
    def own(self) -> Branch:
        """The session that the caller gave."""
        return self._branches[0]

    def find(self, format: str, messages: Sequence[Any]) -> Branch:
        """Returns the branch that a list goes on from."""
        own = self.own
        self._look_for_stored(own.conversation(format))
        waits = any(branch.conversation(format).waits_for_output() for branch in self._branches)
        if len(self._branches) == 1 and not (self._side or waits or own.is_busy or own.has_several_lists):
            return own
        best, alignment = self._best(format, messages)
        if not alignment.shared:
            if waits or (self._side and self._side.knows(format, messages)):
                return self._side_branches(own.conversation(format)).find(format, messages)
            return own if not own.is_busy else self._add(own.conversation(format), with_history=False)
        if _goes_its_own_way(best, best.conversation(format), alignment):
            return self._add(best.conversation(format), with_history=True)
        return best

    def knows(self, format: str, messages: Sequence[Any]) -> bool:
        """Returns True if a list shares something with one of these sessions, or with lists beside them."""
        self._look_for_stored(self.own.conversation(format))
        is_side = self._side is not None and self._side.knows(format, messages)
        return is_side or bool(self._best(format, messages)[1].shared)

    def _best(self, format: str, messages: Sequence[Any]) -> tuple[Branch, Alignment]:
        found = [(branch, branch.conversation(format).compare(messages)) for branch in self._branches]
        return max(found, key=lambda pair: pair[1].shared)

    def _side_branches(self, conversation: Conversation) -> Branches:
        if self._side is None:
            self._side = side_branches(conversation, self._open)
        return self._side

    def _look_for_stored(self, conversation: Conversation) -> None:
        """Branches that an earlier process has made are known in this one."""
        if not self._has_looked:
            self._has_looked = True
            stored = conversation.take_turn(lambda: branches_of(conversation.session))
            self._branches += [Branch(conversation.handle(one), self._open) for one in stored]
            if conversation.take_turn(lambda: has_branch(conversation.session, _SIDE)):
                self._side_branches(conversation)

    def _add(self, conversation: Conversation, *, with_history: bool) -> Branch:
        made = conversation.take_turn(lambda: new_branch(conversation.session, with_history=with_history))
        self._branches.append(Branch(conversation.handle(made), self._open))
        return self._branches[-1]


def side_branches(conversation: Conversation, open: Opener) -> Branches:
    """Returns the sessions for side lists of a conversation."""
    return Branches(conversation.branch_handle(_SIDE), partial(open, whole_lists=True))


def shared_branches(session: SessionHandle) -> Branches:
    """Returns the branches that all wrapped clients of a session share."""
    return shared_object(behind_handle(session)[0], Branches, make=lambda: Branches(session, Conversation))


def _goes_its_own_way(branch: Branch, conversation: Conversation, alignment: Alignment) -> bool:
    """Would following the list take something out that another list still has?"""
    dropped = {one.id for one in alignment.dropped}
    return bool(dropped & conversation.state.begun) or (alignment.rewrites and branch.is_busy)
