"""Counting tokens: exact where the tables are public, an upper estimate elsewhere, better with every reply.

What a request may cost is decided here; what to do about it, and where counts are kept, is left to others.
Importing this loads no table.
"""

from clew.tokens.calibration import Calibration, observe
from clew.tokens.counts import count_message, count_part, count_texts, quick_count
from clew.tokens.models import ModelInfo, model_info, window_for
from clew.tokens.tokenizers import BpeTokenizer, tokenizer_for
from clew.tokens.windows import Window, session_window

__all__ = [
    "BpeTokenizer",
    "Calibration",
    "ModelInfo",
    "Window",
    "count_message",
    "count_part",
    "count_texts",
    "model_info",
    "observe",
    "quick_count",
    "session_window",
    "tokenizer_for",
    "window_for",
]
