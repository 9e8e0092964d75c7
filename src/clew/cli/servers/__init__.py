"""Commands that serve others: the MCP server on standard input and output, the server over HTTP, and its tokens."""
