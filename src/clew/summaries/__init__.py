"""Summaries of a stretch of history: by a model where there is one, and without it where there is none or it fails.

``summarise`` always gives a text that fits its room, keeps what must be kept and is never larger than what it replaces;
each step down the ladder is reported. Callers decide what to sum up and when, and store the text.
"""
