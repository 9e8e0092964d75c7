"""Requests changed in places: what is kept stays the very same object, so that an untouched request is itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clew.domain import Json, Repair
from clew.rules.base import Case, Check

#: What is told of a repair that gave a role, and of one that made sense of a part, or named it.
ROLE_GIVEN = "gave it a role that is known"
MENDED = "put it right or named it in words: {}"


def changed_list(values: Any, change: Callable[[int, Any], Any]) -> Any:
    """The list with every element changed; the very same when all are kept, or when it is no list."""
    if not isinstance(values, list):
        return values
    new = [change(index, value) for index, value in enumerate(values)]
    return values if all(a is b for a, b in zip(values, new, strict=True)) else new


def with_member(data: Json, name: str, value: Any) -> Json:
    """The object with another member; the very same when it has it already."""
    return data if value is data.get(name) else data | {name: value}


def mend(
    case: Case, check: Check, change: Callable[[Any], Any], *, text: str, of: str = "messages"
) -> tuple[Json, list[Repair]]:
    """The request with each element of a list changed that the check tells of, and a repair for each.

    ``text`` says what was done; {} in it stands for what was found.
    """
    findings = {finding.at: finding for finding in check(case)}
    new = changed_list(case.request.get(of), lambda index, value: change(value) if index in findings else value)
    repairs = [
        Repair(finding.rule, f"{of}[{index}]", text.format(finding.message.partition(":")[0]))
        for index, finding in sorted(findings.items())
    ]
    return with_member(case.request, of, new), repairs
