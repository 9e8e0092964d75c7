"""The smaller sizes of a segment: a header of one short line, and a summary of a few whole ones.

A summary is made of what a pack is made of: what people asked and what the agent reported, in their sentences and with
the message they stand in, then what was changed and what failed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

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
from clew.digests.statements import ask_in
from clew.digests.token_fit import clip, count_tokens
from clew.digests.wordings import NAMED
from clew.domain import Digest, Fact, FileUsage, FileUse, Header, Origin, Summary, Trio
from clew.text.names import file_name
from clew.text.sentences import sentences
from clew.text.trim import one_line
from clew.units.report_units import announces
from clew.units.unit import GAP, Speaker

#: A request of fewer words ("yes", "go on please") tells nothing without what was done about it.
_MIN_TOPIC_WORDS = 4
_DEFAULT = DigestConfig()
#: A line that is cut to fewer tokens is a scrap.
_SCRAP_TOKENS = 10
#: What stands before the first request: the client's own words.
_NOTHING = "(nothing asked)"
_CHANGES = (FileUse.CREATED, FileUse.CHANGED, FileUse.DELETED)


def trio(digest: Digest, config: DigestConfig = _DEFAULT) -> Trio:
    """Returns header and summary of a digest, within the caps of the settings."""
    return Trio(header(digest, config.header_tokens), summary(digest, config.summary_tokens))


# ── header ───────────────────────────────────────────────────────────────────────────────────────────


def header(digest: Digest, max_tokens: int = _DEFAULT.header_tokens) -> Header:
    """Returns the header: when it was, what it is about and how it ended. The line costs at most ``max_tokens``.

    The model's own headers are taken where they fit.
    """
    digest = _without_speakers(digest)
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


def _without_speakers(digest: Digest) -> Digest:
    """The digest without names at the head of requests and replies. Both have one, and another: what only one begins
    with may be a label."""
    request, reply = digest.requests[0] if digest.requests else None, digest.final or digest.replied_to
    names = {match[0] for fact in (request, reply) if fact and (match := NAMED.search(fact.text[:100]))}
    if len(names) < 2:
        return digest
    return replace(
        digest,
        requests=tuple(map(_without_name, digest.requests)),
        final=digest.final and _without_name(digest.final),
        replied_to=digest.replied_to and _without_name(digest.replied_to),
    )


def _without_name(fact: Fact) -> Fact:
    match = NAMED.search(fact.text[:100])
    return replace(fact, text=fact.text[match.end() :]) if match else fact


def topic_of(digest: Digest) -> str:
    """Returns what was wanted, in the user's words; empty for a segment without a request."""
    return next((ask for fact in digest.requests if (ask := ask_in(fact.text)[0])), "")


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
    if _is_topic(topic):
        return clip(topic, max_tokens)
    work, report = _work_phrase(digest), _findings(digest)
    if not topic:
        has_changes = any(file.use is not FileUse.READ for file in digest.files)
        return clip((work if has_changes else report or work) or _last_resort(digest), max_tokens)
    short = topic.rstrip(".!:")
    if work:
        return clip(f"{short}: {work}", max_tokens)
    lead, reply = (f"{short}, to:", digest.replied_to.text) if digest.replied_to else (f"{short} →", report)
    # Clipped by itself, or the short request alone would be taken for the whole sentence that fits.
    reply = clip(reply, max_tokens - count_tokens(lead))
    return clip(f"{lead} {reply}" if reply else topic, max_tokens)


def _is_topic(text: str) -> bool:
    """Whether a request tells enough by itself; languages without blanks do in a few characters."""
    return len(text.split()) >= _MIN_TOPIC_WORDS or (not text.isascii() and len(text) > 2 * _MIN_TOPIC_WORDS)


def _findings(digest: Digest) -> str:
    """The agent's last words from the first sentence on that says more than what comes next."""
    all_sentences = sentences(digest.final.text) if digest.final else []
    telling = [sentence for sentence in all_sentences if not announces(sentence)]
    long = [index for index, sentence in enumerate(telling) if len(sentence.split()) >= _MIN_TOPIC_WORDS]
    first = next((position for position in long if not telling[position].endswith(":")), long[0] if long else 0)
    return one_line(" ".join(telling[first:]))


def _last_resort(digest: Digest) -> str:
    """What there is to tell of a segment that has neither work nor findings."""
    if digest.final:
        return one_line(digest.final.text)
    if digest.commands:
        return f"ran {digest.commands[-1].text}"
    return next((one_line(fact.text) for fact in digest.requests), _NOTHING)


def _work_phrase(digest: Digest) -> str:
    """The work in a few words, the most important first."""
    made = [file_name(file.text) for file in reversed(digest.files) if file.use is not FileUse.READ]
    read = [_read_phrase(file) for file in reversed(digest.files) if file.use is FileUse.READ]
    failed = open_failures(digest)
    runs = [run_phrase(run) for run in notable_runs(digest.commands)]
    phrases = [f"changed {', '.join(made[:2])}"] if made else []
    phrases += [f"failing: {failed[0].text}"] if failed else runs[:1]
    phrases += [f"read {', '.join(read[:2])}"] if read and not made else []
    return "; ".join(phrases)


def _read_phrase(file: FileUsage) -> str:
    """A file, and where in it was read: a long one is read in several segments."""
    first = file.lines[-1][0] if file.lines else 1
    return file_name(file.text) if first == 1 else f"{file_name(file.text)}:{first}"


# ── summary ──────────────────────────────────────────────────────────────────────────────────────────


class _Line(NamedTuple):
    """A line that a summary may have: the lower its rank the sooner it is taken, within its share of tokens."""

    rank: int
    share: int
    text: str
    may_be_cut: bool = True


def summary(digest: Digest, max_tokens: int = _DEFAULT.summary_tokens) -> Summary:
    """Returns the summary within ``max_tokens``: what was asked and reported, changed and failed."""
    lines = list(_lines(digest, max_tokens))
    kept: dict[int, str] = {}
    for index in sorted(range(len(lines)), key=lambda index: (lines[index].rank, index)):
        left = max_tokens - count_tokens(_join_lines(kept)) - 1
        text = clip(lines[index].text, min(lines[index].share, left)) if left > 0 else ""
        is_readable = text == lines[index].text or (lines[index].may_be_cut and count_tokens(text) >= _SCRAP_TOKENS)
        if text and is_readable and count_tokens(_join_lines(kept | {index: text})) <= max_tokens:
            kept[index] = text
    return Summary(
        id=digest.id,
        text=_join_lines(kept),
        decisions=tuple(fact.text for fact in digest.decisions),
        changes=file_pieces(digest.files, *_CHANGES),
        questions=tuple(fact.text for fact in digest.questions),
    )


def _join_lines(lines: Mapping[int, str]) -> str:
    return "\n".join(line for _, line in sorted(lines.items()))


def _lines(digest: Digest, max_tokens: int) -> Iterator[_Line]:
    """The lines in reading order."""
    yield from (_Line(0, max_tokens // 2, _request_line(fact, max_tokens // 2)) for fact in digest.requests)
    yield from (_Line(3, max_tokens, line) for line in _reports(digest))
    yield from (_Line(4, max_tokens, line, may_be_cut=False) for line in _details(digest))
    if changed := file_pieces(digest.files, *_CHANGES):
        yield _Line(2, max_tokens // 4, f"changed: {', '.join(changed)}")
    yield from (_Line(1, max_tokens // 4, failure_phrase(failure)) for failure in notable_failures(digest)[:2])


def _request_line(fact: Fact, max_tokens: int) -> str:
    """A person's words; of long ones, those from the sentence on that asks."""
    words = one_line(fact.text)
    if count_tokens(words) > max_tokens and (start := ask_in(fact.text)[1]):
        words = f"{GAP} {one_line(fact.text[start:])}"
    return f"{fact.source} {Speaker.USER}: {words}"


def _reports(digest: Digest) -> Iterator[str]:
    """What the model noted of its turn, and what the agent said last."""
    if digest.gist:
        yield f"{digest.gist.source} {Speaker.AGENT} noted: {digest.gist.text}"
    if digest.final and (telling := _telling(digest, digest.final)):
        speaker = "earlier summary" if digest.final.by is Origin.SUMMARY else Speaker.AGENT
        yield f"{digest.final.source} {speaker}: {telling}"


def _telling(digest: Digest, final: Fact) -> str:
    """The sentences of a report that say more than what comes next, and than what was noted already."""
    noted = digest.gist.text if digest.gist else ""
    unnoted: Sequence[str] = [sentence for sentence in sentences(final.text) if sentence not in noted]
    telling = [words for words in unnoted if not announces(words)]
    is_all = not (digest.requests or digest.files or noted)
    return one_line(" ".join(telling or (unnoted if is_all else ())))


def _details(digest: Digest) -> Iterator[str]:
    """What the agent noted of files, and what it decided and does not repeat at the end, the newest first."""
    for file in reversed(digest.files):
        if file.what:
            yield f"{file.what.source} {Speaker.AGENT} noted of {file_name(file.text)}: {file.what.text}"
    for fact in reversed(digest.changes):
        yield f"{fact.source} {Speaker.AGENT} noted of {fact.text}"
    last = one_line(digest.final.text) if digest.final else ""
    for fact in reversed(digest.decisions):
        if fact.by is not Origin.PERSON and one_line(fact.text) not in last:
            yield f"{fact.source} {Speaker.AGENT if fact.by is Origin.MODEL else Speaker.TOOL}: {one_line(fact.text)}"
