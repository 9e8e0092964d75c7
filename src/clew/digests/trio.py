"""The smaller sizes of a segment: a header of one short line, and a summary of a few."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from clew.config import DigestConfig
from clew.digests.fact_phrases import (
    failure_phrase,
    file_pieces,
    key_entities,
    notable_failures,
    notable_runs,
    open_failures,
    run_phrase,
)
from clew.digests.model_notes import normalise_wording
from clew.digests.statements import ask_in
from clew.digests.token_fit import FittedText, Point, clip, count_tokens, fit_points
from clew.domain import Digest, Fact, FileUse, Header, Origin, Summary, Trio
from clew.text.names import file_name
from clew.text.sentences import sentences

#: A request of fewer words ("yes", "go on please") tells nothing without what was done about it.
_MIN_TOPIC_WORDS = 4
_DEFAULT = DigestConfig()
#: What a summary must tell, whatever the model noted: what people said, what was done to files, what is open.
_MUST = ("asked", "decided", "created", "changed", "deleted", "failing", "asks")
#: What stands before the first request: the client's own words.
_NOTHING = "(nothing asked)"


def trio(digest: Digest, config: DigestConfig = _DEFAULT) -> Trio:
    """Returns header and summary of a digest, within the caps of the settings."""
    return Trio(header(digest, config.header_tokens), summary(digest, config.summary_tokens))


def header(digest: Digest, max_tokens: int = _DEFAULT.header_tokens) -> Header:
    """Returns the header: when it was, what it is about and how it ended. The line costs at most ``max_tokens``.

    The model's own headers are taken where they fit.
    """
    topic = _header_text(digest.query, max_tokens) or topic_of(digest)
    return Header(
        id=digest.id,
        line=_noted_line(digest, topic, max_tokens) or _drawn_line(digest, topic, max_tokens),
        at=digest.at,
        topic=clip(topic, 3 * max_tokens),
        entities=key_entities(digest),
        outcome=digest.outcome,
        tokens=digest.tokens,
    )


def topic_of(digest: Digest) -> str:
    """Returns what was wanted, in the user's words; empty for a segment without a request."""
    for fact in digest.requests:
        if ask := ask_in(fact.text)[0]:
            return ask
    return ""


def _header_text(header: Fact | None, max_tokens: int) -> str:
    return header.text if header and count_tokens(header.text) <= max_tokens else ""


def _noted_line(digest: Digest, topic: str, max_tokens: int) -> str:
    """What the model noted of the outcome, behind what was wanted where there is room for both.

    While something fails, what the model noted does not count.
    """
    response = "" if open_failures(digest) else _header_text(digest.response, max_tokens)
    both = f"{topic} → {response}"
    return both if response and topic and count_tokens(both) <= max_tokens else response


def _drawn_line(digest: Digest, topic: str, max_tokens: int) -> str:
    if len(topic.split()) >= _MIN_TOPIC_WORDS:
        return clip(topic, max_tokens)
    work = _work_phrase(digest) or ("" if digest.requests or digest.final else _NOTHING)
    if not topic and digest.final and not any(file.use is not FileUse.READ for file in digest.files):
        return clip(" ".join(_join_short(sentences(digest.final.text))), max_tokens)
    line = f"{topic.rstrip('.!:')}: {work}" if topic and work else topic or work
    return clip(line, max_tokens)


def _work_phrase(digest: Digest) -> str:
    """The work in a few words, the most important first."""
    made = [file_name(file.text) for file in reversed(digest.files) if file.use is not FileUse.READ]
    read = [file_name(file.text) for file in reversed(digest.files) if file.use is FileUse.READ]
    failed = open_failures(digest)
    runs = [run_phrase(run) for run in notable_runs(digest.commands)]
    said = [f"changed {', '.join(made[:2])}"] if made else []
    said += [f"failing: {failed[0].text}"] if failed else runs[:1]
    said += [f"read {', '.join(read[:2])}"] if read and not made else []
    return "; ".join(said)


def summary(digest: Digest, max_tokens: int = _DEFAULT.summary_tokens) -> Summary:
    """Returns the summary:
    what was asked, decided, done and left, in the segment's own words, within ``max_tokens``.
    """
    fitted = _fit_summary(digest, max_tokens)
    kept = fitted.kept
    return Summary(
        id=digest.id,
        text=fitted.text,
        content=" ".join((*kept.get("asked", ()), *kept.get("noted", ()), *kept.get("said", ()))),
        decisions=(*kept.get("decided", ()), *kept.get("concluded", ())),
        changes=tuple(piece for use in ("created", "changed", "deleted") for piece in kept.get(use, ())),
        questions=(*kept.get("asks", ()), *kept.get("left", ())),
    )


def _fit_summary(digest: Digest, max_tokens: int) -> FittedText:
    """Fits the points; a gist that the model noted of its turn comes right after what must be told anyway."""
    points = _points(digest)
    if not digest.gist and not any(file.what for file in digest.files):
        return fit_points(points, max_tokens)
    kept = fit_points([point for point in points if point.label != "concluded"], max_tokens).kept
    must = {label: kept[label] for label in _MUST if label in kept}
    return fit_points(_with_notes(points, digest, max_tokens), max_tokens, first=must)


def _with_notes(points: Sequence[Point], digest: Digest, max_tokens: int) -> list[Point]:
    """The points with the notes behind the request; what else the model said ranks lower, and is not repeated."""
    gist = _join_short(sentences(digest.gist.text)) if digest.gist else ()
    noted = {normalise_wording(one) for one in gist}
    claims = tuple(f"{file_name(one.text)} – {one.what.text}" for one in reversed(digest.files) if one.what)
    out = [points[0], Point("noted", _group_first(gist, max_tokens // 3), rank=0, separator=" ")]
    for point in points[1:]:
        if point.label in {"said", "concluded"}:
            new = tuple(piece for piece in point.pieces if normalise_wording(piece) not in noted)
            point = replace(point, pieces=new, rank=9 if gist and point.label == "said" else point.rank)
        out.append(point)
    return [*out, Point("claimed", claims, rank=6)]


def _group_first(found: Sequence[str], max_tokens: int) -> tuple[str, ...]:
    """Joins as many sentences as fit into a first piece; the others follow one by one."""
    at = max((at for at in range(1, len(found) + 1) if count_tokens(" ".join(found[:at])) <= max_tokens), default=1)
    return tuple(piece for piece in (" ".join(found[:at]), *found[at:]) if piece)


def _points(digest: Digest) -> list[Point]:
    """All points in reading order; those with high ranks are left out first."""
    asked = _request_sentences(digest)
    people = [fact for fact in digest.decisions if fact.by is not Origin.MODEL]
    model = [fact for fact in digest.decisions if fact.by is Origin.MODEL]
    final = _join_short(sentences(digest.final.text)) if digest.final else ()
    runs = [run_phrase(run) for run in notable_runs(digest.commands)]
    failures = [failure_phrase(one) for one in open_failures(digest)]
    resolved = [failure_phrase(one) for one in notable_failures(digest) if one.resolved]
    return [
        Point("asked", asked, rank=0, separator=" "),
        Point("decided", _texts_without(people, asked), rank=3),
        Point("created", file_pieces(digest.files, FileUse.CREATED), rank=1, separator=", "),
        Point("changed", file_pieces(digest.files, FileUse.CHANGED), rank=1, separator=", "),
        Point("deleted", file_pieces(digest.files, FileUse.DELETED, names=0), rank=4, separator=", "),
        Point("read", file_pieces(digest.files, FileUse.READ, names=0), rank=8, separator=", "),
        Point("ran", tuple(runs), rank=4),
        Point("failing", tuple(failures[:3]), rank=2),
        Point("failed", tuple(resolved[:2]), rank=6),
        Point("concluded", _texts_without(model, final), rank=5),
        Point("said", final, rank=2 if not digest.files else 5, separator=" "),
        Point("asks", tuple(fact.text for fact in digest.questions), rank=3),
        Point("left", tuple(fact.text for fact in digest.todos), rank=4),
    ]


def _request_sentences(digest: Digest) -> tuple[str, ...]:
    """The sentences of the request: the one that asks, those that settle something, what follows, what leads up."""
    for fact in digest.requests:
        ask, start = ask_in(fact.text)
        if ask:
            after = sentences(fact.text[start:])[1:]
            before = [one for one in sentences(fact.text[:start]) if len(one.split()) >= _MIN_TOPIC_WORDS]
            settled = {decision.text for decision in digest.decisions}
            return (ask, *sorted((*after, *before), key=lambda one: one not in settled))
    return ()


def _join_short(found: Sequence[str]) -> tuple[str, ...]:
    """Joins short sentences ("Done.") with what follows them."""
    joined: list[str] = []
    for one in found:
        if joined and len(joined[-1].split()) < _MIN_TOPIC_WORDS:
            joined[-1] = f"{joined[-1]} {one}"
        else:
            joined.append(one)
    return tuple(joined)


def _texts_without(facts: Sequence[Fact], others: Sequence[str]) -> tuple[str, ...]:
    """Texts of facts, newest first, without what another line says already."""
    return tuple(fact.text for fact in reversed(facts) if not any(fact.text.endswith(one) for one in others))
