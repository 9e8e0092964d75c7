"""A long piece of work, written for the tests: requests, files read and changed, tests run."""

from __future__ import annotations

from clew.domain import Message
from tests.builders import call, gives, output, says, user

#: Steps from one request to the next.
_TASK = 8


def work(steps: int, *, lines: int = 60) -> list[Message]:
    """So many steps of an agent; each output has so many lines, none like another."""
    out: list[Message] = []
    for at in range(steps):
        if at % _TASK == 0:
            out.append(user(f"Task {at // _TASK}: make module_{at} accept dates before 1970, please."))
        path = f"src/harbor/module_{at}.py"
        if at % 3 == 2:
            edit = call(f"c{at}", "Edit", file_path=path, old_string=f"old_{at} = 1", new_string=f"new_{at} = 2")
            out += [says(f"Changing module_{at}.", edit), gives(output(f"c{at}", "The file has been updated."))]
        else:
            out += [says(f"Reading module_{at}.", call(f"c{at}", "Read", file_path=path))]
            out.append(gives(output(f"c{at}", _listing(at, lines))))
    out.append(says("Done."))
    return out


def _listing(at: int, lines: int) -> str:
    return "\n".join(
        f"{n:>5}→    value_{at}_{n} = compute_{n % 7}(quay_{at}, {n * 31 + at})" for n in range(1, lines + 1)
    )
