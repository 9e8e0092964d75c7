"""Checks that an answer must pass to be a summary; each gives the reason why it does not, or nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from clew.ports import TokenCounter
from clew.summaries.injected_orders import is_tolerable, neutralise, without_orders
from clew.summaries.languages import mismatch
from clew.summaries.sections import SECTIONS
from clew.summaries.source import Source, stems_in, words_in
from clew.summaries.values import UnfitSummary
from clew.text.names import file_name
from clew.text.trim import one_line

#: An answer may be so many times its room: what is over is cut. More of it was not meant for this room.
_TOO_LONG = 1.5
#: Share of the content words that must come from what it was made from; fewer words than that cannot be judged.
_COMMON, _COMMON_TRANSLATED, _MIN_STEMS = 0.3, 0.1, 12
#: Share of different runs of three words, and of different lines; texts with less say the same again and again.
_VARIED, _VARIED_LINES, _MIN_RUNS, _MIN_LINES = 0.4, 0.6, 40, 6
#: Share of the edited files that a summary must name by itself, up to so many; all but these few may be missing.
_NAMED, _NAMED_ENOUGH, _FEW_FILES = 0.5, 12, 2
#: Numbers count: lines that differ in nothing else may be a list.
_WORD = re.compile(r"\w+")
_HEADING_STEMS = frozenset(stems_in(" ".join(SECTIONS)))


def check_answer(text: str, source: Source, *, room: int, count: TokenCounter) -> tuple[str, list[str]]:
    """Returns the text as it may be used and what was mended in it, or raises UnfitSummary with the reason."""
    text, dropped = without_orders(text, source)
    lines = text.count("\n") + 1
    if dropped and not is_tolerable(len(dropped), lines):
        raise UnfitSummary(f"{len(dropped)} of {lines + len(dropped)} lines pass on orders from the text of tools")
    text = neutralise(text).strip()
    checks: Sequence[Callable[[], str]] = (
        lambda: check_empty(text),
        lambda: check_length(text, room, count),
        lambda: check_repetition(text),
        lambda: mismatch(source.persons_words, text),
        lambda: check_unrelated(text, source),
    )
    for check in checks:
        if reason := check():
            raise UnfitSummary(reason)
    return text, [f"left out a line that passes on an order from a tool: {one_line(line)[:80]}" for line in dropped]


def check_empty(text: str) -> str:
    return "" if any(map(str.isalnum, text)) else "it is empty"


def check_length(text: str, room: int, count: TokenCounter) -> str:
    tokens = count(text)
    return f"it has {tokens} tokens where there is room for {room}" if tokens > room * _TOO_LONG else ""


def check_repetition(text: str) -> str:
    words = list(words_in(text, pattern=_WORD))
    runs = list(zip(pairwise(words), words[2:], strict=False))
    lines = [line for line in map(one_line, text.split("\n")) if len(line) > 20]
    is_dull = len(runs) >= _MIN_RUNS and len(set(runs)) < _VARIED * len(runs)
    is_stuck = len(lines) >= _MIN_LINES and len(set(lines)) < _VARIED_LINES * len(lines)
    return "it repeats itself" if is_dull or is_stuck else ""


def check_unrelated(text: str, source: Source) -> str:
    own = stems_in(text) - _HEADING_STEMS
    if len(own) < _MIN_STEMS:
        return ""
    share = len(own & source.stems) / len(own)
    # Where person and assistant speak different languages, a summary translates: names and numbers are what is left.
    least = _COMMON_TRANSLATED if mismatch(source.persons_words, source.assistant_words) else _COMMON
    return f"only {share:.0%} of its words come from what it was made from" if share < least else ""


def unnamed_files(text: str, files: Iterable[str]) -> list[str]:
    """The files that the text does not name, not even by their last name; of two alike, both must be told apart."""
    paths = list(dict.fromkeys(files))
    alike = Counter(map(file_name, paths))
    return [path for path in paths if not is_named(path, text, alone=alike[file_name(path)] == 1)]


def is_named(path: str, text: str, *, alone: bool = True) -> bool:
    name = file_name(path)
    folder = path.replace("\\", "/").rstrip("/").rsplit("/", 2)[-2:]
    return (name if alone else "/".join(folder)) in text


def check_files_named(missing: Sequence[str], files: Sequence[str]) -> str:
    """An answer that names hardly any of the files tells of something else."""
    named = len(files) - len(missing)
    is_enough = len(missing) <= _FEW_FILES or named >= min(_NAMED * len(files), _NAMED_ENOUGH)
    return "" if is_enough else f"it names {named} of {len(files)} edited files"


def lost_items(text: str, keep: Iterable[str]) -> list[str]:
    """The items that do not stand in the text word for word; blanks and line ends do not count."""
    said = one_line(text)
    return [item for item in dict.fromkeys(keep) if one_line(item) and one_line(item) not in said]
