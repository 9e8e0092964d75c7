"""Whether somebody speaks of themselves: in their own person, and not in a text for others or in a part they play."""

from __future__ import annotations

import re

from clew.signals.critical.wordings.table import PARTS, WORDINGS
from clew.text.phrases import any_of, has_match
from clew.text.speech import speech_head

_ADVERBS, _OWN_THINGS = PARTS["ADVERBS"], f"{PARTS['ABOUT_ME']}|{PARTS['EQUIPMENT']}"
#: A text that is made for others: who says "I" in it may be anybody.
_OTHERS_TEXT = any_of(
    r"translate|translating|translation of|proofread\w*|paraphras\w+|rephras\w+|rewrite|cover letter|lyrics|poem",
    "in the (?:voice|style|words) of|test (?:data|sentences?|strings?)|sample (?:text|sentences?|messages?)|fixtures?",
    r"(?:write|draft|continue|begin|start|tell me|finish) (?:me )?(?:an?|the|my|this) (?:[\w-]+ ){0,3}(?:story|novel"
    r"|scene|dialogue|letter|e-?mail|reply|speech|monologue|script|post|bio|song|essay|message|toast)",
)
_PLAY = any_of(
    r"role-?play(?:ing)?|let's (?:play|pretend)|pretend (?:that )?(?:i|we|to be)|imagine (?:that )?(?:i|we)",
    r"in (?:this|the|our) (?:game|story|scene)|stay in character|you are (?:the|a) (?:pirate|dungeon master|narrator)",
)
_PLAY_ENDS = any_of(
    "(?:end|stop|quit) (?:of )?(?:the |this |our )?(?:game|role-?play|story|scene|playing)|out of character"
    "|back to (?:reality|work)|enough (?:of )?(?:the |this )?(?:game|role-?play|playing)"
)
_SPEAKS_OF_SELF = any_of(
    rf"(?:i|we) (?:(?:{_ADVERBS}|strongly|much|would) ){{0,3}}(?:always|never|usually|generally|like|love|prefer|hate"
    r"|dislike|want|am|live|work|use|enjoy|avoid|can't stand|don't like|detest)",
    r"i'm|(?:all|any|every(?:one)?)(?: of)? (?:my|our) .|everywhere|in general|every (?:project|session|chat)",
    "(?:show|tell|give|ask|call|send|address|remind|teach|suggest|recommend|offer) me|to me",
    "my (?:own )?(?:preference|taste|style|answers|eyes|job|work)",
)
#: How the subject of a fact begins of which a person has one at a time.
OWN = "self:"
_ONE_OF = (
    ("home", re.compile(r"\bi(?:'m| am)? (?:\w+ ){0,2}(?:live|living|based|located|reside)\b")),
    ("name", re.compile(r"\bmy (?:\w+ )?(?:nick)?name is\b|\bcall me\b|\bi go by\b")),
    ("age", re.compile(r"\byears old\b|\bmy age is\b")),
    ("employer", re.compile(r"\bi (?:\w+ ){0,2}work (?:at|for)\b")),
    ("team", re.compile(r"\bon the [\w -]{1,30}team\b")),
)
_MY = re.compile(rf"\bmy (?:[a-z]+ )?({_OWN_THINGS}) (?:is|are)\b")


def is_others_text(plain: str) -> bool:
    """True for a message (in small letters) that asks for a text, or hands one over: it may say "I" of anybody."""
    return has_match(_OTHERS_TEXT, plain) or has_match(_PLAY, plain)


def plays_on(plain: str, *, before: bool) -> bool:
    """Whether roles are played after a message (in small letters); ``before``: whether they were before it."""
    if has_match(_PLAY_ENDS, plain):
        return False
    return before or has_match(_PLAY, plain)


def is_of_a_talk(text: str, *, reply: str) -> bool:
    """Whether a statement is a line of a talk between people, which asks nothing of an assistant: it says itself when
    and by whom it was said, or has a speaker's name before it like the ``reply`` before it.
    """
    head = speech_head(text)
    return bool(head.speaker) and (head.at is not None or bool(speech_head(reply).speaker))


def own_subject(plain: str) -> str:
    """What a fact (in small letters) is about, of which a person has one at a time; empty for all others."""
    kind = next((name for name, pattern in _ONE_OF if pattern.search(plain)), "")
    mine = None if kind else _MY.search(plain)
    return f"{OWN}{mine[1] if mine else kind}" if kind or mine else ""


def is_of_oneself(text: str) -> bool:
    """True for words that speak of who says them: what they are and wish, whatever they work on."""
    plain = text.lower().replace("’", "'")
    facts = (wording.pattern for wording in WORDINGS if wording.is_fact)
    return has_match(_SPEAKS_OF_SELF, plain) or any(has_match(pattern, plain) for pattern in facts)
