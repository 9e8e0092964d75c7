"""Findings as they are reported: one sentence that says what was found, and the messages that show it."""

from __future__ import annotations

from hashlib import blake2b

from clew.audit.compactions import CompactedSpan
from clew.audit.needed_units import Fate, NeededUnit, UnitKind
from clew.audit.read_again import Reread
from clew.audit.recorded_session import RecordedSession
from clew.audit.rule_record import RuleBroken
from clew.audit.shown_text import message_text, speaker_of
from clew.audit.values import Evidence, Finding, FindingKind
from clew.domain.ids import message_id
from clew.text.plurals import pluralise

#: Of a message, so much is quoted around what it is quoted for.
_EXCERPT_CHARS = 420
#: Of the messages that had shown something before, so many are named.
_MAX_EARLIER = 3
_NOUNS = {
    UnitKind.FILE: "the file",
    UnitKind.COMMAND: "the command",
    UnitKind.ID: "the id",
    UnitKind.NAME: "the name",
}
_HOW = {
    Fate.HELD: "held by the summary",
    Fate.LOST: "used with nothing having shown it again",
    Fate.KEPT: "no message shows it again and the edit succeeded, so that the client had put it back",
    Fate.READ_AGAIN: "read again before it was used",
}
_CODE = {Fate.HELD: "in the summary", Fate.KEPT: "in no message since but kept by the client"}


def finding_id(kind: FindingKind, *pieces: object) -> str:
    """Returns an id that stays the same whatever else is audited."""
    joined = "\x00".join(map(str, pieces)).encode("utf-8", "replace")
    return f"{kind.value.replace('_', '-')}-{blake2b(joined, digest_size=4).hexdigest()}"


def quote(
    session: RecordedSession, number: int, role: str, *, around: str = "", limit: int = _EXCERPT_CHARS
) -> Evidence:
    """Returns a message as evidence, quoted around a text that stands in it."""
    message = session.message(number)
    whole = message_text(message) if message else ""
    return Evidence(
        role=role,
        source=session.source,
        message=message_id(number),
        line=session.lines.get(number, 0),
        speaker=speaker_of(message) if message else "",
        text=excerpt(whole, around, limit=limit),
    )


def excerpt(text: str, around: str = "", *, limit: int = _EXCERPT_CHARS) -> str:
    """Returns the part of a text in which something stands; its beginning where it does not."""
    if len(text) <= limit:
        return text.strip()
    position = max(text.find(around), 0) if around else 0
    start = text.rfind("\n", 0, max(0, position - limit // 4)) + 1
    start = start if position - start < limit // 2 else max(0, position - limit // 4)
    end = min(len(text), start + limit)
    return ("…\n" if start else "") + text[start:end].strip("\n") + (" …" if end < len(text) else "")


def unit_finding(session: RecordedSession, compaction: str, span: CompactedSpan, unit: NeededUnit) -> Finding:
    """Returns a fact that a summary lost, or lines of code that an edit used, as a finding."""
    use, kind = unit.use, FindingKind.LOST if unit.is_fact else FindingKind.CODE
    telling = max((line.strip() for line in use.text.split("\n")), key=len)
    evidence = [quote(session, unit.known, "known before", around=telling)]
    if span.summary is not None:
        verb = "holds" if unit.fate is Fate.HELD else "does not hold"
        evidence.append(quote(session, span.summary.number, f"the summary, which {verb} it", around=telling))
    if unit.again.shown:
        evidence.append(quote(session, unit.again.asked, "asked for again"))
        evidence.append(quote(session, unit.again.shown, "shown again", around=telling))
    evidence.append(quote(session, use.number, "used", around=telling))
    return Finding(
        id=finding_id(kind, session.id, span.mark.after, use.kind, use.path, use.text),
        kind=kind,
        what=use.kind.value,
        subject=use.path if use.kind is UnitKind.CODE else use.text,
        how=_HOW[unit.fate],
        says=_unit_line(unit),
        session=session.id,
        source=session.source,
        compaction=compaction,
        evidence=tuple(evidence),
    )


def _unit_line(unit: NeededUnit) -> str:
    use = unit.use
    known_from, used = message_id(unit.known), message_id(use.number)
    if unit.is_fact:
        return f"{_NOUNS[use.kind]} {use.text}: known from {known_from}, not in the summary, and needed in {used}"
    size = pluralise(sum(map(bool, map(str.strip, use.text.split("\n")))), "line")
    how = f"read again by {message_id(unit.again.asked)}" if unit.fate is Fate.READ_AGAIN else _CODE[unit.fate]
    return f"{size} of {use.path}: known from {known_from}, {how}, used by the edit in {used}"


def reread_finding(session: RecordedSession, compaction: str, reread: Reread) -> Finding:
    """Returns an output that shows again what was read before as a finding."""
    what, _, subject = reread.subject.partition(" ")
    lines = pluralise(len(reread.lines), "line")
    earlier = [message_id(number) for number, _ in reread.earlier[:_MAX_EARLIER]]
    earlier += ["others"] if len(reread.earlier) > _MAX_EARLIER else []
    shown = " and ".join(filter(None, (", ".join(earlier[:-1]), earlier[-1])))
    example = reread.earlier[0][1]
    return Finding(
        id=finding_id(FindingKind.READ_AGAIN, session.id, reread.subject, reread.number),
        kind=FindingKind.READ_AGAIN,
        what=what,
        subject=subject,
        how=f"{lines} shown before, of {reread.of} that are longer than two characters",
        says=f"{subject}: {message_id(reread.number)} shows {lines} again that {shown} had shown",
        session=session.id,
        source=session.source,
        compaction=compaction,
        tokens=reread.tokens,
        evidence=(
            *(
                quote(session, number, "read before the compaction", around=line)
                for number, line in reread.earlier[:_MAX_EARLIER]
            ),
            quote(session, reread.number, "read again behind it", around=example),
        ),
    )


def broken_finding(session: RecordedSession, broken: RuleBroken) -> Finding:
    """Returns a rule that was broken as a finding."""
    rule = quote(session, broken.given, "the rule", around=broken.rule[:60])
    return Finding(
        id=finding_id(FindingKind.BROKEN, session.id, broken.rule, broken.number),
        kind=FindingKind.BROKEN,
        what="rule",
        subject=broken.rule,
        how=broken.shown,
        says=f"{broken.rule} — broken in {message_id(broken.number)}: {broken.shown}",
        session=session.id,
        source=session.source,
        evidence=(rule, quote(session, broken.number, "broken here", around=broken.shown[:60])),
    )
