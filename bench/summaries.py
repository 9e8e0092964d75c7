"""Summaries of summaries: what is left of planted facts after many rounds with a model that loses some each time."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from bench.results import Figure
from clew.digests.draft import digest
from clew.domain import Call, Message, Origin, Output, Role, Text
from clew.domain.ids import message_id
from clew.models import Scripted
from clew.ports import ModelRequest
from clew.summaries.ladder import CARRY_SHARE, summarise
from clew.summaries.values import SummaryMaterial
from clew.tokens import tokenizer_for

_ROOM, _WINDOW = 2_000, 100_000
_SEEDS = 3
_KINDS = ("file", "decision", "quote", "result")
_AREAS = ("billing", "search", "mail", "export", "login", "cache", "queue", "report", "photo", "map")
_NOUNS = ("retry", "upload", "session", "lease", "batch", "poll", "flush", "probe", "drain", "sweep")
#: A third of the lines goes, a third loses its end.
_FATES = 3
_KEPT_WORDS, _LEAST_WORDS = 0.6, 6
_FENCE = re.compile(r"<(earlier|history)-([0-9a-f]{16})>\n(.*?)\n</\1-\2>", re.DOTALL)
_SAID = re.compile(r"m\d+ (?:user|agent): ")


@dataclass(frozen=True, slots=True)
class PlantedFact:
    """A fact of one round, and the words by which it is known."""

    round: int
    kind: str
    words: str


@dataclass(frozen=True, slots=True)
class _Way:
    room: int = _ROOM
    share: float = CARRY_SHARE


def survival(rounds: int = 20) -> list[Figure]:
    """The share of planted facts that stand in the last summary: by a model with and without carrying over, and
    where there is too little room for all of them."""
    ways = {
        "carried": _Way(),
        "not carried": _Way(share=0.0),
        "carried, half the room": _Way(room=_ROOM // 2),
    }
    figures = []
    for name, way in ways.items():
        found = [one for seed in range(_SEEDS) for one in _replay(rounds, way, seed)]
        group = f"survival, {name}"
        goal = ">= 0.8" if way == _Way() else ""
        figures.append(Figure(group, f"facts after {rounds} rounds", _share(found), "", goal))
        figures += [Figure(group, f"{kind}s", _share([one for one in found if one[0].kind == kind])) for kind in _KINDS]
        figures.append(Figure(group, "facts of the first half", _share([x for x in found if x[0].round < rounds // 2])))
    return figures


def _share(found: Sequence[tuple[PlantedFact, bool]]) -> float:
    return sum(kept for _, kept in found) / max(1, len(found))


def _replay(rounds: int, way: _Way, seed: int) -> Iterator[tuple[PlantedFact, bool]]:
    """Rounds of work, each summed up together with the summary of all before."""
    count, text, facts = tokenizer_for("text").count, "", []
    for at in range(rounds):
        messages, planted = planted_round(at)
        facts += planted
        edited = tuple(fact.words for fact in planted if fact.kind == "file")
        material = SummaryMaterial(
            messages=messages, digests=(digest(messages, f"x{at + 1}"),), before=text, files=edited
        )
        model = Scripted(partial(lossy_summary, seed=f"{seed}:{at}"))
        done = summarise(material, room=way.room, count=count, model=model, window=_WINDOW, carry_share=way.share)
        text = done.text if done else text
    return ((fact, fact.words in text) for fact in facts)


def planted_round(at: int) -> tuple[tuple[Message, ...], list[PlantedFact]]:
    """One round: a request with a decision and a wish, an edit, a run, a report."""
    area, noun, limit = _AREAS[at % 10], _NOUNS[at * 7 % 10], 110 + 13 * at
    path, commit = f"src/{area}/{noun}_{at:02}.py", hashlib.sha256(f"{at}".encode()).hexdigest()[:9] + "7"
    wish = f"keep the {area} {noun} out of the nightly run {at}"
    asked = f'Please change the {noun} in {path}. We decided on a {noun} limit of {limit} ms there. And "{wish}".'
    said = f"I changed {path}: the {noun} of {area} now stops at {limit} ms. The build {commit} of {area} passed."
    rows = "\n".join(f"{area} row {row} took {row * at % 97} units of work" for row in range(60))
    edit = Call(
        id="e", name="Edit", arguments={"file_path": path, "old_string": "a", "new_string": f"{noun} = {limit}"}
    )
    run = Call(id="r", name="Bash", arguments={"command": f"make check AREA={area}"})
    parts = [
        Message(role=Role.USER, parts=(Text(text=asked),)),
        Message(role=Role.ASSISTANT, origin=Origin.MODEL, parts=(edit, run)),
        Message(
            role=Role.TOOL,
            origin=Origin.TOOL,
            parts=(Output(call_id="e", content=(Text(text="ok"),)), Output(call_id="r", content=(Text(text=rows),))),
        ),
        Message(role=Role.ASSISTANT, origin=Origin.MODEL, parts=(Text(text=said),)),
    ]
    messages = tuple(replace(one, id=message_id(4 * at + number)) for number, one in enumerate(parts, 1))
    planted = zip(_KINDS, (path, f"{limit} ms", wish, commit), strict=True)
    return messages, [PlantedFact(at, kind, words) for kind, words in planted]


def lossy_summary(asked: ModelRequest, seed: str) -> str:
    """What a hurried model makes of it: some lines left out, some cut short, differently each time."""
    lines = [line for line in dict.fromkeys(_lines(asked.user)) if _fate(seed, line) != 0]
    short = [_cut(line) if _fate(seed, line) == 1 else line for line in lines]
    short = [line for line in dict.fromkeys(short) if len(line.split()) >= _LEAST_WORDS]
    files = [line for line in short if "src/" in line]
    others = [line for line in short if "src/" not in line]
    told = ["## Overview", *others, "## Codebase status", *files, "## Progress", "- the last change is in place"]
    return "<analysis>\nwhat was done\n</analysis>\n<summary>\n" + "\n".join(told) + "\n</summary>"


def _lines(prompt: str) -> Iterator[str]:
    """Facts of the earlier summary, and what was said in the new messages, sentence by sentence."""
    for name, _, text in _FENCE.findall(prompt):
        if name == "earlier":
            yield from (line for line in text.split("\n") if not line.startswith("#"))
        else:
            for block in text.split("\n\n"):
                speaker = _SAID.match(block)
                if speaker:
                    lines = block[speaker.end() :].split("\n")
                    said = " ".join(line.strip() for line in lines if not line.lstrip().startswith("→"))
                    yield from (f"- {one.strip()}" for one in re.split(r"(?<=[.]) ", said) if one.strip())


def _fate(seed: str, line: str) -> int:
    return int(hashlib.sha256(f"{seed}:{line}".encode()).hexdigest(), 16) % _FATES


def _cut(line: str) -> str:
    words = line.split()
    return " ".join(words[: max(3, int(len(words) * _KEPT_WORDS))])
