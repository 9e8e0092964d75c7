"""Who answers hooks: a process that stays (`clew mcp`, or one that hooks start), asked over a socket of the user's own.

Where nobody listens or answers, a hook works by itself.
"""
