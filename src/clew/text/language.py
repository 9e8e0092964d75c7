"""Which script and which language a text is written in, by its letters and by the words that every sentence has.

Replies are short and may be in many languages, so few and telling words are counted in them; in long texts more words
are counted, for fewer languages, and a language has to be clearly ahead.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from clew.text.vocabulary import words

#: Letters by script: first and last code points. What is none of these counts as other.
_SCRIPTS = {
    "latin": ((0x41, 0x24F), (0x1E00, 0x1EFF)),
    "greek": ((0x370, 0x3FF),),
    "cyrillic": ((0x400, 0x52F),),
    "armenian": ((0x530, 0x58F),),
    "hebrew": ((0x590, 0x5FF),),
    "arabic": ((0x600, 0x77F),),
    "indic": ((0x900, 0xDFF),),
    "thai": ((0xE00, 0xE7F),),
    "georgian": ((0x10A0, 0x10FF),),
    "hangul": ((0x1100, 0x11FF), (0xAC00, 0xD7AF)),
    "kana": ((0x3040, 0x30FF),),
    "han": ((0x3400, 0x9FFF),),
}
#: Languages known by their letters, in the order they are tried; narrower than scripts that several languages use.
_BY_LETTERS = {
    "japanese": _SCRIPTS["kana"],
    "chinese": ((0x4E00, 0x9FFF),),
    "korean": _SCRIPTS["hangul"],
    "russian": ((0x400, 0x4FF),),
    "arabic": ((0x600, 0x6FF),),
    "hebrew": _SCRIPTS["hebrew"],
    "greek": _SCRIPTS["greek"],
    "hindi": ((0x900, 0x97F),),
    "thai": _SCRIPTS["thai"],
}
#: Letters of a language that make up this share of a text make it the text's; Japanese is written in Chinese ones too.
_LETTERS_SHARE, _KANA_SHARE = 0.3, 0.05
#: One character of these says as much as several letters.
_DENSE = {"han": 3, "kana": 2, "hangul": 2}

#: Words that stand in nearly every sentence of a language and in few of another.
_COMMON = {
    "english": "and are as be can for from have is it not of on that the this to when which will with you",
    "german": "auch auf das dem den der die ein eine es für ich ist mit nicht oder sich sie und von wenn werden"
    " wird zu",
    "french": "au avec ce cette dans des du est et il la le les nous pas plus pour que qui sont sur une vous être",
    "spanish": "al como con del el es esta está la las lo los más para pero por que se son su un una y",
    "italian": "anche che come con del della di gli il le lo nel non per più questo si sono un una è",
    "portuguese": "ao as com como da de do em está mais na no não o os para por que se são um uma você é",
    "dutch": "aan als bij dat de deze een en het is je maar met niet ook op te van voor wordt zijn",
    "swedish": "att av den det eller en ett från för har inte kan med och om på som till är",
    "polish": "ale dla do i jak jest lub na nie od po przez się są to w z że",
    "turkish": "bir bu da daha de değil gibi ile için kadar ne olan olarak sonra ve çok",
}
#: Counted besides in short texts.
_IN_SHORT_TEXTS = {
    "english": "your",
    "spanish": "puede",
    "italian": "alla ha",
    "dutch": "door kan",
    "swedish": "detta du",
    "danish": "af at den der det dette du eller en er et for fra har ikke kan med og om på som til",
    "norwegian": "av den der det dette du eller en er et for fra har ikke kan med og om på som til vil å",
    "polish": "aby który można tym",
    "turkish": "en her ise veya",
    "czech": "a aby ale by do jako je jeho jsou které může na nebo pro při s se tak to v z že",
    "indonesian": "adalah akan anda atau dalam dan dapat dari dengan di ini itu juga ke pada tidak untuk yang",
    "finnish": "ei että hän ja joka jos kuin kun mutta myös niin ole on ovat se sen tai tämä voi",
    "vietnamese": "bạn cho các có của khi không là một người những này trong và với được để",
}
#: Counted besides in long texts.
_IN_LONG_TEXTS = {
    "english": "an at been but by has if in its or should their there they was we were what would",
    "german": "aber als aus bei bitte dass des einen im kann muss nach noch nur soll wie wir wurde zum zur",
    "french": "a aux de doit elle faut je mais ne on ou par si un été",
    "spanish": "cuando de debe en este fue ha hay muy no o si ya yo",
    "portuguese": "a das deve dos e esta este eu foi isso mas nos ou quando",
    "italian": "al da deve e i in io la ma nella o quando questa se stato",
    "dutch": "die dit er ik in moet naar nog of om uit we werd",
    "polish": "być był czy które o oraz ta tak tego ten tylko za",
    "swedish": "de jag men ska vi",
    "turkish": "ama mi var",
}


def _vocabulary(*tables: Mapping[str, str]) -> dict[str, frozenset[str]]:
    names = dict.fromkeys(name for table in tables for name in table)
    return {name: words(" ".join(table.get(name, "") for table in tables)) for name in names}


_SHORT_TEXTS = _vocabulary(_COMMON, _IN_SHORT_TEXTS)
_LONG_TEXTS = _vocabulary(_COMMON, _IN_LONG_TEXTS)
#: What ``detect_language`` may answer.
LANGUAGES = (*_SHORT_TEXTS, *_BY_LETTERS)

#: A short text is judged by its beginning; fewer words or letters may be anything: a name, a number, thanks.
_SHORT_CHARS, _SHORT_MIN_WORDS, _SHORT_MIN_LETTERS = 6_000, 12, 20
#: A long text with fewer letters has no script, and one with fewer common words no language.
_LONG_MIN_LETTERS, _LONG_MIN_WORDS = 40, 6
#: A text's script is the one that makes up this share of its letters.
_MAIN_SHARE = 0.6
#: So many times the common words of the next make a language clear in a long text, and sure in a short one.
_CLEAR, _SURE = 1.6, 1.4
_CODE, _JOINTS = re.compile(r"`[^`\n]{1,200}`"), frozenset("/_.:=(")
_WORD = re.compile(r"[^\W\d_]+")
_LETTER = re.compile(r"[^\W\d_]")


def _any_letter(ranges: Iterable[tuple[int, int]]) -> re.Pattern[str]:
    return re.compile(f"[{''.join(f'{chr(first)}-{chr(last)}' for first, last in ranges)}]")


_LETTERS = {name: _any_letter(ranges) for name, ranges in _BY_LETTERS.items()}


def detect_language(text: str) -> tuple[str, bool]:
    """The language of a short text of prose, in small letters, and whether that is sure; empty for too little text."""
    text = _without_code(text[:_SHORT_CHARS].lower())
    letters = len(_LETTER.findall(text))
    if letters < _SHORT_MIN_LETTERS:
        return "", False
    for name, own in _LETTERS.items():
        if len(own.findall(text)) / letters > (_KANA_SHARE if name == "japanese" else _LETTERS_SHARE):
            return name, True
    words = _WORD.findall(text)
    if len(words) < _SHORT_MIN_WORDS:
        return "", False
    (best, name), (next_best, _), *_ = _votes(words, _SHORT_TEXTS)
    return (name, best >= next_best * _SURE and best * 6 >= len(words)) if best * 12 >= len(words) else ("", False)


def clear_language(words: Iterable[str]) -> str:
    """The language of a long text by its words in small letters, where one is clearly ahead; else nothing.

    Only for languages that use Latin letters.
    """
    (best, name), (next_best, _), *_ = _votes(words, _LONG_TEXTS)
    return name if best >= _LONG_MIN_WORDS and best >= _CLEAR * next_best else ""


def _votes(words: Iterable[str], vocabulary: Mapping[str, frozenset[str]]) -> list[tuple[int, str]]:
    """How many of the words are common ones of each language, the most first."""
    counts = Counter(words)
    return sorted(((sum(counts[word] for word in common), name) for name, common in vocabulary.items()), reverse=True)


def _without_code(text: str) -> str:
    """Names, paths and calls are of no language."""
    return " ".join(word for word in _CODE.sub(" ", text).split() if _JOINTS.isdisjoint(word[:-1]))


def main_script(text: str) -> str:
    """The script that most of the letters are in, or nothing."""
    return next((script for script, share in script_shares(text).items() if share >= _MAIN_SHARE), "")


def script_shares(text: str) -> dict[str, float]:
    """Each script's share of a text's letters, by how much they say; empty for too little text."""
    counts: Counter[str] = Counter()
    for character, times in Counter(text).items():
        if character.isalpha():
            script = _script(ord(character))
            counts[script] += times * _DENSE.get(script, 1)
    total = counts.total()
    return {name: count / total for name, count in sorted(counts.items())} if total >= _LONG_MIN_LETTERS else {}


def _script(code: int) -> str:
    scripts = (name for name, ranges in _SCRIPTS.items() if any(first <= code <= last for first, last in ranges))
    return next(scripts, "other")
