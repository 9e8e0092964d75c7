"""What people say about a rule without saying anything against it: that it is off, or that it was broken.

Who takes a rule back changes their mind, and who scolds repeats it. Neither contradicts what was said before.
"""

from __future__ import annotations

import re

from clew.signals.critical.revocation import revoked_subject
from clew.text.sentences import spans

#: Words that only somebody says who saw a rule broken. What was done stands in the same sentence or the one before.
_SCOLDS = re.compile(
    r"(?i)\b(?:(?:don['’]?t|do not|never|stop) (?:ever )?(?:do|doing) (?:that|this|it|so)\b"
    r"|i (?:already |just |clearly |explicitly )?(?:told|asked|warned) you|i (?:already|clearly|explicitly) said"
    r"|as i (?:said|told you)|like i said|you (?:should not|shouldn['’]?t|were not|weren['’]?t) (?:have|supposed)"
    r"|why (?:did|do|are|would) you|(?:that|this)(?: i|['’])s (?:not allowed|against (?:the|my|our) rules?|forbidden)"
    r"|you (?:just |have |['’]?ve )?(?:broke|ignored|violated|forgot)|not what i (?:asked|said|told|wanted))"
)
#: What somebody else just did.
_TELLS_OFF = re.compile(
    r"(?i)\W*(?:(?:hey|no|wait|but|and|stop|oh|so|again)\W+){0,2}(?:you (?:just|again|still)\b|that was an? )"
)


def without_asides(text: str) -> str:
    """A statement without the sentences that lift a rule or scold for a broken one."""
    pieces = [text[start:end] for start, end in spans(text)]
    scolds = [_SCOLDS.search(piece) is not None for piece in pieces]
    kept = (
        piece
        for at, piece in enumerate(pieces)
        if not (any(scolds[at : at + 2]) or _TELLS_OFF.match(piece) or revoked_subject(piece.strip()))
    )
    return " ".join(kept)
