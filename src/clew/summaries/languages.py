"""Which script and which language a text is written in, as far as it can be told for sure.

Names, code and paths are in Latin letters whatever the language, so they are left out before anything is counted.
"""

from __future__ import annotations

from collections import Counter

import re2

from clew.summaries.source import sound, words_in
from clew.text.vocabulary import words

#: Letters by script: first and last code point. What is none of these counts as other.
_SCRIPTS = (
    ("latin", 0x41, 0x24F),
    ("greek", 0x370, 0x3FF),
    ("cyrillic", 0x400, 0x52F),
    ("armenian", 0x530, 0x58F),
    ("hebrew", 0x590, 0x5FF),
    ("arabic", 0x600, 0x77F),
    ("indic", 0x900, 0xDFF),
    ("thai", 0xE00, 0xE7F),
    ("georgian", 0x10A0, 0x10FF),
    ("hangul", 0x1100, 0x11FF),
    ("latin", 0x1E00, 0x1EFF),
    ("kana", 0x3040, 0x30FF),
    ("han", 0x3400, 0x9FFF),
    ("hangul", 0xAC00, 0xD7AF),
)
#: One character of these says as much as several letters.
_DENSE = {"han": 3, "kana": 2, "hangul": 2}
_CODE = re2.compile(r"```[^`]*```|`[^`\n]*`|\S*[\\/_=(){}<>\[\]@$\d]\S*|\S*\w\.\w\S*|\b[a-z]+[A-Z]\w*")
_READ_CHARS = 100_000
#: Less than this cannot be judged: letters for a script, common words for a language.
_MIN_LETTERS, _MIN_WORDS = 40, 6
#: A person writes in the script that makes up this share of their letters; an answer has to have this much of it.
_MAIN, _ENOUGH = 0.6, 0.25
#: The language with the most common words must have so many times those of the next.
_CLEAR = 1.6

_COMMON = {
    "English": words(
        "the and is are was were to of in it that this with for not have has be been on we you they should which from"
        " by but what when will would can there their its an as at or if"
    ),
    "German": words(
        "der die das und ist nicht ein eine einen mit für auf den dem des von zu wird werden wurde sich auch bei nach"
        " noch aus wie oder aber wenn nur wir ich sie es im zum zur dass muss soll kann bitte als"
    ),
    "French": words(
        "le la les et est pas un une des du de dans pour que qui sur avec ce cette nous vous il elle sont être a été au"
        " aux par plus mais ou si on ne doit faut je"
    ),
    "Spanish": words(
        "el la los las y es no un una de del en para que con por se su al como más pero o si está son fue ha hay lo"
        " este esta debe muy ya cuando yo"
    ),
    "Portuguese": words(
        "o a os as e é não um uma de do da em para que com por se ao como mais mas ou está são foi na no nos dos das"
        " isso este esta deve você quando eu"
    ),
    "Italian": words(
        "il lo la i gli le e è non un una di del della in per che con da si al come più ma o se sono stato nel nella"
        " questo questa deve anche quando io"
    ),
    "Dutch": words(
        "de het een en is niet van op te in dat die met voor aan zijn er wordt werd ook maar of als bij naar om we je"
        " ik moet nog uit deze dit"
    ),
    "Polish": words(
        "i w na nie jest to się z do że o po za od dla jak ale czy tak są był być lub oraz tylko przez ten ta tego"
        " które"
    ),
    "Swedish": words("och är att det som en ett på för inte med av till den har de om vi jag ska kan men eller från"),
    "Turkish": words("ve bir bu için ile da de olarak değil çok daha gibi ama var olan ne mi kadar sonra"),
}


def mismatch(asked: str, answer: str) -> str:
    """Why the answer is in another script or language than what people wrote; empty where it is not, or who knows."""
    wanted, given = _prose(asked), _prose(answer)
    return _other_script(wanted, given) or _other_language(wanted, given)


def _prose(text: str) -> str:
    return str(_CODE.sub(" ", sound(text[:_READ_CHARS])))


def _other_script(wanted: str, given: str) -> str:
    script = main_script(wanted)
    found = _shares(given)
    if not script or not found:
        return ""
    family = ("han", "kana") if script in {"han", "kana"} else (script,)
    share = sum(found.get(one, 0.0) for one in family)
    return "" if share >= _ENOUGH else f"it is written in {max(found, key=lambda one: found[one])}, not {script} script"


def main_script(text: str) -> str:
    """The script that most of the letters are in, or nothing."""
    return next((script for script, share in _shares(text).items() if share >= _MAIN), "")


def _shares(text: str) -> dict[str, float]:
    counts: Counter[str] = Counter()
    for character, times in Counter(text).items():
        if character.isalpha():
            script = _script(ord(character))
            counts[script] += times * _DENSE.get(script, 1)
    total = counts.total()
    return {name: count / total for name, count in sorted(counts.items())} if total >= _MIN_LETTERS else {}


def _script(code: int) -> str:
    return next((name for name, first, last in _SCRIPTS if first <= code <= last), "other")


def _other_language(wanted: str, given: str) -> str:
    one, other = language(wanted), language(given)
    return f"it is written in {other}, not {one}" if one and other and one != other else ""


def language(text: str) -> str:
    """The language by its common words, where one is clearly ahead; for those that use Latin letters."""
    counts = Counter(words_in(text[:_READ_CHARS]))
    votes = {name: sum(counts[word] for word in common) for name, common in _COMMON.items()}
    first, second, *_ = sorted(votes, key=lambda name: (-votes[name], name))
    is_clear = votes[first] >= _MIN_WORDS and votes[first] >= _CLEAR * votes[second]
    return first if is_clear else ""
