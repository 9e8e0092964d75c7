"""A whole turn with a model: what is sent, its replies, the tools that it calls, and what is recorded of them."""
