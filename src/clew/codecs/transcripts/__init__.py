"""The session files that assistants keep on disk, read and never written.

Each codec splits one client's files into wire records and reads a record without the file around it.
"""
