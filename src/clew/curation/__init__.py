"""Reducers for tool outputs: each kind of output keeps what a reader looks for and drops repeats and noise.

Pure: text in, shorter text out, or nothing when it should stay as it is. Whoever calls keeps the whole as a
blob before a marker of ours is shown to anybody.
"""
