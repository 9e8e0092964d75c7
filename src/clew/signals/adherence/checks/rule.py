"""A rule's sentence, read: what it quotes, whether it forbids, when it applies, and what it is about.

A sentence whose condition is not understood gives no rule: a check that runs at the wrong time is a false alarm.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from clew.text.stems import topic_stems
from clew.text.vocabulary import words

#: A rule is a sentence or two; what is longer is a document.
MAX_CHARS = 600

_QUOTED = re.compile(r'`([^`\n]{1,200})`|"([^"\n]{1,300})"|(?<![\w])\'(.{1,300}?)\'(?!\w)')
_CURLY = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "\u00a0": " "})

_LEAD = re.compile(
    r"(?:[-*•>\s]+|\d{1,2}[.)]\s+|(?:please|pls|kindly|hey|ok|okay|so|and|also|but|then|now|just|again"
    r"|remember(?: to| that)?|note(?: that)?|important|rule|make sure(?: that| to| you)?|be sure to|ensure(?: that"
    r"| you| to)?|from now on|from here on(?: out)?|going forward|in (?:the )?future|for the rest of (?:this|the"
    r"|our) \w+|i(?:'d| would) (?:like|want|prefer)(?: it)?(?: if)?(?: you)?(?: to)?|i (?:want|need|prefer|expect"
    r"|like)(?: you)?(?: to)?|you (?:should|must|need to|have to|can|will|are to|shall)|(?:can|could|would) (?:you|u"
    r"|ya)|will you|let's|we (?:should|must|need to|have to|will|are going to)?|always|try to|strictly|at all times"
    r"|it's important (?:to|that)|whatever you do|in this (?:project|repo|repository|codebase|session|conversation"
    r"|chat))\b[,:!]?\s*)"
)
_NO = (
    r"(?:never|don't|do not|dont|cannot|can't|mustn't|must not|shouldn't|should not|may not|won't|will not|stop"
    r"|avoid|refrain from|no|not|without|exclude|excluding|omit|skip|forbidden|not allowed to)"
)
_FORBIDS = re.compile(rf"(?:{_NO})\b[,:]?\s*(?:ever\s+|to\s+)?")
_NEGATION = re.compile(rf"\b{_NO}\b")
_ASKED = re.compile(
    r"\A(?:does|do|is|are|has|have|did|was|were)\s+(?:the\s+|each\s+|every\s+|all\s+)?(?:entire\s+|final\s+"
    r"|whole\s+)?(?:response|answer|reply|output|explanation|information|summary|story|text|narrative|article|email"
    r"|poem|tone|content|step|suggestion|point|section|paragraph|recommended)\b"
)

_TOPIC = re.compile(
    r"\b(?:when(?:ever)?|if|each time|every time|any ?time|in case|while|where)\s+(?:i|we|the user|someone|people"
    r"|you|you're|you are|i'm|i am)?\s*(?:ask(?:ed|ing|s)?|talk(?:ing|s)?|discuss(?:ed|ing|es)?|inquir(?:e|ing)"
    r"|request(?:ed|ing|s)?|mention(?:ed|ing|s)?|question(?:s|ed)?|need|want|querying|explain(?:ing)?|describ(?:e"
    r"|ing)|answering)\b\s*(?:you\s+)?(?:about|for|on|regarding|questions? (?:about|on)|to)?\s*([^,.;:!?]{2,120})"
    r"|\bfor\s+(?:any\s+|all\s+)?questions?\s+(?:about|on|regarding)\s+([^,.;:!?]{2,120})"
)
_FILLERS = re.compile(
    r"\b(?:appreciate(?:d)?(?: it)?|helpful|great|nice|good|better|love it|prefer it|as) if (?:you (?:could|would"
    r"|can)?)?|\b(?:if|when(?:ever)?|where(?:ver)?|as)\s+(?:possible|needed|necessary|applicable|appropriate|any"
    r"|relevant|you can)\b"
)
_LEAVE = re.compile(
    r"\b(?:unless|until|without|except (?:when|if)|before)\s+(?:(?:i|i've|i have|we|you've|you|the user|explicitly"
    r"|first|being|you're|you are|specifically|been|have been|my|explicit|asking|checking|getting|confirming"
    r"|confirmation|permission|approval|told|asked|say|ask|tell|approve|confirm|request|instruct(?:ed)?|me|to|so|do"
    r"|it|with|it's|given|give|from|for|consent|leave|prior|okay|ok|requested|user|has|have|got|an?|the|go-ahead|it"
    r"|says|asks)\b[ ,]*)+"
)
_SAYS_SO = re.compile(
    r"\b(?:ask|tell|told|say|approv|confirm|permission|request|instruct|consent|go-ahead|ok|explicit|check)"
)
_CONDITION = re.compile(
    r"\b(?:when(?:ever)?|if|unless|until|once|while (?!\w+ing\b)|except|in case|as long as|otherwise|during)\b"
)

_ANSWERING = words(
    "respond reply answer write keep limit use include format provide give explain summarize summarise present put"
    " gimme tell sum compile discuss outline send draft elaborate generate produce convert rewrite revise refine"
    " expand compare analyze analyse need follow list end begin start finish avoid speak talk output return restrict"
    " describe say mention sign call address structure make show add refrain omit do be conclude open close wrap"
    " highlight cite state skip exclude apologize translate responding replying answering saying using mentioning"
    " including writing apologizing apologising calling ending"
)
_WORKING = words(
    "run ask commit check confirm name indent prefer only stick import install execute get wait verify test"
    " lint touch modify edit change delete push go choose leave prefix confine work read create update before after"
    " amend merge rebase deploy publish search launch spawn chain fetch open-source build compile typecheck restrict"
    " committing pushing"
)
_REPLY = re.compile(
    r"\b(?:responses?|answers?|repl(?:y|ies)|explanations?|outputs?|summar(?:y|ies)|essays?|stor(?:y|ies)|poems?"
    r"|articles?|emails?|letters?|messages?|information|narrative|review|it|everything|descriptions?|posts?|blog"
    r"|speech|report|paragraphs?|sentences?|words?|tone|text|content|chat|conversation|me)\b"
)
_DEONTIC = re.compile(
    r"\b(?:must|should|shall|needs? to|ha(?:ve|s) to|always|never|please|prefer|i want|make sure|ensure|from now on"
    r"|don't|do not|avoid|require[sd]?|expect|i'd like|would like|can we|can you|could you)\b"
)
#: Not what should be, but what is so all the time.
_HABIT = re.compile(r"\b(?:it|this|that|which|they|he|she|there) (?:always|never|don't|do not)\b")
_PERMITS = re.compile(
    r"\byou (?:may|can|could|might)\b(?! not)|\bfeel free\b|\bconsider\b|\boptional(?:ly)?\b|\bit is ok(?:ay)?\b"
)
_HEDGES = re.compile(
    r"\b(?:when(?:ever)? possible|if possible|where possible|when appropriate|usually|generally|typically|ideally"
    r"|by default|default to|try to|mostly|in general|overus\w*|lean on|rely on|speculatively|too (?:many|much)"
    r"|excessive\w*|overwhelm)\b"
)
#: How a rule without a verb begins: "no emojis", "max 3 sentences", "commit messages in English".
_BARE = re.compile(
    r"(?:no|in|max(?:imum)?|min(?:imum)?|at (?:most|least)|under|up to|between|exactly|about|around|only|plain"
    r"|bullet|bulleted|numbered|all|responses?|answers?|repl(?:y|ies)|commits?|class|function|variable|file|method"
    r"|constant|single|double|tabs|spaces|short|\d|one|two|three|four|five|markdown|json|tables?|line|lines|emojis?"
    r"|semicolons|snake|camel|pascal|kebab|conventional|type|code)\b"
)
_STATES = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|did|it's|there's|that's|i'm|we're|you're|isn't|wasn't|goes|seems|looks"
    r"|means)\b"
)
_NAMED = re.compile(
    r"\b(?:(?:your|the|all|every|each|any|my|future|short|long|these) (?:response|answer)|responses|answers|repl(?:y"
    r"|ies)|respond)\b"
)
_CODE = re.compile(
    r"\b(?:codebase|functions?|variables?|constants?|imports?|imported|committing|committed|commits?"
    r"|commit messages?|branch(?:es)?|repo(?:sitory)?|dependenc(?:y|ies)|typescript|javascript|python|rust|golang"
    r"|lint|api|endpoint|sql|docstrings?|pull requests?|prs?|migrations?|schema|css|html|git|parameters?"
    r"|identifiers?|scripts?|terminal|shell|folder|directory|indentation|indent|timeouts?|retr(?:y|ies)|flags?"
    r"|structs?|enums?|deploy)\b"
)
#: Of code mostly; of other things where a rule speaks of answers, stories or letters.
_MAYBE_CODE = re.compile(
    r"\b(?:code|methods?|class(?:es)?|files?|modules?|components?|tests?|packages?|librar(?:y|ies)|types?|build"
    r"|compile|database|comments?|merge|hooks?|props?|names?|naming|arguments?|titles?|commands?|columns?|quer(?:y"
    r"|ies)|logs?|tags?|keys?|fields?)\b"
)
_ANSWERS = re.compile(
    r"\b(?:response|answer|reply|explanation|information|summary|overview|e-?mail|story|poem|essay|article|letter"
    r"|blog|newsletter|presentation|paragraphs?|sentences?|words|key ?words?|key (?:points?|terms?|elements?"
    r"|benefits?))\b"
)


@dataclass(frozen=True, slots=True)
class Quoted:
    """What a rule puts in quotation marks, or in backticks."""

    text: str
    is_code: bool


@dataclass(frozen=True)
class Rule:
    """A rule's sentence. ``body`` is in lower case, with «0», «1» in place of what it quotes; ``head`` is the body
    without politeness, and without the word that forbids (``forbids`` says there was one)."""

    text: str
    body: str
    head: str
    forbids: bool
    quoted: tuple[Quoted, ...] = ()
    topic: frozenset[str] = frozenset()
    needs_leave: bool = False

    @property
    def verb(self) -> str:
        """What it begins with, politeness left out: mostly what is to be done."""
        return self.head.partition(" ")[0].strip(",:")

    @cached_property
    def is_asked(self) -> bool:
        """A judge's question: does the response …"""
        return bool(_ASKED.match(self.body)) or self.body.startswith("does response")

    @cached_property
    def is_order(self) -> bool:
        """It asks for something. A statement of what is so is no rule, whatever words it holds, nor is a permission."""
        if _PERMITS.search(self.body):
            return False
        if self.is_asked or self.verb in _ANSWERING | _WORKING or (self.forbids and not _STATES.match(self.body)):
            return True
        return bool(_DEONTIC.search(_HABIT.sub(" ", self.body))) or bool(
            _BARE.match(self.head) and not _STATES.search(self.body)
        )

    @cached_property
    def is_hedged(self) -> bool:
        """It leaves room: what it asks for is usual, not a must."""
        return bool(_HEDGES.search(self.text.lower()))

    @cached_property
    def is_about_code(self) -> bool:
        if self.is_asked or _NAMED.search(self.body):
            return False
        if _CODE.search(self.body) or any(one.is_code for one in self.quoted):
            return True
        return bool(_MAYBE_CODE.search(self.body)) and not _ANSWERS.search(self.body)

    @cached_property
    def is_about_reply(self) -> bool:
        """It asks something of answers: it names one, or begins with a verb of answering."""
        if self.is_asked or self.verb in _ANSWERING or _NAMED.search(self.body):
            return True
        return self.verb not in _WORKING and bool(_REPLY.search(self.body))

    @cached_property
    def is_about_questions(self) -> bool:
        """It tells how to ask, not how to answer."""
        return self.head.startswith(("ask ", "asking "))

    def is_negated_before(self, at: int, *, reach: int = 60) -> bool:
        """A word that forbids stands shortly before that place of the body, in the same clause."""
        clause = re.split(r"[,;:.]|\b(?:but|and then|instead)\b", self.body[max(0, at - reach) : at])[-1]
        return bool(_NEGATION.search(clause))


def read(text: str) -> Rule | None:
    """The rule, or None where its condition is not understood."""
    text = " ".join(text.translate(_CURLY)[:MAX_CHARS].split())
    body, quoted = _without_quotes(text)
    body = _FILLERS.sub(" ", body)
    topic, body = _topic(body)
    leave = next((found for found in _LEAVE.finditer(body) if _SAYS_SO.search(found[0])), None)
    bare = body[: leave.start()] + body[leave.end() :] if leave else body
    if _CONDITION.search(bare) and not _ASKED.match(body):
        return None
    head, forbids = _head(body)
    return Rule(text, body, head, forbids, quoted, topic, needs_leave=leave is not None)


def _without_quotes(text: str) -> tuple[str, tuple[Quoted, ...]]:
    quoted: list[Quoted] = []

    def keep(match: re.Match[str]) -> str:
        quoted.append(Quoted((match[1] or match[2] or match[3]).strip(), match[1] is not None))
        return f"«{len(quoted) - 1}»"

    return _QUOTED.sub(keep, text).lower(), tuple(quoted)


def _topic(body: str) -> tuple[frozenset[str], str]:
    found = _TOPIC.search(body)
    if found is None:
        return frozenset(), body
    topic = frozenset(topic_stems(found[1] or found[2] or ""))
    return topic, (body[: found.start()] + " " + body[found.end() :]).strip(" ,") if topic else body


def _head(body: str) -> tuple[str, bool]:
    head, forbids = body, False
    while True:
        if found := _LEAD.match(head):
            if not found.end():
                return head, forbids
            head = head[found.end() :]
        elif found := _FORBIDS.match(head):
            head, forbids = head[found.end() :], True
        else:
            return head, forbids
