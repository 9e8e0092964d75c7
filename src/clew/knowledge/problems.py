"""What is wrong with the files of modules, each by file and line."""

from __future__ import annotations

from collections.abc import Sequence

from clew.errors import UsageError

#: Problems that one error tells in full.
_SHOWN = 5


class ModuleProblem(UsageError):
    """One thing that is wrong with one file; ``line`` counts from 1, or is 0 where no line is to blame."""

    def __init__(self, path: str, line: int, what: str) -> None:
        self.path, self.line, self.what = path, line, what
        super().__init__(f"{path}:{line}: {what}" if line else f"{path}: {what}")


class InvalidModules(UsageError):
    """Why nothing was registered: everything that is wrong with the modules that were given."""

    def __init__(self, problems: Sequence[ModuleProblem]) -> None:
        self.problems = tuple(problems)
        shown = "; ".join(str(problem) for problem in self.problems[:_SHOWN])
        more = len(self.problems) - _SHOWN
        super().__init__(f"{shown}; and {more} more" if more > 0 else shown, hint="nothing was added")
