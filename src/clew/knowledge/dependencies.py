"""What modules build on: checked before anything is registered, and followed when one is used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from clew.domain.modules import Module
from clew.knowledge.module_files import ModuleFile
from clew.knowledge.problems import InvalidModules, ModuleProblem


def ensure_registrable(new: Sequence[ModuleFile], known: Mapping[str, Module]) -> None:
    """Raises InvalidModules if two modules have one id, something they build on is missing, or they build on each
    other in a circle.
    """
    problems = [*_twice(new, known), *_missing(new, known)]
    if not problems:
        problems += _circle(new, known)
    if problems:
        raise InvalidModules(problems)


def _twice(new: Sequence[ModuleFile], known: Mapping[str, Module]) -> Iterable[ModuleProblem]:
    first: dict[str, ModuleFile] = {}
    for file in new:
        module, other = file.module, first.setdefault(file.module.id, file)
        if other is not file:
            yield file.problem(f"the id {module.id!r} is also that of {other.module.source or 'another module'}", "id")
        elif (registered := known.get(module.id)) and registered.source != module.source:
            there = registered.source or "given by a program"
            yield file.problem(
                f"the id {module.id!r} is taken by a module of {there}; remove that, or give another", "id"
            )


def _missing(new: Sequence[ModuleFile], known: Mapping[str, Module]) -> Iterable[ModuleProblem]:
    ids = {file.module.id for file in new} | known.keys()
    for file in new:
        for dependency in file.module.dependencies:
            if dependency not in ids:
                yield file.problem(f"it depends on {dependency!r}, which is not registered", "dependencies")


def _circle(new: Sequence[ModuleFile], known: Mapping[str, Module]) -> list[ModuleProblem]:
    graph = {id: module.dependencies for id, module in known.items()}
    graph |= {file.module.id: file.module.dependencies for file in new}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = list(reversed(error.args[1]))
        blamed = next(file for file in new if file.module.id in circle)
        return [blamed.problem(f"modules depend on each other in a circle: {' → '.join(circle)}", "dependencies")]
    return []


def with_dependencies(ids: Iterable[str], modules: Mapping[str, Module]) -> list[str]:
    """Returns the ids with everything they build on, each once, and after what it builds on."""
    done: dict[str, None] = {}
    waiting = list(reversed(list(ids)))
    while waiting:
        id = waiting[-1]
        inner = (
            [dependency for dependency in modules[id].dependencies if dependency in modules and dependency not in done]
            if id in modules
            else []
        )
        if id in done or id not in modules or not inner:
            waiting.pop()
            if id in modules:
                done[id] = None
        else:
            waiting += reversed(inner)
    return list(done)


def dependents(id: str, modules: Mapping[str, Module]) -> list[str]:
    """Returns the modules that build on this one directly, in order of id."""
    return sorted(other.id for other in modules.values() if id in other.dependencies)


def related_modules(id: str, modules: Mapping[str, Module]) -> list[str]:
    """Returns modules that have to do with this one: what it builds on, what builds on it, and what shares a tag."""
    module = modules[id]
    sharing = [other.id for other in modules.values() if other.id != id and set(other.tags) & set(module.tags)]
    linked = [dependency for dependency in module.dependencies if dependency in modules]
    return list(dict.fromkeys([*linked, *dependents(id, modules), *sorted(sharing)]))
