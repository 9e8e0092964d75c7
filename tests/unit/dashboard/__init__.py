"""Tests of clew.dashboard."""
