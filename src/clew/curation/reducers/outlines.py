"""Source code as an outline: what is defined, with the lines it spans.

With a grammar (extra ``code``) the tree is asked; without, the way lines begin and are indented.

Definitions as a grammar finds them, for the languages whose grammar is installed (extra ``code``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from clew.curation.line_fit import fit_lines
from clew.curation.lines import PLAIN, SILENT, STRONG, USEFUL, VITAL, SourceFile, WeightedLine, clip
from clew.text.names import names_and_files_in
from clew.text.vocabulary import words

#: Endings of files by the module and the function that give their grammar.
_ENDINGS = {
    ("tree_sitter_python", "language"): "py pyi",
    ("tree_sitter_javascript", "language"): "js jsx mjs cjs",
    ("tree_sitter_typescript", "language_typescript"): "ts mts cts",
    ("tree_sitter_typescript", "language_tsx"): "tsx",
    ("tree_sitter_go", "language"): "go",
    ("tree_sitter_rust", "language"): "rs",
}
_GRAMMARS = {ending: grammar for grammar, endings in _ENDINGS.items() for ending in endings.split()}
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
_MAX_SIGNATURE = 180
#: Characters of the list of names that something uses: a share of its own, within bounds.
_MIN_USES, _MAX_USES, _USES_SHARE = 140, 800, 4
_MAX_NAMES = 140
_MODIFIERS = (
    r"(?:export |default |public |private |protected |internal |static |async |abstract |final |override |virtual |"
    r"inline |extern |unsafe |sealed |partial |open |data |pub(?:\([a-z]{1,10}\))? |const ){0,5}"
)
_DEFINES = re.compile(
    r"(\s{0,40})" + _MODIFIERS + r"(?:(?:def|class|func|fn|function\*?|interface|struct|enum|trait|impl|type|module|"
    r"namespace|object|protocol|extension|mod|macro_rules!|CREATE \w+|describe|it|test)\b(?!\s{0,4}[:=]).*|"
    r"(?:const|let|var|val) \w{1,80}(?:: [^=\n]{1,80})? = (?:async )?(?:\([^\n]{0,200}=>|function).*)"
)
#: What may be a function without a word that says so; asked only of lines that could be.
_FUNCTION = re.compile(
    r"(\s{0,40})" + _MODIFIERS + r"(?:(?:[\w<>,\[\]*&:]{0,60}[\w>\]*&] ){1,4}[*&]{0,2}[\w:~]{1,80}"
    r"\([^;\n]{0,300}\)[^;,=\n]{0,60}\{?$|(?:get |set |\*)?#?\w{1,80}\([^;\n]{0,300}\)(?:: [^;,\n]{1,80})? ?\{$)"
)
_STATEMENT = re.compile(
    r"\s{0,40}(?:if|for|while|switch|return|else|elif|case|catch|try|throw|await|new|assert|print)\b"
)
#: Sections and keys of settings, rules of style sheets, targets of makefiles.
_SECTION = re.compile(
    r"\[{1,2}[^\]\n]{1,100}\]{1,2}\s*$|[\w\"'./@-]{1,80}:(?:\s|$)|#{1,6} \S|[.#@:\w][^{}\n]{0,100}\{\s*$"
)
#: Keys where the indent tells how they nest.
_KEY = re.compile(r"\s{0,6}(?:- )?[\w\"'./@-]{1,80}:(?:\s|$)")
_NESTED = frozenset({"yaml", "yml"})
_IMPORT = re.compile(
    r"(?:import\b|from \S{1,200} import|use \S|#include|require\b|package \w|using \w|const \w.{0,80}require\()"
)
#: Modules in the first lines of a file: quoted, or by their dotted name.
_MODULE = re.compile(
    r"(?:import|from|require\(|\} from|use|using|#include)\s{0,4}(?:type )?[\"'<(]{0,2}([@\w./:-]{1,120})|"
    r"^\s{0,8}(?:\w{1,30} )?\"([\w./-]{1,120})\"$"
)
_FROM = re.compile(r"(\bfrom) [\"']([@\w./:-]{1,120})")
_MAX_IMPORTS = 300


def reduce(source: SourceFile, limit: int, *, language: str = "") -> str | None:
    """The outline of a file, or None when it defines nothing that could be listed."""
    entries = definitions(source.lines, language) or _by_lines(source.lines, language)
    if not entries:
        return None
    lines = [WeightedLine(line, STRONG) for line in source.above if line.strip()]
    lines += _imports(source)
    lines += _entry_lines(entries, source)
    lines += [WeightedLine(line, STRONG) for line in source.below if line.strip()]
    return fit_lines(lines, limit)


def looks_like_code(lines: Sequence[str]) -> bool:
    """Half of the lines end or begin the way code does."""
    filled = [line.strip() for line in lines if line.strip()]
    coded = sum(
        1 for line in filled if line[-1] in "{};,()[]:>" or _DEFINES.match(line[:300]) or _IMPORT.match(line[:200])
    )
    indented = sum(1 for line in lines if line.startswith(("  ", "\t")))
    return len(filled) > 5 and coded * 2 > len(filled) and indented * 4 > len(filled)


def _entry_lines(definitions: Sequence[Definition], source: SourceFile) -> list[WeightedLine]:
    """Each with its span, and below it the names that it is the first to use."""
    out, known = list[WeightedLine](), _ListedNames()
    starts = [definition.first for definition in definitions]
    for definition, after in zip(definitions, [*starts[1:], len(source.lines)], strict=True):
        out.append(WeightedLine(_entry(definition, source.numbers), _weight(definition)))
        inside = "\n".join(line[:300] for line in source.lines[definition.first + 1 : min(after, definition.last + 1)])
        if used := known.new_in(inside, definition.text):
            out.append(WeightedLine(f"{'  ' * (definition.depth + 2)}uses {used}", PLAIN, label=SILENT))
    return out


class _ListedNames:
    """Names that were listed, so that each is said once."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def new_in(self, text: str, heading: str) -> str:
        """Names and files in a piece of code that no list before had: more of them from a longer piece."""
        room, listed = max(_MIN_USES, min(_MAX_USES, len(text) // _USES_SHARE)), list[str]()
        for name in names_and_files_in(text, limit=_MAX_NAMES):
            if name not in self._said and name not in heading:
                room -= len(name) + 2
                if room < 0:
                    break
                listed.append(name)
        self._said.update(listed)
        return ", ".join(listed)


def _entry(definition: Definition, numbers: Sequence[int]) -> str:
    span = f"{numbers[definition.first]}-{numbers[min(definition.last, len(numbers) - 1)]} " if numbers else ""
    return f"{span}{'  ' * definition.depth}{clip(definition.text, _MAX_SIGNATURE)}"


def _weight(definition: Definition) -> int:
    return (VITAL - 1, STRONG - 1, USEFUL, PLAIN)[min(definition.depth, 3)]


def _imports(source: SourceFile) -> list[WeightedLine]:
    """The modules that a file brings in, on one line."""
    head = [line[:300] for line in source.lines[:120]]
    if not any(_IMPORT.match(line) for line in head):
        return []
    modules = dict.fromkeys(
        match[2] or match[1] for line in head if (match := _MODULE.match(line.strip()) or _FROM.search(line))
    )
    return [WeightedLine(clip(f"imports {', '.join(modules)}", _MAX_IMPORTS), USEFUL)] if modules else []


def _by_lines(lines: Sequence[str], language: str) -> list[Definition]:
    """Definitions by how lines begin; each spans until the next at its depth or above."""
    rows = [(index, _indent(line), line.strip()) for index, line in enumerate(lines) if is_definition(line[:400])]
    if len(rows) < 2:
        heading = _KEY if language in _NESTED else _SECTION
        rows += [(index, _indent(line), line.strip()) for index, line in enumerate(lines) if heading.match(line[:200])]
        rows = sorted(set(rows))
    indents = sorted({indent for _, indent, _ in rows})
    depths = [(first, min(indents.index(indent), 3), text) for first, indent, text in rows]
    return [
        Definition(first, last, depth, text)
        for (first, depth, text), last in zip(depths, _last_lines(depths, len(lines)), strict=True)
    ]


def is_definition(line: str) -> bool:
    if not _DEFINES.match(line) and ("(" not in line or line.endswith((";", ",", "(")) or not _FUNCTION.match(line)):
        return False
    return _STATEMENT.match(line) is None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _last_lines(rows: Sequence[tuple[int, int, str]], count: int) -> list[int]:
    """Where each ends: right before the next that is not deeper. Looked up from behind, a depth at a time."""
    nexts, out = [count] * 4, [0] * len(rows)
    for index in range(len(rows) - 1, -1, -1):
        line, depth, _ = rows[index]
        out[index] = min(nexts[: depth + 1]) - 1
        nexts[depth] = line
    return out


class Definition(NamedTuple):
    """Something defined: its first and last line (counted from 0), how deep it stands, what it looks like."""

    first: int
    last: int
    depth: int
    text: str


def definitions(lines: Sequence[str], language: str) -> list[Definition]:
    """Definitions in order, or nothing where there is no grammar or the text is no code of that language."""
    parser = _parser(language)
    definitions: list[Definition] = []
    for first, piece in _pieces(lines) if parser is not None else ():
        code = "\n".join(piece).encode("utf-8", "replace")
        if len(code) > _MAX_PIECE_CHARS or any(len(line) > _MAX_LINE_CHARS for line in piece):
            return []
        root = parser.parse(code).root_node
        if _is_mostly_errors(root, len(code)):
            return []
        definitions += _definitions_below(root, code, first)
    return definitions


def _pieces(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """The lines in pieces, each with the number of its first line."""
    piece, first, size = list[str](), 0, 0
    for index, line in enumerate(lines):
        if size > _PIECE_CHARS and line[:1].isalpha():
            yield first, piece
            piece, first, size = [], index, 0
        piece.append(line)
        size += len(line) + 1
    yield first, piece


def _is_mostly_errors(root: Any, size: int) -> bool:
    """More than half of it is in no statement that the grammar knows."""
    broken = sum(child.end_byte - child.start_byte for child in root.children if child.type == "ERROR")
    return bool(root.type == "ERROR" or broken * 2 > size)


def _definitions_below(root: Any, code: bytes, first: int) -> list[Definition]:
    definitions: list[Definition] = []
    waiting = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        if node.type in _DEFINITIONS:
            if (inner := _definition(node, depth, code)) is not None:
                definitions.append(inner._replace(first=inner.first + first, last=inner.last + first))
            if node.type in _FUNCTIONS or depth + 1 >= _MAX_DEPTH:
                continue
            depth += 1
        elif node.type not in _HOLDERS:
            continue
        waiting += [(child, depth) for child in reversed(node.named_children)]
    return definitions


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
