"""How a clause speaks: whether it denies, supposes, plans, tries, orders, rules, tells of a deed or of a change.

By its words and runs of up to three of them, in lower case; every "n't" counts as "not".
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from clew.signals.facts import lexicon
from clew.signals.facts.denials import FINITE, LEADING, denial, plainly, refusal
from clew.signals.facts.words import Word, is_past
from clew.text.vocabulary import in_order, words


def _phrases(text: str) -> frozenset[str]:
    return frozenset(one.strip() for one in text.replace("\n", "|").split("|") if one.strip())


#: Said of what may be: it claims nothing.
_OPEN = _phrases("""
if|whether|might|could|would|maybe|perhaps|suppose|imagine|wonder|wondering|in case|unless|assuming|for example|e.g
not sure|unsure|not certain|not know|not understand|not think|no idea|probably|possibly|likely|seem|seems|i think
deciding|between|torn|either|versus|compare|comparing
""")
_CONDITIONS = words("when whenever once")
#: Said of what is to come.
_PLANNED = _phrases("""
thinking about|thinking of|considering|plan to|plan on|planning|want to|wanted to|wanna|hope|hoping|aim to|aiming to
going to|gonna|should|suggest|suggests|suggested|suggestion|recommend|recommends|recommended|looking to|looking for
looking into|need to|how to|i'd like|i'll|let's|let me|make sure
""")
#: What follows "considering" when it gives a reason and is no plan.
_REASONS = words("i we that my our the it i've we've")
#: Somebody is at it, or troubled by it.
_TRYING = _phrases("""
trying to|try to|having trouble|having issues|having problems|some trouble|some issues|need help|some help|struggling
stuck|confused|curious|focus on|focusing on|working on|want|stressed about|worried about|anxious about|nervous about
excited about|frustrated about|concerned about
""")
#: How things are to be.
_NORMS = _phrases("""
always|never|must|have to|every|each|nobody|anybody|everybody|decided|agreed|rule|policy|convention|by default|we use
we keep|we not|we do not|at most|at least|maximum|minimum|limit|limited|required|support|supports|prefer|avoid|shall
standard|pin|pinned|may|cannot|everywhere
""")
#: How things happen to be.
_PASSING = _phrases("""
yet|today|this morning|this afternoon|this evening|this week|this time|right now|at the moment|so far|just now|still
there is|there are|there was|there were|again|any more|tonight|currently|is running|are running|was running
were running|not running|was never|were never|got never|has never|have never|had never|been never|never got|never ran
never went|never came|never made|did not|have not|has not|had not|not work|works
is being|are being|not being|was being
""")
#: Words that tell of a change, wherever they stand; as the first or the last word; and stems of verbs.
_TURNED = _phrases("""
no longer|not anymore|anymore|changed my|changed our|second thought|was wrong|forget what|forget about|from now on
going forward|as of today|as of now|recently|just found|just learned|just heard|after all|now|grew|rose|used to
previously|went with|let's go|let's use|let's make|let's do|went up|went down|took over|scratch that
""")
_TURNING = words("actually correction wait update instead")
_TURNS = lexicon.stems(
    "move migrate switch change upgrade bump increase decrease reduce raise lower extend reschedule adjust update"
    " revise replace rename convert downgrade shorten postpone shift grow improve rewrite swap"
)
_ADVERBS = words("just already also finally recently really actually even only")
#: What somebody may be at without having done it.
_NOT_DEEDS = in_order("try plan think consider look wonder hop go hav struggl focus gett ask")
_STATIVE = words("had kept chose agreed decided needed wanted read been")
_HAVING = words("had chose read kept was were use run have keep deploy store host")
_IS = words("is are was were has have run runs use uses")
_IT, _NOUNS = words("it this that them"), 3
#: Of these verbs only what was done is a state.
_ONLY_REACHED = ("do", "merg", "install", "defin", "block")


class Mood(NamedTuple):
    """How a clause speaks. ``is_open``: of what may be; ``supposes``: that, or of what is planned; ``turns``: of a
    change; ``does``: somebody tells what they did; ``done``: that, or what they have, which shows it; ``orders``: one
    deed is asked for; ``norm``: how things are to be; ``passing``: how they happen to be; ``tries``: somebody is at
    it."""

    negated: bool
    is_open: bool
    supposes: bool
    turns: bool
    first_person: bool
    does: bool
    done: bool
    orders: bool
    norm: bool
    passing: bool
    tries: bool


def mood_of(found: Sequence[Word], said: Sequence[str]) -> Mood:
    """How the words speak; ``said`` is what ``plainly`` makes of them."""
    runs = {*said, *map(" ".join, pairwise(said)), *map(" ".join, zip(said, said[1:], said[2:], strict=False))}
    is_open = not runs.isdisjoint(_OPEN) or (said[0] in _CONDITIONS if said else False)
    does = _does(said)
    return Mood(
        negated=(denial(said) is not None) != (refusal(found) is not None),
        is_open=is_open,
        supposes=is_open or _is_planned(said, runs),
        turns=_turns(said, runs, found),
        first_person=not runs.isdisjoint(_FIRST),
        does=does,
        done=does or _has(said),
        orders=_orders(found),
        norm=not runs.isdisjoint(_NORMS),
        passing=not runs.isdisjoint(_PASSING) or _never_did(said) or _is_state(found, said),
        tries=not runs.isdisjoint(_TRYING),
    )


_FIRST = words("i we my our i've we've i'm we're i'd we'd i'll we'll")


def _is_planned(said: Sequence[str], runs: set[str]) -> bool:
    planned = runs & _PLANNED
    if planned == {"considering"}:
        after = said[said.index("considering") + 1 :]
        return not after or after[0] not in _REASONS
    return bool(planned)


def _turns(said: Sequence[str], runs: set[str], found: Sequence[Word]) -> bool:
    if not runs.isdisjoint(_TURNED) or any(map(_is_turn, found)) or _is_told_to_turn(found):
        return True
    return bool(said) and (
        said[0] in _TURNING or said[-1] in _TURNING or ("instead" in runs and "instead of" not in runs)
    )


def _is_turn(word: Word) -> bool:
    """Moved, moving; but "don't move" tells of no change."""
    return word.stem in _TURNS and (is_past(word.raw) or word.raw.endswith("ing"))


def _is_told_to_turn(found: Sequence[Word]) -> bool:
    """ "Raise it to 100", "please switch to npm": what is so is to become otherwise."""
    first = next((word for word in found[:3] if word.stem not in LEADING), None)
    return first is not None and first.stem in _TURNS and any(word.stem in {"to", "with"} for word in found[1:])


def _is_state(found: Sequence[Word], said: Sequence[str]) -> bool:
    return any(word.stem in lexicon.STATES and _is_reached(said, at) for at, word in enumerate(found))


def _is_reached(said: Sequence[str], at: int) -> bool:
    """ "It is done" tells of a state, "it is done with" of how, "do" of none; nor does a green color."""
    word = said[at]
    if word.startswith(_ONLY_REACHED):
        return (word == "done" and said[at + 1 : at + 2] != ["with"]) or word.endswith("ed")
    return word != "green" or "color" not in said


def _never_did(said: Sequence[str]) -> bool:
    """ "It never arrived" and "it must have arrived" tell of a time, "it never arrives" of a rule."""
    if any(
        one == "must" and have == "have" and is_past(word)
        for one, have, word in zip(said, said[1:], said[2:], strict=False)
    ):
        return True
    pairs = pairwise(said)
    return (
        any(word == "never" and after.endswith("ed") for word, after in pairs)
        and "is" not in said
        and "are" not in said
    )


def _does(said: Sequence[str]) -> bool:
    return any(_is_deed(said, at) for at, word in enumerate(said) if word in _FIRST)


def _is_deed(said: Sequence[str], at: int) -> bool:
    word = said[at]
    after = [one for one in said[at + 1 : at + 5] if one not in _ADVERBS and not one.endswith("ly")]
    if word in {"i", "we"} and after and after[0] in {"have", "am", "are"}:
        word, after = ("i've" if after[0] == "have" else "i'm"), after[1:]
    if not after:
        return False
    if word in {"i've", "we've"}:
        return is_past(after[0])
    if word in {"i'm", "we're"}:
        return after[0].endswith("ing") and not after[0].startswith(_NOT_DEEDS)
    return word in {"i", "we"} and is_past(after[0]) and after[0] not in _STATIVE


def _has(said: Sequence[str]) -> bool:
    """What somebody has or uses shows what was done with it."""
    for at, word in enumerate(said):
        after = said[at + 1 : at + 4]
        if word in {"i've", "we've"} or (word in {"i", "we"} and after and after[0] in _HAVING):
            return True
        if word in {"my", "our"} and not _IS.isdisjoint(after[1:]):
            return True
    return False


def _orders(found: Sequence[Word]) -> bool:
    """One deed asked for: it says what to do now, not what holds."""
    if not found or any(word.stem == "be" for word in found[1:4]) or _opens_with_noun(found):
        return False
    if found[0].stem in lexicon.STANDING and len(found) > 1 and found[1].raw.lower() in _IT:
        return True
    opening = found[0].stem
    # What is not to be done is not to be done tomorrow either.
    if opening in {"do", "don't", "never"} and denial(plainly(found[:2])) is not None:
        return False
    first = next((word.stem for word in found if word.weight or word.stem in lexicon.ONE_OFF), "")
    asked = opening in lexicon.ONE_OFF or opening in {"please", "now", "then", "let's", "also", "and"}
    return asked and first in lexicon.ONE_OFF and first not in lexicon.STANDING


def _opens_with_noun(found: Sequence[Word]) -> bool:
    """ "Commit messages follow": what could be an order is the first of two nouns."""
    if len(found) < _NOUNS or not found[1].raw.endswith("s") or not found[1].weight:
        return False
    return found[2].stem in lexicon.VERBS or found[2].stem in FINITE or found[2].raw.endswith("n't")
