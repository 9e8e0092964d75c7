"""The story: where the session stands, updated segment by segment. It holds facts and does not narrate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import re2

from clew.config import DigestConfig
from clew.digests.fact_phrases import failure_phrase, notable_runs, open_failures, run_phrase, short_path
from clew.digests.model_notes import normalise_wording
from clew.digests.statements import ask_in, asks_plainly
from clew.digests.token_fit import Point, clip, fit_points
from clew.digests.wordings import GOES_ON
from clew.domain import Digest, Fact, Failure, FileUse, Focus, Origin, Outcome, Story
from clew.text.names import file_name
from clew.text.stop_words import REQUEST_STOP_WORDS
from clew.text.tools.purposes import proves_fixed
from clew.text.trim import cut_at_word, one_line

_DEFAULT = DigestConfig()
#: With each segment that does not touch it, a thing loses this share of its weight, and leaves below the floor.
_DECAY, _FLOOR = 0.7, 0.1
_MAX_FOCUS, _MAX_ACHIEVEMENTS, _MAX_DECISIONS, _MAX_STEPS = 12, 8, 6, 6
_MAX_GOAL_CHARS = 400
#: What a model understood is told in a sentence or two.
_INTENT_TOKENS = 40
#: A request of fewer words goes on with what there is; one that shares this much of its words does too.
_GOAL_WORDS, _LONG_WORDS, _SHARED = 6, 40, 0.34
_WORD = re2.compile(r"[A-Za-z_][\w-]{3,}")


def evolve(story: Story, digest: Digest) -> Story:
    """Returns the story after one more segment."""
    new = replace(story, position=digest.id, updated=digest.until or story.updated, state=digest.outcome)
    new = _with_goal(new, digest)
    new = _with_achievement(new, digest)
    return replace(
        new,
        decisions=_decisions(story, digest),
        files=_refocus(story.files, _files(digest)),
        functions=_refocus(story.functions, _functions(digest)),
        concepts=_refocus(story.concepts, _concepts(digest)),
        failure=_failure(story.failure, digest),
        next_steps=_next_steps(story, digest),
        last=digest.final or story.last,
    )


# ── goal ─────────────────────────────────────────────────────────────────────────────────────────────


def _with_goal(story: Story, digest: Digest) -> Story:
    for request in digest.requests:
        asked = Fact(text=_goal_text(request.text), source=request.source, by=request.by)
        if story.objective is None or not _continues_goal(story, request.text):
            story = replace(story, objective=asked, asked=None, intent=None)
        else:
            story = replace(story, asked=asked)
    return replace(story, intent=digest.intent or story.intent)


def _goal_text(text: str) -> str:
    """All of a short request; a long one from the sentence that asks on."""
    if len(text) <= _MAX_GOAL_CHARS:
        return text
    _, start = ask_in(text)
    return cut_at_word(text[start:], _MAX_GOAL_CHARS)


def _continues_goal(story: Story, asked: str) -> bool:
    """True when the goal stays: the request is short, begins like an answer, asks nothing plainly or is about the work.

    A goal that says nothing itself gives way to anything longer.
    """
    words, known = len(asked.split()), story.objective.text.split() if story.objective else []
    if words < _GOAL_WORDS:
        return True
    if words < _LONG_WORDS and (GOES_ON.search(asked[:40]) or not asks_plainly(asked)):
        return len(known) >= _GOAL_WORDS
    new = _content_words(asked)
    about = _content_words(" ".join(fact.text for fact in (story.objective, story.asked) if fact))
    about |= {one.name.lower() for one in (*story.files, *story.functions, *story.concepts)}
    return bool(new) and len(new & about) / len(new) >= _SHARED


def _content_words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)} - REQUEST_STOP_WORDS


# ── what was reached ─────────────────────────────────────────────────────────────────────────────────


def _with_achievement(story: Story, digest: Digest) -> Story:
    """One line a segment that changed something or finished; old ones condense into a number."""
    achievement = _achievement(digest)
    if not achievement:
        return story
    kept = (*story.achievements, achievement)
    gone = max(0, len(kept) - _MAX_ACHIEVEMENTS)
    return replace(story, achievements=kept[gone:], earlier=story.earlier + gone)


def _achievement(digest: Digest) -> Fact | None:
    made = [file_name(file.text) for file in reversed(digest.files) if file.use is not FileUse.READ]
    checked = [run_phrase(run) for run in notable_runs(digest.commands) if run.ok]
    if not made and digest.outcome is not Outcome.COMPLETED:
        return None
    asked = ask_in(digest.requests[0].text)[0] if digest.requests else ""
    done = [f"changed {', '.join(made[:4])}"] if made else []
    done += checked[:1] if made else []
    source = (digest.requests or digest.files or (digest.final,))[0]
    topic = clip(asked, 16) if asked else ""
    text = f"{topic} → {'; '.join(done)}" if topic and done else topic or "; ".join(done)
    return Fact(text=f"{digest.id} {text}", source=source.source) if text and source else None


def _decisions(story: Story, digest: Digest) -> tuple[Fact, ...]:
    """People's decisions, the newest few; what the assistant concluded stays in the segment's own summary."""
    new = [fact for fact in digest.decisions if fact.by is Origin.PERSON]
    known = [fact for fact in story.decisions if fact.text not in {one.text for one in new}]
    return (*known, *new)[-_MAX_DECISIONS:]


# ── what it is about at present ──────────────────────────────────────────────────────────────────────


def _refocus(known: Sequence[Focus], touched: Iterable[Focus]) -> tuple[Focus, ...]:
    """What was touched comes to the front, what was not fades and leaves."""
    new = {one.name: one for one in touched}
    old = {one.name: replace(one, weight=round(one.weight * _DECAY, 4)) for one in known}
    for name, one in new.items():
        old[name] = replace(one, weight=round(one.weight + (old[name].weight if name in old else 0.0), 4))
    ranked = sorted(old.values(), key=lambda one: (-one.weight, one.name))
    return tuple(one for one in ranked if one.weight >= _FLOOR)[:_MAX_FOCUS]


def _files(digest: Digest) -> list[Focus]:
    gone = {file.text for file in digest.files if file.use is FileUse.DELETED}
    weights = {FileUse.READ: 0.5, FileUse.CHANGED: 1.5, FileUse.CREATED: 1.5}
    return [Focus(one.text, one.source, weights[one.use]) for one in digest.files if one.text not in gone]


def _functions(digest: Digest) -> list[Focus]:
    made = [file for file in digest.files if file.use in {FileUse.CHANGED, FileUse.CREATED}]
    return [Focus(name, file.source) for file in made for name in file.names]


def _concepts(digest: Digest) -> list[Focus]:
    known = {name for file in digest.files for name in file.names}
    found = [fact for fact in digest.names if fact.text not in known and len(fact.text) <= 60]
    return [Focus(fact.text, fact.source) for fact in found[:_MAX_FOCUS]]


# ── what is open ─────────────────────────────────────────────────────────────────────────────────────


def _failure(known: Failure | None, digest: Digest) -> Failure | None:
    """The last failure that still stands; one that a later run made good is over."""
    if found := open_failures(digest):
        return found[0]
    over = known is not None and any(run.ok and proves_fixed(run.text, known.about) for run in digest.commands)
    return None if over else known


def _next_steps(story: Story, digest: Digest) -> tuple[Fact, ...]:
    """To-dos and questions of the last segment that has any; what is done since, or was overtaken, is gone."""
    if digest.requests or digest.todos or digest.questions or digest.done:
        return (*digest.todos, *digest.questions)[:_MAX_STEPS]
    return story.next_steps


# ── rendering ────────────────────────────────────────────────────────────────────────────────────────


def render_story(story: Story, budget_tokens: int = _DEFAULT.story_tokens) -> str:
    """Renders the story within the budget: goal and state first, then what is open, then the rest."""
    return fit_points(_points(story), budget_tokens).text


def _points(story: Story) -> list[Point]:
    goal = story.objective
    earlier = (f"and {story.earlier} segments before",) if story.earlier else ()
    return [
        Point("goal", (_with_source(goal),) if goal else (), rank=0),
        Point("asked last", (_with_source(story.asked),) if story.asked else (), rank=1),
        Point("understood", _understood(story), rank=6),
        Point("", (story.narrative,) if story.narrative else (), rank=7),
        Point("state", (_state(story),) if story.position else (), rank=2),
        Point("last failure", (failure_phrase(story.failure),) if story.failure else (), rank=3),
        Point("next", tuple(fact.text for fact in story.next_steps), rank=4),
        Point("decided", tuple(_with_source(fact) for fact in _decisions_not_stated(story)), rank=5),
        Point("files", tuple(dict.fromkeys(short_path(one.name) for one in story.files)), rank=5, separator=", "),
        Point("functions", tuple(one.name for one in story.functions), rank=8, separator=", "),
        Point("names", tuple(one.name for one in story.concepts), rank=9, separator=", "),
        Point("done", (*(fact.text for fact in reversed(story.achievements)), *earlier), rank=6),
    ]


def _with_source(fact: Fact) -> str:
    return f"{one_line(fact.text)} ({fact.source})"


def _understood(story: Story) -> tuple[str, ...]:
    """What the model took it to mean, where it says more than what was asked; never in place of that."""
    asked = [normalise_wording(fact.text) for fact in (story.objective, story.asked) if fact]
    if story.intent is None or normalise_wording(story.intent.text) in asked:
        return ()
    return (f"{clip(one_line(story.intent.text), _INTENT_TOKENS)} ({story.intent.source})",)


def _decisions_not_stated(story: Story) -> list[Fact]:
    """The decisions, newest first, that the goal or the last request do not state already."""
    said = " ".join(one_line(fact.text) for fact in (story.objective, story.asked) if fact)
    return [fact for fact in reversed(story.decisions) if fact.text not in said]


def _state(story: Story) -> str:
    last = f": {one_line(story.last.text)}" if story.last else ""
    return clip(f"{story.position} {story.state}{last}", 60)
