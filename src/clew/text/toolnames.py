"""Tools of the assistants by plain name, and what each is for.

Claude Code, Codex, Copilot, Cline and Roo, opencode, VS Code, Gemini, Cursor and Windsurf are listed together: where
two of them use a name, they mean the same by it.
"""

from __future__ import annotations

from clew.text.deeds import Deed
from clew.text.vocabulary import words

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
RUNNERS = words(
    "bash shell execcommand localshell runshellcommand executecommand runinterminal terminal runcommand powershell"
    " containerexec exec execute runterminalcommand runterminalcmd localshellcall executebash run cmd unifiedexec"
)
GOES_ON = words(
    "writestdin readbash stopbash writebash bashoutput killshell killbash getterminaloutput readterminal taskoutput"
    " commandstatus sendcommandinput taskstop awaitterminal"
)
EDITORS = frozenset({"strreplaceeditor", "strreplacebasededittool", "editor", "texteditor"})
TODO_TOOLS = words(
    "todowrite updateplan updatetodolist updatetodo managetodolist writetodos todo todolist setplan planupdate"
)
BY_NAME = {name: deed for deed, names in _DEEDS.items() for name in names.split()}
