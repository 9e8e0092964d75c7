"""Packing: allocates tokens, collects and scores material, and renders the pieces that fit.

Everything is a pure function over messages: the same input gives the same bytes.
The engine decides what is stored, and when.
"""
