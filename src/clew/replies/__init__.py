"""The four outputs of a model's reply: content, tool calls, housekeeping, context requests.

Tells a model how to write the last two, parses them strictly, takes them out of what the user sees, and answers
requests within a quota. Whatever a model writes here, nothing raises and nothing becomes critical. What is done
with housekeeping, where ids lead and how an answer is sent are left to others.
"""

from clew.domain import CodeChange, Housekeeping
from clew.replies.answering import Answer, Given, LeftOut, Lookup, Unknown, answer, follow_ups
from clew.replies.parsing import Stripper, noted, parse, strip_message
from clew.replies.schema import Refusal, housekeeping_from, request_from
from clew.replies.telling import instructions, requesting
from clew.replies.values import Format, Priority, Reply, RetrievalRequest, is_id

__all__ = [
    "Answer",
    "CodeChange",
    "Format",
    "Given",
    "Housekeeping",
    "LeftOut",
    "Lookup",
    "Priority",
    "Refusal",
    "Reply",
    "RetrievalRequest",
    "Stripper",
    "Unknown",
    "answer",
    "follow_ups",
    "housekeeping_from",
    "instructions",
    "is_id",
    "noted",
    "parse",
    "request_from",
    "requesting",
    "strip_message",
]
