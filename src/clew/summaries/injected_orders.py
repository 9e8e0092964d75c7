"""Guards summaries against injected orders: an answer may tell of orders in a tool's text, but not pass them on.

Lines that claim a role or call off earlier instructions are removed, unless a person wrote them. Lines that address the
assistant are removed where a tool's text says the same. Both are searched for as a reader would see them: hidden
characters and other shapes of letters make no difference.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

import re2

from clew.summaries.source import Source, replace_surrogates, words_in
from clew.text.markers import UNSEEN, neutralise_markers

#: Tags of ours, of roles and of chat templates. In an answer they become plain text.
_TAG = re.compile(
    rf"<(?={UNSEEN}/?{UNSEEN}(?:conversation-summary|system|user|assistant|human|tool|developer|analysis|summary|clew-"
    r"|history-|earlier-|keep-|\|))",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(r"\[(?=/?(?:INST|SYS)\])|<(?=</?SYS>)", re.IGNORECASE)
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]"
)

#: Said by nobody who reports on work.
_CLAIMS = re2.compile(
    r"(?i)\b(?:ignore|disregard|forget|override|bypass)\b.{0,30}\b(?:previous|prior|above|earlier|preceding|all|any|your)\b"
    r".{0,30}\b(?:instructions?|rules?|prompts?|directives?|guidelines?)\b"
    r"|\bignor(?:iere|ez|a|e)\b.{0,40}\b(?:anweisungen|instructions|instrucciones|istruzioni|instruções)\b"
    r"|忽略.{0,12}(?:指令|指示|说明)|игнорируй.{0,40}инструкци"
    r"|^\W{0,8}(?:system|developer|assistant|human)(?: (?:prompt|message|note|override))?\s{0,3}:"
    r"|\b(?:new|updated|important) (?:system )?(?:instructions?|prompt)\s{0,3}:"
    r"|\byou are (?:now|no longer)\b|\b(?:system|developer) (?:override|mode enabled)\b"
)
#: Who is told what to do, and what that may be.
_ASSISTANTS = "assistant|agent|model|ai|llm|claude|chatgpt|gpt|gemini|copilot"
_DEEDS = "reply|respond|answer|run|execute|send|post|upload|delete|install|fetch|visit|email"
_ORDERS = re2.compile(
    r"(?i)\byou (?:must|should|shall|need to|have to|will now|may not)\b|\bfrom now on\b"
    r"|\bwithout (?:asking|telling)\b|\byour (?:new |next |only )?(?:task|role|job|goal)\b"
    r"|\b(?:do not|don't|never) (?:tell|mention|reveal|inform|warn)\b"
    rf"|\b(?:{_ASSISTANTS})s? (?:must|should|shall|will|has to|have to|needs? to)\b"
    rf"|\b(?:always|immediately|now|please|first|then) (?:{_DEEDS}|include|open|call|push|write|use)\b"
    rf"|^\W{{0,8}}(?:{_DEEDS}|curl|ignore)\s+(?:the|this|these|all|every|any|your|to|a|an|it|them|with|only|https?:)"
)
#: This share of a line's runs of three words in a tool's order makes it that order.
_SAME = 0.5
#: So many lines, or this share of all, may go; an answer with more of them was taken in.
_FEW_LINES, _FEW_SHARE = 2, 0.25
_LOOKED_AT_CHARS = 2_000


def neutralise(text: str) -> str:
    """Returns the text with nothing in it that could pass for a mark of ours, a role or the end of a section."""
    return neutralise_markers(_TEMPLATE.sub("(", _TAG.sub("‹", text)))


def without_orders(text: str, source: Source) -> tuple[str, list[str]]:
    """The text without lines that pass on injected orders, and those lines."""
    asked = _visible(source.persons_words)
    injected = _injected_runs(source) if _ORDERS.search(_visible(text)) else frozenset()
    kept: list[str] = []
    dropped: list[str] = []
    for line in text.split("\n"):
        (dropped if _claims(line, asked) or _is_order_of(line, injected) else kept).append(line)
    return "\n".join(kept), dropped


def is_tolerable(dropped: int, lines: int) -> bool:
    """True when so few lines were dropped that the rest of the answer can be trusted."""
    return dropped <= max(_FEW_LINES, lines * _FEW_SHARE)


def claims_authority(line: str) -> bool:
    """True for a line that claims a role or calls off earlier instructions."""
    return bool(_CLAIMS.search(_visible(line)))


def _visible(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFKC", _UNSEEN.sub("", replace_surrogates(text)))


def _claims(line: str, asked: str) -> bool:
    match = _CLAIMS.search(_visible(line))
    return bool(match) and match[0].strip().casefold() not in asked.casefold()


def _is_order_of(line: str, injected: frozenset[tuple[str, ...]]) -> bool:
    seen = _visible(line)
    runs = _runs(seen)
    return bool(runs and injected and _ORDERS.search(seen)) and len(runs & injected) >= _SAME * len(runs)


def _injected_runs(source: Source) -> frozenset[tuple[str, ...]]:
    """Runs of words in lines of tools that give orders, and that no person gave."""
    found: set[tuple[str, ...]] = set()
    for line in source.foreign_lines:
        seen = _visible(line[:_LOOKED_AT_CHARS])
        if _ORDERS.search(seen):
            found |= _runs(seen)
    return frozenset(found - _runs(_visible(source.persons_words)))


def _runs(text: str) -> set[tuple[str, ...]]:
    words = list(words_in(text))
    return {(*pair, third) for pair, third in zip(pairwise(words), words[2:], strict=False)}
