"""Shorter forms of tool outputs: each kind keeps what a reader looks for and drops repeats and noise.

Pure: text in, shorter text out, or None when it should stay as it is. The caller keeps the whole as a blob before a
marker of ours is shown to anybody.
"""

from clew.curation.curator import CuratedOutput, When, curate
from clew.curation.kinds import OutputKind, kind_of
from clew.curation.markers import blob_id, is_curated, marker, marker_blob, with_marker
from clew.curation.similarity import Fingerprint, fingerprint, may_be_similar, reference

__all__ = [
    "CuratedOutput",
    "Fingerprint",
    "OutputKind",
    "When",
    "blob_id",
    "curate",
    "fingerprint",
    "is_curated",
    "kind_of",
    "marker",
    "marker_blob",
    "may_be_similar",
    "reference",
    "with_marker",
]
