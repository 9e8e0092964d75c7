"""Turns entries into messages, and messages into a valid prompt.

``fold`` builds a session's messages and their two views, ``repair`` makes a broken history valid, and the projections
(classes that end in ``Projection``) keep rows that answer questions without reading a session. Nothing here changes or
loses what the ledger holds.
"""
