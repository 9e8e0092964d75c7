"""The command chat: a conversation with a model at the terminal."""
