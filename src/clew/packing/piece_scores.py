"""Scores the material of a snapshot: pieces with features, costs and weights, from which the selection chooses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from clew.packing.material import CandidateLine, SnapshotMaterial
from clew.packing.selection import Piece

#: Value of a needed name, of a name bound to its file, and of a file, in characters of words.
_NAME_WORTH, _BOUND_WORTH, _FILE_WORTH = 30.0, 2.0, 120.0
#: Exponent: value grows more slowly than the number of times a thing was named.
_WORTH_POWER = 0.7
#: Tokens that showing a piece takes beside its own: the line's end, a blank, a file's heading, a message's id.
_LINE_EXTRA, _NAME_EXTRA, _FILE_EXTRA, _MESSAGE_EXTRA = 1.5, 0.5, 2.0, 2.0
#: Extra cost of a tool's line that belongs to no file: it says little out of context, so it has to be worth more.
_OUTPUT_EXTRA = 8.0
#: Cost of naming a file; its heading is paid for by the group.
_MENTION_COST = 0.3


@dataclass(frozen=True, slots=True)
class PieceContent:
    """What a piece shows: a line, a name of a file or of a ``message`` (index and id), or the file itself."""

    path: str = ""
    name: str = ""
    line: CandidateLine | None = None
    message: tuple[int, str] | None = None


@dataclass(slots=True)
class ScoredPieces:
    """Pieces and what each shows, the weight of every feature, and the cost of opening every group."""

    pieces: list[Piece] = field(default_factory=list)
    contents: list[PieceContent] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    group_costs: list[float] = field(default_factory=list)


def score_pieces(material: SnapshotMaterial) -> ScoredPieces:
    """Returns every line, name and file as a piece, with its cost and the weights of its features."""
    builder = _PieceBuilder(material)
    for piece, content in builder.pieces():
        builder.out.pieces.append(piece)
        builder.out.contents.append(content)
    builder.out.weights = material.features.weights()
    return builder.out


class _PieceBuilder:
    def __init__(self, material: SnapshotMaterial) -> None:
        self.out = ScoredPieces()
        self._material, self._features = material, material.features
        self._groups: dict[object, int] = {}

    def pieces(self) -> Iterator[tuple[Piece, PieceContent]]:
        yield from self._files()
        yield from self._bound_names()
        yield from self._loose_names()
        yield from self._lines()

    def _files(self) -> Iterator[tuple[Piece, PieceContent]]:
        for path in self._material.files:
            features = (
                self._file_feature(path),
                self._name_feature(_base_name(path)),
                *self._features.features_of(path).grams,
            )
            yield Piece(_MENTION_COST, features, self._file_group(path)), PieceContent(path=path)

    def _bound_names(self) -> Iterator[tuple[Piece, PieceContent]]:
        for path, name in self._material.bound_names:
            if name != _base_name(path):
                found = self._features.features_of(name)
                features = (
                    self._bound_feature(path, name),
                    self._name_feature(name),
                    self._file_feature(path),
                    *found.grams,
                )
                yield (
                    Piece(found.tokens + _NAME_EXTRA, features, self._file_group(path)),
                    PieceContent(path=path, name=name),
                )

    def _loose_names(self) -> Iterator[tuple[Piece, PieceContent]]:
        """Names that no file can be told of stand beside the message that has them."""
        elsewhere = {name for _, name in self._material.bound_names} | {
            _base_name(path) for path in self._material.files
        }
        for name, message in self._material.name_messages.items():
            if name not in elsewhere:
                found = self._features.features_of(name)
                features = (self._name_feature(name), *found.grams)
                yield (
                    Piece(found.tokens + 2 * _NAME_EXTRA, features, self._message_group(message[1])),
                    PieceContent(name=name, message=message),
                )

    def _lines(self) -> Iterator[tuple[Piece, PieceContent]]:
        bound = self._material.bound_names
        for line in self._material.lines.values():
            grams, names, tokens = self._features.features_of(line.text)
            features = [*grams, *(self._name_feature(name) for name in names)]
            if line.path:
                features.append(self._file_feature(line.path))
                features += [self._bound_feature(line.path, name) for name in names if (line.path, name) in bound]
            extra = _LINE_EXTRA + (_OUTPUT_EXTRA if line.from_tool and not line.path else 0.0)
            group = self._file_group(line.path) if line.path else self._message_group(line.message_id)
            yield Piece(tokens + extra, tuple(features), group), PieceContent(path=line.path, line=line)

    # ── features and groups ──────────────────────────────────────────────────────────────────────────

    def _name_feature(self, name: str) -> int:
        return self._features.number_of(
            ("name", name), _NAME_WORTH * self._material.names.get(name, 0.0) ** _WORTH_POWER
        )

    def _bound_feature(self, path: str, name: str) -> int:
        return self._features.number_of(
            (path, name), _BOUND_WORTH * self._material.bound_names[path, name] ** _WORTH_POWER
        )

    def _file_feature(self, path: str) -> int:
        return self._features.number_of(
            ("file", path), _FILE_WORTH * self._material.files.get(path, 0.0) ** _WORTH_POWER
        )

    def _file_group(self, path: str) -> int:
        """A file's heading: folder and name, for files of one place share the rest of their path."""
        if path not in self._groups:
            return self._new_group(path, self._features.estimate_tokens("/".join(path.split("/")[-2:])) + _FILE_EXTRA)
        return self._groups[path]

    def _message_group(self, id: str) -> int:
        key = ("message", id)
        return self._groups[key] if key in self._groups else self._new_group(key, _MESSAGE_EXTRA)

    def _new_group(self, key: object, cost: float) -> int:
        number = self._groups[key] = len(self.out.group_costs)
        self.out.group_costs.append(cost)
        return number


def _base_name(path: str) -> str:
    return path.rsplit("/", 1)[-1]
