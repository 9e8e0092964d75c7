"""A rule written into a rule file, and read from it again in the same words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.signals.critical.display import is_in_project_file
from clew.signals.rule_files.mask import code_spans, left_open, mask_unsaid, with_plain_ends
from clew.signals.rule_files.statements import Heading, headings

#: The section in which rules are kept, and how its items begin.
HEADING = "Rules kept by Clew"
_LEVEL, _BULLET = 2, "- "

#: What would make something else of an item: a heading, a list, a quotation, a fence, a rule, a tag, a definition.
_BREAKS_OUT = re.compile(r"[#>\\<\[]|[-+*](?:\s|\Z)|(?:[-*_=] ?){3,}\Z|~~~|`{3,}[^`]*\Z")
_NUMBERED = re.compile(r"(\d{1,9}\\*)([.)])(?=\s|\Z)")
_NUMBER_DEFUSED = re.compile(r"(\d{1,9}\\*)\\([.)])(?=\s|\Z)")
#: What opens a comment, however often it was defused.
_COMMENT = re.compile(r"(<\\*)(!--)")
_DEFUSED = re.compile(r"(<\\*)\\(!--)")


def promote_item(text: str, item_text: str) -> str:
    """The file's text with the item as a bullet in the section of kept rules, which is made at the end if needed.

    Nothing else changes. A file that says it already stays as it is.
    """
    words = " ".join(item_text.split())
    plain = mask_unsaid(text)
    if not words or is_in_project_file(words, [plain]) or any(kept == words for _, _, kept in kept_rules(text, plain)):
        return text
    newline = _newline(text)
    section = kept_section(plain)
    bullet = _BULLET + escape_item(words)
    if section is None:
        opening = _opening(text, newline)
        return f"{text}{opening}{'#' * _LEVEL} {HEADING}{newline}{newline}{bullet}{newline}"
    return _insert_bullet(text, section, bullet=bullet, newline=newline)


def kept_rules(text: str, plain: str) -> Iterator[tuple[int, int, str]]:
    """The rules that stand in the section of kept rules: where, and in the words in which they were kept."""
    section = kept_section(plain)
    if section is None:
        return
    position = section[0].end
    for line in with_plain_ends(text)[position : section[1]].split("\n"):
        if line.startswith(_BULLET) and plain[position : position + len(line)].strip():
            words = line[len(_BULLET) :].strip()
            yield position + len(_BULLET), position + len(_BULLET) + len(words), unescape_item(words)
        position += len(line) + 1


def kept_section(plain: str) -> tuple[Heading, int] | None:
    """The heading of the section of kept rules, and where the section ends."""
    own: Heading | None = None
    for heading in headings(plain):
        if own is not None and heading.level <= own.level:
            return own, heading.start
        if own is None and heading.words == HEADING:
            own = heading
    return (own, len(plain)) if own else None


def escape_item(words: str) -> str:
    """The words so that they stay one item of a list: what would break out of it is escaped, not changed."""
    words = _outside_code(_COMMENT, r"\1\\\2", words)
    if _BREAKS_OUT.match(words):
        return "\\" + words
    return _NUMBERED.sub(r"\1\\\2", words, count=1) if _NUMBERED.match(words) else words


def unescape_item(item: str) -> str:
    """The words that :func:`escape_item` was given."""
    if item.startswith("\\"):
        item = item[1:]
    elif _NUMBER_DEFUSED.match(item):
        item = _NUMBER_DEFUSED.sub(r"\1\2", item, count=1)
    return _outside_code(_DEFUSED, r"\1\2", item)


def _outside_code(pattern: re.Pattern[str], replacement: str, words: str) -> str:
    pieces, position = [], 0
    for start, end in code_spans(words):
        pieces += [pattern.sub(replacement, words[position:start]), words[start:end]]
        position = end
    return "".join([*pieces, pattern.sub(replacement, words[position:])])


def _newline(text: str) -> str:
    """How most lines of the text end."""
    windows, plain = text.count("\r\n"), text.count("\n")
    if windows:
        return "\r\n" if windows * 2 > plain else "\n"
    return "\r" if not plain and "\r" in text else "\n"


def _opening(text: str, newline: str) -> str:
    """What has to stand between the text and a new section: ends of a line and of an open block, a blank line."""
    if not text:
        return ""
    ended = "" if text.endswith(("\n", "\r")) else newline
    ended += "".join(line + newline for line in left_open(text))
    is_blank = not ended and text.endswith(newline + newline)
    return ended if is_blank else ended + newline


def _insert_bullet(text: str, section: tuple[Heading, int], *, bullet: str, newline: str) -> str:
    """The bullet behind the last line of the section that is not blank."""
    heading, end = section
    position = len(text[:end].rstrip())
    if position <= heading.end:
        return f"{text[:position]}{newline}{newline}{bullet}{text[position:] or newline}"
    closing = "".join(newline + line for line in left_open(text)) if end == len(text) else ""
    return f"{text[:position]}{closing}{newline}{bullet}{text[position:] or newline}"
