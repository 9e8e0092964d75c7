"""Checks that a client runs by itself and tells of in words: the command, and what it printed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.domain import Output, Status, Text

#: How aider begins what a test command printed, and what a person had run in the chat.
_RAN = re.compile(
    r"^Test Script: (?P<script>.{1,2000}?);?[ ]*$|^I ran this command:\n+(?P<command>.+)\n+And got this output:$", re.M
)
#: What stands after it.
_ENDS = re.compile(r"^(?:Attempt to fix \w+ errors\?|Add \S+ tokens of command output to the chat\?)", re.M)
#: A client asks to mend only what failed.
_FAILED = re.compile(r"Return Code: [1-9]|^Attempt to fix test errors\?|^>{5} Some Tests Failed", re.M)


def client_runs(text: str) -> Iterator[tuple[str, Output]]:
    """Yields the commands that a client says it ran, each with what it printed."""
    runs = list(_RAN.finditer(text))
    for ran, end in zip(runs, [*(run.start() for run in runs[1:]), len(text)], strict=False):
        section = text[ran.end() : end]
        printed = _ENDS.split(section, maxsplit=1)[0]
        status = Status.FAILED if _FAILED.search(section) else Status.SUCCESS
        yield ran["script"] or ran["command"], Output(call_id="", content=(Text(text=printed.strip()),), status=status)
