"""A reply as its reader sees it: words, sentences, paragraphs, lists, tables, code, JSON.

Everything is worked out once, when it is first asked for, in linear time; long replies are read this far only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import orjson

from clew.text.sentences import sentences
from clew.text.stems import topic_stems

#: A reply longer than this is data; what is asked of answers shows in its beginning.
MAX_CHARS = 60_000

_COUNTED = re.compile(r"[^\W_]\S*")
_FENCE = re.compile(r"[ \t]{0,8}(`{3,}|~{3,})[ \t]*([\w+#.-]{0,20})")
_BULLET = re.compile(r"[ \t]{0,12}[-*+•–▪◦●‣][ \t]+\S")
_NUMBERED = re.compile(
    r"[ \t]{0,12}(?:[*_#]{0,4}[ ]?)(?:step[ ])?\d{1,3}(?:[.):]|[ ]-)[*_]{0,2}(?:[ \t]|\Z)", re.IGNORECASE
)
_HEADING = re.compile(r"[ ]{0,3}#{1,6}[ \t]+\S")
_BOLD_LINE = re.compile(r"[ ]{0,3}(?:\*\*|__)[^*_\n]{1,100}(?:\*\*|__):?[ \t]*\Z")
_RULE = re.compile(r"[ ]{0,3}(?:[-*_=][ ]?){3,}\Z")
_TABLE_RULE = frozenset("|:-+ \t")
_BOLD = re.compile(r"\*\*[^*\n]{1,200}\*\*|__[^_\n]{1,200}__")
_INLINE = re.compile(r"`[^`\n]{1,200}`|\[[^\]\n]{1,200}\]\([^)\s]{1,400}\)")
EMOJI = re.compile(
    "[\U0001f300-\U0001faff\u2600-\u26ff\u2705\u2728\u274c\u2753\u2757\u2764\u27a1\u2b50\U0001f1e6-\U0001f1ff]"
)
_LABEL = re.compile(r"[\W_\d]{0,16}([^:\n|]{2,80}?)[\]\"'*_]{0,5}(?::|[ ][-–—][ ]|\||\])")
_MARKS = re.compile(r"[*_`#>|]{1,6}")

_OPENS = re.compile(
    r"(?i)(?:sure|certainly|of course|absolutely|great|okay|ok|got it|no problem|happy to|here(?:'s| is| are)|below"
    r"|i'll|i will|i've|let me|alright|yes\b|thank)"
)
_CLOSES = re.compile(
    r"(?i)\b(?:would you like|let me know|do you want|want me to|feel free|shall i|should i|hope (?:this|that) helps"
    r"|anything else|if you(?:'d| would) like|any (?:other )?questions|is there (?:anything|a)|need (?:any )?more)\b"
)
_ASKS_BACK = re.compile(
    r"(?i)\b(?:could|can|would|will) you (?:please )?(?:let me know|tell me|provide|specify|share|clarify|confirm"
    r"|give me)|\b(?:haven't|have not|didn't|did not|don't see|don't have|not sure (?:which|what)|unclear (?:which"
    r"|what))\b[^.?!\n]{0,80}\b(?:specified|specify|mentioned|mention|provided|provide|shared|share|included|access"
    r"|referring|enough|which|what)|\bwhich (?:specific )?[\w ]{1,40} (?:are you|you're|you are|would you|do you)"
    r"|\b(?:i'll|i will|i) need (?:to know|more|some|a bit)|\bwhat(?:'s| is) the (?:actual|specific|exact)\b"
)
_REFUSES = re.compile(
    r"(?i)\A\W*(?:i (?:notice|should note|realize)\b|i(?:'m| am) (?:sorry|unable|afraid)|i apologi[sz]e|sorry"
    r"|i can(?:'t|not)|unfortunately|i (?:do not|don't) (?:have|see))"
)
#: Fences that hold prose.
_PROSE_TAGS = frozenset({"markdown", "md", "text", "txt", "plaintext"})
#: Such a reply asks for something; an answer that offers more at its end is longer.
_MAX_ASKING_WORDS = 90
_MAX_OPENING_WORDS, _MAX_CLOSING_WORDS = 25, 45


class Block(NamedTuple):
    """A run of lines without a blank one: heading, list, table, rule or text."""

    kind: str
    text: str


class Reply:
    """One reply. Openings ("Sure, here is …:") and closing offers are told apart from the answer itself."""

    def __init__(self, text: str) -> None:
        self.text = text[:MAX_CHARS].strip()

    @cached_property
    def _split(self) -> tuple[str, tuple[tuple[str, str], ...]]:
        prose, fences, inside, mark, tag = list[str](), list[tuple[str, str]](), list[str](), "", ""
        for line in self.text.split("\n"):
            found = _FENCE.match(line)
            if mark:
                if found and found[1].startswith(mark) and not found[2]:
                    fences.append((tag, "\n".join(inside)))
                    mark, inside = "", []
                else:
                    inside.append(line)
                    prose += [line] if tag in _PROSE_TAGS else []
            elif found:
                mark, tag = found[1][:3], found[2].lower()
            else:
                prose.append(line)
        if mark:
            fences.append((tag, "\n".join(inside)))
        return "\n".join(prose), tuple(fences)

    @property
    def prose(self) -> str:
        """All but fenced code; what is fenced as text is no code."""
        return self._split[0]

    @property
    def fences(self) -> tuple[tuple[str, str], ...]:
        """Fenced blocks: the language they name, and their text."""
        return self._split[1]

    @cached_property
    def plain(self) -> str:
        """In lower case, without marks, blanks joined: phrases are looked for here."""
        return " ".join(_MARKS.sub("", self.text.replace("’", "'")).lower().split())

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(topic_stems(self.text))

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        return tuple(_blocks(self.prose))

    @cached_property
    def core(self) -> tuple[Block, ...]:
        """The blocks without an opening line and without a closing offer."""
        blocks = list(self.blocks)
        if len(blocks) > 1 and blocks[0].kind == "text" and _is_opening(blocks[0].text):
            blocks = blocks[1:]
        while len(blocks) > 1 and blocks[-1].kind in {"text", "rule"} and _is_closing(blocks[-1]):
            blocks = blocks[:-1]
        return tuple(blocks)

    @cached_property
    def core_text(self) -> str:
        return "\n\n".join(block.text for block in self.core)

    @cached_property
    def words(self) -> int:
        """All words, code and all."""
        return count_words(self.text)

    @cached_property
    def core_words(self) -> int:
        """Words of the answer itself; those of the code where it is nothing else."""
        return count_words(self.core_text) or self.words

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        return sentences(self.prose)

    @cached_property
    def core_sentences(self) -> tuple[str, ...]:
        return sentences(self.core_text)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        return tuple(line for line in self.text.split("\n") if line.strip())

    @cached_property
    def paragraphs(self) -> tuple[str, ...]:
        """Texts of the answer between blank lines; headings and rules are none."""
        return tuple(block.text for block in self.core if block.kind in {"text", "list", "table"})

    @cached_property
    def bullets(self) -> int:
        return sum(1 for line in self.prose.split("\n") if _BULLET.match(line) and not _RULE.match(line))

    @cached_property
    def numbers(self) -> int:
        return sum(1 for line in self.prose.split("\n") if _NUMBERED.match(line))

    @cached_property
    def headings(self) -> tuple[str, ...]:
        return tuple(line.strip(" #*_:\t") for line in self.prose.split("\n") if is_heading(line))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What parts of the reply are called: headings, and how lines begin that go on behind a colon or a dash."""
        leads = (found[1] for line in self.text.split("\n") if (found := _LABEL.match(line)))
        heads = [
            cell for above, line in pairwise(self.text.split("\n")) if _is_table_rule(line) for cell in above.split("|")
        ]
        return tuple(dict.fromkeys((*self.headings, *leads, *heads)))

    @cached_property
    def items(self) -> tuple[str, ...]:
        """What is listed at the outer level, each with all that stands under it."""
        return tuple(_items(self.core_text))

    @cached_property
    def has_table(self) -> bool:
        lines = self.text.split("\n")
        return any(map(_is_table_rule, lines)) or "<table" in self.text.lower()

    @cached_property
    def marks(self) -> frozenset[str]:
        """What of Markdown is in it."""
        found = {"heading"} if any(_HEADING.match(line) for line in self.prose.split("\n")) else set[str]()
        found |= {"bold"} if _BOLD.search(self.prose) else set()
        found |= {"code"} if self.fences else set()
        found |= {"inline"} if _INLINE.search(self.prose) else set()
        found |= {"table"} if self.has_table else set()
        found |= {"list"} if self.bullets + self.numbers > 1 else set()
        return frozenset(found)

    @cached_property
    def json(self) -> str:
        """How much of it is JSON: all, a fence, some of the text, only the looks of it, or nothing."""
        if _is_json(self.text):
            return "all"
        if any(_is_json(body) for _, body in self.fences):
            return "all" if not self.prose.strip() else "fence"
        start, end = self.text.find("{"), self.text.rfind("}")
        if 0 <= start < end and _is_json(self.text[start : end + 1]):
            return "some"
        return "looks" if any(tag.startswith("json") for tag, _ in self.fences) or self.text[:1] in "{[" else ""

    @cached_property
    def emojis(self) -> tuple[str, ...]:
        return tuple(EMOJI.findall(self.prose))

    @cached_property
    def is_no_answer(self) -> bool:
        """It asks back, declines, or says nothing: what is asked of answers was not meant for this."""
        if not self.text:
            return True
        if self.words > _MAX_ASKING_WORDS or self.fences or self.has_table:
            return False
        return bool(_REFUSES.search(self.text)) or ("?" in self.text and bool(_ASKS_BACK.search(self.text)))


def is_heading(line: str) -> bool:
    return bool(_HEADING.match(line) or _BOLD_LINE.match(line))


def _blocks(text: str) -> Iterator[Block]:
    run: list[str] = []
    for line in [*text.split("\n"), ""]:
        if not line.strip() or _RULE.match(line) or _HEADING.match(line):
            if run:
                yield Block(_kind(run), "\n".join(run))
            run = []
            if line.strip():
                yield Block("heading" if _HEADING.match(line) else "rule", line)
        else:
            run.append(line)


def _is_table_rule(line: str) -> bool:
    return "--" in line and "|" in line and _TABLE_RULE.issuperset(line)


def _kind(lines: list[str]) -> str:
    if len(lines) == 1 and is_heading(lines[0]):
        return "heading"
    if any(map(_is_table_rule, lines)):
        return "table"
    listed = sum(1 for line in lines if _BULLET.match(line) or _NUMBERED.match(line))
    return "list" if listed and listed * 2 >= len(lines) else "text"


def _is_opening(text: str) -> bool:
    if count_words(text) > _MAX_OPENING_WORDS:
        return False
    return bool(_OPENS.match(text)) or (text.rstrip().endswith(":") and len(sentences(text)) == 1)


def _is_closing(block: Block) -> bool:
    return block.kind == "rule" or (count_words(block.text) <= _MAX_CLOSING_WORDS and bool(_CLOSES.search(block.text)))


def _items(text: str) -> Iterator[str]:
    """Numbered items where there are some, else bullets, else what stands under each heading."""
    lines = text.split("\n")
    for begins in (_NUMBERED, _BULLET):
        starts = [at for at, line in enumerate(lines) if begins.match(line) and not _RULE.match(line)]
        if starts:
            least = min(_depth(lines[at]) for at in starts)
            starts = [at for at in starts if _depth(lines[at]) <= least + 1]
        if len(starts) > 1:
            break
    else:
        starts = [at for at, line in enumerate(lines) if is_heading(line)]
    for at, end in pairwise([*starts, len(lines)]):
        yield "\n".join(lines[at:end])


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_json(text: str) -> bool:
    text = text.strip()
    if text[:1] not in ("{", "["):
        return False
    try:
        orjson.loads(text)
    except ValueError:
        return False
    return True


def count_words(text: str) -> int:
    """Runs between blanks that hold a letter or a digit: what a person counts."""
    return len(_COUNTED.findall(text))
