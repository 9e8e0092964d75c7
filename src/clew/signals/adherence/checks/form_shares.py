"""Forms of a reply: how much of each it shows, 0 to 1, and a place where it does."""

from __future__ import annotations

import re
from collections.abc import Callable

from clew.signals.adherence.checks.reply import Reply, count_words, is_heading

Form = Callable[[Reply], tuple[float, str]]

#: What is left of a reply beside the code, where only code was wanted.
_FEW_WORDS = 12


_STEP = re.compile(r"(?i)\b(?:step[ _]?\d|first(?:ly)?\b|second(?:ly)?\b|next,|then,|finally)")
_GREETING = re.compile(r"(?im)^[\W_]{0,6}(?:dear|hi|hello|hey|subject|to whom|good (?:morning|afternoon|day))\b")
_CLOSING = re.compile(
    r"(?im)^[\W_]{0,6}(?:(?:best|kind|warm(?:est)?|many|with) (?:regards|wishes|thanks)|best|sincerely|yours|cheers"
    r"|regards|thank(?:s| you)|warmly|respectfully|take care|love|looking forward)\b"
)
_LABEL_LINE = re.compile(r"(?m)^[ \t]{0,8}[\w*][^:\n]{1,60}:[* \t]+\S")
_CONTRACTION = re.compile(
    r"(?i)\b(?:\w+n't|i'm|(?:i|you|we|they)'(?:ve|re|ll|d)|(?:it|that|he|she|there|here|what|let)'s)\b"
)
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|I've|I'll|me|my|mine)\b")


def _json(said: Reply) -> tuple[float, str]:
    return {"all": 1.0, "fence": 0.95, "some": 0.9, "looks": 0.7}.get(said.json, 0.03), ""


def _only_json(said: Reply) -> tuple[float, str]:
    return {"all": 1.0, "fence": 0.3, "some": 0.2, "looks": 0.5}.get(said.json, 0.03), ""


def _table(said: Reply) -> tuple[float, str]:
    if said.has_table:
        return 1.0, next((line for line in said.lines if "|" in line), "")
    return (0.6, "") if sum(line.count("|") >= 2 or "\t" in line.strip() for line in said.lines) > 2 else (0.04, "")


def _bullets(said: Reply) -> tuple[float, str]:
    if said.bullets > 1:
        return 1.0, next((line for line in said.lines if line.lstrip()[:2] in {"- ", "* ", "• "}), "")
    return (0.55, "") if said.numbers > 1 or said.bullets or said.json else (0.08, "")


def _numbered(said: Reply) -> tuple[float, str]:
    return (1.0, "") if said.numbers > 1 else (0.45 if said.numbers else 0.08, "")


def _list(said: Reply) -> tuple[float, str]:
    if said.bullets > 1 or said.numbers > 1 or said.has_table:
        return 1.0, ""
    labelled = len(_LABEL_LINE.findall(said.prose))
    short = sum(1 for line in said.lines if count_words(line) <= 12)
    if labelled > 2 or (short > 2 and short * 3 > len(said.lines) * 2) or said.json or len(said.headings) > 2:
        return 0.7, ""
    return 0.1, ""


def _steps(said: Reply) -> tuple[float, str]:
    if said.numbers > 1 or len(said.headings) > 2 or said.bullets > 2:
        return 1.0, ""
    return (0.75, "") if len(_STEP.findall(said.text)) > 1 else (0.3, "")


def _markdown(said: Reply) -> tuple[float, str]:
    strong = len(said.marks & {"heading", "bold", "table", "code", "inline"})
    if strong > 1:
        return 1.0, ""
    return (0.9, "") if strong else (0.6, "") if said.bullets > 1 else (0.3, "") if said.marks else (0.05, "")


def _some_markdown(said: Reply) -> tuple[float, str]:
    """For those who want none: a lone list or a name in backticks is not what they mean."""
    strong = said.marks & {"heading", "bold", "table"}
    line = next((line for line in said.lines if is_heading(line) or "**" in line or line.startswith("|")), "")
    return (1.0, line) if strong else (0.5, "") if said.marks else (0.0, "")


def _headings(said: Reply) -> tuple[float, str]:
    return (1.0, said.headings[0]) if said.headings else (0.1, "")


def _code_block(said: Reply) -> tuple[float, str]:
    return (1.0, said.fences[0][1][:80]) if said.fences else (0.3, "")


def _tagged_code(said: Reply) -> tuple[float, str]:
    if not said.fences:
        return 0.4, ""
    return (
        (1.0, "") if all(tag for tag, _ in said.fences) else (0.2, next(body for tag, body in said.fences if not tag))
    )


def _only_code(said: Reply) -> tuple[float, str]:
    if not said.fences:
        return 0.45, ""
    extra = count_words(said.prose)
    return (1.0, "") if extra <= _FEW_WORDS else (0.5, "") if extra <= 3 * _FEW_WORDS else (0.1, said.prose.strip())


def _emojis(said: Reply) -> tuple[float, str]:
    return (1.0, said.emojis[0]) if said.emojis else (0.05, "")


def _bold(said: Reply) -> tuple[float, str]:
    return (1.0, "") if "bold" in said.marks else (0.1, "")


def _letters(said: Reply) -> list[str]:
    return [char for char in said.prose if char.isalpha() and char.lower() != char.upper()]


def _lower(said: Reply) -> tuple[float, str]:
    letters = _letters(said)
    upper = sum(char.isupper() for char in letters)
    return (1.0, "") if upper * 200 <= len(letters) else (0.5, "") if upper * 60 <= len(letters) else (0.05, "")


def _upper(said: Reply) -> tuple[float, str]:
    letters = _letters(said)
    lower = sum(char.islower() for char in letters)
    return (1.0, "") if lower * 50 <= len(letters) else (0.5, "") if lower * 5 <= len(letters) else (0.05, "")


def _prose(said: Reply) -> tuple[float, str]:
    """Running text: a list or table of some size speaks against it."""
    listed = said.bullets + said.numbers
    return (0.1, "") if said.has_table or listed > 4 else (0.4, "") if listed > 1 else (1.0, "")


def _letter(said: Reply) -> tuple[float, str]:
    found = bool(_GREETING.search(said.text)) + bool(_CLOSING.search(said.text))
    return {0: 0.15, 1: 0.7, 2: 1.0}[found], ""


def _question(said: Reply) -> tuple[float, str]:
    last = said.prose.rstrip().rstrip('*_`)"').rsplit("\n", 1)[-1]
    return (1.0, last) if last.endswith("?") else (0.05, last)


def _found(pattern: re.Pattern[str]) -> Form:
    def look(said: Reply) -> tuple[float, str]:
        found = pattern.search(said.prose)
        return (1.0, said.prose[max(0, found.start() - 30) : found.end() + 30]) if found else (0.02, "")

    return look


FORMS: dict[str, Form] = {
    "json": _json,
    "only json": _only_json,
    "table": _table,
    "bullets": _bullets,
    "numbered": _numbered,
    "list": _list,
    "steps": _steps,
    "markdown": _markdown,
    "some markdown": _some_markdown,
    "headings": _headings,
    "code": _code_block,
    "tagged code": _tagged_code,
    "only code": _only_code,
    "emojis": _emojis,
    "bold": _bold,
    "lower case": _lower,
    "upper case": _upper,
    "prose": _prose,
    "letter": _letter,
    "question": _question,
    "comma": _found(re.compile(",")),
    "exclamation": _found(re.compile(r"\w!")),
    "em dash": _found(re.compile("—|[a-z] -- [a-z]")),
    "contraction": _found(_CONTRACTION),
    "first person": _found(_FIRST_PERSON),
    "question mark": _found(re.compile(r"\w\?")),
}
