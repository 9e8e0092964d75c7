"""Whether an answer is in the script and the language of the person, as far as that can be told for sure.

Names, code and paths are in Latin letters whatever the language, so they are left out before anything is counted.
"""

from __future__ import annotations

import re2

from clew.summaries.source import replace_surrogates, words_in
from clew.text.language import clear_language, main_script, script_shares

_CODE = re2.compile(r"```[^`]*```|`[^`\n]*`|\S*[\\/_=(){}<>\[\]@$\d]\S*|\S*\w\.\w\S*|\b[a-z]+[A-Z]\w*")
_READ_CHARS = 100_000
#: An answer has to have this share of the person's script.
_ENOUGH = 0.25


def mismatch(asked: str, answer: str) -> str:
    """Why the answer is in another script or language than what people wrote; empty where it is not, or who knows."""
    wanted, given = _prose(asked), _prose(answer)
    return _other_script(wanted, given) or _other_language(wanted, given)


def _prose(text: str) -> str:
    return str(_CODE.sub(" ", replace_surrogates(text[:_READ_CHARS])))


def _other_script(wanted: str, given: str) -> str:
    script = main_script(wanted)
    found = script_shares(given)
    if not script or not found:
        return ""
    family = ("han", "kana") if script in {"han", "kana"} else (script,)
    share = sum(found.get(one, 0.0) for one in family)
    return "" if share >= _ENOUGH else f"it is written in {max(found, key=lambda one: found[one])}, not {script} script"


def _other_language(wanted: str, given: str) -> str:
    one, other = _language(wanted), _language(given)
    return f"it is written in {other}, not {one}" if one and other and one != other else ""


def _language(text: str) -> str:
    return clear_language(words_in(text[:_READ_CHARS])).capitalize()
