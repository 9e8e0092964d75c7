"""The commands for what every prompt states: pins of a session, and the profile of a user."""
