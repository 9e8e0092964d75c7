"""The four outputs of a model's reply: content, tool calls, housekeeping, context requests.

This package holds the instructions that tell a model how to write the last two, parses them strictly, takes them out
of what the user sees, and answers requests within a quota. Whatever a model writes, nothing raises and nothing becomes
critical. Callers decide what housekeeping changes, look ids up and send the answer.
"""
