"""Tools that add to a session: messages, and the notes of the model that works in it."""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult
from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_snake

from clew.codecs import jsonio
from clew.engine.ingest.reported_messages import decode_reported
from clew.engine.ledger.records import ChannelCursor, ChannelKind
from clew.engine.session import Session
from clew.errors import UsageError
from clew.history.message_text import message_text
from clew.mcp_server import answers
from clew.mcp_server.answers import result
from clew.mcp_server.arguments import ADDS, REPEATS, SessionName
from clew.mcp_server.workspace import Workspace
from clew.retrieval.words import query_words, words_of

#: Name of the channel by which these messages come: others may report the same ones.
_CHANNEL = "mcp"
#: Words that a summary has in common with its segment, at least.
_LEAST_WORDS = 2
_MOST_MESSAGES, _MOST_BYTES, _MOST_SEGMENTS = 1_000, 4 << 20, 20


class _Notes(BaseModel):
    """Notes. Their names are in snake_case or camelCase."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _in_snake_case(cls, data: Any) -> Any:
        return {to_snake(name): value for name, value in data.items()} if isinstance(data, dict) else data


class SegmentNotes(_Notes):
    """A summary of one segment, in the words of the model that read it."""

    id: str = Field(description="Id of the segment, such as x7.2.")
    summary: str = Field(description="What was done and found, at most 80 words.")
    header: str = Field(default="", description="At most 8 words.")


class ModelSide(_Notes):
    """Notes of the model on its own turn."""

    response_header: str = Field(default="", description="The turn in at most 8 words.")
    context_summary: str = Field(default="", description="What the turn brought, at most 80 words.")
    key_decisions: list[str] = Field(default=[], description="Decisions that were taken in this turn.")
    code_changes: list[dict[str, str]] = Field(default=[], description='Each {"path": …, "what": …}.')


class UserSide(_Notes):
    """How the model understood the user."""

    query_header: str = Field(default="", description="The request in at most 8 words.")
    understood_intent: str = ""
    context_used: list[str] = Field(default=[], description="Ids that helped.")


def add_recording_tools(server: MCPServer, workspace: Workspace) -> None:
    """Adds record_messages and report_housekeeping."""

    @server.tool(title="Record messages", annotations=REPEATS)
    async def record_messages(
        messages: Annotated[
            list[dict[str, Any]], Field(description="Messages of a provider's format, oldest first, all or new ones.")
        ],
        format: Annotated[
            str | None, Field(description="anthropic, openai-chat, openai-responses or gemini; found if left out.")
        ] = None,
        session: SessionName = None,
    ) -> Annotated[CallToolResult, answers.RecordedMessages]:
        """Store messages of this conversation, where no transcript of it is on this machine. What is known already
        is not stored again. A session id that is new starts a session. Rules in them bind nobody: mark_critical says
        what must not be forgotten.
        """

        def work(session: Session) -> answers.RecordedMessages:
            _ensure_size(messages)
            records = decode_reported(messages, format)
            done = session.channels.record(records, ChannelCursor(_CHANNEL, ChannelKind.REPORTER))
            return answers.RecordedMessages(session=session.id, recorded=list(done.ids), messages=session.info.messages)

        return result(await workspace.on_reported_session(session, work))

    @server.tool(title="Report housekeeping", annotations=ADDS)
    async def report_housekeeping(
        model: ModelSide | None = None,
        user: UserSide | None = None,
        segments: Annotated[
            list[SegmentNotes], Field(description="Summaries of segments that trigger_compaction asked for.")
        ] = [],  # noqa: B006 (the schema shows it; it is only read)
        session: SessionName = None,
    ) -> Annotated[CallToolResult, answers.ReportedHousekeeping]:
        """Leave notes for the memory of this session: on your turn so far, or on segments you have summarised."""

        def work(session: Session) -> answers.ReportedHousekeeping:
            return answers.ReportedHousekeeping(session=session.id, accepted=_report(session, model, user, segments))

        return result(await workspace.on_session(session, work))


def _ensure_size(messages: list[dict[str, Any]]) -> None:
    if not messages:
        raise UsageError("messages is empty; give at least one")
    if len(messages) > _MOST_MESSAGES or len(jsonio.dumps(messages)) > _MOST_BYTES:
        most = f"{_MOST_MESSAGES:,} messages or {_MOST_BYTES >> 20} MB"
        raise UsageError(f"more than {most} at once; record them in turns, oldest first")


def _report(
    session: Session, model: ModelSide | None, user: UserSide | None, segments: list[SegmentNotes]
) -> list[str]:
    """Writes each note; what is wrong with one leaves those before it in place."""
    if len(segments) > _MOST_SEGMENTS:
        raise UsageError(f"segments has {len(segments)} items, and at most {_MOST_SEGMENTS} are taken; report in turns")
    sides = {"model": model, "user": user}
    turn = {name: side.model_dump(exclude_defaults=True) for name, side in sides.items() if side}
    if not any(turn.values()) and not segments:
        raise UsageError("nothing is reported; give model, user or segments")
    accepted = []
    if any(turn.values()):
        session.channels.note(turn)
        accepted.append("turn")
    for segment in segments:
        _ensure_told(session, segment)
        session.channels.note(
            {"model": {"context_summary": segment.summary, "response_header": segment.header}}, segment=segment.id
        )
        accepted.append(segment.id)
    return accepted


def _ensure_told(session: Session, notes: SegmentNotes) -> None:
    """Raises UsageError for a summary that says nothing of its segment."""
    words = set(query_words(notes.summary))
    held = {word for message in session.messages(notes.id) for word in words_of(message_text(message))}
    if len(words & held) < _LEAST_WORDS:
        raise UsageError(f"the summary of {notes.id} names nothing that stands there; say what was done and found")
