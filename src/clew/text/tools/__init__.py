"""What tools mean: calls, commands and patches of any assistant as actions, and outputs as how they ended."""
