"""State of a session: health, drift, critical items, the user's profile and the project's rule files."""
