"""Rule files of a project and of its user (CLAUDE.md, AGENTS.md and the like), read only from where assistants look.

Reading never fails: a file that is no plain text, or leads out of its folder, is left out.
A change is shown first, and written only if nobody changed the file meanwhile.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

from clew.domain.critical import Candidate, Scope
from clew.errors import UsageError
from clew.signals.rule_files.extract import promote_item, rules_in
from clew.text.memo import remember

#: Files in the folders of a project, in the order in which they are read.
_OF_FOLDERS = (
    "AGENTS.md",
    "GEMINI.md",
    ".github/copilot-instructions.md",
    ".claude/CLAUDE.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
)
#: Files in the user's home.
_OF_USER = (".codex/AGENTS.md", ".gemini/GEMINI.md", ".claude/CLAUDE.md")
#: Where a rule is promoted to: the first of these that exists.
_PROMOTED_TO = ("CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md")
_NEW_FILE = "AGENTS.md"
#: A CLAUDE.md that says no more than this hands over to the other file.
_HANDS_OVER = "@AGENTS.md"
#: A larger file is a manual, not what anybody keeps in mind.
_MAX_BYTES = 200_000
#: Folders that are looked at from the working folder upwards; a deeper tree was not made by hand.
_MAX_FOLDERS = 40


@dataclass(frozen=True, slots=True)
class RuleFile:
    """One rule file: its name as shown to people, the hash of its text, and its rules."""

    path: str
    digest: str
    rules: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class ProjectRules:
    """The rule files that hold in a folder, from the most general to the most specific."""

    files: tuple[RuleFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Promotion:
    """A change that would write a rule into a file: its text before and after. Nothing is written yet."""

    path: Path
    before: str
    after: str

    @property
    def is_change(self) -> bool:
        """False when the file states the rule already."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class _Place:
    """A file that may be there; ``root`` is the folder it must not lead out of."""

    path: Path
    root: Path
    scope: Scope


def read_rules(cwd: str, home: Path | None) -> ProjectRules:
    """Returns the rules of all files at the known places, each file once, under the first name it is found by.

    The user's own come first, then those of the repository's root and of each folder down to the working one. Without a
    repository only the working folder counts. A folder that does not exist or is no absolute path has no rules.
    """
    folder = _folder(cwd)
    if folder is None:
        return ProjectRules()
    files: list[RuleFile] = []
    seen: set[Path] = set()
    for place in _places(cwd, home):
        real = _real(place)
        text = _text(real) if real and real not in seen else None
        if real is None or text is None:
            continue
        seen.add(real)
        files.append(_rule_file(_display_path(place.path, folder, home), text, place.scope))
    return ProjectRules(tuple(files))


def place_for_promotion(cwd: str) -> Path:
    """Returns the file that a rule of the project is written into, at the root of its repository.

    A CLAUDE.md comes first, because people read and edit it, unless it only refers to AGENTS.md. Where there is no rule
    file, AGENTS.md is created: it belongs to no single assistant, and most of them read or can import it. Raises
    UsageError for an unusable folder.
    """
    folder = _folder(cwd)
    if folder is None:
        raise UsageError(f"no folder {cwd!r}; name the project's folder in full")
    root = repository_root(folder)
    for name in _PROMOTED_TO:
        real = _real(_Place(root / name, root, Scope.PROJECT))
        if real and (text := _text(real)) is not None and text.strip() != _HANDS_OVER:
            return real
    return root / _NEW_FILE


def promote(path: Path, item_text: str) -> Promotion:
    """Returns the change that adds the item to the file's rules. Writes nothing.

    Raises UsageError for a file that leads out of its repository or cannot be read.
    """
    # A lone surrogate cannot be written; nobody typed it either.
    words = item_text.encode("utf-8", "replace").decode("utf-8")
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(repository_root(Path(os.path.realpath(path.parent)))):
        raise UsageError(f"{path} leads out of its repository to {real}; edit it by hand")
    before = _present(real)
    return Promotion(real, before, promote_item(before, words))


def write(promotion: Promotion) -> None:
    """Writes a promotion, all of it or nothing.
    Raises UsageError if the file has changed since, or cannot be written.
    """
    path = promotion.path
    if _present(path) != promotion.before:
        raise UsageError(f"{path} has changed since it was read; look at the new text and promote again")
    if not promotion.is_change:
        return
    beside = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        _write_anew(beside, promotion.after.encode("utf-8"), mode=_mode(path))
        os.replace(beside, path)  # noqa: PTH105
    except OSError as error:
        with suppress(OSError):
            beside.unlink()
        raise UsageError(f"{path} cannot be written: {error.strerror}; check your rights to its folder") from None


# ── places ───────────────────────────────────────────────────────────────────────────────────────────


def _places(cwd: str, home: Path | None) -> Iterator[_Place]:
    folder = _folder(cwd)
    if folder is None:
        return
    if home is not None and home.is_absolute():
        yield from (_Place(home / name, home, Scope.USER) for name in _OF_USER)
    root = repository_root(folder)
    above = [parent for parent in (folder, *folder.parents) if parent.is_relative_to(root)]
    for place in reversed(above):
        yield from (_Place(place / name, root, Scope.PROJECT) for name in _OF_FOLDERS)


def _folder(cwd: str) -> Path | None:
    if not cwd or not os.path.isabs(cwd):  # noqa: PTH117
        return None
    try:
        real = Path(cwd).resolve(strict=True)
        return real if real.is_dir() else None
    except (OSError, RuntimeError, ValueError):
        return None


def repository_root(folder: Path) -> Path:
    """Returns the root of the repository that a folder is in; the folder itself if it is in none."""
    above = (folder, *folder.parents)[:_MAX_FOLDERS]
    return next((parent for parent in above if os.path.lexists(parent / ".git")), folder)


def _real(place: _Place) -> Path | None:
    """Where a place leads to; None if nothing is there, or if it leads out of its root."""
    try:
        real = place.path.resolve(strict=True)
        return real if real.is_relative_to(place.root.resolve()) else None
    except (OSError, RuntimeError, ValueError):
        return None


def _display_path(path: Path, folder: Path, home: Path | None) -> str:
    if home is not None and path.is_relative_to(home) and not path.is_relative_to(folder):
        own = path.relative_to(home)
        if own.as_posix() in _OF_USER:
            return f"~/{own.as_posix()}"
    return Path(os.path.relpath(path, folder)).as_posix()


# ── files ────────────────────────────────────────────────────────────────────────────────────────────


def _rule_file(name: str, text: str, scope: Scope) -> RuleFile:
    rules = _rules(text, name)
    if scope is Scope.USER:
        rules = tuple(replace(rule, scope=Scope.USER) for rule in rules)
    digest = blake2b(text.encode("utf-8"), digest_size=16).hexdigest()
    return RuleFile(path=name, digest=f"blake2b:{digest}", rules=rules)


@remember(16)
def _rules(text: str, name: str) -> tuple[Candidate, ...]:
    return rules_in(text, name)


def _text(path: Path) -> str | None:
    """What a plain file of sane size says; None for anything else."""
    try:
        with open(path, "rb", opener=_open_no_other) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            content = file.read(_MAX_BYTES + 1)
            return content.decode("utf-8") if len(content) <= _MAX_BYTES else None
    except (OSError, ValueError):
        return None


def _open_no_other(path: str, flags: int) -> int:
    """A pipe put in the file's place would wait for a writer, and a link would lead elsewhere."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))


def _present(path: Path) -> str:
    """What a file says now, empty if it is not there yet; one that cannot be read cannot be written either."""
    text = _text(path)
    if text is None and os.path.lexists(path):
        raise UsageError(
            f"{path} is no text file that can be read, or is larger than {_MAX_BYTES} bytes; edit it by hand"
        )
    return text or ""


def _mode(path: Path) -> int | None:
    """The rights of a file that is there."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return None


def _write_anew(path: Path, content: bytes, *, mode: int | None) -> None:
    with suppress(FileNotFoundError):
        path.unlink()
    with path.open("xb") as file:
        if mode is not None:
            path.chmod(mode)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
