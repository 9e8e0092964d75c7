"""Words: phrases that replies have to use or avoid, how they begin and end, how people are called."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.signals.adherence.checks.reply import plain
from clew.signals.adherence.checks.rows import Row, of_answers
from clew.signals.adherence.checks.rule import RuleSentence
from clew.signals.adherence.checks.turn import NOTHING, CheckedTurn, Judgement
from clew.text.stems import topic_stems

_WORDY = r"(?:key ?words?|words?|terms?|phrases?|expressions?|names?|elements?)"
_BORDER = (
    r"\b(?:(?P<start>start|begin|open|prefix|preface|template|pattern)|end|conclud|clos|finish|sign|append|suffix)\w*"
    r"\b(?: [a-z]+){0,6}?"
    r"(?:[: ]+(?P<quote>«\d+»)| (?:with|as|by saying)(?: the \w+)? (?P<word>[\w!-]{2,30}))"
)
#: Quoted words, words of a list, a name, and regrets.
_WORDS = (
    r"\A(?P<lead>[^«]*)(?=«)|\b(?:key ?words|terms(?! of)|words|phrases)\b(?: (?:such as|like|including))?:? "
    r"(?P<listed>[^.;?!«]{3,160})|\b(?:call|address) (?:me|the user)(?: as)? (?P<name>[\w-]{2,30})"
    r"|\b(?P<sorry>apologi[sz]|saying sorry|say sorry)"
)
_USE = r"\b(?:includ|us(?:e|ing)|mention|contain|incorporat|integrat|featur|say|has|have|with|add|writ|specify)"
_TOLD = rf"\b(?:say|mention|call|address|{_WORDY})"
_SORRY = ("sorry", "apologize", "apologise", "my apologies")
#: In a list of words: it describes them, and does not name them.
_VAGUE = re.compile(r"\b(?:that|which|are|is|to|for|with|it|this|these|too|any|other|such|more|my|your|you|me|of)\b")
_MAX_PHRASES, _MAX_CHARS = 12, 80
#: What a quotation may end with that is no part of it.
_ENDS = " .…,:;"


def judge_used(turn: CheckedTurn, phrases: tuple[str, ...], is_any: bool) -> Judgement:
    """All of the phrases stand in the reply, or one of them: as they are, or in other forms of their words."""
    stems = turn.parsed_reply.stems
    present = [
        phrase
        for phrase in phrases
        if plain(phrase) in turn.parsed_reply.plain or stems >= (set(topic_stems(phrase)) or {phrase})
    ]
    missing = next((phrase for phrase in phrases if phrase not in present), "")
    if not missing or (present and is_any):
        return Judgement(1.0, evidence=present[0])
    score = 0.2 if is_any else 0.05 + 0.75 * len(present) / len(phrases)
    return Judgement(score, sure=not present and not is_any, evidence=f"without “{missing}”")


def judge_avoided(turn: CheckedTurn, phrases: tuple[str, ...]) -> Judgement:
    """None of the phrases stands in the reply."""
    for phrase in phrases:
        if match := re.search(rf"(?<!\w){re.escape(plain(phrase))}(?:s|es)?(?!\w)", turn.parsed_reply.plain):
            return Judgement(0.15, evidence=turn.parsed_reply.plain[max(0, match.start() - 40) : match.end() + 40])
    return Judgement(0.98) if turn.parsed_reply.text else NOTHING


def judge_border(turn: CheckedTurn, phrase: str, at_end: bool) -> Judgement:
    """How a reply begins or ends; the answer inside an introduction counts as well."""
    text, core, room = turn.parsed_reply.plain, plain(turn.parsed_reply.core_text), len(phrase) + 20
    near = text[-room:] + core[-room:] if at_end else text[:room] + core[:room]
    score = 1.0 if phrase in near else 0.6 if phrase in text else 0.08
    return Judgement(score, sure=score != 0.6, evidence=text[-100:] if at_end else text[:100])


def _border(rule: RuleSentence, match: re.Match[str]) -> Iterator[tuple[str, bool]]:
    """A phrase in quotation marks, or a word in capitals."""
    word = (match["word"] or "").upper()
    is_capital = word and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", rule.text)
    phrase = plain(rule.quote(match["quote"])) if match["quote"] else word.lower() if is_capital else ""
    is_open = match["start"] not in {"template", "pattern"} or re.search(r"^[^\[\].]{4,80}\.\.\.$", phrase)
    if is_open and phrase.strip(_ENDS):
        yield phrase.strip(_ENDS), not match["start"]


def _phrases(rule: RuleSentence, match: re.Match[str], naming: str) -> tuple[str, ...]:
    """The phrases that a rule names, as far as it is told that words are meant."""
    if match["sorry"]:
        return _SORRY
    if match["name"]:
        return (match["name"],) if re.search(rf"\b{match['name'].capitalize()}\b", rule.text) else ()
    if match["listed"]:
        text = re.sub(r" (?:in|throughout) (?:your|the|it|this)\b.*", "", match["listed"])
        pieces = tuple(filter(None, re.split(r",\s*(?:and |or |etc)?| and | or |/", text.strip())))
        is_vague = _VAGUE.search(text) or any(len(piece.split()) > 3 for piece in pieces)
        return () if is_vague else pieces[:_MAX_PHRASES]
    if not rule.is_question and not re.search(naming, match["lead"]):
        return ()
    quoted = (quote.text.strip(_ENDS) for quote in rule.quoted if "[" not in quote.text)
    return tuple(text for text in quoted if 0 < len(text) <= _MAX_CHARS)[:_MAX_PHRASES]


def _phrases_to_use(rule: RuleSentence, match: re.Match[str]) -> Iterator[tuple[tuple[str, ...], bool]]:
    if (
        not (match["sorry"] or match["name"])
        and re.search(_USE, rule.body[: match.end()])
        and (phrases := _phrases(rule, match, _TOLD))
    ):
        is_any = re.search(r"» or «|\betc\b|or similar|or something|\b(?:call|address) me", rule.body)
        yield phrases, is_any is not None


def _phrases_to_avoid(rule: RuleSentence, match: re.Match[str]) -> Iterator[tuple[tuple[str, ...]]]:
    if phrases := _phrases(rule, match, rf"{_TOLD}|\bus(?:e|ing)\b|\bwrit(?:e|ing)\b"):
        yield (phrases,)


def _fits(rule: RuleSentence) -> bool:
    return of_answers(rule) and not re.search(r"\bdates?\b", rule.body)


ROWS = (
    Row(_BORDER, judge_border, _border, _fits, of_reply=True, group="words"),
    Row(_WORDS, judge_used, _phrases_to_use, _fits, of_reply=True, group="words"),
    Row(_WORDS, judge_avoided, _phrases_to_avoid, _fits, "-", group="words"),
)
