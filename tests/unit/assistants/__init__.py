"""Tests of clew.assistants."""
