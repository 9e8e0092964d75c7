"""Export of a session: as a provider's request, or as Clew's own lossless lines."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from clew.cli.output import note, print_json
from clew.codecs import jsonio, registry
from clew.codecs.clew_format import write_entry, write_header
from clew.engine.session import Session
from clew.errors import StorageError
from clew.text.secrets import mask_strings


def export_session(session: Session, to: str, out: Path | None, *, unmasked: bool, as_json: bool) -> None:
    """Writes a session in the format ``to``, to a file or to stdout; repairs and losses are reported on stderr.

    Secrets are masked unless ``unmasked`` is set. Raises StorageError if the file cannot be written.
    """
    if to == "clew":
        lines = _lines(session, unmasked=unmasked)
        if as_json and not out:
            print_json({"session": session.id, "format": to, "lines": [jsonio.loads(line) for line in lines]})
            return
        written = _write(lines, out)
        if as_json:
            print_json({"session": session.id, "format": to, "out": str(out), "bytes": written})
        return
    registry.encoder(to)
    request, repairs = session.request(to)
    body = request.body if unmasked else mask_strings(request.body)
    report = {
        "session": session.id,
        "format": to,
        "repairs": [asdict(repair) for repair in repairs],
        "losses": [asdict(loss) for loss in request.losses],
    }
    if out:
        _write(iter([jsonio.dumps(body) + b"\n"]), out)
    elif not as_json:
        _write(iter([jsonio.dumps(body) + b"\n"]), None)
    if as_json:
        print_json(report | ({"out": str(out)} if out else {"request": body}))
    else:
        _say(report, out)


def _lines(session: Session, *, unmasked: bool) -> Iterator[bytes]:
    yield write_header(session.info)
    for entry in session.entries():
        line = write_entry(entry)
        yield line if unmasked else jsonio.dumps(mask_strings(jsonio.loads(line))) + b"\n"


def _write(pieces: Iterator[bytes], out: Path | None) -> int:
    """To a file by way of a temporary one, so that a failure leaves no half file."""
    total = 0
    if out is None:
        for piece in pieces:
            total += sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
        return total
    special = out.is_symlink() or (out.exists() and not out.is_file())
    draft = out if special else out.parent / f".{out.name}.part"
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            for piece in pieces:
                total += file.write(piece)
        if draft != out:
            draft.replace(out)
    except OSError as error:
        raise StorageError(f"cannot write {out}: {error.strerror}; choose another place with --out") from None
    finally:
        if draft != out:
            draft.unlink(missing_ok=True)
    return total


def _say(report: dict[str, Any], out: Path | None) -> None:
    if out:
        note(f"wrote {out}")
    if report["repairs"]:
        note(f"{len(report['repairs'])} repairs; --json lists them")
    kinds = sorted({loss["what"] for loss in report["losses"]})
    if kinds:
        note(f"could not cross: {', '.join(kinds[:5])} ({len(report['losses'])} in all; --json lists them)")
