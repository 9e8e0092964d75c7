"""Rules that people had to say again: the same rule in two messages, of one session or of two in one folder.

Somebody who sends a whole message again, after an interruption or from a script, repeats no rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from rapidfuzz import fuzz

from clew.audit.findings import finding_id
from clew.audit.rule_record import RuleSaid
from clew.audit.values import Evidence, Finding, FindingKind, SessionFigures, SessionFindings
from clew.signals.critical.merge import is_same_rule
from clew.signals.critical.subjects import meaning_of

#: Words in common, of a hundred, from which two messages are one that was sent twice.
_SAME_MESSAGE = 85.0
#: Words that tell what a rule is about are long, and two of them tell it.
_TELLING_CHARS, _TELLING = 6, 2


def repeated_rules(sessions: Sequence[SessionFigures], findings: Mapping[str, SessionFindings]) -> Iterator[Finding]:
    """Yields each rule that was said again, with all messages that say it."""
    folders: dict[str, list[tuple[SessionFigures, RuleSaid, Evidence]]] = {}
    for session in sorted(sessions, key=lambda session: session.started):
        rules = findings[session.source].rules if session.source in findings else ()
        folders.setdefault(session.folder or session.source, []).extend((session, rule, shown) for rule, shown in rules)
    for said_here in folders.values():
        yield from _find_repetitions(said_here)


def _find_repetitions(statements: Sequence[tuple[SessionFigures, RuleSaid, Evidence]]) -> Iterator[Finding]:
    groups: dict[int, list[int]] = {}
    homes: dict[int, int] = {}
    for first_place, other in combinations(range(len(statements)), 2):
        if _is_again(statements[first_place], statements[other]) and other not in homes:
            first = homes.setdefault(first_place, first_place)
            homes[other] = first
            groups.setdefault(first, [first]).append(other)
    for places in groups.values():
        yield _finding([statements[place] for place in places])


def _is_again(
    earlier: tuple[SessionFigures, RuleSaid, Evidence], later: tuple[SessionFigures, RuleSaid, Evidence]
) -> bool:
    (first, rule, _), (two, again, _) = earlier, later
    if first is two and rule.replies_before == again.replies_before:
        return False
    is_resent = fuzz.ratio(rule.message, again.message) >= _SAME_MESSAGE and len(rule.message) > 2 * len(rule.text)
    return not is_resent and (is_same_rule(rule.text, again.text) or _is_core_of(rule.text, again.text))


def _is_core_of(text: str, other: str) -> bool:
    """True if one rule says no more than what the other says among other things: the same telling words, asked for or
    forbidden alike.
    """
    first, two = meaning_of(text), meaning_of(other)
    core = min(first.words, two.words, key=len)
    telling = [word for word in core if len(word) >= _TELLING_CHARS]
    is_alike = first.negative == two.negative and first.choices == two.choices
    return is_alike and core <= first.words & two.words and len(telling) >= _TELLING


def _finding(statements: Sequence[tuple[SessionFigures, RuleSaid, Evidence]]) -> Finding:
    first, rule, _ = statements[0]
    where = {session.source for session, _, _ in statements}
    times = f"{len(statements)} times" if len(where) == 1 else f"{len(statements)} times in {len(where)} sessions"
    return Finding(
        id=finding_id(FindingKind.REPEATED, first.id, rule.text, rule.number),
        kind=FindingKind.REPEATED,
        what="rule",
        subject=rule.text,
        how=f"said {times}",
        says=f"{rule.text} — said {times}",
        session=first.id,
        source=first.source,
        evidence=tuple(shown for _, _, shown in statements),
    )
