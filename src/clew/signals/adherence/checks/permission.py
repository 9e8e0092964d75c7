"""Leave: whether a person has allowed what a rule forbids or wants to be asked about."""

from __future__ import annotations

import re

from clew.signals.adherence.checks.values import Turn

#: A request that says yes to what was proposed; its words do not say to what.
_ASSENT = re.compile(
    r"(?i)\A(?:<command-|/\w)|\A\W*(?:y|yes|yep|yeah|yup|sure|ok|okay|k|go|do it|go ahead|go for it|proceed|continue"
    r"|approved?|lgtm|sounds good|please do|ship it|perfect|great|looks good|agreed|correct|right|confirm(?:ed)?|ja"
    r"|oui|sí|si|both|all|\d|[a-d])\b"
)
_NEGATED = r"(?:don't|do not|dont|never|without|not|before|no|avoid|stop)\s+(?:\w+\s+){0,2}"
#: How much of a request is read: orders stand at its ends.
_MAX_CHARS = 4_000


def allows(turn: Turn, verbs: str) -> bool | None:
    """True where this request or one shortly before asks for it, None where it may have been agreed to."""
    asked = re.compile(rf"(?i)\b(?:{verbs})")
    # Of a ban the whole clause is no leave: "never push to main" does not ask for "main" either.
    refused = re.compile(rf"(?i)\b{_NEGATED}(?:{verbs})[^.,;!?\n]*")
    for request in (turn.request, *reversed(turn.earlier[-3:])):
        text = request[:_MAX_CHARS] + request[-_MAX_CHARS:] if len(request) > 2 * _MAX_CHARS else request
        if asked.search(refused.sub(" ", text)):
            return True
    return None if _ASSENT.match(turn.request) or not turn.request.strip() else False
