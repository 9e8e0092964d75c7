"""What is known of a repository, as values: the branch, commits, pushes, the last status, log and look at CI."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit that git confirmed, the message in which it did, and the branch that it was made on, as far as git says;
    it may not be the present one. ``place`` is the folder of another checkout than the client's, by its name."""

    hash: str
    subject: str
    at: int
    branch: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Push:
    """The last push to a branch of a remote, its message, and the branch here that was pushed, in which place."""

    remote: str
    at: int
    branch: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class GitStatus:
    """What git listed as changed and as untracked, and the message in which it did. It ``is_over`` where something was
    done to files or commits after it, or another look was taken."""

    changed: tuple[str, ...]
    untracked: tuple[str, ...]
    at: int
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class GitLog:
    """The newest log of the branch: its first commits by hash and subject, how many there are, where the branch left
    another one, if that was asked, and the message."""

    commits: tuple[tuple[str, str], ...]
    count: int
    base: str
    at: int


@dataclass(frozen=True, slots=True)
class CiLook:
    """The last look at CI that told how it ended: of what, and the jobs that failed."""

    passed: bool
    what: str
    failed: tuple[str, ...]
    at: int


@dataclass(slots=True, kw_only=True)
class RepositoryFacts:
    """What is known of the repository, each with its message: the branch, commits that git confirmed, the newest one
    that a log showed, what was pushed and opened, the last status, which paths were ``added`` since (None where more
    may have been), how the branch stands to another, the pull request that was looked at last, and the messages of a
    commit that was made without a word, or is known under no id any more, of a rebase, and of a status that found
    nothing to commit. ``home`` is the client's folder, ``client_branch`` the branch that it named last, and ``ci_run``
    the newest run of CI that was looked at.

    The replay brings it up to date in place; all others only read it."""

    branch: tuple[str, int] = ("", 0)
    commits: tuple[Commit, ...] = ()
    head: Commit | None = None
    pushes: tuple[Push, ...] = ()
    opened: tuple[tuple[str, int], ...] = ()
    status: GitStatus | None = None
    added: tuple[str, ...] | None = ()
    log: GitLog | None = None
    standing: tuple[str, int] = ("", 0)
    pull_request: tuple[str, int] = ("", 0)
    ci: CiLook | None = None
    quiet_commit: int = 0
    rebased: int = 0
    clean: int = 0
    home: str = field(default="", compare=False)
    client_branch: str = field(default="", compare=False)
    ci_run: int = field(default=0, compare=False)

    @property
    def committed_at(self) -> int:
        """The message of the last commit that was seen to be made; 0 if there is none."""
        return max((self.quiet_commit, *(commit.at for commit in self.commits)))

    @property
    def unpushed_branches(self) -> tuple[str, ...]:
        """The branches on which a commit was made that no push was seen after; "" for one that is not known."""
        made = {commit.branch: commit.at for commit in self.commits}
        made[""] = max(made.get("", 0), self.quiet_commit)
        return tuple(branch for branch, made_at in made.items() if made_at > self._pushed_at(branch))

    @property
    def left_out(self) -> dict[str, list[str]]:
        """The files that git listed as changed and as untracked, and that no commit since has taken in; none while the
        status itself tells it, or where more may have been taken in than was named."""
        status, added = self.status, self.added
        if status is None or added is None or status.at >= self.committed_at or self.rebased > status.at:
            return {}
        listed = {"changed": status.changed, "untracked": status.untracked}
        return {label: [name for name in names if not _is_in(name, added)] for label, names in listed.items()}

    def _pushed_at(self, branch: str) -> int:
        named = (push.at for push in self.pushes if not branch or branch in {push.remote, push.branch})
        return max(named, default=0)

    @property
    def settled_at(self) -> int:
        """The message up to which edits are in commits, as far as was seen: a rebase makes no commit of its own, and
        takes the edits that solve its conflicts into those that it moves; where nothing is to commit, all is in them.
        0 if there is none."""
        return max(self.committed_at, self.rebased, self.clean)


def _is_in(name: str, added: Iterable[str]) -> bool:
    name = name.rstrip("/")
    return any(name == path or name.startswith(f"{path}/") or path.startswith(f"{name}/") for path in added)
