"""The current context of a session as fields: what is wanted, done, open and next, and the files and functions at hand.

Each field holds facts, and each fact names the message that bears it out. A session without tools has them too: there
the agent's own reports say what is done.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any

from clew.domain import Digest, Message, Role
from clew.domain.ids import message_id, message_number
from clew.history.work_map.view import WorkMap
from clew.packing.story import build_story, render_story
from clew.ports import TokenCounter
from clew.text.prose import BlockKind, blocks, is_heading
from clew.text.sentences import sentences
from clew.units.gather import GatheredUnits, gather_units
from clew.units.person_lines import newest_request
from clew.units.report_units import announces, reports_change
from clew.units.state_lines import StateFact, StateKind, state_facts
from clew.units.unit import Speaker, clip_middle

#: Facts of a field, and the characters of a fact and of the objective.
_MAX_FACTS, _MAX_CHARS, _OBJECTIVE_CHARS = 5, 160, 400
#: Of one kind (commits, checks, to-dos, reports) so many stand in a field.
_MAX_OF_KIND = 3
#: What leads to facts of the state.
_LEADS_TO = {StateKind.COMMITS: "committed "}
#: Replies that are looked through for next steps and questions.
_MAX_REPLIES = 3
_NEXT = re.compile(
    r"\b(?:next(?: steps?)?|remaining|still (?:open|missing|to do|to be done)|to-?dos?|follow-?ups?|left to do)\b", re.I
)
#: What is yet to be done, and no report of it.
_PLANS = re.compile(r"\b(?:should|shall|will|must|needs? to|to be|going to|would|let me|let's)\b|\bI'll\b", re.I)
#: Words that only lead to something, or are polite.
_LEADS = re.compile(r"\W*(?:here(?:'s| is| are)|i apologi[sz]e|sorry|it (?:seems|looks)|sure|of course)\b", re.I)
_LEAST_CHARS = 20
_ITEM_MARK = re.compile(r"\A\s*(?:[-*•+]|\d{1,2}[.)])\s+(?:\[[ xX]\]\s+)?")


@dataclass(frozen=True, slots=True)
class ContextFact:
    """A fact, and the id of the message that it comes from."""

    text: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentContext:
    """Where a session stands. ``text`` is its story; the fields come from the same records.

    ``objective`` is the newest request, None before anybody asked for something. ``open`` is what failed, waits or was
    asked; ``next_steps`` are open to-dos, else what the agent named as next.
    """

    text: str
    objective: ContextFact | None = None
    done: tuple[ContextFact, ...] = ()
    open: tuple[ContextFact, ...] = ()
    files: tuple[ContextFact, ...] = ()
    functions: tuple[ContextFact, ...] = ()
    next_steps: tuple[ContextFact, ...] = ()

    def fields(self) -> dict[str, Any]:
        """Returns all but the text as plain values."""
        found = asdict(self)
        return {name: found[name] for name in found if name != "text"}


def build_current_context(
    messages: Sequence[Message],
    work: WorkMap,
    exchanges: Mapping[str, int],
    *,
    budget: int,
    count: TokenCounter,
    noted: Digest | None = None,
) -> CurrentContext:
    """Returns the fields, and the story of so many tokens, as ``build_story`` does."""
    gathered = gather_units(messages, root=work.root)
    story = build_story(messages, work, exchanges, budget=budget, count=count, noted=noted, gathered=gathered)
    request = newest_request(gathered.statements)
    replies = [
        message
        for message in messages
        if message.role is Role.ASSISTANT and not message.thread and message.text.strip()
    ]
    statement = request.statement if request else None
    objective = _fact(statement.text, statement.source, _OBJECTIVE_CHARS) if statement else None
    state = state_facts(work)
    return CurrentContext(
        text=render_story(story),
        objective=objective,
        done=_first_of(
            state_context(state, StateKind.COMMITS),
            state_context(state, StateKind.CHECK),
            _done_todos(work),
            _reports(gathered, work),
        ),
        open=_first_of(
            state_context(state, StateKind.FAILURE),
            state_context(state, StateKind.PARTLY_PASSED),
            _open_todos(work),
            state_context(state, StateKind.UNCOMMITTED),
            state_context(state, StateKind.RUNNING),
            _question(replies, objective),
        ),
        files=_first_of(_files(work)),
        functions=_first_of(_functions(work, gathered)),
        next_steps=_first_of(_open_todos(work)) or _first_of(_named_next(replies)),
    )


def _first_of(*kinds: Iterable[ContextFact]) -> tuple[ContextFact, ...]:
    """The first facts of a kind, each once; of several kinds a few of each, and of these the newest."""
    if len(kinds) == 1:
        return tuple(islice({fact.text: fact for fact in kinds[0]}.values(), _MAX_FACTS))
    found = {fact.text: fact for kind in kinds for fact in islice(kind, _MAX_OF_KIND)}
    return tuple(sorted(found.values(), key=lambda fact: -message_number(fact.source))[:_MAX_FACTS])


def _fact(text: str, source: int | str, chars: int = _MAX_CHARS) -> ContextFact:
    return ContextFact(
        clip_middle(" ".join(text.split()), chars), source if isinstance(source, str) else message_id(source)
    )


def state_context(state: Sequence[StateFact], kind: StateKind) -> Iterator[ContextFact]:
    """Yields what the state tells of a kind, the newest first, each without the message that stands beside it."""
    items = [(fact, item) for fact in state if fact.kind is kind for item in fact.items if item.at]
    for fact, item in sorted(items, key=lambda pair: -pair[1].at):
        alone = replace(fact, items=(replace(item, marked=False),), lead=_LEADS_TO.get(kind, ""))
        yield _fact(alone.line_within(_MAX_CHARS), item.at)


# ── what is done ─────────────────────────────────────────────────────────────────────────────────────


def _done_todos(work: WorkMap) -> Iterator[ContextFact]:
    for todo in reversed(work.todos):
        if todo.status == "done":
            yield _fact(todo.text, work.todos_at)


def _reports(gathered: GatheredUnits, work: WorkMap) -> Iterator[ContextFact]:
    """What the agent's newest report says was done; in a session in which nothing was worked on, what it answered."""
    is_work = gathered.has_actions or bool(work.files)
    units = [unit for unit in gathered.units if unit.speaker is Speaker.AGENT]
    newest = max((unit.number for unit in units), default=0)
    for unit in sorted((unit for unit in units if unit.number == newest), key=lambda unit: unit.position):
        said = (sentence for sentence in sentences(unit.text) if _tells(sentence) and not _PLANS.search(sentence))
        if first := next((one for one in said if not is_work or reports_change(one)), ""):
            yield _fact(_ITEM_MARK.sub("", first), unit.number)


def _tells(sentence: str) -> bool:
    """False for what only leads on, asks or is polite."""
    is_lead = announces(sentence) or _LEADS.match(sentence) is not None or sentence.rstrip().endswith((":", "?"))
    return not is_lead and not is_heading(sentence) and len(sentence) >= _LEAST_CHARS


# ── what is open, and what comes next ────────────────────────────────────────────────────────────────


def _open_todos(work: WorkMap) -> Iterator[ContextFact]:
    """To-dos that are open; a list that was not touched since the newest request tells of other work."""
    open = [todo for todo in work.todos if todo.status != "done" and work.todos_at >= work.request_at]
    for todo in sorted(open, key=lambda todo: todo.status == "open"):
        yield _fact(todo.text, work.todos_at)


def _question(replies: Sequence[Message], objective: ContextFact | None) -> Iterator[ContextFact]:
    """A request that no reply followed, or what the agent asked at the end of its last reply."""
    last = replies[-1].number if replies else 0
    if objective and message_number(objective.source) > last:
        yield _fact(f"not answered yet: {objective.text}", objective.source)
    elif replies and (
        asked := [sentence for sentence in sentences(replies[-1].text)[-2:] if sentence.rstrip().endswith("?")]
    ):
        yield _fact(f"the agent asks: {asked[-1]}", last)


def _named_next(replies: Sequence[Message]) -> Iterator[ContextFact]:
    """The items of a list that the agent announced as what comes next, else its sentence that says so."""
    for reply in islice(reversed(replies), _MAX_REPLIES):
        for block in blocks(reply.text):
            if block.kind is BlockKind.LIST and _NEXT.search(block.lead):
                lines = (line for line in block.text.splitlines() if _ITEM_MARK.match(line))
                yield from (_fact(_ITEM_MARK.sub("", line), reply.id) for line in lines)
            elif block.kind is BlockKind.PARAGRAPH:
                said = (sentence for sentence in sentences(block.text) if re.match(r"\W*next\b", sentence, re.I))
                yield from (_fact(one, reply.id) for one in said if not one.rstrip().endswith(":"))


# ── what is at hand ──────────────────────────────────────────────────────────────────────────────────


def _files(work: WorkMap) -> Iterator[ContextFact]:
    changed = [facts for facts in work.files if facts.edited and not facts.deleted]
    for facts in sorted(changed, key=lambda facts: -facts.edited):
        yield _fact(work.relative_path(facts.path), facts.edited)


def _functions(work: WorkMap, gathered: GatheredUnits) -> Iterator[ContextFact]:
    """What changes defined in files, the newest first."""
    changed = {facts.path: facts.edited for facts in work.files if facts.edited and not facts.deleted}
    for path, at in sorted(changed.items(), key=lambda pair: -pair[1]):
        change = gathered.changes.get(path)
        yield from (_fact(name, at) for name in (change.adds if change else ()))
