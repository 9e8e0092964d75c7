"""Requests that were too large, by what providers say of them."""

from __future__ import annotations

import pytest

from clew.models.overflow import is_cut_silently, is_overflow, reported_window


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (400, "prompt is too long: 210543 tokens > 200000 maximum"),
        (400, "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"),
        (413, '{"type": "error", "error": {"type": "request_too_large"}}'),
        (413, ""),
        (400, '{"error": {"code": "context_length_exceeded", "message": "Your input exceeds the context window"}}'),
        (400, "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens"),
        (400, "This endpoint's maximum context length is 1048576 tokens"),
        (400, "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576)."),
        (400, '{"error":{"code":400,"message":"the request exceeds the available context size","type":"x"}}'),
        (400, "request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it"),
        (500, "Context size has been exceeded."),
        (400, "You passed 5001 input tokens. However, the model's context length is only 4096 tokens"),
        (400, "The decoder prompt (length 21535) is longer than the maximum model length of 16384"),
        (400, "'max_tokens' or 'max_completion_tokens' is too large: 8192. maximum context length is 65536"),
        (500, "the input length exceeds the context length"),
        (400, "Requested token count exceeds the model's maximum context length of 8192 tokens"),
        (400, "The number of tokens to keep from the initial prompt is greater than the context length"),
        (400, "Please reduce the length of the messages or completion."),
        (429, "Request too large for gpt-4.1 on tokens per min (TPM): Limit 30000, Requested 40000."),
    ],
)
def test_a_request_that_was_too_large_is_known_by_its_wording(status: int, told: str) -> None:
    assert is_overflow(status, told)


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (400, ""),
        (400, "`temperature` is deprecated for this model."),
        (400, "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens"),
        (400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        (429, "This request would exceed your organization's rate limit of 30,000 input tokens per minute"),
        (429, "Rate limit reached: too many tokens in this prompt per minute"),
        (429, "Quota exceeded: the maximum context length of your plan"),
        (500, "Internal server error"),
        (401, "invalid x-api-key"),
    ],
)
def test_other_refusals_are_no_overflow(status: int, told: str) -> None:
    assert not is_overflow(status, told)


@pytest.mark.parametrize(
    ("told", "window"),
    [
        ("prompt is too long: 210543 tokens > 200000 maximum", 200_000),
        ("input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease", 200_000),
        ("This model's maximum context length is 8192 tokens. However, you requested 9000 tokens", 8_192),
        ("The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).", 1_048_576),
        ('{"error": {"message": "request (9019 tokens) exceeds the available context size (2048 tokens)"}}', 2_048),
        ('{"type": "exceed_context_size_error", "n_prompt_tokens": 9019, "n_ctx": 2048}', 2_048),
        ("You passed 5001 input tokens. However, the model's context length is only 4096 tokens", 4_096),
        ("The decoder prompt (length 21535) is longer than the maximum model length of 16384", 16_384),
        ("Requested token count exceeds the model's maximum context length of 8192 tokens", 8_192),
        ("This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131_072),
        ("Request too large on tokens per min (TPM): Limit 30000, Requested 40000.", 30_000),
        ("Your input exceeds the context window", None),
        ("maximum context length is 0", None),
        ("maximum context length is " + "9" * 5_000, 999_999_999),
        ("", None),
    ],
)
def test_a_provider_may_tell_how_much_would_have_been_read(told: str, window: int | None) -> None:
    assert reported_window(told) == window


@pytest.mark.parametrize(
    ("asked_bytes", "read_tokens", "is_cut"),
    [
        (160_000, 4_096, True),
        (160_000, 40_000, False),
        (160_000, 14_000, False),
        (160_000, 0, False),
        (7_000, 9, False),
    ],
)
def test_a_server_that_reads_only_the_end_gives_itself_away_by_its_count(
    asked_bytes: int, read_tokens: int, is_cut: bool
) -> None:
    assert is_cut_silently(asked_bytes, read_tokens) is is_cut
