"""An attempt to have a model write the summary: at once where the history fits its window, else in parts and rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from clew.errors import ModelOverflow
from clew.ports import ModelReply, ModelRequest, TokenCounter
from clew.summaries.additions import complete_summary
from clew.summaries.answers import summary_in
from clew.summaries.checks import check_answer
from clew.summaries.history_text import split_parts
from clew.summaries.model_client import CallLimit, ModelClient
from clew.summaries.prompt_builder import history_prompt, merge_prompt
from clew.summaries.source import Source, replace_surrogates
from clew.summaries.text_fit import fit_beginning
from clew.summaries.values import SummaryMaterial, UnfitSummary

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
class ModelAttempt:
    """The attempt of one rung. ``share`` is the part of the room for facts of the earlier summary."""

    material: SummaryMaterial
    source: Source
    client: ModelClient
    count: TokenCounter
    room: int
    window: int
    share: float
    calls: CallLimit = field(default_factory=lambda: CallLimit(MAX_CALLS))
    findings: list[str] = field(default_factory=list)
    _reads: int = 0
    _halvings: int = _HALVINGS

    def write(self, blocks: Sequence[str]) -> str:
        """Writes the summary, or raises UnfitSummary or a ModelError."""
        self._reads = self._readable()
        whole = "\n\n".join(blocks)
        if self.count(whole) + self.count(self.material.before) <= self._reads:
            try:
                return self._ask_complete(history_prompt(whole, self.material, room=self._target))
            except ModelOverflow as error:
                self._halve(error, whole)
        return self._merge([*self._earlier_summary(), *self._summarise_parts(blocks)])

    @property
    def _target(self) -> int:
        """Tokens to ask for; the rest is for what may have to be added."""
        added = self.share * bool(self.material.before)
        return max(_LEAST_ROOM, int(self.room * (0.95 - added)))

    def _readable(self) -> int:
        """Tokens of material that one question may hold, beside the prompt and the answer."""
        empty = history_prompt("", replace(self.material, before=""), room=self._target)
        prompt = self.count(empty.system) + self.count(empty.user)
        reads = int(self.window * _USED_SHARE) - prompt - empty.max_tokens
        if reads < _LEAST_READ:
            raise UnfitSummary(f"a window of {self.window} tokens is too small for a summary of {self.room}")
        return reads

    # ── parts ────────────────────────────────────────────────────────────────────────────────────────

    def _earlier_summary(self) -> list[str]:
        """The earlier summary as it stands, as the first of those to be merged."""
        return [fit_beginning(self.material.before, self._reads // 2, self.count)] if self.material.before else []

    def _summarise_parts(self, blocks: Sequence[str]) -> list[str]:
        """Summarises each part, in order; from a part that is too large on, all are cut smaller."""
        done: list[str] = []
        waiting = split_parts(blocks, self._reads, self.count)
        while waiting:
            self._ensure_affordable(len(waiting))
            try:
                done.append(self._summarise_part(waiting[0], len(done) + 1, len(done) + len(waiting)))
                waiting = waiting[1:]
            except ModelOverflow as error:
                self._halve(error, waiting[0])
                waiting = split_parts(waiting, self._reads, self.count)
        return done

    def _ensure_affordable(self, parts: int) -> None:
        """Raises unless there are calls for all parts and about one merge to three: half a summary is no use."""
        if parts + parts // 3 + 1 > self.calls.left:
            raise UnfitSummary(f"it would take more than {self.calls.most} questions")

    def _summarise_part(self, text: str, number: int, of: int) -> str:
        room = self._part_room
        bare = SummaryMaterial(keep=self.material.keep)
        return self._ask_rough(history_prompt(text, bare, room=room, part=(number, max(of, 2))), room)

    @property
    def _part_room(self) -> int:
        return max(_LEAST_ROOM, min(self.room, self._reads // _PART_SHARE))

    def _halve(self, error: ModelOverflow, *texts: str) -> None:
        """Halves what one question may hold from now on, whatever our count of it; raises where that is too often."""
        self._halvings -= 1
        self._reads = min(self._reads, sum(map(self.count, texts))) // 2
        if self._halvings < 0 or self._reads < _LEAST_READ:
            raise error

    # ── merging ──────────────────────────────────────────────────────────────────────────────────────

    def _merge(self, texts: Sequence[str]) -> str:
        """Merges in rounds, until one question can hold all that is left."""
        while True:
            groups = _groups(texts, self._reads, self.count)
            try:
                if len(groups) == 1:
                    return self._ask_complete(merge_prompt(groups[0], self.material, room=self._target))
                texts = [self._merge_group(group) for group in groups]
            except ModelOverflow as error:
                self._halve(error, *max(groups, key=len))

    def _merge_group(self, group: Sequence[str]) -> str:
        if len(group) == 1:
            return group[0]
        bare = SummaryMaterial(keep=self.material.keep)
        return self._ask_rough(merge_prompt(group, bare, room=self._part_room), self._part_room)

    # ── answers ──────────────────────────────────────────────────────────────────────────────────────

    def _ask_complete(self, asked: ModelRequest) -> str:
        """Asks for the final summary, checks the answer and adds what it lacks."""
        text = self._check(self._ask(asked), self.room)
        whole, findings = complete_summary(text, self.material, room=self.room, share=self.share, count=self.count)
        self.findings += findings
        return whole

    def _ask_rough(self, asked: ModelRequest, room: int) -> str:
        """Asks for a summary that will be merged with others; cached, so that another attempt can go on from it."""
        key = self.client.cache_key("part", str(room), asked.system, asked.user)
        if known := self.client.recall(key):
            return known
        text = self._check(self._ask(asked), room)
        self.client.remember(key, replace_surrogates(text))
        return text

    def _check(self, reply: ModelReply, room: int) -> str:
        text, findings = check_answer(summary_in(reply), self.source, room=room, count=self.count)
        self.findings += findings
        return text

    def _ask(self, asked: ModelRequest) -> ModelReply:
        self.calls.take()
        return self.client.ask(asked)


def _groups(texts: Sequence[str], limit: int, count: TokenCounter) -> list[list[str]]:
    """Groups neighbours that can be read together; at least two, or rounds would never end."""
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
