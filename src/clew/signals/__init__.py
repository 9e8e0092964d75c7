"""Signals: what must not fade, what matters now, whether rules are kept, what contradicts, and how healthy a session
is. Pure, and without a model; what is done about a signal is left to the engine."""
