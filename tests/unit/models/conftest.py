"""Servers that misbehave on request, and a clock for requests that keeps nobody waiting."""

from tests.model_server import elsewhere, hand, server

__all__ = ["elsewhere", "hand", "server"]
