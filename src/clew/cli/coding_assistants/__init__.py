"""Commands for coding assistants: set one up, pause, and what assistants start by themselves."""
