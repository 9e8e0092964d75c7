"""Facts: statements taken apart into clauses and into claims that can be compared."""
