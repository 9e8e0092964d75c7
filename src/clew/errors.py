"""Every error Clew raises on purpose, and the exit code its command line gives it.

ClewError                     base; catch this one
├── UsageError          (2)   wrong option, unknown format or bad setting
├── NotFound            (3)   no such session, id or file
├── UnreadableSource    (2)   a directory, a damaged or forbidden file: nothing in it can be read
│   └── NoConversation  (2)   a file that can be read, and in which nobody says anything
├── BudgetExceeded      (4)   the guaranteed parts do not fit
├── Interrupted       (130)   a person ended a command before it was done
├── VersionConflict     (5)   the session was rewritten meanwhile
├── StorageError        (5)   the store cannot be read or written
│   ├── StoreBusy       (5)   another process or thread held the lock for too long
│   ├── StoreFull       (5)   no space left
│   ├── StoreReadOnly   (5)   the file or folder may not be written
│   ├── StoreDamaged    (5)   the file is no sound database
│   └── StoreTooNew     (5)   a newer Clew wrote it
└── ModelError          (6)   a model gave no answer that can be used
    ├── ModelTimeout        (6)   no answer within the deadline
    ├── ModelRateLimited    (6)   too many requests for the provider; it may say when to come back
    ├── ModelUnavailable    (6)   the provider cannot be reached, or failed by itself
    ├── ModelOverflow       (6)   the request is larger than the model can read
    ├── ModelUnauthorized   (6)   no key, or one that the provider refuses
    ├── ModelRejected       (6)   the provider refuses the request as it stands
    ├── ModelBadAnswer      (6)   an answer that is empty, too large or cannot be read
    ├── ModelCancelled      (6)   whoever asked no longer wants the answer
    └── SpendLimitReached   (6)   a limit on calls or tokens that the user has set

Each message says what went wrong, where, and what to do next, in one line.
"""

from __future__ import annotations


class ClewError(Exception):
    """The base of all errors that Clew raises on purpose.

    ``hint`` is the next step for a caller of the library. ``about`` names the thing that failed (session, pin, store),
    so that the command line can give its own next step instead.
    """

    exit_code = 1

    def __init__(self, message: str = "", *, hint: str = "", about: str = "") -> None:
        self.message, self.hint, self.about = message, hint, about
        super().__init__(f"{message}; {hint}" if hint else message)


class UsageError(ClewError):
    exit_code = 2


class UnreadableSource(ClewError):
    exit_code = 2


class NoConversation(UnreadableSource):
    """``format`` is what the file looks like; empty where it looks like no format at all. ``is_broken`` says that it
    may have been one, and is damaged.
    """

    def __init__(
        self, message: str, *, format: str = "", is_broken: bool = False, hint: str = "", about: str = ""
    ) -> None:
        self.format, self.is_broken = format, is_broken
        super().__init__(message, hint=hint, about=about)


class NotFound(ClewError):
    exit_code = 3


class BudgetExceeded(ClewError):
    """``needed`` names each guaranteed part and its tokens; together they are the least budget that works."""

    exit_code = 4

    def __init__(self, budget: int, needed: dict[str, int]) -> None:
        self.budget = budget
        self.needed = needed
        parts = ", ".join(f"{name} {tokens}" for name, tokens in needed.items() if tokens)
        least = sum(needed.values())
        super().__init__(
            f"{least} tokens are guaranteed but the budget is {budget}: {parts}",
            hint=f"give a budget of {least} or more",
        )


class Interrupted(ClewError):
    exit_code = 130


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


class ModelError(ClewError):
    """Never holds a key: messages are made from what the provider said, with secrets taken out."""

    exit_code = 6


class ModelTimeout(ModelError):
    pass


class ModelRateLimited(ModelError):
    """``retry_after`` is in seconds, None if the provider did not say."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class ModelUnavailable(ModelError):
    pass


class ModelOverflow(ModelError):
    """``window`` is how many tokens the model reads, None if the provider did not say."""

    def __init__(self, message: str, window: int | None = None) -> None:
        self.window = window
        super().__init__(message)


class ModelUnauthorized(ModelError):
    pass


class ModelRejected(ModelError):
    pass


class ModelBadAnswer(ModelError):
    pass


class ModelCancelled(ModelError):
    pass


class SpendLimitReached(ModelError):
    """``limit`` is the setting's name; ``frees_at`` is in seconds since 1970, None if only the setting can help."""

    def __init__(self, message: str, *, limit: str, frees_at: float | None) -> None:
        self.limit = limit
        self.frees_at = frees_at
        super().__init__(message)
