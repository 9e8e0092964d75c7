"""Tests of the audit of past sessions."""
