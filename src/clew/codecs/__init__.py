"""Wire formats and session files, to and from the domain.

Each module reads one format, and those of the providers also write it. Decoding then encoding in one
format gives the same JSON; crossing formats keeps texts, calls, arguments and outputs, and reports what
could not cross. What a history means, and whether it is valid, is not decided here.
"""
