"""Language: rules on the language that replies are written in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clew.signals.adherence.checks.rule import Rule
from clew.signals.adherence.checks.values import Judged, Turn
from clew.text.language import LANGUAGES, detect_language

#: Written in the same letters, so that letters alone do not tell which.
_SHARED = {
    "ukrainian": "russian",
    "bulgarian": "russian",
    "persian": "arabic",
    "farsi": "arabic",
    "mandarin": "chinese",
}
_OWN_NAMES = {
    "deutsch": "german", "auf deutsch": "german", "français": "french", "francais": "french", "español": "spanish",
    "espanol": "spanish", "castellano": "spanish", "italiano": "italian", "português": "portuguese",
    "portugues": "portuguese", "nederlands": "dutch", "svenska": "swedish", "polsku": "polish", "türkçe": "turkish",
    "englisch": "english", "inglés": "english", "anglais": "english", "中文": "chinese", "日本語": "japanese",
    "한국어": "korean", "русском": "russian", "по-русски": "russian",
}  # fmt: skip
_NAMES = sorted({*LANGUAGES, *_SHARED, *_OWN_NAMES}, key=lambda name: (-len(name), name))
_SPEAK = (
    r"(?:respond|reply|answer|speak|write|talk|communicate|converse|chat|response|responses|answers|replies|explain"
    r"|say|antworte|antworten|schreib\w*|sprich|réponds|répondez|responde|responda|rispondi|antwoord|svara"
    r"|odpowiadaj|回答|答え)"
)
_ASKS = re.compile(
    rf"{_SPEAK}\b[^.;]{{0,50}}?(?:\b(?:in|auf|en|in het|på|po|em|using)\s+)?(?<!\w)({'|'.join(_NAMES)})(?!\w)"
    rf"|\b(?:use|only|always|in)\s+({'|'.join(_NAMES)})\b(?:\s+(?:only|language))?(?=\s*(?:\Z|[.,!?;]|for (?:all"
    rf"|every|your)))|用(中文)|(日本語)で"
)
_PARTS = re.compile(
    r"\b(?:comments?|commits?|docs?|documentation|names?|variables?|identifiers?|code|strings?|labels?|ui"
    r"|messages? (?:in|of)|translat\w*|readme|tests?|files?|error)\b"
)


@dataclass(frozen=True, slots=True)
class Language:
    """Replies are written in that language, or must not be."""

    name: str
    forbidden: bool = False
    of_reply: bool = False

    def judge(self, turn: Turn) -> Judged:
        found, sure = detect_language(turn.said.prose)
        if not found:
            return Judged(0.5, sure=False, applies=bool(turn.reply.strip()))
        same = found == _SHARED.get(self.name, self.name) or _are_close(found, self.name)
        return Judged(float(same is not self.forbidden), sure=sure, evidence=turn.said.prose.strip()[:100])


def _are_close(one: str, other: str) -> bool:
    """Too close for a count of words to tell."""
    return {one, other} <= {"danish", "norwegian", "swedish"} or {one, other} <= {"japanese", "chinese"}


def languages(rule: Rule) -> Iterator[Language]:
    """The language that a rule asks replies to be in."""
    found = _ASKS.search(rule.body)
    if found is None or _PARTS.search(rule.body):
        return
    name = next(group for group in found.groups() if group)
    yield Language(_OWN_NAMES.get(name, name), forbidden=rule.forbids or rule.is_negated_before(found.start()))
