"""Facts as short phrases: what a model said, what was done to a file, how a command or a failure ended."""

from __future__ import annotations

import re

from clew.domain import CommandRun, Failure, FileUsage, FileUse
from clew.summaries.source import is_informative
from clew.text.tools.actions import LOOKS
from clew.text.tools.commands import command_actions
from clew.text.trim import shorten

#: What only says that something will be said or done; the deed itself is told elsewhere.
_EMPTY_TALK = re.compile(
    r"(?i)\W*(?:(?:now|ok|okay|good|great|perfect|next|first|so|also|and|then|good (?:question|catch|point))\b\W*)?"
    r"(?:let me\b|let['’]s\b|i['’]ll\b|i will\b|i need to\b|i['’]m \w{2,12}ing\b"
    r"|i am going\b|i can see\b|now i\b|now the\b|now add\b|here(?:['’]s| is| are)\b.{0,80}:\s*\Z|looking at\b"
    r"|done[.!]?\s*\Z|all (?:tests )?(?:good|done)[.!]?\s*\Z)"
)
#: Good enough to pass over a sentence.
_SENTENCE_END = re.compile(r"(?<=[.!?:])\s+|(?<=[。！？])|\n[\s#*>-]*")
#: Says what was wrong, rather than how it is to be.
_EXPLAINS = re.compile(
    r"(?i)\b(?:cause|bug|issue|problem|fix(?:es|ed)?|broken|errors?|fail\w*|wrong|because|turns out)\b"
)
#: Something that can be looked up: code, a number, a name with a capital or a joint inside.
_HARD = re.compile(r"`|\d|\w[._/]\w|[a-z][A-Z]")
#: Where a command goes first says nothing of what it does.
_ENTERING = re.compile(r"\s*(?:cd [^&;|\n]{1,400}(?:&&|;|\n)\s{0,40}){1,4}")
_ENTERED = re.compile(r"\s*cd [^&;|\n]{1,400}\s*")
_COMMAND_CHARS = 1_000
_PIPED = re.compile(r" (?:2>&1|\| (?:tail|head|grep)|> ?/dev/null)")


def explains(text: str) -> bool:
    return bool(_EXPLAINS.search(text))


def plainly(text: str) -> float:
    """How much of a statement there is in a model's words: what can be looked up, and no mere announcement."""
    return (1.0 if _HARD.search(text) else 0.4) * (0.3 if _EMPTY_TALK.match(text) else 1.0)


def is_unfinished(text: str) -> bool:
    """What announces a list that was not quoted."""
    return text.rstrip().endswith((":", "："))


def said_in(text: str, chars: int) -> str:
    """What a reply says, from its first sentence that says something."""
    found = [one for one in _SENTENCE_END.split(text[: 3 * chars]) if one and not _EMPTY_TALK.match(one)]
    said = " ".join(found)
    return shorten(said, chars) if is_informative(said) else ""


def joined(known: FileUsage | None, file: FileUsage) -> FileUsage:
    """A file over all segments: its last use, and the names of all changes, the newest first."""
    if known is None or known.use is FileUse.READ:
        return file
    use = FileUse.CREATED if known.use is FileUse.CREATED and file.use is FileUse.CHANGED else file.use
    names = tuple(dict.fromkeys((*file.names, *known.names)))
    what = file.what or known.what
    return FileUsage(text=file.text, source=file.source, by=file.by, use=use, lines=file.lines, names=names, what=what)


def file_text(file: FileUsage, chars: int) -> str:
    names = ", ".join(file.names[:8])
    what = f" – {file.what.text}" if file.what else ""
    inside = f": {names}" if names and file.use is not FileUse.READ else ""
    return f"{file.use} {file.text}{shorten(what + inside, chars) if what or inside else ''} ({file.source})"


def failure_text(failure: Failure, chars: int) -> str:
    place = f" at {failure.at}" if failure.at and failure.at not in failure.text else ""
    about = f", in {shorten(failure.about, 60)}" if failure.about and not place else ""
    end = f"solved in {failure.resolved}" if failure.resolved else "open"
    return f"{end}: {shorten(failure.text, chars)}{place}{about} ({failure.source})"


def command_head(run: CommandRun) -> str:
    rest = _ENTERING.sub("", run.text[:_COMMAND_CHARS], count=1).strip() or run.text.strip()
    first = rest.split("\n", 1)[0].rstrip("\\ ")
    return shorten(_PIPED.split(first, maxsplit=1)[0], 90)


def run_text(command: str, run: CommandRun) -> str:
    failed = f"failed{f' ({run.status})' if run.status else ''}" if run.ok is False else ""
    result = ", ".join(filter(None, [failed, shorten(run.result, 90)])) or ("ok" if run.ok else "no result")
    return f"{command} → {result} ({run.source})"


def is_telling_run(run: CommandRun) -> bool:
    if run.ok is False:
        return True
    if _ENTERED.fullmatch(run.text[:_COMMAND_CHARS]):
        return False
    deeds = {action.kind for action in command_actions(run.text[:500])}
    return not deeds or not deeds <= LOOKS
