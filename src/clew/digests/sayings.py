"""What people and assistants say that outlives the moment: what is asked, decided, asked back and left to do.

By wording alone, and rather too strict than too lax: a digest that calls everything a decision says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import re2

from clew.digests.quoting import MAX_CHARS, one_line
from clew.text.sentences import spans

#: A decision or a question longer than this is an essay; its beginning is quoted.
MAX_SAYING_CHARS = 300

_START = r"(?:^|[,;:(–—-]\s|\b(?:please|but|and|so|then|also|just|ok|okay|yes|no)[, ]+)"
_PERSON_DECIDES = re2.compile(
    rf"(?i){_START}(?:do not|don['’]t|never|always|avoid|only use|make sure|ensure|keep|leave|stick|stay|use|go with)\b"
    r"|\blet['’]?s\b|\bdeci(?:ded?|sion)\b|\binstead\b|\brather than\b|\b(?:go(?:ing)? with|stick(?:ing)? (?:with|to)|stay(?:ing)? (?:on|with|at))\b"
    r"|\b(?:i|we)(?:['’]d| would)? (?:prefer|rather|chose|agreed|want(?:ed)? (?:it|them|this|that) to)\b"
    r"|\bwe(?:['’]ll| will) (?:use|keep|go|do|make|need|have)\b|\b(?:must|should)(?: not|n['’]t)?\b|\bno longer\b|\bfrom now on\b"
)
_ASSISTANT_DECIDES = re2.compile(
    r"(?i)\b(?:decided (?:to|on|against|that)|decision(?: is)?:|going with|i(?:['’]ll| will) (?:go with|keep|stick with|leave|avoid|use)"
    r"|we(?:['’]ll| will) (?:use|keep|go with)|let['’]s (?:use|go with|keep|stick)|i (?:chose|opted|kept|left|used|picked)|i['’]ve (?:chosen|kept|left|used|switched)"
    r"|instead of|rather than|switch(?:ed|ing) (?:from|to)|the (?:root cause|real (?:problem|issue|cause)|actual (?:problem|issue|cause)) "
    r"|root cause:|turns out|the fix (?:is|was)|the (?:problem|issue|bug|cause) (?:is|was) (?:that|in|with)|by design|trade-?off)\b"
)
#: Announcing which tool comes next, or weighing what might be done, decides nothing.
_NO_DECISION = re2.compile(
    r"(?i)\b(?:tools?|sub-?agents?|todo ?(?:list|write)|grep|glob|would you like|do you want|should i|shall i|want me to"
    r"|let me|if you(?:['’]d)? (?:prefer|want|like)|could (?:also )?|might|maybe|perhaps|option [a-d0-9])\b"
)
_ASKS = re2.compile(
    r"(?i)\b(?:please|can you|could you|would you|can we|could we|i want|i['’]d like|i would like|i need|we need|let['’]?s|help me|your task|i think we)\b"
    r"|\?\s*$"
    r"|(?:^|[,;:]\s|\b(?:and|then|now|next|just|so|also)[, ]+)(?:fix|add|implement|create|make|write|update|change|remove|delete|refactor|rename|move|run|check|review|look|find|investigate"
    r"|explain|show|tell|build|test|use|continue|read|analy[sz]e|debug|replace|try|commit|push|merge|rebase|install|set up|document|clean|improve|optimi[sz]e|convert|migrate|generate|do|go|stop|leave|finish|proceed|verify|simplify|split|extract|resolve|address|plan|design)\b"
)
_LEAD = re2.compile(
    r"(?i)^(?:hi|hey|hello|ok|okay|thanks|thank you|thx|great|perfect|cool|nice|good|awesome|yes|yep|yeah|sure|right|please|now|so|also|and|then|well|hmm|alright|next thing"
    r"|can you|could you|would you|i want you to|i['’]d like you to|i would like you to|i need you to|help me(?: to)?|let['’]?s)(?: please)?[\s,!.:–—-]+"
)
_LEFT = re2.compile(
    r"(?i)\b(?:next steps?|still (?:need|needs|to do|open|missing|failing|have to|todo)|remaining|remains|left to do|not yet|todo\b|to-do|follow-?ups?|haven['’]t|hasn['’]t been|blocked|waiting for|pending|later)\b"
)
_DONE = re2.compile(
    r"(?i)\b(?:no (?:remaining|pending|follow-?ups?|open)|nothing (?:remains|left|pending)|none remaining)\b"
)


def ask_in(words: str) -> tuple[str, int]:
    """The sentence that says what is wanted, without its polite beginning, and where it stands in the words.

    The first that asks; where none does, the first that says something.
    """
    found = [(start, one_line(words[start:end])) for start, end in spans(words[:MAX_CHARS])]
    telling = [(start, text) for start, text in found if len(text.split()) > 2] or found
    for start, text in telling:
        if _ASKS.search(text[: 2 * MAX_SAYING_CHARS]):
            return without_lead(text), start
    return (without_lead(telling[0][1]), telling[0][0]) if telling else ("", 0)


def without_lead(text: str) -> str:
    """Without greetings, thanks and "could you please"; all of it if nothing else were left."""
    rest = text
    for _ in range(4):
        found = _LEAD.search(rest[:80])
        if not found:
            break
        rest = rest[found.end() :]
    return rest if len(rest.split()) > 1 else text


def decisions_in(text: str, *, person: bool) -> Iterator[str]:
    """Sentences in which something is settled; questions settle nothing."""
    pattern = _PERSON_DECIDES if person else _ASSISTANT_DECIDES
    for sentence in _sayings(text):
        is_open = sentence.endswith("?") or (not person and _NO_DECISION.search(sentence))
        if not is_open and pattern.search(sentence):
            yield sentence


def questions_in(text: str) -> Iterator[str]:
    return (sentence for sentence in _sayings(text) if sentence.rstrip("*_`)\"'”").endswith("?"))


def left_in(text: str) -> Iterator[str]:
    """Sentences that say what is not done yet."""
    for sentence in _sayings(text):
        if _LEFT.search(sentence) and not sentence.endswith("?") and not _DONE.search(sentence):
            yield sentence


def _sayings(text: str) -> Iterator[str]:
    for start, end in spans(text[:MAX_CHARS]):
        sentence = one_line(text[start : min(end, start + 2 * MAX_SAYING_CHARS)])
        if len(sentence.split()) > 2:
            yield sentence[:MAX_SAYING_CHARS].rstrip()
