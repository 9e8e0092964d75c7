"""Tests of clew.cli.servers."""
