"""Events: what Clew tells whoever listens. Listeners can neither stop nor break the work."""
