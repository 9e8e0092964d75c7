"""The request formats of the providers, read and written.

Each format has a codec that is also an encoder. What came in a format goes out in it byte for byte; what crosses
from one to another keeps its texts, calls, arguments and outputs, and each thing that cannot is listed as a loss.
"""
