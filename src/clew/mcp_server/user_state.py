"""Where whoever guards an HTTP server names the user of a request; known without the packages of the protocol."""

from __future__ import annotations

#: The key in the state of a request.
USER_STATE = "clew_user"
