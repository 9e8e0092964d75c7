"""The engine for asynchronous callers: the same names, awaited.

The calls of a session are made in the order in which they were asked for, those of several at the same time, in threads
of the engine's own. Nothing is done here that the engine does not do itself.
"""
