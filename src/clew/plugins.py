"""Registries of parts by name: those that are built in, and those that installed packages bring in by entry points.

Both come in the same form, ``module:name``, and are imported when they are first asked for. Entry points are looked for
only when a name is asked for that is not built in, since looking through all installed packages takes time.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from typing import Any, Generic, TypeVar

from clew.errors import UsageError

P = TypeVar("P")


class Registry(Generic[P]):
    """The parts of one kind. ``group`` is the group of entry points; ``kind`` is what users call such a part.

    A built-in part keeps its name: no package can take its place. A package whose part cannot be loaded is named in one
    warning, and the others work on.
    """

    def __init__(self, group: str, *, kind: str, built_in: Mapping[str, str]) -> None:
        self.group, self.kind, self._built_in = group, kind, dict(built_in)
        self._loaded: dict[str, P] = {}
        self._failures: dict[str, str] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._built_in or name in self._installed_targets

    @property
    def built_in(self) -> tuple[str, ...]:
        """Names of built-in parts."""
        return tuple(self._built_in)

    @property
    def installed_names(self) -> tuple[str, ...]:
        """Names of parts that packages bring in, in order, whether or not they can be loaded."""
        return tuple(sorted(self._installed_targets))

    def package(self, name: str) -> str:
        """Returns the name and version of the package that brings in a part."""
        return self._installed_targets[name][0]

    def get(self, name: str) -> P:
        """Returns a part. Raises KeyError if there is none, and UsageError, naming the package, if it does not load."""
        if name in self._loaded:
            return self._loaded[name]
        if name in self._built_in:
            self._loaded[name] = _load(self._built_in[name])
        elif (problem := self._load_installed(name)) is not None:
            raise UsageError(problem)
        return self._loaded[name]

    def find_installed(self, name: str) -> P | None:
        """Returns a part that a package brings in; None if there is none, or it does not load, which is warned of."""
        if name not in self._installed_targets or (name not in self._loaded and self._load_installed(name) is not None):
            return None
        return self._loaded[name]

    def fail(self, name: str, error: BaseException) -> str:
        """Notes, with one warning, that a package's part does not work. Returns what is wrong, and what to do."""
        if name not in self._failures:
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            problem = f"the {self.kind} {name!r} of package {self.package(name)} does not work ({reason})"
            self._failures[name] = f"{problem}; update or uninstall the package"
            _warn(self._failures[name])
        self._loaded.pop(name, None)
        return self._failures[name]

    def _load_installed(self, name: str) -> str | None:
        """Loads a part; returns what is wrong with it, None if nothing is. Raises KeyError if there is none."""
        _, target = self._installed_targets[name]
        if name in self._failures:
            return self._failures[name]
        try:
            self._loaded[name] = _load(target)
        except Exception as error:  # whatever a foreign module raises when it is imported
            return self.fail(name, error)
        return None

    @cached_property
    def _installed_targets(self) -> dict[str, tuple[str, str]]:
        """Package and target by name. Of several packages with the same name the first in order of name counts."""
        from importlib.metadata import entry_points

        found: dict[str, tuple[str, str]] = {}
        pairs = [(_package(one), one) for one in entry_points(group=self.group)]
        for package, one in sorted(pairs, key=lambda pair: (pair[0], pair[1].name)):
            if one.name in self._built_in:
                self._warn_of_taken(one.name, package, "built in")
            elif one.name in found:
                self._warn_of_taken(one.name, package, f"of package {found[one.name][0]}")
            else:
                found[one.name] = (package, one.value)
        return found

    def _warn_of_taken(self, name: str, package: str, taken: str) -> None:
        _warn(f"the {self.kind} {name!r} of package {package} is not used: one of that name is {taken}")


def _package(entry_point: Any) -> str:
    dist = entry_point.dist
    return f"{dist.name} {dist.version}" if dist is not None else "(unknown)"


def _load(target: str) -> Any:
    module, _, path = target.partition(":")
    found: Any = import_module(module.strip())
    for name in filter(None, path.split("[")[0].strip().split(".")):
        found = getattr(found, name)
    return found


def _warn(line: str) -> None:
    import logging  # here, as most processes have nothing to warn of

    logging.getLogger("clew").warning("clew: %s", line)
