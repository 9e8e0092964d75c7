"""Commands, libraries, flags and tools to use or to leave alone ("pnpm, not npm").

A bare word is taken for a program or a library only where it is known as one or looks like code: "don't use jargon"
is no rule on programs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.signals.adherence.checks.code import named_language
from clew.signals.adherence.checks.rows import Row
from clew.signals.adherence.checks.rule import Rule
from clew.signals.adherence.checks.turn import KEPT, NOTHING, Judged, Turn
from clew.signals.adherence.checks.wordings import LIBRARIES, PROGRAMS
from clew.signals.adherence.checks.work import Ran

_NAME = r"(?P<{}>«\d+»|(?:--)?[a-z@][\w@./+-]*(?:\(\))?)"
#: What may stand before an order to use one thing instead of another.
_LEAD = r"\A(?:.*\b(?:must|should|always|please|can we|we|to|also|just|and|important:?|prefer|you)\b|.*:)?\W*?"
#: Between what is chosen and what is not: where the choice is made.
_NOT = (
    r"(?:(?: \w+)?,?\s+(?:instead of|rather than|over|and not|not|never|and never)"
    r"|\s+(?:in|for|under|inside|within|across|everywhere|throughout)\b(?:[^,;.]|\.(?=\S)){0,80}?"
    r"(?:,\s+(?:and |but )?(?:never|not)|,?\s+(?:instead of|rather than)))"
)
_INSTEAD = (
    rf"{_LEAD}\b(?:(?:use|using|prefer|run|go with|stick (?:to|with)|choose|want)\s+(?:the\s+)?{_NAME.format('good')}{_NOT}"
    rf"\s+(?:the\s+|using\s+|use\s+)?{_NAME.format('bad')}|(?:don't|do not|never|avoid)\s+(?:use|using|run|running|import"
    rf"|importing|install)\s+{_NAME.format('worse')}[,;.]?\s+(?:but\s+)?(?:use|prefer|always use)\s+{_NAME.format('better')})"
)
_FORBIDDEN = (
    r"(?:(?:us|import|install|run|call|execut|add|pass|rely on|invok|introduc|pull|bring)(?:e|n?ing|ing|ing in| in)?\s+)?"
    rf"(?:the\s+|any\s+)?{_NAME.format('name')}(?P<rest>[^,;]*)"
)
_TOOL = rf"us(?:e|ing)\s+(?:the\s+|your\s+)?{_NAME.format('name')}\s+tools?\b"
_NO_TOOL = {"any", "other", "external", "right", "same", "these", "this", "that"}
_SHAPED = re.compile(r"[a-z][\w]*[.(_:@]\w*\)?|--?[a-z][\w-]+|[A-Za-z]+[a-z][A-Z]\w*")
#: Words behind a name that only go on about the rule itself.
_ENDS = re.compile(
    r"\s*(?:\Z|[.!,]|(?:at all|ever|here|anywhere|again|please|directly|commands?|statements?|library|package|or|and|for)\b"
    r"|in (?:this|the|our|my|any|all|code|python|typescript|javascript|anything|your)\b)"
)
_GIT = re.compile(r"(?i)\b(?:commit|push|pull|branch|merge|rebase|pr|worktree|checkout|stash)")
_FLAG = re.compile(r"--?[a-z][\w-]*\Z")
_LONG_FLAGS = {"--recursive": "r", "--force": "f"}
_IMPORTS = re.compile(r"\b(?:import|require|from|use|include|using)\b")
_PLACE = re.compile(r"\b(?:in|under|inside|within) (?:the )?(?:([\w.-]+)/|([\w.-]+) (?:folder|directory)\b)")
_FILE = re.compile(r"\bin (?:[\w./-]+/)?([\w-]+\.\w{1,5})\b")


def judge_name(turn: Turn, name: str, instead: str, language: str, where: tuple[str, str]) -> Judged:
    """No command, import or new line of code uses the name; ``where`` is the file, or the folder, that is meant."""
    file, folder = where
    if found := _commanded(turn, name) or _written(turn, name, language, file):
        call, shown = found
        near = [shown, *(ran.shown for ran in turn.work.ran if ran.call == call)]
        if folder and not any(folder in word.split("/") for text in near for word in text.split()):
            return Judged(0.5, sure=False, evidence=shown, call=call)
        is_asked = name.lower() in turn.request.lower() or (name == "git" and _GIT.search(turn.request))
        return Judged(0.4 if is_asked else 0.05, sure=not is_asked, evidence=shown, call=call)
    return KEPT if turn.calls or turn.work.code or (instead and _commanded(turn, instead)) else NOTHING


def judge_tool(turn: Turn, name: str) -> Judged:
    """A tool is not called, however its name is spelt."""
    called = next((one for one in turn.work.tools if _letters(one[1]) == _letters(name)), None)
    return Judged(0.05, evidence=called[1], call=called[0]) if called else KEPT if turn.calls else NOTHING


def _letters(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower())


def _commanded(turn: Turn, name: str) -> tuple[int, str] | None:
    ran = next((one for one in (*turn.work.ran, *turn.work.shown) if _is_command(one, name.split())), None)
    return (ran.call, ran.shown) if ran else None


def _is_command(ran: Ran, wanted: list[str]) -> bool:
    """Whether a command begins with the wanted words and has the wanted flags, together or apart: rm -rf, rm -r -f."""
    if len(wanted) == 1 and _FLAG.match(wanted[0]):
        return any(word == wanted[0] or word.startswith(f"{wanted[0]}=") for word in ran.words[1:])
    said = [word for word in wanted if not word.startswith("-")]
    return [ran.name, *ran.words[1:]][: len(said)] == said and _flags(wanted) <= _flags(ran.words)


def _flags(words: list[str] | tuple[str, ...]) -> set[str]:
    """Flags one by one, short ones by their letter."""
    short = {letter for word in words if re.fullmatch(r"-[a-zA-Z]{1,6}", word) for letter in word[1:].replace("R", "r")}
    names = (word.partition("=")[0] for word in words if word.startswith("--"))
    return short | {_LONG_FLAGS.get(name, name) for name in names}


def _written(turn: Turn, name: str, language: str, file: str) -> tuple[int, str] | None:
    """The new line that uses it: where it is imported, or anywhere if it looks like nothing but code."""
    if " " in name or _FLAG.match(name) or len(name) < 3:
        return None
    token = re.compile(rf"(?<![\w.-]){re.escape(name.removesuffix('()'))}(?![\w-])")
    for one in turn.work.code:
        if (not language or one.language == language) and one.path.endswith(file) and not token.search(one.old):
            for line in one.added:
                is_looked_at = _SHAPED.fullmatch(name) or _IMPORTS.search(line[:200])
                if is_looked_at and token.search(line) and not line.lstrip().startswith(("#", "//", "*")):
                    return one.call, line.strip()
    return None


def _chosen(rule: Rule, found: re.Match[str]) -> Iterator[tuple[str, str, str, tuple[str, str]]]:
    bad, good = _name(rule, found["bad"] or found["worse"]), found["good"] or found["better"]
    if bad and rule.quote(good) != bad:
        yield bad, _name(rule, good), named_language(rule.body), _where(rule)


def _forbidden(rule: Rule, found: re.Match[str]) -> Iterator[tuple[str, str, str, tuple[str, str]]]:
    name, rest = _name(rule, found["name"]), found["rest"]
    # With the word that belongs to it ("git stash"); nothing where more follows that narrows the rule.
    if name in PROGRAMS and (word := re.match(r"\s+(--?[a-z][\w-]*|[a-z][\w-]+)", rest)) and not _ENDS.match(rest):
        name, rest = f"{name} {word[1]}", rest[word.end() :]
    if name and _ENDS.match(rest):
        yield name, "", named_language(rule.body), (_where(rule)[0], "")


def _tool(rule: Rule, found: re.Match[str]) -> Iterator[tuple[str]]:
    if (name := rule.quote(found["name"])) not in _NO_TOOL:
        yield (name,)


def _name(rule: Rule, name: str) -> str:
    """A program, a library, a flag or a piece of code; nothing for any other word."""
    quoted = next(rule.quotes(name), None)
    if quoted:
        is_name = 1 <= len(quoted.text.split()) <= 3 and re.search(r"[a-zA-Z]{2}", quoted.text)
        return quoted.text if is_name and (quoted.is_code or quoted.text in PROGRAMS | LIBRARIES) else ""
    name = name.rstrip(".,")
    return name if name in PROGRAMS | LIBRARIES or _SHAPED.fullmatch(name) else ""


def _where(rule: Rule) -> tuple[str, str]:
    """The file and the folder that a rule is for, where it names one."""
    file, folder = _FILE.search(rule.body), _PLACE.search(rule.body)
    return file[1] if file else "", (folder[1] or folder[2]) if folder else ""


def _fits(rule: Rule) -> bool:
    return not rule.is_question and not rule.needs_leave


ROWS = (
    Row(_INSTEAD, judge_name, _chosen, lambda rule: not rule.is_question, group="name"),
    Row(_TOOL, judge_tool, _tool, _fits, at_head=True, group="name"),
    Row(_FORBIDDEN, judge_name, _forbidden, _fits, at_head=True, group="name"),
)
