"""Models behind one port: Anthropic, anything that speaks Chat Completions, Gemini, and a scripted one.

Promises an answer or a ModelError within the deadline, no key outside a request in flight, and limits on spending.
What is asked, and whether an answer is any good, is left to others.
"""

from clew.models.anthropic import AnthropicModel
from clew.models.callables import Scripted
from clew.models.endpoint import Endpoint, RequestClock
from clew.models.gemini import GeminiModel
from clew.models.guard import Guard, MemorySpendLog, SpendLog, StoreSpendLog
from clew.models.openai import OpenAIModel
from clew.models.registry import model_for

__all__ = [
    "AnthropicModel",
    "Endpoint",
    "GeminiModel",
    "Guard",
    "MemorySpendLog",
    "OpenAIModel",
    "RequestClock",
    "Scripted",
    "SpendLog",
    "StoreSpendLog",
    "model_for",
]
