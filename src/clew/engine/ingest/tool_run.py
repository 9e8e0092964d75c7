"""A run of a tool, told by whoever runs it: when it started and ended, how, and what it gave."""

from __future__ import annotations

from asyncio import CancelledError as TaskCancelled
from collections.abc import Callable
from concurrent.futures import CancelledError as FutureCancelled
from types import TracebackType
from typing import Any, Self

from clew.codecs.frameworks.tool_content import tool_content
from clew.domain import EntryKind, Message, Origin, Output, Part, Role, Status, Text
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.services import Services
from clew.errors import NotFound, UsageError
from clew.history.tool_usage import ToolUsageProjection
from clew.text.secrets import mask

#: What ends a run because nobody wants its result any more.
_CANCELLED = (GeneratorExit, TaskCancelled, FutureCancelled)
#: Classes by which others say that time is up: of the standard library, httpx and requests.
_TIMEOUTS = {"TimeoutError", "TimeoutExpired", "TimeoutException", "Timeout"}


class ToolRun:
    """One run of a tool, as a ``with`` block around it. Its end is recorded together with the output, if there is one.

    An exception in the block is raised on, and recorded with its text as the output: as a failure, as a timeout where
    it says that time is up, as canceled where it cancels the block, as interrupted for ctrl-c. ``status`` tells how the
    run ended.
    """

    def __init__(
        self, ledger: SessionLedger, services: Services, call_id: str, *, record: Callable[[list[Message]], object]
    ) -> None:
        self._ledger, self._services, self._record = ledger, services, record
        self.call_id, self.name = call_id, _name_of(ledger, call_id)
        self._started: float | None = None
        self._output: Output | None = None

    @property
    def status(self) -> Status:
        """How the run has ended, as far as it was told."""
        return self._output.status if self._output else Status.SUCCESS

    def __enter__(self) -> Self:
        self._started = self._services.clock.now()
        self._services.events.emit("tool.started", **self._identity())
        return self

    def output(self, content: Any, *, status: str = Status.SUCCESS) -> None:
        """Gives what the tool returned: a text, a part or a list of parts, a result of MCP, or a value that is written
        as JSON: of Pydantic, of a dataclass, of dicts and lists.

        ``status`` is for a tool that tells of its failure in words; results of MCP tell of it themselves. The last call
        counts. Raises UsageError for an unknown status, or a value that is no JSON.
        """
        if status not in set(Status):
            raise UsageError(f"no status {status!r} of a tool; there are {', '.join(Status)}")
        output = tool_content(content)
        self._output = self._as_output(output.parts, output.status if status == Status.SUCCESS else Status(status))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._started is None:
            raise UsageError(f"the run of {self.call_id} ends before it began; write `with session.tool(…) as run:`")
        if error is not None:
            status = _status_of(error)
            text = _error_text(error) if status in (Status.FAILED, Status.TIMEOUT) else str(status)
            self._output = self._as_output((Text(text=text),), status)
        started, self._started = self._started, None
        self._end(started, _error_text(error) if error is not None else "")

    def _end(self, started: float, error: str) -> None:
        output, now = self._output, self._services.clock.now()
        about = {
            "call": self.call_id,
            "name": self.name,
            "started": started,
            "ended": now,
            "status": self.status.value,
            "chars": len(output.text) if output else 0,
        } | ({"error": mask(error)} if error else {})
        with self._ledger.transaction():
            self._ledger.append(EntryKind.RUN, {"run": about}, project=output is None)
            if output is not None:
                self._record([Message(role=Role.TOOL, origin=Origin.TOOL, parts=(output,), at=now)])
        outcome = {name: about[name] for name in ("status", "chars", "error") if name in about}
        seconds = max(0.0, now - started)
        self._services.events.emit("tool.ended", **self._identity(), seconds=seconds, **outcome)

    def _as_output(self, content: tuple[Part, ...], status: Status) -> Output:
        return Output(call_id=self.call_id, name=self.name, content=content, status=status)

    def _identity(self) -> dict[str, str]:
        return {"session": self._ledger.id, "call": self.call_id, "tool": self.name}


def _name_of(ledger: SessionLedger, call_id: str) -> str:
    """The tool that a call asks for, while it waits for its output."""
    waiting = ledger.state(ToolUsageProjection.name, alone=True) or {}
    if call_id not in waiting:
        open_calls = f"; those are {', '.join(sorted(waiting))}" if waiting else ""
        raise NotFound(
            f"no call {call_id!r} waits for its output in session {ledger.id}{open_calls}",
            hint="record the model's reply before its tools run",
        )
    name: str = waiting[call_id][0]
    return name


def _status_of(error: BaseException) -> Status:
    if isinstance(error, KeyboardInterrupt):
        return Status.INTERRUPTED
    if isinstance(error, _CANCELLED):
        return Status.CANCELED
    is_timeout = not _TIMEOUTS.isdisjoint(kind.__name__ for kind in type(error).__mro__)
    return Status.TIMEOUT if is_timeout else Status.FAILED


def _error_text(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # an error that cannot even be told is a failure like another
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
