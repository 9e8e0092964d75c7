"""Language: in which one a reply is written, and rules that ask for one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clew.signals.checks_reply import Reply
from clew.signals.checks_rule import Rule
from clew.signals.checks_values import Judged, Turn
from clew.text.vocabulary import words

#: Fewer words or letters than this may be anything: a name, a number, thanks.
_LEAST_WORDS, _LEAST_LETTERS = 12, 20
_MAX_CHARS = 6_000

#: Words that stand in nearly every sentence of a language and in few of another.
_TELLING = {
    "english": "the and of to is that for with this are you it as be on not have from can will your which when",
    "german": "der die das und ist nicht ein eine zu den mit von für auf sie ich es dem wird auch sich werden wenn"
    " oder",
    "french": "le la les des et est une dans pour que qui pas vous avec sur ce sont cette du au nous il plus être",
    "spanish": "el la los las y es una que para por con del se un como más pero su está son puede esta al lo",
    "italian": "il lo gli di che è una per con non sono del della questo come più anche nel si alla le ha un",
    "portuguese": "o os as de que é uma para com não do da em um por mais como você se são ao está na no",
    "dutch": "de het een en van is dat niet voor met op zijn te je aan ook wordt deze door als maar kan bij",
    "swedish": "och att det som en är på för med av inte den till du kan ett har om eller detta från",
    "danish": "og at det som en er på for med af ikke den til du kan et har om eller dette fra der",
    "norwegian": "og å det som en er på for med av ikke den til du kan et har om eller dette fra der vil",
    "polish": "i w nie na się z do jest to że jak dla lub przez są tym który można aby ale od po",
    "turkish": "ve bir bu için ile da de olarak çok daha ne gibi olan değil veya kadar sonra en her ise",
    "czech": "a v se na je že s z do pro jako to které nebo jsou by ale jeho tak při aby může",
    "indonesian": "yang dan di untuk dengan ini dari dalam pada adalah tidak akan itu atau dapat ke anda juga",
    "finnish": "ja on ei se että joka mutta kun tai myös ovat voi sen tämä hän niin kuin ole jos",
    "vietnamese": "và là của có các cho một được trong với không này để những khi người bạn",
}
_WORDS = {language: words(listed) for language, listed in _TELLING.items()}
_SCRIPTS = {
    "japanese": re.compile("[\u3040-\u30ff]"),
    "chinese": re.compile("[\u4e00-\u9fff]"),
    "korean": re.compile("[\uac00-\ud7af\u1100-\u11ff]"),
    "russian": re.compile("[\u0400-\u04ff]"),
    "arabic": re.compile("[\u0600-\u06ff]"),
    "hebrew": re.compile("[\u0590-\u05ff]"),
    "greek": re.compile("[\u0370-\u03ff]"),
    "hindi": re.compile("[\u0900-\u097f]"),
    "thai": re.compile("[\u0e00-\u0e7f]"),
}
#: Written in the same letters, so that letters alone do not tell which.
_SHARED = {
    "ukrainian": "russian",
    "bulgarian": "russian",
    "persian": "arabic",
    "farsi": "arabic",
    "mandarin": "chinese",
}
_CODE, _JOINTS = re.compile(r"`[^`\n]{1,200}`"), frozenset("/_.:=(")
_WORD = re.compile(r"[^\W\d_]+")
_LETTER = re.compile(r"[^\W\d_]")

_OWN_NAMES = {
    "deutsch": "german", "auf deutsch": "german", "français": "french", "francais": "french", "español": "spanish",
    "espanol": "spanish", "castellano": "spanish", "italiano": "italian", "português": "portuguese",
    "portugues": "portuguese", "nederlands": "dutch", "svenska": "swedish", "polsku": "polish", "türkçe": "turkish",
    "englisch": "english", "inglés": "english", "anglais": "english", "中文": "chinese", "日本語": "japanese",
    "한국어": "korean", "русском": "russian", "по-русски": "russian",
}  # fmt: skip
_NAMES = sorted({*_TELLING, *_SCRIPTS, *_SHARED, *_OWN_NAMES}, key=lambda name: (-len(name), name))
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
        found, sure = language_of(turn.said)
        if not found:
            return Judged(0.5, sure=False, applies=bool(turn.reply.strip()))
        same = found == _SHARED.get(self.name, self.name) or _are_close(found, self.name)
        return Judged(float(same is not self.forbidden), sure=sure, evidence=turn.said.prose.strip()[:100])


def _are_close(one: str, other: str) -> bool:
    """Too close for a count of words to tell."""
    return {one, other} <= {"danish", "norwegian", "swedish"} or {one, other} <= {"japanese", "chinese"}


def language_of(said: Reply) -> tuple[str, bool]:
    """The language of a reply's prose, and whether that is sure; empty for too little text."""
    text = _without_code(said.prose[:_MAX_CHARS].lower())
    letters = len(_LETTER.findall(text))
    if letters < _LEAST_LETTERS:
        return "", False
    for name, script in _SCRIPTS.items():
        share = len(script.findall(text)) / letters
        if share > (0.05 if name == "japanese" else 0.3):
            return name, True
    found = _WORD.findall(text)
    if len(found) < _LEAST_WORDS:
        return "", False
    counts = sorted(((sum(word in telling for word in found), name) for name, telling in _WORDS.items()), reverse=True)
    (best, name), (next_best, _) = counts[0], counts[1]
    return (name, best >= next_best * 1.4 and best * 6 >= len(found)) if best * 12 >= len(found) else ("", False)


def _without_code(text: str) -> str:
    """Names, paths and calls are of no language."""
    return " ".join(word for word in _CODE.sub(" ", text).split() if _JOINTS.isdisjoint(word[:-1]))


def languages(rule: Rule) -> Iterator[Language]:
    """The language that a rule asks replies to be in."""
    found = _ASKS.search(rule.body)
    if found is None or _PARTS.search(rule.body):
        return
    name = next(group for group in found.groups() if group)
    yield Language(_OWN_NAMES.get(name, name), forbidden=rule.forbids or rule.is_negated_before(found.start()))
