"""Adherence: whether turns keep the rules in force, how a rule stands over time, and how far the work has drifted."""
