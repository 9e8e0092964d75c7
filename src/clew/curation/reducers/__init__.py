"""One reducer for each kind of output: ``reduce`` takes a text and a limit of characters and gives a shorter text.

What a reducer cannot read as its kind it answers with None.
"""
