"""Commit messages: conventional, short, in lower case, so begun, without attribution or some words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.signals.adherence.checks.rows import Reader, Row
from clew.signals.adherence.checks.rule import Rule
from clew.signals.adherence.checks.turn import NOTHING, Judged, Turn

_MESSAGE = re.compile(r"(?:\s-[a-zA-Z]*m|--message)(?:\s+|=)(?:\"((?:[^\"\\]|\\.)*)\"|'([^']*)')")
_HEREDOC = re.compile(r"<<-?\s?['\"]?(\w+)['\"]?\n")
_MAX_COMMAND_CHARS = 20_000

_CONVENTIONAL = (
    r"(?:feat|fix|docs|style|refactor|perf|tests?|build|ci|chore|revert|wip|release|deps)(?:\([^)]{1,60}\))?!?: "
)
_ATTRIBUTION = r"(?i)co-authored-by:|generated (?:with|by)|\bclaude\b|\bcopilot\b|🤖|noreply@anthropic"
#: How rules call it, whether they want it, and how such a message looks; {} stands for what the rule gives.
_CALLED: tuple[tuple[str, bool, str], ...] = (
    (r"co-?author|attribution|mention(?:ing)? (?:claude|ai\b|yourself|copilot)|signature|generated with", False, _ATTRIBUTION),
    (r"(?<!pr )\bconventional\b(?! (?:titles?|prs?|subjects))", True, _CONVENTIONAL),
    (r"\b(?:under|at most|max(?:imum)?(?: of)?|no (?:more|longer) than|below|within|to) (\d{2,3}) char", True, r".{{0,{}}}(?:\n|\Z)"),
    (r"\blower[ -]?case\b", True, r"[^A-Z]"),
    (r"\b(?:start|begin|prefix)\w*\b[^«]{0,30}(«\d+»)", True, r"(?i){}"),
    (r"\b(?:use|includ\w+|mention\w*|say) (?:the words? )?(«\d+»)", False, r"(?i){}"),
)  # fmt: skip


def judge_message(turn: Turn, pattern: str, wanted: bool) -> Judged:
    """Messages of commits begin in that way, or nowhere look like it."""
    found = [(at, text) for at, action in turn.work.deeds if (text := commit_message(action.command))]
    for at, text in found:
        seen = re.match(pattern, text) if wanted else re.search(pattern, text)
        if bool(seen) is not wanted:
            return Judged(0.05, evidence=text[seen.start() :] if seen else text, call=at)
    return Judged(1.0, evidence=found[0][1]) if found else NOTHING


def commit_message(command: str) -> str:
    """What a command commits with; empty where it commits nothing, or its message is not known."""
    at = command.find("git commit")
    if at < 0 or len(command) > _MAX_COMMAND_CHARS:
        return ""
    rest = command[at:]
    if opened := _HEREDOC.search(rest):
        end = rest.find(f"\n{opened[1]}", opened.end() - 1)
        return rest[opened.end() : end].strip() if end >= 0 else ""
    found = _MESSAGE.search(rest)
    text = (found[1] or found[2] or "") if found else ""
    return "" if text.startswith("$(") else text


def _reader(wanted: bool, looks: str) -> Reader:
    def read(rule: Rule, found: re.Match[str]) -> Iterator[tuple[str, bool]]:
        given = re.escape(rule.quote(found[1])) if found.re.groups else ""
        if rule.forbids_at(found.start()) is not wanted:
            yield looks.format(given) if given else looks, wanted

    return read


def _fits(rule: Rule) -> bool:
    return not rule.is_question and bool(re.search(r"\bcommit(?:s|ting)?\b", rule.body))


ROWS = tuple(
    Row(asks, judge_message, _reader(wanted, looks), _fits, group="message") for asks, wanted, looks in _CALLED
)
