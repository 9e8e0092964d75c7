"""Tests of clew.server."""
