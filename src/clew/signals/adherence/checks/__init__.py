"""Checks: what a program can judge of a rule. A sentence is read (``rule``), rows of tables say what it asks for
(``rows``, a table in each other file), and the turn (``turn``: ``reply`` and ``work``) is judged (``compiler``)."""
