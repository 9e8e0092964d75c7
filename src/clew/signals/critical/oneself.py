"""How people word what they are, have, do and cannot do: facts of themselves, which hold in all they do.

What somebody is at right now, or met with in the work at hand, is no such fact.
"""

from __future__ import annotations

from clew.domain.critical import ItemKind, Scope
from clew.signals.critical.words import FIRST, SPECIFIC, Wording
from clew.text.phrases import any_of

_HABITS = (
    "usually|mostly|mainly|normally|typically|always|never|only|generally|often|rarely|primarily|almost never"
    "|hardly ever|exclusively|tend to"
)
ADVERBS = f"{_HABITS}|currently|also|still|now|actually|personally|just|really|both|already|no longer|do|myself"
_DEGREES = "not|quite|very|completely|totally|much of|red-green|partially|severely"
_I = rf"i (?:(?:{ADVERBS}) ){{0,3}}"
_I_AM = rf"i(?:'m| am) (?:(?:{ADVERBS}|{_DEGREES}) ){{0,3}}"
_I_HAVE = r"i(?: (?:only|also|already))? have|i've got|i have got"

ABOUT_ME = (
    "name|nickname|pronouns|job|role|profession|occupation|job title|team|company|employer|age|hometown|home town|city"
    "|country|time ?zone|background|field|speciality|specialty|major|hobby|hobbies|diet|birthday|native language"
    "|first language|mother tongue|main language|favou?rite [a-z]+"
)
EQUIPMENT = (
    "editor|ide|shell|terminal|os|operating system|distro|laptop|computer|machine|keyboard|browser|phone|stack"
    "|tech stack|daily driver|setup"
)
_FAMILY = (
    "daughters?|sons?|kids?|child|children|wife|husband|partner|parents|family|toddler|baby|newborn|twins|teenager|dogs?"
    "|cats?|brothers?|sisters?"
)
_WORKPLACE = "company|work|job|office|firm|school|university|lab|team|hospital|workplace|bank"
_GROUP = "team|startup|company|agency|shop|family|nonprofit|lab|school|band|business|farm|bakery|restaurant|practice"
_ROLES = (
    r"[\w-]+(?:ist|ian|eer)|lawyer|teacher|developer|programmer|manager|designer|student|parent|mother|father|nurse"
    "|doctor|beginner|writer|founder|freelancer|researcher|consultant|accountant|tester|vegan|veteran|pensioner"
)
_LONG = r"(?:years?|decades?|(?:19|20)\d\d|school|university|college|childhood)"
_MANY = r"(?:about |over |around |almost |nearly |more than |only )*(?:\d+\+?|[a-z]+(?:ty|teen)?|a few|many|several)"
#: How often, or as what, people do what is a part of their life.
_PART_OF_LIFE = (
    "for a living|by (?:trade|profession)|professionally|in my (?:spare|free) time|(?:on|at) weekends|every (?:week"
    "|morning|evening|weekend)|(?:once|twice|three times) a (?:day|week|month)|as a hobby|these days|all my life"
    "|since i was|on everything|for fun"
)
_BODY = (
    "eyes|eyesight|vision|hearing|memory|hands|back|health|condition|dyslexia|adhd|faith|religion|handwriting|spelling"
)

#: Behind "I'm a": said of a mood, an amount or the moment.
_NOBODY = any_of(
    "bit|little|lot|few|couple|step|tad|hundred|thousand|second|minute|day|week|month|while|fan|user|mess|loss|fool"
    "|idiot|(?:big|huge|great) fan|good place|bad place|hurry|rush|long way|moment|kind of|sort of|dummy|moron",
    start=r"^\W*",
)
#: Behind "my laptop is": what has become of it, instead of what it is.
_TROUBLE = any_of(
    r"\w+ing|not|broken|slow|slower|stuck|frozen|full|down|dead|gone|empty|wrong|missing|on fire|unable|too|no longer"
    r"|out of|this|that|here|below|above|attached|it|set to|still|now",
    start=r"^\W*",
)
_POINTING = any_of("this|that|it|these|those|them|now", start=r"^\W*")
#: Behind "I have a phone": a part of a program.
_PARTS = any_of(
    "numbers?|fields?|components?|apps?|models?|tables?|class|classes|objects?|types?|ids?|apis?|pages?|screens?"
    "|columns?|lists?|rows?|records?|entity|entities|images?|emulators?|elements?|nodes?|process|processes|functions?",
    start=r"^\W*",
)
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


#: Limits that come with a person.
_BOUNDS = _fact(
    rf"{_I_AM}(?:allergic to|intolerant|lactose|celiac|coeliac|colou?r[ -]?blind|blind|deaf|hard of hearing|dyslexic"
    r"|diabetic|epileptic|pregnant|vegan|vegetarian|forbidden to|allowed to)",
    r"i (?:don't|do not|can't|cannot|never|no longer) (?:really |even |ever )*(?:eat|drink|drive|speak|smoke|own"
    r"|tolerate|fly)",
    r"i (?:have|suffer from) (?:an? |severe |mild |type \d )*(?:diabetes|adhd|dyslexia|epilepsy|asthma|migraines?"
    r"|[a-z]+ allergy|allergy|allergies|disability|autism)",
    rf"i only have an? (?:[\w-]+ ){{0,3}}(?:{EQUIPMENT})",
    r"i (?:can't|cannot|may not|must not) (?:use|install|run|share|access) [^.?!]{1,60} (?:at work|(?:at|on) my \w+)",
    rf"my (?:{_BODY}) (?:is|are)|(?:because of|due to) my (?:{_BODY})",
    r"i use an? (?:[\w-]+ ){0,2}(?:screen reader|magnifier|wheelchair|hearing aid)",
    r"i have (?:no|a tight|a small|a limited) budget",
    kind=ItemKind.CONSTRAINT,
    unless=_POINTING,
)
_TASTES = _fact(
    rf"{_I}(?:love|like|enjoy|adore)",
    rf"{_I}(?:don't|do not) (?:really |much |particularly )?(?:like|enjoy)",
    kind=ItemKind.PREFERENCE,
    unless=_AT_HAND,
)
_NAME = Wording(
    kind=ItemKind.PREFERENCE,
    pattern=any_of(rf"{FIRST}(?:you can |just )*call me [a-z][\w-]*", start=""),
    unless=any_of("when|if|once|after|before|at|on|to|again", start=r"^\W*"),
    scope=Scope.USER,
    states=True,
    is_fact=True,
)
_BEING = _fact(
    rf"{_I_AM}(?:based in|located in|living in|new to|fluent in|(?:left|right)[ -]handed|married|retired"
    r"|self-employed|self-taught|unemployed|autistic|bilingual|\d+ years old|in my (?:\w+ )?(?:teens|twenties|thirties"
    r"|forties|fifties|sixties|\d\ds)|in charge of|responsible for|(?:on|in|with) the [\w -]{1,30}team|studying"
    r"|learning|used to|(?:more |most )?comfortable with|(?:good|bad|terrible|awful|great|rusty) (?:at|with)|from"
    r"|\d\d(?: and|,|\.?$)|in the (?:uk|us|usa|eu|states|netherlands|philippines)"
    r"|the (?:only|lead|sole|main|head|owner|founder|author|maintainer|cto|ceo)"
    r"|on an? (?:[\w-]+ ){0,2}(?:machine|laptop|computer|budget|diet|phone|tablet|chromebook|mac|visa|pension))",
    r"i (?:was born|was raised|grew up)",
    unless=_POINTING,
)
_LIVING = _fact(
    rf"{_I}live (?:in|near|with|alone|on|at|outside|off|by|here in)",
    rf"{_I}(?:reside|teach|study|speak|come from|go by|identify as|commute|volunteer|maintain|weigh|exercise|meditate)",
    rf"{_I}work (?:at|in|for|as|with|from|remotely|part[ -]time|full[ -]time|freelance|on the [\w -]{{1,30}}team"
    r"|(?:[\w-]+ )?(?:shifts|nights|weekends))",
    rf"{_I}(?:run|own|manage|lead) (?:an?|my own|two|three) (?:[\w-]+ ){{0,2}}(?:{_GROUP}|house|car|tesla|boat|bike)",
    unless=_POINTING,
)
_WORKING = _fact(
    rf"{_I}(?:program|code|develop|write)(?: code)? in (?:[a-su-z][\w+#.]*|ty\w+|tcl)",
    rf"i (?:write|code|use|run|read|cook|eat) (?:{_HABITS})",
    rf"i(?:'ve| have) been [^.?!]{{1,60}} (?:for|since) [^.?!]{{0,30}}{_LONG}",
    rf"i(?:'ve| have) (?:got )?{_MANY} years? (?:of )?[^.?!]{{0,40}}(?:experience|programm|coding|working|teaching)",
    r"i(?:'ve| have) (?:no|little|some|much|a lot of) (?:prior |previous |real )?experience (?:with|in|of)",
    r"i(?:'ve| have)? never (?:learned|learnt|studied|owned|programmed|coded)",
    r"i (?:don't|do not) know (?:much about|anything about|how to (?:code|program|drive|cook|read))",
    rf"(?:at|in) (?:my|our) (?:{_WORKPLACE}),? (?:we|i) (?:(?:{ADVERBS}) )?(?:use|run|have|write|deploy|work)",
    rf"(?:we|i) (?:use|run|write|deploy) [^.?!]{{1,60}} at (?:work|my (?:{_WORKPLACE})|our (?:{_WORKPLACE}))",
    rf"as an? (?:[\w-]+ ){{0,2}}(?:{_ROLES}),? (?:i|my)",
)
_OTHERS_WITH_ME = _fact(
    rf"my (?:{_FAMILY})(?: and i)? (?:go|goes|live|lives|love|loves|hate|hates|can't|are|is|has|have|don't|doesn't)",
    rf"we(?:'re| are) an? (?:[\w-]+ ){{1,3}}(?:{_GROUP})",
    rf"our (?:{_GROUP}) (?:is an?|is \w+ people|are|has|works)",
    r"(?:is|isn't|is not|'s|are|aren't) my (?:first|second|native|mother|main|favou?rite|preferred|only|daily|primary)"
    r" (?:language|tongue|job|editor|tool|hobby|driver|shell|ide|os|sport|subject|framework)",
)
_HABITUAL = _fact(
    rf"i (?:(?:{_HABITS}) )+(?:use|write|code|program|develop|build|drive|eat|drink|cook|read|play|watch|wear|sleep"
    r"|travel)",
    r"i use [\w .+-]{1,30} (?:for everything|every day|daily|as my \w+|exclusively)",
    unless=SPECIFIC,
)
ONESELF = (
    _BOUNDS,
    _TASTES,
    _NAME,
    _fact(rf"{_I_AM}an?", unless=_NOBODY),
    _BEING,
    _LIVING,
    _fact(rf"my (?:[a-z]+ )?(?:{ABOUT_ME}|{EQUIPMENT}) (?:is|are|isn't|aren't)", unless=_TROUBLE),
    _WORKING,
    _OTHERS_WITH_ME,
    _HABITUAL,
    _fact(_PART_OF_LIFE, along=any_of("i|i'm|i've", start=r"^\W*(?:\w+,? )?")),
    _fact(
        rf"(?:{_I_HAVE}) (?:an?|one|two|three|four|five|my own|\d+) (?:[\w-]+ ){{0,3}}(?:{_FAMILY}|laptop|macbook|pc"
        "|phone|phd|degree|mortgage)",
        unless=_PARTS,
    ),
)
