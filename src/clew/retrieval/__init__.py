"""Finding what belongs to a query: texts as words, the index of words, and relevance by BM25.

Stores find which messages hold a word; what that is worth is decided here, from the one session's own figures.
"""
