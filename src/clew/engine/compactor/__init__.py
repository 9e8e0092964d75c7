"""Compacts sessions: decides when that is due, chooses what happens to older segments, asks models for summaries.

Prices, policy and candidates are pure and live in ``clew.compaction``.
"""
