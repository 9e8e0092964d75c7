"""Digests as lines that may stand in a summary: facts with their source, where they belong and what they are worth."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log2
from typing import NamedTuple

from clew.domain import Digest, Fact, Failure, Origin, Outcome, Ran, Touched, Use
from clew.summaries.clipping import one_line, shortened
from clew.summaries.planted import gives_orders
from clew.summaries.sections import (
    ACTIVE,
    CARRIED,
    CODEBASE,
    FILES,
    FOUNDATION,
    KEPT,
    OVERVIEW,
    PLAN,
    PROBLEMS,
    PROGRESS,
    RECENT,
    sections_of,
)
from clew.summaries.source import is_telling
from clew.text.commands import command_actions
from clew.text.deeds import Deed

#: What only says that something will be said or done; the deed itself is told elsewhere.
_EMPTY_TALK = re.compile(
    r"(?i)\W*(?:(?:now|ok|okay|good|great|perfect|next|first|so|also|and|then|good (?:question|catch|point))\b\W*)?"
    r"(?:let me\b|let['’]s\b|i['’]ll\b|i will\b|i need to\b|i['’]m \w{2,12}ing\b"
    r"|i am going\b|i can see\b|now i\b|now the\b|now add\b|here(?:['’]s| is| are)\b.{0,80}:\s*\Z|looking at\b"
    r"|done[.!]?\s*\Z|all (?:tests )?(?:good|done)[.!]?\s*\Z)"
)
#: Good enough to pass over a sentence.
_SENTENCE_END = re.compile(r"(?<=[.!?:])\s+|(?<=[。！？])|\n[\s#*>-]*")
#: Says what was wrong, rather than how it is to be.
_EXPLAINS = re.compile(
    r"(?i)\b(?:cause|bug|issue|problem|fix(?:es|ed)?|broken|errors?|fail\w*|wrong|because|turns out)\b"
)
#: Something that can be looked up: code, a number, a name with a capital or a joint inside.
_HARD = re.compile(r"`|\d|\w[._/]\w|[a-z][A-Z]")
_LOOKS = frozenset({Deed.READ, Deed.SEARCH, Deed.LIST})
#: Where a command goes first says nothing of what it does.
_ENTERING = re.compile(r"\s*(?:cd [^&;|\n]{1,400}(?:&&|;|\n)\s*){1,4}")
_ENTERED = re.compile(r"\s*cd [^&;|\n]{1,400}\s*")
_COMMAND_CHARS = 1_000
_PIPED = re.compile(r" (?:2>&1|\| (?:tail|head|grep)|> ?/dev/null)")
#: Commands of the last segments are what was just going on.
_RECENT_SEGMENTS, _MAX_RUNS = 6, 12
#: What a line of the earlier summary is worth in its section; what it says of its own present has passed.
_BEFORE = {OVERVIEW: 1.6, FOUNDATION: 1.5, CODEBASE: 1.2, PROBLEMS: 0.8, PROGRESS: 0.8, CARRIED: 0.9, "": 1.0}
_MOVED = {ACTIVE: PROGRESS, RECENT: PROGRESS, CARRIED: FOUNDATION, "": OVERVIEW}
_LONG_AGO = 1_000_000
#: How a line about a file begins, and the line that says where paths begin.
_FILE = re.compile(r"((?:created|changed|deleted|read) )(?=[^/\s])")
ROOT = "paths from "
_BEFORE |= {ACTIVE: 0.4, RECENT: 0.2, PLAN: 0.4}


#: What no summary can do without: the first request, the last, and the last word.
MUST = 4.0


class Line(NamedTuple):
    """A fact as it would stand in a section. ``place`` orders lines within it; ``quoted`` are a person's own words."""

    section: str
    text: str
    worth: float
    place: float
    quoted: bool = False


@dataclass(frozen=True)
class _Teller:
    """``chars`` is how long a line may be; the newest words may be longer."""

    digests: Sequence[Digest]
    chars: int

    def lines(self) -> Iterator[Line]:
        for at, digest in enumerate(self.digests):
            yield from self._requests(at, digest)
            yield from self._decisions(at, digest)
            yield from self._progress(at, digest)
        yield from self._files()
        yield from self._failures()
        yield from self._runs()
        yield from self._now()

    def _age(self, at: int) -> float:
        """1 for the newest segment, towards 0 for the oldest."""
        return (at + 1) / len(self.digests)

    def _requests(self, at: int, digest: Digest) -> Iterator[Line]:
        for fact in digest.requests:
            is_first = fact is self._asked[0]
            telling = 1.0 if is_telling(fact.text) else 0.3
            worth = MUST if is_first else telling * (1.2 + 0.9 * self._age(at))
            # A single request is also the last one, and has to say all.
            chars = self.chars * 2 if len(self._asked) == 1 else self.chars if is_first else self.chars * 2 // 3
            yield Line(OVERVIEW, f"asked: “{shortened(fact.text, chars)}” ({fact.source})", worth, at, quoted=True)

    @cached_property
    def _asked(self) -> list[Fact]:
        return [fact for digest in self.digests for fact in digest.requests]

    def _decisions(self, at: int, digest: Digest) -> Iterator[Line]:
        asked = " ".join(one_line(fact.text) for fact in digest.requests)
        for fact in digest.decisions:
            if _is_unfinished(fact.text) or one_line(fact.text) in asked[: self.chars * 2 // 3]:
                continue
            if fact.by is Origin.PERSON:
                text = f"the user: “{shortened(fact.text, self.chars)}” ({fact.source})"
                yield Line(FOUNDATION, text, 2.4, at, quoted=True)
            else:
                section = PROBLEMS if _EXPLAINS.search(fact.text) else FOUNDATION
                worth = _plainly(fact.text) * (0.4 + 0.5 * self._age(at))
                yield Line(section, f"{shortened(fact.text, self.chars)} ({fact.source})", worth, at)

    def _progress(self, at: int, digest: Digest) -> Iterator[Line]:
        for fact in digest.done:
            yield Line(PROGRESS, f"done: {shortened(fact.text, self.chars)} ({fact.source})", 0.7 + self._age(at), at)
        if digest.gist:
            yield Line(PROGRESS, f"{shortened(digest.gist.text, 2 * self.chars)} ({digest.gist.source})", 2.0, at)
        elif digest.response:
            yield Line(PROGRESS, f"{shortened(digest.response.text, self.chars)} ({digest.response.source})", 1.4, at)
        elif digest.final and at < len(self.digests) - 1 and (said := _telling(digest.final.text, self.chars)):
            worth = (0.5 if digest.outcome is Outcome.COMPLETED else 0.2) + 0.7 * self._age(at)
            yield Line(PROGRESS, f"{said} ({digest.final.source})", worth * _plainly(said), at)
        if digest.intent and digest.gist:
            yield Line(
                OVERVIEW, f"meant: {shortened(digest.intent.text, self.chars)} ({digest.intent.source})", 0.8, at
            )

    def _files(self) -> Iterator[Line]:
        """Each file once, as it was last used; changed ones by how often and how lately."""
        last: dict[str, tuple[int, Touched]] = {}
        times: dict[str, int] = {}
        for at, digest in enumerate(self.digests):
            for file in digest.files:
                known = last.get(file.text)
                times[file.text] = times.get(file.text, 0) + 1
                if known is None or file.use is not Use.READ or known[1].use is Use.READ:
                    last[file.text] = (at, _joined(known[1] if known else None, file))
        for path, (at, file) in last.items():
            often = log2(1 + times[path])
            changed = 1.6 + 1.2 * self._age(at) + 0.3 * often
            worth = (0.12 + 0.2 * self._age(at)) * often if file.use is Use.READ else changed
            yield Line(CODEBASE, _file_text(file, self.chars), worth, -at)

    def _failures(self) -> Iterator[Line]:
        newest = len(self.digests) - 3
        for at, digest in enumerate(self.digests):
            for text, failure in {one.text: one for one in digest.failures}.items():
                if gives_orders(text):
                    continue
                open_worth = 3.0 if at >= newest else 0.5 * self._age(at)
                worth = 0.3 + 0.5 * self._age(at) if failure.resolved else open_worth
                yield Line(PROBLEMS, _failure_text(failure, self.chars), worth, at)

    def _runs(self) -> Iterator[Line]:
        """The last run of each command that did more than look."""
        start = max(0, len(self.digests) - _RECENT_SEGMENTS)
        runs = [(at, run) for at, digest in enumerate(self.digests[start:], start) for run in digest.commands]
        last = {_command(run): (at, order, run) for order, (at, run) in enumerate(runs)}
        found = sorted(last.items(), key=lambda one: one[1][1])[-3 * _MAX_RUNS :]
        telling = [one for one in found if _is_telling(one[1][2])][-_MAX_RUNS:]
        for back, (command, (_, order, run)) in enumerate(reversed(telling)):
            if not gives_orders(run.result):
                yield Line(RECENT, _run_text(command, run), 1.4 * 0.88**back + (0.6 if run.ok is False else 0), order)

    def _now(self) -> Iterator[Line]:
        """What is going on: the last request, the last word, what is left and what was asked back."""
        end = len(self.digests)
        if len(self._asked) > 1:
            fact = self._asked[-1]
            text = f"last asked: “{shortened(fact.text, 2 * self.chars)}” ({fact.source})"
            yield Line(ACTIVE, text, MUST + 1, 0, quoted=True)
        said = next((digest.final for digest in reversed(self.digests) if digest.final), None)
        if said:
            state = self.digests[-1].outcome
            yield Line(ACTIVE, f"{state}; last said: {shortened(said.text, 2 * self.chars)} ({said.source})", MUST, end)
        since, todos = next(((at, one.todos) for at, one in _backwards(self.digests) if one.todos), (0, ()))
        done = {one_line(fact.text) for digest in self.digests[since:] for fact in digest.done}
        left = [fact for fact in todos if not _is_unfinished(fact.text) and one_line(fact.text) not in done]
        for order, fact in enumerate(left):
            worth = 2.6 * self._age(since) ** 2
            yield Line(PLAN, f"left: {shortened(fact.text, self.chars)} ({fact.source})", worth, end + order)
        questions: Sequence[Fact] = self.digests[-1].questions
        for fact in questions:
            yield Line(PLAN, f"asked the user: {shortened(fact.text, self.chars)} ({fact.source})", 2.4, end + 100)


def told_lines(digests: Sequence[Digest], *, chars: int) -> list[Line]:
    """All that the digests have to say, each line no longer than about ``chars``; texts of tools give no orders."""
    return list(_Teller(digests, chars).lines()) if digests else []


def earlier_lines(before: str, digests: Sequence[Digest] = ()) -> list[Line]:
    """The lines of an earlier summary, in the sections they stood in; what the digests tell anew is left out."""
    changed = {file.text for digest in digests for file in digest.files if file.use is not Use.READ}
    found = []
    for section in sections_of(before):
        name = _MOVED.get(section.name, section.name)
        lines = _without_root(section.lines) if section.name != KEPT else []
        for at, line in enumerate(lines):
            if _path_of(line) not in changed:
                found.append(Line(name, line, _BEFORE.get(section.name, 1.0), at / (len(lines) + 1) - _LONG_AGO))
    return found


def _without_root(lines: Sequence[str]) -> list[str]:
    """The lines without their marks, and with paths told from the folder that one of them names."""
    plain = [line.strip().removeprefix("- ") for line in lines if not line.startswith(FILES)]
    root = next((line.removeprefix(ROOT) for line in plain if line.startswith(ROOT)), "")
    return [_FILE.sub(rf"\1{_escaped(root)}", line) for line in plain if not line.startswith(ROOT)]


def _escaped(root: str) -> str:
    return root.replace("\\", r"\\")


def _path_of(line: str) -> str:
    found = _FILE.match(line)
    return line[found.end() :].partition(" ")[0].rstrip(":") if found else ""


# ── words ────────────────────────────────────────────────────────────────────────────────────────────


def _backwards(digests: Sequence[Digest]) -> Iterator[tuple[int, Digest]]:
    return ((at, digests[at]) for at in range(len(digests) - 1, -1, -1))


def _plainly(text: str) -> float:
    """How much of a statement there is in a model's words: what can be looked up, and no mere announcement."""
    return (1.0 if _HARD.search(text) else 0.4) * (0.3 if _EMPTY_TALK.match(text) else 1.0)


def _is_unfinished(text: str) -> bool:
    """What announces a list that was not quoted."""
    return text.rstrip().endswith((":", "："))


def _telling(text: str, chars: int) -> str:
    """What a reply says, from its first sentence that says something."""
    found = [one for one in _SENTENCE_END.split(text[: 3 * chars]) if one and not _EMPTY_TALK.match(one)]
    said = " ".join(found)
    return shortened(said, chars) if is_telling(said) else ""


def _joined(known: Touched | None, file: Touched) -> Touched:
    """A file over all segments: its last use, and the names of all changes, the newest first."""
    if known is None or known.use is Use.READ:
        return file
    use = Use.CREATED if known.use is Use.CREATED and file.use is Use.CHANGED else file.use
    names = tuple(dict.fromkeys((*file.names, *known.names)))
    what = file.what or known.what
    return Touched(text=file.text, source=file.source, by=file.by, use=use, lines=file.lines, names=names, what=what)


def _file_text(file: Touched, chars: int) -> str:
    names = ", ".join(file.names[:8])
    what = f" – {file.what.text}" if file.what else ""
    inside = f": {names}" if names and file.use is not Use.READ else ""
    return f"{file.use} {file.text}{shortened(what + inside, chars) if what or inside else ''} ({file.source})"


def _failure_text(failure: Failure, chars: int) -> str:
    place = f" at {failure.at}" if failure.at and failure.at not in failure.text else ""
    about = f", in {shortened(failure.about, 60)}" if failure.about and not place else ""
    end = f"solved in {failure.resolved}" if failure.resolved else "open"
    return f"{end}: {shortened(failure.text, chars)}{place}{about} ({failure.source})"


def _command(run: Ran) -> str:
    rest = _ENTERING.sub("", run.text[:_COMMAND_CHARS], count=1).strip() or run.text.strip()
    first = rest.split("\n", 1)[0].rstrip("\\ ")
    return shortened(_PIPED.split(first, maxsplit=1)[0], 90)


def _run_text(command: str, run: Ran) -> str:
    failed = f"failed{f' ({run.status})' if run.status else ''}" if run.ok is False else ""
    result = ", ".join(filter(None, [failed, shortened(run.result, 90)])) or ("ok" if run.ok else "no result")
    return f"{command} → {result} ({run.source})"


def _is_telling(run: Ran) -> bool:
    if run.ok is False:
        return True
    if _ENTERED.fullmatch(run.text[:_COMMAND_CHARS]):
        return False
    deeds = {action.deed for action in command_actions(run.text[:500])}
    return not deeds or not deeds <= _LOOKS


def root_of(paths: Sequence[str]) -> str:
    """The folder, with a slash at its end, that shortens the paths most when it is left out; empty for a few."""
    folders: Counter[str] = Counter()
    for path in dict.fromkeys(path for path in paths if path.startswith("/")):
        at = path.find("/", 1)
        while at > 0 and (at := path.find("/", at + 1)) > 0:
            folders[path[: at + 1]] += 1
    best = max(sorted(folders), key=lambda folder: (folders[folder] - 1) * len(folder), default="")
    return best if folders[best] > 1 else ""


def short_paths(lines: Sequence[Line], root: str) -> list[Line]:
    """The lines about files with the folder that most of them share left out. Nobody's words are touched."""
    if not root:
        return list(lines)
    return [line._replace(text=line.text.replace(root, "", 1)) if line.section == CODEBASE else line for line in lines]
