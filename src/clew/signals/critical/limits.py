"""How people word limits, bans and requirements."""

from __future__ import annotations

from clew.domain.critical import ItemKind, Scope
from clew.signals.critical.words import DONT, NUMBER, SPECIFIC, START, Strength, Wording
from clew.text.phrases import any_of

LIMITS = (
    Wording(
        kind=ItemKind.CONSTRAINT,
        pattern=any_of(
            rf"(?:no|not|never) (?:more|longer|less|fewer|wider|larger|bigger) than {NUMBER}",
            rf"(?:at most|max(?:imum)?(?: of)?) {NUMBER} (?:columns?|char\w*|lines?|words?|sentences?|paragraphs?"
            r"|bullets?|[km]b|ms|seconds?|tokens?|items?)",
            start=r"^(?:\W*(?:please|keep|use|limit|answers?|all|every|each|the|must|with|be|it|should|have|a|[\w-]*(?:s|line|"
            r"length|file))\b\W*){0,6}",
        ),
    ),
    Wording(
        kind=ItemKind.CONSTRAINT,
        pattern=any_of(
            rf"(?:keep|stay|remain|limit)\b[^.?!;]*\b(?:under|below|within|beneath|less than"
            rf"|to at most) (?:(?:a|the|our|my|about|around|max) )*{NUMBER}",
        ),
    ),
    Wording(
        kind=ItemKind.CONSTRAINT,
        pattern=any_of(
            r"without (?:using|adding|introducing|attaching|relying on|depending on|installing|resorting to) ", end=""
        ),
        states=True,
        scope=Scope.TASK,
        unless=SPECIFIC,
    ),
    Wording(
        kind=ItemKind.CONSTRAINT,
        pattern=any_of(
            r"(?:you|we|it|this|users?|the \w+|our \w+) (?:cannot|can't|can not|must not|mustn't|may not|shall not"
            r"|are not allowed to|aren't allowed to) (?:ever )?(?:use|rely|depend|add|install|break|change|touch"
            r"|modify|exceed|store|log|ship|deploy|go over|spend|eat|introduce|require|push|commit|send|share)",
            r"(?:is|are) (?:strictly |absolutely )?(?:forbidden|off[- ]limits|prohibited|not allowed|not acceptable"
            r"|mandatory|non-?negotiable)",
        ),
    ),
    Wording(
        kind=ItemKind.CONSTRAINT,
        pattern=any_of(
            rf"{DONT} (?:just |simply |please )?(?:use|write|include|install|touch|modify|edit|introduce|rely on"
            r"|import|mock|hard-?code|assume|invent|guess|mention|suggest|explain|repeat|spawn|rewrite|add|create"
            r"|commit|push|delete|remove|change|generate|put|deploy|merge|log|print|make|swallow|ignore|skip|send"
            r"|share|store|expose|refactor|reformat|rename|start every|end every|bother me|ask me|call me|give me"
            r"|summari[sz]e|apologi[sz]e)",
            start=START,
        ),
        unless=SPECIFIC,
    ),
    Wording(
        kind=ItemKind.CONSTRAINT,
        pattern=any_of(
            r"use only",
            r"only (?:ever )?(?:use|answer|reply|respond|speak|quote|cite)",
            r"only (?:commit|push|deploy|merge|edit|touch|change) (?:when|if|after|files|what)",
            r"stop (?:using|adding|writing|apologi[sz]ing|asking|putting|saying|calling|creating|committing"
            r"|summari[sz]ing|explaining|suggesting|repeating|ending|starting|including|telling me)",
            r"no (?:more )?(?:emojis?|apologies|fluff|filler|jargon|preambles?|yapping|bullet points|placeholders?"
            r"|new dependencies|external (?:libraries|dependencies)|third[- ]party (?:libraries|dependencies)"
            r"|inline styles)",
            r"avoid (?:using|adding|writing|putting|creating|mocking|abbreviations|jargon|emojis?|comments|globals?"
            r"|adverbs|passive|nested|inline|external|third[- ]party|new dependencies|unnecessary|over-?engineering"
            r"|any)",
            start=START,
        ),
        unless=any_of("it|this|that|these|those|them|the (?:first|second|other|new|old|last)", start=r"^\W*"),
    ),
)

#: Places that people fence off for good: branches and servers, folders and files.
_BRANCH = "(?:the )?(?:main|master|develop|trunk|production|prod|staging|release)(?: branch(?:es)?| servers?)?"
_FENCED = (
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
FENCED = (
    Wording(
        kind=ItemKind.CONSTRAINT,
        pattern=any_of(
            rf"{DONT} (?:ever |directly )?(?:force[- ]?push|push|commit|merge|deploy|work|write)(?: (?:anything|code"
            rf"|changes|directly|straight|right)){{0,2}} (?:to|on|into|onto|in|against) {_BRANCH}",
            rf"{DONT} (?:ever )?(?:touch|modify|edit|change|alter|reformat|refactor|rename|mess with|write to"
            rf"|write into|go into|commit to) {_FENCED}",
            start=START,
            end=r"(?:\W|$)",
        ),
        unless=_ONLY_NOW,
    ),
    Wording(
        kind=ItemKind.CONSTRAINT,
        pattern=any_of(
            rf"{DONT} (?:ever )?[a-z-]+(?: (?:to|the|any|new|a|an|our|my)){{0,2}} (?:[\w./-]{{5,}}|main|prod|code)"
            r"(?: [\w./-]{5,})? (?:without|unless) (?:asking|checking with|telling|consulting|my|explicit|approval"
            r"|permission|confirmation|i (?:ask|say|tell|approve|confirm))",
            start=START,
        ),
    ),
)

_THING = (
    "(?:it|this|the (?:[\\w-]+ )?(?:app|application|api|service|site|website|page|ui|code|solution|library|tool|cli"
    "|server|system|product|design|output|database|package|plugin|script|program|report|document|essay|letter|resume"
    "|budget))"
)
NEEDS = (
    Wording(
        kind=ItemKind.REQUIREMENT,
        pattern=any_of(
            r"(?:all|every|each|any|no) (?:(?:the|our|my|your|new|public|of) )*[\w-]+(?: [\w-]+){0,3} (?:must|has to"
            r"|have to|needs? to|shall)",
            rf"{_THING} (?:must|has to|have to|absolutely needs to)(?: (?:always|still|also|not|never|only))* (?:be"
            r"|support|work|run|stay|remain|return|use|have|keep|pass|handle|fit|comply|match|follow|meet|survive"
            r"|scale|load|build)",
            r"we (?:must|need to|have to|are required to) (?:also |still )?(?:support|stay|remain|comply"
            r"|be compatible|target)",
            r"(?:hard|strict|absolute|must-have) requirements?(?: is| are|:)",
            r"is a (?:hard|strict|firm|absolute)[- ](?:requirement|constraint|rule|limit)",
            r"(?:it's|it is) (?:required|essential|crucial|imperative|mandatory) (?:that|to)",
            r"must (?:not|never) (?:be|have|use|contain|depend|require|exceed|break|change|leave|block|fail|write"
            r"|call|touch)",
        ),
        unless=any_of(
            r"down|broken|wrong|missing|something|stuck|slow|outdated|stale|a bug|the (?:problem|cause|issue)|due"
            r"|because|been|had",
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
    Wording(
        kind=ItemKind.REQUIREMENT,
        pattern=any_of(r"must (?:be [a-z]+ed|support|work|run|remain|stay|include|handle|pass)"),
        strength=Strength.WEAK,
        scope=Scope.TASK,
    ),
)
