"""How people and assistants put it: the wordings by which asks, decisions and leftovers are known."""

from __future__ import annotations

from typing import Any

import re2

#: Where an order may begin: at the start, after a mark, after a small word.
_START = r"(?:^|[,;:(–—-]\s|\b(?:please|but|and|so|then|now|next|also|just|ok|okay|yes|no)[, ]+)"
_VERBS = (
    "fix|add|implement|create|make|write|update|change|remove|delete|refactor|rename|move|run|check|review|look|find"
    "|investigate|explain|show|tell|build|test|use|continue|read|analy[sz]e|debug|replace|try|commit|push|merge|rebase"
    "|install|set up|document|clean|improve|optimi[sz]e|convert|migrate|generate|do|go|stop|leave|finish|proceed"
    "|verify|simplify|split|extract|resolve|address|plan|design|start|begin|store|save|put|take|give|let|apply|bump"
    "|handle|support|disable|enable|rewrite|port|wire|hook|expose|ensure|keep|work|prepare|draft|summari[sz]e|list"
)


def _any(*wordings: str, start: str = r"\b", end: str = r"\b") -> str:
    """One of the wordings; a straight apostrophe stands for a curly one too."""
    return f"{start}(?:{'|'.join(wordings)}){end}".replace("'", "['’]")


def _compiled(*patterns: str) -> Any:
    return re2.compile("(?i)" + "|".join(patterns))


#: How plainly a sentence asks, the plainest first: a person addressed, an order, a wish or question, an aside.
ASKS = (
    _compiled(
        _any("can you", "could you", "would you", "will you", "help me", "your task is", "i want you to"),
        _any("please", end=rf"[, ]+(?:\w+ )?(?:{_VERBS})\b"),
    ),
    _compiled(
        _any(_VERBS, start=r"^(?:\W*(?:ok|okay|now|so|then|next|also|and|yes|great|first|just)[, ]+)?"), _any("let'?s")
    ),
    _compiled(
        _any("i want", "i'd like", "i would like", "i need", "we need", "we should", "can we", "please"), r"\?\W*$"
    ),
    _compiled(_any(_VERBS, start=_START)),
)
#: Orders that only hold something back; what is wanted stands elsewhere.
HOLDS_BACK = _compiled(_any("stop", "leave", "wait", "don't", "do not", "never", "no", start=r"^\W*"))

PERSON_DECIDES = _compiled(
    _any("do not", "don't", "never", "always", "avoid", "only use", "make sure", "ensure", start=_START),
    _any("keep", "leave", "stick", "stay", "use", "go with", start=_START),
    _any("let'?s", "decided?", "decision", "instead", "rather than", "going with", "go with", "no longer"),
    _any("(?:stick|sticking) (?:with|to)", "(?:stay|staying) (?:on|with|at)", "from now on"),
    _any("(?:i|we)(?:'d| would)? (?:prefer|rather|chose|agreed)", "(?:i|we) want(?:ed)? (?:it|them|this|that) to"),
    _any("we(?:'ll| will) (?:use|keep|go|do|make|need|have)", "(?:must|should)(?: not|n't)?"),
)

ASSISTANT_DECIDES = _compiled(
    _any("decided (?:to|on|against|that)", "decision(?: is)?:", "going with", "instead of", "rather than", end=""),
    _any("i(?:'ll| will) (?:go with|keep|stick with|leave|avoid|use)", "we(?:'ll| will) (?:use|keep|go with)"),
    _any("let's (?:use|go with|keep|stick)", "i(?:'ve)? (?:chose|chosen|opted|kept|left|used|picked|switched)"),
    _any("switch(?:ed|ing) (?:from|to)", "the fix (?:is|was)", "by design", "trade-?off", "turns out", "root cause"),
    _any("the (?:real|actual) (?:problem|issue|cause)", "the (?:problem|issue|bug|cause) (?:is|was) (?:that|in|with)"),
)

#: Announcing which tool comes next, or weighing what might be done, decides nothing.
DECIDES_NOTHING = _compiled(
    _any("tools?", "sub-?agents?", "todo ?(?:list|write)", "grep", "glob", "let me", "option [a-d0-9]"),
    _any("keep (?:a list|track|you|going|looking|digging|an eye|this|that|it) ?"),
    _any("would you like", "do you want", "should i", "shall i", "want me to", "if you(?:'d)? (?:prefer|want|like)"),
    _any("could", "might", "maybe", "perhaps"),
)

#: Polite and empty beginnings of a request; some are empty only when a mark follows.
LEAD = re2.compile(
    _any(
        "hi|hey|hello|ok|okay|thanks|thank you|thx|great|perfect|cool|nice|good|awesome|yes|yep|yeah|sure|right|sorry",
        "well|hmm|alright|next thing|lovely",
        start="(?i)^(?:",
        end=r"\W*[,!.:;–—-]\W*|",
    )
    + _any(
        "please|now|so|also|and|then|ok|okay|yes|can you|could you|would you|let'?s",
        "i want you to|i'd like you to|i would like you to|i need you to|help me to|help me",
        start="",
        end=r"(?: please)?[\s,:–—-]+)",
    )
)

LEFT = _compiled(
    _any("remaining", "next steps?", "to-?dos?", "pending", "open questions?", start=r"^\W*(?:\w+ )?"),
    _any("left to do", "blocked (?:by|on)", "i haven't", "hasn't been", "(?:is|are) (?:still )?(?:open|pending)"),
    _any("still (?:need|needs|to do|open|missing|failing|fails|have to)", "waiting (?:for|on)", "not yet done"),
)
NOTHING_LEFT = _compiled(_any("no (?:remaining|pending|follow-?ups?|open)", "nothing (?:remains|left|pending)"))

#: How a request begins that goes on with what was asked before.
GOES_ON = _compiled(
    _any(
        "yes|yep|yeah|no|ok|okay|sure|right|great|perfect|good|thanks|thank you|cool|nice|continue|go on|go ahead",
        "proceed|also|and|but|still|actually|sorry|wait|hmm|it|that|this|these|those|they|same|again|why|what about",
        "commit|push|run|retry|try again|do it|done|stop|undo|revert|maybe|one more thing|is it|can it|could it|isn't",
        start=r"^\W*",
    )
)
