"""The command audit: what past sessions cost and what their compactions lost, for people and for programs."""
