"""Order and commits: what has to run before a commit or after a change, and what messages of commits look like."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.signals.adherence.checks.rows import Row, of_work
from clew.signals.adherence.checks.rule import RuleSentence
from clew.signals.adherence.checks.turn import KEPT, NOTHING, CheckedTurn, Judgement
from clew.signals.adherence.checks.work import Ran
from clew.text.tools.checks import is_test

#: How rules call what is to be run, and how its commands look.
_RUNS = {
    "tests": (r"\b(?:tests?|specs)\b", r"(?!(?:cat|ls|grep|rg|git|cd|echo|sed|find|head|tail) ).*\b(?:tests?|spec)\b"),
    "lint": (r"\blint\w*", r".*\b(?:lint\w*|ruff|eslint|flake8|clippy|golangci-lint|biome|pylint|rubocop|check)\b"),
    "types": (r"\btype[ -]?check\w*", r".*\b(?:tsc|mypy|pyright|type-?check\w*|check)\b"),
    "build": (r"\b(?:build|compile)\b", r".*\b(?:build|compile|tsc|make)\b"),
    "format": (r"\b(?:format\w*|prettier)\b", r".*\b(?:fmt|format\w*|prettier|black|gofmt|rustfmt|ruff|biome)\b"),
}
_RUN = r"\b(?:run|execute|do|re-?run|make sure|ensure|verify|check|pass)\b"
_EVERY = r"(?:you |any |every |each |all |your |a |the |making |make |doing |code )*"
_DUE = (
    rf"{_RUN}(?P<what>[^.;]{{2,60}}?)\b(?:(?:before|prior to) {_EVERY}(?P<act>commit|push)"
    rf"|after {_EVERY}(?:chang|edit|modif|updat))"
    rf"|\b(?:before {_EVERY}(?P<later>commit|push)|after {_EVERY}(?:chang|edit|modif|updat))\w*,?[^.;]{{0,20}}?{_RUN}"
    r"(?P<then>[^.;]{2,60})"
)
_COMMAND = re.compile(r"[a-z./][\w./-]*(?: [\w./:=@-]+){0,8}")

_MESSAGE = re.compile(r"(?:\s-[a-zA-Z]*m|--message)(?:\s+|=)(?:\"((?:[^\"\\]|\\.)*)\"|'([^']*)')")
_HEREDOC = re.compile(r"<<-?\s?['\"]?(\w+)['\"]?\n")
_MAX_COMMAND_CHARS = 20_000
_CONVENTIONAL = (
    r"(?:feat|fix|docs|style|refactor|perf|tests?|build|ci|chore|revert|wip|release|deps)(?:\([^)]{1,60}\))?!?: "
)
_ATTRIBUTION = r"(?i)co-authored-by:|generated (?:with|by)|\bclaude\b|\bcopilot\b|🤖|noreply@anthropic"
#: How rules call a message, whether they want (+) or forbid it (-), and how it looks; {} is what the rule gives.
_MESSAGES = (
    (r"co-?author|attribution|mention(?:ing)? (?:claude|ai\b|yourself|copilot)|generated with", "-", _ATTRIBUTION),
    (r"\bconventional\b(?! (?:titles?|prs?|subjects))", "+", _CONVENTIONAL),
    (r"\b(?:under|at most|max(?:imum)?(?: of)?|than|below|within|to) (\d{2,3}) char", "+-", r".{{0,{}}}(?:\n|\Z)"),
)


def judge_order(turn: CheckedTurn, what: str, act: str) -> Judgement:
    """Something runs before the first ``act`` (commit, push), or with none after the last change of code."""
    runs = [ran.call for ran in turn.work.ran if _is_run(ran, what)]
    edits = [code.call for code in turn.work.written_code]
    if act:
        first = next((ran for ran in turn.work.ran if re.match(rf"git {act}\b", ran.line)), None)
        if first is None or any(call <= first.call for call in runs):
            return KEPT if first else NOTHING
        sure = any(call < first.call for call in edits)
        return Judgement(0.15 if sure else 0.5, sure=sure, evidence=first.command_text, call=first.call)
    if not edits or (runs and max(runs) > max(edits)):
        return KEPT if edits else NOTHING
    sure = turn.is_final and bool(turn.parsed_reply.text) and not runs
    return Judgement(0.2 if sure else 0.5, sure=sure, evidence="no run after the last change", call=max(edits))


def _is_run(ran: Ran, what: str) -> bool:
    if what not in _RUNS:
        return what in ran.command_text
    return re.match(_RUNS[what][1], ran.line) is not None or (what == "tests" and is_test(ran.command_text))


def _due(rule: RuleSentence, match: re.Match[str]) -> Iterator[tuple[str, str]]:
    text, commands = match["what"] or match["then"], [quote.text for quote in rule.quotes(match[0])]
    called = [name for name, (pattern, _) in _RUNS.items() if re.search(pattern, text)]
    for name in filter(_COMMAND.fullmatch, commands) if commands else called:
        yield name, match["act"] or match["later"] or ""


def judge_message(turn: CheckedTurn, pattern: str, is_wanted: bool) -> Judgement:
    """Messages of commits begin in that way, or nowhere look like it."""
    messages = [
        (call_index, text) for call_index, action in turn.work.deeds if (text := commit_message(action.command))
    ]
    for call_index, text in messages:
        seen = re.match(pattern, text) if is_wanted else re.search(pattern, text)
        if bool(seen) is not is_wanted:
            return Judgement(0.05, evidence=text[seen.start() :] if seen else text, call=call_index)
    return Judgement(1.0, evidence=messages[0][1]) if messages else NOTHING


def commit_message(command: str) -> str:
    """What a command commits with; empty where it commits nothing, or its message is not known."""
    index = command.find("git commit")
    rest = command[index:] if index >= 0 and len(command) <= _MAX_COMMAND_CHARS else ""
    if opened := _HEREDOC.search(rest):
        end = rest.find(f"\n{opened[1]}", opened.end() - 1)
        return rest[opened.end() : end].strip() if end >= 0 else ""
    match = _MESSAGE.search(rest)
    text = (match[1] or match[2] or "") if match else ""
    return "" if text.startswith("$(") else text


def _message_row(asks: str, signs: str, looks: str) -> Row:
    def read(_: RuleSentence, match: re.Match[str]) -> Iterator[tuple[str, bool]]:
        yield looks.format(match[1]) if match.re.groups else looks, "+" in signs

    def fits(rule: RuleSentence) -> bool:
        return of_work(rule) and re.search(r"\bcommit(?:s|ting)?\b", rule.body) is not None

    return Row(asks, judge_message, read, fits, signs, group="message")


ROWS = (Row(_DUE, judge_order, _due, of_work), *(_message_row(*row) for row in _MESSAGES))
