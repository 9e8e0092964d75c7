"""Puts entries into a text of JSON and takes them out again, without touching a byte of what else stands there.

Entries are a tree of objects and lists: what is missing is added, and an element of a list stands beside those that
are there. A value that the user has set himself stays as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from clew.hooks.client_setup.jsonc import Item, Node, parse
from clew.hooks.client_setup.own_entries import hooks_in, is_ours

_LINE_END = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/[ \t]*)?(?=\r?\n)")
_INDENT = "  "


class SharedObject(dict[str, Any]):
    """An object that others add to as well, whatever it holds."""


def with_entries(text: str, entries: dict[str, Any]) -> tuple[str, list[str]]:
    """Returns the text with the entries in it, and the pieces of text that were put in, in the order of their places.

    A text of nothing but blanks becomes an object. Raises ValueError for what is no object of JSON.
    """
    if not text.strip("\ufeff \t\r\n"):
        made = json.dumps(entries, indent=2, ensure_ascii=False) + "\n"
        return text + made, [made]
    root = parse(text)
    if not root.is_object:
        raise ValueError("it is no JSON object")
    pieces = sorted(_pieces(text, root, entries, newline="\r\n" if "\r\n" in text else "\n"), reverse=True)
    for index, piece in pieces:
        text = text[:index] + piece + text[index:]
    return text, [piece for _, piece in reversed(pieces)]


def _pieces(text: str, node: Node, entries: dict[str, Any], *, newline: str) -> list[tuple[int, str]]:
    missing = {key: value for key, value in entries.items() if node.get(key) is None}
    pieces = [_piece(text, node, [_member(key, value) for key, value in missing.items()], newline)] if missing else []
    for key, value in entries.items():
        member = node.get(key)
        if member is None:
            continue
        there = member.node
        if _is_container(value) and there.is_object:
            pieces += _pieces(text, there, value, newline=newline)
        elif isinstance(value, list) and there.is_array:
            new = [_element(item) for item in value if not any(is_ours(other, item) for other in there.value)]
            pieces += [_piece(text, there, new, newline)] if new else []
    return pieces


def _is_container(value: Any) -> bool:
    """True for an object that others may add to as well, such as one that holds objects and lists alone."""
    is_nested = (
        isinstance(value, dict) and bool(value) and all(isinstance(item, dict | list) for item in value.values())
    )
    return is_nested or isinstance(value, SharedObject)


def _member(key: str, value: Any) -> str:
    return f"{json.dumps(key, ensure_ascii=False)}: {_element(value)}"


def _element(value: Any) -> str:
    return json.dumps(value, indent=len(_INDENT), ensure_ascii=False)


def _piece(text: str, node: Node, added: Sequence[str], newline: str) -> tuple[int, str]:
    """Where in a container the text of new items goes, and that text: before the first item, so that the comma is ours,
    and behind a comment on the line of the bracket.
    """
    start, inner_end = node.start + 1, node.items[0].start if node.items else node.end - 1
    own_lines = newline.strip("\r") in text[start:inner_end]
    if node.items and not own_lines:
        return inner_end, "".join(f"{_on_one_line(item)}, " for item in added)
    line_end = _LINE_END.match(text, start)
    start = line_end.end() if line_end and own_lines else start
    base = _indent_of_line(text, node.start)
    indent = _indent_of_line(text, inner_end) if node.items else base + _INDENT
    lines = [newline + indent + item.replace("\n", newline + indent) for item in added]
    piece = ",".join(lines) + ("," if node.items else "")
    return start, piece if own_lines else piece + newline + base


def _on_one_line(text: str) -> str:
    return re.sub(r"\n\s*", " ", text)


def _indent_of_line(text: str, index: int) -> str:
    start = text.rfind("\n", 0, index) + 1
    return text[start : start + len(text[start:index]) - len(text[start:index].lstrip(" \t"))]


def without_entries(text: str, entries: dict[str, Any], created: Sequence[Sequence[str]]) -> str:
    """Returns the text without the entries, wherever they stand now and however they are written.

    Containers that are listed in ``created`` by their path are taken out too, where nothing else is left in them.
    """
    for path, value in leaves(entries):
        while (cut := _find_item(parse(text), path, value)) is not None:
            text = _without_item(text, *cut)
    for names in sorted(created, key=len, reverse=True):
        cut = _find_item(parse(text), tuple(names), {}) or _find_item(parse(text), tuple(names), [])
        text = _without_item(text, *cut) if cut is not None else text
    return text


def leaves(entries: dict[str, Any], path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    """Returns elements of lists by the path of their list with "" behind it, and all else that is ours by its path."""
    pairs: list[tuple[tuple[str, ...], Any]] = []
    for key, value in entries.items():
        if isinstance(value, list):
            pairs += [((*path, key, ""), item) for item in value]
        elif _is_container(value):
            pairs += leaves(value, (*path, key))
        else:
            pairs.append(((*path, key), value))
    return pairs


def holds(present: Any, path: tuple[str, ...], entry: Any) -> bool:
    """Returns True where a value has that entry of ours at that path."""
    key, *rest = path
    if key and not isinstance(present, dict):
        return False
    if not rest:
        return is_ours(present.get(key), entry) if key else any(is_ours(item, entry) for item in present)
    return holds(present.get(key), tuple(rest), entry)


def _find_item(node: Node, path: tuple[str, ...], value: Any) -> tuple[Node, Item] | None:
    """The container and the item in it that is at that path with that value; of a group with hooks of others, too, the
    hook alone.
    """
    key, *rest = path
    if rest:
        member = node.get(key)
        return _find_item(member.node, tuple(rest), value) if member is not None else None
    items = node.items if (node.is_object if key else node.is_array) else []
    same = (item for item in items if item.key == key and is_ours(item.node.value, value))
    item = next(same, None)
    return _own_part(node, item, value) if item is not None else None


def _own_part(node: Node, item: Item, value: Any) -> tuple[Node, Item]:
    own, hooks = hooks_in(value), item.node.get("hooks")
    ours = [item for item in hooks.node.items if any(is_ours(item.node.value, hook) for hook in own)] if hooks else []
    return (hooks.node, ours[0]) if hooks and len(ours) < len(hooks.node.items) else (node, item)


def _without_item(text: str, node: Node, item: Item) -> str:
    """Cuts an item with its comma and the blanks before it."""
    index = node.items.index(item)
    before = node.items[index - 1].end if index else node.start + 1
    if index + 1 < len(node.items):  # what stands before it stays, comments too, and the next item takes its place
        return text[: item.start] + text[node.items[index + 1].start :]
    if index:
        return text[:before] + text[item.end :]
    tail = text[item.end : node.end - 1]
    comma = re.match(r"\s*,", tail)
    rest = tail[comma.end() :] if comma else tail
    kept = text[before : item.start].rstrip() + (rest if rest.strip() else "")
    return text[:before] + kept + text[node.end - 1 :]


def created_paths(text: str, entries: dict[str, Any]) -> list[list[str]]:
    """Returns the paths of objects and lists that ``with_entries`` would have to make."""
    root = parse(text) if text.strip("\ufeff \t\r\n") else Node(start=0, is_object=True)
    return [list(path) for path in _containers(entries) if _missing(root, path)]


def _containers(entries: dict[str, Any], path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    paths: list[tuple[str, ...]] = []
    for key, value in entries.items():
        if isinstance(value, list):
            paths.append((*path, key))
        elif _is_container(value):
            paths += [(*path, key), *_containers(value, (*path, key))]
    return paths


def _missing(root: Node, path: tuple[str, ...]) -> bool:
    node = root
    for key in path:
        member = node.get(key)
        if member is None:
            return True
        node = member.node
    return False
