"""Summaries of a stretch of history by a model: in full, on less text, or from its own notes.

What ``summarise`` returns fits its room, keeps what must be kept and is never larger than what it replaces; where the
model fails there is no summary, and each step down the ladder is reported. Callers decide what to sum up and when, and
store the text.
"""
