"""Metrics of the gateway, as Prometheus reads them. Nothing in them says who asked, or what."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

from clew.domain import Usage

#: Seconds that a request waits here before it goes on.
_ADDED = (0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """The counts of one gateway."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = self._counter("requests", "Requests by format, how they went on, and status.", _LABELS)
        self.tokens_before = self._counter(
            "tokens_before",
            "Tokens of the conversations that were asked about, as counted here: rather too many than too few.",
        )
        self.tokens_after = self._counter(
            "tokens_after", "Tokens of what was sent for them, as counted here: rather too many than too few."
        )
        self.cache_read = self._counter("cache_read_tokens", "Tokens that providers read from their caches.")
        self.cache_write = self._counter("cache_write_tokens", "Tokens that providers wrote to their caches.")
        self.epochs = self._counter("epochs", "Compactions: requests that begin otherwise than the one before.")
        self.degraded = self._counter("degraded", "Requests that passed as they came because of an error here.")
        self.retries = self._counter("overflow_retries", "Requests that were too long, and were sent once more.")
        self.retrievals = self._counter("retrievals", "Calls of models for parts of their session, answered here.")
        self.added = Histogram(
            "clew_gateway_added_seconds",
            "Time that a managed request waits here before it goes on.",
            buckets=_ADDED,
            registry=self.registry,
        )

    def _counter(self, name: str, about: str, labels: tuple[str, ...] = ()) -> Counter:
        return Counter(f"clew_gateway_{name}", about, labels, registry=self.registry)

    def count_usage(self, usage: Usage | None) -> None:
        """Counts what a provider says of its cache."""
        if usage is not None:
            self.cache_read.inc(usage.cache_read_tokens)
            self.cache_write.inc(usage.cache_write_tokens)

    def text(self) -> bytes:
        """Returns all of them in the format of Prometheus."""
        return generate_latest(self.registry)


_LABELS = ("format", "way", "status")
