"""Coding assistants as they are on this machine: where each keeps its transcripts, which of them belong to a working
folder, how the store catches up with one as it grows, and session files that a client resumes.

Nothing outside an assistant's own folders is read, and nothing in them is written here.
"""
