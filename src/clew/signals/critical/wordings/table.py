"""How people word what should last, in the order in which it is tried; and how a sentence is searched for it.

A wording stays only where a figure falls without it, or a plain sentence is lost that people do write. What is said in
other words the models hear.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import re2

from clew.domain.critical import ItemKind, Scope
from clew.signals.critical.subjects import CHOICES
from clew.signals.critical.wordings.oneself import ONESELF
from clew.signals.critical.wordings.other_languages import ELSEWHERE
from clew.signals.critical.wordings.parts import (
    DONT,
    FIRST,
    LASTING,
    LATER,
    MANNER,
    NUMBER,
    OCCASION,
    ORDERS,
    REPLIES,
    SPECIFIC,
    START,
    VERBS,
    Strength,
    Wording,
)
from clew.text.decisions import DECIDED_TO, GOING_WITH, NOT_NEEDED, WILL_FOLLOW
from clew.text.language import LANGUAGES
from clew.text.phrases import any_of

#: Room for the automaton's states; it starts anew when they are full.
_AUTOMATON_BYTES = 32 << 20

#: For all time.
_EVER = (
    Wording(kind=ItemKind.INSTRUCTION, pattern=any_of(*LASTING), strength=Strength.STRONG, asks=True, along=ORDERS),
    Wording(
        kind=ItemKind.INSTRUCTION,
        pattern=any_of(LATER, start=FIRST),
        strength=Strength.STRONG,
        along=ORDERS,
        unless=any_of("releases?|versions?|sprints?|work|phases?|prs?|iterations?|with|together", start=r"^\W*"),
    ),
    Wording(
        kind=ItemKind.CONSTRAINT,
        pattern=any_of(rf"{DONT}\s+(?:you\s+)?ever\s+[a-z]+", start=START),
        strength=Strength.STRONG,
    ),
    Wording(
        kind=ItemKind.INSTRUCTION,
        pattern=any_of(r"[\w'-]+\s+(?:must|should|shall|ought to|have to|has to|needs? to)\s+(?:always|never)"),
        strength=Strength.STRONG,
        unless=any_of("have|been|happen|occur|exist|be (?:possible|needed|necessary)|get here", start=r"^\s+"),
    ),
    Wording(
        kind=ItemKind.INSTRUCTION,
        pattern=any_of(
            r"(?:sure|remember|want|like|great|nice)(?:\s+(?:that|it|you|we|to|not|if|could))+\s+(?:always|never)\s+[a-z]+",
            r"(?:can|could|would|will) you\s+(?:please\s+|also\s+|just\s+)*(?:always|never)\s+[a-z]+",
        ),
        asks=True,
    ),
    Wording(kind=ItemKind.INSTRUCTION, pattern=any_of(rf"we\s+(?:always|never)\s+(?:{VERBS})"), scope=Scope.PROJECT),
)

_ADVERBS = "really|generally|usually|personally|still|also|actually|definitely|always|strongly|much|do|tend to|now"
_WANTS = (
    Wording(
        kind=ItemKind.PREFERENCE,
        pattern=any_of(
            rf"(?:i|we)(?:'d| would)?\s+(?:(?:{_ADVERBS})\s+){{0,3}}(?:prefer|favou?r)",
            r"my (?:\w+ )?preferences? (?:is|are|for|would be)",
        ),
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
            r"i(?:'d| would) (?:much |really |far )?rather (?:you|we|not|have|see|use|keep|stay|work|avoid)",
            r"i(?:'m| am) (?:not )?(?:really |a |much of a |big |huge )+fan of",
            rf"i (?:(?:{_ADVERBS}) )?(?:like|love|want|need|appreciate) (?:all )?(?:my|your) (?:[\w-]+ )?{REPLIES}",
            rf"i (?:(?:{_ADVERBS}) )?(?:like|love|want|appreciate) {MANNER} {REPLIES}",
            r"i (?:really )?(?:like|love|appreciate|hate|dislike|don't like|do not like) it when you",
        ),
        states=True,
        scope=Scope.USER,
    ),
    Wording(
        kind=ItemKind.PREFERENCE,
        pattern=any_of(r"i (?:hate|dislike|can't stand|detest|avoid)"),
        states=True,
        scope=Scope.USER,
        unless=SPECIFIC,
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
)

_LIMITS = (
    Wording(
        kind=ItemKind.CONSTRAINT,
        pattern=any_of(
            rf"{FIRST}(?:[\w-]+ ){{0,4}}(?:no|not) (?:more|longer|less|fewer|wider|larger) than {NUMBER}",
            rf"\b(?:keep|stay|remain|limit)\b[^.?!;]*\b(?:under|below|within|less than|to at most)"
            rf" (?:(?:a|the|our|my|about|around|max) )*{NUMBER}",
            start="",
        ),
    ),
    Wording(
        kind=ItemKind.CONSTRAINT,
        pattern=any_of(r"without (?:using|adding|introducing|attaching|relying on|installing|resorting to) ", end=""),
        states=True,
        scope=Scope.TASK,
        unless=SPECIFIC,
    ),
    Wording(
        kind=ItemKind.CONSTRAINT,
        pattern=any_of(
            r"(?:you|we|it|this|users?|the \w+|our \w+) (?:cannot|can't|must not|mustn't|may not|shall not"
            r"|are not allowed to|aren't allowed to) (?:ever )?(?:use|rely|depend|add|install|break|change|touch"
            r"|modify|exceed|store|log|ship|deploy|spend|introduce|require|push|commit|send|share)",
            r"(?:is|are) (?:strictly |absolutely )?(?:forbidden|off[- ]limits|prohibited|not allowed|mandatory)",
        ),
    ),
    Wording(
        kind=ItemKind.CONSTRAINT,
        pattern=any_of(
            rf"{DONT} (?:just |simply |please )?(?:{VERBS}|modify|introduce|rely on|hard-?code|invent|guess|repeat"
            r"|spawn|rewrite|generate|merge|swallow|ignore|share|expose|refactor|reformat|rename|apologi[sz]e)",
            start=START,
        ),
        unless=SPECIFIC,
    ),
    Wording(
        kind=ItemKind.CONSTRAINT,
        pattern=any_of(
            r"only (?:ever )?(?:use|answer|reply|respond|speak|quote|cite)",
            r"(?:stop|avoid) (?:using|adding|writing|apologi[sz]ing|asking|putting|saying|creating|committing|mocking)",
            r"no (?:more )?(?:emojis?|apologies|fluff|filler|jargon|preambles?|new dependencies"
            r"|(?:external|third[- ]party) (?:libraries|dependencies))",
            start=START,
        ),
        unless=any_of("it|this|that|these|those|them|the (?:first|second|other|new|old|last)", start=r"^\W*"),
    ),
)

#: Places that people fence off for good: branches and servers, folders and files.
_BRANCH = "(?:the )?(?:main|master|develop|trunk|production|prod|staging|release)(?: branch(?:es)?| servers?)?"
_PLACE = (
    r"(?:anything |any files? |any code |files? |code |stuff )?(?:in |inside |under |within |into |to )?"
    r"(?:the |our |my )?`?(?:[\w.@-]+/[\w./*@-]*`?(?: (?:folder|directory|dir|tree|files?))?"
    r"|[\w.-]+`? (?:folder|directory|dir|submodule|subtree)s?|(?:folder|directory) `?[\w./-]+`?"
    r"|(?:the|our|my) (?:[\w.-]+ ){1,2}(?:module|package|service|schema|database))"
)
#: Words that make it an order for the work at hand.
_ONLY_NOW = any_of(
    r"for now|this time|right now|yet|today|here|at the moment|for this|in this|on this|as part of this|this (?:pr"
    r"|change|commit|task|time|branch|one)|until|just|again",
    start=r"^[^.?!]*\b",
)
_FENCED = (
    Wording(
        kind=ItemKind.CONSTRAINT,
        pattern=any_of(
            rf"{DONT} (?:directly )?(?:force[- ]?push|push|commit|merge|deploy|work|write)(?: (?:anything|code"
            rf"|changes|directly|straight|right)){{0,2}} (?:to|on|into|onto|in|against) {_BRANCH}",
            rf"{DONT} (?:touch|modify|edit|change|alter|reformat|refactor|rename|mess with|write (?:in)?to) {_PLACE}",
            start=START,
            end=r"(?:\W|$)",
        ),
        unless=_ONLY_NOW,
    ),
    Wording(
        kind=ItemKind.CONSTRAINT,
        pattern=any_of(
            rf"{DONT} [a-z-]+(?: [\w./-]+){{1,4}} (?:without|unless) (?:asking|checking with|telling|my|explicit"
            r"|approval|permission|i (?:ask|say|tell|approve|confirm))",
            start=START,
        ),
    ),
)

_WAYS = (
    Wording(
        kind=ItemKind.CUSTOM,
        pattern=any_of(
            rf"(?:remember|(?:keep|bear) in mind|{DONT} forget)(?: that |: )(?:the|our|my|we|i|you|all|every|no|there"
            r"|[\w-]+ (?:is|are|has|have|must|should|can|will|needs?|runs?|uses?|only))",
            start=FIRST,
        ),
        unless=any_of("time|day|moment|first|last|guy|one", start=r"^\s+"),
    ),
    Wording(
        kind=ItemKind.INSTRUCTION,
        pattern=any_of(
            r"(?:answer|reply|respond|speak|talk|write|communicate|explain)(?: (?:to|with|me|back|only|everything))*"
            rf" in (?:only |plain |simple )?(?:{'|'.join(sorted(LANGUAGES))}|markdown|json|plain text|bullet points)",
            start=START,
        ),
        scope=Scope.USER,
        asks=True,
    ),
    Wording(
        kind=ItemKind.PREFERENCE,
        pattern=any_of(
            rf"keep (?:(?:all|your|the|my|every) )*(?:[\w-]+ )?{REPLIES} (?:at|under|below|within|free|{MANNER})",
            rf"(?:be|stay|remain) (?:(?:more|very|as|extra|a bit|a little|less) )*{MANNER}(?: (?:in|with|when"
            r"|please)|\W*$)",
            start=FIRST,
            end="",
        ),
        scope=Scope.USER,
    ),
    Wording(
        kind=ItemKind.INSTRUCTION,
        pattern=any_of(
            r"(?:ask|check with|consult|tell|warn|notify|wait for) (?:me|us)\b[^.?!]*\bbefore (?:you |any |every |each"
            r" |\w+ing )",
            rf"{OCCASION}\b[^.?!]*[,:]\s*(?:please |always |also |you (?:should|must) )*(?:{VERBS}|{DONT}|please)",
            rf"(?:{VERBS}|make sure)\b[^.?!]*\b(?:whenever|every ?time|each time|any ?time|(?:after|before|on|with)"
            r" (?:every|each))\s",
            start=START,
            end="",
        ),
    ),
    Wording(
        kind=ItemKind.INSTRUCTION,
        pattern=any_of(
            rf"use (?:\w+ )?(?:{'|'.join(sorted(CHOICES))}|(?:single|double) quotes)"
            r"(?:\W*$| please| instead|, not| for (?:all|every|any|each|new|everything|\w+\W*$))",
            start=START,
            end="",
        ),
        scope=Scope.PROJECT,
    ),
    Wording(
        kind=ItemKind.INSTRUCTION,
        pattern=any_of(
            rf"(?:when|if) i (?:ask|say|mention|want|type|request)\b[^.?!]*,\s*(?:please |always |just |only |also )*"
            rf"(?:{VERBS}|{DONT}|you should|you must)\b",
            start=START,
            end="",
        ),
        scope=Scope.USER,
    ),
)

_WHOLE = "(?:project|repo|repository|codebase|team|company|monorepo)"
_THIS_WHOLE = f"(?:this|the|our) {_WHOLE}"
_PROJECTS = (
    Wording(
        kind=ItemKind.INSTRUCTION,
        pattern=any_of(
            rf"(?:we (?:use|want|keep|write|follow)|use|stick to|follow) [^.?!]* (?:in|for|across) {_THIS_WHOLE}",
            rf"(?:in|for|across) {_THIS_WHOLE},? (?:please )?(?:we|you|use|always|never|all|every|{DONT}|only)",
            rf"(?:this|our) {_WHOLE} (?:only )?(?:uses|follows|targets|requires|supports|runs on|forbids)",
            r"(?:our|team|house|coding|project) (?:convention|policy|standard|rule|guideline)s? (?:is|are)",
            start=START,
        ),
        scope=Scope.PROJECT,
    ),
)

_DECISIONS = (
    Wording(kind=ItemKind.DECISION, pattern=DECIDED_TO, scope=Scope.PROJECT, states=True),
    Wording(kind=ItemKind.DECISION, pattern=GOING_WITH, scope=Scope.PROJECT, states=True, unless=SPECIFIC),
    Wording(kind=ItemKind.DECISION, pattern=WILL_FOLLOW, scope=Scope.TASK, states=True),
    Wording(kind=ItemKind.DECISION, pattern=NOT_NEEDED, scope=Scope.PROJECT, states=True),
)

_NEEDS = (
    Wording(
        kind=ItemKind.REQUIREMENT,
        pattern=any_of(
            r"(?:all|every|each|no) (?:(?:the|our|my|your|new|of) )*[\w-]+(?: [\w-]+){0,3} (?:must|has to|have to)",
            r"(?:it|this|the (?:[\w-]+ )?[\w-]+) (?:must|has to|have to)(?: (?:always|still|also|not|never|only))*"
            r" (?:be|support|work|run|stay|return|use|keep|handle|comply|survive|load)",
            r"must (?:not|never) (?:be|have|use|contain|depend|require|exceed|break|change|leave|block|fail|touch)",
        ),
        unless=any_of(
            r"down|broken|wrong|missing|something|stuck|slow|a bug|the (?:problem|cause|issue)|due|because|been|had",
            r"(?:fail|caus|happen|do|mak|go|com|look|us|runn|gett)ing",
            start=r"^\s+",
        ),
    ),
    Wording(
        kind=ItemKind.REQUIREMENT,
        pattern=any_of(r"(?:i'm|i am|we're|we are) looking for (?:[\w-]+ ){0,2}[a-z-]+s (?:with|without|under) "),
        scope=Scope.TASK,
        states=True,
    ),
)

WORDINGS = (*_EVER, *_WANTS, *_LIMITS, *_FENCED, *_WAYS, *_DECISIONS, *_PROJECTS, *_NEEDS, *ELSEWHERE, *ONESELF)

#: Lines that announce a list of rules, and what its items are.
LEADS = (
    (ItemKind.CONSTRAINT, Scope.TASK, any_of("constraints?|restrictions?|limitations?")),
    (ItemKind.REQUIREMENT, Scope.TASK, any_of("requirements?|must[- ]haves?|non-negotiables?")),
    (ItemKind.PREFERENCE, Scope.USER, any_of("(?:my|some|our) preferences?|i prefer|i like")),
    (ItemKind.DECISION, Scope.PROJECT, any_of("decisions?|we(?:'ve| have)? (?:decided|agreed)")),
    (
        ItemKind.INSTRUCTION,
        Scope.PROJECT,
        any_of(
            "rules?|guidelines?|conventions?|code style|coding standards?|principles",
            *LASTING,
            "always|never",
            rf"^(?:please )?{OCCASION}",
        ),
    ),
)


@cache
def _together() -> Any:
    """All wordings as one automaton: one pass over a sentence tells which of them it holds."""
    options = re2.Options()
    options.max_mem = _AUTOMATON_BYTES
    together = re2.Set.SearchSet(options)
    for wording in WORDINGS:
        together.Add(wording.pattern)
    together.Compile()
    return together


def wordings_in(plain: str) -> list[Wording]:
    """The wordings that a sentence in small letters holds, in the order in which they are to be tried."""
    return [WORDINGS[at] for at in sorted(_together().Match(plain) or ())]
