"""Language: rules on the language that replies are written in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.signals.adherence.checks.rows import Row
from clew.signals.adherence.checks.rule import RuleSentence
from clew.signals.adherence.checks.turn import CheckedTurn, Judgement
from clew.text.language import LANGUAGES, detect_language

#: Written in the same letters, so that letters alone do not tell which.
_SHARED = {
    "ukrainian": "russian",
    "bulgarian": "russian",
    "persian": "arabic",
    "farsi": "arabic",
    "mandarin": "chinese",
}
#: Too close for a count of words to tell.
_CLOSE = ({"danish", "norwegian", "swedish"}, {"japanese", "chinese"})
_OWN_NAMES = {
    "deutsch": "german", "français": "french", "francais": "french", "español": "spanish", "espanol": "spanish",
    "castellano": "spanish", "italiano": "italian", "português": "portuguese", "portugues": "portuguese",
    "nederlands": "dutch", "svenska": "swedish", "polsku": "polish", "türkçe": "turkish", "englisch": "english",
    "inglés": "english", "anglais": "english", "中文": "chinese", "日本語": "japanese", "한국어": "korean",
    "русском": "russian", "по-русски": "russian",
}  # fmt: skip
_NAMES = "|".join(sorted({*LANGUAGES, *_SHARED, *_OWN_NAMES}, key=lambda name: (-len(name), name)))
_ASKS = (
    r"(?:respond|reply|answer|speak|write|talk|communicate|converse|chat|responses?|answers|replies|explain|say"
    r"|antworten?|schreib\w*|sprich|répond\w+|respond[ae]|rispondi|antwoord|svara|odpowiadaj|回答|答え)"
    rf"\b[^.;]{{0,50}}?(?<!\w)({_NAMES})(?!\w)|\b(?:use|only|always|in)\s+({_NAMES})\b(?:\s+(?:only|language))?"
    r"(?=\s*(?:\Z|[.,!?;]|for (?:all|every|your)))|用(中文)|(日本語)で"
)
#: What else may be written in a language.
_PARTS = re.compile(
    r"\b(?:comments?|commits?|docs?|documentation|names?|variables?|identifiers?|code|strings?|labels?|ui|readme|tests?"
    r"|files?|error|translat\w*)\b"
)


def judge_language(turn: CheckedTurn, forbidden: bool, name: str) -> Judgement:
    """Replies are written in that language, or must not be."""
    language, sure = detect_language(turn.parsed_reply.prose)
    if not language:
        return Judgement(0.5, sure=False, applies=bool(turn.parsed_reply.text))
    same = language == _SHARED.get(name, name) or any({language, name} <= close for close in _CLOSE)
    return Judgement(float(same is not forbidden), sure=sure, evidence=turn.parsed_reply.prose.strip()[:100])


def _language(_: RuleSentence, match: re.Match[str]) -> Iterator[tuple[str]]:
    name = next(filter(None, match.groups()))
    yield (_OWN_NAMES.get(name, name),)


ROWS = (
    Row(_ASKS, judge_language, _language, lambda rule: not _PARTS.search(rule.body), "+-", is_told=True, group="one"),
)
