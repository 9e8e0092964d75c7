"""Export of a session: as a provider's request, as a client's session file, or as Clew's own lossless lines."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from clew.assistants.session_file import session_file
from clew.cli.file_output import write_file
from clew.cli.output import note, print_json
from clew.codecs import jsonio, registry
from clew.codecs.clew_format import write_entry, write_header
from clew.domain import Loss
from clew.engine.session import Session
from clew.rules import RULES
from clew.text.plurals import pluralise
from clew.text.secrets import MASKED, mask_strings

#: Repairs that a provider's rules ask for go by these; all others mend the history, whoever it is sent to.
_RULE_IDS = frozenset(rule.id for rule in RULES)


def export_session(session: Session, to: str, out: Path | None, *, unmasked: bool, as_json: bool) -> None:
    """Writes a session in the format ``to``, to a file or to stdout; repairs and losses are reported on stderr.

    Secrets are masked unless ``unmasked`` is set. Raises StorageError if the file cannot be written.
    """
    masker = Masker(is_on=not unmasked)
    report: dict[str, Any] = {"session": session.id, "format": to}
    if to == "clew":
        report |= _export_lines(session, out, masker, as_json=as_json)
    elif registry.is_session_file(to):
        report |= _export_session_file(session, to, out, masker, as_json=as_json)
    else:
        report |= _export_request(session, to, out, masker, as_json=as_json)
    report |= {"masked": masker.count}
    if as_json:
        # What the masker left as it is was asked for, and JSON must say what the file would.
        print_json(report, unmasked=unmasked)
    else:
        _say(report, out)


class Masker:
    """Masks secrets in JSON values and counts them; switched off, it changes nothing."""

    def __init__(self, *, is_on: bool) -> None:
        self.is_on, self.count = is_on, 0

    def __call__(self, value: Any) -> Any:
        """Returns the value with secrets masked."""
        if not self.is_on:
            return value
        after = mask_strings(value)
        if after != value:
            self.count += jsonio.dumps(after).count(MASKED) - jsonio.dumps(value).count(MASKED)
        return after


def _export_lines(session: Session, out: Path | None, masker: Masker, *, as_json: bool) -> dict[str, Any]:
    lines = _lines(session, masker)
    if as_json and not out:
        return {"lines": [jsonio.loads(line) for line in lines]}
    written = _write(lines, out)
    return {"out": str(out), "bytes": written}


def _export_request(session: Session, to: str, out: Path | None, masker: Masker, *, as_json: bool) -> dict[str, Any]:
    registry.encoder(to)
    request, repairs = session.reader.request(to)
    body = masker(request.body)
    report: dict[str, Any] = {
        "repairs": [asdict(repair) for repair in repairs],
        "losses": [asdict(loss) for loss in request.losses],
    }
    if as_json and not out:
        return report | {"request": body}
    _write(iter([jsonio.dumps(body) + b"\n"]), out)
    return report | {"out": str(out)}


def _export_session_file(
    session: Session, to: str, out: Path | None, masker: Masker, *, as_json: bool
) -> dict[str, Any]:
    file = session_file(session, to, folder=working_folder(session))
    lines = [masker(line) for line in file.lines]
    report = {
        "id": file.id,
        "repairs": [asdict(repair) for repair in file.repairs],
        "losses": [asdict(loss) for loss in file.losses],
    }
    if as_json and not out:
        return report | {"lines": lines}
    written = _write((jsonio.dumps(line) + b"\n" for line in lines), out)
    return report | {"out": str(out), "bytes": written}


def working_folder(session: Session) -> Path:
    """The folder that a client goes on in: the session's own, or the present one where the session names none here."""
    cwd = session.info.cwd
    return Path(cwd) if cwd and Path(cwd).is_dir() else Path.cwd()


def _lines(session: Session, masker: Masker) -> Iterator[bytes]:
    yield write_header(session.info)
    for entry in session.reader.entries():
        line = write_entry(entry)
        yield jsonio.dumps(masker(jsonio.loads(line))) + b"\n" if masker.is_on else line


def _write(pieces: Iterator[bytes], out: Path | None) -> int:
    if out is not None:
        return write_file(out, pieces)
    total = sum(sys.stdout.buffer.write(piece) for piece in pieces)
    sys.stdout.buffer.flush()
    return total


def _say(report: dict[str, Any], out: Path | None) -> None:
    if out:
        note(f"wrote {out}")
    if report["masked"]:
        note(f"{pluralise(report['masked'], 'secret')} masked; --unmasked keeps what stood there")
    if repairs := report.get("repairs"):
        of_format = sum(repair["rule"] in _RULE_IDS for repair in repairs)
        counts = [pluralise(len(repairs) - of_format, "repair") + " of the history"] if len(repairs) > of_format else []
        counts += [f"{pluralise(of_format, 'repair')} for {report['format']}"] if of_format else []
        note(f"{', '.join(counts)}; --json lists them")
    note_losses([Loss(**loss) for loss in report.get("losses", [])])


def note_losses(losses: Sequence[Loss]) -> None:
    """Says on stderr what the target format cannot express."""
    if kinds := sorted({loss.what for loss in losses}):
        note(f"could not cross: {', '.join(kinds[:5])} ({len(losses)} in all; --json lists them)")
