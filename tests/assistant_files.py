"""Files as assistants keep them, in the folders that the environment of a test names."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.lines import jsonl

WORK = "/srv/shop"


def written(path: Path, lines: list[Any], *, at: float = 0.0) -> Path:
    """A file of lines; ``at`` is when it was last written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(jsonl(lines))
    if at:
        os.utime(path, (at, at))
    return path


def claude_line(text: str, *, session: str = "s1", cwd: str = WORK, role: str = "user", **more: Any) -> dict[str, Any]:
    return {
        "type": role,
        "uuid": f"{session}-{text}",
        "sessionId": session,
        "isSidechain": False,
        "cwd": cwd,
        "timestamp": "2026-03-01T10:00:00Z",
        "message": {"role": role, "content": text},
        **more,
    }


def claude_file(session: str = "s1", *texts: str, folder: str = WORK, at: float = 0.0) -> Path:
    name = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in folder)
    name = name if len(name) <= 200 else f"{name[:200]}-1a2b3c"
    path = Path(os.environ["CLAUDE_CONFIG_DIR"]) / "projects" / name / f"{session}.jsonl"
    return written(path, [claude_line(text, session=session, cwd=folder) for text in texts], at=at)


def codex_file(session: str, *texts: str, folder: str = WORK, at: float = 0.0, source: Any = "cli") -> Path:
    time = "2026-03-01T10:00:00Z"
    meta = {"id": session, "timestamp": time, "cwd": folder, "source": source}
    said = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]} for text in texts]
    lines = [{"timestamp": time, "type": "session_meta", "payload": meta}]
    lines += [{"timestamp": time, "type": "response_item", "payload": item} for item in said]
    path = Path(os.environ["CODEX_HOME"]) / "sessions/2026/03/01" / f"rollout-2026-03-01T10-00-00-{session}.jsonl"
    return written(path, lines, at=at)


def gemini_file(session: str, *texts: str, folder: str = WORK, at: float = 0.0, place: str = "") -> Path:
    hashed = sha256(folder.encode()).hexdigest()
    lines: list[Any] = [{"sessionId": session, "projectHash": hashed, "startTime": "2026-03-01T10:00:00Z"}]
    lines += [{"id": f"{session}-{text}", "type": "user", "content": text} for text in texts]
    project = Path(os.environ["GEMINI_CLI_HOME"]) / ".gemini/tmp" / (place or hashed)
    if place:
        project.mkdir(parents=True, exist_ok=True)
        (project / ".project_root").write_text(folder)
    return written(project / "chats" / f"session-2026-03-01T10-00-{session[:8]}.jsonl", lines, at=at)
