"""Repairs that make a broken history valid, for the prompt view only.

Each rule says what holds after it and where a history may be cut without breaking it; ``rules`` runs them in order and
reports every change. A valid history comes back unchanged.
"""
