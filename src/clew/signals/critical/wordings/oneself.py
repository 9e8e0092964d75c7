"""How people word what they are, have, do and cannot do: facts of themselves, which hold in all they do.

What somebody is at right now, or met with in the work at hand, is no such fact.
"""

from __future__ import annotations

from clew.domain.critical import ItemKind, Scope
from clew.signals.critical.wordings.parts import FIRST, SPECIFIC, Wording
from clew.text.phrases import any_of

_HABITS = "usually|mostly|mainly|normally|typically|always|never|only|generally|often|rarely|tend to"
ADVERBS = f"{_HABITS}|currently|also|still|now|actually|personally|just|really|both|already|no longer|do|myself"
_I = rf"i (?:(?:{ADVERBS}) ){{0,3}}"
_I_AM = rf"i(?:'m| am) (?:(?:{ADVERBS}|not|quite|very|completely|totally|much of) ){{0,3}}"

ABOUT_ME = (
    "name|nickname|pronouns|job|role|profession|occupation|team|company|employer|age|hometown|city|country|time ?zone"
    "|background|hobby|hobbies|diet|birthday|native language|first language|mother tongue|main language"
    "|favou?rite [a-z]+"
)
EQUIPMENT = (
    "editor|ide|shell|terminal|os|operating system|distro|laptop|computer|machine|keyboard|browser|phone|stack|setup"
)
_FAMILY = "daughters?|sons?|kids?|child|children|wife|husband|partner|parents|family|dogs?|cats?|brothers?|sisters?"
_WORKPLACE = "work|my (?:company|work|job|office|firm|school|university|lab|team)|our (?:company|office|team)"
_ROLES = (
    r"[\w-]+(?:ist|ian|eer)|lawyer|teacher|developer|programmer|manager|designer|student|parent|nurse|doctor|beginner"
    "|writer|founder|freelancer|researcher|consultant|accountant"
)
#: How often, or as what, people do what is a part of their life.
_PART_OF_LIFE = (
    "for a living|by (?:trade|profession)|professionally|in my (?:spare|free) time|(?:on|at) weekends|every (?:week"
    "|morning|evening|weekend)|(?:once|twice|three times) a (?:day|week|month)|these days|all my life|for fun"
)

#: Behind "I'm a": said of a mood, an amount or the moment.
_NOBODY = any_of(
    "bit|little|lot|few|couple|step|tad|second|minute|day|week|month|while|fan|user|mess|loss|fool|idiot"
    "|(?:big|huge|great) fan|good place|bad place|hurry|rush|long way|moment|kind of|sort of",
    start=r"^\W*",
)
#: Behind "my laptop is": what has become of it, instead of what it is.
_TROUBLE = any_of(
    r"\w+ing|not|broken|slow|slower|stuck|frozen|full|down|dead|gone|empty|wrong|missing|unable|too|no longer"
    r"|out of|this|that|here|below|above|attached|it|set to|still|now",
    start=r"^\W*",
)
_POINTING = any_of("this|that|it|these|those|them|now", start=r"^\W*")
#: Behind "I like": something of the work at hand.
_AT_HAND = (
    r"^\W*(?:(?:it|this|that|the|these|those|them|here|there|anything|everything|both|one|my|your|you|a|an|to|so|how|what"
    r"|where|when|who|why|if|being|having|seeing|working|most|more|better|option|approach|idea|all|either|neither|its|as"
    r"|and|but|or)\b|[#0-9]|$)"
)


def _fact(*wordings: str, kind: ItemKind = ItemKind.CUSTOM, unless: str = "", along: str = "") -> Wording:
    return Wording(
        kind=kind, pattern=any_of(*wordings), unless=unless, along=along, scope=Scope.USER, states=True, is_fact=True
    )


ONESELF = (
    _fact(  # limits that come with a person
        rf"{_I_AM}(?:allergic to|intolerant|colou?r[ -]?blind|blind|deaf|hard of hearing|dyslexic|diabetic|pregnant"
        r"|vegan|vegetarian|forbidden to|allowed to)",
        r"i (?:don't|do not|can't|cannot|never|no longer) (?:really |even )*(?:eat|drink|drive|speak|smoke|own|fly)",
        rf"i only have an? (?:[\w-]+ ){{0,3}}(?:{EQUIPMENT})",
        rf"i (?:can't|cannot|may not|must not) (?:use|install|run|share|access) [^.?!]{{1,60}} at (?:{_WORKPLACE})",
        kind=ItemKind.CONSTRAINT,
        unless=_POINTING,
    ),
    _fact(rf"{_I}(?:love|like|enjoy|adore)", kind=ItemKind.PREFERENCE, unless=_AT_HAND),
    Wording(
        kind=ItemKind.PREFERENCE,
        pattern=any_of(rf"{FIRST}(?:you can |just )*call me [a-z][\w-]*", start=""),
        unless=any_of("when|if|once|after|before|at|on|to|again", start=r"^\W*"),
        scope=Scope.USER,
        states=True,
        is_fact=True,
    ),
    _fact(rf"{_I_AM}an?", unless=_NOBODY),
    _fact(
        rf"{_I_AM}(?:based in|located in|living in|new to|fluent in|married|retired|self-taught|\d+ years old"
        r"|responsible for|(?:on|in|with) the [\w -]{1,30}team|studying|learning|comfortable with|from"
        r"|in the (?:uk|us|usa|eu|states)|the (?:only|lead|sole|main|head|owner|founder|author|maintainer))",
        rf"{_I}(?:live (?:in|near|with|alone|on|at)|speak|teach|study|come from|go by|maintain)",
        rf"{_I}work (?:at|in|for|as|with|from|remotely|part[ -]time|full[ -]time|freelance|on the [\w -]{{1,30}}team)",
        unless=_POINTING,
    ),
    _fact(rf"my (?:[a-z]+ )?(?:{ABOUT_ME}|{EQUIPMENT}) (?:is|are|isn't|aren't)", unless=_TROUBLE),
    _fact(
        r"i(?:'ve| have) been [^.?!]{1,60} (?:for|since) [^.?!]{0,30}(?:years?|decades?|(?:19|20)\d\d|school)",
        rf"(?:we|i) (?:use|run|write|deploy) [^.?!]{{1,60}} at (?:{_WORKPLACE})",
        rf"as an? (?:[\w-]+ ){{0,2}}(?:{_ROLES}),? (?:i|my)",
        rf"my (?:{_FAMILY})(?: and i)? (?:goes|lives?|loves?|hates?|can't|are|is|has|have|don't|doesn't)",
        r"our (?:team|company|family|startup|business) (?:is an?|is \w+ people|are|has|works)",
        r"(?:is|isn't|is not|'s) my (?:first|second|native|main|favou?rite|preferred|daily) [a-z]+",
    ),
    _fact(
        rf"i (?:(?:{_HABITS}) )+(?:use|write|code|program|develop|build|drive|eat|drink|cook|read|play|watch|travel)",
        unless=SPECIFIC,
    ),
    _fact(_PART_OF_LIFE, along=any_of("i|i'm|i've", start=r"^\W*(?:\w+,? )?")),
)
