"""Where the ledger and all that is derived from it is kept: in memory, or in a SQLite file.

A store keeps bytes under keys and promises order, atomicity and durability, as ``clew.ports.Store`` says;
what the bytes mean is decided above it. ``stores`` opens them, ``quick_rows`` reads a file where there is no time for
that; ``doctor`` and ``salvage`` look after the file itself.
"""
