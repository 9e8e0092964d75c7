"""Tool outputs: tokens saved of each kind, beside the strings that stay visible of those the agent went on to use.

A string counts as used when it is new with the output (not in the call that asked for it) and the agent writes
it in one of its next 40 messages. In the unit stand the plain ways, for the same outputs: as many characters from
both ends, and masking, which shows nothing. Of outputs that stand alone nobody knows what was used.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import clew
from bench.data import folder, transcripts
from bench.results import Figure
from clew.config import CurationConfig
from clew.curation.curator import When, curate
from clew.curation.kinds import kind_of
from clew.domain import Call, Message, Role, texts
from clew.tokens.encodings import count

_NEXT_MESSAGES = 40
#: Outputs looked at in each session, spread evenly, so that the longest sessions do not decide alone.
_OUTPUTS_A_SESSION = 60
_MIN_OUTPUTS = 5
_TOTAL = "all kinds"
#: Names of files, identifiers that are distinct by their form, numbers and hashes.
_STRING = re.compile(r"[\w-]+\.[A-Za-z]\w{0,4}\b|\w*[a-z][A-Z]\w+|\w+_\w+|\b[0-9a-f]{7,40}\b|\b\d{3,6}\b")
_LONGEST_LINE = 4_000


Case = tuple[Call | None, str, frozenset[str]]


@dataclass(slots=True)
class _Sum:
    outputs: int = 0
    shortened: int = 0
    whole: int = 0
    kept: int = 0
    used: int = 0
    seen: int = 0
    edges: int = 0
    unmasked: int = 0
    left_whole: int = 0


def run() -> list[Figure]:
    figures: list[Figure] = []
    sets = {"": list(_cases()), " (alone)": list(_stored())}
    whens: tuple[When, ...] = ("recorded", "epoch")
    for when in whens:
        for name, cases in sets.items():
            sums = _sums(cases, when)
            for kind in [_TOTAL, *sorted(sums.keys() - {_TOTAL})]:
                figures += _figures(f"curation {when}{name}", kind, sums[kind])
    return figures


def _figures(group: str, kind: str, one: _Sum) -> Iterator[Figure]:
    if one.outputs < _MIN_OUTPUTS:
        return
    saved, masked = 1 - one.kept / one.whole, 1 - one.left_whole / one.whole
    yield Figure(group, f"{kind}: saved", saved, f"{one.shortened:,}/{one.outputs:,} cut; masked {masked:.2f}")
    if one.used:
        plain = f"ends {one.edges / one.used:.2f}, masked {one.unmasked / one.used:.2f}"
        yield Figure(group, f"{kind}: visible", one.seen / one.used, f"of {one.used:,}; {plain}")


def _sums(cases: Sequence[Case], when: When) -> dict[str, _Sum]:
    config = CurationConfig()
    sums: dict[str, _Sum] = defaultdict(_Sum)
    for call, text, used in cases:
        done = curate(text, call, config, when=when)
        shown = done.text if done else text
        edges = text if done is None else text[: len(shown) // 2] + "\n" + text[-(len(shown) // 2) :]
        whole, kept = count(text), count(shown)
        for name in (str(kind_of(call, text)), _TOTAL):
            one = sums[name]
            one.outputs, one.shortened = one.outputs + 1, one.shortened + (done is not None)
            one.whole, one.kept = one.whole + whole, one.kept + kept
            one.used += len(used)
            one.seen += sum(string in shown for string in used)
            one.edges += sum(string in edges for string in used)
            if done is None:
                one.unmasked, one.left_whole = one.unmasked + len(used), one.left_whole + whole
    return sums


def _cases() -> Iterator[Case]:
    """Outputs with their call and the strings that were used later."""
    least = CurationConfig().min_chars
    for path in transcripts():
        with clew.open(":memory:") as engine:
            for report in engine.import_file(path, project=False):
                messages = engine.find(report.session).messages()
                found = [one for one in _outputs(messages) if len(one[2]) >= least]
                for at, call, text in found[:: len(found) // _OUTPUTS_A_SESSION + 1]:
                    yield call, text, _used(text, call, messages[at + 1 : at + 1 + _NEXT_MESSAGES])


def _stored() -> Iterator[Case]:
    """Outputs that stand alone; what became of them is not known."""
    home = folder("tool_outputs")
    for line in (home / "tool_outputs.jsonl").read_text().splitlines() if home else ():
        row: dict[str, Any] = json.loads(line)
        yield Call(id="", name=row["tool"], arguments=_decoded(row["args"])), row["output"], frozenset()


def _decoded(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def _outputs(messages: Sequence[Message]) -> Iterator[tuple[int, Call | None, str]]:
    calls: dict[str, Call] = {}
    for at, message in enumerate(messages):
        calls |= {call.id: call for call in message.calls}
        for output in message.outputs:
            yield at, calls.get(output.call_id), output.text


def _used(text: str, call: Call | None, following: Sequence[Message]) -> frozenset[str]:
    asked = str(call.arguments) if call else ""
    said = "\n".join(_said(message) for message in following if message.role is Role.ASSISTANT)
    return frozenset(one for one in _strings(text) if one not in asked) & frozenset(_strings(said))


def _said(message: Message) -> str:
    return "\n".join([*texts(message.parts), *(str(call.arguments) for call in message.calls)])


def _strings(text: str) -> set[str]:
    return {found for line in text.split("\n") for found in _STRING.findall(line[:_LONGEST_LINE]) if len(found) > 3}
