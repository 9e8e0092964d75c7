"""Compaction: when it pays, what it costs, and what each strategy would do. Pure; the engine decides and writes."""
