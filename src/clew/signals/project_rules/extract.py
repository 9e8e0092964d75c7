"""Standing rules that people wrote into the rule files of a project: CLAUDE.md, AGENTS.md and their like.

Judged by wording alone, as what is said in a conversation is; but in such a file an order is no request for the task
at hand, it stands. Descriptions, recipes, examples, code, tables and comments give nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace

from clew.domain.critical import Candidate, ItemKind, Scope
from clew.signals.critical.judgement import MAX_CHARS as _RULE_CHARS
from clew.signals.critical.judgement import judged, lowered
from clew.signals.critical.subjects import subject_of
from clew.signals.critical.words import Strength
from clew.signals.project_rules.mask import said
from clew.signals.project_rules.promotion import HEADING, kept_rules, promoted
from clew.signals.project_rules.sections import Section, section_of
from clew.signals.project_rules.statements import MAX_CHARS, Statement, statements
from clew.signals.project_rules.wordings import (
    behind_label,
    binds,
    binds_softly,
    kind_of,
    obliges,
    orders,
    orders_in_case,
)
from clew.text.phrases import any_of, searched

__all__ = ["HEADING", "promoted", "rules_in"]

#: A file that gives more than this is a manual; its first rules are the ones that were meant to be read.
_MAX_RULES = 100
#: What is shorter says nothing by itself.
_MIN_CHARS = 6

#: What no reader sees, and what a terminal would obey.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_BOLD = re.compile(r"\*\*(?=\S)([^*\n]{1,400})\*\*")
#: A name and what it is; something to do and the command for it.
_LISTING = re.compile(r"\W{0,3}`[^`]{1,200}`(?:\s*[,/|]\s*`[^`]{1,200}`){0,20}\s*(?::|[–—-]|→|=|\(|\Z)")
_COMMAND = re.compile(r".*(?::|[–—→]|->)\s*`[^`]+`\W*\Z")
_SHOWN = re.compile(
    r"\W*(?:(?:do|don't|good|bad|wrong|right|yes|no|correct|incorrect|examples?)\s*:|e\.g\."
    r"|for (?:example|instance)\b)",
    re.IGNORECASE,
)
_LINKED = re.compile(r"\W*\[[^\]]{1,200}\]\([^)]{1,400}\)\s*(?::|[–—-])")
_ALL = re.compile(r"(?:Every|All|Each|Only) ")
_CASES = any_of(r"^\W*(?:when|whenever|if|before|after|during|while|for|in|on|unless|until|once|every|each)", start="")
#: The user themself, not the project.
_ONESELF = any_of(
    r"i (?:prefer|like|love|hate|dislike|speak|live|work as|am (?:an?|the|new|based|from|not an?))",
    r"i'm (?:an?|the|new|based|from|not an?)|call me|address me|talk to me|speak to me|reply to me|answer me",
    r"my (?:name|time ?zone|native|language|preferred|preferences?)|ich bin|nenn mich",
)


@dataclass(frozen=True, slots=True)
class _Rule:
    """What a statement comes to; ``is_firm`` if it is worded as a rule, not only as an order."""

    text: str
    kind: ItemKind
    is_firm: bool = False
    doubtful: bool = False

    @property
    def weight(self) -> int:
        """What goes last where there are too many."""
        return 0 if self.doubtful else 1 + self.is_firm


#: A rule and where it stands.
_Found = tuple[tuple[int, int], _Rule]


def rules_in(text: str, source: str) -> tuple[Candidate, ...]:
    """The standing rules of a rule file, in its order, each once; ``source`` is the file's name.

    Of too many, those stay that are worded most firmly.
    """
    text = text[:MAX_CHARS]
    found: dict[str, _Found] = {}
    for one in _found(text, said(text)):
        found.setdefault(one[1].text.lower(), one)
    firmest = sorted(found.values(), key=lambda one: (-one[1].weight, one[0]))[:_MAX_RULES]
    return tuple(_candidate(rule, source, span) for span, rule in sorted(firmest, key=lambda one: one[0]))


def _found(text: str, plain: str) -> Iterator[_Found]:
    kept = list(kept_rules(text, plain))
    yield from (((start, end), _as_kept(words)) for start, end, words in kept)
    starts = [start for start, _, _ in kept]
    for statement in statements(plain):
        at = bisect_right(starts, statement.start) - 1
        if (at < 0 or statement.start >= kept[at][1]) and (rule := _rule(statement)):
            yield (statement.start, statement.start + len(statement.raw)), rule


def _candidate(rule: _Rule, source: str, span: tuple[int, int]) -> Candidate:
    words = _CONTROLS.sub("", rule.text)
    return Candidate(
        kind=rule.kind,
        text=words,
        source=source,
        span=span,
        scope=Scope.USER if searched(_ONESELF, lowered(words)) else Scope.PROJECT,
        subject=subject_of(words),
        doubtful=rule.doubtful,
    )


def _as_kept(words: str) -> _Rule:
    """What was written by Clew is a rule whatever its wording."""
    verdict = judged(words)
    return _Rule(words, verdict.kind if verdict else kind_of(lowered(words)), is_firm=True)


def _rule(statement: Statement) -> _Rule | None:
    if len(statement.text) < _MIN_CHARS or statement.text.rstrip("*_ ").endswith(("?", "？")):
        return None
    section = section_of(statement.headings, statement.lead)
    if section is Section.EXAMPLE or _SHOWN.match(statement.text):
        return None
    words = _plain_words(statement.text)
    if words.endswith(":"):
        return None
    own = _by_wording(words, section)
    return _understandable(own, statement) if own else _announced(words, statement, section)


def _by_wording(words: str, section: Section) -> _Rule | None:
    """What a sentence is by its own words."""
    plain = _plain(words)
    if _LISTING.match(plain) or _LINKED.match(plain):
        return None
    if binds(plain):
        return _Rule(_shortened(words), kind_of(plain), is_firm=True)
    if _is_order(plain, section):
        return _Rule(_shortened(words), kind_of(plain))
    if (verdict := judged(words)) and verdict.strength > Strength.WEAK:
        return _Rule(words[verdict.start : verdict.end].rstrip(), verdict.kind, is_firm=True)
    if _is_labelled(behind_label(plain), section):
        return _Rule(_shortened(words), kind_of(behind_label(plain)))
    return _Rule(_shortened(words), kind_of(plain)) if section is not Section.TOLD and obliges(plain) else None


def _is_order(plain: str, section: Section) -> bool:
    if binds_softly(plain, among_told=section is Section.TOLD):
        return True
    is_step = _COMMAND.match(plain) is not None or section is Section.TOLD
    return not is_step and orders(plain, among_rules=section is not Section.OPEN)


def _is_labelled(rest: str, section: Section) -> bool:
    """Whether an order follows a label; what is told with a label before it is mostly what something does."""
    if not rest or section is Section.TOLD:
        return bool(rest) and binds(rest)
    is_order = binds_softly(rest, among_told=True) or (section is not Section.OPEN and orders(rest, among_rules=False))
    return binds(rest) or is_order or orders_in_case(rest)


def _announced(words: str, statement: Statement, section: Section) -> _Rule | None:
    """What an item of a list is by the line or the heading above the list; only a rule there makes one of it."""
    if not statement.is_item:
        return None
    lead = _plain_words(statement.lead)
    if lead and section is not Section.TOLD and (binds(_plain(lead)) or judged(lead)):
        return _Rule(_shortened(f"{lead} {words}"), kind_of(_plain(lead)), is_firm=True)
    is_first = not statement.before or _ALL.match(words) is not None
    if section is Section.STATED and is_first and not _LINKED.match(words):
        above = lead or f"{statement.headings[-1]}:"
        return _Rule(_shortened(f"{above} {words}"), kind_of(lowered(words)), doubtful=True)
    return None


def _understandable(rule: _Rule, statement: Statement) -> _Rule:
    """The rule with the words it needs: the case its list is for, or the sentence it points back to."""
    above = statement.lead or (f"{statement.headings[-1]}:" if statement.headings else "")
    if statement.is_item and not statement.before and searched(_CASES, above.lower()):
        return replace(rule, text=_shortened(f"{_plain_words(above)} {rule.text}"))
    if statement.needs_more and statement.before:
        return replace(rule, text=_shortened(f"{_plain_words(statement.before)} {rule.text}"))
    return rule


def _plain_words(text: str) -> str:
    """The text without the marks of bold print, which are no words."""
    return _BOLD.sub(r"\1", text).strip().removeprefix("**").removesuffix("**").lstrip(": ")


def _plain(words: str) -> str:
    return lowered(words.replace("’", "'").replace("*", ""))


def _shortened(words: str) -> str:
    """Of an endless sentence, its beginning."""
    return words if len(words) <= _RULE_CHARS else words[: words.rfind(" ", 0, _RULE_CHARS)].rstrip(" ,;:")
