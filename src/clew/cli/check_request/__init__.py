"""The command check: reads what is judged as it stands, judges it by a provider's rules, and writes it repaired."""
