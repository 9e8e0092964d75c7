"""The patch of a summary: what an assistant's own summary lost of what the work needs, in a few lines from the records.

Everything is a pure function over the messages before the summary, the work map and the summary's text; nothing is said
that the summary says already, and every line names the message that bears it out.
"""
