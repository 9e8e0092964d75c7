"""Units: whole things that someone said, did or found, and the state of the work, each line with who speaks and where.

Packs, the story, and summaries are made of them. Everything is a pure function over messages and the work map; who
chooses among units, and what fits, is left to others.
"""
