"""One name for each file, however it is mentioned: absolute, relative to somewhere, or by its tail."""

from __future__ import annotations

import re
from collections.abc import Iterable
from os.path import commonpath

_UPWARDS = re.compile(r"^(?:\.\./)+")
#: More files of the same folder and name than this are not told apart.
_MAX_ALIKE = 50


class Places:
    """``root`` is the folder the work is in; files below it are named from there."""

    def __init__(self, root: str, known: Iterable[str] = ()) -> None:
        self.root = root.rstrip("/")
        self._by_tail: dict[str, list[str]] = {}
        self._named: dict[str, str] = {}
        for path in known:
            self._learn(self._relative(path))

    def of(self, path: str) -> str:
        """The file's one name; a tail that fits just one known file means that file."""
        if path not in self._named:
            short = self._relative(path)
            self._named[path] = self._known(short) or short
            self._learn(self._named[path])
        return self._named[path]

    def mentioned(self, path: str) -> str:
        """The same for a path in a text; one that starts from a folder nobody knows (``../a/b.c``) is only a tail."""
        below = _UPWARDS.sub("", path)
        return self.of(path) if below == path else self._known(below)

    def _known(self, short: str) -> str:
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
    """The deepest folder that all absolute paths share; empty where that says nothing."""
    absolute = sorted({path for path in paths if path.startswith("/")})
    if not absolute:
        return ""
    shared = commonpath([path.rsplit("/", 1)[0] or "/" for path in absolute])
    return "" if shared == "/" else shared
