"""The data sets: unpacked once from the archives that CLEW_BENCH_DATA names; the bundled sample without it."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

from clew.samples import sample

CACHE = Path(".bench")


def folder(name: str) -> Path | None:
    """The unpacked set of that name, or None where there is no data."""
    home = os.environ.get("CLEW_BENCH_DATA")
    archive = Path(home) / f"{name}.tar.xz" if home else None
    if archive is None or not archive.exists():
        return None
    target = CACHE / "data" / name
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with tarfile.open(archive) as tar:
            tar.extractall(target.parent, filter="data")
    return target


def transcripts(*kinds: str) -> list[Path]:
    """Session files of the kinds given (all kinds without any), or the sample."""
    home = folder("transcripts")
    if home is None:
        return [sample()]
    found = [path for path in sorted(home.rglob("*")) if path.is_file() and not path.name.startswith(".")]
    return [path for path in found if not kinds or path.parent.name in kinds]


def tau() -> list[Path]:
    home = folder("tau")
    return sorted(home.glob("*.json")) if home else []
