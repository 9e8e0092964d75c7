"""What a clause is about, and what it denies or turns down: by the words before its verb and those after a denial."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.signals.facts import lexicon
from clew.signals.facts.words import PLAIN, Word
from clew.text.vocabulary import words

#: Verbs that are never nouns, and words that may stand before the first verb of an order.
FINITE = words("be have has must may can cannot should will shall do does")
LEADING = words("please we i you always to must should so and but they let's")
_DENIALS = words("not never no nor none nothing nobody neither cannot hardly without")
_NO_DENIALS = frozenset({"not only", "no longer"})
#: Words after which a few others are turned down, and those after which something is taken again.
_REJECTING = words(
    "over not never without avoid no from than unlike nor cannot of replace replaced replacing drop dropped"
)
_TAKEN = words("to with into")
#: How far a denial reaches, and how far a statement's verb is looked for.
_DENIED, _REJECTED, _HEAD = 5, 4, 9
_BEFORE_NOUNS = words("a an the my our your their its this that these those each every all no any")


def plainly(found: Sequence[Word]) -> list[str]:
    """The words in lower case, every "n't" as "not"."""
    lower = (word.raw.lower().replace("’", "'") for word in found)
    return ["not" if word.endswith("n't") else word for word in lower]


def denial(said: Sequence[str]) -> int | None:
    """Where a denial stands, if there is one."""
    for at, word in enumerate(said):
        if word in _DENIALS and " ".join(said[at : at + 2]) not in _NO_DENIALS:
            return at
    return None


def refusal(found: Sequence[Word]) -> int | None:
    """Where a verb that refuses stands, if it opens the clause or follows the one who speaks."""
    at = next((at for at, word in enumerate(found) if word.stem not in LEADING), None)
    return at if at is not None and found[at].stem in lexicon.REFUSALS else None


def denied(found: Sequence[Word], said: Sequence[str]) -> frozenset[str]:
    """What a denial is about: the words that say something after it."""
    at = denial(said)
    at = refusal(found) if at is None else at
    if at is None:
        return frozenset()
    return frozenset([word.stem for word in found[at + 1 :] if word.weight][:_DENIED])


def rejected(found: Sequence[Word], said: Sequence[str]) -> frozenset[str]:
    """What is turned down: the few words after "not", "over", "instead of"."""
    places = [at for at, word in enumerate(said) if word in _REJECTING and _rejects(said, at)]
    after = {word.stem for at in places for word in _turned_down(found[at + 1 : at + 1 + _REJECTED])}
    return frozenset(lexicon.SAME.get(word, word) for word in after)


def _rejects(said: Sequence[str], at: int) -> bool:
    """ "Instead of", and "from" where there is a "to": a branch made from main turns nothing down."""
    if said[at] == "of":
        return said[at - 1] == "instead"
    return said[at] != "from" or not _TAKEN.isdisjoint(said[at + 1 : at + 2 + _REJECTED])


def _turned_down(found: Sequence[Word]) -> Iterator[Word]:
    """Up to where something else is begun: "not spaces, use tabs", "from MySQL to Postgres"."""
    end = found[0].end if found else 0
    for word in found:
        if word.raw.lower() in _TAKEN or (word.start - end > 1 and word.stem in lexicon.VERBS):
            return
        end = word.end
        yield word


def head(found: Sequence[Word]) -> frozenset[str]:
    """What a statement is about: the words of weight before its verb; nothing where it opens with one."""
    at = next((at for at, word in enumerate(found[:_HEAD]) if word.stem in FINITE or word.raw.endswith("n't")), None)
    if at is None:
        at = next((at for at, word in enumerate(found[:_HEAD]) if at and _is_finite(found, at)), 0)
    return frozenset(word.stem for word in found[:at] if word.weight >= PLAIN)


def _is_finite(found: Sequence[Word], at: int) -> bool:
    return found[at].stem in lexicon.VERBS and found[at - 1].raw.lower() not in _BEFORE_NOUNS
