"""What commands say of the repository: branch, commits, pushes, changes that are not committed, and pull requests.

Only what a program printed counts: a commit is known by the line in which git confirms it, never by the command alone.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Any

from clew.text.tools.checks import checks_of
from clew.text.tools.purposes import act_of, acts_in
from clew.text.tools.shell import parse_command, without_written_texts
from clew.text.vocabulary import words as words_of

#: How many are kept of each, the newest. Of fewer pushes than commits, one that was pushed would be told as not.
_MAX_COMMITS, _MAX_PUSHES, _MAX_LINKS, _MAX_CHANGES = 12, 12, 8, 40
_MAX_SUBJECT_CHARS = 140
#: Git and forges answer in few lines, at either end of what a command line prints.
_MAX_READ_CHARS = 6_000

_GIT = re.compile(r"\bgit\b")
_COMMITTED = re.compile(r"^\[([\w./#+-]{1,200})(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.{1,400})$", re.MULTILINE)
_COMMITTED_DETACHED = re.compile(r"^\[detached HEAD ([0-9a-f]{7,40})\] (.{1,400})$", re.MULTILINE)
#: What leaves all branches, and what gives the present one another name.
_LEAVES_BRANCH = re.compile(r"^You are in 'detached HEAD' state|^HEAD detached (?:at|from) ", re.MULTILINE)
_RENAMES_BRANCH = re.compile(r"\bgit (?:-C \S+ )?branch (?:-m|-M|--move)\b")
_ON_BRANCH = re.compile(
    r"^(?:Switched to (?:a new )?branch '([^'\n]{1,200})'|On branch (\S{1,200})$|Already on '([^'\n]{1,200})'"
    r"|\[([\w./#+-]{1,200})(?: \(root-commit\))? [0-9a-f]{7,40}\] )",
    re.MULTILINE,
)
_ASKS_BRANCH = re.compile(r"\bgit (?:-C \S+ )?(?:branch --show-current|rev-parse --abbrev-ref HEAD)\s*(?:2>\S+\s*)?$")
#: A repository that is begun, on a branch with a name; git warns where it was there before.
_BEGINS = re.compile(r"\bgit init\b[^&|;\n]*? (?:-b|--initial-branch)[= ]['\"]?([\w./#+-]{1,200})")
_BEGUN_BEFORE = re.compile(r"^Reinitialized|re-init: ignored", re.MULTILINE)
#: A log of where the work stands: without other branches, files or filters.
_ASKS_LOG = re.compile(r"\bgit log --oneline(?: -n? ?\d{1,3})?\s*(?:2>\S+\s*)?$")
_LOGGED = re.compile(r"^([0-9a-f]{7,12}) (?:\([^)\n]{1,200}\) )?(\S.{0,400})$", re.MULTILINE)
#: What joins commands of which the later ones are not run where an earlier one failed, or only print what it said.
_WAITS = frozenset({"&&", "|", "|&"})
_PUSHED = re.compile(
    r"^\s*(?:[*+-] )?\s*(?:\[new branch\]|[0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40})\s+(\S{1,200}) -> (\S{1,200})",
    re.MULTILINE,
)
#: A commit that was only tried.
_DRY_RUN = re.compile(r"\bgit (?:-C \S+ )?commit\b[^|;&\n]{0,400}? --(?:dry-run|help)\b")
#: How many files a commit changed, where nothing else in a command prints such a line.
_STATISTICS = re.compile(r"^ \d+ files? changed, \d+ ", re.MULTILINE)
_ASKS_STATISTICS = re.compile(
    r"--(?:short|num)?stat\b|\bgit (?:-C \S+ )?(?:pull|merge|show|stash|cherry-pick|revert)\b"
)
#: The first line of a commit's message, after ``-m`` or in a here-document.
_SUBJECT = re.compile(
    r"\bgit (?:-C \S+ )?commit\b[^\n]*?(?:<<-?\s*['\"]?(?P<tag>\w+)['\"]?[^\n]*\n|-[a-z]*m[ =]?(?P<quote>['\"]))"
    r"\s*(?P<subject>[^\n'\"]{3,200})"
)
_REBASED = re.compile(r"^(?:.*\r)?Successfully rebased and updated (?:refs/heads/(\S{1,200}?)\.?$)?", re.MULTILINE)
_COMPLAINS = re.compile(
    r"(?i)\b(?:error|fatal|failed|rejected|nothing (?:added )?to commit|no changes added|exit code [1-9])"
)
_AMENDS = re.compile(r"\bgit (?:-C \S+ )?commit\b.{0,400}? --amend\b", re.DOTALL)
_RESETS = re.compile(r"\bgit (?:-C \S+ )?reset\b[^|;&]{0,80}? HEAD(?:~(\d{0,2})|\^)(?!\S)")
_ASKS_STATUS = re.compile(r"\bgit (?:-C \S+ )?status\b")
_STATUS_CLEAN = re.compile(r"^nothing to commit", re.MULTILINE)
_STATUS_CHANGED = re.compile(r"^\t(?:modified|new file|deleted|renamed|both modified): +(\S.{0,300})$", re.MULTILINE)
_ASKS_SHORT = re.compile(r"\bstatus (?:\S+ )*(?:-s|-sb|--short|--porcelain)\b")
_ASKS_SHORT_ALONE = re.compile(r"(?:cd [^;&|\s]+ && )?git (?:-C \S+ )?status (?:-s|--short|--porcelain)")
_SHORT_CHANGED = re.compile(r"^(?:[MADRCU][ MADRCU]|[ ][MADRCU]) (\S.{0,300})$", re.MULTILINE)
_SHORT_UNTRACKED = re.compile(r"^\?\? (\S.{0,300})$", re.MULTILINE)
_UNTRACKED_LIST = re.compile(r"^Untracked files:\n(?:[ \t]+\(.*\)\n)?((?:\t.+\n?)+)", re.MULTILINE)
#: What git, and clients after it, call a branch where there is none.
_DETACHED = "HEAD"
#: A repository made for a trial says nothing of the one that is worked on. One that is begun where the work is done is
#: no trial: nothing leads elsewhere before it, and no folder is named for it.
_TRIAL = re.compile(
    r"\bgit clone\b|\bgit init\b[^&|;\n]* --bare\b|\b(?:cd|pushd|git -C) [^\n]*\bgit init\b"
    r"|\bgit init\b(?: -q| --quiet| -b \S+| --initial-branch[= ]\S+)* (?![-&|;#.<>]|\d?>)\S"
    r"|\b(?:cd|git -C) \"?(?:\$\(mktemp|/tmp\b|/private/tmp\b|/var/folders\b)"
)
#: What is true of one checkout alone.
_OF_CHECKOUT = ("branch", "head", "status", "clean")
#: The folder of a person, which ``~`` stands for.
_OWN_FOLDER = re.compile(r"/(?:Users|home)/[^/]+|/root")
#: A folder of a repository in which other checkouts of it lie, each on its own branch.
_WORKTREES = re.compile(r"/\.?[\w-]*worktrees?/")
#: What git does to files and commits, after which a status no longer holds.
_CHANGES = words_of(
    "commit add rm mv stash reset checkout switch restore merge rebase pull cherry-pick revert clean apply am read-tree"
    " update-index"
)
#: A look at the repository that a person took and put into their words.
_PASTED_STATUS = re.compile(
    r"^(?:\W{0,4}git status\b|On branch \S+$|Changes (?:not staged for commit|to be committed):|nothing to commit, )",
    re.MULTILINE,
)
_LOOKS_AT_PULL = re.compile(
    r"\b(?:gh|glab) (?:pr|mr) \w+ #?(\d{1,7})\b|(?:\brepos/([\w.-]+/[\w.-]+))?/pulls/(\d{1,7})\b"
)
#: The repository that a command of a forge is given.
_NAMES_REPOSITORY = re.compile(r"(?:--repo|-R)[ =]['\"]?(?:https://[\w.-]+/)?([\w.-]+/[\w.-]+)")
#: A look at what CI says of a run, or of a pull request; the logs of a run do not tell how it ended.
_LOOKS_AT_CI = re.compile(r"\bgh (?:run (?:watch|view)(?: (\d{1,14}))?|pr checks(?: #?(\d{1,7}))?)(?![^|;&\n]* --log)")
_RUN_ENDED = re.compile(
    r"^(?:[✓X] )?Run \S.* completed with '(\w+)'|^([✓X*]) \S.* · \d+$|^\{\"conclusion\":\"(\w+)\"", re.MULTILINE
)
_CI_JOB = re.compile(r"^(\S[^\t\n]*)\t(pass|fail|pending|skipping|cancel)\t", re.MULTILINE)
_MAX_JOBS = 4
_OPENS = re.compile(r"\b(?:gh|glab|hub) (?:pr|issue|mr|release) create\b")
_LINK = re.compile(r"https://[\w.-]+/[\w./-]{1,200}?/(?:pull|issues|merge_requests|releases)/[\w/.-]{1,80}")


def read_repository(
    known: dict[str, Any], command: str, text: str, now: int, *, ended_well: bool = False, folder: str = ""
) -> None:
    """Takes in what a command printed. ``known`` is the stored row; ``now`` the number of the message; ``ended_well``
    says that each of its programs did; ``folder`` where the call says that it is run.

    Of another checkout than the client's folder, what was committed, pushed and opened there is taken in, and nothing
    of its branch and state.
    """
    text = text if len(text) <= 2 * _MAX_READ_CHARS else f"{text[:_MAX_READ_CHARS]}\n{text[-_MAX_READ_CHARS:]}"
    if _TRIAL.search(command):
        return
    here = {name: known.get(name) for name in _OF_CHECKOUT}
    place = other_checkout(command, known.get("home", ""), folder=folder)
    _read_printed(known, command, text, now, place=posixpath.basename(place), ended_well=ended_well)
    if _commits_without_a_word(command, text, ended_well=ended_well):
        known["quiet_commit"] = now
        if not _logs_what_it_commits(command):
            known.pop("head", None)
    if place:
        for name, before in here.items():
            if before is None:
                known.pop(name, None)
            else:
                known[name] = before


def note_home(known: dict[str, Any], folder: str) -> None:
    """Takes in the folder that a client is in. Of a checkout that it has left, branch and state are no longer told."""
    folder, before = folder.rstrip("/"), known.get("home", "")
    if not folder or folder == before:
        return
    known["home"] = folder
    if before and _is_other_checkout(folder, before):
        for name in (*_OF_CHECKOUT, "client_branch"):
            known.pop(name, None)


def committed_at(known: dict[str, Any]) -> int:
    """Returns the message of the last commit that was seen to be made, of the last rebase, or in which git found
    nothing to commit; 0 if there is none."""
    made = (commit[2] for commit in known.get("commits", ()))
    return int(max((known.get("quiet_commit", 0), known.get("rebased", 0), known.get("clean", 0), *made)))


def is_elsewhere(command: str, home: str, *, folder: str = "") -> bool:
    """Returns True for a command that works in another checkout than the one at ``home``, or in one for a trial."""
    return _TRIAL.search(command) is not None or bool(other_checkout(command, home, folder=folder))


def other_checkout(command: str, home: str, *, folder: str = "") -> str:
    """Returns the first other checkout than the one at ``home`` that a command works in; "" if there is none."""
    places = _git_folders(command, _join_path(home, folder)) if home else ()
    return next((place for place in places if _is_other_checkout(place, home)), "")


def _git_folders(command: str, folder: str) -> Iterator[str]:
    """The folders in which the parts of a command line run git; those of all its parts where none does."""
    simples = parse_command(without_written_texts(command)[:_MAX_READ_CHARS])
    runs_git = any(simple.words[:1] == ["git"] for simple in simples)
    for simple in simples:
        words = simple.words
        if words[:1] in (["cd"], ["pushd"]) and len(words) > 1:
            folder = _join_path(folder, words[1])
        if words[:1] == ["git"] or not runs_git:
            yield _join_path(folder, words[2]) if words[:2] == ["git", "-C"] and len(words) > 2 else folder


def _join_path(folder: str, path: str) -> str:
    """A path seen from a folder; a variable leads nowhere that is known."""
    if not path or path.startswith("$"):
        return folder
    return posixpath.normpath(path if path.startswith(("/", "~")) else f"{folder}/{path}")


def _is_other_checkout(folder: str, home: str) -> bool:
    """Returns True for a folder that is neither in another one nor around it, or is a worktree of its own."""
    if folder.startswith("~") and (own := _OWN_FOLDER.match(home)):
        folder = f"{own[0]}{folder[1:]}"
    inner, outer = sorted((f"{folder}/", f"{home}/"), key=len, reverse=True)
    return not inner.startswith(outer) or _WORKTREES.search(inner[len(outer) - 1 :]) is not None


def _read_printed(known: dict[str, Any], command: str, text: str, now: int, *, place: str, ended_well: bool) -> None:
    named = _NAMES_REPOSITORY.search(command)
    if looked := _LOOKS_AT_PULL.search(command):
        repository = looked[2] or (named[1] if named else place)
        known["pull"] = [f"{repository}#{looked[1] or looked[3]}", now]
    if _LOOKS_AT_CI.search(command):
        _read_ci(known, command, text, now, ended_well=ended_well)
    if _GIT.search(command):
        _drop_replaced(known, command, text)
        _read_branch(known, command, text, now)
        _read_commits(known, text, now, place=place)
        if _ASKS_LOG.search(command) and (shown := _LOGGED.search(text)):
            known["head"] = [shown[1], shown[2][:_MAX_SUBJECT_CHARS], now]
        if _ASKS_STATUS.search(command):
            _read_status(known, command, text, now)
        if _changes_after_status(command):
            end_status(known)
        for branch, remote in _PUSHED.findall(text) if "push" in command else ():
            others = [push for push in known.get("pushes", ()) if push[0] != remote or push[3] != place]
            own = known.get("branch", [""])[0] if branch == _DETACHED else branch
            known["pushes"] = [*others, [remote, now, own, place]][-_MAX_PUSHES:]
    elif any(check.is_format for check in checks_of(command)):
        end_status(known)
    if _OPENS.search(command):
        for link in _LINK.findall(text)[:1]:
            known["opened"] = [*known.get("opened", ()), [link, now]][-_MAX_LINKS:]


def _read_ci(known: dict[str, Any], command: str, text: str, now: int, *, ended_well: bool) -> None:
    """Takes in the last look at CI: of a run or of a pull request, whether all passed, and what failed. One that is not
    over, or cannot be read, ends what was known."""
    looked = [*_LOOKS_AT_CI.finditer(command)][-1]
    jobs = _CI_JOB.findall(text)
    failed = [name for name, state in jobs if state in {"fail", "cancel"}][:_MAX_JOBS]
    if "checks" in looked[0]:
        is_red, is_green = bool(failed), bool(jobs) and all(state in {"pass", "skipping"} for _, state in jobs)
        what = f"pull request #{looked[2]}" if looked[2] else "checks"
    else:
        last = "".join(next(reversed(_RUN_ENDED.findall(text)), ()))
        is_red, is_green = last in {"failure", "X"}, last in {"success", "✓"}
        is_green = is_green or ("--exit-status" in command and ended_well)
        what = f"run {looked[1]}" if looked[1] else "run"
        if int(looked[1] or 0) < known.get("ci_run", 0):
            return  # an older run, to compare
        known["ci_run"] = int(looked[1] or 0)
    named = _NAMES_REPOSITORY.search(command)
    known.pop("ci", None)
    if is_red or (is_green and "|" not in command[looked.end() :]):
        known["ci"] = [not is_red, what + (f" of {named[1]}" if named else ""), failed, now]


def end_status(known: dict[str, Any]) -> None:
    """The last status tells of a state that is over."""
    if "status" in known:
        known["status"] = [*known["status"][:3], True]


def read_pasted(known: dict[str, Any], text: str) -> None:
    """A person who shows another status has taken it later than the one that is known."""
    if _PASTED_STATUS.search(text):
        end_status(known)


def read_client_branch(known: dict[str, Any], name: str, now: int) -> None:
    """Takes in the branch that a client writes with its records. It counts where it changes: a client may look later
    than git speaks. A commit that is no branch's end tells of none."""
    if not name or name == known.get("client_branch"):
        return
    known["client_branch"] = name
    _put_branch(known, "" if name == _DETACHED else name, now)


def _read_commits(known: dict[str, Any], text: str, now: int, *, place: str) -> None:
    for branch, hash, subject in _confirmed_commits(text):
        known.pop("head", None)
        made = [hash, subject[:_MAX_SUBJECT_CHARS], now, branch, place]
        known["commits"] = [*known.get("commits", ()), made][-_MAX_COMMITS:]
    if rebased := _REBASED.search(text):
        _take_rebase(known, rebased[1] or "", now)


def _confirmed_commits(text: str) -> list[tuple[str, str, str]]:
    """The commits that git says it made, by branch, hash and subject."""
    detached = [("", hash, subject) for hash, subject in _COMMITTED_DETACHED.findall(text)]
    return [*_COMMITTED.findall(text), *detached]


def _commits_without_a_word(command: str, text: str, *, ended_well: bool) -> bool:
    """Returns True for a commit that git did not confirm, and that is there: its command ended well, or a log, what it
    says of files, or the push that waited for it, shows it."""
    if "git commit" not in acts_in(command) or _DRY_RUN.search(command) or _confirmed_commits(text):
        return False
    if _COMPLAINS.search(text):
        return False
    said = _SUBJECT.search(command)
    is_logged = said is not None and any(
        subject.startswith(said["subject"].strip()) for _, subject in _LOGGED.findall(text)
    )
    is_counted = _STATISTICS.search(text) is not None and not _ASKS_STATISTICS.search(command)
    is_pushed = _PUSHED.search(text) is not None and _pushes_what_it_commits(command)
    return ended_well or is_logged or is_counted or is_pushed


def _pushes_what_it_commits(command: str) -> bool:
    """Returns True where a push is only begun after the commit before it was made."""
    waits = False
    for simple in parse_command(without_written_texts(command)[:_MAX_READ_CHARS]):
        act = act_of(simple)
        if act == "git push" and waits:
            return True
        waits = simple.joint == "&&" if act == "git commit" else waits and simple.joint in _WAITS
    return False


def _logs_what_it_commits(command: str) -> bool:
    """Returns True where the newest commit is shown after one was made, so that it is the one."""
    acts = [_git_verb(simple.words) for simple in parse_command(without_written_texts(command)[:_MAX_READ_CHARS])]
    return (
        _ASKS_LOG.search(command) is not None and "log" in acts[acts.index("commit") :] if "commit" in acts else False
    )


def _take_rebase(known: dict[str, Any], branch: str, now: int) -> None:
    """A rebase makes no commit of its own: those of its branch are there, and git does not name them all anew."""
    commits = known.get("commits", ())
    known["commits"] = [one for one in commits if branch and one[3] not in {"", branch}]
    moved = (one[2] for one in commits if one not in known["commits"])
    known["quiet_commit"] = max([known.get("quiet_commit", 0), *moved])
    known["rebased"] = now
    known.pop("head", None)


def _drop_replaced(known: dict[str, Any], command: str, text: str) -> None:
    """Commits that were amended or reset away are no longer there under their ids; those of other branches are."""
    commits, branch, gone = known.get("commits", []), known.get("branch", [""])[0], 0
    if _AMENDS.search(command) and (amended := _COMMITTED.search(text)):
        branch, gone = amended[1], 1
    elif (reset := _RESETS.search(command)) and not _COMPLAINS.search(text):
        gone = int(reset[1] or 1)
    if gone:
        lost = [one for one in commits if not branch or one[3] in {"", branch}][-gone:]
        known["commits"] = [one for one in commits if one not in lost]
        known.pop("head", None)


def _read_branch(known: dict[str, Any], command: str, text: str, now: int) -> None:
    if _ASKS_BRANCH.search(command) and len(text.split()) == 1:
        known["branch"] = [text.strip(), now]
    if (begun := _BEGINS.search(command)) and not _COMPLAINS.search(text) and not _BEGUN_BEFORE.search(text):
        _put_branch(known, begun[1], now)
    if _LEAVES_BRANCH.search(text) or _RENAMES_BRANCH.search(command):
        known.pop("branch", None)
    for found in _ON_BRANCH.finditer(text):
        _put_branch(known, next(filter(None, found.groups())), now)


def _put_branch(known: dict[str, Any], name: str, now: int) -> None:
    """On another branch, the newest commit is another, and so may be what is changed."""
    if name != known.get("branch", [name])[0]:
        known.pop("head", None)
        known.pop("status", None)
    known["branch"] = [name, now]


def _read_status(known: dict[str, Any], command: str, text: str, now: int) -> None:
    if _ASKS_SHORT.search(command):
        changed, untracked = _SHORT_CHANGED.findall(text), _SHORT_UNTRACKED.findall(text)
    else:
        listed = "".join(_UNTRACKED_LIST.findall(text))
        changed, untracked = _STATUS_CHANGED.findall(text), [line.strip() for line in listed.splitlines()]
    is_clean = _STATUS_CLEAN.search(text) or (_ASKS_SHORT_ALONE.fullmatch(command.strip()) and not text.strip())
    untracked = [name for name in untracked if name not in changed]  # added between two looks in one line
    end_status(known)  # whatever this look shows, the one before is over
    if changed or untracked or is_clean:
        known["status"] = [list(dict.fromkeys(changed))[:_MAX_CHANGES], untracked[:_MAX_CHANGES], now]
    if is_clean and not changed and not untracked:
        known["clean"] = now


def _changes_after_status(command: str) -> bool:
    """Returns True when git does something to files or commits that a status asked for before it cannot tell."""
    verbs = [verb for simple in parse_command(command) if (verb := _git_verb(simple.words))]
    after = verbs[len(verbs) - verbs[::-1].index("status") :] if "status" in verbs else verbs
    return bool(_CHANGES & set(after))


def _git_verb(words: list[str]) -> str:
    plain = words[1:]
    while plain[:1] and plain[0].startswith("-"):
        plain = plain[2:] if plain[0] in {"-C", "-c"} else plain[1:]
    return plain[0] if words[:1] == ["git"] and plain else ""
