"""Agents that work for two hundred steps through each adapter, with a scripted model; tests and the bench run them."""
