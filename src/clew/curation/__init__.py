"""Shorter forms of tool outputs: each kind keeps what a reader looks for and drops repeats and noise.

Pure: text in, shorter text out, or None when it should stay as it is. The caller keeps the whole as a blob before a
marker of ours is shown to anybody.
"""
