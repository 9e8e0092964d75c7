"""Standing rules that people wrote into the rule files of a project: CLAUDE.md, AGENTS.md and their like.

A learned model judges each statement by its words and its place: in such a file an order is no request for the task at
hand, it stands, unless it is a step of a recipe. Examples, code, tables, links and comments give nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.domain.critical import Candidate, Scope
from clew.signals.critical.subjects import subject_of
from clew.signals.learned.rule_files import PlacedReading, kind_of, read_statements
from clew.signals.rule_files.mask import mask_unsaid
from clew.signals.rule_files.promotion import HEADING, kept_rules, promote_item
from clew.signals.rule_files.statements import MAX_CHARS, FileStatement, statements
from clew.text.phrases import any_of, has_match

__all__ = ["HEADING", "promote_item", "rules_in"]

#: A file that gives more than this is a manual; a sentence longer than this has no end; a shorter one says nothing.
_MAX_RULES, _MAX_CHARS, _MIN_CHARS = 100, 400, 4
#: From these readings on a statement may be a rule where it stands, surely is one there, and is one by its own words.
_LIKELY, _SURE, _ALONE = 0.4, 0.65, 0.4

#: What no reader sees, and what a terminal would obey.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_LINKED = re.compile(r"\W*\[[^\]]{1,200}\]\([^)]{1,400}\)\s*(?::|[–—-])")
#: What shows or recounts, by its own label or by the line above it.
_SHOWN = any_of(r"do|don't|good|bad|wrong|right|yes|no|(?:in)?correct|examples?|e\.g", start=r"^\W*", end=r"\s*:")
_SHOWN_BELOW = any_of(
    r"\b(?:examples?|samples?|templates?|beispiele?|exemples?|ejemplos?|e\.g|for instance)\b[^:]{0,30}",
    r"^\W*(?:good|bad|wrong|right|(?:in)?correct|history|completed|progress(?: log)?)",
    r"\b(?:recent changes|change ?log|release notes|what changed)\b[^:]{0,30}",
    start="",
    end=r"\W*$",
)
#: The case that what stands below is for.
_CASE = any_of("when(?:ever)?|if|before|after|during|while|unless|until|once|every|each|for|in|on", start=r"^\W*")
#: The user themself, not the project.
_ONESELF = any_of(
    r"i (?:prefer|like|love|hate|dislike|speak|live|work as|am (?:an?|the|new|based|from|not an?))",
    r"i'm (?:an?|the|new|based|from|not an?)|(?:call|address|answer) me|(?:talk|speak|reply) to me",
    r"my (?:name|time ?zone|native|language|preferred|preferences?)|ich bin|nenn mich",
)

#: A rule and how firm it is, from 0 to 1.
_FirmRule = tuple[float, Candidate]


def rules_in(text: str, source: str) -> tuple[Candidate, ...]:
    """The standing rules of a rule file, in its order, each once; ``source`` is the file's name.

    Of too many, the firmest stay.
    """
    text = text[:MAX_CHARS]
    rules: dict[str, _FirmRule] = {}
    for rule in _find_rules(text, source):
        rules.setdefault(rule[1].text.lower(), rule)
    firmest = sorted(rules.values(), key=lambda rule: (-rule[0], rule[1].span))[:_MAX_RULES]
    return tuple(sorted((rule for _, rule in firmest), key=lambda rule: rule.span))


def _find_rules(text: str, source: str) -> Iterator[_FirmRule]:
    plain = mask_unsaid(text)
    taken = bytearray(len(plain))
    for start, end, words in kept_rules(text, plain):
        taken[start:end] = b"\1" * (end - start)
        yield 1.0, _candidate(words, source=source, span=(start, end))
    others = [statement for statement in statements(plain) if not taken[statement.span[0]] and not statement.announces]
    for other, reading in zip(others, read_statements([other.placement for other in others]), strict=True):
        if reading.placed >= _LIKELY and _is_meant(other):
            yield _rule(other, reading, source)


def _is_meant(statement: FileStatement) -> bool:
    """False for what is shown, asked or linked, whatever its words."""
    if len(statement.text) < _MIN_CHARS or statement.text.endswith(("?", "？")) or _LINKED.match(statement.text):
        return False
    above = (statement.lead, *statement.headings[-1:])
    return not has_match(_SHOWN, statement.text.lower()) and not any(
        has_match(_SHOWN_BELOW, line.lower()) for line in above
    )


def _rule(statement: FileStatement, reading: PlacedReading, source: str) -> _FirmRule:
    """What is no rule by its own words carries the line above it, or else the heading, and is doubtful then."""
    is_rule_alone = reading.alone >= _ALONE
    is_firm = reading.placed >= _SURE and (is_rule_alone or bool(statement.lead))
    words = _shorten(f"{_needed_words(statement, is_rule_alone=is_rule_alone)} {statement.text}".strip())
    rule = _candidate(words, source=source, span=statement.span, doubtful=not is_firm)
    return reading.placed * is_firm, rule


def _needed_words(statement: FileStatement, *, is_rule_alone: bool) -> str:
    """The words that a rule needs before it: its case, what announces it, or the sentence it points back to."""
    above = statement.lead or (f"{statement.headings[-1]}:" if statement.headings else "")
    if statement.is_item and not statement.before and (not is_rule_alone or has_match(_CASE, above.lower())):
        return above
    return statement.before if statement.needs_more else ""


def _candidate(words: str, *, source: str, span: tuple[int, int], doubtful: bool = False) -> Candidate:
    shown = _CONTROLS.sub("", words)
    return Candidate(
        kind=kind_of(shown),
        text=shown,
        source=source,
        span=span,
        scope=Scope.USER if has_match(_ONESELF, shown.lower()) else Scope.PROJECT,
        subject=subject_of(shown),
        doubtful=doubtful,
    )


def _shorten(words: str) -> str:
    """Of an endless sentence, its beginning."""
    return words if len(words) <= _MAX_CHARS else words[: words.rfind(" ", 0, _MAX_CHARS)].rstrip(" ,;:")
