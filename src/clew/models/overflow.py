"""Knowing a request that was too large for the model by what the provider says of it.

Providers share no code for this: each has its own status and wording, and servers for local models have several.
"""

from __future__ import annotations

import re

#: Parts of messages, in lower case; every text of a row must be there. Statuses and codes alone would miss most.
_SAID = (
    ("prompt is too long",),  # Anthropic
    ("exceed context limit",),  # Anthropic: input and max_tokens together
    ("request_too_large",),
    ("request exceeds the maximum size",),
    ("context_length_exceeded",),  # OpenAI's code, used by many
    ("context length exceeded",),
    ("maximum context length",),  # OpenAI, OpenRouter, vLLM, Mistral, SGLang
    ("exceeds the context window",),
    ("exceeds the model", "context"),
    ("string_above_max_length",),  # OpenAI: one text beyond what any model reads
    ("exceeds the maximum number of tokens",),  # Gemini
    ("input token count", "exceeds"),
    ("request payload size exceeds the limit",),  # Gemini: bytes
    ("exceed_context_size_error",),  # llama.cpp
    ("exceeds the available context size",),
    ("context size has been exceeded",),
    ("input is larger than the max context size",),
    ("context length is only",),  # vLLM
    ("longer than the maximum model length",),
    ("too long to fit into the model",),
    ("input length", "exceeds", "context length"),  # Ollama
    ("prompt too long", "context"),
    ("longer than the model's context length",),  # SGLang
    ("greater than the context length",),  # LM Studio
    ("context window exceeds limit",),  # MiniMax
    ("exceeded model token limit",),  # Kimi
    ("maximum prompt length is",),  # xAI
    ("reduce the length of the messages",),  # Groq
    ("too large for model with",),  # Mistral
    ("input is too long for requested model",),  # Bedrock
    ("max_new_tokens", "must be <="),  # TGI
    ("too many tokens", "prompt"),  # Cohere
    ("prompt token count", "exceeds the limit"),  # Copilot
    ("context overflow",),
)
#: A limit by the minute that one request exceeds by itself: waiting does not help, asking for less does.
_SAID_WHEN_BUSY = (("request too large for",), ("context_length_exceeded",))
_BUSY = 429
_TOO_LARGE = 413
_LOOKED_AT_CHARS = 4_000
#: How many tokens would have been read, where the provider tells.
_WINDOW = re.compile(
    "|".join(
        (
            r'"n_ctx": ?(\d{1,9})',  # llama.cpp
            r"available context size \((\d{1,9})",
            r"> (\d{1,9}) maximum",  # Anthropic
            r"context limit: \d{1,9} \+ \d{1,9} > (\d{1,9})",
            r"maximum context length (?:is|of) (\d{1,9})",  # OpenAI, OpenRouter, vLLM, SGLang
            r"context length is only (\d{1,9})",  # vLLM
            r"maximum model length of (\d{1,9})",
            r"number of tokens allowed \((\d{1,9})",  # Gemini
            r"maximum prompt length is (\d{1,9})",  # xAI
            r"limit (\d{1,9}), requested",  # OpenAI, by the minute
        )
    )
)

#: No text takes this many bytes to a token: prose has about 5, deeply indented code 7.
_BYTES_TO_TOKEN = 12
#: Of shorter texts a few odd lines could be all there is.
_SMALL_BYTES = 8_000


def is_overflow(status: int, told: str) -> bool:
    """Would a smaller request have been read? Judged by status and by what the provider told."""
    told = told[:_LOOKED_AT_CHARS].lower()
    if status == _BUSY:  # limits by the minute speak of tokens, too
        return _says(told, _SAID_WHEN_BUSY)
    return status == _TOO_LARGE or _says(told, _SAID)


def reported_window(told: str) -> int | None:
    """How many tokens the model reads, as the provider says when it was asked to read more."""
    match = _WINDOW.search(told[:_LOOKED_AT_CHARS].lower())
    return int(next(filter(None, match.groups()))) or None if match else None


def is_cut_silently(asked_bytes: int, read_tokens: int) -> bool:
    """Did a server drop most of a question without a word, as Ollama does beyond its window?"""
    return asked_bytes > _SMALL_BYTES and 0 < read_tokens * _BYTES_TO_TOKEN < asked_bytes


def _says(told: str, rows: tuple[tuple[str, ...], ...]) -> bool:
    return any(all(part in told for part in row) for row in rows)
