"""The few wordings that carry: marks by which people order, forbid, wish, decide, ask, suppose and tell.

None of them decides anything; they are features beside the words of a sentence, and weights say what they are worth.
"""

from __future__ import annotations

import re
from itertools import combinations

#: What may stand before an order.
_LEAD = (
    r"^\W*(?:(?:please|pls|and|also|but|so|then|ok|okay|hey|btw|just|no|yes|important|note|reminder|rule"
    r"|remember to|again"
    r"|make sure (?:to|you)|be sure to|i want you to|i'd like you to|you (?:must|should)|we|oh|well|thanks"
    r"|one more thing"
    r"|from now on|going forward|in future|if possible|can you|could you)[,.:!–-]*\s+){0,3}"
)
#: Words after "always" and "never" that tell what happens, and order nothing.
_TOLD = (
    r"(?:mind|been|seen|had|again|works?|got|did|was|is|are|were|have|has|a|an|the|in|on|at|to|there|so|too"
    r"|know|knew|quite"
    r"|sure|ready|open|available|happens?|\w+(?:ed|ing|(?<![su])s))\b"
)
_DONT = r"(?:do not|don't|dont|never|avoid|stop|no more|refrain from)"
_IDLE = r"(?:worry|know|think|mind|understand|see|get|like|want|care|believe|have|need|remember|you|we|i|they)\b"

_CUES = {
    "order": rf"{_LEAD}(?:always|never) (?:ever )?(?!{_TOLD})\w",
    "order within": r"\b(?:should|must|to|will|can|could|would|shall) (?:you |we )?(?:please )?(?:always|never"
    r"|not) \w",
    "order after": r"[,;:.–—] (?:and |so |but |please )?(?:always|never|do not|don't) \w",
    "told": r"\b(?:it|this|that|he|she|they|i|i've|we've|has|have|had|was|were|is|are|which|who) (?:always|never)\b",
    "ever": r"\b(?:always|never)\b",
    "ban": rf"{_LEAD}{_DONT} (?!{_IDLE})\w",
    "no ban": rf"{_LEAD}{_DONT} {_IDLE}",
    "lasting": r"\bfrom (?:now|here|today) on|\b(?:going|moving) forward|\bin (?:the )?future\b|\bat all times"
    r"|\bby default\b"
    r"|\bas a rule|\buntil further|\b(?:unless|until) i \w|\bwithout (?:asking|my)|\bhenceforth|\bin general\b",
    "each time": r"\bwhenever\b|\b(?:every|each|any) ?time\b|\b(?:before|after|for|in|on|with) (?:every|each"
    r"|any|all)\b"
    r"|^\W*(?:when|if) (?:i|you)\b",
    "ask first": r"\bask (?:me|first|before)|\b(?:check|confirm|talk) with me|\b(?:tell|ping|warn) me (?:before"
    r"|first|when)",
    "must": r"\b(?:must|has to|have to|needs? to|shall|required|mandatory)\b",
    "should": r"\bshould\b",
    "cannot": r"\b(?:can't|cannot|may not|not allowed|mustn't|must not|forbidden|no longer|nobody|no one)\b",
    "only": r"\b(?:only|at most|at least|no more than|no longer than|max(?:imum)?|under|below|within|up to) ?\d?",
    "wish": r"\bi(?:'d| would)? (?:really |generally |usually |tend to |much )?(?:prefer|like|love|hate|dislike"
    r"|rather)\b"
    r"|\bnot a (?:big )?fan|\bprefer(?:ably|red|ence)?\b|\bideally\b",
    "decided": r"\b(?:decided|agreed|settled|chose|chosen|decision)\b|\b(?:let's|lets|we'll) (?:go|stick|use"
    r"|keep|stay|do|not)\b"
    r"|\b(?:go|going|went) with\b|\bwe (?:use|keep|drop|dropped|stay)\b|\bit is then\b",
    "answer": r"^\W*(?:yes|yep|yeah|no|nope|ok|okay|sure|[a-d1-9])\b[.,:;)-]",
    "question": r"[?？]\W*$",
    "asks you": r"^\W*(?:please )?(?:can|could|would|will) you\b",
    "asks": r"^\W*(?:so |and |but )?(?:why|what|how|when|where|who|which|is|are|does|do|did|should|can|could|any)\b",
    "reported": r"\b(?:says?|said|told|writes?|wrote|according to|docs|readme|recommends?|apparently|boss"
    r"|colleague)\b",
    "supposed": r"\b(?:what if|suppose|maybe|perhaps|might|wonder\w*|would be|could be|not sure|i guess"
    r"|thinking (?:of|about))\b",
    "at hand": r"\bthis (?:pr|commit|file|change|branch|test|function|one|time|fix)\b|\b(?:here|yet|for now"
    r"|right now|first|today)\b",
    "i did": r"\b(?:i|we)(?:'ve| have| had)? (?:just |already |also )?\w+ed\b|\bi(?:'m| am) \w+ing\b",
    "this": r"^\W*(?:it|this|that|these|those)\b",
    "ours": r"\b(?:our|in this (?:repo|project|codebase)|around here|in here)\b",
}  # fmt: skip
_PATTERNS = {name: re.compile(pattern) for name, pattern in _CUES.items()}


def cues_in(text: str) -> list[str]:
    """The marks of a sentence in small letters, by name, and each two of them together."""
    names = [name for name, pattern in _PATTERNS.items() if pattern.search(text)]
    return [f"={name}" for name in names] + [f"={name}+{other}" for name, other in combinations(names, 2)]
