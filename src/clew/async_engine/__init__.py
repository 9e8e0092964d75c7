"""The engine for asynchronous callers: the same names, awaited.

Everything happens in one thread of the engine's own, in the order in which it was asked for. Nothing is done here
that the engine does not do itself.
"""
