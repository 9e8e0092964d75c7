"""Lines of digests that may stand in a summary: each a fact with its source, section and worth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log2
from typing import NamedTuple

from clew.domain import Digest, Fact, FileUsage, FileUse, Origin, Outcome
from clew.summaries.injected_orders import gives_orders
from clew.summaries.phrases import (
    command_head,
    explains,
    failure_text,
    file_text,
    is_telling_run,
    is_unfinished,
    joined,
    plainly,
    run_text,
    said_in,
)
from clew.summaries.sections import (
    ACTIVE,
    CODEBASE,
    FOUNDATION,
    OVERVIEW,
    PLAN,
    PROBLEMS,
    PROGRESS,
    RECENT,
)
from clew.summaries.source import is_informative
from clew.text.trim import one_line, shorten

#: Commands of the last segments are what was just going on.
_RECENT_SEGMENTS, _MAX_RUNS = 6, 12

#: What no summary can do without: the first request, the last, and the last word.
MUST = 4.0


class SummaryLine(NamedTuple):
    """A fact as it would stand in a section. ``place`` orders lines within it; ``quoted`` are a person's own words."""

    section: str
    text: str
    worth: float
    place: float
    quoted: bool = False


@dataclass(frozen=True)
class _LineBuilder:
    """Builds the lines of some digests; ``chars`` is how long one may be, the newest words may be longer."""

    digests: Sequence[Digest]
    chars: int

    def build(self) -> Iterator[SummaryLine]:
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

    def _requests(self, at: int, digest: Digest) -> Iterator[SummaryLine]:
        for fact in digest.requests:
            is_first = fact is self._asked[0]
            telling = 1.0 if is_informative(fact.text) else 0.3
            worth = MUST if is_first else telling * (1.2 + 0.9 * self._age(at))
            # A single request is also the last one, and has to say all.
            chars = self.chars * 2 if len(self._asked) == 1 else self.chars if is_first else self.chars * 2 // 3
            yield SummaryLine(OVERVIEW, f"asked: “{shorten(fact.text, chars)}” ({fact.source})", worth, at, quoted=True)

    @cached_property
    def _asked(self) -> list[Fact]:
        return [fact for digest in self.digests for fact in digest.requests]

    def _decisions(self, at: int, digest: Digest) -> Iterator[SummaryLine]:
        asked = " ".join(one_line(fact.text) for fact in digest.requests)
        for fact in digest.decisions:
            if is_unfinished(fact.text) or one_line(fact.text) in asked[: self.chars * 2 // 3]:
                continue
            if fact.by is Origin.PERSON:
                text = f"the user: “{shorten(fact.text, self.chars)}” ({fact.source})"
                yield SummaryLine(FOUNDATION, text, 2.4, at, quoted=True)
            else:
                section = PROBLEMS if explains(fact.text) else FOUNDATION
                worth = plainly(fact.text) * (0.4 + 0.5 * self._age(at))
                yield SummaryLine(section, f"{shorten(fact.text, self.chars)} ({fact.source})", worth, at)

    def _progress(self, at: int, digest: Digest) -> Iterator[SummaryLine]:
        for fact in digest.done:
            yield SummaryLine(
                PROGRESS, f"done: {shorten(fact.text, self.chars)} ({fact.source})", 0.7 + self._age(at), at
            )
        if digest.gist:
            yield SummaryLine(PROGRESS, f"{shorten(digest.gist.text, 2 * self.chars)} ({digest.gist.source})", 2.0, at)
        elif digest.response:
            yield SummaryLine(
                PROGRESS, f"{shorten(digest.response.text, self.chars)} ({digest.response.source})", 1.4, at
            )
        elif digest.final and at < len(self.digests) - 1 and (said := said_in(digest.final.text, self.chars)):
            worth = (0.5 if digest.outcome is Outcome.COMPLETED else 0.2) + 0.7 * self._age(at)
            yield SummaryLine(PROGRESS, f"{said} ({digest.final.source})", worth * plainly(said), at)
        if digest.intent and digest.gist:
            yield SummaryLine(
                OVERVIEW, f"meant: {shorten(digest.intent.text, self.chars)} ({digest.intent.source})", 0.8, at
            )

    def _files(self) -> Iterator[SummaryLine]:
        """Each file once, as it was last used; changed ones by how often and how lately."""
        last: dict[str, tuple[int, FileUsage]] = {}
        times: dict[str, int] = {}
        for at, digest in enumerate(self.digests):
            for file in digest.files:
                known = last.get(file.text)
                times[file.text] = times.get(file.text, 0) + 1
                if known is None or file.use is not FileUse.READ or known[1].use is FileUse.READ:
                    last[file.text] = (at, joined(known[1] if known else None, file))
        for path, (at, file) in last.items():
            often = log2(1 + times[path])
            changed = 1.6 + 1.2 * self._age(at) + 0.3 * often
            worth = (0.12 + 0.2 * self._age(at)) * often if file.use is FileUse.READ else changed
            yield SummaryLine(CODEBASE, file_text(file, self.chars), worth, -at)

    def _failures(self) -> Iterator[SummaryLine]:
        newest = len(self.digests) - 3
        for at, digest in enumerate(self.digests):
            for text, failure in {one.text: one for one in digest.failures}.items():
                if gives_orders(text):
                    continue
                open_worth = 3.0 if at >= newest else 0.5 * self._age(at)
                worth = 0.3 + 0.5 * self._age(at) if failure.resolved else open_worth
                yield SummaryLine(PROBLEMS, failure_text(failure, self.chars), worth, at)

    def _runs(self) -> Iterator[SummaryLine]:
        """The last run of each command that did more than look."""
        start = max(0, len(self.digests) - _RECENT_SEGMENTS)
        runs = [(at, run) for at, digest in enumerate(self.digests[start:], start) for run in digest.commands]
        last = {command_head(run): (at, order, run) for order, (at, run) in enumerate(runs)}
        found = sorted(last.items(), key=lambda one: one[1][1])[-3 * _MAX_RUNS :]
        telling = [one for one in found if is_telling_run(one[1][2])][-_MAX_RUNS:]
        for back, (command, (_, order, run)) in enumerate(reversed(telling)):
            if not gives_orders(run.result):
                yield SummaryLine(
                    RECENT, run_text(command, run), 1.4 * 0.88**back + (0.6 if run.ok is False else 0), order
                )

    def _now(self) -> Iterator[SummaryLine]:
        """What is going on: the last request, the last word, what is left and what was asked back."""
        end = len(self.digests)
        if len(self._asked) > 1:
            fact = self._asked[-1]
            text = f"last asked: “{shorten(fact.text, 2 * self.chars)}” ({fact.source})"
            yield SummaryLine(ACTIVE, text, MUST + 1, 0, quoted=True)
        said = next((digest.final for digest in reversed(self.digests) if digest.final), None)
        if said:
            state = self.digests[-1].outcome
            yield SummaryLine(
                ACTIVE, f"{state}; last said: {shorten(said.text, 2 * self.chars)} ({said.source})", MUST, end
            )
        since, todos = next(((at, one.todos) for at, one in _backwards(self.digests) if one.todos), (0, ()))
        done = {one_line(fact.text) for digest in self.digests[since:] for fact in digest.done}
        left = [fact for fact in todos if not is_unfinished(fact.text) and one_line(fact.text) not in done]
        for order, fact in enumerate(left):
            worth = 2.6 * self._age(since) ** 2
            yield SummaryLine(PLAN, f"left: {shorten(fact.text, self.chars)} ({fact.source})", worth, end + order)
        questions: Sequence[Fact] = self.digests[-1].questions
        for fact in questions:
            yield SummaryLine(PLAN, f"asked the user: {shorten(fact.text, self.chars)} ({fact.source})", 2.4, end + 100)


def lines_of_digests(digests: Sequence[Digest], *, chars: int) -> list[SummaryLine]:
    """Lines of all facts of the digests, each no longer than about ``chars``; orders in texts of tools are left out."""
    return list(_LineBuilder(digests, chars).build()) if digests else []


def _backwards(digests: Sequence[Digest]) -> Iterator[tuple[int, Digest]]:
    return ((at, digests[at]) for at in range(len(digests) - 1, -1, -1))
