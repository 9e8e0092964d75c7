"""The chooser: which modules and chunks go with a turn.

Required modules come first, whole and after what they build on; then one line for each tool and skill, and the whole of
those that the query turns to; then the chunks that match the query, as long as they score above the floor.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from clew.domain import UnitUse
from clew.domain.ids import ChunkId, parse_id
from clew.domain.modules import Chunk, Module, ModuleKind, Priority, Usage
from clew.engine.knowledge.profile_lift import ProfileWords
from clew.engine.knowledge.unit import KnowledgeUnit
from clew.engine.services import Services
from clew.knowledge.dependencies import with_dependencies
from clew.knowledge.layout import Layout, layout
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


class ModuleLibrary(Protocol):
    """The modules that are chosen from."""

    @property
    def stamp(self) -> str: ...

    def modules(self) -> Mapping[str, Module]: ...

    def chunks(self, id: str) -> Sequence[Chunk]: ...

    def show(self, id: str) -> Module: ...

    def find_chunks(self, query: str) -> Sequence[FoundDocument]: ...

    def profile_words(self) -> ProfileWords: ...

    def reasons(self, module: Module) -> str: ...


@dataclass(slots=True)
class _Selection:
    """What is chosen so far, how it is laid out, the room that is left, and how often replies used chunks."""

    room: int
    count: TokenCounter
    sent: Collection[str]
    shown: Layout
    uses: Mapping[str, UnitUse] = field(default_factory=dict)
    sources: set[str] = field(default_factory=set)
    left_out: list[tuple[str, int]] = field(default_factory=list)

    def take(
        self, module: str, block: str, sources: Sequence[str], *, why: str, is_found: bool = False
    ) -> Iterator[KnowledgeUnit]:
        """Yields a block if it fits."""
        price = self.count(block) + 1
        if price <= self.room:
            self.room -= price
            self.sources.update(sources)
            ids = tuple(sources)
            yield KnowledgeUnit(module=module, text=block, sources=ids, tokens=price, why=why, is_found=is_found)


class KnowledgeChooser:
    """Chooses for the turns of one user's sessions. Equal modules, profile, query and room give an equal choice."""

    def __init__(self, library: Callable[[], ModuleLibrary], services: Services) -> None:
        self._library, self._config = library, services.config.knowledge
        self._stored_size = services.tokenizers.count

    @property
    def _knowledge(self) -> ModuleLibrary:
        return self._library()

    @property
    def has_modules(self) -> bool:
        """Whether there is anything to choose from."""
        return bool(self._knowledge.stamp) and bool(self._knowledge.modules())

    def module(self, id: str) -> Module:
        """Returns a module, or one with a part of its text, by its id. Raises NotFound."""
        return self._knowledge.show(id)

    def system_text(self, shown: Layout) -> str:
        """Returns the modules that belong to the system prompt, as prompts show them; empty where there are none."""
        modules = self._knowledge.modules() if self._knowledge.stamp else {}
        ids = _in_order(module for module in modules.values() if module.usage is Usage.SYSTEM)
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
        shown: Layout,
        has_system: bool = True,
        uses: Mapping[str, UnitUse] | None = None,
    ) -> ChosenKnowledge | None:
        """Returns what goes with a query, within ``room`` tokens; None where there is nothing.

        Chunks that were ``sent`` and still stand in the prompt are not sent again. Where the prompt has no system
        branch of ours, what belongs there is required here. ``uses`` say how often replies used chunks, by id.
        """
        chosen = _Selection(room, count, sent, shown, uses or {})
        units = list(self._units(query, chosen, has_system=has_system))
        if not units and not chosen.left_out:
            return None
        sources = tuple(id for unit in units for id in unit.sources)
        text, left_out = "\n\n".join(unit.text for unit in units), tuple(chosen.left_out)
        passages = tuple(SectionUnit(unit.sources[0], unit.text) for unit in units if unit.is_found)
        return ChosenKnowledge(text, sources, left_out, passages)

    def units(
        self, query: str, *, sent: Collection[str], room: int, count: TokenCounter, has_system: bool
    ) -> Iterator[KnowledgeUnit]:
        """Yields what goes with a query, as ``choose`` chooses it, each as soon as it is known."""
        chosen = _Selection(room, count, sent, layout(self._config.templates))
        yield from self._units(query, chosen, has_system=has_system)

    def _units(self, query: str, chosen: _Selection, *, has_system: bool) -> Iterator[KnowledgeUnit]:
        modules = self._knowledge.modules()
        needed = _required_modules(modules, query, self._knowledge.profile_words(), has_system=has_system)
        for id in needed:
            yield from self._whole(id, chosen, "required")
        yield from self._lines(modules, chosen)
        inside = set(_system_ids(modules)) if has_system else set()
        yield from self._matches(query, chosen, passed_over={*needed, *inside})

    def _whole(self, id: str, chosen: _Selection, why: str) -> Iterator[KnowledgeUnit]:
        """Yields a module whole; where it does not fit, its first chunks that do."""
        chunks = self._knowledge.chunks(id)
        if all(chunk.id in chosen.sent for chunk in chunks):
            return
        module, ids = self._knowledge.show(id), [chunk.id for chunk in chunks]
        whole = list(chosen.take(id, chosen.shown.chunk(module, module.content, id=id), ids, why=why))
        yield from whole
        for index, chunk in enumerate(chunks if not whole else ()):
            text = module.content[chunk.start : chunk.end]
            block = chosen.shown.chunk(module, text, id=chunk.id, headings=chunk.headings)
            if chunk.id in chosen.sent:
                continue
            part = list(chosen.take(id, block, [chunk.id], why=why))
            yield from part
            if not part:
                chosen.left_out.append((id, sum(chunk.tokens for chunk in chunks[index:])))
                return

    def _lines(self, modules: Mapping[str, Module], chosen: _Selection) -> Iterator[KnowledgeUnit]:
        offers = [
            module for module in modules.values() if module.kind is not ModuleKind.KNOWLEDGE and module.usage is None
        ]
        for id in _in_order(offers):
            if line_id(id) not in chosen.sent:
                why = f"a {modules[id].kind}"
                yield from chosen.take(id, chosen.shown.line(modules[id]), [line_id(id)], why=why)

    def _matches(self, query: str, chosen: _Selection, *, passed_over: Collection[str]) -> Iterator[KnowledgeUnit]:
        modules = self._knowledge.modules()
        documents: list[Document] = []
        room, limit = chosen.room, self._config.turn_tokens
        for candidate in self._close(query, chosen.uses):
            module = modules[candidate.whole]
            if module.id in passed_over or module.usage is not None or candidate.id in chosen.sent:
                continue
            room -= chosen.count(self._block(candidate, chosen.shown)) + 1
            limit -= self._stored_size(candidate.text)  # as chunks were measured when they were cut
            if min(room, limit) < 0:
                break
            documents.append(candidate)
        first = {document.whole: index for index, document in reversed(list(enumerate(documents)))}
        for candidate in sorted(documents, key=lambda document: (first[document.whole], _number(document.id))):
            why = "; ".join(filter(None, ("matches", self._knowledge.reasons(modules[candidate.whole]))))
            if modules[candidate.whole].kind is ModuleKind.KNOWLEDGE:
                block = self._block(candidate, chosen.shown)
                yield from chosen.take(candidate.whole, block, [candidate.id], why=why, is_found=True)
            elif candidate.id not in chosen.sources:
                yield from self._whole(candidate.whole, chosen, why)

    def _close(self, query: str, uses: Mapping[str, UnitUse]) -> Iterator[Document]:
        """Chunks that match the query, best first, until one scores too far below the best; none for a query that is
        about something else.
        """
        matches = documents_by_use(self._knowledge.find_chunks(query), uses) if query else ()
        if not matches or not _is_about(matches[0], query):
            return
        for match in matches:
            if match.score < self._config.floor * matches[0].score:
                return
            yield match.document

    def _block(self, document: Document, shown: Layout) -> str:
        module = self._knowledge.modules()[document.whole]
        return shown.chunk(module, document.text, id=document.id, headings=tuple(document.metadata["headings"]))


def _is_about(document: FoundDocument, query: str) -> bool:
    """Whether a query is about what was found: it means the same, or has words of it; more of them where their meanings
    have nothing to do with each other, as far as vectors tell.
    """
    if document.nearness is not None and document.nearness >= 1:
        return True
    wanted = query_words(query)
    held = set(words_of(f"{document.document.title}\n{document.document.text}"))
    least = _LEAST_SHARE if document.nearness is None or document.nearness > 0 else _LEAST_SHARE_FAR
    return sum(word in held for word in wanted) >= least * len(wanted)


def _number(id: str) -> int:
    named = parse_id(id)
    return named.number if isinstance(named, ChunkId) else 0


def line_id(module: str) -> str:
    """The id of the line that names a tool or a skill."""
    return str(ChunkId(module, 0))


def _required_modules(
    modules: Mapping[str, Module], query: str, profile: ProfileWords, *, has_system: bool
) -> list[str]:
    """Modules that go with every turn, or that the query asks for in the words of their scope; what they build on
    before them.
    """
    asked = set(query_words(query)) if query else set()
    chosen = [
        module
        for module in modules.values()
        if module.usage is Usage.ALWAYS
        or (module.usage is Usage.SYSTEM and not has_system)
        or (module.priority is Priority.HIGH and module.usage is None and _is_asked_for(module, asked, profile))
    ]
    inside = set(_system_ids(modules)) if has_system else set()
    return [id for id in with_dependencies(_in_order(chosen), modules) if id not in inside]


def _is_asked_for(module: Module, asked: Collection[str], profile: ProfileWords) -> bool:
    """Whether a query has half of the words that say when a module is of use; what the profile lifts the module by
    counts as said, once the query says anything of it.
    """
    wanted = query_words(module.usage_scope) if module.usage_scope else []
    mentioned = [word for word in wanted if word in asked]
    covered = {*mentioned, *(word for word in profile.lift(module).words if word in wanted)} if mentioned else set()
    return bool(covered) and len(covered) >= _NAMED_SHARE * len(wanted)


def _system_ids(modules: Mapping[str, Module]) -> list[str]:
    """Modules that stand in the system prompt, with what they build on."""
    return with_dependencies((module.id for module in modules.values() if module.usage is Usage.SYSTEM), modules)


def _in_order(modules: Iterable[Module]) -> list[str]:
    """High priority first, then by id."""
    return [module.id for module in sorted(modules, key=lambda module: (_ORDER.index(module.priority), module.id))]
