"""Claims: what packs state about the work, judged against the raw session files by a checker of its own.

``bench.py`` makes the packs; everything else imports nothing of Clew, so that a mistake of the engine is not repeated
by its judge.
"""
