"""The commands of ``clew knowledge``."""
