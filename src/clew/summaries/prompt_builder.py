"""Builds the questions to the model: prompts that are kept as text files, filled with fenced material."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from string import Template

from clew.ports import ModelRequest
from clew.summaries.history_text import fence
from clew.summaries.values import SummaryMaterial

#: Words that a model writes to a token of the answer, so that a limit in words holds one in tokens.
_WORDS_TO_TOKEN = 0.65
#: What an answer may take beside the summary: the analysis, tags, and some for a model that thinks first.
THOUGHT_TOKENS = 800
_MAX_FILES = 60


@cache
def read_prompt(name: str) -> str:
    """Reads a prompt from its file."""
    return files("clew.summaries").joinpath("prompts", f"{name}.md").read_text("utf-8")


@cache
def prompts_version() -> str:
    """A hash that changes with every word of the prompts."""
    texts = "\0".join(read_prompt(name) for name in ("system", "history", "merge"))
    return hashlib.sha256(texts.encode()).hexdigest()[:16]


def history_prompt(text: str, material: SummaryMaterial, *, room: int, part: tuple[int, int] = (1, 1)) -> ModelRequest:
    """Asks to sum up a stretch of history. Only a history in one part comes with the earlier summary."""
    number, of = part
    which = f" It is part {number} of {of} of a longer conversation; sum up this part only." if of > 1 else ""
    earlier = _earlier_block(material.before) if of == 1 else ""
    return _fill("history", text, material, room=room, part=which, earlier=earlier)


def merge_prompt(texts: Sequence[str], material: SummaryMaterial, *, room: int) -> ModelRequest:
    """Asks to make one summary of several."""
    parts = "\n\n".join(f"[part {index} of {len(texts)}]\n{text}" for index, text in enumerate(texts, 1))
    return _fill("merge", parts, material, room=room)


def _fill(name: str, text: str, material: SummaryMaterial, *, room: int, **more: str) -> ModelRequest:
    filled = Template(read_prompt(name)).substitute(
        words=max(40, int(room * _WORDS_TO_TOKEN)),
        keep=_keep_block(material.keep),
        files=_files_block(material.files),
        history=fence("history" if name == "history" else "summaries", text),
        **more,
    )
    return ModelRequest(system=read_prompt("system"), user=filled, max_tokens=room + room // 2 + THOUGHT_TOKENS)


def _earlier_block(before: str) -> str:
    if not before:
        return ""
    intro = (
        "\nThe record goes on from an earlier conversation, of which only this summary is left. Your summary takes its"
        " place: carry over all of it that still holds, and above all requests, rules, decisions, paths, names and"
        " numbers, letter by letter.\n\n"
    )
    return f"{intro}{fence('earlier', before)}\n"


def _keep_block(items: Sequence[str]) -> str:
    if not items:
        return ""
    listed = "\n".join(f"- {item}" for item in items)
    return f"\nThese lines have to stand in the summary word for word:\n\n{fence('keep', listed)}\n"


def _files_block(paths: Sequence[str]) -> str:
    if not paths:
        return ""
    return f"\nThese files were edited; name each of them:\n\n{fence('files', chr(10).join(paths[:_MAX_FILES]))}\n"
