"""A reply as its reader sees it: words, paragraphs, lists, tables, code, JSON.

Everything is worked out once, when it is first asked for, in linear time; long replies are read this far only.
"""

from __future__ import annotations

import re
from functools import cached_property

import orjson

from clew.text.prose import Block, BlockKind, blocks, is_heading
from clew.text.sentences import sentences
from clew.text.stems import topic_stems

#: A reply longer than this is data; what is asked of answers shows in its beginning.
_MAX_CHARS = 60_000

_COUNTED = re.compile(r"[^\W_]\S*")
_FENCE = re.compile(r"(?s)\s*[`~]{3,}[ \t]*([\w+#.-]{0,20})[^\n]*\n?(.*?)(?:\n?[ \t]*[`~]{3,}\s*)?")
_BULLET = re.compile(r"(?![ ]{0,3}(?:[-*_=][ ]?){3,}\Z)[ \t]{0,12}[-*+•–▪◦●‣][ \t]+\S")
_NUMBERED = re.compile(r"(?i)[ \t]{0,12}[*_#]{0,4}[ ]?(?:step[ ])?\d{1,3}(?:[.):]|[ ]-)[*_]{0,2}(?:[ \t]|\Z)")
_MARKED = {
    "heading": re.compile(r"(?m)^[ ]{0,3}#{1,6}[ \t]+\S"),
    "bold": re.compile(r"\*\*[^*\n]{1,200}\*\*|__[^_\n]{1,200}__"),
    "inline": re.compile(r"`[^`\n]{1,200}`|\[[^\]\n]{1,200}\]\([^)\s]{1,400}\)"),
}
_MARKS = re.compile(r"[*_`#>|]{1,6}")
_OPENS = re.compile(
    r"(?i)(?:sure|certainly|of course|absolutely|great|ok(?:ay)?|got it|no problem|happy to|here(?:'s| is| are)|below"
    r"|i(?:'ll|'ve| will)|let me|alright|yes\b|thank)"
)
_CLOSES = re.compile(
    r"(?i)\b(?:would you like|let me know|do you want|want me to|feel free|(?:shall|should) i|hope (?:this|that) helps"
    r"|anything else|if you(?:'d| would) like|any (?:other )?questions|need (?:any )?more)\b"
)
_ASKS_BACK = re.compile(
    r"(?i)\b(?:(?:could|can|would|will) you (?:please )?(?:let me know|tell me|provide|specify|share|clarify|confirm"
    r"|give me)|(?:haven't|have not|didn't|did not|don't see|don't have|not sure|unclear)\b[^.?!\n]{0,80}\b(?:specif"
    r"|mention|provide|share|include|access|referring|enough|which|what)|which [\w ]{1,40} (?:are|do|would) you"
    r"|need (?:to know|more|some)|what(?:'s| is) the (?:actual|specific|exact))"
)
_REFUSES = re.compile(
    r"(?i)\W*(?:i (?:notice|should note|realize|apologi[sz]e)\b|i(?:'m| am) (?:sorry|unable|afraid)|sorry"
    r"|i can(?:'t|not)|unfortunately|i (?:do not|don't) (?:have|see))"
)
#: Fences that hold prose.
_PROSE_TAGS = frozenset({"markdown", "md", "text", "txt", "plaintext"})
#: A reply that asks for something is short; an answer that offers more at its end is longer.
_MAX_ASKING_WORDS, _MAX_OPENING_WORDS, _MAX_CLOSING_WORDS = 90, 25, 45


class Reply:
    """One reply. Openings ("Sure, here is …:") and closing offers are told apart from the answer itself."""

    def __init__(self, text: str) -> None:
        self.text = text[:_MAX_CHARS].strip()

    @cached_property
    def fences(self) -> tuple[tuple[str, str], ...]:
        """Fenced blocks: the language they name, and their text."""
        marks = (_FENCE.fullmatch(block.text) for block in blocks(self.text) if block.kind is BlockKind.CODE)
        return tuple((fence[1].lower(), fence[2]) for fence in marks if fence)

    @cached_property
    def prose(self) -> str:
        """All but fenced code; what is fenced as text is no code."""
        lines, tag, is_inside = list[str](), "", False
        for line in self.text.split("\n"):
            if line.lstrip().startswith(("```", "~~~")):
                is_inside, tag = not is_inside, line.strip(" \t`~").lower()
            elif not is_inside or tag in _PROSE_TAGS:
                lines.append(line)
        return "\n".join(lines)

    @cached_property
    def plain(self) -> str:
        """In lower case, without marks, blanks joined: phrases are looked for here."""
        return plain(self.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(topic_stems(self.text))

    @cached_property
    def core(self) -> tuple[Block, ...]:
        """The pieces of the answer without an opening line and without a closing offer."""
        marks = blocks(self.prose)
        if len(marks) > 1 and _is_opening(marks[0]):
            marks = marks[1:]
        while len(marks) > 1 and _is_closing(marks[-1]):
            marks = marks[:-1]
        return tuple(marks)

    @cached_property
    def core_text(self) -> str:
        """The answer itself; all there is where it is nothing but code."""
        return "\n\n".join(block.whole for block in self.core) or self.text

    @cached_property
    def words(self) -> int:
        """All words, code and all."""
        return count_words(self.text)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        return tuple(line for line in self.text.split("\n") if line.strip())

    @cached_property
    def bullets(self) -> tuple[str, ...]:
        return tuple(line for line in self.prose.split("\n") if _BULLET.match(line))

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        return tuple(line for line in self.prose.split("\n") if _NUMBERED.match(line))

    @cached_property
    def headings(self) -> tuple[str, ...]:
        return tuple(line.strip(" #*_:\t") for line in self.prose.split("\n") if is_heading(line))

    @cached_property
    def has_table(self) -> bool:
        return any(map(_is_table_rule, self.text.split("\n"))) or "<table" in self.text.lower()

    @cached_property
    def marks(self) -> frozenset[str]:
        """What of Markdown is in it."""
        marks = {name for name, looks in _MARKED.items() if looks.search(self.prose)}
        seen = {"code": self.fences, "table": self.has_table, "list": len(self.bullets + self.numbers) > 1}
        return frozenset(marks | {name for name, is_there in seen.items() if is_there})

    @cached_property
    def json(self) -> str:
        """How much of it is JSON: all, some of it, only the looks of it, or nothing."""
        if _is_json(self.text) or (not self.prose.strip() and any(_is_json(body) for _, body in self.fences)):
            return "all"
        between = self.text[self.text.find("{") : self.text.rfind("}") + 1]
        if any(_is_json(body) for _, body in self.fences) or _is_json(between):
            return "some"
        return "looks" if any(tag.startswith("json") for tag, _ in self.fences) or self.text[:1] in "{[" else ""

    @cached_property
    def is_no_answer(self) -> bool:
        """It asks back, declines, or says nothing: what is asked of answers was not meant for this."""
        if self.words > _MAX_ASKING_WORDS or self.fences or self.has_table:
            return False
        asks = "?" in self.text and _ASKS_BACK.search(self.text)
        return not self.text or bool(asks or _REFUSES.match(self.text))


def count_words(text: str) -> int:
    """Runs between blanks that hold a letter or a digit: what a person counts."""
    return len(_COUNTED.findall(text))


def plain(text: str) -> str:
    """Text without marks of Markdown, in lower case, on one line."""
    return " ".join(_MARKS.sub("", text.replace("’", "'")).lower().split())


def _is_table_rule(line: str) -> bool:
    return "--" in line and "|" in line and not line.strip("|:-+ \t")


def _is_opening(block: Block) -> bool:
    is_text = block.kind is BlockKind.PARAGRAPH and count_words(block.whole) <= _MAX_OPENING_WORDS
    is_lead = block.whole.rstrip().endswith(":") and len(sentences(block.whole)) == 1
    return is_text and bool(_OPENS.match(block.whole) or is_lead)


def _is_closing(block: Block) -> bool:
    is_text = block.kind is BlockKind.PARAGRAPH and count_words(block.whole) <= _MAX_CLOSING_WORDS
    return is_text and bool(_CLOSES.search(block.whole) or not block.whole.strip("-*_= "))


def _is_json(text: str) -> bool:
    if text.strip()[:1] not in ("{", "["):
        return False
    try:
        orjson.loads(text)
    except ValueError:
        return False
    return True
