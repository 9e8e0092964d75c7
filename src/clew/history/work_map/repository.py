"""What commands say of the repository: branch, commits, pushes, changes that are not committed, and pull requests.

Only what a program printed counts: a commit is known by the line in which git confirms it, never by the command alone.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace

from clew.history.work_map.repository_facts import CiLook, Commit, GitLog, GitStatus, Push, RepositoryFacts
from clew.text.tools import git_lines as git
from clew.text.tools.checks import checks_of
from clew.text.tools.purposes import act_of, acts_in
from clew.text.tools.shell import git_words, parse_command, without_written_texts
from clew.text.trim import cut_at_word, one_line
from clew.text.vocabulary import words as words_of

#: How many are kept of each, the newest. Of fewer pushes than commits, one that was pushed would be told as not.
_MAX_COMMITS, _MAX_PUSHES, _MAX_LINKS, _MAX_CHANGES = 12, 12, 8, 40
_MAX_SUBJECT_CHARS = 140
#: Git and forges answer in few lines, at either end of what a command line prints.
_MAX_READ_CHARS = 6_000

_GIT = re.compile(r"\bgit\b")
#: What joins commands of which the later ones are not run where an earlier one failed, or only print what it said.
_WAITS = frozenset({"&&", "|", "|&"})
#: What git, and clients after it, call a branch where there is none.
_DETACHED = "HEAD"
#: What is true of one checkout alone.
_OF_CHECKOUT = ("branch", "head", "status", "clean", "added", "log", "standing")
#: The folder of a person, which ``~`` stands for.
_OWN_FOLDER = re.compile(r"/(?:Users|home)/[^/]+|/root")
#: A folder of a repository in which other checkouts of it lie, each on its own branch.
_WORKTREES = re.compile(r"/\.?[\w-]*worktrees?/")
#: What git does to files and commits, after which a status no longer holds.
_CHANGES = words_of(
    "commit add rm mv stash reset checkout switch restore merge rebase pull cherry-pick revert clean apply am read-tree"
    " update-index"
)
_MAX_JOBS = 4
#: Commits of a log that are kept, and characters of their subjects.
_MAX_LOGGED, _MAX_LOGGED_CHARS = 24, 80
#: What makes ``git add`` take in more than it names.
_ALL = frozenset({"-A", "--all", "-u", "--update", ".", "-p", "--patch"})


def read_repository(
    known: RepositoryFacts, command: str, text: str, now: int, *, ended_well: bool = False, folder: str = ""
) -> None:
    """Takes in what a command printed. ``now`` is the number of the message; ``ended_well``
    says that each of its programs did; ``folder`` where the call says that it is run.

    Of another checkout than the client's folder, what was committed, pushed and opened there is taken in, and nothing
    of its branch and state.
    """
    text = text if len(text) <= 2 * _MAX_READ_CHARS else f"{text[:_MAX_READ_CHARS]}\n{text[-_MAX_READ_CHARS:]}"
    if git.TRIAL.search(command):
        return
    here = {name: getattr(known, name) for name in _OF_CHECKOUT}
    place = _other_checkout(command, known.home, folder=folder)
    _read_printed(known, command, text, now, place=posixpath.basename(place), ended_well=ended_well)
    if _commits_without_a_word(command, text, ended_well=ended_well):
        known.quiet_commit = now
        known.head = known.head if _logs_what_it_commits(command) else None
    if place:
        for name, before in here.items():
            setattr(known, name, before)


def note_home(known: RepositoryFacts, folder: str) -> None:
    """Takes in the folder that a client is in. Of a checkout that it has left, branch and state are no longer told."""
    folder, before = folder.rstrip("/"), known.home
    if not folder or folder == before:
        return
    known.home = folder
    if before and _is_other_checkout(folder, before):
        nothing = RepositoryFacts()
        for name in (*_OF_CHECKOUT, "client_branch"):
            setattr(known, name, getattr(nothing, name))


def _other_checkout(command: str, home: str, *, folder: str = "") -> str:
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


def _read_printed(row: RepositoryFacts, command: str, text: str, now: int, *, place: str, ended_well: bool) -> None:
    named = git.NAMES_REPOSITORY.search(command)
    if looked := git.LOOKS_AT_PULL.search(command):
        repository = looked[2] or (named[1] if named else place)
        row.pull_request = f"{repository}#{looked[1] or looked[3]}", now
    if git.LOOKS_AT_CI.search(command):
        _read_ci(row, command, text, now, ended_well=ended_well)
    if _GIT.search(command):
        _drop_replaced(row, command, text)
        _read_branch(row, command, text, now)
        _read_commits(row, text, now, place=place)
        if git.logs_head(command) and (shown := git.LOGGED.search(text)):
            row.head = Commit(shown[1], shown[2][:_MAX_SUBJECT_CHARS], now)
        if text and (asked := git.ASKS_LOG.search(command)):
            logged = [(hash, cut_at_word(subject, _MAX_LOGGED_CHARS)) for hash, subject in git.LOGGED.findall(text)]
            row.log = GitLog(tuple(logged[:_MAX_LOGGED]), len(logged), asked[2] or "", now)
        if git.ASKS_STATUS.search(command):
            _read_status(row, command, text, now)
        _read_added(row, command)
        if _changes_after_status(command):
            end_status(row)
        for branch, remote in git.PUSHED.findall(text) if "push" in command else ():
            others = (push for push in row.pushes if push.remote != remote or push.place != place)
            own = row.branch[0] if branch == _DETACHED else branch
            row.pushes = (*others, Push(remote, now, own, place))[-_MAX_PUSHES:]
    elif any(check.is_format for check in checks_of(command)):
        end_status(row)
    if git.OPENS.search(command):
        for link in git.LINK.findall(text)[:1]:
            row.opened = (*row.opened, (link, now))[-_MAX_LINKS:]


def _read_ci(row: RepositoryFacts, command: str, text: str, now: int, *, ended_well: bool) -> None:
    """Takes in the last look at CI: of a run or of a pull request, whether all passed, and what failed. One that is not
    over, or cannot be read, ends what was known."""
    looked = [*git.LOOKS_AT_CI.finditer(command)][-1]
    jobs = git.CI_JOB.findall(text)
    failed = [name for name, state in jobs if state in {"fail", "cancel"}][:_MAX_JOBS]
    if "checks" in looked[0]:
        is_red, is_green = bool(failed), bool(jobs) and all(state in {"pass", "skipping"} for _, state in jobs)
        what = f"pull request #{looked[2]}" if looked[2] else "checks"
    else:
        last = "".join(next(reversed(git.RUN_ENDED.findall(text)), ()))
        is_red, is_green = last in {"failure", "X"}, last in {"success", "✓"}
        is_green = is_green or ("--exit-status" in command and ended_well)
        what = f"run {looked[1]}" if looked[1] else "run"
        if int(looked[1] or 0) < row.ci_run:
            return  # an older run, to compare
        row.ci_run = int(looked[1] or 0)
    named = git.NAMES_REPOSITORY.search(command)
    is_told = is_red or (is_green and "|" not in command[looked.end() :])
    of = f" of {named[1]}" if named else ""
    row.ci = CiLook(not is_red, f"{what}{of}", tuple(failed), now) if is_told else None


def end_status(known: RepositoryFacts) -> None:
    """The last status tells of a state that is over."""
    known.status = known.status and replace(known.status, is_over=True)


def read_pasted(known: RepositoryFacts, text: str) -> None:
    """A person who shows another status has taken it later than the one that is known."""
    if git.PASTED_STATUS.search(text):
        end_status(known)


def read_client_branch(known: RepositoryFacts, name: str, now: int) -> None:
    """Takes in the branch that a client writes with its records. It counts where it changes: a client may look later
    than git speaks. A commit that is no branch's end tells of none."""
    if not name or name == known.client_branch:
        return
    known.client_branch = name
    _put_branch(known, "" if name == _DETACHED else name, now)


def _read_commits(row: RepositoryFacts, text: str, now: int, *, place: str) -> None:
    for branch, hash, subject in git.confirmed_commits(text):
        made = Commit(hash, subject[:_MAX_SUBJECT_CHARS], now, branch, place)
        row.head, row.commits = None, (*row.commits, made)[-_MAX_COMMITS:]
    if rebased := git.REBASED.search(text):
        _take_rebase(row, rebased[1] or "", now)


def _commits_without_a_word(command: str, text: str, *, ended_well: bool) -> bool:
    """Returns True for a commit that git did not confirm, and that is there: its command ended well, or a log, what it
    says of files, or the push that waited for it, shows it."""
    if "git commit" not in acts_in(command) or git.DRY_RUN.search(command) or git.confirmed_commits(text):
        return False
    if git.COMPLAINS.search(text):
        return False
    match = git.SUBJECT.search(command)
    is_logged = match is not None and any(
        subject.startswith(match["subject"].strip()) for _, subject in git.LOGGED.findall(text)
    )
    is_counted = git.STATISTICS.search(text) is not None and not git.ASKS_STATISTICS.search(command)
    is_pushed = git.PUSHED.search(text) is not None and _pushes_what_it_commits(command)
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
    simples = parse_command(without_written_texts(command)[:_MAX_READ_CHARS])
    acts = [act for simple in simples for act in git_words(simple.words)[:1]]
    return "commit" in acts and git.logs_head(command) and "log" in acts[acts.index("commit") :]


def _take_rebase(row: RepositoryFacts, branch: str, now: int) -> None:
    """A rebase makes no commit of its own: those of its branch are there, and git does not name them all anew."""
    kept = tuple(commit for commit in row.commits if branch and commit.branch not in {"", branch})
    moved = (commit.at for commit in row.commits if commit not in kept)
    row.quiet_commit = max((row.quiet_commit, *moved))
    row.commits, row.rebased, row.head = kept, now, None


def _drop_replaced(row: RepositoryFacts, command: str, text: str) -> None:
    """Commits that were amended or reset away are no longer there under their ids; those of other branches are."""
    branch, gone = row.branch[0], 0
    if git.AMENDS.search(command) and (amended := git.COMMITTED.search(text)):
        branch, gone = amended[1], 1
    elif (reset := git.RESETS.search(command)) and not git.COMPLAINS.search(text):
        gone = int(reset[1] or 1)
    if gone:
        lost = [commit for commit in row.commits if not branch or commit.branch in {"", branch}][-gone:]
        row.commits, row.head = tuple(commit for commit in row.commits if commit not in lost), None


def _read_branch(row: RepositoryFacts, command: str, text: str, now: int) -> None:
    if git.ASKS_BRANCH.search(command) and len(text.split()) == 1:
        row.branch = text.strip(), now
    if (begun := git.BEGINS.search(command)) and not git.COMPLAINS.search(text) and not git.BEGUN_BEFORE.search(text):
        _put_branch(row, begun[1], now)
    if git.LEAVES_BRANCH.search(text) or git.RENAMES_BRANCH.search(command):
        row.branch = "", 0
    for match in git.ON_BRANCH.finditer(text):
        _put_branch(row, next(filter(None, match.groups())), now)


def _put_branch(row: RepositoryFacts, name: str, now: int) -> None:
    """On another branch, the newest commit is another, and so may be what is changed."""
    if row.branch[1] and name != row.branch[0]:
        row.head = row.status = None
    row.branch = name, now


def _read_status(row: RepositoryFacts, command: str, text: str, now: int) -> None:
    if git.ASKS_SHORT.search(command):
        changed, untracked = git.SHORT_CHANGED.findall(text), git.SHORT_UNTRACKED.findall(text)
    else:
        listed = "".join(git.UNTRACKED_LIST.findall(text))
        changed, untracked = git.STATUS_CHANGED.findall(text), [line.strip() for line in listed.splitlines()]
    is_clean = git.STATUS_CLEAN.search(text) or (git.ASKS_SHORT_ALONE.fullmatch(command.strip()) and not text.strip())
    untracked = [name for name in untracked if name not in changed]  # added between two looks in one line
    if stands := git.STANDING.search(text):
        row.standing = one_line(stands[0]), now
    end_status(row)  # whatever this look shows, the one before is over
    if changed or untracked or is_clean:
        row.status = GitStatus(tuple(dict.fromkeys(changed))[:_MAX_CHANGES], tuple(untracked[:_MAX_CHANGES]), now)
        row.added = ()
    if is_clean and not changed and not untracked:
        row.clean = now


def _read_added(row: RepositoryFacts, command: str) -> None:
    """Takes in which paths git is told to add after the last status; None where something may have taken in more."""
    if row.status is None or row.added is None:
        return
    after = git.ASKS_STATUS.split(command)[-1]
    paths = [path for asked in git.ADDS.findall(after) for path in _words(asked)]
    takes_all = git.TAKES_ALL.search(after) or any(path in _ALL or "*" in path for path in paths)
    named = (path.removeprefix(f"{row.home}/").removeprefix("./").rstrip("/") for path in paths)
    row.added = None if takes_all else (*row.added, *named)


def _words(asked: str) -> list[str]:
    try:
        return shlex.split(asked)
    except ValueError:
        return [*asked.split(), "-A"]  # what cannot be read may be anything


def _changes_after_status(command: str) -> bool:
    """Returns True when git does something to files or commits that a status asked for before it cannot tell."""
    simples = [simple.words for simple in parse_command(command) if simple.words[:1] == ["git"]]
    verbs = [verb for words in simples for verb in git_words(words)[:1]]
    after = verbs[len(verbs) - verbs[::-1].index("status") :] if "status" in verbs else verbs
    return bool(_CHANGES & set(after))
