"""Failures that a summary does not tell: checks that failed and were not seen to pass since, and what they reported."""

from __future__ import annotations

from collections.abc import Container, Iterator

from clew.domain import Failure
from clew.history.work_map.view import WorkMap
from clew.text.telling_tokens import NAME, telling_tokens
from clew.text.tools.report_lines import SAYS_ONLY_FAILED
from clew.units.already_said import SaidText
from clew.units.state_lines import failure_fact
from clew.units.unit import Section, Unit

_VALUE, _MISSING = 3.4, 0.45
#: What a failure keeps of its value after which another check has passed.
_OLDER = 0.4


def failure_losses(work: WorkMap, summary: SaidText, *, corrected: Container[int]) -> Iterator[Unit]:
    """Yields open failures that the summary does not tell, the newest of each test. ``corrected`` are the numbers of
    messages that corrections tell of already."""
    passed = max((facts.at for facts in work.commands if facts.is_check and facts.ok), default=0)
    seen: set[str] = set()
    for failure in reversed(work.open_failures):
        about = f"{failure.about} {failure.reason}"
        tests = {token for token, weight in telling_tokens(about).items() if weight == NAME}
        is_told = failure.number in corrected or (tests and tests <= seen) or summary.missing(about) < _MISSING
        if is_told or _is_part(failure, work):
            continue
        seen |= tests
        value = _VALUE * (_OLDER if failure.number < passed else 1.0)
        text = failure_fact(failure, work).line
        yield Unit(section=Section.STATE, number=failure.number, text=text, value=value)


def _is_part(failure: Failure, work: WorkMap) -> bool:
    """Returns True for a check that says only that it failed, if a longer command line with it failed as well."""
    others = (other_failure.about for other_failure in work.open_failures if other_failure.about != failure.about)
    return SAYS_ONLY_FAILED.fullmatch(failure.reason) is not None and any(failure.about in other for other in others)
