"""How people word rules: for all time, for every occasion, for how to answer, for how a project does things."""

from __future__ import annotations

from clew.domain.critical import ItemKind, Scope
from clew.signals.critical.words import (
    DONT,
    FIRST,
    LANGUAGES,
    LASTING,
    LATER,
    MANNER,
    OCCASION,
    ORDERS,
    PROJECT,
    REPLIES,
    START,
    STYLES,
    VERBS,
    Strength,
    Wording,
)
from clew.text.phrases import any_of

_WISHES = "i want|i'd like|i would like|i need|i expect|i'd love|i'd appreciate|i would appreciate|i'd prefer|i prefer"
#: Conventions of a team: what it does, said in the present.
_HABITS = (
    "use|write|run|keep|put|name|test|commit|squash|rebase|deploy|add|document|ask|call|prefer|return|import|push"
    "|merge|require|validate|store|format|follow|log|handle|check|pin|target|support|ship|want|allow|mock|expose"
    "|throw|catch"
)

EVER = (
    Wording(
        kind=ItemKind.INSTRUCTION,
        pattern=any_of(*LASTING),
        strength=Strength.STRONG,
        asks=True,
        along=ORDERS,
    ),
    Wording(
        kind=ItemKind.INSTRUCTION,
        pattern=any_of(
            rf"{FIRST}{LATER}\b",
            rf"{FIRST}(?:{VERBS}|{DONT}|no|let's|i want|i'd like|i'd prefer|you should)\b[^.?!]*\b{LATER}\W*$",
            start="",
            end="",
        ),
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
            rf"(?:sure|remember|forget|careful|try|{_WISHES}|rule is|told|tell|asked|ask|great|nice|helpful"
            r"|better)(?:\s+(?:that|it|you|us|we|to|not|if|would|could|can|'d))+\s+(?:always|never|only ever)\s+[a-z]+"
        ),
        strength=Strength.STRONG,
        asks=True,
    ),
    Wording(
        kind=ItemKind.INSTRUCTION,
        pattern=any_of(
            r"(?:can|could|would|will) you\s+(?:please\s+|also\s+|just\s+)*(?:always|never|only ever)\s+[a-z]+"
        ),
        asks=True,
    ),
    Wording(
        kind=ItemKind.INSTRUCTION,
        pattern=any_of(rf"we\s+(?:always|never|only ever)\s+(?:{_HABITS})"),
        scope=Scope.PROJECT,
    ),
)

WAYS = (
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
            r"(?:(?:always|only) )?(?:answer|reply|respond|speak|talk|write|communicate|explain)(?: (?:to|with|me"
            r"|back|only"
            rf"|everything|always|exclusively))* in (?:only |plain |simple )?{LANGUAGES}(?: only)?",
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
            r"explain (?:things|everything|concepts)(?: to me)? (?:as|like|in|with)",
            start=FIRST,
            end="",
        ),
        scope=Scope.USER,
    ),
    Wording(
        kind=ItemKind.INSTRUCTION,
        pattern=any_of(
            r"(?:ask|check with|consult|confirm with|tell|warn|notify|wait for) (?:me"
            r"|us)\b[^.?!]*\bbefore (?:you |any |every |each |\w+ing )",
            r"before (?:you |any |every |each |all )?(?:commit|push|delet|install|deploy|merg"
            r"|releas)\w*\b[^.?!]*, "
            rf"(?:please |always )*(?:{VERBS})",
            start=START,
        ),
    ),
    Wording(
        kind=ItemKind.INSTRUCTION,
        pattern=any_of(
            rf"use {STYLES}(?: |\W*$)",
            r"use (?:npm|yarn|pnpm|bun|pip|poetry|uv|pytest|unittest|jest|vitest|typescript|postgres\w*|mysql|sqlite"
            r"|yaml|json)(?:\W*$| please| instead)",
            r"use [\w`@/.+-]+(?: [\w`@/.+-]+){0,3}(?:, not| instead of| rather than| and not| for (?:all|every|any"
            r"|each|new|everything|tests|testing|commits|indentation|logging|naming|dates|lists)| everywhere"
            r"| by default| when i )",
            start=START,
            end="",
        ),
        scope=Scope.PROJECT,
    ),
    Wording(
        kind=ItemKind.INSTRUCTION,
        pattern=any_of(
            rf"{OCCASION}\b[^.?!]*[,:]\s*(?:please |always |also |you (?:should|must) |make sure |i want "
            r"|i'd like"
            rf" )*(?:{VERBS}|don't|do not|please|i want|i'd like)",
            rf"(?:{VERBS}|make sure)\b[^.?!]*\b(?:whenever|every ?time|each time|any ?time|(?:after|before|on"
            r"|with) (?:every|each))\s",
            start=START,
            end="",
        ),
    ),
    Wording(
        kind=ItemKind.INSTRUCTION,
        pattern=any_of(
            rf"(?:when|if) i (?:ask|say|mention|want|type|request)\b[^.?!]*,\s*(?:please |always |just "
            r"|only |also )*"
            rf"(?:{VERBS}|don't|do not|you should|you must)\b",
            rf"(?:{VERBS})\b[^.?!]*\bwhen(?:ever)? i (?:ask|say|mention|request|talk)\b",
            start=START,
            end="",
        ),
        scope=Scope.USER,
    ),
)

PROJECTS = (
    Wording(
        kind=ItemKind.INSTRUCTION,
        pattern=any_of(
            rf"{PROJECT},? (?:please )?(?:we|you|i want|use|always|never|all|every|{DONT}|only|everything"
            r"|there should|stick|keep|write|avoid)",
            r"(?:we (?:use|want|keep|write|follow|stick)|use|stick to|stick with|follow"
            rf"|there should be) [^.?!]* {PROJECT}",
            r"(?:this|our) (?:project|repo|repository|codebase|team|company|monorepo) (?:only )?(?:uses|follows"
            r"|targets|requires|supports|sticks to|is (?:strictly|written in)|runs on|forbids)",
            r"(?:our|team|house|coding|project) (?:coding )?(?:convention|policy|standard|rule"
            r"|guideline)s? (?:here )?(?:is|are)",
            r"(?:the |our |my )?(?:overriding|guiding|golden|general) (?:directive|principle|rule|constraint"
            r"|requirement) is",
            start=START,
        ),
        scope=Scope.PROJECT,
    ),
)
