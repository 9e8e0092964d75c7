"""What check judges: a provider's own request as a file has it, or a session as it would be sent; and its repair."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from clew import rules
from clew.cli.check_request.request_files import detected_format, is_same_file, read_requests, regular_file
from clew.cli.file_output import write_file
from clew.cli.session_export import note_losses
from clew.cli.sources import AUTO, is_read, read_file, sessions_of, split_source
from clew.codecs import jsonio, registry
from clew.domain import Finding, Json, Repair
from clew.engine.session import Session
from clew.errors import ClewError, NotFound, StorageError, UsageError
from clew.packing.own_request import repair_own_request


@dataclass(frozen=True, slots=True)
class Terms:
    """How a request is judged."""

    provider: str
    final: bool
    dialect: str | None
    previous: Json | None = None

    @classmethod
    def for_provider(cls, provider: str, *, final: bool, dialect: str | None, previous: Path | None) -> Terms:
        """Raises UsageError for a provider or dialect without rules, and for a file that is no request."""
        rules.rules_for(provider, dialect)
        return cls(provider, final, dialect, _load_request(previous) if previous else None)


@dataclass(frozen=True, slots=True)
class JudgedRequest:
    """A request to judge: where it came from, and how it is repaired. An own request is judged as it stands; of a
    session, ``messages_at`` gives the ids of the messages that an item of the request was made of.
    """

    name: str
    source: str
    request: Json
    repaired: Callable[[Terms], tuple[Json, tuple[Repair, ...]]]
    is_own: bool = False
    messages_at: Callable[[int], tuple[str, ...]] = lambda _at: ()

    @property
    def what(self) -> str:
        """What is judged, in words."""
        return f"{self.source} as it {'stands' if self.is_own else 'would be sent'}"

    def place(self, finding: Finding, provider: str) -> str:
        """Where a finding stands: the messages of a session, or the place in the list of a request."""
        if finding.at < 0:
            return "the request"
        ids = self.messages_at(finding.at)
        where = ids[0] if len(ids) == 1 else f"{ids[0]}–{ids[-1]}" if ids else ""
        where = where or f"{registry.MESSAGE_LISTS[provider]}[{finding.at}]"
        return f"{where} ({finding.id})" if finding.id else where

    @property
    def is_complete(self) -> bool:
        """True for a request that names its model, as it does when it is sent."""
        return self.is_own and bool(self.request.get("model"))


def findings_of(one: JudgedRequest, terms: Terms) -> list[Finding]:
    """What the provider would refuse in the request."""
    is_final = terms.final or one.is_complete
    return rules.check(one.request, terms.provider, final=is_final, previous=terms.previous, dialect=terms.dialect)


def _load_request(path: Path) -> Json:
    try:
        return jsonio.loads_object(path.read_bytes())
    except (OSError, ValueError) as error:
        raise UsageError(f"--previous {path} is no request: {error}") from None


def refuse_bad_output(source: str, out: Path | None, *, repair: bool, overwrite: bool) -> None:
    """Raises UsageError for options that do not go together, and for a file that would replace its source."""
    if repair != (out is not None):
        raise UsageError("--repair and --out FILE go together")
    if out and not overwrite and is_same_file(split_source(source)[0], out):
        raise UsageError(f"--out {out} is the file that is checked; choose another, or add --overwrite to replace it")


# ── what is judged ───────────────────────────────────────────────────────────────────────────────────


@contextmanager
def requests_to_judge(source: str, store: str | None, provider: str, format: str) -> Iterator[list[JudgedRequest]]:
    """Yields what a SOURCE holds: requests of the provider's own format as they stand, or sessions encoded for it."""
    path, wanted = split_source(source)
    if not is_read(source):
        with sessions_of(source, store, format=format) as sessions:
            yield [_session(session, provider, f"session {session.id}") for session in sessions]
        return
    with regular_file(path) as file:
        looks = format if format != AUTO else detected_format(file)
        if _is_own(looks, provider, is_named=format != AUTO):
            yield _own_requests(file, provider, wanted, shown="standard input" if file != path else path)
            return
        named = f"{file}#{wanted}" if wanted else file
        with sessions_of(named, store, format=format) as sessions:
            yield [_session(session, provider, f"{path} ({looks})") for session in sessions]


def _is_own(looks: str | None, provider: str, *, is_named: bool) -> bool:
    """Messages look alike in several formats, so unless a format is named, those of any provider are the own."""
    return looks == provider if is_named else looks is None or looks in registry.PROVIDERS


def _own_requests(file: str, provider: str, wanted: str, *, shown: str) -> list[JudgedRequest]:
    def own_request(name: str, body: Json) -> JudgedRequest:
        def repair_own(terms: Terms) -> tuple[Json, tuple[Repair, ...]]:
            return repair_own_request(body, provider, final=terms.final, dialect=terms.dialect)

        return JudgedRequest(name, shown, body, repair_own, is_own=True)

    read = read_requests(file, provider)
    requests = [own_request(request.name, request.body) for request in read if not wanted or request.name == wanted]
    if not requests:
        names = ", ".join(request.name for request in read if request.name) or "only one, without a name"
        raise NotFound(f"no conversation {wanted!r} in {shown}; there is {names}")
    return requests


def _session(session: Session, provider: str, name: str) -> JudgedRequest:
    def repair_request(terms: Terms) -> tuple[Json, tuple[Repair, ...]]:
        request, repairs = session.reader.request(provider)
        note_losses(request.losses)
        body, more = rules.repair(request.body, provider, final=terms.final, dialect=terms.dialect)
        return body, (*repairs, *more)

    request = session.reader.request(provider, repair=False)[0].body
    items = len(request[registry.MESSAGE_LISTS[provider]])
    return JudgedRequest(session.id, name, request, repair_request, messages_at=_places(session, provider, items))


def _places(session: Session, provider: str, items: int) -> Callable[[int], tuple[str, ...]]:
    """Finds the messages that an item was made of: encoders join messages, so their beginnings are encoded until one
    has as many items.
    """
    member, encode = registry.MESSAGE_LISTS[provider], registry.encoder(provider).encode
    view = session.reader.history().prompt_view()

    @cache
    def size(count: int) -> int:
        return len(encode(view[:count]).body[member]) if count < len(view) else items

    def messages_at(at: int) -> tuple[str, ...]:
        counts = range(len(view) + 1)
        first, last = bisect_right(counts, at, key=size), bisect_right(counts, at + 1, key=size)
        return tuple(message.id for message in view[first - 1 : max(first, last - 1)])

    return messages_at


# ── what is repaired ─────────────────────────────────────────────────────────────────────────────────


def write_repaired(found: Sequence[JudgedRequest], terms: Terms, out: Path) -> tuple[Repair, ...]:
    """Writes nothing that the provider would still refuse, or that cannot be read back."""
    if len(found) != 1:
        names = ", ".join(request.name for request in found[:5])
        raise UsageError(f"--repair writes one conversation and there are {len(found)} ({names}); choose with FILE#ID")
    # What was sent before was not repaired, so nothing can be compared with it.
    terms = replace(terms, final=terms.final or found[0].is_complete, previous=None)
    body, repairs = found[0].repaired(terms)
    left = findings_of(replace(found[0], request=body), terms)
    if left:
        raise ClewError(f"{out} is not written: {left[0].rule} cannot be repaired: {left[0].message}")
    write_file(out, [jsonio.dumps_exact(body) + b"\n"], verify=lambda draft: _read_back(draft, out, terms.provider))
    return repairs


def _read_back(draft: Path, out: Path, provider: str) -> None:
    try:
        with read_file(str(draft), provider) as (_, reports):
            skipped = [skipped.reason for report in reports for skipped in report.skipped]
            problem = skipped[0] if skipped else "" if reports else "it holds no messages"
    except ClewError as error:
        problem = str(error)
    if problem:
        raise StorageError(f"{out} is not written, as it could not be read back: {problem}")
