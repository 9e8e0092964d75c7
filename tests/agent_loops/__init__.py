"""Agents that work for many steps through each adapter, with a scripted model; tests and the bench run them."""
