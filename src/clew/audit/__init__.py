"""The analysis behind ``clew audit``: what past sessions of an assistant cost, and what their compactions lost.

Session files are read and never written; nothing is stored. Whatever is reported names the messages that show it.
"""
