"""Material as pieces with features: what the fit chooses from."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from clew.packing.cover import Piece
from clew.packing.gather import Line, Material
from clew.text.names import names_in

_WORD = re.compile(r"\w+|[^\w\s]+")
#: Weight grows slower than the number of times a thing was said.
_POWER = 0.7
#: What a new word or run of words is worth, against a name, a name bound to its file, and a file.
_WORDS, _NAME, _BOUND, _FILE = 0.5, 5.5, 2.0, 28.0
#: Characters that showing a piece takes beside its own.
_LINE_EXTRA, _NAME_EXTRA, _FILE_EXTRA = 3, 2, 4
#: A line that a tool printed and that belongs to no file says little out of its place: it has to say more.
_GIVEN_EXTRA = 40


@dataclass(frozen=True, slots=True)
class Choice:
    """What a piece shows: a line, a name of a file, or (both empty) the file itself."""

    path: str = ""
    name: str = ""
    line: Line | None = None


@dataclass(slots=True)
class Weighed:
    pieces: list[Piece] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    groups: dict[str, int] = field(default_factory=dict)
    group_costs: list[float] = field(default_factory=list)


class _Features:
    """Features by number; weights add up until they are asked for."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._sums: list[float] = []
        self._scales: list[float] = []

    def number(self, feature: object, scale: float) -> int:
        known = self._numbers.setdefault(feature, len(self._sums))
        if known == len(self._sums):
            self._sums.append(0.0)
            self._scales.append(scale)
        return known

    def add(self, number: int, weight: float) -> None:
        self._sums[number] += weight

    def weights(self) -> list[float]:
        return [scale * total**_POWER for scale, total in zip(self._scales, self._sums, strict=True)]


def weighed(material: Material) -> Weighed:
    """Every line, every name bound to a file and every file as a piece."""
    features, out = _Features(), Weighed()
    of_line = _of_lines(material, features)
    for path, weight in material.files.items():
        features.add(features.number(("file", path), _FILE), weight)
    for (path, name), weight in material.bound.items():
        features.add(features.number(("bound", path, name), _BOUND), weight)
    _add_files(material, features, out)
    _add_names(material, features, out)
    _add_lines(material, features, of_line, out)
    out.weights = features.weights()
    return out


def _of_lines(material: Material, features: _Features) -> dict[str, tuple[tuple[int, ...], tuple[str, ...]]]:
    """Features and names of each text, worked out once; weights of all tellings are added up."""
    totals: dict[str, float] = defaultdict(float)
    for text, weight in material.said:
        totals[text] += weight
    found = {}
    for text, weight in totals.items():
        names = tuple(names_in(text))
        numbers = {features.number(gram, _WORDS) for gram in grams(text)}
        numbers.update(features.number(("name", name), _NAME) for name in names)
        for number in numbers:
            features.add(number, weight)
        found[text] = (tuple(sorted(numbers)), names)
    return found


def grams(text: str) -> set[tuple[str, ...]]:
    """Words, pairs and triples of a line."""
    words = _WORD.findall(text)
    return {(a,) for a in words} | set(pairwise(words)) | set(zip(words, words[1:], words[2:], strict=False))


def _group(out: Weighed, path: str) -> int:
    if path not in out.groups:
        out.groups[path] = len(out.group_costs)
        # Folder and name: files of one place share the rest of their path, or would if more of them were shown.
        out.group_costs.append(len("/".join(path.split("/")[-2:])) + _FILE_EXTRA)
    return out.groups[path]


def _add_files(material: Material, features: _Features, out: Weighed) -> None:
    for path in material.files:
        numbers = [features.number(("file", path), _FILE)]
        numbers += [features.number(gram, _WORDS) for gram in sorted(grams(path))]
        out.pieces.append(Piece(1.0, tuple(numbers), _group(out, path)))
        out.choices.append(Choice(path=path))


def _add_names(material: Material, features: _Features, out: Weighed) -> None:
    for path, name in material.bound:
        if name == path.rsplit("/", 1)[-1]:
            continue
        numbers = [features.number(("bound", path, name), _BOUND), features.number(("name", name), _NAME)]
        numbers += [features.number(("file", path), _FILE)]
        out.pieces.append(Piece(len(name) + _NAME_EXTRA, tuple(numbers), _group(out, path)))
        out.choices.append(Choice(path=path, name=name))


def _add_lines(
    material: Material,
    features: _Features,
    of_line: dict[str, tuple[tuple[int, ...], tuple[str, ...]]],
    out: Weighed,
) -> None:
    for line in material.lines.values():
        numbers, names = of_line[line.text]
        bound = tuple(_bound_numbers(line, names, material, features))
        group = _group(out, line.path) if line.path else -1
        extra = _LINE_EXTRA + (_GIVEN_EXTRA if line.given and not line.path else 0)
        out.pieces.append(Piece(len(line.text) + extra, numbers + bound, group))
        out.choices.append(Choice(path=line.path, line=line))


def _bound_numbers(line: Line, names: tuple[str, ...], material: Material, features: _Features) -> Iterator[int]:
    if line.path:
        yield features.number(("file", line.path), _FILE)
        for name in names:
            if (line.path, name) in material.bound:
                yield features.number(("bound", line.path, name), _BOUND)
