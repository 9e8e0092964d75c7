"""Contradictions: statements that deny earlier ones of the same speaker."""
