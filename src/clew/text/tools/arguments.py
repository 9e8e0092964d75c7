"""The arguments of tools: what assistants call a path, a text to replace, a command, a range of lines.

Names are compared without spelling (``file_path`` and ``filePath`` are ``filepath``); of several, the first in the
order given here counts.
"""

from __future__ import annotations

import re
from typing import Any

from clew.text.memo import remember
from clew.text.tools.actions import TextEdit
from clew.text.vocabulary import in_order

#: Arguments by their plain names.
Arguments = dict[str, Any]

PATHS = in_order(
    "filepath path notebookpath targetfile filename absolutepath file filepaths paths relativeworkspacepath uri abspath"
    " targetnotebook absfilepath searchdirectory directory dirpath directorypath folder"
)
OLD = in_order("oldstring oldstr oldtext search oldcode oldcontent oldsource old find before")
NEW = in_order("newstring newstr newtext replace newcode newcontent newsource replacement new replacewith after")
CONTENT = in_order("content filetext contents filecontent newcontent text code data body")
COMMAND = in_order("command cmd commandline script commands shellcommand")
PATTERN = in_order("pattern query regex searchpattern searchterm searchquery q globpattern querystring keyword")
ADDRESS = in_order("url query searchterm q prompt")
PATCH = in_order("patch diff input patchtext unifieddiff")
EDITS = in_order("edits replacements changes operations")
TODOS = in_order("todos plan todolist items tasks todo")
FOLDER = in_order("workdir cwd workingdirectory workspacefolder")
PROCESS = in_order("sessionid shellid bashid terminalid processid taskid id")
WORDS = in_order("plan question prompt task message result description response text")

_SEPARATOR = re.compile(r"__|[./:]")
#: A name longer than this is no tool's and no argument's.
_MAX_NAME = 200


@remember(1 << 12)
def plain_name(name: str) -> str:
    """A tool's or an argument's name without spelling: the last piece, small letters and digits only."""
    last = _SEPARATOR.split(name[:_MAX_NAME])[-1]
    return "".join(char for char in last.lower() if char.isalnum())


def by_plain_name(value: Any) -> Arguments:
    """An object's members by plain name; what is no object has none."""
    return {plain_name(str(key)): item for key, item in value.items()} if isinstance(value, dict) else {}


def first_text(given: Arguments, names: tuple[str, ...]) -> str | None:
    """The first of these arguments that is text."""
    return next((given[name] for name in names if isinstance(given.get(name), str)), None)


def number_of(given: Arguments, *names: str) -> int | None:
    for name in names:
        value = given.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 9:
            return int(value)
    return None


def paths_of(given: Arguments) -> list[str]:
    for name in PATHS:
        value = given.get(name)
        if isinstance(value, str) and value:
            return [value.removeprefix("file://")]
        if isinstance(value, list) and value:
            return [path for path in map(_listed_path, value) if path]
    files = given.get("files")
    return [path for path in map(_listed_path, files) if path] if isinstance(files, list) else []


def _listed_path(value: Any) -> str:
    """A list of files holds paths, or an object for each."""
    if isinstance(value, dict):
        return first_text(by_plain_name(value), PATHS) or ""
    return value if isinstance(value, str) else ""


def path_of(given: Arguments) -> str:
    return next(iter(paths_of(given)), "")


def lines_of(given: Arguments) -> tuple[int, int] | None:
    """Lines asked for, in any of the ways tools have for it; an end that is left open is the start again."""
    view = given.get("viewrange") or given.get("linerange") or given.get("range")
    if isinstance(view, list) and len(view) == 2 and all(isinstance(line, int) for line in view):
        return (view[0], max(view))
    first = number_of(given, "startline", "offset", "linestart", "startlinenumber", "from")
    last = number_of(given, "endline", "lineend", "endlinenumber", "endlineoneindexedinclusive", "to")
    limit = number_of(given, "limit", "numlines", "linecount")
    if first is None and last is None and limit is None:
        return None
    start = max(1, first or 1)
    end = last if last is not None else start + limit - 1 if limit is not None else start
    return (start, max(start, end))


def change_of(given: Arguments) -> TextEdit | None:
    old, new = first_text(given, OLD), first_text(given, NEW)
    return TextEdit(old or "", new or "") if old is not None or new is not None else None
