"""Segment → digest → header and summary, and the story of them all; without a model.

Pure functions over messages and digests, and one projection that keeps what they give. Every fact quotes a
message and names it, every size has a hard cap in o200k tokens. What is sent, and when, is decided elsewhere.
"""
