"""The verbs in which the story is told. Each one acts on the project and writes the lines that a client would.

What the assistant thinks and says is held until it acts or falls silent, because both belong to one reply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime

from harbor_story.texts import flow
from harbor_story.transcript import CWD, SESSION, Act, Json, Transcript, name, signature
from harbor_story.tree import Tree

_TODO_ANSWER = (
    "Todos have been modified successfully. Ensure that you continue to use the todo list to track your "
    "progress. Please proceed with the current tasks if applicable"
)
_STATES = {"done": "completed", "now": "in_progress", "open": "pending"}
#: Longer outputs are not written a second time beside the message.
_COPIED_CHARS = 300


class Author:
    def __init__(self, project: Mapping[str, str], printed: Mapping[str, str]) -> None:
        self.tree, self.printed, self.file = Tree(project), printed, Transcript()
        self.held: list[Json] = []
        self.acts: list[Act] | None = None
        self.plan: list[Json] = []
        self.asked: datetime | None = None

    # ── people and the client ────────────────────────────────────────────────────────────────────────

    def opens(self, title: str) -> None:
        """What a client notes before anybody has said a word."""
        data = {"type": "hook_progress", "hookEvent": "SessionStart", "hookName": "SessionStart:startup"}
        self.file.line("progress", {"data": data | {"command": "echo ready"}})
        self.file.bookkeeping({"type": "custom-title", "customTitle": title, "sessionId": SESSION})

    def user(self, text: str, *, after: float, beside: Sequence[str] = ()) -> None:
        """A person's request; ``beside`` is what the client puts around it."""
        self.end_turn()
        self.file.wait(after)
        words = flow(text)
        blocks = [{"type": "text", "text": piece} for piece in (*beside, words)]
        extras = {"todos": list(self.plan), "permissionMode": "default"}
        identity = self.file.said(blocks if beside else words, **extras)
        self.asked = self.file.now
        snapshot = {"messageId": identity, "trackedFileBackups": {}, "timestamp": self.file.stamp()}
        self.file.bookkeeping(
            {
                "type": "file-history-snapshot",
                "messageId": identity,
                "snapshot": snapshot,
                "isSnapshotUpdate": False,
            }
        )

    def injects(self, text: str, *, meta: bool = True) -> None:
        """A line that the client writes in the user's name."""
        self.end_turn()
        self.file.wait(0.1)
        self.file.said(text, **({"isMeta": True} if meta else {}))

    def interrupts(self, *, tool: bool = False) -> None:
        self.finish()
        self.asked = None
        words = "[Request interrupted by user for tool use]" if tool else "[Request interrupted by user]"
        self.file.said([{"type": "text", "text": words}])

    def compacts(self, summary: str, *, trigger: str) -> None:
        """The client starts its window afresh with a summary of its own."""
        self.end_turn()
        self.file.wait(41)
        before, self.file.parent = self.file.parent, None
        metadata = {"trigger": trigger, "preTokens": self.file.main.size}
        self.file.main.restart()
        notice = {"content": "Conversation compacted", "isMeta": False, "level": "info"}
        self.file.system("compact_boundary", logicalParentUuid=before, **notice, compactMetadata=metadata)
        self.file.said(summary, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def end_turn(self) -> None:
        """The assistant falls silent, and the client notes how long it took."""
        self.finish()
        if self.asked is not None:
            took = round((self.file.now - self.asked).total_seconds() * 1000)
            self.file.wait(0.1)
            self.file.system("turn_duration", durationMs=took, isMeta=False)
        self.asked = None

    def crashes(self) -> None:
        """The client is gone in the middle of a turn."""
        self.asked = None

    # ── the assistant's words ────────────────────────────────────────────────────────────────────────

    def thinks(self, text: str) -> None:
        words = flow(text)
        self.held.append({"type": "thinking", "thinking": words, "signature": signature(words)})

    def says(self, text: str) -> None:
        self.held.append({"type": "text", "text": flow(text)})

    def finish(self) -> None:
        """Ends a reply that calls nothing."""
        if self.held:
            held, self.held = self.held, []
            self.file.wait(1.4)
            self.file.reply(held)

    # ── the assistant's tools ────────────────────────────────────────────────────────────────────────

    def reads(self, path: str, *, offset: int = 1, limit: int | None = None, note: str = "") -> None:
        arguments: Json = {"file_path": f"{CWD}/{path}"}
        if offset > 1 or limit is not None:
            arguments |= {"offset": offset, "limit": limit}
        if path not in self.tree.files:
            missing = "<tool_use_error>File does not exist.</tool_use_error>"
            self._act(Act("Read", arguments, missing, error=True, result="Error: File does not exist."))
            return
        shown = self.tree.numbered(path, offset=offset, limit=limit)
        total = len(self.tree.files[path].splitlines())
        about = {
            "filePath": f"{CWD}/{path}",
            "numLines": shown.count("\n") + 1,
            "startLine": offset,
            "totalLines": total,
        }
        content = f"{shown}\n\n<system-reminder>\n{note}\n</system-reminder>" if note else shown
        self._act(Act("Read", arguments, content, result={"type": "text", "file": about}))

    def edits(self, path: str, old: str, new: str) -> None:
        old, new = old.removesuffix("\n"), new.removesuffix("\n")
        self.tree.replace(path, old, new)
        where = f"{CWD}/{path}"
        arguments = {"file_path": where, "old_string": old, "new_string": new, "replace_all": False}
        noted = {"filePath": where, "userModified": False, "replaceAll": False}
        done = f"The file {where} has been updated successfully."
        self._act(Act("Edit", arguments, done, result=noted))

    def fails_to_edit(self, path: str, old: str, new: str) -> None:
        """An edit whose text does not stand in the file: refused, nothing changes."""
        old, new = old.removesuffix("\n"), new.removesuffix("\n")
        if old in self.tree.files[path]:
            raise ValueError(f"{path}: this edit would apply")
        arguments = {"file_path": f"{CWD}/{path}", "old_string": old, "new_string": new, "replace_all": False}
        wrong = f"String to replace not found in file.\nString: {old}"
        content = f"<tool_use_error>{wrong}</tool_use_error>"
        self._act(Act("Edit", arguments, content, error=True, result=f"Error: {wrong}"))

    def writes(self, path: str, content: str) -> None:
        kind = "update" if path in self.tree.files else "create"
        self.tree.write(path, content)
        where = f"{CWD}/{path}"
        done = (
            f"The file {where} has been updated successfully."
            if kind == "update"
            else f"File created successfully at: {where}"
        )
        self._act(
            Act("Write", {"file_path": where, "content": content}, done, result={"type": kind, "filePath": where})
        )

    def greps(self, pattern: str, under: str = "", *, files: bool = False) -> None:
        found = list(self.tree.matches(pattern, under))
        arguments: Json = {"pattern": pattern}
        if under:
            arguments["path"] = under
        names = list(dict.fromkeys(path for path, _, _ in found))
        if files:
            content = "\n".join([f"Found {len(names)} file{'s' if len(names) != 1 else ''}", *names])
            result: Json = {"mode": "files_with_matches", "filenames": names, "numFiles": len(names)}
        else:
            arguments |= {"output_mode": "content", "-n": True}
            content = "\n".join(f"{path}:{at}:{line}" for path, at, line in found)
            result = {"mode": "content", "numFiles": 0, "filenames": [], "numLines": len(found)}
        self._act(Act("Grep", arguments, content if found else "No matches found", result=result))

    def globs(self, pattern: str) -> None:
        found = [f"{CWD}/{path}" for path in self.tree.glob(pattern)]
        result = {"filenames": found, "durationMs": 14, "numFiles": len(found), "truncated": False}
        self._act(Act("Glob", {"pattern": pattern}, "\n".join(found) or "No files found", result=result))

    def runs(self, command: str, why: str, shows: str, *, exits: int = 0, seconds: float = 1.5) -> None:
        """A shell command; ``shows`` names what it printed. Files it changes are the story's business."""
        printed = self.printed[shows]
        arguments = {"command": command, "description": why}
        if exits:
            content = f"Exit code {exits}\n{printed}"
            act = Act("Bash", arguments, content, error=True, result=f"Error: Exit code {exits}", seconds=seconds)
        else:
            result: Json = {"stderr": "", "interrupted": False, "isImage": False}
            if len(printed) <= _COPIED_CHARS:
                result = {"stdout": printed} | result
            act = Act("Bash", arguments, printed, error=False, result=result, seconds=seconds)
        self._act(act)

    def runs_until_stopped(self, command: str, why: str, shows: str, *, seconds: float) -> None:
        """A command that the user breaks off: what it had printed so far, marked as interrupted."""
        printed = self.printed[shows]
        result = {"stdout": printed, "stderr": "", "interrupted": True, "isImage": False}
        content = f"{printed}\n<error>Command was aborted before completion</error>"
        arguments = {"command": command, "description": why}
        self._act(Act("Bash", arguments, content, error=True, result=result, seconds=seconds))

    def runs_for_ever(self, command: str, why: str) -> None:
        """A call that the file never answers: the client was gone before it ended."""
        self._act(Act("Bash", {"command": command, "description": why}))

    def fetches(self, url: str, prompt: str, shows: str) -> None:
        page = self.printed[shows]
        result = {"bytes": 21_377, "code": 200, "codeText": "OK", "durationMs": 2210, "url": url}
        self._act(Act("WebFetch", {"url": url, "prompt": prompt}, page, result=result, seconds=2.4))

    def plans(self, *items: tuple[str, str]) -> None:
        """A new to-do list: each item and how it is called while it is done. The first one is begun."""
        self.plan = [{"content": what, "status": "pending", "activeForm": doing} for what, doing in items]
        self.progress("now", *["open"] * (len(items) - 1))

    def progress(self, *states: str) -> None:
        before, pairs = self.plan, zip(self.plan, states, strict=True)
        self.plan = [item | {"status": _STATES[state]} for item, state in pairs]
        noted = {"oldTodos": before, "newTodos": self.plan}
        self._act(Act("TodoWrite", {"todos": self.plan}, _TODO_ANSWER, result=noted, seconds=0.1))

    def delegates(self, description: str, prompt: str, work: Callable[[Author], str]) -> None:
        """A subagent: its own thread of lines between the call and the answer."""
        prompt = flow(prompt)
        blocks, self.held = self.held, []
        identity = name("toolu_01", f"agent {len(self.file.lines)}")
        arguments = {"description": description, "prompt": prompt, "subagent_type": "Explore"}
        call = {"type": "tool_use", "id": identity, "name": "Task", "input": arguments}
        self.file.wait(1.4)
        line = self.file.reply([*blocks, call])[-1][1]
        began = self.file.now
        self.file.agent, self.file.parent = "a7c31e9", None
        self.file.said(prompt)
        report = flow(work(self))
        self.says(report)
        self.finish()
        self.file.agent = ""
        took = round((self.file.now - began).total_seconds() * 1000)
        result = {
            "status": "completed",
            "agentId": "a7c31e9",
            "totalDurationMs": took,
            "totalTokens": self.file.side.size,
        }
        self.file.wait(0.4)
        self.file.output(call, [{"type": "text", "text": report}], after=line, result=result)

    @contextmanager
    def together(self, *, interleaved: bool = False) -> Iterator[None]:
        """Calls made in one reply. Interleaved, an output may stand between two lines of the reply."""
        self.acts = []
        yield
        acts, self.acts = self.acts, None
        self._perform(acts, interleaved=interleaved)

    def _act(self, act: Act) -> None:
        if self.acts is None:
            self._perform([act], interleaved=False)
        else:
            self.acts.append(act)

    def _perform(self, acts: list[Act], *, interleaved: bool) -> None:
        blocks, self.held = self.held, []
        self.file.wait(3.2)
        calls = [self._call(act, at) for at, act in enumerate(acts)]
        message = self.file.message([*blocks, *calls])
        for block in blocks:
            self.file.block_line(message, block, last=False)
        lines: list[str] = []
        for call, act in zip(calls, acts, strict=True):
            lines.append(self.file.block_line(message, call, last=call is calls[-1]))
            if interleaved:
                self._answer(call, act, lines[-1])
        if not interleaved:
            for call, act, line in zip(calls, acts, lines, strict=True):
                self._answer(call, act, line)
        self.file.window.size += sum(len(str(block)) for block in (*blocks, *calls)) // 4

    def _call(self, act: Act, at: int) -> Json:
        identity = name("toolu_01", f"{len(self.file.lines)} {at}")
        return {"type": "tool_use", "id": identity, "name": act.tool, "input": act.arguments}

    def _answer(self, call: Json, act: Act, line: str) -> None:
        if act.content is None:
            return
        self.file.wait(act.seconds)
        self.file.output(call, act.content, after=line, error=act.error, result=act.result)
