"""Session files that a client opens and goes on from: a session as it was recorded, or compacted.

What is written is a request that the provider would accept, line by line in the client's own format, so that the
client sends the same again. It is a session of its own, with an id that follows from its content.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from uuid import NAMESPACE_OID, uuid5

from clew._version import __version__
from clew.assistants.resumable import SessionFile
from clew.assistants.transcript import modified_time
from clew.codecs import jsonio, registry
from clew.domain import Json, Loss, Message, Origin, Reasoning, Role, Text
from clew.engine.session import Session
from clew.packing.cache_breakpoints import without_marks
from clew.packing.valid_request import encode_valid
from clew.ports import SessionHead

#: The provider of these binds reasoning to every byte before it, and a resumed session begins with others.
_WITHOUT_REASONING = frozenset({"claude-code"})
#: These take the system prompt from the session file; others always bring their own.
_WITH_INSTRUCTIONS = frozenset({"codex"})


def session_file(session: Session, client: str, *, folder: Path, budget: int | None = None) -> SessionFile:
    """Returns the session as a file that a client resumes in a working folder: every message, or compacted to a budget.

    Raises UsageError for a client whose session files are not written, BudgetExceeded when too little fits.
    """
    writer = registry.session_writer(client)
    content = _whole(session) if budget is None else _compacted_content(session, writer.provider, budget)
    content = content.for_client(client, is_own=session.info.client == client)
    request, sent, repairs = encode_valid(content.messages, writer.provider, sealed_after=content.sealed_after)
    # Marks of a cache belong to a request: the client sets those of its own, and too many are refused.
    items = [without_marks(item) for item in request.body[registry.MESSAGE_LISTS[writer.provider]]]
    repairs = tuple(one for one in repairs if one.rule != "A12")
    head = _head(session, client, items, folder=folder, content=content)
    lines = tuple(writer.session_lines(_with_sources(items, sent, writer.provider, at=head.at), head))
    losses = (*content.losses, *request.losses)
    return SessionFile(
        client=client, id=head.id, at=head.at, folder=folder, lines=lines, repairs=repairs, losses=losses
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Content:
    """What is handed over. ``sealed_after`` is the last message that reasoning of replies after it does not rest on."""

    messages: tuple[Message, ...]
    sealed_after: int | None = None
    system: tuple[Message, ...] = ()
    losses: tuple[Loss, ...] = ()

    def for_client(self, client: str, *, is_own: bool) -> _Content:
        """The content without what the client cannot use: a system prompt of another, reasoning that is bound."""
        leading = [*self.system, *takewhile(lambda one: one.role is Role.SYSTEM, self.messages)]
        rest = self.messages[len(leading) - len(self.system) :]
        system = [one for one in leading if one.origin is Origin.SYSTEM] if is_own else leading
        kept = [one for one in leading if one not in system]
        messages, losses = (*kept, *rest), []
        if client not in _WITH_INSTRUCTIONS or not is_own:
            losses = [Loss(one.id or one.role, "a system prompt: the client brings its own") for one in system]
            system = []
        if client in _WITHOUT_REASONING:
            thinking = [message for message in messages if message.parts_of(Reasoning)]
            losses += [Loss(one.id or one.role, "reasoning, which is bound to what stood before") for one in thinking]
            messages = tuple(map(_without_reasoning, messages))
        return replace(self, messages=messages, system=tuple(system), losses=tuple(losses))


def _without_reasoning(message: Message) -> Message:
    if not message.parts_of(Reasoning):
        return message
    return replace(message, parts=tuple(part for part in message.parts if not isinstance(part, Reasoning)), wire=None)


def _whole(session: Session) -> _Content:
    return _Content(messages=tuple(session.reader.history().prompt_view()))


def _compacted_content(session: Session, provider: str, budget: int) -> _Content:
    """A pack, whose snapshot is a summary: a message of its own before all others."""
    hint = f"`clew show {session.id} ID` shows what has such an id."  # whoever resumes a file has a shell
    room = budget - session.reader.count(hint) - 1  # for the conversation alone: the file has no system prompt of packs
    whole = room + session.packer.system_tokens(provider, room)
    content = session.pack(None, budget=whole, target=provider, record=False).content
    snapshot = Message(role=Role.USER, origin=Origin.SUMMARY, parts=(Text(text=f"{content.snapshot}\n{hint}"),))
    first = (snapshot,) if content.snapshot else ()
    messages = (*first, *content.messages, *content.turn.messages)
    return _Content(messages=messages, system=content.system, sealed_after=content.sealed_after)


def _head(session: Session, client: str, items: Sequence[Json], *, folder: Path, content: _Content) -> SessionHead:
    info = session.info
    known = [message.at for message in content.messages if message.at] or [
        modified_time(Path(info.source)) if info.source else 0.0
    ]
    began = known[0] or info.created
    digest = sha256(jsonio.dumps([str(folder), began, items])).hexdigest()
    return SessionHead(
        id=str(uuid5(NAMESPACE_OID, f"clew {client} {session.id} {digest}")),
        at=began,
        cwd=str(folder),
        version=__version__,
        title=info.title,
        instructions="\n\n".join(one.text for one in content.system),
    )


def _with_sources(
    items: Sequence[Json], sent: Sequence[Message], provider: str, *, at: float
) -> Iterator[tuple[Json, Message]]:
    """Each item with the message it makes, and what the item does not tell: whose words they are, when, which model."""
    read = registry.codec(provider).read
    known: dict[tuple[str, ...], deque[Message]] = defaultdict(deque)
    for message in sent:
        known[_content_of(message)].append(message)
    for item in items:
        made = read(jsonio.dumps(item)).message
        assert made is not None  # what an encoder wrote is a message
        if found := known.get(_content_of(made)):
            source = found.popleft()
            at = max(at, source.at or 0.0)
            made = replace(made, origin=source.origin, model=source.model)
        yield item, replace(made, at=at)


def _content_of(message: Message) -> tuple[str, ...]:
    calls = (call.id for call in message.calls)
    return (message.text, *calls, *(output.call_id for output in message.outputs))
