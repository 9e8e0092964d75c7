"""Order: what has to be run before a commit or after a change; and what commit messages look like."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clew.history.work_map.commands import is_test
from clew.signals.adherence.checks.rule import Rule
from clew.signals.adherence.checks.values import NOTHING, Judged, Turn
from clew.signals.adherence.checks.work import Ran

_KINDS: dict[str, re.Pattern[str]] = {
    "lint": re.compile(r"\b(?:lint\w*|ruff|eslint|flake8|clippy|golangci-lint|biome|pylint|rubocop|check)\b"),
    "types": re.compile(r"\b(?:tsc|mypy|pyright|type-?check\w*|check)\b"),
    "build": re.compile(r"\b(?:build|compile|tsc|make)\b"),
    "format": re.compile(r"\b(?:fmt|format\w*|prettier|black|gofmt|rustfmt|ruff|biome)\b"),
}
_CALLED: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("tests", re.compile(r"\b(?:unit |integration |all |full )*(?:tests?|test suite|specs)\b")),
    ("lint", re.compile(r"\b(?:lint\w*|linter)\b")),
    ("types", re.compile(r"\b(?:type[ -]?check\w*)\b")),
    ("build", re.compile(r"\b(?:build|compile)\b")),
    ("format", re.compile(r"\b(?:format\w*|formatter|prettier)\b")),
)
_RUN = r"\b(?:run|execute|do|re-?run|make sure|ensure|verify|check|pass)\b"
_BEFORE = re.compile(
    rf"{_RUN}([^.;]{{2,60}}?)\b(?:before|prior to)\b (?:you |any |every |each |a |the |making |doing |all )*(commit"
    rf"|push|finish|merg|complet|done)|\bbefore (?:you |any |every |each |a |making )*(commit|push|finish|merg"
    rf"|complet)\w*,?[^.;]{{0,20}}?{_RUN}([^.;]{{2,60}})"
)
_AFTER = re.compile(
    rf"{_RUN}([^.;]{{2,60}}?)\bafter (?:you |making |make |any |every |each |all |your )*(?:code )*(?:chang|edit"
    rf"|modif|updat)|\bafter (?:you |making |make |any |every |each |your )*(?:code )*(?:chang|edit|modif"
    rf"|updat)\w*,?[^.;]{{0,20}}?{_RUN}([^.;]{{2,60}})"
)
_TESTS = re.compile(r"\b(?:test|tests|check|spec)\b")
#: Programs that look at tests without running them.
_LOOKERS = frozenset({"cat", "ls", "grep", "rg", "git", "cd", "echo", "sed", "find", "head", "tail"})
_COMMAND = re.compile(r"[a-z./][\w./-]*(?: [\w./:=@-]+){0,8}")
_CODE_FREE = frozenset({"text", "data", "", "html"})


@dataclass(frozen=True, slots=True)
class RunFirst:
    """Something runs before every ``act`` (commit, push), or with "change" after the last change of code."""

    what: str
    act: str
    of_reply: bool = False

    def judge(self, turn: Turn) -> Judged:
        runs = [ran.call for ran in turn.work.ran if _is_run(ran, self.what)]
        edits = [one.call for one in turn.work.written if one.language not in _CODE_FREE]
        if self.act == "change":
            return self._after(turn, runs, edits)
        acts = [ran for ran in turn.work.ran if ran.name == "git" and self.act in ran.words]
        if not acts:
            return NOTHING
        if any(call <= acts[0].call for call in runs):
            return Judged(1.0, call=acts[0].call)
        seen = any(call < acts[0].call for call in edits)
        return Judged(0.15 if seen else 0.5, sure=seen, evidence=" ".join(acts[0].words), call=acts[0].call)

    def _after(self, turn: Turn, runs: list[int], edits: list[int]) -> Judged:
        if not edits:
            return NOTHING
        if runs and max(runs) > max(edits):
            return Judged(1.0)
        sure = turn.is_final and bool(turn.reply.strip()) and not runs
        return Judged(0.2 if sure else 0.5, sure=sure, evidence="no run after the last change", call=max(edits))


def _is_run(ran: Ran, what: str) -> bool:
    line = " ".join(ran.words)
    if what == "tests":
        return is_test(line) or (ran.name not in _LOOKERS and bool(_TESTS.search(line)))
    return bool(_KINDS[what].search(line)) if what in _KINDS else what in line


def orders(rule: Rule) -> Iterator[RunFirst]:
    """What a rule wants run, and when."""
    if rule.is_asked or rule.forbids:
        return
    if found := _BEFORE.search(rule.body):
        act = found[2] or found[3]
        if act in {"commit", "push"}:
            yield from (RunFirst(what, act) for what in _whats(rule, found[1] or found[4]))
    elif found := _AFTER.search(rule.body):
        yield from (RunFirst(what, "change") for what in _whats(rule, found[1] or found[2]))


def _whats(rule: Rule, text: str) -> Iterator[str]:
    if quoted := re.search(r"«(\d+)»", text):
        command = rule.quoted[int(quoted[1])].text
        yield from [command] if _COMMAND.fullmatch(command) else []
        return
    yield from (name for name, pattern in _CALLED if pattern.search(text))


# ── commit messages ──────────────────────────────────────────────────────────────────────────────────

_CONVENTIONAL = re.compile(
    r"(?:feat|fix|docs|style|refactor|perf|tests?|build|ci|chore|revert|wip|release|deps)(?:\([^)]{1,60}\))?!?: "
)
_MESSAGE = re.compile(r"(?:\s-[a-zA-Z]*m|--message)(?:\s+|=)(?:\"((?:[^\"\\]|\\.)*)\"|'([^']*)')")
_HEREDOC = re.compile(r"<<-?\s?['\"]?(\w+)['\"]?\n")
_ATTRIBUTION = re.compile(r"(?i)co-authored-by:|generated (?:with|by)|\bclaude\b|\bcopilot\b|🤖|noreply@anthropic")
_TOPIC = re.compile(r"\bcommit(?:s|ting)?\b")


@dataclass(frozen=True, slots=True)
class CommitMessage:
    """What the messages of commits are like: conventional, short, in lower case, without attribution, so begun."""

    form: str
    value: str = ""
    of_reply: bool = False

    def judge(self, turn: Turn) -> Judged:
        found = [(at, text) for at, action in turn.work.deeds if (text := commit_message(action.command))]
        if not found:
            return NOTHING
        wrong = next(((at, text) for at, text in found if not self._is_right(text)), None)
        return (
            Judged(0.05, evidence=self._shown(wrong[1]), call=wrong[0]) if wrong else Judged(1.0, evidence=found[0][1])
        )

    def _shown(self, text: str) -> str:
        found = _ATTRIBUTION.search(text) if self.form == "without attribution" else None
        return text[found.start() :] if found else text

    def _is_right(self, text: str) -> bool:
        subject = text.split("\n", 1)[0].strip()
        if self.form == "conventional":
            return bool(_CONVENTIONAL.match(subject))
        if self.form == "short":
            return len(subject) <= int(self.value) + 2
        if self.form == "lower":
            return not subject[:1].isupper()
        if self.form == "begins":
            return subject.lower().startswith(self.value.lower())
        if self.form == "without":
            return self.value.lower() not in text.lower()
        return not _ATTRIBUTION.search(text)


def commit_message(command: str) -> str:
    """What a command commits with; empty where it commits nothing, or its message is not known."""
    at = command.find("git commit")
    if at < 0 or len(command) > 20_000:
        return ""
    rest = command[at:]
    if opened := _HEREDOC.search(rest):
        end = rest.find(f"\n{opened[1]}", opened.end() - 1)
        return rest[opened.end() : end].strip() if end >= 0 else ""
    found = _MESSAGE.search(rest)
    text = (found[1] or found[2] or "") if found else ""
    return "" if text.startswith("$(") else text


def messages(rule: Rule) -> Iterator[CommitMessage]:
    """What a rule says of commit messages."""
    if rule.is_asked or not _TOPIC.search(rule.body):
        return
    body = rule.body
    negated = rule.forbids or bool(re.search(r"\b(?:no|without|not|never|don't|avoid|omit|skip)\b", body))
    if re.search(
        r"co-?author|attribution|mention(?:ing)? (?:claude|ai\b|yourself|copilot)|signature|generated with", body
    ):
        if negated:
            yield CommitMessage("without attribution")
    elif "conventional" in body and not negated and not re.search(r"\b(?:titles?|prs?|subjects)\b", body):
        yield CommitMessage("conventional")
    elif limit := re.search(
        r"\b(?:under|at most|max(?:imum)?(?: of)?|no (?:more|longer) than|below|within|to|exceed) (\d{2,3}) char", body
    ):
        yield CommitMessage("short", limit[1])
    elif re.search(r"\blower[ -]?case\b", body) and "message" in body and not negated:
        yield CommitMessage("lower")
    elif (begins := re.search(r"\b(?:start|begin|prefix)\w*\b[^«]{0,30}«(\d+)»", body)) and not negated:
        yield CommitMessage("begins", rule.quoted[int(begins[1])].text)
    elif (
        negated
        and "message" in body
        and (avoided := re.search(r"\b(?:use|includ\w+|mention\w*|say) (?:the words? )?«(\d+)»", body))
    ):
        yield CommitMessage("without", rule.quoted[int(avoided[1])].text)
