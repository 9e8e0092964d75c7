"""The four outputs of a model's reply: content, tool calls, housekeeping, context requests.

This package holds the instructions that tell a model how to write the last two, parses them strictly, takes them out
of what the user sees, and answers requests within a quota. Whatever a model writes, nothing raises and nothing becomes
critical. Callers decide what housekeeping changes, look ids up and send the answer.
"""

from clew.domain import CodeChange, Housekeeping
from clew.replies.instructions import reply_instructions, retrieval_hint
from clew.replies.parsing import Stripper, parse_reply, split_notes
from clew.replies.retrieval_answer import (
    RetrievalAnswer,
    SegmentLookup,
    SentSegment,
    UnknownId,
    UnsentSize,
    answer_requests,
    likely_next_ids,
)
from clew.replies.schema import Refusal, housekeeping_from, request_from
from clew.replies.values import Format, Priority, Reply, RetrievalRequest, is_id

__all__ = [
    "CodeChange",
    "Format",
    "Housekeeping",
    "Priority",
    "Refusal",
    "Reply",
    "RetrievalAnswer",
    "RetrievalRequest",
    "SegmentLookup",
    "SentSegment",
    "Stripper",
    "UnknownId",
    "UnsentSize",
    "answer_requests",
    "housekeeping_from",
    "is_id",
    "likely_next_ids",
    "parse_reply",
    "reply_instructions",
    "request_from",
    "retrieval_hint",
    "split_notes",
]
