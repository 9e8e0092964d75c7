"""Contradictions: statements that deny earlier ones, and replies that deny what a person decided."""
