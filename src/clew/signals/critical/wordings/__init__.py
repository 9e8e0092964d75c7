"""How people word what should last, what takes it back, and what speaks against taking it at its word."""
