"""Checks: a rule's sentence compiled into what a program can look for in replies and tool calls."""
