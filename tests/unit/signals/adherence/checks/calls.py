"""Calls that tests have judged, and what a rule says of them."""

from __future__ import annotations

from clew.domain import Call
from clew.signals.adherence.checks.compiler import CheckedTurn, Verdict, check_for, evaluate
from tests.builders import call


def judged(rule: str, *calls: Call, request: str = "Go on with it", **more: object) -> Verdict:
    check = check_for(rule)
    assert check is not None, rule
    reply = str(more.pop("reply", "Done."))
    return evaluate(check, CheckedTurn(request=request, reply=reply, calls=calls, message="m9", **more))  # type: ignore[arg-type]


def write(path: str, content: str, id: str = "c1") -> Call:
    return call(id, "Write", file_path=path, content=content)


def edit(path: str, old: str, new: str, id: str = "c1") -> Call:
    return call(id, "Edit", file_path=path, old_string=old, new_string=new)


def run(command: str, id: str = "c1") -> Call:
    return call(id, "Bash", command=command)
