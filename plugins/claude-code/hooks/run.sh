#!/bin/sh
# Starts a hook of Clew. Where Clew is not installed, nothing happens.
command -v clew >/dev/null 2>&1 || exit 0
exec clew hook claude-code "$1"
