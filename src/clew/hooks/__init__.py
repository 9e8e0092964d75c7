"""What coding assistants start or read: hooks, the status line, the entries in their settings.

All of it fails open: a hook that cannot help says nothing, ends with 0, and leaves a line in the log. What decides and
what is stored is the engine's; here it is only asked.
"""
