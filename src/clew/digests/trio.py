"""A segment at its smaller sizes: a header of one short line, a summary of a few; eras for runs of old headers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from clew.config import DigestConfig
from clew.digests.fitting import Fitted, Point, clipped, count, fit
from clew.digests.noting import same_words
from clew.digests.sayings import ask_in
from clew.digests.telling import (
    failure_phrase,
    file_pieces,
    key_entities,
    name_of,
    open_failures,
    run_phrase,
    telling_failures,
    telling_runs,
)
from clew.domain import Digest, Fact, Header, Origin, Outcome, Summary, Trio, Use
from clew.text.sentences import sentences

#: A request of fewer words ("yes", "go on please") tells nothing without what was done about it.
_TELLING_WORDS = 4
_DEFAULT = DigestConfig()
#: What a summary must tell, whatever the model noted: what people said, what was done to files, what is open.
_MUST = ("asked", "decided", "created", "changed", "deleted", "failing", "asks")
#: What stands before the first request: the client's own words.
_NOTHING = "(nothing asked)"
#: What an era may cost: its line, its span of ids and what stands around them.
_ERA_TOKENS = 2 * _DEFAULT.header_tokens + 12
_ERA_SEGMENTS, _MAX_ERAS = 20, 4


def trio(digest: Digest, config: DigestConfig = _DEFAULT) -> Trio:
    return Trio(header(digest, config.header_tokens), summary(digest, config.summary_tokens))


def header(digest: Digest, max_tokens: int = _DEFAULT.header_tokens) -> Header:
    """Who, when, what about and how it ended; the line costs at most ``max_tokens``.

    The model's own headers are taken where they fit.
    """
    topic = _noted(digest.query, max_tokens) or topic_of(digest)
    return Header(
        id=digest.id,
        line=_reported(digest, topic, max_tokens) or _line(digest, topic, max_tokens),
        at=digest.at,
        topic=clipped(topic, 3 * max_tokens),
        entities=key_entities(digest),
        outcome=digest.outcome,
        tokens=digest.tokens,
    )


def topic_of(digest: Digest) -> str:
    """What was wanted, in the user's words; for a piece of a longer exchange, what the assistant said of it."""
    for fact in digest.requests:
        if ask := ask_in(fact.text)[0]:
            return ask
    return ""


def _noted(header: Fact | None, max_tokens: int) -> str:
    return header.text if header and count(header.text) <= max_tokens else ""


def _reported(digest: Digest, topic: str, max_tokens: int) -> str:
    """What the model says came of it, behind what was wanted where there is room for both.

    While something fails it may say what it likes.
    """
    response = "" if open_failures(digest) else _noted(digest.response, max_tokens)
    both = f"{topic} → {response}"
    return both if response and topic and count(both) <= max_tokens else response


def _line(digest: Digest, topic: str, max_tokens: int) -> str:
    if len(topic.split()) >= _TELLING_WORDS:
        return clipped(topic, max_tokens)
    deeds = _deeds(digest) or ("" if digest.requests or digest.final else _NOTHING)
    if not topic and digest.final and not any(file.use is not Use.READ for file in digest.files):
        return clipped(" ".join(_joined(sentences(digest.final.text))), max_tokens)
    told = f"{topic.rstrip('.!:')}: {deeds}" if topic and deeds else topic or deeds
    return clipped(told, max_tokens)


def _deeds(digest: Digest) -> str:
    """The work in a few words, the most telling first."""
    made = [name_of(file.text) for file in reversed(digest.files) if file.use is not Use.READ]
    read = [name_of(file.text) for file in reversed(digest.files) if file.use is Use.READ]
    failed = open_failures(digest)
    runs = [run_phrase(run) for run in telling_runs(digest.commands)]
    said = [f"changed {', '.join(made[:2])}"] if made else []
    said += [f"failing: {failed[0].text}"] if failed else runs[:1]
    said += [f"read {', '.join(read[:2])}"] if read and not made else []
    return "; ".join(said)


def summary(digest: Digest, max_tokens: int = _DEFAULT.summary_tokens) -> Summary:
    """What was asked, decided, done and left, in the segment's own words; ``text`` costs at most ``max_tokens``."""
    fitted = _fitted(digest, max_tokens)
    kept = fitted.kept
    return Summary(
        id=digest.id,
        text=fitted.text,
        content=" ".join((*kept.get("asked", ()), *kept.get("noted", ()), *kept.get("said", ()))),
        decisions=(*kept.get("decided", ()), *kept.get("concluded", ())),
        changes=tuple(piece for use in ("created", "changed", "deleted") for piece in kept.get(use, ())),
        questions=(*kept.get("asks", ()), *kept.get("left", ())),
    )


def _fitted(digest: Digest, max_tokens: int) -> Fitted:
    """Where the model noted what its turn comes to, that is the heart of it, beside what must be told anyway."""
    points = _points(digest)
    if not digest.gist and not any(file.what for file in digest.files):
        return fit(points, max_tokens)
    kept = fit([point for point in points if point.label != "concluded"], max_tokens).kept
    must = {label: kept[label] for label in _MUST if label in kept}
    return fit(_with_notes(points, digest, max_tokens), max_tokens, first=must)


def _with_notes(points: Sequence[Point], digest: Digest, max_tokens: int) -> list[Point]:
    """The notes behind the request; what else the model said steps back, and is not told twice."""
    gist = _joined(sentences(digest.gist.text)) if digest.gist else ()
    told = {same_words(one) for one in gist}
    claims = tuple(f"{name_of(one.text)} – {one.what.text}" for one in reversed(digest.files) if one.what)
    out = [points[0], Point("noted", _begun(gist, max_tokens // 3), rank=0, separator=" ")]
    for point in points[1:]:
        if point.label in {"said", "concluded"}:
            new = tuple(piece for piece in point.pieces if same_words(piece) not in told)
            point = replace(point, pieces=new, rank=9 if gist and point.label == "said" else point.rank)
        out.append(point)
    return [*out, Point("claimed", claims, rank=6)]


def _begun(found: Sequence[str], max_tokens: int) -> tuple[str, ...]:
    """As many of the sentences as fit for a first piece, then the rest."""
    at = max((at for at in range(1, len(found) + 1) if count(" ".join(found[:at])) <= max_tokens), default=1)
    return tuple(piece for piece in (" ".join(found[:at]), *found[at:]) if piece)


def _points(digest: Digest) -> list[Point]:
    """In reading order; ranks say what goes without saying last."""
    asked = _asked(digest)
    people = [fact for fact in digest.decisions if fact.by is not Origin.MODEL]
    model = [fact for fact in digest.decisions if fact.by is Origin.MODEL]
    final = _joined(sentences(digest.final.text)) if digest.final else ()
    runs = [run_phrase(run) for run in telling_runs(digest.commands)]
    failures = [failure_phrase(one) for one in open_failures(digest)]
    resolved = [failure_phrase(one) for one in telling_failures(digest) if one.resolved]
    return [
        Point("asked", asked, rank=0, separator=" "),
        Point("decided", _new(people, asked), rank=3),
        Point("created", file_pieces(digest.files, Use.CREATED), rank=1, separator=", "),
        Point("changed", file_pieces(digest.files, Use.CHANGED), rank=1, separator=", "),
        Point("deleted", file_pieces(digest.files, Use.DELETED, names=0), rank=4, separator=", "),
        Point("read", file_pieces(digest.files, Use.READ, names=0), rank=8, separator=", "),
        Point("ran", tuple(runs), rank=4),
        Point("failing", tuple(failures[:3]), rank=2),
        Point("failed", tuple(resolved[:2]), rank=6),
        Point("concluded", _new(model, final), rank=5),
        Point("said", final, rank=2 if not digest.files else 5, separator=" "),
        Point("asks", tuple(fact.text for fact in digest.questions), rank=3),
        Point("left", tuple(fact.text for fact in digest.todos), rank=4),
    ]


def _asked(digest: Digest) -> tuple[str, ...]:
    """The sentences of the request: the one that asks, those that settle something, what follows, what leads up."""
    for fact in digest.requests:
        ask, start = ask_in(fact.text)
        if ask:
            after = sentences(fact.text[start:])[1:]
            before = [one for one in sentences(fact.text[:start]) if len(one.split()) >= _TELLING_WORDS]
            settled = {decision.text for decision in digest.decisions}
            return (ask, *sorted((*after, *before), key=lambda one: one not in settled))
    return ()


def _joined(found: Sequence[str]) -> tuple[str, ...]:
    """Short sentences ("Done.") together with what follows them."""
    joined: list[str] = []
    for one in found:
        if joined and len(joined[-1].split()) < _TELLING_WORDS:
            joined[-1] = f"{joined[-1]} {one}"
        else:
            joined.append(one)
    return tuple(joined)


def _new(facts: Sequence[Fact], told: Sequence[str]) -> tuple[str, ...]:
    """Newest first, without what another line says already."""
    return tuple(fact.text for fact in reversed(facts) if not any(fact.text.endswith(one) for one in told))


def era(headers: Sequence[Header], max_tokens: int = 2 * _DEFAULT.header_tokens) -> Header:
    """One header for a run of old ones: what span, which topics, the files most touched."""
    entities = Counter(entity for one in headers for entity in one.entities)
    order = list(entities)
    often = sorted(entities, key=lambda entity: (-entities[entity], order.index(entity)))
    segments = sum(one.segments for one in headers)
    topics = [one.line for one in headers if one.line]
    line = clipped(f"{segments} segments: {', '.join(often[:4])}" if often else f"{segments} segments", max_tokens)
    for topic in topics:
        longer = f"{line}; {clipped(topic, 8)}"
        if count(longer) > max_tokens:
            break
        line = longer
    return Header(
        id=_span(headers),
        line=line,
        at=headers[0].at,
        topic=clipped("; ".join(topics), 3 * max_tokens),
        entities=tuple(often[:6]),
        outcome=Outcome.COMPLETED,
        tokens=sum(one.tokens for one in headers),
        segments=segments,
    )


def _span(headers: Sequence[Header]) -> str:
    """x1–x9; an era that takes in another keeps the first of its ids."""
    first, last = headers[0].id.split("–")[0], headers[-1].id.split("–")[-1]
    return first if first == last else f"{first}–{last}"


def within(headers: Sequence[Header], *, max_headers: int, max_tokens: int) -> list[Header]:
    """The headers, the oldest rolled up into eras where there are too many of them or they cost too much.

    What a header costs is its line and its id. As many of the newest as possible stay as they are.
    """
    costs = [header_cost(one) for one in headers]
    if len(headers) <= max_headers and sum(costs) <= max_tokens:
        return list(headers)
    eras = max(1, min(_MAX_ERAS, len(headers) // _ERA_SEGMENTS, max_tokens // (2 * _ERA_TOKENS)))
    keep, room = 0, max_tokens - eras * _ERA_TOKENS
    for cost in reversed(costs[1:]):
        if keep + eras >= max_headers or cost > room:
            break
        keep, room = keep + 1, room - cost
    old = headers[: len(headers) - keep]
    size = -(-len(old) // eras)
    cap = min(2 * _DEFAULT.header_tokens, max(1, max_tokens - 12))
    return [*(era(old[at : at + size], cap) for at in range(0, len(old), size)), *headers[len(headers) - keep :]]


def header_cost(one: Header) -> int:
    """Tokens of a header as a line of a list: id, line and what stands around them."""
    return count(one.line) + count(one.id) + 2
