"""The claims of a pack: its printed state lines, taken apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

GAP = "[…]"
_SECTION = re.compile(r"^## clew ([\w-]+)$", re.M)
_TODOS = re.compile(r"^to-dos \((m\d+)(?:, not touched[^)]*)?\): (.*)$", re.S)
_EDITED = r"(; edited since(?:: \S.* \(m\d+\)(?: and \d+ more)?)?)?"
_FAILED = re.compile(rf"^failed, not seen to pass since \((m\d+)\): `(.*)` → (.*?){_EDITED}$", re.S)
_PASSED = re.compile(rf"^(passed|failed|result unknown) \((m\d+)\): `(.*?)`(?: → (.*?))?{_EDITED}$", re.S)
_PARTLY = re.compile(
    r"^failed \((m\d+)\), not seen to pass as a whole since: `(.*)`; what failed passed alone \((m\d+)\): `(.*)`$",
    re.S,
)
_RUNNING = re.compile(r"^seen running \((m\d+)\), not seen to end: `(.*)`, id (\w+)$", re.S)
_FILE = re.compile(r"^(\S.*?) \((edited|created|deleted|changed)(?: ×(\d+))?, (m\d+)\)(?: (.*))?$", re.S)
_NO_PUSH = "; no push seen since the last commit"
_COMMIT = re.compile(r"([0-9a-f]{7,40}) (.*?) \((m\d+)\)(?:; |$)", re.S)


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that a pack states. ``line`` is the printed line it stands in, ``source`` the message it names."""

    kind: str
    line: str
    subject: str = ""
    value: str = ""
    source: str = ""


def sections(pack: str) -> dict[str, str]:
    """The sections of a pack's text by name."""
    pieces = _SECTION.split(pack)
    return {name: text.strip("\n") for name, text in zip(pieces[1::2], pieces[2::2], strict=True)}


def claims_of(pack: str) -> list[Claim]:
    """Every claim of the state lines and file lines of a pack; a line of no known form is a claim of its own kind."""
    found = sections(pack)
    claims: list[Claim] = []
    for item in _items(found.get("story", "")):
        claims += list(_state(item)) or [Claim("unknown line", item)]
    for item in _items(found.get("files", "")):
        claims += _file(item)
    return claims


def _items(section: str) -> list[str]:
    return [item.removeprefix("- ") for item in re.split(r"\n(?=- )", section) if item.strip()]


def _state(line: str) -> Iterator[Claim]:
    if found := _TODOS.match(line):
        yield from _todos(line, found[1], found[2])
    elif found := _FAILED.match(line):
        yield Claim("failed", line, found[2], found[3], found[1])
        if found[4]:
            yield Claim("edited since", line, found[2], "", found[1])
    elif found := _PARTLY.match(line):
        yield Claim("failed as a whole", line, found[2], "", found[1])
        yield Claim("passed", line, found[4], "", found[3])
    elif found := _PASSED.match(line):
        yield Claim(found[1], line, found[3], found[4] or "", found[2])
        if found[5]:
            yield Claim("edited since", line, found[3], "", found[2])
    elif found := _RUNNING.match(line):
        yield Claim("running", line, found[2], found[3], found[1])
    else:
        yield from _repository(line)


def _repository(line: str) -> Iterator[Claim]:
    if found := re.match(r"^branch (\S+) \((m\d+)\)$", line):
        yield Claim("branch", line, found[1], "", found[2])
    elif found := re.match(r"^commits(?: on (\S+))?(?: in \S+)?: (.*)$", line, re.S):
        for hash, subject, source in _COMMIT.findall(found[2]):
            yield Claim("commit", line, hash, subject, source)
            yield Claim("made on", line, hash, found[1] or "", source)
    elif found := re.match(r"^HEAD ([0-9a-f]+) (.*) \((m\d+)\)$", line, re.S):
        yield Claim("head", line, found[1], found[2], found[3])
    elif line == "no commit seen in this session":
        yield Claim("no commit", line)
    elif found := re.match(r"^no commit seen since the edits of: (.*)$", line, re.S):
        for name in found[1].split(", "):
            yield Claim("not committed", line, name)
    elif line.startswith("pushed: "):
        for remote, source in re.findall(r"(\S+)(?: in \S+)? \((m\d+)\)", line.partition(_NO_PUSH)[0]):
            yield Claim("pushed", line, remote, "", source)
        missing = re.findall(rf"{_NO_PUSH}(?: on (\S+?))?(?=;|$)", line)
        yield from (Claim("commits pushed", line, "no", branch) for branch in missing)
        if not missing:
            yield Claim("commits pushed", line, "not said")
    else:
        yield from _remote(line)


def _remote(line: str) -> Iterator[Claim]:
    if found := re.match(r"^git status \((m\d+)\): (.*)$", line, re.S):
        yield Claim("status", line, found[2], "", found[1])
    elif found := re.match(r"^pull request looked at last: [\w./-]*#(\d+) \((m\d+)\)$", line):
        yield Claim("pull request", line, found[1], "", found[2])
    elif found := re.match(r"^CI (passed|failed) \((m\d+)\): ([^,;]*)(?:, (.*?))?(?:; pushed since)?$", line, re.S):
        yield Claim("ci", line, found[3], found[1], found[2])
    elif found := re.match(r"^deleted, no commit seen since: (.*)$", line, re.S):
        for name, source in re.findall(r"(\S.*?) \((m\d+)\)(?:, |$)", found[1]):
            yield Claim("not committed", line, name)
            yield Claim("file", line, name, "deleted", source)
    elif line == "no push seen":
        yield Claim("no push", line)
    elif found := re.match(r"^opened (\S+) \((m\d+)\)$", line):
        yield Claim("opened", line, found[1], "", found[2])


def _todos(line: str, source: str, rest: str) -> Iterator[Claim]:
    if found := re.match(r"^all (\d+) done: (.*)$", rest, re.S):
        yield Claim("to-dos done", line, found[1], "", source)
        yield from (Claim("to-do", line, text, "done", source) for text in found[2].split("; "))
        return
    open, _, done = rest.partition("; done: ")
    for item in re.split(r"; (?=\[(?:open|doing|done|unknown|dropped)\] )", open):
        status, _, text = item.removeprefix("[").partition("] ")
        yield Claim("to-do", line, text, status, source)
    yield from (Claim("to-do", line, text, "done", source) for text in done.split("; ") if text)


def _file(line: str) -> list[Claim]:
    if found := _FILE.match(line):
        deed, count = found[2], found[3] or ""
        return [Claim("file", line, found[1], f"{deed} {count}".strip(), found[4])]
    return [Claim("file", line, line, "changed")]


def matches(shown: str, whole: str) -> bool:
    """Whether a text is shown whole or clipped: its pieces stand in the whole text in their order. Commands on lines of
    their own are shown with a semicolon between them."""
    at = 0
    whole = without_breaks(whole)
    for piece in re.split(r"\s*(?:\[…\]|…)\s*", shown):
        piece = without_breaks(piece)
        at = whole.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True


def without_breaks(text: str) -> str:
    """A text without what parts commands from each other, and without lines that only comment on them."""
    return " ".join(re.sub(r"(?m)^[ \t]*#.*$", "", text).replace(";", " ").split())


def line_of(claim: Claim) -> str:
    """A claim as the line that a pack would print for it alone."""
    at = f"({claim.source})"
    arrow = f" → {claim.value}" if claim.value else ""
    lines = {
        "to-do": f"to-dos {at}: [{claim.value}] {claim.subject}",
        "to-dos done": f"to-dos {at}: all {claim.subject} done: {claim.line.partition(' done: ')[2]}",
        "failed": f"failed, not seen to pass since {at}: `{claim.subject}` → {claim.value}",
        "failed as a whole": f"failed {at}, not seen to pass as a whole since: `{claim.subject}`; {_alone(claim.line)}",
        "passed": f"passed {at}: `{claim.subject}`{arrow}",
        "edited since": f"passed {at}: `{claim.subject}`; edited since: a.py (m9)",
        "running": f"seen running {at}, not seen to end: `{claim.subject}`, id {claim.value}",
        "branch": f"branch {claim.subject} {at}",
        "commit": f"commits: {claim.subject} {claim.value} {at}",
        "made on": f"commits{f' on {claim.value}' if claim.value else ''}: {claim.subject} … {at}",
        "head": f"HEAD {claim.subject} {claim.value} {at}",
        "no commit": "no commit seen in this session",
        "not committed": f"no commit seen since the edits of: {claim.subject}",
        "pushed": f"pushed: {claim.subject} {at}",
        "commits pushed": _pushed_line(claim),
        "no push": "no push seen",
        "status": f"git status {at}: {claim.subject}",
        "pull request": f"pull request looked at last: #{claim.subject} {at}",
        "opened": f"opened {claim.subject} {at}",
    }
    return lines[claim.kind] if claim.kind in lines else _file_line(claim)


def _alone(line: str) -> str:
    return line[line.find("what failed passed alone") :]


def _pushed_line(claim: Claim) -> str:
    said = claim.line.partition(_NO_PUSH)[0]
    where = f" on {claim.value}" if claim.value else ""
    return f"{said}{_NO_PUSH}{where}" if claim.subject == "no" else said


def _file_line(claim: Claim) -> str:
    deed, _, count = claim.value.partition(" ")
    return f"{claim.subject} ({deed}{f' ×{count}' if count else ''}, {claim.source})"


def pack_with(claim: Claim) -> str:
    """A pack that states nothing but this claim."""
    return f"## clew {'files' if claim.kind == 'file' else 'story'}\n- {line_of(claim)}\n"
