"""Tests of the command audit."""
