"""Reducers for tool outputs: each kind of output keeps what a reader looks for and drops repeats and noise.

Pure: text in, shorter text out, or nothing when it should stay as it is. Whoever calls keeps the whole as a
blob before a marker of ours is shown to anybody.
"""

from clew.curation.curating import Curated, When, curate
from clew.curation.kinds import Kind, kind_of
from clew.curation.marks import blob_id, defused, is_curated, marked, marker, named_blob
from clew.curation.similar import Fingerprint, fingerprint, is_near, reference

__all__ = [
    "Curated",
    "Fingerprint",
    "Kind",
    "When",
    "blob_id",
    "curate",
    "defused",
    "fingerprint",
    "is_curated",
    "is_near",
    "kind_of",
    "marked",
    "marker",
    "named_blob",
    "reference",
]
