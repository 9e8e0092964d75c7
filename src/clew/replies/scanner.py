"""A scanner that finds the blocks in a reply while it is still being written.

    prose ──tag on its own line───▶ block ──closing tag──▶ tail ──end of the reply──▶ stripped
      │                              ▲                      │
      └──tag within a line──▶ asking ┘ {, [ or a fence      └──further words──▶ prose, without the blocks

From a tag on, text is held back until it is clear whose it is. A tag within a line that nothing like JSON follows is a
doubt: a mention of the element, unless its closing tag ends the reply. Some models put a code fence around their
blocks: one that ends the reply, holds nothing else, and that no line leads to ("so it looks:") is no quotation.
One pass, in time linear in the text, and the same result however the text is cut.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace

from clew.replies.markdown_lines import MarkdownPosition
from clew.replies.tags import SURE_BEGINNING, Tag, Token, split_tags

#: What a block's content begins with when a model means it.
_JSON_BEGINS = ("{", "[", "`")
#: Notes amid words may be an example, and would be remembered; a request is answered at worst for nothing.
_AMID = {"housekeeping": "amid"}


@dataclass(frozen=True, slots=True)
class ReplyBlock:
    """An element of a reply: its content, and the fault of its tags ("" for none)."""

    name: str
    content: str = ""
    fault: str = ""


@dataclass(frozen=True, slots=True)
class _Opened:
    """An opening tag, and its place among the pieces held back; with it goes what ``start`` begins, the tag itself or
    the fence around it."""

    tag: Tag
    at: int
    start: int
    in_code: bool = False


class Scanner:
    """Takes a reply in pieces, returns what may be shown of each, and collects the blocks in ``blocks``."""

    def __init__(self) -> None:
        self._passed: list[ReplyBlock] = []
        self._last: list[ReplyBlock] = []
        self._last_end, self._is_sure = 0, True
        self._rest = ""
        self._out: list[str] = []
        self._is_begun = False
        self._held: list[str] = []
        self._tail_at: int | None = None
        self._fence_at: int | None = None
        self._doubts: dict[str, _Opened] = {}
        self._opened: _Opened | None = None
        self._depth = 0
        self._position = MarkdownPosition()
        self._state: Callable[[Token], None] = self._prose

    @property
    def blocks(self) -> list[ReplyBlock]:
        """The blocks that were found, in order."""
        return [*self._passed, *self._last]

    def feed(self, text: str) -> str:
        """What may be shown now; white space waits for the words after it."""
        tokens, self._rest = split_tags(self._rest + text)
        for token in tokens:
            self._state(token)
        return self._take_shown()

    def finish(self) -> str:
        """What is left to show when the reply has ended, and perhaps was cut off."""
        rest, self._rest = self._rest, ""
        self._end(rest)
        if self._tail_at is None:
            self._out += self._held
        else:
            self._out.append("".join(self._held[: self._tail_at]).rstrip())
        self._held, self._tail_at, self._fence_at, self._state = [], None, None, self._prose
        return self._take_shown()

    # ── states ───────────────────────────────────────────────────────────────────────────────────────

    def _prose(self, token: Token) -> None:
        if not isinstance(token, Tag):
            self._keep(token)
        elif self._position.is_verbatim and (token.closes or not self._is_fence_of_blocks):
            self._keep(token.text)
        elif token.closes:
            self._close_doubt(token)
        else:
            self._open(token)

    def _asking(self, token: Token) -> None:
        """After a tag within a line: does something like a block follow?"""
        if isinstance(token, str) and token.isspace():
            self._keep(token)
            return
        opened, begins = self._open_tag(), token.lstrip()[0] if isinstance(token, str) else ""
        if not opened.in_code and (isinstance(token, Tag) or begins in _JSON_BEGINS):
            self._begin(opened)
        else:
            self._state = self._prose
            if not self._position.is_verbatim and not (opened.in_code and begins == "`"):
                self._doubts[opened.tag.name] = opened
        self._state(token)

    def _block(self, token: Token) -> None:
        """Everything is content up to the closing tag, elements of ours within it included."""
        opened = self._open_tag()
        if isinstance(token, Tag) and token.name == opened.tag.name and not token.closes_itself:
            self._depth += -1 if token.closes else 1
        if isinstance(token, Tag) and not self._depth:
            self._close(opened, token)
        else:
            self._held.append(_text(token))

    def _tail(self, token: Token) -> None:
        """After a block: words that follow it are the user's, and go on without it. What may be a quotation (a doubt, a
        fence) is one then."""
        if isinstance(token, Tag):
            self._close_doubt(token) if token.closes else self._open(token)
        elif _is_blank(token) or self._is_end_of_fence(token):
            self._hold(token)
        else:
            if self._is_sure:
                token = self._leave_out(token)
            self._last, self._tail_at, self._is_sure, self._state = [], None, True, self._prose
            self._prose(token)

    def _leave_out(self, words: str) -> str:
        """Takes the blocks out, and returns the words after them; white space stands there once."""
        after = "".join(self._held[self._last_end :]) + words
        self._passed += [replace(one, fault=one.fault or _AMID.get(one.name, "")) for one in self._last]
        del self._held[self._tail_at :]
        before = "".join(self._held)
        is_apart = before[-1:].isspace() or not (before or self._is_begun)
        return after[next(index for index, char in enumerate(after) if not _is_blank(char)) :] if is_apart else after

    # ── what moves between them ──────────────────────────────────────────────────────────────────────

    def _open(self, tag: Tag) -> None:
        stands = self._position.line.is_blank and not self._is_fence_of_blocks
        self._opened = _Opened(tag, len(self._held), self._start(), self._position.line.in_code)
        self._hold(tag.text)
        if tag.closes_itself:
            self._begin(self._opened)
            self._is_sure = False
            self._add(ReplyBlock(tag.name, fault="attributes"))
        elif stands or self._tail_at is not None:
            self._begin(self._opened)
        else:
            self._state = self._asking

    def _begin(self, opened: _Opened) -> None:
        self._is_sure = self._is_sure and opened.start == opened.at
        self._tail_at = opened.start if self._tail_at is None else self._tail_at
        self._depth, self._state = 1, self._block

    def _close(self, opened: _Opened, closing: Tag) -> None:
        """The block is whole; for what may follow it, its last line begins with its closing tag."""
        content = "".join(self._held[opened.at + 1 :])
        self._held.append(closing.text)
        self._position.restart(closing.text)
        self._add(ReplyBlock(opened.tag.name, content, "attributes" if opened.tag.attributes else ""))

    def _close_doubt(self, tag: Tag) -> None:
        """A doubt is a block after all; a closing tag that nothing opened is still none of the user's."""
        opened = self._doubts.get(tag.name)
        if opened is None:
            self._tail_at = len(self._held) if self._tail_at is None else self._tail_at
            self._hold(tag.text)
            self._add(ReplyBlock(tag.name, fault="unopened"))
            return
        self._doubts = {name: doubt for name, doubt in self._doubts.items() if doubt.at < opened.at}
        self._last, self._tail_at, self._is_sure = [], opened.at, False
        self._close(opened, tag)

    def _end(self, rest: str) -> None:
        """The reply is over: what is open stays so, and the beginning of a tag is one that was cut off."""
        if self._state == self._asking and not self._open_tag().in_code:
            self._begin(self._open_tag())
        if self._state == self._block:
            content = "".join([*self._held[self._open_tag().at + 1 :], rest])
            self._add(ReplyBlock(self._open_tag().tag.name, content, "unclosed"))
        elif rest and (self._state == self._tail or self._is_cut_off(rest)):
            self._tail_at = self._start() if self._tail_at is None else self._tail_at
            self._add(ReplyBlock("", rest, "unclosed"))
        elif rest:
            self._held.append(rest)

    def _is_cut_off(self, rest: str) -> bool:
        is_shown = self._position.is_verbatim and not self._is_fence_of_blocks
        is_said = not is_shown and not self._position.line.in_code
        return is_said and SURE_BEGINNING.match(rest) is not None

    # ── a fence around blocks ────────────────────────────────────────────────────────────────────────

    @property
    def _is_fence_of_blocks(self) -> bool:
        """True where nothing stands in an open fence yet that would make it one of words."""
        return self._fence_at is not None and bool(self._position.fence) and not self._position.is_example

    def _start(self) -> int:
        """Where a block begins that is held from here on: with the fence around it, if there is one."""
        return len(self._held) if self._fence_at is None or not self._is_fence_of_blocks else self._fence_at

    def _is_end_of_fence(self, piece: str) -> bool:
        fence = self._position.fence
        return self._fence_at is not None and bool(fence) and not piece.strip().strip(fence[0])

    # ── pieces ───────────────────────────────────────────────────────────────────────────────────────

    def _open_tag(self) -> _Opened:
        assert self._opened is not None
        return self._opened

    def _add(self, block: ReplyBlock) -> None:
        self._last.append(block)
        self._last_end, self._state = len(self._held), self._tail

    def _hold(self, piece: str) -> None:
        self._position.add(piece)
        self._held.append(piece)

    def _keep(self, piece: str) -> None:
        """Holds a piece of the user's text, and lets go what nothing holds back any more."""
        self._hold(piece)
        if not self._position.fence and self._position.line.may_open_fence:
            self._fence_at = len(self._held) - 1 if self._fence_at is None else self._fence_at
        elif self._tail_at is None and not self._doubts and not piece.isspace():
            self._fence_at = None
            text = "".join(self._held)
            shown = text.rstrip()
            self._out.append(shown)
            self._is_begun = self._is_begun or bool(shown)
            self._held = [text[len(shown) :]]

    def _take_shown(self) -> str:
        shown, self._out = "".join(self._out), []
        return shown


def _text(token: Token) -> str:
    return token.text if isinstance(token, Tag) else token


def _is_blank(piece: str) -> bool:
    """White space, or marks that nobody sees: they must not turn a block into something to show."""
    return all(char.isspace() or unicodedata.category(char) in {"Cc", "Cf"} for char in piece)
