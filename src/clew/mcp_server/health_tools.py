"""Tools on the state of a session: its health, drift, and compaction."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from clew.domain import Compaction, Drift, Health
from clew.engine.session import Session
from clew.mcp_server import answers
from clew.mcp_server.answers import result
from clew.mcp_server.arguments import READS, REPEATS, Cursor, SessionName, ensure_short, whole_number
from clew.mcp_server.pages import make_cursor, page, read_cursor
from clew.mcp_server.request import Progress
from clew.mcp_server.workspace import Workspace

#: Segments that the calling model is asked to summarise, at most: the largest.
_MOST_TO_SUMMARIZE = 5
#: A smaller segment is shown well enough by its digest.
_LEAST_TOKENS = 1_500
_MOST_TOPIC_CHARS = 2_000
_NOTE = (
    "This is what Clew sends and restores. The window of the program you run in is its own: ask for its compaction if"
    " that is what is full."
)


def add_health_tools(server: MCPServer, workspace: Workspace) -> None:
    """Adds get_context_health, trigger_compaction and check_drift."""

    @server.tool(title="Context health", annotations=READS)
    async def get_context_health(
        includeDetails: Annotated[bool, Field(description="Add all figures.")] = False,  # noqa: N803
        session: SessionName = None,
    ) -> Annotated[CallToolResult, answers.ContextHealth]:
        """Check how full the context is and whether the work drifts from what was asked."""

        def work(session: Session) -> answers.ContextHealth:
            return _health(session.id, session.health(), details=includeDetails)

        return result(await workspace.on_session(session, work))

    @server.tool(title="Compact the context", annotations=REPEATS)
    async def trigger_compaction(
        strategy: Annotated[
            Literal["auto", "summarize", "selective", "chunked", "aggressive"], Field(description="How to compact.")
        ] = "auto",
        preserveRecent: Annotated[  # noqa: N803
            float | None, Field(description="How many of the newest messages stay word for word.")
        ] = None,
        session: SessionName = None,
    ) -> Annotated[CallToolResult, answers.CompactionReport]:
        """Move older messages of the session to smaller sizes. Every word stays readable by its id."""

        progress = Progress("compacting")

        def work(session: Session) -> answers.CompactionReport:
            keep = whole_number(preserveRecent, name="preserveRecent", most=session.info.messages)
            progress.tell(0, 1)
            done = session.compact(strategy, keep_recent=keep)
            progress.tell(1, 1)
            return _compaction(session, done)

        return result(await workspace.on_session(session, work))

    @server.tool(title="Check for drift", annotations=READS)
    async def check_drift(
        topic: Annotated[str, Field(description="What the work should be about; by default its first aim.")] = "",
        session: SessionName = None,
        cursor: Cursor = None,
    ) -> Annotated[CallToolResult, answers.DriftReport]:
        """List the rules of this session and whether each is kept, broken rules first, and contradictions."""

        def work(session: Session) -> answers.DriftReport:
            ensure_short(topic, name="topic", most=_MOST_TOPIC_CHARS, instead="say it in a sentence")
            return _drift(session, session.drift(topic or None), int(read_cursor(cursor).get("at", 0)))

        return result(await workspace.on_session(session, work))


def _health(id: str, health: Health, *, details: bool) -> answers.ContextHealth:
    return answers.ContextHealth(
        session=id,
        health=health.health,
        tokensUsed=health.tokens_used,
        tokensLimit=health.tokens_limit,
        limitSource=health.limit_source,
        window=health.window,
        utilization=f"{health.utilization:.0%}",
        driftScore=health.drift_score,
        driftDetected=health.drift_detected,
        suggestions=list(health.suggestions) or ["Context is healthy, no action needed"],
        details=asdict(health) if details else None,
    )


def _compaction(session: Session, done: Compaction) -> answers.CompactionReport:
    return answers.CompactionReport(
        session=session.id,
        before=answers.Size(**asdict(done.before)),
        after=answers.Size(**asdict(done.after)),
        preserved=done.preserved,
        summarized=answers.Summarized(**asdict(done.summarized)),
        remembers=list(done.remembers),
        strategy=done.strategy,
        rung=done.rung,
        saved_tokens=done.saved_tokens,
        undo=f"clew compact {session.id} --undo" if done.undo else "",
        reason=done.reason,
        to_summarize=_to_summarize(session) if done.undo and not session.config.models.model else [],
        note=_NOTE,
    )


def _to_summarize(session: Session) -> list[answers.SegmentToSummarize]:
    """The largest segments of which nobody has written a summary, in order."""
    digests, outline = session.reader.digests(), session.reader.outline()[:-1]
    found = [
        (segment, id, digest)
        for segment, id in outline
        if segment.tokens >= _LEAST_TOKENS and (digest := digests.digest(segment.id)) and digest.gist is None
    ]
    largest = sorted(found, key=lambda one: -one[0].tokens)[:_MOST_TO_SUMMARIZE]
    return [
        answers.SegmentToSummarize(id=id, tokens=segment.tokens, header=session.reader.trio(id).header.line)
        for segment, id, _ in sorted(largest, key=lambda one: one[0].first)
    ]


def _drift(session: Session, drift: Drift, start: int) -> answers.DriftReport:
    order = sorted(drift.requirements, key=lambda requirement: requirement.state != "broken")
    requirements = [
        answers.Requirement(id=one.id, text=one.text, state=one.state, score=one.score, evidence=one.evidence)
        for one in order
    ]
    shown = page(requirements, start, lambda one: session.reader.count(one.model_dump_json()))
    is_first = not start
    return answers.DriftReport(
        session=session.id,
        drift_score=drift.drift_score,
        topic_drift=drift.topic_drift,
        missing=list(drift.missing) if is_first else [],
        reminders=list(drift.reminders) if is_first else [],
        requirements=shown.items,
        contradictions=[
            answers.Contradiction(
                earlier=contradiction.earlier,
                later=contradiction.later,
                score=contradiction.score,
                about=contradiction.about,
            )
            for contradiction in drift.contradictions
        ]
        if is_first
        else [],
        next_cursor=make_cursor({"at": shown.next}) if shown.next else None,
    )
