"""What wordings are made of: orders, occasions, things that rules are about; and what a wording is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from clew.domain.critical import ItemKind, Scope
from clew.text.phrases import any_of


class Strength(IntEnum):
    """How sure a wording is: only proposed; in force where it is said; in force within a long document too."""

    WEAK = 0
    PLAIN = 1
    STRONG = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """One way to say it.

    ``asks``: holds in a question too, for nobody answers it but by complying. ``states``: a statement about oneself,
    which holds in front of any question; ``is_fact``: one of what somebody is, which counts only if it lasts.
    ``unless`` is looked for right after the match, ``along`` in the sentence.
    """

    kind: ItemKind
    pattern: str
    strength: Strength = Strength.PLAIN
    scope: Scope | None = None
    asks: bool = False
    states: bool = False
    is_fact: bool = False
    unless: str = ""
    along: str = ""


#: Where an order may begin: at the start, after a mark, after a small word.
_SMALL = (
    "please|pls|also|and|but|so|then|just|plus|ok|okay|btw|by the way|again|remember|note|reminder|important|hey|yes"
    "|no|now|fyi|oh|well|actually|rule|one more thing|thanks|instead|first|finally|sure|great|cool|perfect|nice"
)
START = rf"(?:^\W*|[.,;:!()–—]\s*|\s-+\s+|^\W*(?:{_SMALL})[,:!]?\s+|\b(?:please|and|but|so|then|just)[,:]?\s+)"
#: The same, for orders that are too short to stand anywhere else than first.
FIRST = rf"^\W*(?:(?:{_SMALL})[,:!]?\s+){{0,2}}"
DONT = r"(?:do\s+not|don't|dont)"

#: What an order orders.
VERBS = (
    "add|address|answer|apply|ask|assume|avoid|be|begin|bump|call|capitali[sz]e|check|choose|cite|close|commit"
    "|compare|confirm|consider|convert|create|define|delete|deploy|describe|display|do|document|double-check|draft"
    "|drop|edit|end|ensure|explain|express|fix|focus|follow|format|give|go|group|handle|highlight|import|include"
    "|indent|install|keep|leave|let|limit|link|lint|list|log|maintain|make|mark|mention|mock|move|name|note|notify"
    "|offer|open|order|pass|pin|ping|point|prefer|prefix|present|print|prioriti[sz]e|propose|provide|push|put|quote"
    "|rebase|recommend|record|refer|remember|remind|remove|reply|report|require|rerun|respond|return|review|run|save"
    "|say|send|separate|show|sign|skip|sort|speak|specify|spell|split|squash|start|state|stay|stick|stop|store"
    "|structure|suggest|summari[sz]e|tag|take|talk|tell|test|touch|treat|try|update|use|validate|verify|wait|warn"
    "|work|wrap|write"
)
#: An order somewhere in a sentence: somebody is told or asked to do something.
ORDERS = any_of(
    rf"{START}(?:(?:always|never|only|also|you|we|please|to)\s+)*(?:{VERBS})\b",
    rf"{START}{DONT}\b",
    r"\b(?:you|we|everything|everyone|it|they|all)\s+(?:\w+\s+)?(?:should|must|need to|have to|can|will|are to|want)\b",
    r"\b(?:i want|i'd like|i would like|i need|i expect|i'd appreciate|i prefer|i'd prefer|i'd rather|let's|lets"
    r"|we'll)\b",
    r"\b(?:can|could|would|will|should|must|may|shall) (?:you|we)\b",
    rf"(?:now|on|forward|future|cases|this),?\s+(?:please\s+)?(?:{VERBS}|{DONT}|no|all|every|only|always|never)\b",
    r"(?:^|[,:;])\s*(?:no|all|every|only|each|any)\s",
    start="",
    end="",
)

#: Points in time from which, and terms for which, something is to hold.
LASTING = (
    r"from (?:now|here|today|this point|this moment)(?: on| onwards?| forward| out)+",
    r"henceforth",
    r"for the (?:rest|remainder) of (?:this|the|our|my)",
    r"at all times",
    r"under no circumstances?",
    r"without exception",
    r"as a (?:general )?rule",
    r"no matter what",
    r"until further notice",
    r"make (?:it|that|this) a habit",
    r"(?:until|unless) i (?:say|tell|ask|explicitly|specify|approve|confirm)",
)
#: The same, where they open a sentence or close an order; elsewhere they are said of anything.
LATER = r"(?:(?:going|moving) forward|in (?:the )?future|in all cases|after this)"
#: Something that happens again and again.
OCCASION = r"(?:whenever|every ?time|each time|any ?time|(?:on|for|in|with|after|before) (?:every|each))"

#: What an assistant gives back, and how.
REPLIES = (
    "(?:answers?|repl(?:y|ies)|responses?|explanations?|messages?|summar(?:y|ies)|outputs?|suggestions?|comments?"
    "|commits?|prs?|pull requests?|code|functions|tests|docs|emails|tone|style)"
)
MANNER = "(?:short|brief|concise|terse|succinct|simple|clean|to the point|detailed|thorough|formal|casual|direct|plain)"
#: A number, with or without a unit.
NUMBER = r"[\w%.,$€£-]*\d[\w%.,]*"

#: Words after which an order is about one thing at hand, not about how things are done.
SPECIFIC = any_of(
    "it|this|that|the|these|those|them|yet|now|just|here|there|anything|both|one|my|up|in|with|for|on|to|by|a|an"
    "|into|out|over|so|if|because|since|until|but|and|which|option|plan|approach|your|what|again|me|us|either|when"
    "|how|back|later|at|tomorrow|any of|all of|all this|[#0-9]|[a-z](?:\\W|$)",
    start=r"^[\s`*\"'(]*",
    end=r"(?:\b|$)",
)
