"""Tools of the assistants by plain name, and what each is for.

Claude Code, Codex, Copilot, Cline and Roo, opencode, VS Code, Gemini, Cursor and Windsurf are listed together: where
two of them use a name, they mean the same by it.
"""

from __future__ import annotations

from clew.text.tools.actions import ActionKind
from clew.text.vocabulary import words

_NAMES_BY_KIND = {
    ActionKind.READ: "read readfile view viewimage cat openfile readmanyfiles readmultiplefiles getfile notebookread"
    " fsread readtextfile viewfile readnotebook getfilecontents fileread copilotreadfile readmediafile"
    " viewcodeitem",
    ActionKind.EDIT: "edit multiedit strreplace replacestringinfile multireplacestringinfile inserteditintofile"
    " editfile replaceinfile applydiff searchandreplace searchreplace notebookedit replace"
    " insertcontent inserttext editnotebook editnotebookfile fsreplace modifyfile updatefile applyedit"
    " fileedit replacefilecontent multireplacefilecontent",
    ActionKind.WRITE: "write create writefile writetofile createfile createnewfile newfile savefile fswrite filewrite",
    ActionKind.DELETE: "delete deletefile remove removefile fsdelete",
    ActionKind.SEARCH: "grep search searchfiles ripgrep searchfilecontent grepsearch codebasesearch semanticsearch rg"
    " findtextinfiles textsearch searchcode searchcodebase lsp findreferences listcodeusages"
    " searchfile codesearch",
    ActionKind.LIST: "glob ls listdir listdirectory listfiles filesearch globfilesearch findfiles findbyname find"
    " listcodedefinitionnames directorytree tree fileglobsearch searchfilesbyname",
    ActionKind.FETCH: "webfetch fetch fetchwebpage websearch browseraction httprequest googlewebsearch fetchurl openurl"
    " searchweb web readurlcontent browse",
    ActionKind.ASK: "askuserquestion askfollowupquestion askuser exitplanmode attemptcompletion planmoderespond"
    " askquestion requestuserinput question",
    ActionKind.DELEGATE: "task agent newtask runsubagent spawnagent subagent delegate usesubagents dispatchagent",
}
#: Tools that run a command.
RUNNERS = words(
    "bash shell execcommand localshell runshellcommand executecommand runinterminal terminal runcommand powershell"
    " containerexec exec execute runterminalcommand runterminalcmd localshellcall executebash run cmd unifiedexec"
)
#: Tools that write to, read from or end a process that runs already.
SESSION_TOOLS = words(
    "writestdin readbash stopbash writebash bashoutput killshell killbash getterminaloutput readterminal taskoutput"
    " commandstatus sendcommandinput taskstop awaitterminal"
)
#: Tools of one name that read and change files.
EDITORS = frozenset({"strreplaceeditor", "strreplacebasededittool", "editor", "texteditor"})
TODO_TOOLS = words(
    "todowrite updateplan updatetodolist updatetodo managetodolist writetodos todo todolist setplan planupdate"
)
KIND_BY_NAME = {name: kind for kind, names in _NAMES_BY_KIND.items() for name in names.split()}


def is_of_server(name: str) -> bool:
    """True for the name of a tool that an MCP server offers, as Claude Code and Codex spell it."""
    return name.startswith("mcp__")
