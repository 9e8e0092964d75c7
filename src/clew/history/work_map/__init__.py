"""The work map: the present state of the work, replayed from reads, edits, writes, commands and words.

It says for each file what was done with it, which names belong to it and how its text reads now around the last edit;
for each command and test the last result; the to-do list; and the last request. It never shows a line that an edit
removed. ``projection`` keeps the rows, ``view`` reads them as values, ``page`` renders them for people.
"""
