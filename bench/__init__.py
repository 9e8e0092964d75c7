"""Benchmarks: what Clew is measured by. `make bench` runs all; `python -m bench NAME…` runs some."""
