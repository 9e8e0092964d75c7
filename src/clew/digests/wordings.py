"""The wordings by which requests are recognised in what people write."""

from __future__ import annotations

from clew.text.phrases import ORDER_START, any_of, compile_phrases

_VERBS = (
    "fix|add|implement|create|make|write|update|change|remove|delete|refactor|rename|move|run|check|review|look|find"
    "|investigate|explain|show|tell|build|test|use|continue|read|analy[sz]e|debug|replace|try|commit|push|merge|rebase"
    "|install|set up|document|clean|improve|optimi[sz]e|convert|migrate|generate|do|go|stop|leave|finish|proceed"
    "|verify|simplify|split|extract|resolve|address|plan|design|start|begin|store|save|put|take|give|let|apply|bump"
    "|handle|support|disable|enable|rewrite|port|wire|hook|expose|ensure|keep|work|prepare|draft|summari[sz]e|list"
)

#: How plainly a sentence asks, the plainest first: a person addressed, an order, a wish or question, an aside.
ASKS = (
    compile_phrases(
        any_of("can you", "could you", "would you", "will you", "help me", "your task is", "i want you to"),
        any_of("please", end=rf"[, ]+(?:\w+ )?(?:{_VERBS})\b"),
    ),
    compile_phrases(
        any_of(_VERBS, start=r"^(?:\W*(?:ok|okay|now|so|then|next|also|and|yes|great|first|just)[, ]+)?"),
        any_of("let'?s"),
    ),
    compile_phrases(
        any_of("i want", "i'd like", "i would like", "i need", "we need", "we should", "can we", "please"), r"\?\W*$"
    ),
    compile_phrases(any_of(_VERBS, start=ORDER_START)),
)
#: Orders that only hold something back; what is wanted stands elsewhere.
HOLDS_BACK = compile_phrases(any_of("stop", "leave", "wait", "don't", "do not", "never", "no", start=r"^\W*"))

#: Polite and empty beginnings of a request; some are empty only when a mark follows.
LEAD = compile_phrases(
    any_of(
        "hi|hey|hello|ok|okay|thanks|thank you|thx|great|perfect|cool|nice|good|awesome|yes|yep|yeah|sure|right|sorry",
        "well|hmm|alright|next thing|lovely",
        start="^(?:",
        end=r"\W*[,!.:;–—-]\W*|",
    )
    + any_of(
        "please|now|so|also|and|then|ok|okay|yes|can you|could you|would you|let'?s",
        "i want you to|i'd like you to|i would like you to|i need you to|help me to|help me",
        start="",
        end=r"(?: please)?[\s,:–—-]+)",
    )
)
