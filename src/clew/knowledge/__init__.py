"""Knowledge modules: reading and checking their files, what depends on what, chunks, and which belong into a prompt.

Everything here is pure; the engine stores modules and asks the index.
"""
