"""What a provider's refusal means."""

from __future__ import annotations

from clew.models.failures import retry_after

NOW = 1_800_000_000.0


def test_google_says_it_within_the_error() -> None:
    details = [{"@type": "QuotaFailure"}, {"@type": "RetryInfo", "retryDelay": "34.5s"}]
    assert retry_after({}, {"error": {"details": details}}, NOW) == 34.5
