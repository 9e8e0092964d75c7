"""Compacts a session when somebody asks for it: previews, reports and undoes.

What is due by itself is found in ``prompt``; prices, policy and candidates are pure and live in ``clew.compaction``.
"""
