"""Resolves every mention of a file to one name: absolute paths, relative ones, and tails of paths."""

from __future__ import annotations

import re
from collections.abc import Iterable
from os.path import commonpath

_UPWARDS = re.compile(r"^(?:\.\./)+")
#: More files of the same folder and name than this are not told apart.
_MAX_ALIKE = 50


class PathResolver:
    """Gives each file one name. ``root`` is the folder the work is in; files below it are named from there."""

    def __init__(self, root: str, known: Iterable[str] = ()) -> None:
        self.root = root.rstrip("/")
        self._by_tail: dict[str, list[str]] = {}
        self._resolved: dict[str, str] = {}
        for path in known:
            self._learn(self._relative(path))

    def resolve(self, path: str) -> str:
        """Returns the name of a file. A tail of a path that fits just one known file means that file."""
        if path not in self._resolved:
            short = self._relative(path)
            self._resolved[path] = self._match_tail(short) or short
            self._learn(self._resolved[path])
        return self._resolved[path]

    def resolve_mention(self, path: str) -> str:
        """Like ``resolve``, for a path in a text.
        One from an unknown folder (``../a/b.c``) names a known file or nothing.
        """
        below = _UPWARDS.sub("", path)
        return self.resolve(path) if below == path else self._match_tail(below)

    def _match_tail(self, short: str) -> str:
        known = self._by_tail.get(_tail(short), [])
        if short in known:
            return short
        whole = [one for one in known if one.endswith("/" + short)]
        return whole[0] if len(whole) == 1 else ""

    def _relative(self, path: str) -> str:
        clean = path.removeprefix("./")
        return clean[len(self.root) + 1 :] if self.root and clean.startswith(self.root + "/") else clean

    def _learn(self, path: str) -> None:
        known = self._by_tail.setdefault(_tail(path), [])
        if path not in known and len(known) < _MAX_ALIKE:
            known.append(path)


def _tail(path: str) -> str:
    return "/".join(path.split("/")[-2:])


def common_root(paths: Iterable[str]) -> str:
    """Returns the deepest folder that all absolute paths share; empty where that says nothing."""
    absolute = sorted({path for path in paths if path.startswith("/")})
    if not absolute:
        return ""
    shared = commonpath([path.rsplit("/", 1)[0] or "/" for path in absolute])
    return "" if shared == "/" else shared
