"""Alignment: how a caller's list of messages goes on from what a session has.

Messages are compared part by part, as marks that are equal for parts that mean the same. Reasoning does not count:
many callers leave it out when they send a reply back. Nor do system prompts at the head of a list or beside it; a
system message further down is a message like any other. The list is the caller's truth: what it holds in other words is
edited, what it no longer holds is taken out, and what comes after the last message in common is new.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from hashlib import blake2b
from itertools import pairwise, takewhile
from typing import Any

from clew.codecs import jsonio, registry
from clew.codecs.sdk_objects import as_dict, compared_text, without_nulls
from clew.domain import Message, Opaque, Output, Part, Reasoning, Role, Text
from clew.engine.ingest.decode import decode_messages
from clew.engine.ledger.records import DecodedRecord
from clew.history.part_identity import identities
from clew.history.prompt_state import is_beside
from clew.history.user_requests import is_request
from clew.replies.parsing import without_notes
from clew.text.secrets import mask_strings


def part_marks(messages: Iterable[Message]) -> list[bytes]:
    """Returns the marks of messages, in order; none for reasoning and empty texts."""
    return [mark for message in messages for mark in _marks(_comparable(message))]


def _marks(message: Message) -> list[bytes]:
    """Identities of parts, in which words of the system differ from those of the user."""
    side = b"system/" if message.role is Role.SYSTEM else b""
    return [side + identity for identity in identities(message)]


def _comparable(message: Message) -> Message:
    """What counts of a message. Callers may have a reply as their user sees it."""
    message = without_notes(message)
    parts = (_without_nulls(part) for part in message.parts if not isinstance(part, Reasoning))
    return replace(message, parts=tuple(part for part in parts if not isinstance(part, Text) or part.text.strip()))


def _without_nulls(part: Part) -> Part:
    """A block that only its provider understands, as it is compared: its dump has a null for what nobody has set."""
    if isinstance(part, Output) and any(isinstance(one, Opaque) for one in part.content):
        return replace(part, content=tuple(map(_without_nulls, part.content)))
    if not isinstance(part, Opaque) or part.wire is None:
        return part
    return replace(part, wire=replace(part.wire, data=without_nulls(part.wire.data)))


@dataclass(frozen=True, slots=True)
class Outline:
    """What is compared of a message: hashes of its marks, and who speaks. ``id`` is that of one in a session.
    A reply that broke off is no answer. ``is_calling`` is a reply whose calls the caller is to answer.
    """

    marks: tuple[bytes, ...]
    id: str = ""
    role: Role = Role.SYSTEM
    is_answer: bool = False
    is_request: bool = False
    is_calling: bool = False


def outline(message: Message) -> Outline:
    """Returns what is compared of a message."""
    marks = tuple(blake2b(mark, digest_size=16).digest() for mark in part_marks([message]))
    is_answer = message.role in (Role.ASSISTANT, Role.TOOL) and not message.interrupted
    is_calling = is_answer and any(not call.server for call in message.calls)
    return Outline(marks, message.id, message.role, is_answer, is_request(message), is_calling)


@dataclass(frozen=True, slots=True)
class GivenRecord:
    """A record of a caller's list: the place of its item, and which record of that item it is."""

    place: int
    at: int
    outline: Outline


@dataclass(frozen=True, slots=True)
class KnownList:
    """A list as it was last given, to recognise the next one by.

    ``text`` is all of it as JSON without the closing bracket, empty where some item is nothing that JSON has; ``kinds``
    are the types of its items. ``outlines`` are by content.
    """

    text: bytes = b""
    kinds: tuple[type, ...] = ()
    records: tuple[GivenRecord, ...] = ()
    outlines: Mapping[bytes, list[Outline]] = field(default_factory=dict)

    def begins(self, text: bytes, kinds: tuple[type, ...]) -> bool:
        """Whether another list begins with all that this one has."""
        is_begun = bool(self.text) and text.startswith(self.text) and text[len(self.text) :][:1] in (b"", b",")
        return is_begun and kinds[: len(self.kinds)] == self.kinds


class GivenMessages:
    """A caller's messages, of a provider or a framework. Each is decoded when it is first looked at.

    ``known`` is the list that was given before: what it has is not decoded again to be recognised.
    """

    def __init__(
        self, messages: Sequence[Any], format: str, *, masked: bool = False, known: KnownList | None = None
    ) -> None:
        """``masked`` says that the session keeps messages without the secrets in them."""
        self.messages, self.format, self._masked = messages, format, masked
        self._decoded: dict[int, list[DecodedRecord]] = {}
        self._known = known or KnownList()
        self._outlined: dict[bytes, list[Outline]] = {}

    def as_known(self) -> KnownList:
        """Returns the whole list with its records, in order. System messages at its head, its system prompt, have no
        marks. A list that goes on costs what is new in it, and one comparison of bytes.
        """
        text, kinds = _list_text(self.messages), tuple(map(type, self.messages))
        is_begun = self._known.begins(text, kinds)
        first = len(self._known.kinds) if is_begun else 0
        self._outlined = dict(self._known.outlines) if is_begun else {}
        new = (
            GivenRecord(place, index, outline)
            for place in range(first, len(self.messages))
            for index, outline in enumerate(self.outlines(place))
        )
        found = (*(self._known.records if is_begun else ()), *new)
        head = list(takewhile(lambda one: one.outline.role is Role.SYSTEM, found))
        records = (*(replace(one, outline=Outline(())) for one in head), *found[len(head) :])
        return KnownList(text, kinds, records, self._outlined)

    def __len__(self) -> int:
        return len(self.messages)

    def records(self, place: int) -> list[DecodedRecord]:
        """Returns what stands at a place, decoded."""
        if place not in self._decoded:
            self._decoded[place] = decode_messages([self.messages[place]], self.format, is_sent=True)
        return self._decoded[place]

    def messages_at(self, place: int) -> list[Message]:
        """Returns what stands at a place, as messages of ours, without system prompts that stand beside the list."""
        found = [self._message(record) for record in self.records(place)]
        return [one for one in found if one and not _is_beside(one)]

    def marks(self, place: int) -> list[bytes]:
        """Returns the marks of what stands at a place."""
        return part_marks(self.messages_at(place))

    def outlines(self, place: int) -> list[Outline]:
        """Returns what is compared of each record at a place; system prompts beside the list have no marks."""
        name = _content_name(self.messages[place])
        found = self._known.outlines.get(name) if name else None
        if found is None:
            found = [self._outline(record) for record in self.records(place)]
        if name:
            self._outlined[name] = found
        return found

    def _outline(self, record: DecodedRecord) -> Outline:
        message = self._message(record)
        return outline(message) if message and not _is_beside(message) else Outline(())

    def _message(self, record: DecodedRecord) -> Message | None:
        return _without_secrets(record) if self._masked else record.record.message


def _is_beside(message: Message) -> bool:
    return message.role is Role.SYSTEM and is_beside(message)


def _content_name(item: Any) -> bytes:
    """A hash of what an item is and says; empty for what cannot be hashed."""
    data = as_dict(item)
    try:
        return b"" if data is None else blake2b(jsonio.dumps([type(item).__name__, data]), digest_size=16).digest()
    except (TypeError, ValueError, RecursionError):
        return b""


def _list_text(items: Sequence[Any]) -> bytes:
    """What the items of a list say, without the bracket that closes it; empty where some cannot be written so."""
    try:
        return compared_text(list(items))[:-1] if items else b""
    except (TypeError, ValueError, RecursionError):
        return b""


def _without_secrets(record: DecodedRecord) -> Message | None:
    body = jsonio.dumps_exact(mask_strings(jsonio.loads_exact(record.body), names=True))
    return registry.codec(record.format).read(body).message


@dataclass(frozen=True, slots=True)
class Alignment:
    """How a list goes on from the view of a session.

    ``edited`` are messages of the view with the record that takes their place, None where nothing does; ``dropped``
    are those at the end of the view that the list no longer has. ``new`` is the first record that is to be recorded.
    ``shared`` counts parts in common. ``reaches_back`` says that the list has something else where the view begins;
    ``before`` are messages of the view before the first in common, where the list has nothing.
    """

    edited: tuple[tuple[Outline, GivenRecord | None], ...] = ()
    dropped: tuple[Outline, ...] = ()
    new: int = 0
    shared: int = 0
    reaches_back: bool = False
    before: tuple[Outline, ...] = ()

    @property
    def goes_on(self) -> bool:
        """Whether the list has all that the session has: it is the same conversation, or begins as it did."""
        return bool(self.shared) and not (self.edited or self.dropped or self.reaches_back)

    @property
    def rewrites(self) -> bool:
        """True where the view has something that the list has not."""
        return bool(self.edited or self.dropped)


@dataclass(frozen=True, slots=True)
class _Common:
    """Messages that stand on both sides: the first and last of the view, and those of the list."""

    first: int
    last: int
    given_first: int
    given_last: int

    def shift(self, by: int) -> _Common:
        """Returns the same where the view begins elsewhere."""
        return replace(self, first=self.first + by, last=self.last + by)


def align(
    view: Sequence[Outline],
    given: Sequence[GivenRecord],
    *,
    begun: Collection[str] = (),
    is_whole: bool = False,
) -> Alignment:
    """Returns how the list goes on from the view, of which all is given if it ``is_whole``.

    Two lists are of one conversation if they have an answer in common, or the last request: equal words of a user alone
    may be a new list that begins with the same greeting. A list that begins with a message of the
    view is one that was cut at its beginning: what came before stays. So does what came before a list that was
    ``begun`` behind it: ids of the messages with which lists begin.
    """
    common = list(_common_messages(view, [record.outline for record in given]))
    ends = bool(common) and all(
        mark.outline.role is Role.SYSTEM for mark in _records_with_marks(given[common[-1].given_last + 1 :])
    )
    if not _is_same_conversation(view, common, is_whole=is_whole, ends=ends):
        return Alignment()
    starts = [index for index, one in enumerate(view[: common[0].first]) if one.id in begun]
    if starts:
        view, common = view[starts[-1] :], [one.shift(-starts[-1]) for one in common]
    start, end = common[0], common[-1]
    shared = sum([len(one.marks) for place in common for one in view[place.first : place.last + 1]])
    head = _records_with_marks(given[: start.given_first])
    before = () if head else _marked_outlines(view[: start.first])
    edited = _edits(view[: start.first], head) if head else []
    if edited is None:
        return Alignment((), _marked_outlines(view), 0, shared, reaches_back=True)
    for place, after in pairwise(common):
        between = _records_with_marks(given[place.given_last + 1 : after.given_first])
        found = _edits(view[place.last + 1 : after.first], between)
        if found is None:  # something was put in: all that follows is recorded anew behind it
            end = place
            break
        edited += found
    dropped = _marked_outlines(view[end.last + 1 :])
    return Alignment(tuple(edited), dropped, end.given_last + 1, shared, reaches_back=bool(head), before=before)


def _marked_outlines(view: Sequence[Outline]) -> tuple[Outline, ...]:
    return tuple(outline for outline in view if outline.marks)


def _records_with_marks(given: Sequence[GivenRecord]) -> list[GivenRecord]:
    return [record for record in given if record.outline.marks]


def _edits(view: Sequence[Outline], given: Sequence[GivenRecord]) -> list[tuple[Outline, GivenRecord | None]] | None:
    """What takes the place of each message; None where there are fewer places than messages."""
    old = _marked_outlines(view)
    if len(given) > len(old):
        return None
    return list(zip(old, [*given, *[None] * (len(old) - len(given))], strict=True))


def _is_same_conversation(view: Sequence[Outline], common: Sequence[_Common], *, is_whole: bool, ends: bool) -> bool:
    """Have they an answer in common, or the last request? An answered one by itself is the same question once more,
    unless it is all that was ever asked.
    """
    places = {index for stretch in common for index in range(stretch.first, stretch.last + 1)}
    requests = [index for index, outline in enumerate(view) if outline.is_request]
    last = requests[-1] if requests else len(view) - 1
    is_answered = any(outline.is_answer for outline in view[last + 1 :])
    is_asked_again = last in places and (not ends or not is_answered or (is_whole and last == 0))
    return is_asked_again or any(view[index].is_answer for index in places)


def _common_messages(view: Sequence[Outline], given: Sequence[Outline]) -> Iterator[_Common]:
    """Yields the messages that are whole on both sides. One reply may be several items of a list."""
    owners, given_owners = _owners(view), _owners(given)
    known, told = _all_marks(view), _all_marks(given)
    if known and known == told[: len(known)] and _is_whole(view, owners, given_owners):
        yield _Common(0, len(view) - 1, given_owners[0], given_owners[len(known) - 1])
        return
    runs: list[list[tuple[int, int]]] = []
    for index, given_at in _common_parts(known, told):
        pair = owners[index], given_owners[given_at]
        if runs and (pair[0] == runs[-1][-1][0] or pair[1] == runs[-1][-1][1]):
            runs[-1].append(pair)
        else:
            runs.append([pair])
    for run in runs:
        common = _Common(run[0][0], run[-1][0], run[0][1], run[-1][1])
        both = view[common.first : common.last + 1], given[common.given_first : common.given_last + 1]
        if all(sum(len(one.marks) for one in side) == len(run) for side in both):
            yield common


def _is_whole(view: Sequence[Outline], owners: Sequence[int], given_owners: Sequence[int]) -> bool:
    """True where a list that begins with all parts of the view has its messages whole: none ends behind the last, and
    no message of the view has nothing to compare.
    """
    count = len(owners)
    return len(set(owners)) == len(view) and given_owners[count - 1 : count] != given_owners[count : count + 1]


def _all_marks(messages: Sequence[Outline]) -> list[bytes]:
    return [mark for message in messages for mark in message.marks]


def _owners(messages: Sequence[Outline]) -> list[int]:
    return [index for index, message in enumerate(messages) for _ in message.marks]


def _common_parts(known: Sequence[bytes], told: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """Yields places of parts that both have, in order: the longest runs, and of equal ones the newest."""
    if known == told[: len(known)]:
        yield from ((index, index) for index in range(len(known)))
        return
    matcher = SequenceMatcher(None, known[::-1], told[::-1], autojunk=False)
    for block in reversed(matcher.get_matching_blocks()):
        for at in reversed(range(block.size)):
            yield len(known) - 1 - block.a - at, len(told) - 1 - block.b - at
