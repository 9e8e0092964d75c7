"""The library: knowledge modules that every session may draw on, and those that were registered for one user alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path

from clew.config import KnowledgeConfig
from clew.domain import CriticalItem
from clew.domain.argument_kinds import checks_arguments, ensure_positive
from clew.domain.ids import ChunkId, parse_id
from clew.domain.modules import Chunk, Module, Priority
from clew.engine.knowledge.module_documents import FILTERS, module_documents, module_metadata
from clew.engine.knowledge.module_store import ModuleStore, Revision
from clew.engine.knowledge.profile_lift import ProfileWords, profile_words
from clew.engine.knowledge.unit import KnowledgeUnit
from clew.engine.read.collection_vectors import open_collection
from clew.engine.read.text_vectors import vectors_job
from clew.engine.services import Services
from clew.errors import NotFound, UsageError
from clew.knowledge.chunks import chunk_text
from clew.knowledge.dependencies import dependents, ensure_registrable, related_modules
from clew.knowledge.module_files import ModuleFile, checked_module, digest_of, files_in, read_modules
from clew.knowledge.problems import InvalidModules, ModuleProblem
from clew.ports import Store
from clew.retrieval.document_index import JoinedDocuments, collection_key
from clew.retrieval.documents import DocumentKind, FoundDocument, matches_filters
from clew.text.secrets import mask

#: The collection of documents that chunks and modules are found in.
COLLECTION = "knowledge"
#: What a module's priority is worth among chunks that match alike.
_WEIGHTS = {Priority.HIGH: 1.15, Priority.MEDIUM: 1.0, Priority.LOW: 0.85}
_MOST_RANKED = 100
#: So long a search waits for vectors of what was just added.
_WAIT_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Additions:
    """What adding modules came to, by their ids. ``missing`` are modules whose files are gone."""

    added: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeResult:
    """A chunk that matches a query. Scores compare within one result only; ``why`` says what raised or lowered it
    beside the query.
    """

    id: str
    module: str
    name: str
    headings: tuple[str, ...]
    priority: str
    score: float
    text: str
    source: str
    kind: str = "module"
    why: str = ""


@checks_arguments
class Knowledge:
    """Registers, lists, shows, searches and removes modules: those of everybody, or with ``shared`` behind it, those of
    one user. A user sees both; what is registered and removed is their own. ``of_user`` gives the library of a user.
    """

    def __init__(
        self,
        store: Store,
        services: Services,
        *,
        tenant: str,
        user: str,
        profile: Callable[[], Sequence[CriticalItem]] = tuple,
        shared: Knowledge | None = None,
        of_user: Callable[[str], Knowledge] | None = None,
    ) -> None:
        self._modules, self._services, self._profile = ModuleStore(store, tenant=tenant, user=user), services, profile
        self._key = collection_key(tenant, user, COLLECTION)
        self._index = open_collection(store, self._key, services)
        self._shared, self._of_user = shared, of_user
        self._known: tuple[str, dict[str, Module]] = ("", {})

    @property
    def _config(self) -> KnowledgeConfig:
        return self._services.config.knowledge

    @property
    def documents(self) -> JoinedDocuments:
        """The modules and their chunks as search finds them: those of the user, then those of everybody."""
        return JoinedDocuments(self._index, *([self._shared._index] if self._shared else ()))

    # ── registering ──────────────────────────────────────────────────────────────────────────────────

    def add(self, *sources: str | Path | Module, user: str | None = None) -> Additions:
        """Registers modules: those of files, folders and globs, and those that a caller made. With ``user`` only their
        sessions draw on them.

        All of them or none: raises InvalidModules, with everything that is wrong by file and line. What was registered
        under the same id before is kept as an earlier revision; the same again changes nothing.
        """
        if user and self._of_user:
            return self._of_user(user).add(*sources)
        module_files: list[ModuleFile] = []
        states: dict[str, str] = {}
        for source in sources:
            if isinstance(source, Module):
                module_files.append(ModuleFile(_check_module(source), {}))
                continue
            files = _files(str(source))
            names = {(file.module.id, file.module.source) for file in module_files}
            read = read_modules(files, max_bytes=self._config.max_file_bytes)
            module_files += [file for file in read if (file.module.id, file.module.source) not in names]
            states[_absolute(str(source))] = _state(files)
        if self._services.config.storage.mask_secrets:
            module_files = [
                replace(file, module=replace(file.module, content=mask(file.module.content))) for file in module_files
            ]
        with self._modules.store.transaction():
            done = self._register(module_files)
            if states:
                self._modules.put_sources({**self._modules.sources(), **states})
        self._index.make_vectors()
        return done

    def _register(self, files: Sequence[ModuleFile]) -> Additions:
        modules = self._modules.modules()
        ensure_registrable(files, self.modules() if self._shared else modules)
        outcome: dict[str, list[str]] = {"added": [], "updated": [], "unchanged": []}
        for file in files:
            before, digest = modules.get(file.module.id), digest_of(file.module)
            if before and before.digest == digest:
                outcome["unchanged"].append(file.module.id)
                continue
            self._put(replace(file.module, digest=digest, revision=before.revision + 1 if before else 1))
            outcome["updated" if before else "added"].append(file.module.id)
        return Additions(**{name: tuple(ids) for name, ids in outcome.items()})

    def _put(self, module: Module) -> None:
        count = self._services.tokenizers.count
        chunks = chunk_text(
            module.content, module.format, module=module.id, size=self._config.chunk_tokens, count=count
        )
        counted = replace(module, token_count=sum(chunk.tokens for chunk in chunks))
        before = self._indexed_ids(module.id)
        self._modules.put(counted, chunks, at=self._services.clock.now())
        self._index.put(module_documents(counted, chunks), instead_of=before)

    def _indexed_ids(self, id: str) -> Sequence[str]:
        return [id, *(chunk.id for chunk in self._modules.chunks(id))]

    def refresh(self, *, prune: bool = False) -> Additions:
        """Reads again what has changed in the files, folders and globs that modules were added from.

        With ``prune`` modules whose files are gone are removed. Raises as ``add`` does.
        """
        changed: list[str] = []
        for source, state in self._modules.sources().items():
            try:
                is_same = _state(_files(source)) == state
            except InvalidModules:
                continue
            changed += [] if is_same else [source]
        done = self.add(*changed) if changed else Additions()
        own = self._modules.modules().values()
        gone = [module.id for module in own if module.source and not Path(module.source).is_file()]
        if prune and gone:
            self.remove(*gone)
            return replace(done, removed=tuple(gone))
        return replace(done, missing=tuple(gone))

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────

    @property
    def stamp(self) -> str:
        """A mark that changes with every change of a module; empty while there has been none."""
        own = self._modules.stamp()
        return f"{self._shared.stamp} {own}".strip() if self._shared else own

    def list(self, *, filters: Mapping[str, object] | None = None) -> Sequence[Module]:
        """Returns the modules, in order of id, without their texts. ``filters`` name values that they must have."""
        wanted = _checked_filters(filters)
        return [module for module in self.modules().values() if matches_filters(module_metadata(module), wanted)]

    def show(self, id: str, *, version: str = "") -> Module:
        """Returns a module with its text; ``version`` is what it called itself, or the number of a revision.

        The id of a chunk (``deploy#3``) gives the module with that part of its text, ``deploy#0`` all of it.
        Raises NotFound.
        """
        named = parse_id(id)
        if isinstance(named, ChunkId):
            return self._show_chunk(named) if named.number else self.show(named.module)
        if (home := self._home(id)) is not self:
            return home.show(id, version=version)
        module = self._modules.module(id, self._revision(id, version))
        if module is None:
            raise NotFound(f"no module {id}", hint="knowledge.list() names them", about="module")
        return module

    def _show_chunk(self, id: ChunkId) -> Module:
        module = self.show(id.module)
        chunk = next((chunk for chunk in self.chunks(id.module) if chunk.id == str(id)), None)
        if chunk is None:
            raise NotFound(
                f"module {id.module} has no chunk {id}", hint="knowledge.chunks(id) lists them", about="module"
            )
        return replace(module, content=module.content[chunk.start : chunk.end], token_count=chunk.tokens)

    def _revision(self, id: str, version: str) -> int:
        if not version:
            return 0
        for revision in reversed(self._modules.revisions(id)):
            if version in (revision.version, str(revision.revision)):
                return revision.revision
        raise NotFound(
            f"module {id} has no version {version}", hint="knowledge.versions(id) lists them", about="module"
        )

    def versions(self, id: str) -> Sequence[Revision]:
        """Returns all versions of a module that were registered, oldest first."""
        return self._home(id)._modules.revisions(id)

    def chunks(self, id: str) -> Sequence[Chunk]:
        """Returns the chunks of a module, in order."""
        return self._home(id)._modules.chunks(id)

    def _has(self, id: str) -> bool:
        return self._modules.module(id) is not None

    def _home(self, id: str) -> Knowledge:
        """The library that a module is in."""
        return self._shared if self._shared and not self._has(id) else self

    def related(self, id: str) -> Sequence[str]:
        """Returns modules that have to do with one: what it builds on, what builds on it, what shares a tag."""
        modules = self.modules()
        if id not in modules:
            raise NotFound(f"no module {id}", hint="knowledge.list() names them", about="module")
        return related_modules(id, modules)

    def search(
        self, query: str, *, limit: int = 10, filters: Mapping[str, object] | None = None, wait: float = _WAIT_SECONDS
    ) -> Sequence[KnowledgeResult]:
        """Returns the chunks that match a query, best first. ``filters`` name values that their modules must have.

        Vectors of what was just added are waited for so many seconds at most; where that is not enough, it is found by
        words alone, and the event ``search.degraded`` says so.
        """
        ensure_positive("limit", limit)
        wanted = _checked_filters(filters)
        if not self._wait_for_vectors(wait):
            self._services.events.emit(
                "search.degraded", session=self._key.id, reason="not all vectors of modules are made yet"
            )
        return [self._result(chunk) for chunk in self.find_chunks(query, filters=wanted)[:limit]]

    def _wait_for_vectors(self, seconds: float) -> bool:
        """Has missing vectors made. Returns whether that is done within the time."""
        self.documents.make_vectors()
        libraries = (self, self._shared) if self._shared else (self,)
        return all(self._services.background.wait(seconds, key=vectors_job(library._key)) for library in libraries)

    def find_chunks(self, query: str, *, filters: Mapping[str, object] | None = None) -> Sequence[FoundDocument]:
        """Returns the chunks that match a query as documents of the index, best first, by priority and profile too."""
        match = self.documents.search(query, limit=_MOST_RANKED, kinds=[DocumentKind.CHUNK], filters=filters)
        modules, words = self.modules(), self.profile_words()
        factors = {id: words.lift(modules[id]).factor for id in {hit.document.whole for hit in match}}
        weighed = [
            replace(hit, score=hit.score * _WEIGHTS[hit.document.metadata["priority"]] * factors[hit.document.whole])
            for hit in match
        ]
        return sorted(weighed, key=lambda document: -document.score)

    def profile_words(self) -> ProfileWords:
        """Returns what the user's profile names and refuses."""
        return profile_words(self._profile())

    def load(
        self, query: str = "", *, budget: int, sent: Collection[str] = (), wait: float = 0
    ) -> Iterator[KnowledgeUnit]:
        """Yields what a query needs of the modules, within ``budget`` tokens, each as soon as it is known: required
        modules at once, then a line for each tool and skill, then what is found by what is indexed now; and at last,
        having waited so many seconds for vectors at most, what is found by those.

        Chunks that were ``sent`` already are passed over: whoever wants more asks again with what they have.
        """
        from clew.engine.knowledge.chooser import KnowledgeChooser

        units = partial(KnowledgeChooser(lambda: self, self._services).units, query, has_system=False)
        count, seen = self._services.tokenizers.count, set(sent)
        for is_last in (False, True) if wait > 0 else (False,):
            if is_last:
                self._wait_for_vectors(wait)
            for unit in units(sent=set(seen), room=budget, count=count):
                budget -= unit.tokens
                seen.update(unit.sources)
                yield unit

    def _result(self, result: FoundDocument) -> KnowledgeResult:
        document, module = result.document, self.modules()[result.document.whole]
        return KnowledgeResult(
            id=document.id,
            module=module.id,
            name=module.name,
            headings=tuple(document.metadata["headings"]),
            priority=str(module.priority),
            score=round(result.score, 4),
            text=document.text,
            source=document.source,
            why=self.reasons(module),
        )

    def reasons(self, module: Module) -> str:
        """What raises or lowers a module beside the query: its priority, and what the profile says."""
        priority = "" if module.priority is Priority.MEDIUM else f"priority {module.priority}"
        return "; ".join(filter(None, (priority, str(self.profile_words().lift(module)))))

    def modules(self) -> Mapping[str, Module]:
        """Returns all modules by id, without their texts, as they are now in the store."""
        stamp = self.stamp
        if self._known[0] != stamp:
            both = {**(self._shared.modules() if self._shared else {}), **self._modules.modules()}
            self._known = (stamp, {id: both[id] for id in sorted(both)})
        return self._known[1]

    def reindex(self) -> None:
        """Puts all modules into the index of documents anew."""
        with self._modules.store.transaction():
            stored = ((self._modules.module(id), self._modules.chunks(id)) for id in self._modules.modules())
            self._index.put_all(
                document for module, chunks in stored if module for document in module_documents(module, chunks)
            )
        self._index.make_vectors()

    # ── removing ─────────────────────────────────────────────────────────────────────────────────────

    def remove(self, *ids: str) -> None:
        """Deletes modules with all their versions. Packs that were sent keep what they said.

        Raises NotFound, and UsageError while another module builds on one of them.
        """
        with self._modules.store.transaction():
            modules = self._modules.modules()
            for id in ids:
                if id not in modules:
                    raise NotFound(f"no module {id}", hint="knowledge.list() names them", about="module")
                if users := [dependent for dependent in dependents(id, modules) if dependent not in ids]:
                    raise UsageError(f"{', '.join(users)} depends on {id}; remove that first, or both at once")
            for id in ids:
                self._index.remove(self._indexed_ids(id))
                self._modules.remove(id)


def _check_module(module: Module) -> Module:
    try:
        return checked_module(module)
    except ModuleProblem as problem:
        raise InvalidModules([problem]) from None


def _files(source: str) -> list[tuple[Path, Path]]:
    try:
        return files_in(source)
    except ModuleProblem as problem:
        raise InvalidModules([problem]) from None


def _checked_filters(filters: Mapping[str, object] | None) -> Mapping[str, object]:
    for name in filters or {}:
        if name not in FILTERS:
            raise UsageError(f"modules cannot be filtered by {name!r}; there are {', '.join(FILTERS)}")
    return filters or {}


def _absolute(source: str) -> str:
    return str(Path(source).expanduser().absolute())


def _state(files: Sequence[tuple[Path, Path]]) -> str:
    """A hash that changes when a file comes, goes or is written."""
    stamps = "\n".join(f"{path}|{path.stat().st_size}|{path.stat().st_mtime_ns}" for path, _ in files)
    return blake2b(stamps.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
