"""Epochs as they are stored and shown: the prompt log, the prompt view, and the rendering of messages."""
