"""The server over HTTP: one application with its guards, on which the MCP server and what comes later are mounted.

It answers on this machine only unless it is told otherwise, and then only whoever has a token.
"""
