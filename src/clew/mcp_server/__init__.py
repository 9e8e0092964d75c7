"""The MCP server: tools, resources and prompts over the engine, for any client that speaks the protocol.

It keeps nothing between calls: the session is an argument of each, or the newest of the caller's working folder.
Transports are left to others: ``clew mcp`` serves it over stdio, ``clew serve`` over HTTP.
"""
