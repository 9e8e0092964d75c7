"""What tools mean: a call of any assistant's tool as deeds, and an output as how the deed ended.

Known tools are found by name, whatever the spelling (``read_file``, ``readFile``, ``mcp__fs__read_file``). Others are
judged by the shape of their arguments. Nothing here raises, whatever a model wrote.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import orjson

from clew.domain import Call, Output, Status
from clew.text.commands import command_actions, command_text
from clew.text.deeds import Action, Change, Deed, Outcome, Todo
from clew.text.names import is_path
from clew.text.patches import blocks, diff_actions, is_diff, is_patch, patch_actions
from clew.text.terminal import safe

__all__ = ["Action", "Change", "Deed", "Outcome", "Todo", "actions", "outcome"]

Arguments = dict[str, Any]

_PATHS = (
    "filepath path notebookpath targetfile filename absolutepath file filepaths paths relativeworkspacepath uri abspath"
    " targetnotebook absfilepath searchdirectory directory dirpath directorypath folder".split()
)
_OLD = "oldstring oldstr oldtext search oldcode oldcontent oldsource old find before".split()
_NEW = "newstring newstr newtext replace newcode newcontent newsource replacement new replacewith after".split()
_CONTENT = "content filetext contents filecontent newcontent text code data body".split()
_COMMAND = "command cmd commandline script commands shellcommand".split()
_PATTERN = "pattern query regex searchpattern searchterm searchquery q globpattern pattern1 querystring keyword".split()
_PATCH = "patch diff input patchtext unifieddiff".split()
_LISTS = "edits replacements changes operations".split()
_TODOS = "todos plan todolist items tasks todo".split()

_STATUSES = {
    "completed": "done", "complete": "done", "done": "done", "x": "done", "finished": "done",
    "in_progress": "doing", "inprogress": "doing", "in-progress": "doing", "doing": "doing", "active": "doing",
    "current": "doing", "-": "doing", "cancelled": "dropped", "canceled": "dropped", "deleted": "dropped",
}  # fmt: skip

_DEEDS = {
    Deed.READ: "read readfile view viewimage cat openfile readmanyfiles readmultiplefiles getfile notebookread fsread"
    " readtextfile viewfile readnotebook getfilecontents fileread copilotreadfile readmediafile viewcodeitem",
    Deed.EDIT: "edit multiedit strreplace replacestringinfile multireplacestringinfile inserteditintofile editfile"
    " replaceinfile applydiff searchandreplace searchreplace notebookedit replace insertcontent inserttext editnotebook"
    " editnotebookfile fsreplace modifyfile updatefile applyedit fileedit replacefilecontent multireplacefilecontent",
    Deed.WRITE: "write create writefile writetofile createfile createnewfile newfile savefile fswrite filewrite",
    Deed.DELETE: "delete deletefile remove removefile fsdelete",
    Deed.SEARCH: "grep search searchfiles ripgrep searchfilecontent grepsearch codebasesearch semanticsearch rg"
    " findtextinfiles textsearch searchcode searchcodebase lsp findreferences listcodeusages searchfile codesearch",
    Deed.LIST: "glob ls listdir listdirectory listfiles filesearch globfilesearch findfiles findbyname find"
    " listcodedefinitionnames directorytree tree fileglobsearch searchfilesbyname",
    Deed.FETCH: "webfetch fetch fetchwebpage websearch browseraction httprequest googlewebsearch fetchurl openurl"
    " searchweb web readurlcontent browse",
    Deed.ASK: "askuserquestion askfollowupquestion askuser exitplanmode attemptcompletion planmoderespond askquestion"
    " requestuserinput question",
    Deed.DELEGATE: "task agent newtask runsubagent spawnagent subagent delegate usesubagents dispatchagent",
}
_RUNNERS = frozenset(
    "bash shell execcommand localshell runshellcommand executecommand runinterminal terminal runcommand powershell"
    " containerexec exec execute runterminalcommand runterminalcmd localshellcall executebash run cmd unifiedexec".split()
)
_GOES_ON = frozenset(
    "writestdin readbash stopbash writebash bashoutput killshell killbash getterminaloutput readterminal taskoutput"
    " commandstatus sendcommandinput taskstop awaitterminal".split()
)
_EDITORS = frozenset({"strreplaceeditor", "strreplacebasededittool", "editor", "texteditor"})
_TODO_TOOLS = frozenset(
    "todowrite updateplan updatetodolist updatetodo managetodolist writetodos todo todolist setplan planupdate".split()
)
_BY_NAME = {name: deed for deed, names in _DEEDS.items() for name in names.split()}


def actions(call: Call) -> tuple[Action, ...]:
    """What a call does, the main deed first; at least one action, OTHER when nothing is known."""
    try:
        found = _actions(_plain(call.name), call.arguments)
    except (ValueError, TypeError, RecursionError, OverflowError):
        found = []
    return tuple(found) or (Action(deed=Deed.OTHER),)


def _actions(name: str, arguments: Any) -> list[Action]:
    if isinstance(arguments, str):
        arguments = _decoded(name, arguments)
    if not isinstance(arguments, dict):
        return []
    given = {_plain(str(key)): value for key, value in arguments.items()}
    if name in _RUNNERS:
        return _run(given)
    if name in _GOES_ON:
        return [_going_on(given)]
    if name in _EDITORS:
        return _editor(given)
    if name in _TODO_TOOLS:
        return [Action(deed=Deed.TODO, todos=_todos(given))]
    if name in _OWN:
        return _OWN[name](given)
    deed = _BY_NAME.get(name)
    return _MAKERS[deed](deed, given) if deed else _by_shape(given)


def _plain(name: str) -> str:
    """A tool's or an argument's name without spelling: the last piece, small letters only."""
    last = re.split(r"__|[./:]", name[:200])[-1]
    return "".join(char for char in last.lower() if char.isalnum())


def _decoded(name: str, text: str) -> Any:
    if text.lstrip()[:1] == "{":
        try:
            return orjson.loads(text)
        except ValueError:
            return {}
    return {"command": text} if name in _RUNNERS else {"patch": text}


# ── reading arguments ────────────────────────────────────────────────────────────────────────────────


def _text(given: Arguments, names: list[str]) -> str | None:
    """The first of these arguments that is text."""
    return next((given[name] for name in names if isinstance(given.get(name), str)), None)


def _number(given: Arguments, *names: str) -> int | None:
    for name in names:
        value = given.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 9:
            return int(value)
    return None


def _paths(given: Arguments) -> list[str]:
    for name in _PATHS:
        value = given.get(name)
        if isinstance(value, str) and value:
            return [value.removeprefix("file://")]
        if isinstance(value, list) and value:
            return [path for path in map(_path_in, value) if path]
    files = given.get("files")
    return [path for path in map(_path_in, files) if path] if isinstance(files, list) else []


def _path_in(value: Any) -> str:
    """A list of files holds paths, or an object for each."""
    if isinstance(value, dict):
        return _text({_plain(str(key)): item for key, item in value.items()}, _PATHS) or ""
    return value if isinstance(value, str) else ""


def _path(given: Arguments) -> str:
    return next(iter(_paths(given)), "")


def _lines(given: Arguments) -> tuple[int, int] | None:
    """Lines asked for, in any of the ways tools have for it."""
    view = given.get("viewrange") or given.get("linerange") or given.get("range")
    if isinstance(view, list) and len(view) == 2 and all(isinstance(line, int) for line in view):
        return (view[0], view[1]) if view[1] >= view[0] else (view[0], view[0])
    first = _number(given, "startline", "offset", "linestart", "startlinenumber", "from")
    last = _number(given, "endline", "lineend", "endlinenumber", "endlineinclusive", "endlineoneindexed", "to")
    limit = _number(given, "limit", "numlines", "linecount")
    if first is None and last is None and limit is None:
        return None
    start = max(1, first or 1)
    end = last if last is not None and last >= start else start + limit - 1 if limit else None
    return (start, max(start, end)) if end else (start, start)


def _change(given: Arguments) -> Change | None:
    old, new = _text(given, _OLD), _text(given, _NEW)
    return Change(old or "", new or "") if old is not None or new is not None else None


# ── making actions ───────────────────────────────────────────────────────────────────────────────────


def _reads(deed: Deed, given: Arguments) -> list[Action]:
    return [Action(deed=deed, path=path, lines=_lines(given)) for path in _paths(given)]


def _edits(deed: Deed, given: Arguments) -> list[Action]:
    path, patch = _path(given), _text(given, _PATCH)
    if patch is not None and (patched := _patched(path, patch)):
        return patched
    for name in _LISTS:
        if isinstance(given.get(name), list):
            return _listed(path, given[name])
    change = _change(given)
    if change is None:
        content = _text(given, _CONTENT)
        change = Change("", content) if content is not None else None
    return [Action(deed=deed, path=path, changes=(change,) if change else (), lines=_lines(given))] if path else []


def _patched(path: str, patch: str) -> list[Action]:
    if is_patch(patch):
        return patch_actions(patch)
    changes, line = blocks(patch)
    if changes:
        return [Action(deed=Deed.EDIT, path=path, changes=changes, lines=(line, line) if line else None)]
    return diff_actions(patch) if is_diff(patch) else []


def _listed(path: str, edits: list[Any]) -> list[Action]:
    """Several edits in one call: of one file, or each with a path of its own."""
    changes: dict[str, list[Change]] = {}
    for edit in edits:
        given = {_plain(str(key)): value for key, value in edit.items()} if isinstance(edit, dict) else {}
        if change := _change(given):
            changes.setdefault(_path(given) or path, []).append(change)
    return [Action(deed=Deed.EDIT, path=name, changes=tuple(made)) for name, made in changes.items() if name]


def _writes(deed: Deed, given: Arguments) -> list[Action]:
    path = _path(given)
    return [Action(deed=deed, path=path, content=_text(given, _CONTENT))] if path else []


def _searches(deed: Deed, given: Arguments) -> list[Action]:
    return [Action(deed=deed, path=_path(given), pattern=_text(given, _PATTERN) or "")]


def _fetches(deed: Deed, given: Arguments) -> list[Action]:
    return [Action(deed=deed, pattern=_text(given, ["url", "query", "searchterm", "q", "prompt"]) or "")]


def _tells(deed: Deed, given: Arguments) -> list[Action]:
    """Words for a person or another agent."""
    names = "plan question prompt task message result description response text".split()
    return [Action(deed=deed, content=_text(given, names))]


def _run(given: Arguments) -> list[Action]:
    inner = given.get("action")
    if isinstance(inner, dict):
        given = given | {_plain(str(key)): value for key, value in inner.items()}
    for name in _COMMAND:
        if command := command_text(given.get(name)):
            return command_actions(command)
    return [_going_on(given)]


def _going_on(given: Arguments) -> Action:
    names = ("sessionid", "shellid", "bashid", "id", "taskid", "terminalid", "processid")
    session = next((str(given[name]) for name in names if given.get(name) not in (None, "")), "")
    return Action(deed=Deed.RUN, command=(_text(given, ["chars", "input"]) or "").strip(), session=session)


def _editor(given: Arguments) -> list[Action]:
    """The text editor tool: one name, the deed in its ``command``."""
    verb, path = given.get("command"), _path(given)
    if verb == "view":
        return _reads(Deed.READ, given)
    if verb == "create":
        return _writes(Deed.WRITE, given)
    if verb == "insert":
        line = _number(given, "insertline") or 0
        added = _text(given, ["inserttext", *_NEW]) or ""
        return [Action(deed=Deed.EDIT, path=path, changes=(Change("", added),), lines=(line + 1, line + 1))]
    return _edits(Deed.EDIT, given)


def _todos(given: Arguments) -> tuple[Todo, ...]:
    for name in _TODOS:
        value = given.get(name)
        if isinstance(value, str):
            return tuple(todo for todo in map(_checkbox, value.split("\n")) if todo)
        if isinstance(value, list):
            return tuple(todo for todo in map(_todo, value) if todo)
    return ()


_CHECKBOX = re.compile(r"\s*(?:[-*]|\d{1,3}\.)?\s*\[([ xX~/-])\]\s*(.+)")


def _checkbox(line: str) -> Todo | None:
    match = _CHECKBOX.match(line)
    if match is None:
        return None
    status = {" ": "open", "x": "done", "X": "done"}.get(match[1], "doing")
    return Todo(match[2].strip(), status)


def _todo(value: Any) -> Todo | None:
    if isinstance(value, str):
        return _checkbox(value) or Todo(value, "open")
    if not isinstance(value, dict):
        return None
    given = {_plain(str(key)): item for key, item in value.items()}
    text = _text(given, ["content", "step", "title", "subject", "text", "task", "description", "name"])
    return Todo(text, _status(given), str(given.get("id") or "")) if text else None


def _status(given: Arguments) -> str:
    if given.get("done") is True or given.get("completed") is True:
        return "done"
    return _STATUSES.get(str(given.get("status") or given.get("state") or "").lower(), "open")


def _task_created(given: Arguments) -> list[Action]:
    text = _text(given, ["subject", "title", "description", "content"]) or ""
    return [Action(deed=Deed.TODO, todos=(Todo(text, "open"),), partial=True)]


def _task_updated(given: Arguments) -> list[Action]:
    text, status = _text(given, ["subject", "title"]) or "", _status(given) if "status" in given else ""
    return [Action(deed=Deed.TODO, todos=(Todo(text, status, str(given.get("taskid") or "")),), partial=True)]


def _apply_patch(given: Arguments) -> list[Action]:
    patch = _text(given, [*_PATCH, *_COMMAND, *_CONTENT]) or command_text(given.get("command"))
    return _patched(_path(given), patch)


_OWN: dict[str, Callable[[Arguments], list[Action]]] = {
    "applypatch": _apply_patch,
    "taskcreate": _task_created,
    "taskupdate": _task_updated,
}
_MAKERS: dict[Deed, Callable[[Deed, Arguments], list[Action]]] = {
    Deed.READ: _reads,
    Deed.EDIT: _edits,
    Deed.WRITE: _writes,
    Deed.DELETE: _reads,
    Deed.SEARCH: _searches,
    Deed.LIST: _searches,
    Deed.FETCH: _fetches,
    Deed.ASK: _tells,
    Deed.DELEGATE: _tells,
}


def _by_shape(given: Arguments) -> list[Action]:
    """A tool that nobody has told of, by what it is given."""
    patch = _text(given, _PATCH)
    if patch is not None and (patched := _patched(_path(given), patch)):
        return patched
    path = _path(given)
    if path and (_change(given) or isinstance(given.get("edits"), list)):
        return _edits(Deed.EDIT, given)
    if path and is_path(path) and _text(given, _CONTENT) is not None:
        return _writes(Deed.WRITE, given)
    if command := next((text for name in _COMMAND if (text := command_text(given.get(name)))), ""):
        return command_actions(command)
    if _text(given, ["url"]):
        return _fetches(Deed.FETCH, given)
    if isinstance(given.get("todos"), list):
        return [Action(deed=Deed.TODO, todos=_todos(given))]
    if path and _text(given, _PATTERN) is not None:
        return _searches(Deed.SEARCH, given)
    return _reads(Deed.READ, given) if is_path(path) else []


# ── how it ended ─────────────────────────────────────────────────────────────────────────────────────

#: Where tools write how a command ended: in the first or the last lines of what they give back.
_EDGE_CHARS = 600
_EXIT = re.compile(r"(?i)exit(?:ed)?(?:[ _]with)?(?:[ _]exit)?[ _]?(?:code|status)[\"']?[ ]?[:=]?[ ]?(-?\d{1,5})")
_FAILURE = re.compile(
    r"(?i)\b(?:error|errors|failed|failure|fatal|panic|exception|traceback|not found|no such file|denied|refused"
    r"|undefined|cannot|timed out|FAIL)\b|\w(?:Error|Exception)\b|✗|✘|❌"
)
_HARMLESS = re.compile(r"(?i)\b(?:0|no) (?:errors?|failed|failures?|failing)\b")
_REFUSED = re.compile(
    r"(?i)\s*(?:<tool_use_error>|error\b|failed to|apply_patch verification failed|string to replace|file has not been read"
    r"|no (?:match|changes)|the (?:user|tool) (?:doesn't|denied)|permission denied|invalid )"
)
_MAX_LINE = 200


def outcome(action: Action, output: Output) -> Outcome:
    """How the action ended, as far as the output tells."""
    text = output.text
    code = _exit_code(text) if action.deed in {Deed.RUN, Deed.OTHER} or action.command else None
    ok = _is_ok(action, output, text, code)
    return Outcome(ok, code, _telling_line(text, is_failure=ok is False))


def _is_ok(action: Action, output: Output, text: str, code: int | None) -> bool | None:
    if output.status is Status.FAILED:
        return False
    if output.status is not Status.SUCCESS:
        return None
    if code is not None:
        return code == 0
    if action.deed.changes_files and not action.command:
        return not _REFUSED.match(text[:_EDGE_CHARS])
    return True


def _exit_code(text: str) -> int | None:
    for edge in (text[:_EDGE_CHARS], text[-_EDGE_CHARS:]):
        if match := _EXIT.search(edge):
            return int(match[1])
    return None


def _telling_line(text: str, *, is_failure: bool) -> str:
    """For a failure the last line that speaks of one; else the last line that says anything."""
    lines = [line.strip() for line in text[-20 * _EDGE_CHARS :].split("\n")]
    said = [line for line in lines if len(line) > 1 and not _EXIT.search(line) and any(c.isalnum() for c in line)]
    if is_failure:
        said = [line for line in said if _FAILURE.search(line) and not _HARMLESS.search(line)] or said
    return safe(said[-1])[:_MAX_LINE] if said else ""
