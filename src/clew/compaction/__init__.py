"""Pure rules of compaction: when it pays, what it costs, and which segments each strategy keeps.

Nothing here reads or writes a session; ``clew.engine`` does.
"""
