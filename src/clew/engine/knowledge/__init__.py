"""The knowledge of a user: modules as the store keeps them, their chunks, and what a turn needs of them."""
