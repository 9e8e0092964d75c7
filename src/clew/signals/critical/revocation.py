"""Words that take an earlier rule back: "forget the rule about tabs", "you may push to main now"."""

from __future__ import annotations

import re

from clew.signals.critical.subjects import topic_words
from clew.text.phrases import any_of, searched

_RULE = r"(?:rules?|instructions?|requirements?|constraints?|preferences?|limits?|restrictions?|bans?|polic(?:y|ies))"
#: What may stand before such words.
_LEAD = (
    r"^\W*(?:(?:actually|ok|okay|hey|well|also|and|please|so|oh|you know what|on second thoughts?|sorry|wait|hmm"
    r"|i changed my mind)\W+){0,3}"
)
_TAKES_BACK = any_of(
    r"(?:forget|drop|scrap|scratch|ignore|disregard|remove|lift|cancel|discard|relax|never mind|nevermind)(?: about)?"
    rf" (?:the|that|my|those|our)(?: [\w-]+){{0,4}} {_RULE}",
    rf"(?:forget|drop|scrap|scratch|ignore|disregard|lift|cancel)(?: about)? (?:the|that|my|those|our) {_RULE}",
    r"(?:forget|ignore|disregard|never mind|nevermind|scratch) what i (?:said|told you|asked"
    r"|wrote)(?: \w+){0,2} (?:about|regarding|on)",
    r"(?:you|we) (?:don't|do not|no longer) (?:need|have) to [^.?!]{2,80}(?:any ?more|any longer|after all)",
    r"(?:you|we) no longer (?:need|have) to [a-z]+",
    r"no need to [^.?!]{2,60} any ?more",
    rf"the {_RULE} (?:about|on|for|against|of) [^.?!]{{2,60}} (?:no longer (?:applies|holds|stands)|is (?:off|gone"
    r"|lifted))",
    start=_LEAD,
    end="",
)
#: When a permission is one for good. "You can … now" is mostly one for once.
_HENCEFORTH = r"(?:now|from (?:now|here) on|going forward|any ?time|again|after all)"
_PERMITS = any_of(
    r"(?:you|we) (?:can|may) [\w-]+ [^.?!]{2,60} (?:again|after all)\W*$",
    rf"(?:you|we) may (?:now )?[\w-]+ [^.?!]{{2,60}} {_HENCEFORTH}\W*$",
    r"(?:you|we) (?:may|are allowed to) now [\w-]+ [^.?!]{2,60}",
    r"[^.?!,]{2,40} (?:is|are) (?:fine|ok|okay|allowed) (?:again|after all)",
    rf"[a-z]+ing\b[^.?!,]{{0,40}} (?:is|are) (?:now )?(?:fine|ok|okay) {_HENCEFORTH}",
    rf"[^.?!,]{{2,40}} (?:is|are) (?:allowed|permitted) {_HENCEFORTH}",
    r"[^.?!,]{2,40} (?:is|are) (?:now (?:allowed|permitted)|no longer (?:forbidden|off[- ]limits|prohibited|banned))",
    start=_LEAD,
    end="",
)
_EMPTY = re.compile(
    r"\b(?:forget|drop|scrap|scratch|ignore|disregard|lift|cancel|never mind|rules?|again|any ?more|after all|may"
    r"|allowed|permitted|fine|okay|any ?time|longer|forbidden|off[- ]limits|prohibited|banned)\b"
)


def lifted(text: str) -> str:
    """What the rule is about that a sentence takes back, as words in order; empty if it takes back none."""
    plain = _plain(text)
    if plain.rstrip().endswith("?") or not (searched(_TAKES_BACK, plain) or searched(_PERMITS, plain)):
        return ""
    return " ".join(sorted(topic_words(_EMPTY.sub(" ", plain))))


def permits(text: str) -> bool:
    """True when a sentence takes back by allowing: only a ban can be taken back so."""
    return searched(_PERMITS, _plain(text))


def _plain(text: str) -> str:
    return text.replace("’", "'").lower()
