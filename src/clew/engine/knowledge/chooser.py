"""The chooser: which modules and chunks go with a turn.

Required modules come first, whole and after what they build on; then one line for each tool and skill, and the whole of
those that the query turns to; then the chunks that match the query, as long as they score above the floor.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from clew.domain import UnitUse
from clew.domain.ids import ChunkId, parse_id
from clew.domain.modules import Module, ModuleKind, Priority, Usage
from clew.engine.knowledge.library import Knowledge
from clew.engine.services import Services
from clew.knowledge.dependencies import with_dependencies
from clew.knowledge.layout import layout
from clew.packing.formats import SectionUnit
from clew.ports import TokenCounter
from clew.retrieval.documents import Document, FoundDocument
from clew.retrieval.feedback import documents_by_use
from clew.retrieval.words import query_words, words_of

_ORDER = list(Priority)
#: The share of the words in which a module says when it is of use that a query has to have, to require it.
_NAMED_SHARE = 0.5
#: The share of a query's words that the best chunk has to have, and where its meaning is far away.
_LEAST_SHARE, _LEAST_SHARE_FAR = 0.2, 0.5


@dataclass(frozen=True, slots=True)
class ChosenKnowledge:
    """What a turn brings in: its lines, the ids of chunks they are, modules that are required but had no room, and the
    chunks that the query found, as they stand in the lines.
    """

    text: str
    sources: tuple[str, ...]
    left_out: tuple[tuple[str, int], ...] = ()
    units: tuple[SectionUnit, ...] = ()


@dataclass(slots=True)
class _Selection:
    """What is chosen so far, and the room that is left."""

    room: int
    count: TokenCounter
    blocks: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    left_out: list[tuple[str, int]] = field(default_factory=list)
    units: list[SectionUnit] = field(default_factory=list)

    def take_match(self, block: str, id: str) -> None:
        """Adds a chunk that the query found, if it fits."""
        if self.take(block, [id]):
            self.units.append(SectionUnit(id, block))

    def take(self, block: str, sources: Sequence[str]) -> bool:
        """Adds a block if it fits."""
        price = self.count(block) + 1
        if price > self.room:
            return False
        self.room -= price
        self.blocks.append(block)
        self.sources += sources
        return True


class KnowledgeChooser:
    """Chooses for the turns of one user's sessions. Equal modules, query and room give an equal choice."""

    def __init__(self, knowledge: Knowledge, services: Services) -> None:
        self._knowledge, self._config = knowledge, services.config.knowledge
        self._stored_size = services.tokenizers.count

    @property
    def has_modules(self) -> bool:
        """Whether there is anything to choose from."""
        return bool(self._knowledge.stamp) and bool(self._knowledge.modules())

    def module(self, id: str) -> Module:
        """Returns a module, or one with a part of its text, by its id. Raises NotFound."""
        return self._knowledge.show(id)

    def system_text(self) -> str:
        """Returns the modules that belong to the system prompt, as prompts show them; empty where there are none."""
        modules = self._knowledge.modules() if self._knowledge.stamp else {}
        ids = _in_order(one for one in modules.values() if one.usage is Usage.SYSTEM)
        shown = layout(self._config.templates)
        blocks = []
        for id in with_dependencies(ids, modules):
            whole = self._knowledge.show(id)
            blocks.append(shown.chunk(whole, whole.content, id=id))
        return "\n\n".join(blocks)

    def choose(
        self,
        query: str,
        *,
        sent: Collection[str],
        room: int,
        count: TokenCounter,
        has_system: bool = True,
        uses: Mapping[str, UnitUse] | None = None,
    ) -> ChosenKnowledge | None:
        """Returns what goes with a query, within ``room`` tokens; None where there is nothing.

        Chunks that were ``sent`` and still stand in the prompt are not sent again. Where the prompt has no system
        branch of ours, what belongs there is required here. ``uses`` say how often replies used chunks, by id.
        """
        modules = self._knowledge.modules()
        chosen = _Selection(room, count)
        needed = _required(modules, query, has_system=has_system)
        for id in needed:
            self._take_whole(id, chosen, sent)
        self._take_lines(modules, chosen, sent)
        inside = set(_system_ids(modules)) if has_system else set()
        self._take_matches(self._close(query, uses or {}), chosen, sent, passed_over={*needed, *inside})
        if not chosen.blocks and not chosen.left_out:
            return None
        left_out, units = tuple(chosen.left_out), tuple(chosen.units)
        return ChosenKnowledge("\n\n".join(chosen.blocks), tuple(chosen.sources), left_out, units)

    def _take_whole(self, id: str, chosen: _Selection, sent: Collection[str]) -> None:
        """Takes a module whole; where it does not fit, its first chunks that do."""
        chunks = self._knowledge.chunks(id)
        if all(one.id in sent for one in chunks):
            return
        module, shown = self._knowledge.show(id), layout(self._config.templates)
        if chosen.take(shown.chunk(module, module.content, id=id), [one.id for one in chunks]):
            return
        for at, chunk in enumerate(chunks):
            text = module.content[chunk.start : chunk.end]
            block = shown.chunk(module, text, id=chunk.id, headings=chunk.headings)
            if chunk.id not in sent and not chosen.take(block, [chunk.id]):
                chosen.left_out.append((id, sum(one.tokens for one in chunks[at:])))
                return

    def _take_lines(self, modules: Mapping[str, Module], chosen: _Selection, sent: Collection[str]) -> None:
        shown = layout(self._config.templates)
        offers = [one for one in modules.values() if one.kind is not ModuleKind.KNOWLEDGE and one.usage is None]
        for id in _in_order(offers):
            if line_id(id) not in sent:
                chosen.take(shown.line(modules[id]), [line_id(id)])

    def _take_matches(
        self, matches: Iterable[Document], chosen: _Selection, sent: Collection[str], *, passed_over: Collection[str]
    ) -> None:
        modules = self._knowledge.modules()
        found: list[Document] = []
        room, limit = chosen.room, self._config.turn_tokens
        for one in matches:
            module = modules[one.whole]
            if module.id in passed_over or module.usage is not None or one.id in sent:
                continue
            room -= chosen.count(self._block(one)) + 1
            limit -= self._stored_size(one.text)  # as chunks were measured when they were cut
            if min(room, limit) < 0:
                break
            found.append(one)
        first = {one.whole: at for at, one in reversed(list(enumerate(found)))}
        for one in sorted(found, key=lambda one: (first[one.whole], _number(one.id))):
            if modules[one.whole].kind is ModuleKind.KNOWLEDGE:
                chosen.take_match(self._block(one), one.id)
            elif one.id not in chosen.sources:
                self._take_whole(one.whole, chosen, sent)

    def _close(self, query: str, uses: Mapping[str, UnitUse]) -> Iterator[Document]:
        """Chunks that match the query, best first, until one scores too far below the best; none for a query that is
        about something else.
        """
        found = documents_by_use(self._knowledge.found(query), uses) if query else ()
        if not found or not _is_about(found[0], query):
            return
        for one in found:
            if one.score < self._config.floor * found[0].score:
                return
            yield one.document

    def _block(self, one: Document) -> str:
        module = self._knowledge.modules()[one.whole]
        headings = tuple(one.metadata["headings"])
        return layout(self._config.templates).chunk(module, one.text, id=one.id, headings=headings)


def _is_about(found: FoundDocument, query: str) -> bool:
    """Whether a query is about what was found: it means the same, or has words of it; more of them where their meanings
    have nothing to do with each other, as far as vectors tell.
    """
    if found.nearness is not None and found.nearness >= 1:
        return True
    wanted = query_words(query)
    held = set(words_of(f"{found.document.title}\n{found.document.text}"))
    least = _LEAST_SHARE if found.nearness is None or found.nearness > 0 else _LEAST_SHARE_FAR
    return sum(word in held for word in wanted) >= least * len(wanted)


def _number(id: str) -> int:
    named = parse_id(id)
    return named.number if isinstance(named, ChunkId) else 0


def line_id(module: str) -> str:
    """The id of the line that names a tool or a skill."""
    return str(ChunkId(module, 0))


def _required(modules: Mapping[str, Module], query: str, *, has_system: bool) -> list[str]:
    """Modules that go with every turn, or that the query asks for in the words of their scope; what they build on
    before them.
    """
    asked = set(query_words(query)) if query else set()
    found = [
        one
        for one in modules.values()
        if one.usage is Usage.ALWAYS
        or (one.usage is Usage.SYSTEM and not has_system)
        or (one.priority is Priority.HIGH and one.usage is None and _is_asked_for(one, asked))
    ]
    inside = set(_system_ids(modules)) if has_system else set()
    return [id for id in with_dependencies(_in_order(found), modules) if id not in inside]


def _is_asked_for(module: Module, asked: Collection[str]) -> bool:
    wanted = query_words(module.usage_scope) if module.usage_scope else []
    return bool(wanted) and sum(word in asked for word in wanted) >= _NAMED_SHARE * len(wanted)


def _system_ids(modules: Mapping[str, Module]) -> list[str]:
    """Modules that stand in the system prompt, with what they build on."""
    return with_dependencies((one.id for one in modules.values() if one.usage is Usage.SYSTEM), modules)


def _in_order(modules: Iterable[Module]) -> list[str]:
    """High priority first, then by id."""
    return [one.id for one in sorted(modules, key=lambda one: (_ORDER.index(one.priority), one.id))]
