"""Judges the claims of a pack by the state reckoned from the raw file, and what a pack should have shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from bench.claims.lines import Claim, claims_of, matches, without_breaks
from bench.claims.reckoning import FileState, State, told_in
from bench.claims.records import Deed, Event, plain
from bench.claims.runs import Ending, Fix, Run, fix_of, only_passes
from bench.claims.shell import programs


class Verdict(StrEnum):
    """What the records say of a claim."""

    TRUE = "true"
    FALSE = "false"
    UNKNOWN = "cannot tell"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A claim, what the records say of it, and the evidence in words."""

    claim: Claim
    verdict: Verdict
    evidence: str


_CI = re.compile(r"\bgh (?:run (?:watch|view)|pr checks)\b")
_CI_RUN = re.compile(r"\bgh run \w+ (\d+)")
_PULL_REQUEST = re.compile(r"\b(?:gh|glab) (?:pr|mr) \w+ #?(\d+)\b|/pulls/(\d+)\b")
_REMOVES = {"rm", "unlink", "git rm", "mv", "git mv", "rmdir"}
_Answer = tuple[Verdict, str]


class Judge:
    """Judges packs of one session at one cut. ``sources`` are the messages by id, as a reader would fetch them."""

    def __init__(self, state: State, sources: Mapping[str, str]) -> None:
        self.state = state
        self._sources = {id: plain(text) for id, text in sources.items()}
        self._by_kind: dict[str, Callable[[Claim], _Answer]] = {
            "to-do": self._todo,
            "to-dos done": self._todos_done,
            "failed": self._failed,
            "failed as a whole": self._failed_whole,
            "passed": self._passed,
            "edited since": self._edited_since,
            "running": self._running,
            "branch": self._branch,
            "commit": self._commit,
            "made on": self._made_on,
            "head": self._head,
            "no commit": self._no_commit,
            "not committed": self._not_committed,
            "pushed": self._pushed,
            "commits pushed": self._commits_pushed,
            "no push": self._no_push,
            "opened": self._opened,
            "status": self._status,
            "pull request": self._pull_request,
            "ci": self._ci,
            "file": self._file,
        }

    def judge_pack(self, pack: str) -> list[Judgement]:
        """Every claim of a pack with its verdict."""
        return [self.judge(claim) for claim in claims_of(pack)]

    def judge(self, claim: Claim) -> Judgement:
        """One claim with its verdict."""
        asked = self._by_kind.get(claim.kind)
        verdict, evidence = asked(claim) if asked else (Verdict.UNKNOWN, "a line of no known form")
        return Judgement(claim, verdict, evidence)

    # ── to-dos ──

    def _todo(self, claim: Claim) -> _Answer:
        names = [(todo, {todo["text"], todo.get("also", todo["text"])}) for todo in self.state.todos]
        wanted = plain(claim.subject)
        same = [todo for todo, texts in names if wanted in {plain(text) for text in texts}]
        same = same or [todo for todo, texts in names if any(matches(claim.subject, text) for text in texts)]
        found = {todo["status"] for todo in same}
        if not found:
            return Verdict.FALSE, "no such to-do in the last list"
        if claim.value in found:
            return Verdict.TRUE, ""
        return Verdict.FALSE, f"its status is {', '.join(sorted(found))}"

    def _todos_done(self, claim: Claim) -> _Answer:
        left, count = self.state.open_todos(), len(self.state.todos)
        if left:
            return Verdict.FALSE, f"{len(left)} are open: {left[0]['text'][:80]}"
        return (Verdict.TRUE, "") if int(claim.subject) == count else (Verdict.FALSE, f"there are {count}")

    # ── runs ──

    def _runs(self, claim: Claim) -> list[Run]:
        """The runs that a printed command and message stand for, exact spellings before others."""
        found = [run for run in self.state.runs if matches(claim.subject, run.command)]
        found = [run for run in found if self._cites(claim.source, run.order)]
        exact = [run for run in found if _bare(run.command) == _bare(claim.subject)]
        return exact or found

    def _cites(self, source: str, order: int) -> bool:
        event = self.state.events[order]
        return isinstance(event, Deed) and told_in(event.text, self._sources.get(source, ""))

    def _failed(self, claim: Claim) -> _Answer:
        runs = self._runs(claim)
        if not runs:
            return Verdict.FALSE, "the message named holds no output of this command"
        run = max(runs, key=lambda one: (one.ending is Ending.FAILED and _quotes(claim.value, one.text), one.order))
        if run.ending is not Ending.FAILED:
            return _unless(run.ending, f"the run ended: {run.ending}; {_end(run)}")
        if not _quotes(claim.value, run.text) and not re.fullmatch(r"exit code \d+", claim.value):
            return Verdict.FALSE, f"its output says otherwise: {_end(run)}"
        if only_passes(claim.value):
            return Verdict.FALSE, "what it shows as the failure is a pass"
        if "not seen to pass since" not in claim.line:
            return Verdict.TRUE, ""
        later = [one for one in self.state.runs if one.order > run.order]
        fix, by = fix_of(run, later)
        if fix is Fix.SURE and by is not None:
            return Verdict.FALSE, f"passed since, line {self._line(by.order)}: {by.command[:160]}"
        return Verdict.TRUE, ""

    def _passed(self, claim: Claim) -> _Answer:
        runs = self._runs(claim)
        if not runs:
            return Verdict.FALSE, "the message named holds no output of this command"
        run = max(runs, key=lambda one: (one.ending is Ending.PASSED and _quotes(claim.value, one.text), one.order))
        if run.ending is not Ending.PASSED:
            return _unless(run.ending, f"the run ended: {run.ending}; {_end(run)}")
        if claim.value and not _quotes(claim.value, run.text):
            return Verdict.FALSE, f"its output says otherwise: {_end(run)}"
        again = [one for one in self.state.runs if one.order > run.order and _bare(one.command) == _bare(run.command)]
        if again and again[-1].ending is Ending.FAILED:
            return Verdict.FALSE, f"failed since, line {self._line(again[-1].order)}"
        return Verdict.TRUE, ""

    def _failed_whole(self, claim: Claim) -> _Answer:
        """A run that failed, and that was not run again with a good end, in the same words."""
        runs = [run for run in self.state.runs if run.ending is Ending.FAILED and matches(claim.subject, run.command)]
        runs = [run for run in runs if self._cites(claim.source, run.order)]
        if not runs:
            return Verdict.FALSE, "the message named holds no failure of this command"
        again = [
            one for one in self.state.runs if one.order > runs[-1].order and _bare(one.command) == _bare(claim.subject)
        ]
        passed = [one for one in again if one.ending is Ending.PASSED]
        return (Verdict.FALSE, f"passed since, line {self._line(passed[-1].order)}") if passed else (Verdict.TRUE, "")

    def _edited_since(self, claim: Claim) -> _Answer:
        ran = max((run.order for run in self._runs(claim)), default=-1)
        changed = [order for one in self.state.files.values() for order in (*one.edits, *one.maybe)]
        return (Verdict.TRUE, "") if max(changed, default=-1) > ran else (Verdict.FALSE, "nothing was edited since")

    def _running(self, claim: Claim) -> _Answer:
        started = self.state.started.get(claim.value)
        if started is None:
            return Verdict.FALSE, "nothing was started under this id"
        if not matches(claim.subject, started[1]) or not self._cites(claim.source, started[0]):
            return Verdict.FALSE, f"another command has this id: {started[1][:120]}"
        if claim.value in self.state.ended:
            return Verdict.FALSE, f"ended, line {self._line(self.state.ended[claim.value])}"
        return Verdict.TRUE, ""

    # ── repository ──

    def _branch(self, claim: Claim) -> _Answer:
        told = self.state.branches
        if not told:
            return Verdict.FALSE, "nothing names a branch"
        order, name = told[-1]
        if name == claim.subject:
            return Verdict.TRUE, ""
        return Verdict.FALSE, f"last told at line {self._line(order)}: {name}"

    def _commit(self, claim: Claim) -> _Answer:
        for order, hash, subject in self.state.commits:
            if hash.startswith(claim.subject) and matches(claim.value, subject):
                if hash in self.state.replaced:
                    return Verdict.FALSE, "it was amended or reset away"
                cited = self._cites(claim.source, order)
                return (Verdict.TRUE, "") if cited else (Verdict.FALSE, "the message named does not confirm it")
        return Verdict.FALSE, "git confirmed no such commit"

    def _made_on(self, claim: Claim) -> _Answer:
        """A commit on the branch that is named; where none is, on the present one, or nobody knows on which."""
        made = self.state.made_on.get(claim.subject, "")
        here = self.state.branches[-1][1] if self.state.branches else ""
        if made == claim.value or (not claim.value and made in {"", here}):
            return Verdict.TRUE, ""
        return Verdict.FALSE, f"made on {made or 'a branch that nobody names'}"

    def _head(self, claim: Claim) -> _Answer:
        heads = self.state.heads
        if not heads:
            return Verdict.FALSE, "nothing tells where HEAD is"
        order, hash, subject = heads[-1]
        if order < self.state.last_commit():
            return Verdict.FALSE, "a commit was made since"
        same = (hash.startswith(claim.subject) or claim.subject.startswith(hash)) and matches(claim.value, subject)
        return (Verdict.TRUE, "") if same else (Verdict.FALSE, f"line {self._line(order)}: {hash} {subject[:80]}")

    def _no_commit(self, _claim: Claim) -> _Answer:
        last = self.state.last_commit()
        return (Verdict.FALSE, f"committed, line {self._line(last)}") if last >= 0 else (Verdict.TRUE, "")

    def _not_committed(self, claim: Claim) -> _Answer:
        orders = [order for one in self.state.file(claim.subject) for order in (*one.edits, *one.maybe)]
        if not orders:
            return Verdict.FALSE, "no change of this file"
        last = self.state.last_commit()
        if max(orders) > last:
            return Verdict.TRUE, ""
        return Verdict.FALSE, f"committed since, line {self._line(last)}"

    def _pushed(self, claim: Claim) -> _Answer:
        told = [order for order, remote, _ in self.state.pushes if remote == claim.subject]
        cited = any(self._cites(claim.source, order) for order in told)
        return (Verdict.TRUE, "") if cited else (Verdict.FALSE, "the message named tells of no such push")

    def _commits_pushed(self, claim: Claim) -> _Answer:
        behind = self.state.behind()
        here = {"", self.state.branches[-1][1]} if self.state.branches else {""}
        named = {claim.value} if claim.value else here
        if bool(behind & named if claim.subject == "no" else behind) == (claim.subject == "no"):
            return Verdict.TRUE, ""
        return Verdict.FALSE, f"not pushed since: {', '.join(sorted(behind)) or 'nothing'}"

    def _no_push(self, _claim: Claim) -> _Answer:
        if not self.state.pushes:
            return Verdict.TRUE, ""
        return Verdict.FALSE, f"pushed, line {self._line(self.state.pushes[-1][0])}"

    def _opened(self, claim: Claim) -> _Answer:
        cited = any(link == claim.subject and self._cites(claim.source, order) for order, link in self.state.links)
        return (Verdict.TRUE, "") if cited else (Verdict.FALSE, "the message named tells of no such link")

    def _status(self, claim: Claim) -> _Answer:
        """A status that git printed in the message named, with no commit since: every name is one that it listed."""
        runs = [run for run in self.state.runs if any(one.name == "git status" for one in run.programs)]
        cited = [run for run in runs if self._cites(claim.source, run.order)]
        if not cited:
            return Verdict.FALSE, "the message named holds no status"
        if cited[-1].order < self.state.last_commit():
            return Verdict.FALSE, "a commit was made since"
        if claim.subject == "clean":
            clean = any(re.search(r"nothing to commit|working tree clean", run.text) for run in cited)
            return (Verdict.TRUE, "") if clean else (Verdict.FALSE, "git listed changes")
        names = re.split(r", | and \d+ more|; ", re.sub(r"\b(?:changed|untracked) ", "", claim.subject))
        missing = [name for name in names if name and not any(name in run.text for run in cited)]
        return (Verdict.FALSE, f"git did not list {missing[0]}") if missing else (Verdict.TRUE, "")

    def _pull_request(self, claim: Claim) -> _Answer:
        asked = [run.command for run in self.state.runs if run.ending is not Ending.NOT_RUN]
        found = [numbers for command in asked for numbers in _PULL_REQUEST.findall(command)[:1]]
        if not found or claim.subject not in found[-1]:
            return Verdict.FALSE, f"looked at last: {found[-1] if found else 'none'}"
        return Verdict.TRUE, ""

    def _ci(self, claim: Claim) -> _Answer:
        """The last look at CI stands in the message named, and says what is claimed; an older run than one that was
        looked at is only compared with it."""
        looks = [run for run in self.state.runs if _CI.search(run.command) and "--log" not in run.command]
        numbers = {run.order: max(map(int, _CI_RUN.findall(run.command)), default=0) for run in looks}
        newest = max(numbers.values(), default=0)
        looks = [run for run in looks if not 0 < numbers[run.order] < newest]
        if not looks or not self._cites(claim.source, looks[-1].order):
            return Verdict.FALSE, "the message named holds no last look at CI"
        is_red = re.search(r"\t(?:fail|cancel)\t|(?m:^X )|'failure'|\"failure\"", looks[-1].text) is not None
        if is_red == (claim.value == "failed"):
            return Verdict.TRUE, ""
        return Verdict.FALSE, _end(looks[-1])

    # ── files ──

    def _file(self, claim: Claim) -> _Answer:
        """A short path may stand for several files; the claim holds if it holds of one, or of all together."""
        found = self.state.file(claim.subject)
        answers = [self._file_answer(claim, one) for one in [found, *([one] for one in found)]]
        return next((answer for answer in answers if answer[0] is Verdict.TRUE), answers[0])

    def _file_answer(self, claim: Claim, found: list[FileState]) -> _Answer:
        deed, _, count = claim.value.partition(" ")
        edits = [order for one in found for order in one.edits]
        maybe = [order for one in found for order in one.maybe]
        if not edits and not maybe:
            return Verdict.FALSE, "no change of this file"
        if deed == "deleted":
            gone = [order for order in maybe if _deletes(self.state.events[order], claim.subject)]
            gone += [one.gone for one in found if one.gone >= 0]
            gone += [order for order in edits if "Delete File" in str(getattr(self.state.events[order], "given", ""))]
            return (
                (Verdict.TRUE, "") if gone and max(gone) >= max(edits, default=-1) else (Verdict.FALSE, "still there")
            )
        if not any(one.is_there for one in found):
            return Verdict.FALSE, f"moved or removed, line {self._line(max(one.gone for one in found))}"
        if count and not len(edits) <= int(count) <= len(edits) + 2 * len(maybe):
            return Verdict.FALSE, f"changed {len(edits)} times by tools, perhaps {len(maybe)} times by commands"
        if deed == "created" and not maybe and not any(one.created for one in found):
            return Verdict.FALSE, "it was there before"
        if deed == "edited" and not maybe and all(one.created for one in found):
            return Verdict.FALSE, "it was created here"
        return Verdict.TRUE, ""

    def source_of(self, order: int) -> str:
        """The message that holds what came back from a deed; empty if none does."""
        return next((id for id in self._sources if self._cites(id, order)), "")

    def _line(self, order: int) -> int:
        return self.state.events[order].line

    # ── what should be shown ──

    def open_items(self) -> list[OpenItem]:
        """To-dos and failures that are open at the cut."""
        found = [
            OpenItem("to-do", todo["text"], texts=frozenset({plain(todo["text"]), plain(todo.get("also", ""))}))
            for todo in self.state.open_todos()
        ]
        return found + [
            OpenItem("failure", run.command, run=run) for run, fix, _ in self.state.failures() if fix is Fix.NO
        ]


@dataclass(frozen=True, slots=True)
class OpenItem:
    """A to-do or a failure that is open, which a pack should show."""

    kind: str
    what: str
    texts: frozenset[str] = frozenset()
    run: Run | None = None

    def is_shown(self, pack: str) -> bool:
        """Whether a pack shows it as open."""
        return _shows_failure(pack, self.run) if self.run else _shows_todo(pack, self.texts)


def _unless(ending: Ending, evidence: str) -> _Answer:
    return (Verdict.UNKNOWN if ending is Ending.UNCLEAR else Verdict.FALSE), evidence


def _quotes(shown: str, text: str) -> bool:
    """Whether every piece of a shown result stands in an output."""
    whole, shown = plain(text), re.sub(r" \(the last of \d+ such lines\)", "", shown)
    pieces = re.split(r"\s*(?:\[…\]|…| \| )\s*", plain(shown))
    return all(piece.removeprefix("| ").strip(" .=") in whole for piece in pieces)


def _bare(command: str) -> str:
    """A command without the change of folder before it and the filters after it."""
    text = re.sub(r"^cd \S+ (?:&& )?", "", without_breaks(command))
    return re.sub(r"(?: 2>&1| 2>/dev/null| \| ?(?:head|tail|grep|tee|cat|sed|awk)\b[^|]*)+$", "", text)


def _end(run: Run) -> str:
    return plain(run.text)[-160:]


def _deletes(event: Event, path: str) -> bool:
    """Whether a command takes a file away: its name, or a folder of it, stands among the words of a removal."""
    removing = [one for one in programs(event.command) if one.name in _REMOVES] if isinstance(event, Deed) else []
    words = [word.rstrip("/").removeprefix("./") for one in removing for word in one.words[1:] if len(word) > 2]
    return any(path.endswith(word.lstrip("~")) or word.endswith(path) or f"{word}/" in f"{path}/" for word in words)


def _shows_todo(pack: str, texts: frozenset[str]) -> bool:
    return any(
        claim.kind == "to-do" and claim.value != "done" and plain(claim.subject) in texts for claim in claims_of(pack)
    )


def _shows_failure(pack: str, run: Run) -> bool:
    """A state line names its command and quotes it, or a line of its report stands in the pack."""
    for claim in claims_of(pack):
        if claim.kind == "failed" and matches(claim.subject, run.command) and _quotes(claim.value, run.text):
            return True
    telling = [plain(line) for line in run.text.split("\n") if re.search(r"(?i)fail|error|:\d+:", line)]
    whole = plain(pack)
    return any(line[:120] in whole for line in telling[:40] if len(line) > 20)
