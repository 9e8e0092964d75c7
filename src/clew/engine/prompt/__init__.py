"""Builds prompts: streams and their epochs, injections, and packs."""
