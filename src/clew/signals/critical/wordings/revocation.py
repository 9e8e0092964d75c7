"""Words that take an earlier rule back: "forget the rule about tabs", "forget the tabs thing", "you may push now"."""

from __future__ import annotations

import re

from clew.signals.critical.subjects import topic_words
from clew.text.phrases import any_of, has_match

_RULE = (
    r"(?:rules?|instructions?|requirements?|constraints?|preferences?|limits?|restrictions?|bans?|polic(?:y|ies)"
    r"|decisions?|choices?)"
)
#: What may stand before such words.
_LEAD = (
    r"^\W*(?:(?:actually|ok|okay|hey|well|also|and|please|so|oh|you know what|on second thoughts?|sorry|wait|hmm"
    r"|i changed my mind|let's|lets|forget it|never mind|nevermind)\W+){0,3}"
)
_LEADS = re.compile(_LEAD)
_TAKES_BACK = any_of(
    r"(?:forget|drop|scrap|scratch|ignore|disregard|remove|lift|cancel|discard|relax|never mind|nevermind)(?: about)?"
    rf" (?:the|that|my|those|our)(?: [\w-]+){{0,4}} {_RULE}",
    rf"(?:forget|drop|scrap|scratch|ignore|disregard|lift|cancel)(?: about)? (?:the|that|my|those|our) {_RULE}",
    r"(?:forget|ignore|disregard|never mind|nevermind|scratch) what i (?:said|told you|asked"
    r"|wrote)(?: \w+){0,2} (?:about|regarding|on)",
    r"(?:you|we) (?:(?:don't|do not|no longer) (?:need|have) to|needn't|need not) [^.?!]{2,80}"
    r"(?:any ?more|any longer|after all|from now on)",
    r"(?:you|we) no longer (?:need|have) to [a-z]+",
    r"(?:there's |there is )?no (?:more |longer any |further )?need to [^.?!]{2,60}"
    r"(?: any ?more| any longer| from now on|\W*$)",
    r"(?:you|we) (?:can|may) stop [a-z]+ing [^.?!]{2,60}",
    r"(?:don't|do not) (?:worry about|bother with) [^.?!]{2,60}(?:any ?more|any longer)",
    r"(?:i|we) (?:(?:no longer|don't) (?:need|want|require) [^.?!]{2,60}(?:any ?more|any longer)"
    r"|no longer (?:need|want|require) [^.?!]{2,60})",
    r"[^.?!,]{2,60} (?:is|are) no longer (?:needed|necessary|required)",
    r"[^.?!,]{2,60} (?:isn't|aren't|is not|are not) (?:needed|necessary|required) any ?more",
    rf"(?:the|my|that) (?:{_RULE} (?:about|on|for|against|of) [^.?!]{{2,60}}|[^.?!,]{{2,60}} {_RULE})"
    r" (?:no longer (?:applies|holds|stands)|is (?:off|gone|lifted|over))",
    start=_LEAD,
    end="",
)
#: The same of a rule that is not called one: by "thing" and the like, or by nothing but what it is about.
_DROPS = (
    r"(?:(?:you|we) (?:can|may) )?(?:just )?(?:forget|drop|scrap|scratch|ignore|disregard|never mind|nevermind|cancel"
    r"|enough of|enough with)(?: about)?"
)
_THING = r"(?:thing|stuff|business|bit|part|idea|nonsense|request|wish)"
_OF_THING = re.compile(
    rf"{_LEAD}{_DROPS} (?:all )?(?:the|that|this|my|those|our)(?: whole| entire)?"
    rf" (?P<name>[^.?!,;:]{{2,60}}?) {_THING}\b"
)
_THING_FIRST = re.compile(
    rf"{_LEAD}(?:(?:about|as for|regarding) )?(?:the|that|my) (?P<name>[^.?!,;:]{{2,60}}?) {_THING}\W+{_DROPS}"
    r" (?:it|that)\b"
)
_OF_NAME = re.compile(
    rf"{_LEAD}(?:forget|never mind|nevermind)(?: about)? (?!(?:the|that|this|those|these|my|our|your|it|what|how|about"
    r"|all|everything|i|me|to)\b)(?P<name>[^.?!,;:]{2,60}?)(?: (?:any ?more|again|after all|please|then|now))*\W*"
    r"(?:$|[,;:])"
)
#: What is put aside for a while is not taken back.
_FOR_NOW = re.compile(r"\b(?:for (?:now|the moment|today|a moment)|right now|this time|at the moment|yet)\b")
#: Where the words end that name a rule, and others give a reason or say what holds instead.
_REASON = re.compile(r"[,;:–—]\s|\b(?:because|since|as|so)\b")
#: When a permission is one for good. "You can … now" is mostly one for once.
_HENCEFORTH = r"(?:now|from (?:now|here) on|going forward|any ?time|again|after all)"
_PERMITS = any_of(
    r"(?:you|we) (?:can|may) [\w-]+ [^.?!]{2,60} (?:again|after all)\W*$",
    r"(?:you're|you are|we're|we are) (?:free|allowed|welcome) to [^.?!]{2,60} (?:again|after all|now)\W*$",
    r"(?:(?:you|we) (?:can|may) )?(?:go|switch|change) back to [^.?!]{2,60}",
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
    r"|allowed|permitted|fine|okay|any ?time|longer|forbidden|off[- ]limits|prohibited|banned|need(?:ed|n't)?|necessary"
    r"|required?|stop|off|gone|over|from now on|free|welcome|want|worry|bother|go back|switch back|change back"
    r"|decisions?|choices?)\b"
)


def revoked_subject(text: str) -> str:
    """What the rule is about that a sentence takes back, as words in order; empty if it takes back none."""
    plain = _plain(text)
    if plain.rstrip().endswith("?"):
        return ""
    if named := _named_loosely(plain):
        return " ".join(sorted(topic_words(named)))
    if has_match(_TAKES_BACK, plain):
        lead = _LEADS.match(plain)
        start = lead.end() if lead else 0
        reason = _REASON.search(plain, start)
        plain = plain[start : reason.start() if reason else None]
    elif not has_match(_PERMITS, plain):
        return ""
    return " ".join(sorted(topic_words(_EMPTY.sub(" ", plain))))


def is_loose(text: str) -> bool:
    """True when a sentence names the rule that it takes back only by what it is about: it must be the only such one."""
    return bool(_named_loosely(_plain(text)))


def _named_loosely(plain: str) -> str:
    match = _OF_THING.match(plain) or _THING_FIRST.match(plain) or _OF_NAME.match(plain)
    return match["name"] if match and not _FOR_NOW.search(plain) else ""


def permits(text: str) -> bool:
    """True when a sentence takes back by allowing: only a ban can be taken back so."""
    return has_match(_PERMITS, _plain(text))


def _plain(text: str) -> str:
    return text.replace("’", "'").lower()
