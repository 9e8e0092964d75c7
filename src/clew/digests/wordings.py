"""The wordings by which requests are recognised in what people write."""

from __future__ import annotations

import re2

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
HOLDS_BACK = compile_phrases(
    any_of("stop", "leave", "wait", "don't", "do not", "never", "no", "always", start=r"^\W*"),
    any_of(r"(?:keep|make|write) (?:your |the |all )?(?:answers?|repl(?:y|ies)|responses?)", start=r"^\W*"),
)
_DATE = (
    r"(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}"
    r"|[A-Z][a-z]{2,8}[- ]\d{1,2}[-, ]{1,2}\d{4}|\d{1,2} [A-Z][a-z]{2,8},? \d{4})"
)
_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[AaPp]\.?[Mm]\b\.?)?(?:Z\b| UTC\b)?"
_MOMENT = rf"(?:{_DATE}(?:(?:T|,? (?:at )?){_TIME})?|{_TIME}(?:,? (?:on )?{_DATE})?)"
_NAME = r"[\w.'-]{1,30}(?: [\w.'-]{1,30}){0,2}"
#: When a line was said and by whom, as logs and chats put it before the words.
STAMP = re2.compile(
    rf"^\s*(?:[\[(]{_MOMENT}[\])]\s*[-–|:]?\s*(?:{_NAME}:\s+)?|{_MOMENT}\s*[-–|]\s*(?:{_NAME}:\s+)?|{_MOMENT}\s+{_NAME}:\s+"
    r"|(?i:user|human|assistant|ai|agent|bot|customer|me|you)\s*(?:\([^)]{1,30}\))?:\s+)"
)
#: A name that may be a speaker's, or a label that belongs to the words.
NAMED = re2.compile(r"^\s*(?:\p{Lu}[\w.'-]{1,30} ?){1,3}:\s+")

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
