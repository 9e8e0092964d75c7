"""Builds the patch of a summary: the lines that a reader needs most and the summary does not tell, within a budget."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clew.domain import Message, Role
from clew.history.work_map.view import WorkMap
from clew.ports import TokenCounter
from clew.summary_patch.contested_replies import contested_replies
from clew.summary_patch.corrections import corrections
from clew.summary_patch.created_records import created_records
from clew.summary_patch.failure_losses import failure_losses, failure_reports
from clew.summary_patch.focus import Focus, focus_texts
from clew.summary_patch.last_steps import last_steps
from clew.summary_patch.later_edits import LaterEdits
from clew.summary_patch.patch_lines import PatchLine, PatchSection
from clew.summary_patch.repository_looks import read_repository_looks, repository_losses
from clew.summary_patch.said_losses import said_losses
from clew.summary_patch.state_losses import state_losses
from clew.summary_patch.summary_text import SummaryText
from clew.summary_patch.work_losses import work_losses
from clew.units.gather import gather_units

#: The share of a summary's tokens that a patch may take where nobody says how many.
DEFAULT_SHARE = 0.15
#: Shares of a patch that a section may take before the others have had theirs.
_SHARES = {
    PatchSection.CORRECTION: 0.6,
    PatchSection.STATE: 0.5,
    PatchSection.SAID: 0.4,
    PatchSection.WORK: 0.5,
    PatchSection.LAST: 0.35,
}
#: A line of less value is not worth its place.
_LEAST_VALUE = 0.002
#: A line is told by now if what was chosen before it leaves less of it.
_STILL_MISSING = 0.45
_HEADINGS = {
    PatchSection.CORRECTION: "Corrections:",
    PatchSection.STATE: "State in the records:",
    PatchSection.SAID: "Said by people:",
    PatchSection.WORK: "Found, decided and done:",
    PatchSection.LAST: "Last steps:",
}
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MESSAGE = re.compile(r"\bm\d{1,7}\b")


@dataclass(frozen=True, slots=True)
class SummaryPatch:
    """What a summary lost and the work needs: the text to put below it, its tokens, and the ids it was drawn from."""

    text: str
    tokens: int
    items: tuple[str, ...]


def build_patch(
    messages: Sequence[Message], work: WorkMap, summary: str, *, session: str, budget: int, count: TokenCounter
) -> SummaryPatch:
    """Returns the patch of a summary of these messages; an empty one where nothing is lost or nothing fits."""
    gathered = gather_units(messages, root=work.root)
    held = SummaryText(summary, [unit.text for unit in gathered.units])
    newest = max((message.number for message in messages), default=0)
    request = max((_number(one.statement.source) for one in gathered.said if one.statement.is_message), default=0)
    words = next((one.text for one in reversed(messages) if one.role is Role.ASSISTANT and one.text.strip()), "")
    focus = Focus(summary, held, focus_texts(work, gathered.said, words))
    looks = read_repository_looks(messages, home=work.root)
    corrected = list(corrections(messages, work, held))
    told = frozenset(line.number for line in corrected)
    found = [
        *corrected,
        *failure_losses(work, held, reports=failure_reports(gathered.units), told=told),
        *state_losses(work, held, logged=looks.logged, told=told),
        *repository_losses(looks, work, held),
        *created_records(messages, held),
        *said_losses(gathered.said, held, newest=newest, root=work.root),
        *work_losses(
            gathered.units,
            held,
            focus,
            request=request,
            contested=contested_replies(messages),
            edits=LaterEdits(messages),
        ),
        *last_steps(messages, work, held, focus, request=request),
    ]
    name = session.partition("-")[0] if _UUID.fullmatch(session) else session  # a session's beginning names it as well
    about = f"Missing from the summary above, by the session's records (`clew show {name} m12` shows message m12):"
    chosen = _chosen(found, held, budget=budget - count(about) - 1, count=count)
    return _laid_out(about, chosen, budget, count)


def _number(source: str) -> int:
    return int(source[1:])


def _chosen(lines: Sequence[PatchLine], held: SummaryText, *, budget: int, count: TokenCounter) -> list[PatchLine]:
    """The lines of most value that fit; none says what one before it said."""
    used: dict[PatchSection, int] = {}
    chosen: list[PatchLine] = []
    waiting: list[PatchLine] = []
    left = budget
    ranked = sorted(lines, key=lambda line: (-line.value, -line.number, line.position))
    for is_second, pool in ((False, ranked), (True, waiting)):
        for line in pool:
            if line.value < _LEAST_VALUE or left < 12:
                break
            if line.is_compared and held.missing(line.content) < _STILL_MISSING:
                continue
            heading = 0 if line.section in used else count(_HEADINGS[line.section]) + 1
            price = count(_shown(line)) + 1 + heading
            if price > left:
                continue
            if not is_second and used.get(line.section, 0) + price > _SHARES[line.section] * budget:
                waiting.append(line)
                continue
            chosen.append(line)
            held.add(line.text)
            used[line.section] = used.get(line.section, 0) + price
            left -= price
    return chosen


def _laid_out(about: str, chosen: list[PatchLine], budget: int, count: TokenCounter) -> SummaryPatch:
    """The text within the budget: the line of least value gives way where sums of counts were too small."""
    while chosen:
        text = _text(about, chosen)
        tokens = count(text)
        if tokens <= budget:
            return SummaryPatch(text, tokens, tuple(dict.fromkeys(_MESSAGE.findall(text.partition("\n")[2]))))
        chosen = chosen[:-1]
    return SummaryPatch("", 0, ())


def _text(about: str, chosen: Sequence[PatchLine]) -> str:
    parts = [about]
    for section in PatchSection:
        lines = sorted((line for line in chosen if line.section is section), key=_place)
        if lines:
            parts += [_HEADINGS[section], *(_shown(line) for line in lines)]
    return "\n".join(parts)


def _shown(line: PatchLine) -> str:
    return "- " + line.text.replace("\n", "\n  ")


def _place(line: PatchLine) -> tuple[float, int, int]:
    """State by its value, all else as it came."""
    is_state = line.section <= PatchSection.STATE
    return (-line.value if is_state else 0.0, line.number, line.position)
