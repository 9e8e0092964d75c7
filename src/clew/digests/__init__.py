"""Digests of segments, their headers and summaries, all made without a model.

The package holds pure functions over messages and digests, one projection that stores what they return, and its reader.
Every fact quotes a message and names it; every size has a hard cap in o200k tokens. Others decide what is sent and
when.
"""
