"""Paths: files and folders that must not be changed, read or made, and work that has to stay within some."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.signals.adherence.checks.rows import Row
from clew.signals.adherence.checks.rule import RuleSentence
from clew.signals.adherence.checks.turn import KEPT, NOTHING, CheckedTurn, Judgement
from clew.text.names import paths_in
from clew.text.tools.actions import Action, ActionKind
from clew.text.vocabulary import in_order, words

_CHANGE = (
    r"(?:touch|modif|edit|chang|alter|updat|overwrit|delet|remov|renam|writ(?:e|ing) to|mess with|format|regenerat)"
    r"(?:e|y|ing|ying)?\b"
)
_FORBIDDEN = (
    r"(?:ever |proactively |manually |directly )*(?:(?P<change>make (?:any )?(?:changes?|edits?) (?:to|in)\b"
    rf"|changes? to\b|{_CHANGE})|(?P<read>(?:read|open|look|access|cat)(?:ing)?\b)"
    r"|(?P<make>(?:creat|add|generat|mak|writ)(?:e|ing)?\b))"
)
_ONLY = (
    rf"\bonly (?:ever )?{_CHANGE}|\b(?:changes?|edits?|work|modifications)\b[^.;]{{0,20}}\b(?:only|limited|restricted"
    r"|confined)\b[^.;]{0,12}\b(?:in|to|within)\b|\b(?:limit|restrict|confine)\b[^.;]{0,20}\b(?:changes?|edits?|work)\b"
    r"[^.;]{0,12}\bto\b"
)
_QUOTED_PATH = re.compile(r"(?=.*(?:/|\..))[\w.@~/*+-]{2,120}")
_FOLDER = re.compile(r"(?<![\w/.])((?:[\w.@-]+/)+[\w.@*-]*)|(?<![\w/])(\*\.[a-z]{1,8}|\.env(?:\.\w+)?)\b")
_NAMED = re.compile(r"\b(?:the |any |our |its )?([\w.-]+) (?:folder|directory|dir)\b")
_LOCK_FILES = in_order("package-lock.json yarn.lock pnpm-lock.yaml poetry.lock uv.lock cargo.lock gemfile.lock")
_NO_NAMES = words("this same current a another other new working root that whole parent any the each every home output")
_MAX_PATHS = 12


def judge_untouched(turn: CheckedTurn, paths: tuple[str, ...], how: str) -> Judgement:
    """Files and folders are left alone: not changed, not read, or not made."""
    for call_index, action in turn.work.deeds:
        if hit := next((path for path in paths if _is_meant(action, how) and covers(path, action.path)), ""):
            is_asked = any(_mentions(request, hit) for request in (turn.request, *turn.earlier[-2:]))
            return NOTHING if is_asked else Judgement(0.05, evidence=f"{action.kind} {action.path}", call=call_index)
    return KEPT if turn.calls else NOTHING


def judge_confined(turn: CheckedTurn, paths: tuple[str, ...]) -> Judgement:
    """Work stays within these files and folders; scratch files elsewhere are nobody's concern."""
    own = [
        change
        for change in turn.work.file_changes
        if not change[1].path.startswith(("/tmp", "/var", "~", "/dev", "/private"))
    ]
    outside = [change for change in own if not any(covers(path, change[1].path) for path in paths)]
    if not outside or _mentions(turn.request, outside[0][1].path):
        return KEPT if own and not outside else NOTHING
    # Said for one task, it ends with the task: another request may well lead elsewhere.
    same = any(_mentions(turn.request, path) for path in paths) or not turn.earlier
    call_index, action = outside[0]
    return Judgement(0.2, sure=same, evidence=f"{action.kind} {action.path}", call=call_index)


def _is_meant(action: Action, how: str) -> bool:
    is_made, is_read = action.content is not None, action.kind is ActionKind.READ
    return {"read": is_read, "make": is_made, "change": action.kind.changes_files}[how]


def covers(rule_path: str, path: str) -> bool:
    """Whether a path of a rule names that file, or a folder it is in."""
    wanted, given = rule_path.lower().removeprefix("./").rstrip("/*"), "/" + path.lower().replace("\\", "/").lstrip("/")
    if wanted.startswith("*."):
        return given.endswith(wanted[1:])
    wanted = "/" + wanted.lstrip("/")
    return wanted != "/" and (given.endswith(wanted) or f"{wanted}/" in given)


def _mentions(request: str, path: str) -> bool:
    """A person names the file or folder without forbidding it in the same breath."""
    name = re.escape(path.lower().rstrip("/*").rsplit("/", 1)[-1].lstrip("*"))
    refused = rf"(?:don't|do not|never|not|avoid)\b[^.;\n]{{0,40}}{name}"
    return bool(name) and re.search(name, re.sub(refused, " ", request.lower()[:8000])) is not None


def _untouched_paths(rule: RuleSentence, match: re.Match[str]) -> Iterator[tuple[tuple[str, ...], str]]:
    for named in _confined_paths(rule, match):
        if not match["make"] or any(change.startswith("*") for change in named[0]):
            yield *named, match.lastgroup or ""


def _confined_paths(rule: RuleSentence, _: re.Match[str]) -> Iterator[tuple[tuple[str, ...]]]:
    bare = re.sub(r"`[^`]*`|\"[^\"]*\"", " ", rule.text)
    folders = [change or other for change, other in _FOLDER.findall(bare)]
    named = [match[1] for match in _NAMED.finditer(rule.body) if match[1] not in _NO_NAMES]
    quoted = [change.text for change in rule.quoted if _QUOTED_PATH.fullmatch(change.text)]
    locks = _LOCK_FILES if re.search(r"\block ?files?\b", rule.body) else ()
    if paths := tuple(dict.fromkeys((*quoted, *paths_in(bare), *folders, *named, *locks)))[:_MAX_PATHS]:
        yield (paths,)


def _fits(rule: RuleSentence) -> bool:
    return not rule.is_question and not rule.needs_leave


ROWS = (
    Row(_ONLY, judge_confined, _confined_paths, _fits, group="paths"),
    Row(_FORBIDDEN, judge_untouched, _untouched_paths, _fits, at_head=True, group="paths"),
)
