"""Commands, libraries and flags to use or to leave alone ("pnpm, not npm").

A bare word is taken for a program or a library only where it is known as one or looks like code: "don't use jargon"
is no rule on programs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.signals.adherence.checks.rows import Row, of_work
from clew.signals.adherence.checks.rule import RuleSentence
from clew.signals.adherence.checks.turn import KEPT, NOTHING, CheckedTurn, Judgement
from clew.signals.adherence.checks.wordings import LIBRARIES, PROGRAMS
from clew.signals.adherence.checks.work import Ran

_NAME = r"«\d+»|(?:--)?[a-z@][\w@./+-]*(?:\(\))?"
#: What may stand before an order to use one thing instead of another.
_LEAD = r"\A(?:.*\b(?:must|should|always|please|can we|we|to|also|just|and|important:?|prefer|you)\b|.*:)?\W*?"
#: Between what is chosen and what is not: where the choice is made.
_NOT = (
    r"(?:(?: \w+)?,?\s+(?:instead of|rather than|over|and not|not|never|and never)"
    r"|\s+(?:in|for|under|inside|within|across|everywhere|throughout)\b(?:[^,;.]|\.(?=\S)){0,80}?"
    r"(?:,\s+(?:and |but )?(?:never|not)|,?\s+(?:instead of|rather than)))"
)
_INSTEAD = (
    r"\b(?:(?:use|using|prefer|run|go with|stick (?:to|with)|choose|want)\s+(?:the\s+)?"
    rf"(?P<good>{_NAME}){_NOT}\s+(?:the\s+|using\s+|use\s+)?(?P<bad>{_NAME})"
    r"|(?:don't|do not|never|avoid)\s+(?:use|using|run|running|import|importing|install)\s+"
    rf"(?P<worse>{_NAME})[,;.]?\s+(?:but\s+)?(?:use|prefer|always use)\s+(?P<better>{_NAME}))"
)
_FORBIDDEN = (
    r"(?:(?:us|import|install|run|call|execut|add|pass|rely on|invok|introduc|pull|bring)(?:e|n?ing)?(?: in)?\s+)?"
    rf"(?:the\s+|any\s+)?(?P<name>{_NAME})(?P<rest>[^,;]*)"
)
_SHAPED = re.compile(r"[a-z][\w]*[.(_:@]\w*\)?|--?[a-z][\w-]+|[A-Za-z]+[a-z][A-Z]\w*")
#: Words behind a name that only go on about the rule itself.
_ENDS = re.compile(
    r"\s*(?:\Z|[.!,]|(?:at all|ever|here|anywhere|again|please|directly|commands?|statements?|library|package|or|and"
    r"|for|because)\b|in (?:this|the|our|my|any|all|code|python|typescript|javascript|anything|your)\b)"
)
_GIT = re.compile(r"(?i)\b(?:commit|push|pull|branch|merge|rebase|pr|worktree|checkout|stash)")
_FLAG = re.compile(r"--?[a-z][\w-]*\Z")
_LONG_FLAGS = {"--recursive": "r", "--force": "f"}
_IMPORTS = re.compile(r"\b(?:import|require|from|use|include|using)\b")
_FOLDER = re.compile(r"\b(?:in|under|inside|within) (?:the )?(?:([\w.-]+)/|([\w.-]+) (?:folder|directory)\b)")


def judge_name(turn: CheckedTurn, name: str, folder: str) -> Judgement:
    """No command, import or new line of code uses the name, or none that is seen to be of the folder."""
    use = _find_command(turn, name.split()) or _find_line(turn, name)
    if use is None:
        return KEPT if turn.calls or turn.work.code or turn.work.shown_commands else NOTHING
    call, shown = use
    near = " ".join([shown, *(ran.command_text for ran in turn.work.ran if ran.call == call)])
    is_elsewhere = folder and not any(folder in word.split("/") for word in near.split())
    is_asked = name.lower() in turn.request.lower() or (name == "git" and _GIT.search(turn.request))
    if is_elsewhere or is_asked:
        return Judgement(0.4, sure=False, evidence=shown, call=call)
    return Judgement(0.05, evidence=shown, call=call)


def _find_command(turn: CheckedTurn, wanted: list[str]) -> tuple[int, str] | None:
    ran = next((ran for ran in (*turn.work.ran, *turn.work.shown_commands) if _is_command(ran, wanted)), None)
    return (ran.call, ran.command_text) if ran else None


def _is_command(ran: Ran, wanted: list[str]) -> bool:
    """Whether a command begins with the wanted words and has the wanted flags, together or apart: rm -rf, rm -r -f."""
    if len(wanted) == 1 and _FLAG.match(wanted[0]):
        return any(word == wanted[0] or word.startswith(f"{wanted[0]}=") for word in ran.words[1:])
    fixed = [word for word in wanted if not word.startswith("-")]
    return ran.line.split()[: len(fixed)] == fixed and _flags(wanted) <= _flags(ran.words)


def _flags(words: list[str] | tuple[str, ...]) -> set[str]:
    """Flags one by one, short ones by their letter."""
    short = {letter for word in words if re.fullmatch(r"-[a-zA-Z]{1,6}", word) for letter in word[1:].replace("R", "r")}
    names = (word.partition("=")[0] for word in words if word.startswith("--"))
    return short | {_LONG_FLAGS.get(name, name) for name in names}


def _find_line(turn: CheckedTurn, name: str) -> tuple[int, str] | None:
    """The new line that uses it: where it is imported, or anywhere if it looks like nothing but code."""
    if " " in name or _FLAG.match(name) or len(name) < 3:
        return None
    token = re.compile(rf"(?<![\w.-]){re.escape(name.removesuffix('()'))}(?![\w-])")
    lines = ((code.call, line) for code in turn.work.code if not token.search(code.old) for line in code.added_lines)
    for call, line in lines:
        is_code = _SHAPED.fullmatch(name) or _IMPORTS.search(line[:200])
        if is_code and token.search(line) and not line.lstrip().startswith(("#", "//", "*")):
            return call, line.strip()
    return None


def _chosen(rule: RuleSentence, match: re.Match[str]) -> Iterator[tuple[str, str]]:
    bad, good = _name(rule, match["bad"] or match["worse"]), match["good"] or match["better"]
    folder = _FOLDER.search(rule.body)
    if bad and rule.quote(good) != bad:
        yield bad, (folder[1] or folder[2]) if folder else ""


def _forbidden(rule: RuleSentence, match: re.Match[str]) -> Iterator[tuple[str, str]]:
    name, rest = _name(rule, match["name"]), match["rest"]
    # With the word that belongs to it ("git stash"); nothing where more follows that narrows the rule.
    if (
        name in PROGRAMS
        and (word := re.match(r"(?: [a-z][\w-]+)?(?: --?[a-z][\w-]*)*", rest))
        and not _ENDS.match(rest)
    ):
        name, rest = f"{name}{word[0]}", rest[word.end() :]
    if name and _ENDS.match(rest) and not rule.needs_leave:
        yield name, ""


def _name(rule: RuleSentence, name: str) -> str:
    """A program, a library, a flag or a piece of code; nothing for any other word."""
    text = rule.quote(name).rstrip(".,")
    if name.startswith("«"):
        is_code = any(quote.is_code for quote in rule.quotes(name)) and re.search(r"[a-zA-Z]{2}", text)
        return text if text in PROGRAMS | LIBRARIES or (is_code and len(text.split()) <= 3) else ""
    return text if text in PROGRAMS | LIBRARIES or _SHAPED.fullmatch(text) else ""


ROWS = (
    Row(_LEAD + _INSTEAD, judge_name, _chosen, of_work, "+-", group="name"),
    Row(_FORBIDDEN, judge_name, _forbidden, of_work, at_head=True, group="name"),
)
