"""Words: phrases that replies have to use or avoid, how they begin and end, templates, how people are called."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clew.signals.adherence.checks.reply import Reply
from clew.signals.adherence.checks.rule import Rule
from clew.signals.adherence.checks.values import NOTHING, Judged, Turn
from clew.text.stems import topic_stems
from clew.text.vocabulary import words

_NUMBERS = {"once": 1, "twice": 2, "three times": 3, "four times": 4, "five times": 5}
_TIMES = re.compile(r"\bat least (once|twice|(?:three|four|five) times|(\d{1,2}) times)")
_ELLIPSIS = re.compile(r"^[\s.…,:;]+|[\s.…,:;]+$")


@dataclass(frozen=True, slots=True)
class Uses:
    """All of the phrases stand in the reply, or with ``is_any`` one of them; each so many ``times``. ``is_loose`` ones
    are examples of what it should deal with, in whatever words."""

    phrases: tuple[str, ...]
    is_any: bool = False
    times: int = 1
    is_loose: bool = False
    of_reply: bool = True

    def judge(self, turn: Turn) -> Judged:
        found = [phrase for phrase in self.phrases if _count(turn.said, phrase) >= self.times]
        share = len(found) / len(self.phrases)
        if self.is_any:
            return Judged(1.0 if found else 0.2, sure=bool(found), evidence=found[0] if found else "")
        if self.is_loose:
            return Judged(0.5 + 0.45 * share, sure=share == 1.0, evidence=found[0] if found else "")
        missing = next((phrase for phrase in self.phrases if phrase not in found), "")
        score = 1.0 if share == 1.0 else 0.05 + 0.75 * share
        return Judged(score, sure=share in {0.0, 1.0}, evidence=f"without “{missing}”" if missing else found[0])


@dataclass(frozen=True, slots=True)
class Avoids:
    """None of the phrases stands in the reply; ``literal`` ones were quoted, others may be mentioned in passing."""

    phrases: tuple[str, ...]
    literal: bool = True
    of_reply: bool = False

    def judge(self, turn: Turn) -> Judged:
        if not turn.said.text:
            return NOTHING
        for phrase in self.phrases:
            found = re.search(rf"(?<!\w){re.escape(phrase.lower())}(?:s|es)?(?!\w)", turn.said.plain)
            if found:
                near = turn.said.plain[max(0, found.start() - 40) : found.end() + 40]
                return Judged(0.15 if self.literal else 0.3, sure=self.literal, evidence=near)
        return Judged(0.98, evidence="")


@dataclass(frozen=True, slots=True)
class Borders:
    """How a reply begins or ends; the answer inside an introduction counts as well."""

    begins: str = ""
    ends: str = ""
    of_reply: bool = True

    def judge(self, turn: Turn) -> Judged:
        scores = []
        if self.begins:
            scores.append(self._score(turn.said, self.begins, at_end=False))
        if self.ends:
            scores.append(self._score(turn.said, self.ends, at_end=True))
        text = turn.said.plain
        return Judged(min(scores), sure=not 0.2 < min(scores) < 0.8, evidence=text[-100:] if self.ends else text[:100])

    def _score(self, said: Reply, phrase: str, *, at_end: bool) -> float:
        phrase, text = _bare(phrase), said.plain
        room = len(phrase) + 6
        near = text[-room:] if at_end else text[:room]
        if phrase in near:
            return 1.0
        core = " ".join(said.core_text.lower().replace("’", "'").split())
        core = re.sub(r"[*_`#>]", "", core)
        if phrase in (core[-room - 20 :] if at_end else core[: room + 20]):
            return 0.9
        return 0.6 if phrase in text else 0.08


@dataclass(frozen=True, slots=True)
class Labels:
    """The parts of a template, by name. Names of slots need not be written out, so a lack of them proves nothing."""

    names: tuple[str, ...]
    literal: bool = False
    of_reply: bool = True

    def judge(self, turn: Turn) -> Judged:
        found = [name for name in self.names if _has_label(turn.said, name)]
        share = len(found) / len(self.names)
        if self.literal:
            score = 0.1 + 0.9 * share
            return Judged(score, sure=share == 1.0, evidence=found[0] if found else "")
        structured = bool(turn.said.headings) or turn.said.bullets + turn.said.numbers > 1 or len(turn.said.blocks) > 1
        base = 0.45 if structured else 0.3
        return Judged(base + (1.0 - base) * share, sure=share > 0.5, evidence=found[0] if found else "")


def _count(said: Reply, phrase: str) -> int:
    """How often a phrase occurs: as it stands, or else in other forms of its words."""
    plain = " ".join(phrase.lower().split())
    literal = said.plain.count(plain)
    if literal:
        return literal
    wanted = set(topic_stems(plain))
    return 1 if wanted and wanted <= said.stems else 0


def _has_label(said: Reply, name: str) -> bool:
    wanted = set(topic_stems(name))
    if not wanted:
        return name.lower() in said.plain
    return any(wanted <= set(topic_stems(label)) for label in said.labels) or f"[{name.lower()}" in said.plain


def _bare(phrase: str) -> str:
    return " ".join(_ELLIPSIS.sub("", phrase).lower().split())


# ── how rules ask for them ───────────────────────────────────────────────────────────────────────────

_Q = r"«(\d+)»"
_BEGINS = re.compile(rf"\b(?:start|begin|open|prefix|preface)\w*\b(?: [a-z]+){{0,6}}?[: ]+{_Q}")
_ENDS = re.compile(
    rf"\b(?:end|conclud|clos|finish|sign(?:ed)?(?: off)?|append|suffix)\w*\b(?: [a-z]+){{0,6}}?[: ]+{_Q}"
)
_LITERAL_BORDER = re.compile(
    r"\b(?P<verb>[Ss]tart|[Bb]egin|[Oo]pen|[Ee]nd|[Ff]inish|[Cc]lose|[Ss]ign(?: off)?)(?:s"
    r"|ing)?\b(?: [a-z]+){0,5}? (?:with|as|by saying)(?: the (?:words?|phrase|line|signature"
    r"|emoji))? (?P<what>[A-Z][A-Z0-9_!-]{1,30}|-- ?\w{1,20})(?=[\s.,!]|\Z)"
)
_TEMPLATE_START = re.compile(rf"\b(?:template|format|pattern)\b:? {_Q}")
_OPEN_END = re.compile(r"[^.\[\]…]{4,80}(?:\.\.\.|…)\Z")
_TEMPLATE = re.compile(
    r"\b(?:template|format|layout|structure|pattern|outline|form|labell?ed|titled|columns?|sections?|headings?)\b"
)
_SLOT = re.compile(r"\[([^\[\]]{2,60})\]")
_USE = re.compile(
    r"\b(?:includ|us(?:e|ing|es)\b|mention|contain|incorporat|integrat|featur|say\b|has\b|have\b|with\b|add\b"
    r"|write\b|specify)"
)
_WORDY = re.compile(
    r"\b(?:key ?words?|words?|terms?|phrases?|names?|expressions?|mention(?:s|ing)?|elements?|say(?:ing)?)\b"
)
_SAID = re.compile(
    r"\b(?:say(?:ing)?|us(?:e|ing)|writ(?:e|ing)|mention(?:ing)?|call(?:ing)?|words?|phrases?|terms?"
    r"|expressions?)\b[^«,;]{0,25}«"
)
_LISTED = re.compile(
    r"\b(?:key ?words?|key terms|terms(?! of)|words|phrases)\b(?: (?:such as|like|including))?:? (?!«)([^.;?!]{3,160})"
)
_SUCH_AS = re.compile(
    r"\b(?:elements|components|topics|aspects|areas|industries|mentions of [a-z]+|concepts"
    r"|points)\b[a-z ]{0,20}\b(?:such as|like|including|about) (?!«)([^.;?!]{3,160})"
)
_SHUN = re.compile(
    r"\b(?:avoid|refrain from|don't|do not|never|without|stop|not|dont"
    r"|exclude)\b(?: [a-z]+){0,2}? ?(?:mention(?:ing)?|say(?:ing)?|us(?:e|ing) (?:the )?(?:words?|terms?"
    r"|phrases?)(?: like| such as)?|writ(?:e|ing) (?:the )?words?(?: like)?|bring(?:ing)? up|referenc(?:e|ing)"
    r"|referring to) (?:any(?:thing)? (?:about )?|the (?:words?|terms?) )?(?!«)([^.;?!,]{3,60})"
)
_CALL = re.compile(r"\b(?:call|address) (?:me|the user)(?: as)? (?:«(\d+)»|([\w-]{2,30}))")
_NAME_AFTER = re.compile(r"\b(?:[Cc]all|[Aa]ddress) me(?: as)? ([A-Z][\w-]{1,30})")
_SORRY = re.compile(r"\b(?:apologi[sz]e|apologi[sz]ing|apologies|say(?:ing)? sorry)\b")
#: What no word tells: rules on these are for a reader.
_VAGUE = words(
    "jargon detail details complex fluff stuff information technical formal fancy thing things too any anything"
    " example examples elements other previous earlier same names specific it this that them these those me my your"
    " yourself topic important unnecessary more long big details; deep"
)
_MAX_PHRASES, _MAX_PHRASE_CHARS = 12, 80


def phrases(rule: Rule) -> Iterator[Uses | Avoids | Borders | Labels]:
    """What a rule says of words and phrases of replies."""
    if not rule.is_about_reply or rule.is_about_code or re.search(r"\bdates?\b", rule.body):
        return
    borders = _borders(rule)
    if borders:
        yield borders
        return
    labels = _templates(rule)
    yield from labels
    if not labels or not labels[0].literal:
        yield from _quoted(rule) or (_unquoted(rule) if not labels else ())


def _borders(rule: Rule) -> Borders | None:
    begins, ends = _BEGINS.search(rule.body), _ENDS.search(rule.body)
    begins = begins or _TEMPLATE_START.search(rule.body)
    first = rule.quoted[int(begins[1])].text if begins else ""
    if begins and begins.re is _TEMPLATE_START and not _OPEN_END.match(first):
        first = ""
    last = rule.quoted[int(ends[1])].text if ends else ""
    found = _LITERAL_BORDER.search(rule.text)
    if found and not (first or last) and not rule.forbids:
        is_start = found["verb"].lower()[:1] in "bo" or found["verb"].lower().startswith("st")
        return Borders(begins=found["what"]) if is_start else Borders(ends=found["what"])
    if rule.forbids or not (_bare(first) or _bare(last)):
        return None
    return Borders(begins=first if _bare(first) else "", ends=last if _bare(last) else "")


def _templates(rule: Rule) -> list[Labels]:
    if not _TEMPLATE.search(rule.body) or rule.forbids:
        return []
    slots = _SLOT.findall(rule.text)
    if slots:
        return [Labels(tuple(dict.fromkeys(slots))[:_MAX_PHRASES])]
    names = [_ELLIPSIS.sub("", one.text) for one in rule.quoted]
    if len(names) == 1 and "..." in names[0]:
        names = [part.strip(" .,:") for part in names[0].split("...")]
    names = [name for name in names if 2 <= len(name) <= 60]
    wordy = _WORDY.search(rule.body) and not re.search(r"template|sections?|columns?|labell?ed|titled", rule.body)
    return [Labels(tuple(names[:_MAX_PHRASES]), literal=True)] if names and not wordy else []


def _quoted(rule: Rule) -> list[Uses | Avoids]:
    """What is quoted, as words to use or avoid; templates are quoted as well, and are none."""
    plain = (_ELLIPSIS.sub("", one.text) for one in rule.quoted if "[" not in one.text)
    quoted = tuple(text for text in plain if 0 < len(text) <= _MAX_PHRASE_CHARS)[:_MAX_PHRASES]
    if not quoted:
        return []
    first = rule.body.find("«")
    if rule.forbids or rule.is_negated_before(first):
        return [Avoids(quoted)] if rule.is_asked or _SAID.search(rule.body) else []
    if not _USE.search(rule.body[:first]):
        return []
    is_told = rule.is_asked or bool(_WORDY.search(rule.body))
    is_any = bool(re.search(r"» or «|\betc\b", rule.body)) and len(quoted) > 1
    is_similar = bool(re.search(r"or similar|or something", rule.body))
    return [Uses(quoted, is_any=is_any or is_similar, times=_times(rule.body), is_loose=not is_told)]


def _times(body: str) -> int:
    found = _TIMES.search(body)
    return (int(found[2]) if found[2] else _NUMBERS[found[1]]) if found else 1


def _unquoted(rule: Rule) -> list[Uses | Avoids]:
    if _SORRY.search(rule.body) and (rule.forbids or rule.is_negated_before(_SORRY.search(rule.body).start())):  # type: ignore[union-attr]
        return [Avoids(("sorry", "apologize", "apologise", "my apologies"))]
    if called := _CALL.search(rule.body):
        name = rule.quoted[int(called[1])].text if called[1] else called[2]
        literal = bool(called[1] or _NAME_AFTER.search(rule.text))
        negated = rule.forbids or rule.is_negated_before(called.start())
        return [Avoids((name,), literal=literal)] if negated else [Uses((name,), is_any=True)] if literal else []
    if shunned := _SHUN.search(rule.body if not rule.forbids else "never " + rule.head):
        listed = _split(shunned[1])
        return [Avoids(listed, literal=bool(re.search(r"\b(?:words?|terms?)\b", shunned[0])))] if listed else []
    listed_match = _LISTED.search(rule.body)
    if listed_match and _USE.search(rule.body[: listed_match.start()]) and not rule.forbids:
        listed = _split(listed_match[1])
        return [Uses(listed, is_any="etc" in rule.body)] if len(listed) > 1 else []
    named = _SUCH_AS.search(rule.body)
    listed = _split(named[1]) if named and not rule.forbids and not rule.is_negated_before(named.start()) else ()
    return [Uses(listed, is_loose=True)] if len(listed) > 1 else []


def _split(text: str) -> tuple[str, ...]:
    """The short phrases of an enumeration; nothing where one of them is vague or long."""
    pieces = [piece.strip(" '\"") for piece in re.split(r",| and | or |/", text)]
    pieces = [
        re.sub(r"^(?:and|or|the|any|a) | (?:in|throughout) (?:your|the|it|this)\b.*", "", piece) for piece in pieces
    ]
    pieces = [piece for piece in pieces if piece and piece != "etc"]
    ok = all(1 <= len(piece.split()) <= 3 and not _VAGUE.intersection(piece.split()) for piece in pieces)
    return tuple(pieces[:_MAX_PHRASES]) if ok else ()
