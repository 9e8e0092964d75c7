"""Streams of the providers' APIs: their events, put together into the response that a call without streaming returns.

One module for each API, over plain dicts. A stream that breaks off gives what was finished; the rest is kept aside, so
that it is recorded and never sent.
"""
