"""How people word wishes and decisions."""

from __future__ import annotations

from clew.domain.critical import ItemKind, Scope
from clew.signals.critical.words import FIRST, MANNER, REPLIES, SPECIFIC, Strength, Wording
from clew.text.decisions import DECIDED_TO, GOING_WITH, NOT_NEEDED, WILL_FOLLOW
from clew.text.phrases import any_of

_ADVERBS = (
    "really|generally|usually|personally|still|also|actually|just|definitely|always|strongly|much|would|do|tend to"
    "|typically|normally|simply|kinda|kind of|sort of|certainly|now|mostly"
)

WANTS = (
    Wording(
        kind=ItemKind.PREFERENCE,
        pattern=any_of(rf"(?:i|we)(?:'d)?\s+(?:(?:{_ADVERBS})\s+){{0,3}}(?:prefer|favou?r)"),
        states=True,
        unless=any_of(
            r"(?:that|this|it|option \w+|the (?:first|second|third|former|latter|other)(?: (?:one|option"
            r"|way))?)\W*(?:$|[,.;])",
            r"if\b",
            start=r"^\W*",
            end="",
        ),
    ),
    Wording(
        kind=ItemKind.PREFERENCE,
        pattern=any_of(
            r"my (?:(?:own|personal|strong|general|clear|usual) )?preferences? (?:is|are|for|would be)",
        ),
        states=True,
    ),
    Wording(
        kind=ItemKind.PREFERENCE,
        pattern=any_of(
            r"i(?:'d| would) (?:much |really |far )?rather (?:you|we|not|have|see|use|keep|stay|work|avoid|maintain)",
            r"i(?:'d| would) (?:like|love) you to (?:use|keep|stick|stop|avoid|speak|call|address|refer|answer|reply)",
            r"i(?:'m| am) (?:not )?(?:really |a |much of a |big |huge )+fan of",
            rf"i (?:(?:{_ADVERBS}) )?(?:like|love|want|need|enjoy|appreciate) (?:all )?(?:my"
            rf"|your) (?:[\w-]+ )?{REPLIES}",
            rf"i (?:(?:{_ADVERBS}) )?(?:like|love|want|enjoy|appreciate) (?:it|things|everything"
            rf"|{REPLIES}) (?:to be |kept )?(?:(?:very|as|really|nice and|more|super|fairly) )?{MANNER}",
            rf"i (?:(?:{_ADVERBS}) )?(?:like|love|want|enjoy|appreciate) {MANNER}(?:,? (?:and )?{MANNER})? {REPLIES}",
            r"i (?:really )?(?:like|love|appreciate|hate|dislike|can't stand|don't like|do not like) it when you",
            r"i (?:don't|do not) (?:want|need|like) (?:any |your )?(?:emojis?|apolog\w+|explanations|summaries|fluff"
            r"|filler|jargon|preambles?|small talk|flattery|lectures|disclaimers?|comments|placeholders"
            r"|bullet points|markdown)",
            r"(?:please )?(?:call|address) me (?:by|as) [\w-]+",
        ),
        states=True,
        scope=Scope.USER,
    ),
    Wording(
        kind=ItemKind.PREFERENCE,
        pattern=any_of(
            r"i (?:hate|dislike|can't stand|detest|avoid)",
            rf"i (?:(?:{_ADVERBS}) )?(?:prioriti[sz]e|gravitate towards?|swear by)",
            r"i tend to (?:like|choose|pick|avoid|use)",
        ),
        states=True,
        scope=Scope.USER,
        unless=SPECIFIC,
    ),
    Wording(
        kind=ItemKind.PREFERENCE,
        pattern=any_of("rather than"),
        states=True,
        scope=Scope.USER,
        unless=SPECIFIC,
        along=any_of("^(?:i|i'm|i'd|i've|my)"),
    ),
    Wording(
        kind=ItemKind.CONSTRAINT,
        pattern=any_of(r"(?:i|we) (?:don't|do not|never) want (?:to (?:see|have) )?any", start=FIRST),
        states=True,
        unless=any_of(
            "of|more|other|part|help|answers?|changes?|(?:trouble|problem|issue|error|surprise|mistake)s?",
            start=r"^\s+",
        ),
    ),
    Wording(
        kind=ItemKind.PREFERENCE,
        pattern=any_of(
            r"(?:i|we) (?:don't|do not) want (?:you to|any|to see any|us to)",
            r"i never want",
            r"i(?:'d| would) (?:prefer|rather)(?: it)? if",
        ),
        strength=Strength.WEAK,
        states=True,
    ),
)

DECISIONS = (
    Wording(
        kind=ItemKind.DECISION,
        pattern=DECIDED_TO,
        scope=Scope.PROJECT,
        states=True,
    ),
    Wording(
        kind=ItemKind.DECISION,
        pattern=GOING_WITH,
        scope=Scope.PROJECT,
        states=True,
        unless=SPECIFIC,
    ),
    Wording(
        kind=ItemKind.DECISION,
        pattern=WILL_FOLLOW,
        scope=Scope.TASK,
        states=True,
    ),
    Wording(
        kind=ItemKind.DECISION,
        pattern=NOT_NEEDED,
        scope=Scope.PROJECT,
        states=True,
    ),
)
