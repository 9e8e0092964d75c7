"""Front matter: the YAML at the head of a module's file, checked line by line.

Values are taken as they are written (a version of 1.10 stays 1.10). Tags, aliases and keys that are given twice are
refused, so that nothing in a file can grow or run when it is read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from clew.domain.modules import ModuleKind, Priority
from clew.knowledge.problems import ModuleProblem

FENCE = "---"
#: A longer head is no description of a module.
MAX_CHARS = 64_000
#: Lists of lists are none of a module's values.
_MAX_DEPTH = 8
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,119}")
_TEXTS = ("id", "name", "description", "category", "priority", "version", "last_updated", "usage_scope", "kind")
_LISTS = ("tags", "dependencies")
_NUMBERS = ("token_count",)
NAMES = (*_TEXTS, *_LISTS, *_NUMBERS)
_TRUE_TEXT = "tag:yaml.org,2002:"


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a file says of itself. ``lines`` has the line of each name; ``body_line`` is where the text begins."""

    values: Mapping[str, Any] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    body: str = ""
    body_line: int = 1


def split_front_matter(text: str, path: str) -> FrontMatter:
    """Returns what the head of a text says, and the text below it; a text without a head is all body.

    Raises ModuleProblem, with the line, for a head that is broken or says what no module has.
    """
    lines = text.splitlines(keepends=True)
    if not lines or lines[0].rstrip() != FENCE:
        return FrontMatter(body=text)
    end = next((index for index, line in enumerate(lines[1:], 1) if line.rstrip() in {FENCE, "..."}), None)
    if end is None:
        raise ModuleProblem(path, 1, f"the front matter has no end; close it with a line of {FENCE}")
    head = "".join(lines[1:end])
    if len(head) > MAX_CHARS:
        raise ModuleProblem(path, 1, f"the front matter is longer than {MAX_CHARS:,} characters")
    values, places = _values(head, path)
    return FrontMatter(values, places, "".join(lines[end + 1 :]), end + 2)


def _values(head: str, path: str) -> tuple[dict[str, Any], dict[str, int]]:
    root = _compose_nodes(head, path)
    if root is None:
        return {}, {}
    if root.id != "mapping":
        raise ModuleProblem(path, _line(root), "front matter is a list of `name: value` lines")
    values: dict[str, Any] = {}
    places: dict[str, int] = {}
    for key, node in root.value:
        name, line = str(key.value), _line(key)
        if name in values:
            raise ModuleProblem(path, line, f"{name} is given twice")
        if name not in NAMES:
            raise ModuleProblem(path, line, f"no module has {name!r}; there are {', '.join(NAMES)}")
        values[name], places[name] = _value(name, node, path), line
    return values, places


def _compose_nodes(head: str, path: str) -> Any:
    """The head as nodes, which know their lines and make nothing of what they hold."""
    import yaml

    try:
        depth = 0
        for token in yaml.scan(head, Loader=yaml.SafeLoader):
            depth += isinstance(token, yaml.FlowSequenceStartToken | yaml.FlowMappingStartToken)
            depth -= isinstance(token, yaml.FlowSequenceEndToken | yaml.FlowMappingEndToken)
            if depth > _MAX_DEPTH:  # each level costs the scanner all those above it
                raise ModuleProblem(path, token.start_mark.line + 2, "broken front matter: nested too deeply")
            if isinstance(token, yaml.AliasToken | yaml.AnchorToken | yaml.TagToken):
                line = token.start_mark.line + 2
                raise ModuleProblem(path, line, "front matter has no anchors, aliases or tags; write the value itself")
        return yaml.compose(head, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        what = getattr(error, "problem", None) or "it is no YAML"
        line = min(mark.line, head.count("\n")) + 2 if mark else 2
        raise ModuleProblem(path, line, f"broken front matter: {what}") from None
    except RecursionError:
        raise ModuleProblem(path, 2, "broken front matter: nested too deeply") from None


def _line(node: Any) -> int:
    """The line in the file: below the fence, counted from 1."""
    return int(node.start_mark.line) + 2


def _value(name: str, node: Any, path: str) -> Any:
    line = _line(node)
    if name in _LISTS:
        return _list(name, node, path)
    if node.id != "scalar":
        raise ModuleProblem(path, line, f"{name} is one value, not a {node.id}")
    text = "" if node.tag == f"{_TRUE_TEXT}null" else str(node.value).strip()
    if name in _NUMBERS:
        if text and not text.isdecimal():
            raise ModuleProblem(path, line, f"{name} is a number of tokens, not {text!r}")
        return int(text[:9] or 0)
    if problem := check_text(name, text):
        raise ModuleProblem(path, line, problem)
    return text


def check_text(name: str, text: str) -> str:
    """Returns what is wrong with a value; empty where nothing is."""
    if name == "id" and not _ID.fullmatch(text):
        return f"an id has letters, digits and . _ / -, at most 120, not {text[:40]!r}"
    if name == "priority" and text not in set(Priority):
        return f"priority is one of {', '.join(Priority)}, not {text[:40]!r}"
    if name == "kind" and text not in set(ModuleKind):
        return f"kind is one of {', '.join(ModuleKind)}, not {text[:40]!r}"
    if name == "last_updated" and text and not _is_date(text):
        return f"last_updated is a date such as 2026-01-31, not {text[:40]!r}"
    return ""


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text[:10])
    except ValueError:
        return False
    return True


def _list(name: str, node: Any, path: str) -> tuple[str, ...]:
    """A list, or a single word for a list of one."""
    if node.id == "scalar":
        return () if node.tag == f"{_TRUE_TEXT}null" or not node.value.strip() else (str(node.value).strip(),)
    if node.id != "sequence":
        raise ModuleProblem(path, _line(node), f"{name} is a list, such as [one, two]")
    values: list[str] = []
    for item in node.value:
        if item.id != "scalar" or not str(item.value).strip():
            raise ModuleProblem(path, _line(item), f"{name} is a list of words, and this is none")
        values.append(str(item.value).strip())
    return tuple(dict.fromkeys(values))
