"""A summary by a model: in one go where the history fits its window, else in parts that are merged in rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from clew.errors import ModelOverflow
from clew.ports import Asked, Said
from clew.summaries.answers import summary_in
from clew.summaries.asking import Calls, Desk
from clew.summaries.checks import judged
from clew.summaries.clipping import Count, beginning
from clew.summaries.completing import completed
from clew.summaries.prompting import about_history, about_summaries
from clew.summaries.serialising import in_parts
from clew.summaries.source import Source, sound
from clew.summaries.values import Material, Unfit

#: Questions that one attempt may take: twelve parts of a window of 100,000 tokens are more than most sessions have.
MAX_CALLS = 16
#: How often a part may be halved because the provider says that it is too large.
_HALVINGS = 3
#: The share of the window that is used: our counts and the provider's differ.
_USED_SHARE = 0.85
#: The answer to a part is at most this share of what can be read at once, so that several can be merged.
_PART_SHARE = 4
_LEAST_READ, _LEAST_ROOM = 400, 60


@dataclass
class Attempt:
    """One rung's attempt. ``share`` is the part of the room for facts of the earlier summary."""

    material: Material
    source: Source
    desk: Desk
    count: Count
    room: int
    window: int
    share: float
    calls: Calls = field(default_factory=lambda: Calls(MAX_CALLS))
    findings: list[str] = field(default_factory=list)
    _reads: int = 0
    _halvings: int = _HALVINGS

    def written(self, blocks: Sequence[str]) -> str:
        """The summary; Unfit or a ModelError where it cannot be had."""
        self._reads = self._readable()
        whole = "\n\n".join(blocks)
        if self.count(whole) + self.count(self.material.before) <= self._reads:
            try:
                return self._complete(about_history(whole, self.material, room=self._target))
            except ModelOverflow as error:
                self._halve(error, whole)
        return self._merged([*self._earlier(), *self._of_parts(blocks)])

    @property
    def _target(self) -> int:
        """Tokens to ask for; the rest is for what may have to be added."""
        added = self.share * bool(self.material.before)
        return max(_LEAST_ROOM, int(self.room * (0.95 - added)))

    def _readable(self) -> int:
        """Tokens of material that one question may hold, beside the prompt and the answer."""
        empty = about_history("", replace(self.material, before=""), room=self._target)
        prompt = self.count(empty.system) + self.count(empty.user)
        reads = int(self.window * _USED_SHARE) - prompt - empty.max_tokens
        if reads < _LEAST_READ:
            raise Unfit(f"a window of {self.window} tokens is too small for a summary of {self.room}")
        return reads

    # ── parts ────────────────────────────────────────────────────────────────────────────────────────

    def _earlier(self) -> list[str]:
        """The earlier summary as it stands, as the first of those to be merged."""
        return [beginning(self.material.before, self._reads // 2, self.count)] if self.material.before else []

    def _of_parts(self, blocks: Sequence[str]) -> list[str]:
        """A summary for each part, in order; from a part that is too large on, all are cut smaller."""
        done: list[str] = []
        waiting = in_parts(blocks, self._reads, self.count)
        while waiting:
            self._ensure_affordable(len(waiting))
            try:
                done.append(self._part(waiting[0], len(done) + 1, len(done) + len(waiting)))
                waiting = waiting[1:]
            except ModelOverflow as error:
                self._halve(error, waiting[0])
                waiting = in_parts(waiting, self._reads, self.count)
        return done

    def _ensure_affordable(self, parts: int) -> None:
        """Better no question at all than half of a summary: parts, and about one merge to three of them."""
        if parts + parts // 3 + 1 > self.calls.left:
            raise Unfit(f"it would take more than {self.calls.most} questions")

    def _part(self, text: str, number: int, of: int) -> str:
        room = self._part_room
        bare = Material(keep=self.material.keep)
        return self._rough(about_history(text, bare, room=room, part=(number, max(of, 2))), room)

    @property
    def _part_room(self) -> int:
        return max(_LEAST_ROOM, min(self.room, self._reads // _PART_SHARE))

    def _halve(self, error: ModelOverflow, *texts: str) -> None:
        """Half of what was too much from now on, whatever our count of it."""
        self._halvings -= 1
        self._reads = min(self._reads, sum(map(self.count, texts))) // 2
        if self._halvings < 0 or self._reads < _LEAST_READ:
            raise error

    # ── merging ──────────────────────────────────────────────────────────────────────────────────────

    def _merged(self, texts: Sequence[str]) -> str:
        """Rounds of merging, until the last one can read all that is left."""
        while True:
            groups = _groups(texts, self._reads, self.count)
            try:
                if len(groups) == 1:
                    return self._complete(about_summaries(groups[0], self.material, room=self._target))
                texts = [self._merged_group(group) for group in groups]
            except ModelOverflow as error:
                self._halve(error, *max(groups, key=len))

    def _merged_group(self, group: Sequence[str]) -> str:
        if len(group) == 1:
            return group[0]
        bare = Material(keep=self.material.keep)
        return self._rough(about_summaries(group, bare, room=self._part_room), self._part_room)

    # ── answers ──────────────────────────────────────────────────────────────────────────────────────

    def _complete(self, asked: Asked) -> str:
        """An answer that may stand for everything."""
        text = self._judged(self._ask(asked), self.room)
        whole, findings = completed(text, self.material, room=self.room, share=self.share, count=self.count)
        self.findings += findings
        return whole

    def _rough(self, asked: Asked, room: int) -> str:
        """An answer that will be merged with others. It is remembered: what breaks off here can go on from it."""
        key = self.desk.key("part", str(room), asked.system, asked.user)
        if known := self.desk.remembered(key):
            return known
        text = self._judged(self._ask(asked), room)
        self.desk.remember(key, sound(text))
        return text

    def _judged(self, said: Said, room: int) -> str:
        text, findings = judged(summary_in(said), self.source, room=room, count=self.count)
        self.findings += findings
        return text

    def _ask(self, asked: Asked) -> Said:
        self.calls.take()
        return self.desk.ask(asked)


def _groups(texts: Sequence[str], limit: int, count: Count) -> list[list[str]]:
    """Neighbours that can be read together; at least two, or rounds would never end."""
    groups: list[list[str]] = []
    left = 0
    for text in texts:
        cost = count(text) + 8
        if not groups or (cost > left and len(groups[-1]) > 1):
            groups.append([])
            left = limit
        groups[-1].append(text)
        left -= cost
    return groups
