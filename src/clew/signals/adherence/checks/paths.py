"""Paths: files and folders that must not be changed, read or made, and work that has to stay within some."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clew.signals.adherence.checks.rule import Rule
from clew.signals.adherence.checks.values import NOTHING, Judged, Turn
from clew.text.names import paths_in
from clew.text.tools.actions import Action, ActionKind
from clew.text.vocabulary import words

_CHANGE = (
    r"(?:touch|modif(?:y|ying)|edit(?:ing)?|chang(?:e|ing)|alter(?:ing)?|updat(?:e|ing)|overwrit(?:e|ing)|delet(?:e"
    r"|ing)|remov(?:e|ing)|renam(?:e|ing)|writ(?:e|ing) to|mess with|format(?:ting)?|regenerat(?:e|ing)"
    r"|commit(?:ting)?|touching)"
)
_READ = r"(?:read(?:ing)?|open(?:ing)?|look(?:ing)? (?:at|into|in)|access(?:ing)?|cat)"
_MAKE = r"(?:creat(?:e|ing)|add(?:ing)?|generat(?:e|ing)|mak(?:e|ing)|writ(?:e|ing))"
_FORBIDDEN = re.compile(
    rf"(?:ever |proactively |manually |directly |make (?:any )?(?:changes?|edits?) (?:to|in) |(?P<change>{_CHANGE})"
    rf"|(?P<read>{_READ})|(?P<make>{_MAKE}))"
)
_ONLY = re.compile(
    rf"\bonly (?:ever )?{_CHANGE}\b|\b(?:changes?|edits?|work|modifications)\b[^.;]{{0,20}}\b(?:only|limited"
    rf"|restricted|confined)\b[^.;]{{0,12}}\b(?:in|to|within)\b|\b(?:limit|restrict"
    rf"|confine)\b[^.;]{{0,20}}\b(?:changes?|edits?|work)\b[^.;]{{0,12}}\bto\b"
)
_FOLDER = re.compile(r"(?<![\w/.])((?:[\w.@-]+/)+[\w.@*-]*)")
_NAMED = re.compile(r"\b(?:the |any |our |its )?([\w.-]+) (?:folder|directory|dir)\b")
_GLOB = re.compile(r"(?<![\w/])(\*\.[a-z]{1,8}|\.env(?:\.\w+)?)\b")
_LOCK = re.compile(r"\block ?files?\b")
_LOCK_FILES = (
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "uv.lock",
    "cargo.lock",
    "gemfile.lock",
)
_NO_NAMES = words("this same current a another other new working root that whole parent any the each every home output")
_MAX_PATHS = 12


@dataclass(frozen=True, slots=True)
class Untouched:
    """Files and folders that are left alone: not changed, not read, or not made."""

    paths: tuple[str, ...]
    how: str = "change"
    of_reply: bool = False

    def judge(self, turn: Turn) -> Judged:
        for at, action in turn.work.deeds:
            if self._is_meant(action) and (hit := self._hit(action.path)):
                if any(_mentions(request, hit) for request in (turn.request, *turn.earlier[-2:])):
                    return NOTHING
                return Judged(0.05, evidence=f"{action.kind} {action.path}", call=at)
        return Judged(1.0) if turn.calls else NOTHING

    def _is_meant(self, action: Action) -> bool:
        if self.how == "read":
            return action.kind is ActionKind.READ
        return action.content is not None if self.how == "make" else action.kind.changes_files

    def _hit(self, path: str) -> str:
        return next((one for one in self.paths if path and covers(one, path)), "")


@dataclass(frozen=True, slots=True)
class Confined:
    """Work stays within these files and folders; scratch files elsewhere are nobody's concern."""

    paths: tuple[str, ...]
    of_reply: bool = False

    def judge(self, turn: Turn) -> Judged:
        inside = False
        for at, action in turn.work.changed:
            if any(covers(one, action.path) for one in self.paths):
                inside = True
            elif not action.path.startswith(("/tmp", "/var", "~", "/dev", "/private")):
                asked = _mentions(turn.request, action.path.rsplit("/", 1)[-1])
                # Said for one task, it ends with the task: another request may well lead elsewhere.
                same = any(_mentions(turn.request, one) for one in self.paths) or not turn.earlier
                return NOTHING if asked else Judged(0.2, sure=same, evidence=f"{action.kind} {action.path}", call=at)
        return Judged(1.0) if inside else NOTHING


def covers(rule_path: str, path: str) -> bool:
    """Whether a path of a rule names that file, or a folder it is in."""
    wanted, given = rule_path.lower().removeprefix("./").rstrip("/*"), "/" + path.lower().replace("\\", "/").lstrip("/")
    if wanted.startswith("*."):
        return given.endswith(wanted[1:])
    if not wanted:
        return False
    wanted = "/" + wanted.lstrip("/")
    return given.endswith(wanted) or f"{wanted}/" in given


def _mentions(request: str, path: str) -> bool:
    """A person names the file or folder without forbidding it in the same breath."""
    name = re.escape(path.lower().rstrip("/*").rsplit("/", 1)[-1].lstrip("*"))
    text = request.lower()[:8000]
    refused = rf"(?:don't|do not|never|not|avoid)\b[^.;\n]{{0,40}}{name}"
    return bool(name) and re.search(name, re.sub(refused, " ", text)) is not None


def paths(rule: Rule) -> Iterator[Untouched | Confined]:
    """The files and folders that a rule protects, or keeps the work within."""
    if rule.is_asked:
        return
    named = tuple(dict.fromkeys(_paths(rule)))[:_MAX_PATHS]
    if not named or rule.needs_leave:
        return
    if _ONLY.search(rule.body) and not rule.forbids:
        yield Confined(named)
    elif rule.forbids and (found := _FORBIDDEN.match(rule.head)):
        how = "read" if found["read"] else "make" if found["make"] else "change"
        is_plain = how != "make" or any(one.startswith("*") for one in named)
        if is_plain and not re.search(r"\b(?:commit|push)", rule.head.split(" ")[0]):
            yield Untouched(named, how)


def _paths(rule: Rule) -> Iterator[str]:
    bare = re.sub(r"`[^`]*`|\"[^\"]*\"", " ", rule.text)
    yield from (one.text for one in rule.quoted if _is_path(one.text))
    yield from paths_in(bare)
    yield from (found for found in _FOLDER.findall(bare) if "/" in found.rstrip("/") or found.endswith("/"))
    yield from _GLOB.findall(bare)
    if found := _NAMED.search(rule.body):
        yield from [found[1]] if found[1] not in _NO_NAMES else []
    if _LOCK.search(rule.body):
        yield from _LOCK_FILES


def _is_path(text: str) -> bool:
    return " " not in text and bool(re.fullmatch(r"[\w.@~/*+-]{2,120}", text)) and ("/" in text or "." in text[:-1])
