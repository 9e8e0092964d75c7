"""Models behind one port: Anthropic, anything that speaks Chat Completions, Gemini, and a scripted one.

Promises an answer or a ModelError within the deadline, no key outside a request in flight, and limits on spending.
What is asked, and whether an answer is any good, is left to others.
"""

from clew.models.anthropic import Anthropic
from clew.models.gemini import Gemini
from clew.models.guard import Book, Guard, MemoryBook, StoreBook
from clew.models.http import Endpoint, Pace
from clew.models.openai import OpenAI
from clew.models.registry import model_for
from clew.models.scripted import Scripted

__all__ = [
    "Anthropic",
    "Book",
    "Endpoint",
    "Gemini",
    "Guard",
    "MemoryBook",
    "OpenAI",
    "Pace",
    "Scripted",
    "StoreBook",
    "model_for",
]
