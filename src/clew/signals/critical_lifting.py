"""Words that take an earlier rule back: "forget the rule about tabs", "you don't have to ask any more"."""

from __future__ import annotations

import re

from clew.signals.critical_subjects import topic_words
from clew.signals.critical_words import any_of, searched

_RULE = r"(?:rules?|instructions?|requirements?|constraints?|preferences?|limits?|restrictions?|bans?|polic(?:y|ies))"
_LIFTS = any_of(
    r"(?:forget|drop|scrap|scratch|ignore|disregard|remove|lift|cancel|discard|relax|never mind|nevermind)(?: about)?"
    rf" (?:the|that|my|those|our)(?: [\w-]+){{0,4}} {_RULE}",
    rf"(?:forget|drop|scrap|scratch|ignore|disregard|lift|cancel)(?: about)? (?:the|that|my|those|our) {_RULE}",
    r"(?:forget|ignore|disregard|never mind|nevermind|scratch) what i (?:said|told you|asked"
    r"|wrote)(?: \w+){0,2} (?:about|regarding|on)",
    r"(?:you|we) (?:don't|do not|no longer) (?:need|have) to [^.?!]{2,80}(?:any ?more|any longer|after all)",
    r"(?:you|we) no longer (?:need|have) to [a-z]+",
    r"no need to [^.?!]{2,60} any ?more",
    r"(?:you|we) (?:can|may) [\w-]+ [^.?!]{2,60} (?:again|after all)\W*$",
    rf"the {_RULE} (?:about|on|for|against|of) [^.?!]{{2,60}} (?:no longer (?:applies|holds|stands)|is (?:off|gone"
    r"|lifted))",
    r"[^.?!,]{2,40} (?:is|are) (?:fine|ok|okay|allowed) (?:again|after all)",
    start=r"^\W*(?:(?:actually|ok|okay|hey|well|also|and|please|so|oh|you know what|on second thoughts?|sorry|wait|hmm"
    r"|i changed my mind)\W+){0,3}",
    end="",
)
_EMPTY = re.compile(
    r"\b(?:forget|drop|scrap|scratch|ignore|disregard|lift|cancel|never mind|rules?|again|any ?more|after all)\b"
)


def lifted(text: str) -> str:
    """What the rule is about that a sentence takes back, as words in order; empty if it takes back none."""
    plain = text.replace("’", "'").lower()
    if plain.rstrip().endswith("?") or not searched(_LIFTS, plain):
        return ""
    return " ".join(sorted(topic_words(_EMPTY.sub(" ", plain))))
