"""Reads a session: messages, segments, digests, parts by id, and relevance. Nothing here appends entries."""
