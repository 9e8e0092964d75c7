"""Signals that were learned from labelled text: small linear models in plain Python, their weights beside them."""
