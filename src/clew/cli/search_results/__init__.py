"""The command that searches sessions and knowledge and shows what was found; which sessions a list shows."""
