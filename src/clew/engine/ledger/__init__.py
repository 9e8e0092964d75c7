"""The ledger of each session: appends entries, recognises what was recorded before, and keeps projections up to date.

Everything above reads and writes a session through ``SessionLedger``; nothing else appends.
"""
