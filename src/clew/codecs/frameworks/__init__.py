"""Messages of Python frameworks, and whatever else callers hand in: objects of SDKs and values that tools return.

All are read from their fields as plain JSON values; none of the packages is imported.
"""
