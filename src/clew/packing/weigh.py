"""Material as pieces with features: what the fit chooses from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from clew.packing.cover import Piece
from clew.packing.gather import Line, Material

#: What a needed name, a name bound to its file, and a file are worth, in characters of words.
_NAME, _BOUND, _FILE = 30.0, 2.0, 120.0
#: Worth grows slower than the number of times a thing was named.
_POWER = 0.7
#: Tokens that showing a piece takes beside its own: the line's end, a blank, a file's heading, a message's id.
_LINE_EXTRA, _NAME_EXTRA, _FILE_EXTRA, _MESSAGE_EXTRA = 1.5, 0.5, 2.0, 2.0
#: A line that a tool printed and that belongs to no file says little out of its place: it has to say more.
_GIVEN_EXTRA = 8.0
#: What naming a file costs when its heading is paid for.
_MENTION = 0.3


@dataclass(frozen=True, slots=True)
class Choice:
    """What a piece shows: a line, a name of a file or of a message (``home``), or the file itself."""

    path: str = ""
    name: str = ""
    line: Line | None = None
    home: tuple[int, str] | None = None


@dataclass(slots=True)
class Weighed:
    """Pieces, and what each of them shows."""

    pieces: list[Piece] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    group_costs: list[float] = field(default_factory=list)


def weighed(material: Material) -> Weighed:
    """Every line, every name and every file as a piece."""
    weigher = _Weigher(material)
    for piece, choice in weigher.all():
        weigher.out.pieces.append(piece)
        weigher.out.choices.append(choice)
    weigher.out.weights = material.terms.weights()
    return weigher.out


class _Weigher:
    def __init__(self, material: Material) -> None:
        self.out = Weighed()
        self._material, self._terms = material, material.terms
        self._groups: dict[object, int] = {}

    def all(self) -> Iterator[tuple[Piece, Choice]]:
        yield from self._files()
        yield from self._bound_names()
        yield from self._loose_names()
        yield from self._lines()

    def _files(self) -> Iterator[tuple[Piece, Choice]]:
        for path in self._material.files:
            features = (self._file(path), self._name(_base(path)), *self._terms.of(path).grams)
            yield Piece(_MENTION, features, self._opened(path)), Choice(path=path)

    def _bound_names(self) -> Iterator[tuple[Piece, Choice]]:
        for path, name in self._material.bound:
            if name != _base(path):
                term = self._terms.of(name)
                features = (self._bound(path, name), self._name(name), self._file(path), *term.grams)
                yield Piece(term.tokens + _NAME_EXTRA, features, self._opened(path)), Choice(path=path, name=name)

    def _loose_names(self) -> Iterator[tuple[Piece, Choice]]:
        """Names that no file can be told of stand beside the message that has them."""
        elsewhere = {name for _, name in self._material.bound} | {_base(path) for path in self._material.files}
        for name, home in self._material.homes.items():
            if name not in elsewhere:
                term = self._terms.of(name)
                features = (self._name(name), *term.grams)
                yield Piece(term.tokens + 2 * _NAME_EXTRA, features, self._said(home[1])), Choice(name=name, home=home)

    def _lines(self) -> Iterator[tuple[Piece, Choice]]:
        bound = self._material.bound
        for line in self._material.lines.values():
            grams, names, tokens = self._terms.of(line.text)
            features = [*grams, *(self._name(name) for name in names)]
            if line.path:
                features.append(self._file(line.path))
                features += [self._bound(line.path, name) for name in names if (line.path, name) in bound]
            extra = _LINE_EXTRA + (_GIVEN_EXTRA if line.given and not line.path else 0.0)
            group = self._opened(line.path) if line.path else self._said(line.id)
            yield Piece(tokens + extra, tuple(features), group), Choice(path=line.path, line=line)

    # ── features and groups ──────────────────────────────────────────────────────────────────────────

    def _name(self, name: str) -> int:
        return self._terms.number(("name", name), _NAME * self._material.names.get(name, 0.0) ** _POWER)

    def _bound(self, path: str, name: str) -> int:
        return self._terms.number((path, name), _BOUND * self._material.bound[path, name] ** _POWER)

    def _file(self, path: str) -> int:
        return self._terms.number(("file", path), _FILE * self._material.files.get(path, 0.0) ** _POWER)

    def _opened(self, path: str) -> int:
        """A file's heading: folder and name, for files of one place share the rest of their path."""
        if path not in self._groups:
            return self._group(path, self._terms.tokens("/".join(path.split("/")[-2:])) + _FILE_EXTRA)
        return self._groups[path]

    def _said(self, id: str) -> int:
        key = ("message", id)
        return self._groups[key] if key in self._groups else self._group(key, _MESSAGE_EXTRA)

    def _group(self, key: object, cost: float) -> int:
        number = self._groups[key] = len(self.out.group_costs)
        self.out.group_costs.append(cost)
        return number


def _base(path: str) -> str:
    return path.rsplit("/", 1)[-1]
