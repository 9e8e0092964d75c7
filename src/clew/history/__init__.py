"""One history, many views: how entries become messages, and messages a valid prompt.

Everything here is pure and works on views. The ledger below keeps what came; nothing in this package can
change or lose it.
"""
