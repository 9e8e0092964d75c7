"""The questions: prompts kept as text files, filled with fenced material."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from string import Template

from clew.ports import Asked
from clew.summaries.serialising import fenced
from clew.summaries.values import Material

#: Words that a model writes to a token of the answer, so that a limit in words holds one in tokens.
_WORDS_TO_TOKEN = 0.65
#: What an answer may take beside the summary: the analysis, tags, and some for a model that thinks first.
THOUGHT_TOKENS = 800
_MAX_FILES = 60


@cache
def prompt(name: str) -> str:
    return files("clew.summaries").joinpath("prompts", f"{name}.md").read_text("utf-8")


@cache
def version() -> str:
    """Changes with every word of the prompts."""
    texts = "\0".join(prompt(name) for name in ("system", "history", "merge"))
    return hashlib.sha256(texts.encode()).hexdigest()[:16]


def about_history(text: str, material: Material, *, room: int, part: tuple[int, int] = (1, 1)) -> Asked:
    """Sum up a stretch of history. The earlier summary is told with the first part only: it comes before it."""
    number, of = part
    which = f" It is part {number} of {of} of a longer conversation; sum up this part only." if of > 1 else ""
    earlier = _earlier(material.before) if of == 1 else ""
    return _asked("history", text, material, room=room, part=which, earlier=earlier)


def about_summaries(texts: Sequence[str], material: Material, *, room: int) -> Asked:
    """Make one summary of several."""
    parts = "\n\n".join(f"[part {at} of {len(texts)}]\n{text}" for at, text in enumerate(texts, 1))
    return _asked("merge", parts, material, room=room)


def _asked(name: str, text: str, material: Material, *, room: int, **more: str) -> Asked:
    filled = Template(prompt(name)).substitute(
        words=max(40, int(room * _WORDS_TO_TOKEN)),
        keep=_keep(material.keep),
        files=_files(material.files),
        history=fenced("history" if name == "history" else "summaries", text),
        **more,
    )
    return Asked(system=prompt("system"), user=filled, max_tokens=room + room // 2 + THOUGHT_TOKENS)


def _earlier(before: str) -> str:
    if not before:
        return ""
    told = (
        "\nThe record goes on from an earlier conversation, of which only this summary is left. Your summary takes its"
        " place: carry over all of it that still holds, and above all requests, rules, decisions, paths, names and"
        " numbers, letter by letter.\n\n"
    )
    return f"{told}{fenced('earlier', before)}\n"


def _keep(items: Sequence[str]) -> str:
    if not items:
        return ""
    listed = "\n".join(f"- {item}" for item in items)
    return f"\nThese lines have to stand in the summary word for word:\n\n{fenced('keep', listed)}\n"


def _files(paths: Sequence[str]) -> str:
    if not paths:
        return ""
    return f"\nThese files were edited; name each of them:\n\n{fenced('files', chr(10).join(paths[:_MAX_FILES]))}\n"
