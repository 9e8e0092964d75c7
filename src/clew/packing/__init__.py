"""Choosing what is sent: gather what the history says, cover as much of it as fits, lay it out, explain it.

Pure functions over messages: the same input gives the same bytes. What is stored, and when, is decided above.
"""
