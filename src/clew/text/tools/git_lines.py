"""The words of git and of forges: what they print, and what a command line asks of them. The one vocabulary of both."""

from __future__ import annotations

import re

COMMITTED = re.compile(r"^\[([\w./#+-]{1,200})(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.{1,400})$", re.MULTILINE)
COMMITTED_DETACHED = re.compile(r"^\[detached HEAD ([0-9a-f]{7,40})\] (.{1,400})$", re.MULTILINE)
#: What leaves all branches, and what gives the present one another name.
LEAVES_BRANCH = re.compile(r"^You are in 'detached HEAD' state|^HEAD detached (?:at|from) ", re.MULTILINE)
RENAMES_BRANCH = re.compile(r"\bgit (?:-C \S+ )?branch (?:-m|-M|--move)\b")
ON_BRANCH = re.compile(
    r"^(?:Switched to (?:a new )?branch '([^'\n]{1,200})'|On branch (\S{1,200})$|Already on '([^'\n]{1,200})'"
    r"|\[([\w./#+-]{1,200})(?: \(root-commit\))? [0-9a-f]{7,40}\] )",
    re.MULTILINE,
)
ASKS_BRANCH = re.compile(r"\bgit (?:-C \S+ )?(?:branch --show-current|rev-parse --abbrev-ref HEAD)\s*(?:2>\S+\s*)?$")
#: A repository that is begun, on a branch with a name; git warns where it was there before.
BEGINS = re.compile(r"\bgit init\b[^&|;\n]*? (?:-b|--initial-branch)[= ]['\"]?([\w./#+-]{1,200})")
BEGUN_BEFORE = re.compile(r"^Reinitialized|re-init: ignored", re.MULTILINE)
#: A log of the present branch, from its beginning or from where it left another (the second group); not one of a file
#: or of another branch.
ASKS_LOG = re.compile(
    r"\bgit (?:-C \S+ )?log(?= [^|;&]*--oneline)((?: (?:--oneline|--no-decorate|--decorate|--first-parent|-n? ?\d{1,3}"
    r"|(\S+?)\.\.(?:HEAD)?))+)\s*(?:2>\S+\s*)?(?:\|\s*head\b[^|;&]*)?(?:\Z|&&|;)"
)
LOGGED = re.compile(r"^([0-9a-f]{7,12}) (?:\([^)\n]{1,200}\) )?(\S.{0,400})$", re.MULTILINE)
PUSHED = re.compile(
    r"^\s*(?:[*+-] )?\s*(?:\[new branch\]|[0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40})\s+(\S{1,200}) -> (\S{1,200})",
    re.MULTILINE,
)
#: A commit that was only tried.
DRY_RUN = re.compile(r"\bgit (?:-C \S+ )?commit\b[^|;&\n]{0,400}? --(?:dry-run|help)\b")
#: How many files a commit changed, where nothing else in a command prints such a line.
STATISTICS = re.compile(r"^ \d+ files? changed, \d+ ", re.MULTILINE)
ASKS_STATISTICS = re.compile(r"--(?:short|num)?stat\b|\bgit (?:-C \S+ )?(?:pull|merge|show|stash|cherry-pick|revert)\b")
#: The first line of a commit's message, after ``-m`` or in a here-document.
SUBJECT = re.compile(
    r"\bgit (?:-C \S+ )?commit\b[^\n]*?(?:<<-?\s*['\"]?(?P<tag>\w+)['\"]?[^\n]*\n|-[a-z]*m[ =]?(?P<quote>['\"]))"
    r"\s*(?P<subject>[^\n'\"]{3,200})"
)
REBASED = re.compile(r"^(?:.*\r)?Successfully rebased and updated (?:refs/heads/(\S{1,200}?)\.?$)?", re.MULTILINE)
COMPLAINS = re.compile(
    r"(?i)\b(?:error|fatal|failed|rejected|nothing (?:added )?to commit|no changes added|exit code [1-9])"
)
AMENDS = re.compile(r"\bgit (?:-C \S+ )?commit\b.{0,400}? --amend\b", re.DOTALL)
RESETS = re.compile(r"\bgit (?:-C \S+ )?reset\b[^|;&]{0,80}? HEAD(?:~(\d{0,2})|\^)(?!\S)")
ASKS_STATUS = re.compile(r"\bgit (?:-C \S+ )?status\b")
STATUS_CLEAN = re.compile(r"^nothing to commit", re.MULTILINE)
STATUS_CHANGED = re.compile(r"^\t(?:modified|new file|deleted|renamed|both modified): +(\S.{0,300})$", re.MULTILINE)
ASKS_SHORT = re.compile(r"\bstatus (?:\S+ )*(?:-s|-sb|--short|--porcelain)\b")
ASKS_SHORT_ALONE = re.compile(r"(?:cd [^;&|\s]+ && )?git (?:-C \S+ )?status (?:-s|--short|--porcelain)")
SHORT_CHANGED = re.compile(r"^(?:[MADRCU][ MADRCU]|[ ][MADRCU]) (\S.{0,300})$", re.MULTILINE)
SHORT_UNTRACKED = re.compile(r"^\?\? (\S.{0,300})$", re.MULTILINE)
UNTRACKED_LIST = re.compile(r"^Untracked files:\n(?:[ \t]+\(.*\)\n)?((?:\t.+\n?)+)", re.MULTILINE)
STANDING = re.compile(
    r"^Your branch (?:is (?:ahead|behind)|and '[^'\n]+' have diverged)[^\n]{0,160}(?:\nand have [^\n]{0,80})?",
    re.MULTILINE,
)
ADDS = re.compile(r"\bgit (?:-C \S+ )?add ([^|;&\n]+)")
#: What takes in more than it names, or changes what is listed in another way.
TAKES_ALL = re.compile(
    r"\bgit (?:-C \S+ )?(?:commit\b[^|;&\n]*? (?:-[a-z]*a|--all\b)|(?:stash|reset|restore|checkout|clean|rebase|merge"
    r"|pull|rm|mv)\b)"
)
#: A repository made for a trial says nothing of the one that is worked on. One that is begun where the work is done is
#: no trial: nothing leads elsewhere before it, and no folder is named for it.
TRIAL = re.compile(
    r"\bgit clone\b|\bgit init\b[^&|;\n]* --bare\b|\b(?:cd|pushd|git -C) [^\n]*\bgit init\b"
    r"|\bgit init\b(?: -q| --quiet| -b \S+| --initial-branch[= ]\S+)* (?![-&|;#.<>]|\d?>)\S"
    r"|\b(?:cd|git -C) \"?(?:\$\(mktemp|/tmp\b|/private/tmp\b|/var/folders\b)"
)
#: A look at the repository that a person took and put into their words.
PASTED_STATUS = re.compile(
    r"^(?:\W{0,4}git status\b|On branch \S+$|Changes (?:not staged for commit|to be committed):|nothing to commit, )",
    re.MULTILINE,
)
LOOKS_AT_PULL = re.compile(
    r"\b(?:gh|glab) (?:pr|mr) \w+ #?(\d{1,7})\b|(?:\brepos/([\w.-]+/[\w.-]+))?/pulls/(\d{1,7})\b"
)
#: The repository that a command of a forge is given.
NAMES_REPOSITORY = re.compile(r"(?:--repo|-R)[ =]['\"]?(?:https://[\w.-]+/)?([\w.-]+/[\w.-]+)")
#: A look at what CI says of a run, or of a pull request; the logs of a run do not tell how it ended.
LOOKS_AT_CI = re.compile(r"\bgh (?:run (?:watch|view)(?: (\d{1,14}))?|pr checks(?: #?(\d{1,7}))?)(?![^|;&\n]* --log)")
RUN_ENDED = re.compile(
    r"^(?:[✓X] )?Run \S.* completed with '(\w+)'|^([✓X*]) \S.* · \d+$|^\{\"conclusion\":\"(\w+)\"", re.MULTILINE
)
CI_JOB = re.compile(r"^(\S[^\t\n]*)\t(pass|fail|pending|skipping|cancel)\t", re.MULTILINE)
OPENS = re.compile(r"\b(?:gh|glab|hub) (?:pr|issue|mr|release) create\b")
LINK = re.compile(r"https://[\w.-]+/[\w./-]{1,200}?/(?:pull|issues|merge_requests|releases)/[\w/.-]{1,80}")
#: What git and forges say where an act failed, where it was done, and where files were put back.
ACT_FAILED = re.compile(r"(?im)^(?:error|fatal): |^ ! \[|\brejected\b|hook .*failed")
ACT_DONE = re.compile(
    r"(?m)^\[[\w./#+ -]{1,200} [0-9a-f]{7,40}\] |^\s*[*+-]?\s*(?:\[new \w+\]|[0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40}) "
    r"|^Already up to date|^Everything up-to-date|^Successfully rebased|^Fast-forward|^Merge made by|^https://\S+$"
)
RESTORED = re.compile(r"(?m)^(?:Saved working directory|Updated \d+ paths? from|HEAD is now at )")


def confirmed_commits(text: str) -> list[tuple[str, str, str]]:
    """Returns the commits that git says it made, by branch, hash and subject."""
    detached = [("", hash, subject) for hash, subject in COMMITTED_DETACHED.findall(text)]
    return [*COMMITTED.findall(text), *detached]


def logs_head(command: str) -> bool:
    """Returns True for a command line that ends with a log of where the work stands."""
    asked = ASKS_LOG.search(command.strip())
    return asked is not None and not asked[2] and asked.end() == len(command.strip())
