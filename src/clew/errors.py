"""Every error Clew raises on purpose, and the exit code its command line gives it.

ClewError                     base; catch this one
├── UsageError          (2)   wrong option, unknown format or bad setting
├── NotFound            (3)   no such session, id or file
├── UnreadableSource    (2)   a directory, a binary, an empty file: nothing in it can be read
├── BudgetExceeded      (4)   the guaranteed parts do not fit
├── VersionConflict     (5)   the session was rewritten meanwhile
└── StorageError        (5)   the store cannot be read or written
    ├── StoreBusy       (5)   another process held the lock for too long
    ├── StoreFull       (5)   no space left
    ├── StoreReadOnly   (5)   the file or folder may not be written
    ├── StoreDamaged    (5)   the file is no sound database
    └── StoreTooNew     (5)   a newer Clew wrote it

Each message says what went wrong, where, and what to do next, in one line.
"""

from __future__ import annotations


class ClewError(Exception):
    """The base of all errors that Clew raises on purpose."""

    exit_code = 1


class UsageError(ClewError):
    exit_code = 2


class UnreadableSource(ClewError):
    exit_code = 2


class NotFound(ClewError):
    exit_code = 3


class BudgetExceeded(ClewError):
    """``needed`` names each guaranteed part and its tokens."""

    exit_code = 4

    def __init__(self, budget: int, needed: dict[str, int]) -> None:
        self.budget = budget
        self.needed = needed
        parts = ", ".join(f"{name} {tokens}" for name, tokens in needed.items())
        super().__init__(f"{sum(needed.values())} tokens are guaranteed but the budget is {budget}: {parts}")


class VersionConflict(ClewError):
    exit_code = 5


class StorageError(ClewError):
    exit_code = 5


class StoreBusy(StorageError):
    pass


class StoreFull(StorageError):
    pass


class StoreReadOnly(StorageError):
    pass


class StoreDamaged(StorageError):
    pass


class StoreTooNew(StorageError):
    pass
