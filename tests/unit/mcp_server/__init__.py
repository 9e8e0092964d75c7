"""Tests of clew.mcp_server, through the official client within one process."""
