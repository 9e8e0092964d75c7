"""Sets a client up and puts its files back: entries of ours go into settings as text, and come out as text.

What the user wrote is never serialised anew, so that every byte of it stays as it is.
"""
