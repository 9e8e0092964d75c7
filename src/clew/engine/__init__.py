"""The engine records, projects, packs and compacts sessions. Nothing outside it decides or persists anything.

Sub-packages import downwards only: ledger, read, epochs, health, ingest, compaction, prompt; sessions stand on top.
"""
