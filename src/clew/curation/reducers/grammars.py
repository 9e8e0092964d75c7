"""Definitions as a grammar finds them, for the languages whose grammar is installed (extra ``code``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from clew.text.vocabulary import words

#: Module and function that give the grammar, by ending of the file.
_GRAMMARS = {
    "py": ("tree_sitter_python", "language"),
    "pyi": ("tree_sitter_python", "language"),
    "js": ("tree_sitter_javascript", "language"),
    "jsx": ("tree_sitter_javascript", "language"),
    "mjs": ("tree_sitter_javascript", "language"),
    "cjs": ("tree_sitter_javascript", "language"),
    "ts": ("tree_sitter_typescript", "language_typescript"),
    "mts": ("tree_sitter_typescript", "language_typescript"),
    "cts": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "rs": ("tree_sitter_rust", "language"),
}
EXTENSIONS = frozenset(_GRAMMARS)
_DEFINITIONS = words(
    "function_definition class_definition function_declaration generator_function_declaration class_declaration"
    " abstract_class_declaration method_definition interface_declaration type_alias_declaration enum_declaration"
    " method_declaration type_declaration function_item struct_item enum_item impl_item trait_item mod_item"
    " macro_definition type_item const_item static_item function_signature_item internal_module const_declaration"
    " var_declaration lexical_declaration"
)
#: What may hold definitions that are worth a line of their own.
_HOLDERS = words(
    "module program source_file export_statement decorated_definition class_body block declaration_list"
    " interface_body statement_block ambient_declaration expression_statement if_statement ERROR"
)
_FUNCTIONS = words(
    "function_definition function_declaration generator_function_declaration method_definition method_declaration"
    " function_item lexical_declaration const_declaration var_declaration"
)
#: Parsers may take time with the square of what they do not understand: they get pieces of this size, cut before a
#: line at the margin, and none further once half of a piece made no sense.
_PIECE_CHARS, _MAX_PIECE_CHARS = 32_000, 64_000
_MAX_LINE_CHARS = 4_000
_MAX_DEPTH = 4


class Definition(NamedTuple):
    """Something defined: its first and last line (counted from 0), how deep it stands, what it looks like."""

    first: int
    last: int
    depth: int
    text: str


def definitions(lines: Sequence[str], language: str) -> list[Definition]:
    """Definitions in order, or nothing where there is no grammar or the text is no code of that language."""
    parser = _parser(language)
    found: list[Definition] = []
    for first, piece in _pieces(lines) if parser is not None else ():
        code = "\n".join(piece).encode("utf-8", "replace")
        if len(code) > _MAX_PIECE_CHARS or any(len(line) > _MAX_LINE_CHARS for line in piece):
            return []
        root = parser.parse(code).root_node
        if _is_mostly_errors(root, len(code)):
            return []
        found += _definitions_below(root, code, first)
    return found


def _pieces(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """The lines in pieces, each with the number of its first line."""
    piece, first, size = list[str](), 0, 0
    for at, line in enumerate(lines):
        if size > _PIECE_CHARS and line[:1].isalpha():
            yield first, piece
            piece, first, size = [], at, 0
        piece.append(line)
        size += len(line) + 1
    yield first, piece


def _is_mostly_errors(root: Any, size: int) -> bool:
    """More than half of it is in no statement that the grammar knows."""
    broken = sum(child.end_byte - child.start_byte for child in root.children if child.type == "ERROR")
    return bool(root.type == "ERROR" or broken * 2 > size)


def _definitions_below(root: Any, code: bytes, first: int) -> list[Definition]:
    found: list[Definition] = []
    waiting = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        if node.type in _DEFINITIONS:
            if (one := _definition(node, depth, code)) is not None:
                found.append(one._replace(first=one.first + first, last=one.last + first))
            if node.type in _FUNCTIONS or depth + 1 >= _MAX_DEPTH:
                continue
            depth += 1
        elif node.type not in _HOLDERS:
            continue
        waiting += [(child, depth) for child in reversed(node.named_children)]
    return found


@cache
def _parser(language: str) -> Any:
    where = _GRAMMARS.get(language)
    if where is None:
        return None
    try:
        from tree_sitter import Language, Parser

        return Parser(Language(getattr(import_module(where[0]), where[1])()))
    except (ImportError, AttributeError, ValueError, TypeError):
        return None


def _definition(node: Any, depth: int, code: bytes) -> Definition | None:
    """The definition up to where its body begins; with an export or decorator the span begins there."""
    outer = (
        node.parent
        if node.parent is not None and node.parent.type in {"export_statement", "decorated_definition"}
        else node
    )
    body = node.child_by_field_name("body")
    end = body.start_byte if body is not None else min(node.end_byte, node.start_byte + 400)
    start = outer.start_byte if outer.type == "export_statement" else node.start_byte
    text = code[start:end].decode("utf-8", "replace")
    text = " ".join(text.split()) if body is not None else text.split("\n", 1)[0]
    return Definition(outer.start_point[0], outer.end_point[0], depth, text.rstrip(" {=:")) if text.strip() else None
